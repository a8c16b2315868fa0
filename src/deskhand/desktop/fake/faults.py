"""Faults of a fake desktop, planned by a test."""

from collections.abc import Callable
from dataclasses import dataclass, field

import anyio

from deskhand.core.geometry import Rect
from deskhand.desktop.fake.control import FakeControl, FakeWindow


@dataclass(slots=True)
class _Planned:
    """Fault in the n-th call from now of one method; `calls_left` counts down to it."""

    method: str
    calls_left: int
    happens: Callable[[], None]
    hangs: bool = False
    lies: bool = False


@dataclass(slots=True)
class Faults:
    """Planned faults, counted per method from the moment they are planned; each happens once.

    `late_states`: until a caller waits for final states, observations are provisional; then it is called, once.
    `never_settles`, `never_still` (something is painted all the time), `lost_desktop` and `stale_pictures` (changes are
    reported and not painted) hold until they are set back. `unpainted`: the same of these controls alone. `restless`:
    see `Activity`.
    `truncate_after`: an observation has at most that many controls. `mute_clipboard`: its owner returns no content.
    `dead`: processes that died.
    """

    windows: list[FakeWindow]
    never_settles: bool = False
    never_still: bool = False
    restless: tuple[Rect, ...] | None = ()
    late_states: Callable[[], None] | None = None
    lost_desktop: bool = False
    truncate_after: int | None = None
    stale_pictures: bool = False
    mute_clipboard: bool = False
    unpainted: set[FakeControl] = field(default_factory=set[FakeControl])
    dead: set[int] = field(default_factory=set[int])
    _planned: list[_Planned] = field(default_factory=list[_Planned])

    def fail(self, method: str, error: Exception, *, on_call: int = 1) -> None:
        """The n-th call of `method` raises `error`; nothing of it happens."""

        def happens() -> None:
            raise error

        self._planned.append(_Planned(method, on_call, happens))

    def before(self, method: str, happens: Callable[[], None], *, on_call: int = 1) -> None:
        """Right before the n-th call of `method` does its work, something else happens to the applications."""
        self._planned.append(_Planned(method, on_call, happens))

    def lie(self, method: str = "do_action", *, on_call: int = 1) -> None:
        """The n-th call of an action returns as if it had worked, and nothing happened."""
        self._planned.append(_Planned(method, on_call, _nothing, lies=True))

    def hang(self, method: str, *, on_call: int = 1) -> None:
        """The n-th call of `method` waits until it is cancelled."""
        self._planned.append(_Planned(method, on_call, _nothing, hangs=True))

    def application_dies(self, window: FakeWindow) -> None:
        """All windows of the window's application are gone at once."""
        for other in list(self.windows):
            if other is window or (other.application and other.application == window.application):
                other.closed = True
                self.windows.remove(other)
        if window.pid is not None:
            self.dead.add(window.pid)

    def stale(self, control: FakeControl) -> None:
        """The control's handle stops working; it gets another one when it is next seen."""
        control.handle = ""

    async def strike(self, method: str) -> bool:
        """Raise the fault that was planned for this call; return True if the call is to lie."""
        due: list[_Planned] = []
        for planned in self._planned:
            if planned.method == method:
                planned.calls_left -= 1
                if planned.calls_left <= 0:
                    due.append(planned)
        self._planned = [planned for planned in self._planned if planned.calls_left > 0]
        for planned in due:
            if planned.hangs:
                await anyio.sleep_forever()
            planned.happens()
        return any(planned.lies for planned in due)


def _nothing() -> None:
    """Do nothing: the fault is elsewhere."""
