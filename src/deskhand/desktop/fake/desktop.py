"""A desktop in memory: the same contract as a real one, in milliseconds and without a display."""

import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeVar

import anyio
import anyio.lowlevel

from deskhand.core.errors import (
    ActionRefused,
    BacktraceMissing,
    CaptureFailed,
    DeskhandError,
    DesktopBusy,
    DesktopGone,
    InterfaceAbsent,
    LaunchFailed,
    NotOffered,
    TargetCovered,
)
from deskhand.core.geometry import Point, Rect
from deskhand.core.observation import Observation, Picture, Truncation
from deskhand.core.ports import Clock
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.fake import behaviour
from deskhand.desktop.fake.control import (
    CHOICE_ROLES,
    CONTAINER_ROLES,
    FOCUSABLE_ROLES,
    NUMBER_ROLES,
    TEXT_ROLES,
    FakeControl,
    FakeWindow,
)
from deskhand.desktop.fake.faults import Faults
from deskhand.desktop.fake.layout import Painter, cropped, hit, placed
from deskhand.desktop.fake.stage import Stage
from deskhand.desktop.picture_match import found_where_seen
from deskhand.desktop.protocols.accessibility import Caret, Merged
from deskhand.desktop.protocols.application_interface import ApplicationInterface
from deskhand.desktop.protocols.input import HELD_S, LOCKS, Chord, LeftDown, MouseButton
from deskhand.desktop.protocols.screen import Aim, ScreenInfo, point_of
from deskhand.desktop.protocols.windows import Activity, Application, ProgramState, ProgramStatus, Quiet, Settled, Until
from deskhand.desktop.shown_files import ShownFile, ShownFiles
from deskhand.desktop.user_guard import Guard, GuardRules
from deskhand.desktop.visibility import point_in, visible_parts

T = TypeVar("T")
_MAX_CELLS_READ: Final = 100_000


@dataclass(frozen=True, slots=True)
class Call:
    """One call that reached the desktop: the method, the handle of its target, and its other arguments."""

    method: str
    handle: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class FakeApplication:
    """An application by the name for `launch`; `open` gets the desktop and the document and returns the new window."""

    name: str
    open: "Callable[[FakeDesktop, Path | None], FakeWindow]"


