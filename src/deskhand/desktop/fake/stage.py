"""Windows of a fake desktop, found by handle and by the pointer."""

from itertools import count

import anyio

from deskhand.core.errors import ActionRefused, ApplicationGone, ElementStale
from deskhand.core.geometry import Point, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.fake import behaviour
from deskhand.desktop.fake.control import FakeControl, FakeTable, FakeWindow
from deskhand.desktop.fake.layout import hit, shown
from deskhand.desktop.fake.view import Snapshot, describe_window
from deskhand.desktop.identity import recognise, record_now
from deskhand.desktop.protocols.input import MouseButton


class Stage:
    """The windows, front first, with the methods by which applications and tests change them. `FakeDesktop` acts on it
    for agents.
    """

    def __init__(self, name: str, screen: Rect) -> None:
        self.screen = screen
        self.shown_windows: list[FakeWindow] = []
        self._name = name
        self._handles = (f"fake:{number}" for number in count(1))
        self._owners: dict[str, FakeWindow] = {}
        self._pids: dict[str, int] = {}
        self.running = set[str]()
        """The applications that run on without a window."""
        self._changed = anyio.Event()
        self._changes = 0

    def open(self, window: FakeWindow) -> FakeWindow:
        """Shows a window in front of the others and gives it the keyboard."""
        window.closed = False
        window.pid = self._pids.setdefault(window.application or window.title, 1000 + len(self._pids))
        if window.focused is None:
            window.focused = next((control for control in window.focusable()), None)
        self.shown_windows.insert(0, window)
        self._give_handles(window)
        self.touch()
        return window

    def close_window(self, window: FakeWindow) -> None:
        """Takes a window away; a window that is not there stays away."""
        if window in self.shown_windows:
            self.shown_windows.remove(window)
            window.closed = True
            if window.on_close:
                window.on_close()
            self.touch()

    def touch(self) -> None:
        """Wake waiting callers after a change."""
        self._changes += 1
        self._changed.set()
        self._changed = anyio.Event()

    def target(self, control: FakeControl) -> TargetInfo:
        """A control as an observation would describe it. Raises: ElementStale where no window holds it."""
        for window in self.shown_windows:
            if control in window.all_controls():
                controls = self._snapshot(window).scene(control.handle).controls
                return next(target for target in controls if target.handle == control.handle)
        raise ElementStale(f"no window of {self._name} holds {control.role} {control.name!r}")

    def _click(self, point: Point, button: MouseButton, times: int) -> None:
        window = self._window_at(point)
        if window is None or self._blocked(window):
            return
        self.shown_windows.remove(window)
        self.shown_windows.insert(0, window)
        control = hit(window, point)
        if control is None or control.disabled:
            behaviour.close_menus(window)
        elif button is MouseButton.RIGHT:
            if control.on_right_click:
                control.on_right_click()
        elif button is MouseButton.LEFT and times > 1 and control.on_double_click:
            behaviour.focus(window, control)
            control.on_double_click()
        elif button is MouseButton.LEFT:
            for _ in range(times):
                behaviour.click(window, control)

    def _drag(self, start: Point, end: Point) -> None:
        window = self._window_at(start)
        if window is None or self._blocked(window):
            return
        first, last = hit(window, start), hit(window, end)
        container = behaviour.container_of(window, first) if first else None
        if first and last and container and container.table:
            begin, finish = container.table.place(first), container.table.place(last)
            if begin and finish:
                behaviour.focus(window, container)
                container.table.select(*begin, *finish)

    def _window_at(self, point: Point) -> FakeWindow | None:
        return next((window for window in self.shown_windows if window.rect.contains(point)), None)

    def _blocked(self, window: FakeWindow) -> bool:
        """True if an open dialog of the same application blocks this window."""
        return not window.dialog and any(o.dialog and o.application == window.application for o in self.shown_windows)

    def _window(self, target: TargetInfo) -> FakeWindow:
        found = next((window for window in self.shown_windows if window.handle == target.handle), None)
        if found is None:
            raise ApplicationGone(f"the window {target.name!r} is gone", fix="list the windows again")
        return found

    def _control(self, target: TargetInfo) -> tuple[FakeWindow, FakeControl]:
        for window in self.shown_windows:
            for control in window.all_controls():
                if target.handle and control.handle == target.handle:
                    return window, control
        owner = self._owners.get(target.handle)
        if owner and owner.closed and not any(w.application == owner.application for w in self.shown_windows):
            raise ApplicationGone(f"the application of {target.describe} is gone", fix="start it again")
        raise ElementStale(f"{target.describe} no longer exists", fix="observe again")

    def _willing(self, target: TargetInfo) -> tuple[FakeWindow, FakeControl]:
        """The control, where it can take an action: a hidden menu item can, as in real toolkits."""
        window, control = self._control(target)
        if control.disabled or (control.hidden and control.role is not Role.MENUITEM):
            why = "disabled" if control.disabled else "hidden"
            raise ActionRefused(f"{target.describe} is {why}", fix="observe again; it may need another step first")
        return window, control

    def _table(self, target: TargetInfo) -> FakeTable:
        _, control = self._control(target)
        if control.table is None:
            raise ActionRefused(f"{target.describe} is no table", fix="choose a control of role table")
        return control.table

    def _recognised(self, target: TargetInfo) -> TargetInfo:
        """The target as it is now, in the window that holds its handle, else in its own (contract 4.4)."""
        try:
            window, _ = self._control(target)
        except ElementStale:
            owner = next((w for w in self.shown_windows if w is self._owners.get(target.handle)), None)
            if owner is None:
                raise
            window = owner
        return recognise(target, self._snapshot(window).scene(target.handle))

    def _record(self, target: TargetInfo) -> tuple[str, ...]:
        window, _ = self._control(target)
        return record_now(target, self._snapshot(window).scene(target.handle))

    def _give_handles(self, window: FakeWindow) -> None:
        window.handle = window.handle or next(self._handles)
        shown(window)  # materialises the visible cells
        for control in window.all_controls():
            if not control.handle:
                control.handle = next(self._handles)
                self._owners[control.handle] = window

    def _snapshot(self, window: FakeWindow) -> Snapshot:
        self._give_handles(window)
        return Snapshot(window, active=self.shown_windows[0] is window)

    def _describe_window(self, window: FakeWindow) -> TargetInfo:
        return describe_window(window, active=self.shown_windows[0] is window)
