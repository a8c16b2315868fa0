"""A Linux desktop, opened: the parts put together."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final, Protocol, TypeVar

import anyio
from anyio import to_thread

from deskhand.core.errors import (
    ActionDeadline,
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    BacktraceMissing,
    CaptureFailed,
    DesktopBusy,
    DesktopGone,
    NotInFront,
    PersonActs,
    ResetFailed,
    TargetCovered,
    TargetMoving,
    UsageError,
)
from deskhand.core.geometry import NOWHERE, Point, Rect
from deskhand.core.observation import Observation, Picture
from deskhand.core.target import MINIMIZED, TargetInfo, Trait
from deskhand.desktop.identity import same_name
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.toolkit import Toolkit
from deskhand.desktop.linux.display_server import KeyBatch, Screen
from deskhand.desktop.linux.drag import Drag
from deskhand.desktop.linux.idle.probes import Applications
from deskhand.desktop.linux.observe.observer import FINAL_S
from deskhand.desktop.linux.pixels import Shot
from deskhand.desktop.linux.runtime.core_files import backtrace, remove_core
from deskhand.desktop.linux.runtime.launcher import LocalPrograms, Programs
from deskhand.desktop.linux.runtime.open_files import files_of, is_writing
from deskhand.desktop.linux.runtime.process_table import renderers_of
from deskhand.desktop.linux.runtime.program_packages import program_packages
from deskhand.desktop.linux.runtime.virtual_desktop import OWN
from deskhand.desktop.linux.wine.launching import under_wine
from deskhand.desktop.linux.wiring import Parts, Place, open_parts
from deskhand.desktop.multi_click import DOUBLE_CLICK_S, Presses
from deskhand.desktop.picture_match import found_where_read, found_where_seen
from deskhand.desktop.protocols.accessibility import Caret, Merged
from deskhand.desktop.protocols.application_interface import ApplicationInterface
from deskhand.desktop.protocols.input import HELD_S, Chord, LeftDown, MouseButton
from deskhand.desktop.protocols.screen import Aim, ScreenInfo, point_of
from deskhand.desktop.protocols.windows import Activity, Application, ProgramStatus, Quiet, Settled, Until
from deskhand.desktop.shown_files import ShownFile, ShownFiles
from deskhand.desktop.user_guard import GuardRules

T = TypeVar("T")

_REGISTRY_DEADLINE_S: Final = 2.0
_FIRST_PAINT_S: Final = 2.0
_ACTIVATE_DEADLINE_S: Final = 3.0
_MENU_CLOSES_S: Final = 1.0
_RESTORE_S: Final = 0.3
_LET_GO_S: Final = 1.0
_CLOSED_S: Final = 3.0
"""Timeout for the windows of programs that have ended to be gone."""
_RESTORED_S: Final = 1.0
"""Timeout for a restored window to report its place."""
_HELD_MS: Final = 30
"""Duration of a click in a window that loses short presses: the button that adds a sheet to Calc takes 20 ms."""
# upstream: not reported
# seen in: LibreOffice 7.4.7
_TYPING_S: Final = 5.0
_KEY_S: Final = 0.005
"""Additional timeout for each key of a text, far above the time of one."""
_HANDLED_S: Final = 2.0
_READ_S: Final = 1.0
"""A window that was read so shortly before, and of which nothing was reported or painted since, is not read to aim."""
_ANSWERS_S: Final = 0.1
"""Timeout for a program that is asked whether it reported anything."""
_TOLD_S: Final = 0.2
"""Chromium 156 reports a change up to 0.15 s late where nothing makes it report; see `late_pages`."""


class LinuxDesktop:
    """Implements `deskhand.desktop.protocols.desktop.Desktop`. Made by `attach` and `open_linux`."""

    def __init__(
        self,
        place: Place,
        parts: Parts,
        stack: AsyncExitStack,
        *,
        shared: bool,
        note_document: Callable[[Path], None] = lambda _: None,
        reset: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._reset = reset
        self._name = place.name
        self.shared = shared
        self.reads_pictures = True
        self._environment = dict(place.environment)
        self._parts = parts
        self._note_document = note_document
        self._connection = parts.server.connection
        self.guard = parts.server.guard
        self._stack = stack
        self._acting = False
        self._presses = Presses()
        self._looked = 0
        self._look: Shot | None = None
        self._waited_in_vain = "", float("-inf")
        self._stays_blank = ""
        self._files = self._no_files()
        stack.push_async_callback(self._restore_keyboard)

    @property
    def name(self) -> str:
        return self._name

    @property
    def environment(self) -> Mapping[str, str]:
        return self._environment

    async def watch(self, rules: GuardRules, with_viewer: GuardRules | None = None) -> tuple[str, ...]:
        self.guard.set_rules(rules, with_viewer or rules)
        return await self._parts.server.watch_user()

    async def close(self) -> None:
        await self._stack.aclose()

    async def reset(self) -> None:
        if self._reset is None:
            raise UsageError(f"the desktop {self._name} was not started by this program, and is not reset", fix=OWN)
        await self.offer_clipboard({})
        await self.let_go()
        await self._reset()
        if not await self._parts.pulse.until(self._has_no_window, _CLOSED_S):
            left = "; ".join(f'"{window.name}"' for window in await self.windows())
            raise ResetFailed(f"windows are left on the desktop: {left}", fix="open a new desktop")
        await self.press([Chord(lock) for lock in sorted(await self.locks())])
        centre = (await self.screens())[0].rect.center
        async with self._alone():
            await self._connection.run(lambda screen: screen.input.move(centre))
        self._files = self._no_files()
        self._parts.launcher.forget()

    def outputs(self) -> Mapping[str, str]:
        return self._parts.launcher.outputs()

    def output_of(self, window: TargetInfo) -> str:
        origin = self._parts.program_exits.origin(window)
        return self._parts.launcher.output_of(origin.leader.pid) if origin and origin.leader else ""

    async def packages_of(self, window: TargetInfo) -> Mapping[str, str]:
        return await to_thread.run_sync(program_packages, window.pid) if window.pid is not None else {}

    async def backtrace_of(self, window: TargetInfo) -> str:
        origin = self._parts.program_exits.origin(window)
        if origin is None or origin.process.alive:
            why = "is not known" if origin is None else "runs"
            raise BacktraceMissing(f'the program of "{window.name}" {why}', fix="ask for one that has died")
        return await backtrace(origin)

    def remove_core_of(self, window: TargetInfo) -> None:
        origin = self._parts.program_exits.origin(window)
        if origin is not None and not origin.process.alive:
            remove_core(origin)

    def _no_files(self) -> ShownFiles:
        home = Path(self._environment.get("HOME", "/"))
        return ShownFiles(home, files_of, lambda pid: bool(renderers_of(pid)))

    async def _has_no_window(self) -> bool | None:
        return not await self.windows() or None

    # windows

    async def windows(self) -> tuple[TargetInfo, ...]:
        windows = await self._parts.window_reader.windows()
        self._parts.program_exits.note(windows)
        return windows

    async def launch(
        self, application: Application, file: Path | None = None, *, deadline_s: float = 30.0
    ) -> TargetInfo:
        window = await self._parts.launcher.launch(under_wine(application), file, deadline_s=deadline_s)
        if file is not None:
            self.note_file(window, file)
        self._parts.program_exits.note([window])
        return window

    def note_file(self, window: TargetInfo, file: Path) -> None:
        self._files.note(window, file)
        self._note_document(file.absolute())

    def file_of(self, window: TargetInfo) -> ShownFile:
        return self._files.of(window)

    def is_writing(self, window: TargetInfo, file: Path) -> bool:
        return window.pid is not None and is_writing(window.pid, file)

    async def program(self, window: TargetInfo) -> ProgramStatus:
        return await self._parts.program_exits.status(window)

    async def activate(self, window: TargetInfo) -> None:
        async def is_active() -> bool | None:
            await self._connection.run(lambda screen: screen.windows.get(window))
            return await self._connection.run(lambda screen: screen.windows.is_active(window)) or None

        async with self._alone(acts=not await is_active()):  # a window in front receives no event
            before = await self._connection.run(lambda screen: screen.windows.get(window))
            await self._connection.run(lambda screen: screen.windows.request_activation(window))
            if await self._parts.pulse.until(is_active, _ACTIVATE_DEADLINE_S):
                if MINIMIZED in before.states:
                    await self.settle(before, deadline_s=_RESTORED_S)  # until then it reports an outdated place
                await self._require_keyboard(window)
                return
        await self._connection.run(lambda screen: screen.windows.get(window))
        raise ActionDeadline(
            f'The window "{window.name}" did not come to the front within {_ACTIVATE_DEADLINE_S:.0f} s.',
            fix="A modal dialog may keep the keyboard; list the windows.",
        )

    async def _require_keyboard(self, window: TargetInfo) -> None:
        """Raises: ActionRefused where a menu of another program has the keyboard and goes on having it."""

        whose: str | None = None

        async def none() -> bool | None:
            nonlocal whose
            whose = await self._connection.run(lambda screen: screen.stack.menu_of_another(window))
            return None if whose else True

        if not await self._parts.pulse.until(none, _MENU_CLOSES_S):
            raise ActionRefused(
                f'"{window.name}" does not have the keyboard: a menu of {whose} has it.',
                fix="Choose an item of that menu or close it, as a click into its window does.",
            )

    async def popups(self, window: TargetInfo) -> tuple[Rect, ...]:
        return await self._connection.run(lambda screen: screen.stack.popups(window))

    async def ask_to_close(self, window: TargetInfo, *, deadline_s: float = 3.0) -> bool:
        async def is_gone() -> bool | None:
            shown = await self._connection.run(lambda screen: screen.windows.list())
            return True if all(other.handle != window.handle for other in shown) else None

        async with self._alone():
            if await is_gone():
                return True
            await self._connection.run(lambda screen: screen.windows.request_closing(window))
            return bool(await self._parts.pulse.until(is_gone, deadline_s))

    # eyes

    async def observe(
        self,
        window: TargetInfo,
        *,
        picture: bool = True,
        texts: bool = True,
        other_pages: bool = False,
        deadline_s: float = 5.0,
    ) -> Observation:
        texts = texts and self.reads_pictures
        with self._parts.rest.reading(window.pid):
            return await self._parts.observer.observe(
                window, picture=picture, texts=texts, other_pages=other_pages, deadline_s=deadline_s
            )

    async def unchanged(self, window: TargetInfo, *, within_s: float) -> Observation | None:
        unchanged = partial(self._parts.observer.unchanged, window, texts=self.reads_pictures)
        if await unchanged(within_s=within_s) is None or not await self._has_reported(window):
            return None
        return await unchanged(within_s=within_s + _ANSWERS_S)

    async def _has_reported(self, window: TargetInfo) -> bool:
        """True once all that the program of a window and the display server reported has come in."""
        activity, asked_at = self._parts.activity, self._parts.activity.now()
        subject = self._parts.probes.subject(window.pid, self._applications_of(window.pid))
        if await subject.answers(_ANSWERS_S):
            return False
        activity.answered(window.pid, asked_at)
        return True

    async def screenshot(self, region: Rect | None = None) -> Picture:
        return await self._parts.observer.screenshot(region)

    async def screens(self) -> tuple[ScreenInfo, ...]:
        return await self._connection.run(lambda screen: screen.stack.screens())

    async def aim(self, window: TargetInfo, place: Rect, control: TargetInfo | None = None) -> Aim:
        if control is None:
            return await self._aim(window, place)
        aim = await self._aim(window, await self._parts.resolver.part_to_hit(window, control, place), control)
        await self._parts.resolver.require_hit(control, aim, self._known_nodes)
        return aim

    async def _known_nodes(self, window: TargetInfo) -> Mapping[Ref, Node]:
        """The nodes of a window's last read, if nothing changed since; else none."""
        is_unchanged = await self.unchanged(window, within_s=_READ_S) is not None
        return self._parts.window_reader.cached_nodes(window) if is_unchanged else {}

    async def _aim(self, window: TargetInfo, place: Rect, control: TargetInfo | None = None) -> Aim:
        def aim(screen: Screen) -> Aim:
            if MINIMIZED in screen.windows.get(window).states:
                raise TargetCovered(
                    f'"{window.name}" is minimized: nothing of it is on the screen.',
                    fix="Bring its window to the front.",
                )
            return screen.stack.aim(window, place, control)

        return await self._connection.run(aim)

    async def resolve(self, target: TargetInfo) -> TargetInfo:
        if target.sighting and Trait.READ_FROM_PICTURE in target.traits:
            return await found_where_read(self, target, target.sighting)
        if target.sighting:
            return await found_where_seen(self, target, target.sighting)
        ref = calls.parse_handle(target.handle)
        if ref and target.fingerprint and await self._parts.actor.tells_late(ref):
            await self._until_told(target.fingerprint.owner)
        return await self._as_last_seen(target) or await self._parts.resolver.resolve(target)

    async def _as_last_seen(self, target: TargetInfo) -> TargetInfo | None:
        """Return a control as its window was last seen, if nothing changed since; None where it has to be read.

        An item of a record is one of many alike: it is recognised in a read of its window.
        """
        known = target.fingerprint
        if known is None or known.record:
            return None
        window = _with_handle(known.owner, await self.windows())
        now = _with_handle(target.handle, await self._last_controls(window)) if window is not None else None
        if now is None or now.raw_role != target.raw_role or not same_name(target, now):
            return None
        return now.identified_as(target)

    async def _last_controls(self, window: TargetInfo) -> Sequence[TargetInfo]:
        """Return the controls of the last observation of a window, if nothing changed since; none where it did."""
        controls = self._parts.window_reader.at_rest(window)
        if controls is not None:
            return controls
        seen = await self.unchanged(window, within_s=_READ_S)
        return seen.controls if seen is not None else ()

    async def record_of(self, target: TargetInfo) -> tuple[str, ...]:
        return await self._parts.resolver.record_of(target)

    async def read_text(self, target: TargetInfo) -> str:
        if Trait.READ_FROM_PICTURE in target.traits:
            return (await self.resolve(target)).name
        return await self._parts.actor.read_text(await self._parts.resolver.object_of(target), target.describe)

    async def description(self, target: TargetInfo) -> str:
        if Trait.READ_FROM_PICTURE in target.traits:
            return ""
        return await self._parts.actor.description(await self._parts.resolver.object_of(target), target.describe)

    async def accessible_ids(self, targets: Sequence[TargetInfo], *, deadline_s: float = 5.0) -> tuple[str | None, ...]:
        refs = [calls.parse_handle(target.handle) for target in targets]
        return await self._parts.actor.accessible_ids(refs, deadline_s=deadline_s)

    async def caret(self, target: TargetInfo) -> Caret:
        return await self._parts.actor.caret(await self._parts.resolver.object_of(target), target.describe)

    async def table_shape(self, table: TargetInfo, *, used: bool = False, deadline_s: float = 30.0) -> tuple[int, int]:
        async with self._alone_for(table):
            measure = self._parts.tables.used if used else self._parts.tables.shape
            return await measure(table, deadline_s=deadline_s)

    async def formula_cells(self, table: TargetInfo, places: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        async with self._alone_for(table):
            return await self._parts.tables.formula_cells(table, places)

    async def merged_cells(self, table: TargetInfo, rows: range, columns: range) -> tuple[Merged, ...]:
        return await self._parts.tables.merged(table, rows, columns)

    async def read_table(
        self, table: TargetInfo, rows: range | None = None, columns: range | None = None, *, deadline_s: float = 55.0
    ) -> tuple[tuple[str, ...], ...]:
        if rows is None or columns is None:
            try:
                async with self._alone():
                    return await self._parts.tables.read(table, deadline_s=deadline_s)
            except NotInFront:
                return await self._read_in_front(table, deadline_s)
        async with self._alone_for(table):
            return await self._parts.tables.cells(table, rows, columns, deadline_s=deadline_s)

    async def _read_in_front(self, table: TargetInfo, deadline_s: float) -> tuple[tuple[str, ...], ...]:
        """Read a table with its window in front; the window that was there comes back. Raises: as `read_table`."""
        windows = await self.windows()
        active = next((window for window in windows if "active" in window.states), None)
        own = next((w for w in windows if table.fingerprint and w.handle == table.fingerprint.owner), None)
        if own is not None:
            await self.activate(own)
        try:
            async with self._alone():
                return await self._parts.tables.read(table, deadline_s=deadline_s)
        finally:
            if active is not None:
                await self.activate(active)

    async def selected_count(self, container: TargetInfo) -> int:
        return await self._parts.actor.selected_count(
            await self._parts.resolver.object_of(container), container.describe
        )

    async def show_named(self, container: TargetInfo, name: str) -> bool:
        async with self._alone():
            ref = await self._parts.resolver.object_of(container)
            return await self._parts.actor.show_named(ref, name, container.describe)

    async def number_limits(self, target: TargetInfo) -> tuple[float, float] | None:
        return await self._parts.actor.number_limits(await self._parts.resolver.object_of(target), target.describe)

    async def settle(
        self,
        window: TargetInfo | None = None,
        *,
        until: Until = Until.QUIET,
        quiet_s: float = 0.05,
        deadline_s: float = 3.0,
    ) -> Settled:
        start = self._parts.activity.now()
        if until is Until.QUIET or window is None:
            rested_s = min(start - self._parts.rest.since_s(window.pid), quiet_s) if window else 0.0
            return await self._quiet_before(window, start, rested_s, quiet_s, deadline_s)
        if until is Until.REPORTED:
            await self._wait_until_reported(window)
            return Settled(Quiet.SETTLED, self._parts.activity.now() - start)
        if not self._parts.observer.is_provisional(window):
            return Settled(Quiet.SETTLED, 0.0)
        before_s = self._parts.activity.quiet_s(window.pid)
        return await self._quiet_before(window, start, before_s, FINAL_S, deadline_s)

    async def _quiet_before(
        self, window: TargetInfo | None, start: float, before_s: float, quiet_s: float, deadline_s: float
    ) -> Settled:
        """As `_quiet`, of a window that was quiet for `before_s` already; `waited_s` is counted from `start`."""
        settled = await self._quiet(window, start - before_s, quiet_s, deadline_s + before_s)
        return replace(settled, waited_s=settled.waited_s - before_s)

    async def _quiet(self, window: TargetInfo | None, start: float, quiet_s: float, deadline_s: float) -> Settled:
        """As `settle`, with both times counted from `start`, on the clock of activity."""
        pid = window.pid if window else None
        applications = self._applications_of(pid)
        with anyio.move_on_after(start + deadline_s - self._parts.activity.now()):
            await applications()
        subject = self._parts.probes.subject(pid, applications)
        return await self._parts.activity.quiet(subject, start, quiet_s=quiet_s, deadline_s=deadline_s)

    def _applications_of(self, pid: int | None) -> Applications:
        """Asks the registry until it has answered once. Its calls raise DesktopGone."""
        found: tuple[Ref, ...] | None = () if pid is None else None

        async def applications() -> tuple[Ref, ...] | None:
            nonlocal found
            if found is None and pid is not None:
                with suppress(ApplicationUnresponsive):
                    found = await self._buses_of(pid)
            return found

        return applications

    async def _buses_of(self, pid: int) -> tuple[Ref, ...]:
        """Raises: ApplicationUnresponsive, DesktopGone."""
        try:
            return await self._parts.applications.buses_of(pid, deadline_s=_REGISTRY_DEADLINE_S)
        except ApplicationGone as error:
            raise DesktopGone("The registry of applications is gone.", fix="Start the desktop again.") from error

    async def _wait_until_reported(self, window: TargetInfo) -> None:
        try:
            found = await self._parts.applications.buses_of(window.pid or 0, deadline_s=_REGISTRY_DEADLINE_S)
            late = [ref for ref in found if await self._parts.actor.tells_late(ref)]
        except (ApplicationGone, ApplicationUnresponsive):
            return  # the next observation raises it
        if late:
            await self._until_told(window.handle)

    async def paint_mark(self, window: TargetInfo | None = None) -> float:
        place, look = window.rect if window else NOWHERE, await self._grab()

        async def painted() -> bool | None:
            nonlocal look
            look = await self._grab()
            return None if look and look.is_blank_in(place) else True

        if look and window and look.is_blank_in(place) and window.handle != self._stays_blank:
            shown = await self.wait_until(painted, deadline_s=_FIRST_PAINT_S)
            self._stays_blank = "" if shown else window.handle
        self._looked, self._look = self._looked + 1, look
        return self._looked

    async def painted_since(self, mark: float, window: TargetInfo, *places: Rect) -> bool | None:
        look = self._look
        if look is None or mark != self._looked:
            return None

        def shown(screen: Screen) -> list[tuple[Rect, ...]]:
            stays = screen.windows.get(window).rect == window.rect
            return [screen.stack.shown_of(window, place.intersection(look.rect)) if stays else () for place in places]

        try:
            parts = await self._connection.run(shown)
        except ApplicationGone:
            return None
        now = await self._grab()
        if now is None:
            return None
        found = [_repainted(look, now, *each) for each in zip(places, parts, strict=True)]
        return True if True in found else False if False in found else None

    async def _grab(self) -> Shot | None:
        """The screen, for nobody to see: passwords are not hidden in it."""
        try:
            return await self._parts.server.camera.grab()
        except CaptureFailed:
            return None

    async def activity(self, window: TargetInfo | None = None) -> Activity:
        activity, pid = self._parts.activity, window.pid if window else None
        return Activity(
            changes=self._parts.pulse.count,
            reports=activity.ledger.told(pid),
            is_calm=activity.is_calm(pid),
            acted_at_s=activity.touched_at() + self._parts.clock() - activity.now(),
            quiet_s=activity.quiet_s(pid) if pid is not None and activity.sees_pixels else 0.0,
            restless=activity.restless(pid),
        )

    async def refreshed_names(self, seen: Observation, after: int) -> Observation | None:
        refs = self._parts.activity.ledger.named(seen.window.pid, after)
        names = await self._parts.window_reader.changed_names(seen.window, refs) if refs else {}
        if not any(control.handle in names for control in seen.controls):
            return None
        controls = (replace(control, name=names.get(control.handle, control.name)) for control in seen.controls)
        return replace(seen, controls=tuple(controls))

    async def wait_until(self, condition: Callable[[], Awaitable[T | None]], *, deadline_s: float) -> T | None:
        return await self._parts.pulse.until(condition, deadline_s)

    # hands

    async def do_action(self, target: TargetInfo, action: str = "") -> None:
        async with self._alone():
            await self._parts.actor.do(await self._parts.resolver.object_of(target), action, target.describe)

    async def set_text(self, target: TargetInfo, text: str) -> None:
        async with self._alone():
            await self._parts.actor.set_text(await self._parts.resolver.object_of(target), text, target.describe)

    async def put_caret(self, target: TargetInfo, start: int, end: int) -> None:
        async with self._alone():
            await self._parts.actor.put_caret(await self._parts.resolver.object_of(target), start, end, target.describe)

    async def set_value(self, target: TargetInfo, value: float) -> None:
        async with self._alone():
            await self._parts.actor.set_value(await self._parts.resolver.object_of(target), value, target.describe)

    async def select(self, target: TargetInfo) -> None:
        async with self._alone():
            await self._parts.actor.select(await self._parts.resolver.object_of(target), target.describe)

    async def focus(self, target: TargetInfo) -> bool:
        async with self._alone():
            return await self._parts.actor.focus(await self._parts.resolver.object_of(target), target.describe)

    async def wait_out_double_click(self, point: Point, *, button: MouseButton = MouseButton.LEFT) -> bool:
        apart_at_s = self._presses.apart_at_s(point, button)
        if apart_at_s is None or monotonic() >= apart_at_s:
            return False

        async def is_apart() -> bool | None:
            return True if monotonic() >= apart_at_s else None

        await self._parts.pulse.until(is_apart, DOUBLE_CLICK_S)
        return True

    async def click(
        self,
        at: Point | Aim,
        *,
        button: MouseButton = MouseButton.LEFT,
        count: int = 1,
        held: Sequence[str] = (),
    ) -> None:
        async with self._pressing(point_of(at), button):
            if isinstance(at, Aim) and count == 1 and Trait.LOSES_SHORT_PRESSES in at.window.traits:
                await self._connection.run(lambda screen: self._hold(screen, at, button, held))
            else:
                await self._point([at], lambda screen: screen.input.click(point_of(at), button, count, held))

    def _hold(self, screen: Screen, aim: Aim, button: MouseButton, held: Sequence[str]) -> None:
        """A click that lasts: its release is sent once the screen is free, else the program notices both at once."""
        with screen.stack.held([aim]):
            screen.input.hold_down(aim.point, button, held)
        screen.input.let_go(after_ms=_HELD_MS)

    async def drag(
        self,
        start: Point | Aim,
        end: Point | Aim,
        *,
        via: Sequence[Point] = (),
        button: MouseButton = MouseButton.LEFT,
        held: Sequence[str] = (),
    ) -> float:
        async with self._pressing(point_of(start), button):
            try:
                drag = Drag(self._connection, self.settle, (start, *via, end), held)
                return await drag.run(button, self.paint_mark)
            except BaseException:
                await self._let_go()
                raise

    async def hover(self, at: Point | Aim) -> Point:
        async with self._alone():
            return await self._point([at], lambda screen: screen.input.move(point_of(at)))

    async def scroll(self, at: Point | Aim, notches: int, *, sideways: bool = False, held: Sequence[str] = ()) -> None:
        def turn(screen: Screen) -> None:
            screen.input.scroll(point_of(at), notches, sideways=sideways, held=held)

        async with self._alone():
            await self._point([at], turn)

    async def hold_button(self, at: Point | Aim, button: MouseButton, *, for_s: float = HELD_S) -> None:
        async with self._pressing(point_of(at), button), self._leaving_down():
            await self._point([at], lambda screen: screen.input.leave_button_down(point_of(at), button, for_s))

    async def hold_keys(self, chord: Chord, *, for_s: float = HELD_S) -> None:
        name = "+".join((*chord.modifiers, chord.key))

        def hold(screen: Screen, batch: KeyBatch) -> bool:
            return screen.input.leave_keys_down(batch, name, for_s)

        async with self._alone(), self._leaving_down():
            pressed = False
            while not pressed:
                batch = await self._connection.run(lambda screen: screen.input.prepare([chord]))
                if batch.borrowed:
                    await self._until_handled(0, 1)
                pressed = await self._connection.run(lambda screen, batch=batch: hold(screen, batch))

    async def let_go(self, at: Point | Aim | None = None, *, button: bool = True, keys: bool = True) -> LeftDown:
        async with self._alone():
            if at is not None:
                await self._point([at], lambda screen: screen.input.move(point_of(at)))
            return await self._connection.run(lambda screen: screen.input.release(button=button, keys=keys))

    async def left_down(self) -> LeftDown:
        return await self._connection.run(lambda screen: screen.input.left_down())

    async def pointer(self) -> Point:
        return await self._connection.run(lambda screen: screen.input.pointer())

    async def locks(self) -> frozenset[str]:
        return await self._connection.run(lambda screen: screen.input.locks())

    @asynccontextmanager
    async def _leaving_down(self) -> AsyncGenerator[None]:
        """Release what was left down where it is not known whether all of it was pressed."""
        try:
            yield
        except (ActionRefused, PersonActs):  # nothing was pressed
            raise
        except BaseException:
            await self._let_go(all_of_it=True)
            raise

    async def _point(self, at: Sequence[Point | Aim], act: Callable[[Screen], T]) -> T:
        """Acts with the pointer while nothing else can happen on the screen, where all aims hold."""
        aims = [each for each in at if isinstance(each, Aim)]

        def held(screen: Screen) -> T:
            with screen.stack.held(aims) if aims else nullcontext():
                return act(screen)

        return await self._connection.run(held)

    async def press(self, chords: Sequence[Chord]) -> None:
        left, pressed = tuple(chords), 0
        async with self._alone():
            while left:
                batch = await self._connection.run(lambda screen, left=left: screen.input.prepare(left))
                if batch.borrowed:
                    await self._until_handled(pressed, len(chords))
                earlier = pressed
                if await self._connection.run(
                    lambda screen, batch=batch, earlier=earlier: screen.input.press(batch, earlier),
                    deadline_s=_TYPING_S + batch.count * _KEY_S,
                ):
                    left, pressed = left[batch.count :], pressed + batch.count
                    if left:
                        await self._until_handled(pressed, len(chords))

    async def _until_handled(self, pressed: int, wanted: int) -> None:
        """Wait until the focused window has looked up all keys pressed before, so that they can change their meaning.

        Raises: ActionDeadline, DesktopGone.
        """
        handled = await self._parts.server.has_handled_keys(_HANDLED_S)
        if handled is None:
            active = next((window for window in await self.windows() if "active" in window.states), None)
            await self.settle(active, deadline_s=_HANDLED_S)
        elif not handled:
            raise ActionDeadline(
                f"The window with the keyboard takes no keys; {pressed} of {wanted} had been pressed.",
                fix="Observe the window.",
                sent=("press",) if pressed else (),
                retry_safe=not pressed,
            )

    async def offer_clipboard(self, formats: Mapping[str, bytes]) -> None:
        async with self._alone() if formats else nullcontext():
            await self._parts.clipboard.offer(formats)

    async def clipboard_fetches(self) -> int:
        return await self._parts.clipboard.fetches()

    async def clipboard_taken(self, act: Callable[[], Awaitable[None]], *, deadline_s: float) -> bool:
        return await self._parts.clipboard.taken(act, deadline_s)

    async def whole_clipboard(self, *, most_bytes: int, deadline_s: float = 1.0) -> Mapping[str, bytes] | None:
        return await self._parts.clipboard.read_all(most_bytes, deadline_s)

    async def read_clipboard(self, target: str = "UTF8_STRING", *, deadline_s: float = 2.0) -> bytes | None:
        return await self._parts.clipboard.read(target, deadline_s)

    def application_interface(self, window: TargetInfo) -> AbstractAsyncContextManager[ApplicationInterface]:
        return self._parts.application_interface(window, self._alone)

    async def _until_told(self, owner: str) -> None:
        """Wait until recent changes in a window of an application that reports late are reported.

        Waiting again gains nothing in one that changes all the time: its reports are as late then.
        """
        window = next((window for window in await self.windows() if window.handle == owner), None)
        if window is None:
            return
        activity, now = self._parts.activity, self._parts.activity.now()
        quiet_s = activity.quiet_s(window.pid)
        in_vain, ended_at = self._waited_in_vain
        if quiet_s >= _TOLD_S or (in_vain == owner and ended_at > max(now - _TOLD_S, activity.ledger.acted_at)):
            return
        settled = await self._quiet(window, now - quiet_s, _TOLD_S, quiet_s + 2 * _TOLD_S)
        if settled.reason is Quiet.DEADLINE:
            self._waited_in_vain = owner, activity.now()

    @asynccontextmanager
    async def _alone(self, *, acts: bool = True) -> AsyncGenerator[None]:
        """One action at a time, and none while the user acts. `acts`: it may change something.

        Raises: DesktopBusy, PersonActs.
        """
        self.guard.check()
        if self._acting:
            raise DesktopBusy(f"Another action runs on {self._name}.", fix="Wait until it has ended.")
        self._acting = True
        if acts:
            self._parts.activity.acted()
        try:
            yield
        finally:
            if acts:
                self._parts.activity.acted()
            self._acting = False

    @asynccontextmanager
    async def _pressing(self, point: Point, button: MouseButton) -> AsyncGenerator[None]:
        """Alone, and no part of a click that was there before. Raises: DesktopBusy."""
        async with self._alone():
            await self.wait_out_double_click(point, button=button)
            pressed = True
            try:
                yield
            except (ApplicationGone, TargetCovered, TargetMoving):  # the aim held no longer: nothing was pressed
                pressed = False
                raise
            finally:
                if pressed:
                    self._presses.note(point, button, monotonic())

    def _alone_for(self, table: TargetInfo) -> AbstractAsyncContextManager[None]:
        """Reading a document's table may need its caret, which makes it an action."""
        return self._alone() if calls.parse_document_table(table.handle) else nullcontext()

    async def _let_go(self, *, all_of_it: bool = False) -> None:
        """Release pressed keys and buttons; after the deadline the next action, or the next connection, does it.

        `all_of_it`: also those that were left down.
        """

        def let_go(screen: Screen) -> None:
            screen.input.let_go()
            if all_of_it:
                screen.input.release()

        with anyio.move_on_after(_LET_GO_S, shield=True), suppress(DesktopGone):
            await self._connection.run(let_go)

    async def _restore_keyboard(self) -> None:
        try:
            with anyio.move_on_after(_RESTORE_S, shield=True):
                await self._connection.run(lambda screen: screen.input.restore())
        except DesktopGone:
            return  # nothing is left to restore


def _repainted(look: Shot, now: Shot, place: Rect, shown: Sequence[Rect]) -> bool | None:
    """True if the shown parts of a place differ; None if they do not, and are not all of it."""
    if not all(now.shows_same_in(look, part) for part in shown):
        return True
    return False if shown and sum(part.area for part in shown) == place.area else None


class Ownable(Place, Programs, Protocol):
    """A desktop that we started and that ends with us."""

    async def close(self) -> None: ...

    async def reset(self) -> None: ...

    def note_document(self, file: Path) -> None:
        """Record a document that a program may have open: its lock is removed with the desktop."""
        ...


def _with_handle(handle: str, among: Sequence[TargetInfo]) -> TargetInfo | None:
    return next((each for each in among if each.handle == handle), None)


async def attach(  # noqa: PLR0913 - keyword options
    place: Place,
    *,
    programs: Programs | None = None,
    on_close: Callable[[], Awaitable[None]] | None = None,
    clock: Callable[[], float] = monotonic,
    shared: bool = False,
    note_document: Callable[[Path], None] = lambda _: None,
    reset: Callable[[], Awaitable[None]] | None = None,
    toolkits: Sequence[type[Toolkit]] = (),
) -> LinuxDesktop:
    """A running desktop, opened.

    `programs` starts applications (default: children of this process that outlive it); `on_close` runs last at
    `close`, also where opening failed. `shared`: see `Desktop.shared`; `note_document`: see `Ownable`.
    `reset`: ends its programs and restores its files; None: it cannot be reset. `toolkits`: asked for applications
    before ours.

    Raises: DesktopGone, CaptureFailed.
    """
    stack = AsyncExitStack()
    if on_close:
        stack.push_async_callback(on_close)
    try:
        parts = await open_parts(place, programs or LocalPrograms(place.environment), clock, stack, toolkits)
        return LinuxDesktop(place, parts, stack, shared=shared, note_document=note_document, reset=reset)
    except BaseException:
        await stack.aclose()
        raise


async def open_linux(
    virtual: Ownable, *, clock: Callable[[], float] = monotonic, toolkits: Sequence[type[Toolkit]] = ()
) -> LinuxDesktop:
    """A virtual desktop, opened; closing it ends the virtual desktop too. Raises: DesktopGone, CaptureFailed."""
    return await attach(
        virtual,
        programs=virtual,
        on_close=virtual.close,
        clock=clock,
        note_document=virtual.note_document,
        reset=virtual.reset,
        toolkits=toolkits,
    )