class FakeDesktop(Stage):
    """An in-memory `Desktop`. Build it from windows, let agents act on it, then check your own objects.

        clicked: list[str] = []
        save = FakeControl(Role.BUTTON, "Save", on_click=lambda: clicked.append("save"))
        desktop = FakeDesktop()
        desktop.open(FakeWindow("Notes", [FakeControl(Role.TEXTBOX, "Text"), save], application="notes"))

        (window,) = await desktop.windows()
        seen = await desktop.observe(window)
        await desktop.do_action(seen.controls[1])
        assert clicked == ["save"]

    Applications registered here open with `launch`. `faults` are planned failures. `calls` are all calls that reached
    the desktop, in order. `touch()` wakes waiting callers after a test changed something by itself;
    `guard.person("moved the pointer")`, once it is watched, reports input of the user. `files_being_written` are those
    that a program has open, `interfaces` the applications' own ones, by the handle of the window, `shown_popups` the
    places of popups that are no controls, `program_outputs` the outputs by application.
    """

    def __init__(
        self,
        applications: Iterable[FakeApplication] = (),
        *,
        name: str = "fake",
        screen: Rect = Rect(0, 0, 640, 480),  # noqa: B008 - frozen
        clock: Clock | None = None,
    ) -> None:
        super().__init__(name, screen)
        self.applications = {application.name: application for application in applications}
        self.calls: list[Call] = []
        self.clipboard: dict[str, bytes] = {}
        self._fetches = 0
        self.faults = Faults(self.shown_windows)
        self._clock = clock
        self.guard = Guard(anyio.current_time)
        self.shared = False
        self.reads_pictures = True
        self._painter = Painter()
        self._mark = 0
        self._pointer = Point(0, 0)
        self._button_down: tuple[MouseButton, Point] | None = None
        self._keys_down: Chord | None = None
        self._locks: frozenset[str] = frozenset()
        self._drawn: dict[FakeControl, tuple[Rect, tuple[str, ...]]] = {}
        self._acting = False
        self._acted_at = -math.inf
        self._closed = False
        self._files = ShownFiles(Path("/home/fake"), lambda _: (), lambda _: True)
        self.files_being_written: set[Path] = set()
        self.interfaces: dict[str, ApplicationInterface] = {}
        self.shown_popups: list[Rect] = []
        self.program_outputs: dict[str, str] = {}

    def calls_of(self, method: str) -> list[Call]:
        """The recorded calls of one method, in order."""
        return [call for call in self.calls if call.method == method]

    def opened(self, *_: object) -> AbstractAsyncContextManager["FakeDesktop"]:
        """Open it for a session: `deskhand.run(…, opens=memory.opened)`."""
        return nullcontext(self)

    # The contract: windows.

    @property
    def name(self) -> str:
        return self._name

    @property
    def environment(self) -> Mapping[str, str]:
        return {}

    async def windows(self) -> tuple[TargetInfo, ...]:
        await self._enter(Call("windows"))
        return tuple(self._describe_window(window) for window in self.shown_windows)

    async def launch(
        self, application: Application, file: Path | None = None, *, deadline_s: float = 30.0
    ) -> TargetInfo:
        await self._enter(
            Call("launch", arguments={"application": application.name, "file": file, "deadline_s": deadline_s})
        )
        known = self.applications.get(application.name)
        if known is None:
            raise LaunchFailed(
                f"{application.name} is not an application of {self._name}",
                fix=f"registered are: {', '.join(sorted(self.applications)) or 'none'}",
            )
        window = known.open(self, file)
        window.application = window.application or application.name
        if window not in self.shown_windows:
            self.open(window)
        launched = self._describe_window(window)
        if file is not None:
            self.note_file(launched, file)
        return launched

    def note_file(self, window: TargetInfo, file: Path) -> None:
        self._files.note(window, file)

    def file_of(self, window: TargetInfo) -> ShownFile:
        return self._files.of(window)

    def is_writing(self, window: TargetInfo, file: Path) -> bool:  # noqa: ARG002 - it may be any window's
        return file in self.files_being_written

    async def program(self, window: TargetInfo) -> ProgramStatus:
        await self._enter(Call("program", window.handle))
        if window.pid in self.faults.dead:
            return ProgramStatus(ProgramState.DIED, "signal 11")
        shown = any(each.pid == window.pid for each in self.shown_windows)
        return ProgramStatus(ProgramState.RUNS if shown or window.application in self.running else ProgramState.ENDED)

    def outputs(self) -> Mapping[str, str]:
        return self.program_outputs

    def output_of(self, window: TargetInfo) -> str:
        return self.program_outputs.get(window.application, "")

    async def packages_of(self, window: TargetInfo) -> Mapping[str, str]:  # noqa: ARG002 - it is of none
        return {}

    async def backtrace_of(self, window: TargetInfo) -> str:
        raise BacktraceMissing(f'"{window.name}" is in memory, and leaves no core file', fix="use a real desktop")

    def remove_core_of(self, window: TargetInfo) -> None:
        """Do nothing: there is none."""

    async def activate(self, window: TargetInfo) -> None:
        def bring_to_front() -> None:
            shown_window = self._window(window)
            self.shown_windows.remove(shown_window)
            self.shown_windows.insert(0, shown_window)

        await self._act(Call("activate", window.handle), bring_to_front)

    async def popups(self, window: TargetInfo) -> tuple[Rect, ...]:
        await self._enter(Call("popups", window.handle))
        return tuple(self.shown_popups)

    async def ask_to_close(self, window: TargetInfo, *, deadline_s: float = 3.0) -> bool:
        def close() -> None:
            shown_window = next((shown for shown in self.shown_windows if shown.handle == window.handle), None)
            if shown_window is not None and not self._blocked(shown_window):
                self.close_window(shown_window)

        await self._act(Call("ask_to_close", window.handle, {"deadline_s": deadline_s}), close)
        return all(shown.handle != window.handle for shown in self.shown_windows)

    # The contract: seeing.

    async def observe(
        self,
        window: TargetInfo,
        *,
        picture: bool = True,
        texts: bool = True,  # noqa: ARG002 - it draws no texts
        other_pages: bool = False,  # noqa: ARG002 - it shows no documents
        deadline_s: float = 5.0,
    ) -> Observation:
        await self._enter(Call("observe", window.handle, {"picture": picture, "deadline_s": deadline_s}))
        shown_window = self._window(window)
        controls = self._snapshot(shown_window).controls()
        most = self.faults.truncate_after
        truncated = None
        if most is not None and len(controls) > most:
            truncated = Truncation("deadline", len(controls) - most)
        return Observation(
            window=self._describe_window(shown_window),
            controls=controls[:most],
            picture=self._painter.window(shown_window, self.screen) if picture else None,
            at_s=self._now(),
            truncated=truncated,
            provisional=self.faults.late_states is not None,
        )

    async def unchanged(self, window: TargetInfo, *, within_s: float) -> Observation | None:  # noqa: ARG002 - unknown
        return None

    async def screenshot(self, region: Rect | None = None) -> Picture:
        await self._enter(Call("screenshot", arguments={"region": region}))
        if region is not None and region.intersection(self.screen).empty:
            raise CaptureFailed(f"{region} lies outside the screen {self.screen}", fix="ask for a part of the screen")
        whole = self._painter.screen(self.screen, self.shown_windows)
        return whole if region is None else cropped(whole, region)

    async def screens(self) -> tuple[ScreenInfo, ...]:
        await self._enter(Call("screens"))
        return (ScreenInfo(self._name, self.screen, primary=True),)

    async def aim(self, window: TargetInfo, place: Rect, control: TargetInfo | None = None) -> Aim:
        await self._enter(Call("aim", window.handle, {"place": place, "control": control}))
        above = self.shown_windows[: self.shown_windows.index(self._window(window))]
        parts = visible_parts(place, (self.screen,), (other.rect for other in above))
        if (point := point_in(place, parts)) is None:
            names = ", ".join(f'"{other.title}"' for other in above) or "nothing; it is off the screen"
            refusal = (
                TargetCovered if any(not other.rect.intersection(place).empty for other in above) else ActionRefused
            )
            raise refusal(f"{place} of {window.name!r} cannot be seen; over it: {names}", fix="look again")
        return Aim(point, window)

    async def resolve(self, target: TargetInfo) -> TargetInfo:
        await self._enter(Call("resolve", target.handle))
        if target.sighting:
            return await found_where_seen(self, target, target.sighting)
        if target.kind is TargetKind.WINDOW:
            return replace(self._describe_window(self._window(target)), id=target.id)
        return self._recognised(target)

    async def record_of(self, target: TargetInfo) -> tuple[str, ...]:
        await self._enter(Call("record_of", target.handle))
        return self._record(target)

    async def read_text(self, target: TargetInfo) -> str:
        await self._enter(Call("read_text", target.handle))
        _, control = self._control(target)
        if control.role is Role.PASSWORD:
            return ""
        if not control.value and control.role not in TEXT_ROLES | {Role.LABEL, Role.TEXT, Role.CELL, Role.DOCUMENT}:
            raise ActionRefused(f"{target.describe} has no text", fix="read a control that holds text")
        return control.value or (control.name if control.role in {Role.LABEL, Role.TEXT} else "")

    async def description(self, target: TargetInfo) -> str:
        await self._enter(Call("description", target.handle))
        _, control = self._control(target)
        return control.description

    async def accessible_ids(
        self,
        targets: Sequence[TargetInfo],
        *,
        deadline_s: float = 5.0,  # noqa: ARG002 - of protocols
    ) -> tuple[str | None, ...]:
        await self._enter(Call("accessible_ids", ""))
        return tuple(self._control(target)[1].accessible_id for target in targets)

    async def caret(self, target: TargetInfo) -> Caret:
        await self._enter(Call("caret", target.handle))
        _, control = self._control(target)
        if control.role not in TEXT_ROLES:
            raise ActionRefused(f"{target.describe} has no text", fix="choose a text box")
        length = len(control.value)
        return Caret(length, 0 if control.all_text_selected else length, length)

    async def table_shape(self, table: TargetInfo, *, used: bool = False, deadline_s: float = 30.0) -> tuple[int, int]:  # noqa: ARG002 - it answers at once
        await self._enter(Call("table_shape", table.handle, {"used": used}))
        cells = self._table(table)
        if not used:
            return cells.rows, cells.columns
        if not cells.spreadsheet:
            raise ActionRefused(f"{table.describe} is no spreadsheet", fix="read it whole")
        filled = [*cells.formulas, *(place for place, cell in cells.cells.items() if cell.value)]
        ends = max((row for row, _ in filled), default=0), max((column for _, column in filled), default=0)
        return min(cells.rows, ends[0] + 3), min(cells.columns, ends[1] + 3)

    async def formula_cells(self, table: TargetInfo, places: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        await self._enter(Call("formula_cells", table.handle))
        return tuple(place for place in places if place in self._table(table).formulas)

    async def merged_cells(self, table: TargetInfo, rows: range, columns: range) -> tuple[Merged, ...]:
        await self._enter(Call("merged_cells", table.handle, {"rows": rows, "columns": columns}))
        spans = self._table(table).merged.items()
        return tuple(Merged(*at, *span) for at, span in spans if at[0] in rows and at[1] in columns)

    async def read_table(
        self, table: TargetInfo, rows: range | None = None, columns: range | None = None, *, deadline_s: float = 55.0
    ) -> tuple[tuple[str, ...], ...]:
        arguments = {"rows": rows, "columns": columns, "deadline_s": deadline_s}
        await self._enter(Call("read_table", table.handle, arguments))
        cells = self._table(table)
        if rows is None or columns is None:
            if cells.rows * cells.columns > _MAX_CELLS_READ:
                raise ActionRefused(
                    f"{table.describe} of {cells.rows} x {cells.columns} is too large to be read whole",
                    fix="read a block of it",
                )
            rows, columns = range(cells.rows), range(cells.columns)
        if not (_within(rows, cells.rows) and _within(columns, cells.columns)):
            raise ActionRefused(
                f"rows {rows}, columns {columns} lie outside {table.describe} of {cells.rows} x {cells.columns}",
                fix="ask for its shape first",
            )
        return tuple(tuple(cells.text(row, column) for column in columns) for row in rows)

    async def selected_count(self, container: TargetInfo) -> int:
        await self._enter(Call("selected_count", container.handle))
        _, control = self._control(container)
        if control.role not in CONTAINER_ROLES:
            raise ActionRefused(f"{container.describe} has no selection", fix="ask the list or table that holds it")
        if control.table:
            return control.table.selected_cells
        return sum("selected" in child.states for child in control.all_children())

    async def show_named(self, container: TargetInfo, name: str) -> bool:
        await self._enter(Call("show_named", container.handle, {"name": name}))
        found = next((item for item in self._control(container)[1].all_children() if item.name == name), None)
        if found is None:
            return False
        found.states.discard("hidden")
        return True

    async def number_limits(self, target: TargetInfo) -> tuple[float, float] | None:
        await self._enter(Call("number_limits", target.handle))
        least, most = self._control(target)[1].limits
        return (least, most) if math.isfinite(least) and math.isfinite(most) else None

    async def settle(
        self,
        window: TargetInfo | None = None,
        *,
        until: Until = Until.QUIET,
        quiet_s: float = 0.05,
        deadline_s: float = 3.0,
    ) -> Settled:
        arguments = {"until": until, "quiet_s": quiet_s, "deadline_s": deadline_s}
        await self._enter(Call("settle", window.handle if window else "", arguments))
        if until is Until.FINAL_STATES:
            late, self.faults.late_states = self.faults.late_states, None
            if late is None:
                return Settled(Quiet.SETTLED, 0.0)
            late()
            return Settled(Quiet.SETTLED, quiet_s)
        if until is Until.QUIET and self.faults.never_settles:
            return Settled(Quiet.DEADLINE, deadline_s, busy=("the interface, as it was told to",))
        return Settled(Quiet.SETTLED, 0.0)

    async def paint_mark(self, window: TargetInfo | None = None) -> float:
        """Only changes drawn since the latest mark are known."""
        await self._enter(Call("paint_mark", window.handle if window else ""))
        self._mark += 1
        self._drawn = self._drawing()
        return self._mark

    async def painted_since(self, mark: float, window: TargetInfo, *places: Rect) -> bool | None:
        found = [await self._repainted(mark, window, place) for place in places]
        return True if True in found else False if False in found else None

    async def _repainted(self, mark: float, window: TargetInfo, place: Rect) -> bool | None:
        await self._enter(Call("painted_since", window.handle, {"mark": mark, "place": place}))
        shown_window = next((shown for shown in self.shown_windows if shown.handle == window.handle), None)
        if shown_window is None or mark != self._mark or place.empty:
            return None
        above = self.shown_windows[: self.shown_windows.index(shown_window)]
        within = visible_parts(place.intersection(shown_window.rect), (self.screen,), (other.rect for other in above))
        now, was = self._drawing(), self._drawn
        looks = [{look for it, look in all_.items() if it not in self.faults.unpainted} for all_ in (now, was)]
        drawn = [rect for rect, _ in looks[0] ^ looks[1]]
        if not self.faults.stale_pictures and any(not r.intersection(part).empty for r in drawn for part in within):
            return True
        return False if sum(part.area for part in within) == place.area else None

    def _drawing(self) -> dict[FakeControl, tuple[Rect, tuple[str, ...]]]:
        """Return the rectangle of each control of the visible windows, and its look."""
        return {
            control: (rect, (control.name, control.value, *sorted(control.states)))
            for window in self.shown_windows
            for control, rect in placed(window)
        }

    async def activity(self, window: TargetInfo | None = None) -> Activity:
        """Actions have their effects at once here."""
        await self._enter(Call("activity", window.handle if window else ""))
        calm, restless = not self.faults.never_still, self.faults.restless
        return Activity(self._changes, self._changes, calm, self._acted_at, restless=restless)

    async def refreshed_names(self, seen: Observation, after: int) -> Observation | None:
        await self._enter(Call("refreshed_names", seen.window.handle, {"after": after}))
        if self._changes == after:
            return None
        names = {control.handle: control.name for control in self._snapshot(self._window(seen.window)).controls()}
        controls = tuple(replace(control, name=names.get(control.handle, control.name)) for control in seen.controls)
        return replace(seen, controls=controls) if controls != seen.controls else None

    async def wait_until(self, condition: Callable[[], Awaitable[T | None]], *, deadline_s: float) -> T | None:
        await self._enter(Call("wait_until", arguments={"deadline_s": deadline_s}))
        with anyio.move_on_after(deadline_s):
            while True:
                changed = self._changed
                try:
                    result = await condition()
                except DeskhandError as error:
                    if not error.recoverable:
                        raise
                    result = None
                if result is not None and result is not False:
                    return result
                await changed.wait()
        return None

    # The contract: acting.

    async def do_action(self, target: TargetInfo, action: str = "") -> None:
        def perform() -> None:
            window, control = self._willing(target)
            wanted = action or (control.actions[0] if control.actions else "")
            if wanted not in control.actions:
                raise NotOffered(
                    f"{target.describe} has no action {action!r}", fix=f"it has: {', '.join(control.actions) or 'none'}"
                )
            if wanted == "activate":
                behaviour.activate(control)
            else:
                behaviour.click(window, control)

        await self._act(Call("do_action", target.handle, {"action": action}), perform)

    async def set_text(self, target: TargetInfo, text: str) -> None:
        def change() -> None:
            _, control = self._willing(target)
            if control.role not in TEXT_ROLES or "read_only" in control.states:
                raise ActionRefused(f"{target.describe} takes no text", fix="choose a text box")
            behaviour.change_text(control, text)

        await self._act(Call("set_text", target.handle, {"text": text}), change)

    async def put_caret(self, target: TargetInfo, start: int, end: int) -> None:
        def put() -> None:
            _, control = self._willing(target)
            if control.role not in TEXT_ROLES or end != len(control.value) or start not in {0, end}:
                raise ActionRefused(f"{target.describe} cannot be selected so", fix="select all of a text, or its end")
            control.all_text_selected = start == 0 < end

        await self._act(Call("put_caret", target.handle, {"start": start, "end": end}), put)

    async def set_value(self, target: TargetInfo, value: float) -> None:
        def change() -> None:
            _, control = self._willing(target)
            if control.role not in NUMBER_ROLES:
                raise ActionRefused(f"{target.describe} takes no number", fix="choose a spin button or slider")
            behaviour.change_number(control, value)

        await self._act(Call("set_value", target.handle, {"value": value}), change)

    async def select(self, target: TargetInfo) -> None:
        def choose() -> None:
            window, control = self._willing(target)
            if control.role not in CHOICE_ROLES:
                raise ActionRefused(f"{target.describe} cannot be selected", fix="select an item of a list or table")
            behaviour.choose(window, control)

        await self._act(Call("select", target.handle), choose)

    async def focus(self, target: TargetInfo) -> bool:
        def give_focus() -> None:
            window, control = self._willing(target)
            if control.role not in FOCUSABLE_ROLES | CHOICE_ROLES:
                raise ActionRefused(f"{target.describe} takes no focus", fix="focus a control that takes input")
            behaviour.focus(window, control)

        await self._act(Call("focus", target.handle), give_focus)
        return True

    async def wait_out_double_click(self, point: Point, *, button: MouseButton = MouseButton.LEFT) -> bool:
        """Never wait: a click has a count here."""
        await self._enter(Call("wait_out_double_click", arguments={"point": point, "button": button}))
        return False

    async def click(
        self,
        at: Point | Aim,
        *,
        button: MouseButton = MouseButton.LEFT,
        count: int = 1,
        held: Sequence[str] = (),
    ) -> None:
        point = point_of(at)
        arguments = {"point": point, "button": button, "count": count, "held": tuple(held)}

        def press() -> None:
            self._require_button_up()
            self._click(point, button, count)

        await self._act(Call("click", arguments=arguments), press)

    async def drag(
        self,
        start: Point | Aim,
        end: Point | Aim,
        *,
        via: Sequence[Point] = (),
        button: MouseButton = MouseButton.LEFT,
        held: Sequence[str] = (),
    ) -> float:
        ends = point_of(start), point_of(end)
        arguments = {"start": ends[0], "end": ends[1], "via": tuple(via), "button": button, "held": tuple(held)}

        def drag() -> None:
            self._require_button_up()
            self._drag(*ends)

        await self._act(Call("drag", arguments=arguments), drag)
        return self._mark

    async def hover(self, at: Point | Aim) -> Point:
        was, self._pointer = self._pointer, point_of(at)
        await self._act(Call("hover", arguments={"point": self._pointer}), self._hovered)
        return was

    def _hovered(self) -> None:
        window = self._window_at(self._pointer)
        control = hit(window, self._pointer) if window else None
        if control is not None and control.on_hover:
            control.on_hover()

    async def hold_button(self, at: Point | Aim, button: MouseButton, *, for_s: float = HELD_S) -> None:
        point = point_of(at)

        def hold() -> None:
            self._require_button_up()
            self._pointer, self._button_down = point, (button, point)

        await self._act(Call("hold_button", arguments={"point": point, "button": button, "for_s": for_s}), hold)

    async def hold_keys(self, chord: Chord, *, for_s: float = HELD_S) -> None:
        def hold() -> None:
            self._require_keys_up()
            self._press(chord)
            self._keys_down = chord

        await self._act(Call("hold_keys", arguments={"chord": chord, "for_s": for_s}), hold)

    async def let_go(self, at: Point | Aim | None = None, *, button: bool = True, keys: bool = True) -> LeftDown:
        """A button that is released in the control where it was pressed is a click, elsewhere a drag."""
        down = self._down()

        def release() -> None:
            self._pointer = point_of(at) if at is not None else self._pointer
            if button and self._button_down is not None:
                (pressed, start), self._button_down = self._button_down, None
                window = self._window_at(start)
                if window is not None and hit(window, start) is hit(window, self._pointer):
                    self._click(start, pressed, 1)
                else:
                    self._drag(start, self._pointer)
            if keys:
                self._keys_down = None

        await self._act(Call("let_go", arguments={"at": at, "button": button, "keys": keys}), release)
        return LeftDown(down.button if button else "", down.keys if keys else "")

    async def left_down(self) -> LeftDown:
        await self._enter(Call("left_down"))
        return self._down()

    def _down(self) -> LeftDown:
        button = str(self._button_down[0]) if self._button_down else ""
        return LeftDown(button, self._keys_down.key if self._keys_down else "")

    async def pointer(self) -> Point:
        await self._enter(Call("pointer"))
        return self._pointer

    async def locks(self) -> frozenset[str]:
        await self._enter(Call("locks"))
        return self._locks

    def _require_button_up(self) -> None:
        if self._button_down is not None:
            raise ActionRefused("a mouse button is still down", fix="release it with let_go first")

    def _require_keys_up(self) -> None:
        if self._keys_down is not None:
            raise ActionRefused(f"{self._keys_down.key} is still down", fix="release it with let_go first")

    async def scroll(self, at: Point | Aim, notches: int, *, sideways: bool = False, held: Sequence[str] = ()) -> None:
        point = point_of(at)

        def turn() -> None:
            if sideways:
                return
            window = self._window_at(point)
            control = hit(window, point) if window else None
            while window and control:
                if control.on_scroll:
                    control.on_scroll(notches)
                    return
                if control.table:
                    row, column = control.table.origin
                    control.table.origin = (max(0, min(control.table.rows - 1, row - notches)), column)
                    return
                if control.role in NUMBER_ROLES:
                    behaviour.change_number(control, behaviour.number_of(control) + notches)
                    return
                control = behaviour.container_of(window, control)

        arguments = {"point": point, "notches": notches, "sideways": sideways, "held": tuple(held)}
        await self._act(Call("scroll", arguments=arguments), turn)

    def _press(self, chord: Chord) -> None:
        self._locks ^= {chord.key} & {*LOCKS}
        if self.shown_windows:
            front = self.shown_windows[0]
            behaviour.press(front, chord, self.clipboard)
            self._fetches += chord == Chord("v", ("ctrl",)) and bool(self.clipboard)
            if chord == Chord("esc") and front.dialog:
                self.close_window(front)

    async def press(self, chords: Sequence[Chord]) -> None:
        def press_all() -> None:
            self._require_keys_up()
            for chord in chords:
                self._press(chord)

        await self._act(Call("press", arguments={"chords": tuple(chords)}), press_all)

    async def offer_clipboard(self, formats: Mapping[str, bytes]) -> None:
        def take() -> None:
            self.clipboard.clear()
            self.clipboard.update(formats)
            self._fetches = 0

        call = Call("offer_clipboard", arguments={"formats": dict(formats)})
        if formats:
            await self._act(call, take)
        elif not await self._enter(call):
            take()

    async def read_clipboard(self, target: str = "UTF8_STRING", *, deadline_s: float = 2.0) -> bytes | None:
        await self._enter(Call("read_clipboard", arguments={"target": target, "deadline_s": deadline_s}))
        return None if self.faults.mute_clipboard else self.clipboard.get(target, b"")

    async def watch(self, rules: GuardRules, with_viewer: GuardRules | None = None) -> tuple[str, ...]:
        self.guard.set_rules(rules, with_viewer or rules)
        return ()

    async def clipboard_fetches(self) -> int:
        await self._enter(Call("clipboard_fetches"))
        return self._fetches

    async def clipboard_taken(self, act: Callable[[], Awaitable[None]], *, deadline_s: float) -> bool:
        await self._enter(Call("clipboard_taken", arguments={"deadline_s": deadline_s}))
        earlier = dict(self.clipboard)
        await act()
        return self.clipboard != earlier

    async def whole_clipboard(self, *, most_bytes: int, deadline_s: float = 1.0) -> Mapping[str, bytes] | None:
        await self._enter(Call("whole_clipboard", arguments={"most_bytes": most_bytes, "deadline_s": deadline_s}))
        return dict(self.clipboard) if sum(map(len, self.clipboard.values())) <= most_bytes else None

    @asynccontextmanager
    async def application_interface(self, window: TargetInfo) -> AsyncGenerator[ApplicationInterface]:
        await self._enter(Call("application_interface", window.handle))
        interface = self.interfaces.get(window.handle)
        if interface is None:
            raise InterfaceAbsent(f'the program of "{window.name}" has no interface of its own')
        yield interface

    async def reset(self) -> None:
        def clear() -> None:
            self.shown_windows.clear()
            self.running.clear()
            self.clipboard.clear()
            self.files_being_written.clear()
            self._button_down = self._keys_down = None
            self._locks = frozenset()
            self._pointer = self.screen.center
            self._files = ShownFiles(Path("/home/fake"), lambda _: (), lambda _: True)

        await self._act(Call("reset"), clear)

    async def close(self) -> None:
        self._closed = True
        self.shown_windows.clear()

    # Behind the contract.

    async def _enter(self, call: Call) -> bool:
        """Records the call and lets planned faults strike; returns whether it is to lie."""
        self.calls.append(call)
        await anyio.lowlevel.checkpoint()
        lies = await self.faults.strike(call.method)
        if self._closed or self.faults.lost_desktop:
            raise DesktopGone(f"the desktop {self._name} is gone", fix="start a desktop and try again")
        return lies

    async def _act(self, call: Call, work: Callable[[], None]) -> None:
        self.guard.check()
        if self._acting:
            raise DesktopBusy(f"{call.method} came while another action runs on {self._name}", fix="act one at a time")
        self._acting = True
        try:
            if not await self._enter(call):
                work()
                self.touch()
        finally:
            self._acting = False
            self._acted_at = self._now()

    def _now(self) -> float:
        return self._clock.monotonic() if self._clock else anyio.current_time()


def _within(wanted: range, size: int) -> bool:
    return not wanted or (min(wanted) >= 0 and max(wanted) < size)
