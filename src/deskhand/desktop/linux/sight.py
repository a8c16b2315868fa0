"""Looking at windows: their controls, pictures, and controls found again."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Final

import anyio

from deskhand.core.errors import (
    ActionRefused,
    AmbiguousTarget,
    ApplicationGone,
    ApplicationUnresponsive,
    CaptureFailed,
    DesktopError,
    DesktopGone,
    ElementStale,
    NotAccessible,
)
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation, Picture, Truncation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, comparable_name
from deskhand.desktop.base import MINIMIZED, Aim, windows_over
from deskhand.desktop.identity import Scene, recognise, recognise_by_branch, recognise_by_place, same_name
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.applications import Applications, match_window
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.controls import controls_of, name_of, surroundings_of, target_of
from deskhand.desktop.linux.atspi.hits import Hits, require_on_top
from deskhand.desktop.linux.atspi.nodes import Reach, Walk
from deskhand.desktop.linux.atspi.places import AS_TOLD, Outline, Places, move_to_screen, places_of
from deskhand.desktop.linux.atspi.roles import DOCUMENT_WEB, SHOWING, WINDOW_ROLES, raw_role_of
from deskhand.desktop.linux.atspi.surfaces import NO_POPUPS, Popups, keep_to_popups
from deskhand.desktop.linux.atspi.toolkits import Toolkit
from deskhand.desktop.linux.last_look import LastLook
from deskhand.desktop.linux.processes import is_stopped
from deskhand.desktop.linux.secrets import NOTHING, Hidden, Secrets, Still, photograph
from deskhand.desktop.linux.settle import Activity
from deskhand.desktop.linux.writer.reader import DocumentReader
from deskhand.desktop.linux.x11.capture import Camera
from deskhand.desktop.linux.x11.connection import Screen, XConnection

_READ_DEADLINE_S: Final = 2.0
_SEVERAL: Final = 2
_SEARCH_DEADLINE_S: Final = 5.0
_STOPPED_S: Final = 1.0
_SECRETS_DEADLINE_S: Final = 1.0
"""How long a picture may wait for windows to say where passwords stand."""
_OFFICE: Final = "libreoffice-"
_OFFICE_START: Final = "libreoffice-startcenter"
_OFFICE_UNDECIDED: Final = "soffice"
_OFFICE_UNTITLED: Final = re.compile(r"LibreOffice [\d.]+")
"""What a window of LibreOffice is called before it knows which of its applications it will be."""

_LATE_STATES: Final = ("libreoffice", _OFFICE_UNDECIDED)
"""Applications that refresh the states of their controls some 300 ms after everything else."""

FINAL_S: Final = 0.7
"""What they show once nothing has happened for so long is final: two timers of 0.3 s run one after the other."""


def _is_moving(_: Rect) -> bool:
    """For a look without a picture: nothing is known to be still."""
    return False


class Sight:
    """Sees the windows of one desktop; changes nothing."""

    def __init__(
        self,
        connection: XConnection,
        applications: Applications,
        reader: DocumentReader,
        camera: Camera,
        clock: Callable[[], float],
        activity: Activity,
    ) -> None:
        self._connection = connection
        self._applications = applications
        self._reader = reader
        self._camera = camera
        self._clock = clock
        self._activity = activity
        self._secrets = Secrets()
        self._last: LastLook | None = None
        self._places: dict[str, Places] = {}

    async def windows(self) -> tuple[TargetInfo, ...]:
        return await self._connection.run(lambda screen: screen.windows.list())

    async def observe(
        self, window: TargetInfo, *, picture: bool, other_pages: bool = False, deadline_s: float
    ) -> Observation:
        """See `Eyes.observe`."""
        at_s, start, spent = self._clock(), monotonic(), dict[str, float]()
        provisional, reach = self.is_provisional(window), Reach.OTHER_PAGES if other_pages else Reach.WHOLE
        now = await self._connection.run(lambda screen: screen.windows.get(window))
        end = start + deadline_s
        if picture and MINIMIZED in now.states:
            raise CaptureFailed(
                f'"{now.name}" is minimized: there is no picture of it.', fix="Bring its window to the front first."
            )
        if picture:
            look = partial(self._seen, now, end, reach=reach)
            taken, (walk, controls, spent["tree"]) = await photograph(self._camera, now.rect, look)
            spent["picture"] = monotonic() - start - spent["tree"]
        else:
            seen = await self._seen(now, end, _is_moving, others=False, reach=reach)
            taken, ((walk, controls, spent["tree"]), _) = None, seen
        return Observation(
            window=replace(now, id=window.id),
            controls=controls,
            picture=taken,
            at_s=at_s,
            truncated=Truncation(lacking, walk.unread or None)
            if (lacking := walk.truncated or walk.elsewhere)
            else None,
            provisional=provisional,
            timing_s=tuple(spent.items()),
        )

    def is_provisional(self, window: TargetInfo) -> bool:
        """Whether states of controls may still change without a further cause: those of toolbars, not of dialogs."""
        late = window.type is not Role.DIALOG and window.application.startswith(_LATE_STATES)
        return late and self._activity.quiet_s(window.pid) < FINAL_S

    async def screenshot(self, region: Rect | None) -> Picture:
        """See `Eyes.screenshot`."""

        async def look(_: Still) -> tuple[None, Hidden]:
            shown = [window for window in await self.windows() if _shows_in(window, region)]
            return None, await self._secrets_in(shown, monotonic() + _SECRETS_DEADLINE_S)

        picture, _ = await photograph(self._camera, region, look)
        return picture

    async def _seen(
        self, window: TargetInfo, end: float, still: Still, *, others: bool = True, reach: Reach = Reach.WHOLE
    ) -> tuple[tuple[Walk, tuple[TargetInfo, ...], float], Hidden]:
        """What a window shows and how long it took to read, and what a picture of it must not show.

        `others`: windows that lie over it are in the picture too.
        """
        start, found, shown = monotonic(), dict[str, Hidden](), list[TargetInfo]()
        if others:
            shown += windows_over(window, await self.windows())
            found = await self._ask_for_secrets(shown, min(end, start + _SECRETS_DEADLINE_S))
        began = monotonic()
        walk, controls = await self._look_in_time(window, began, end - began, still, reach)
        own = self._secrets.note(window, controls, whole=not walk.truncated)
        taken = monotonic() - start
        hidden = await self._showing([*shown, window], {**found, window.handle: own}) if others else own
        return (walk, controls, taken), hidden

    async def _secrets_in(self, windows: Sequence[TargetInfo], end: float) -> Hidden:
        """What must not show of these windows, the front one first."""
        return await self._showing(windows, await self._ask_for_secrets(windows, end))

    async def _showing(self, windows: Sequence[TargetInfo], found: Mapping[str, Hidden]) -> Hidden:
        """What was found in windows, by handle, without what those before each of them hide.

        One that did not answer hides nothing: it may not have painted yet what lies over others.
        """
        hidden, covers = NOTHING, list[TargetInfo]()
        for window in windows:
            own = found[window.handle]
            parts = [part for place in own.places for part in await self._under_none(place, window, covers)]
            hidden += replace(own, showing=tuple(parts))
            covers += [] if own.unchecked else [window]
        return hidden

    async def _under_none(self, place: Rect, window: TargetInfo, covers: Sequence[TargetInfo]) -> tuple[Rect, ...]:
        lying = [cover for cover in covers if not cover.rect.intersection(place).empty]
        if not lying:
            return (place,)
        try:
            return await self._connection.run(lambda screen: screen.stack.under_none(place, window, lying))
        except ApplicationGone:
            return (place,)

    async def _ask_for_secrets(self, windows: Sequence[TargetInfo], end: float) -> Mapping[str, Hidden]:
        """What stands where in these windows, by handle, all asked at once."""
        found: dict[str, Hidden] = {}
        lost: list[DesktopGone] = []

        async def ask(window: TargetInfo) -> None:
            try:
                walk, controls = await self._look(window, end, reach=Reach.TEXTS)
            except DesktopGone as error:
                lost.append(error)
            except DesktopError:
                found[window.handle] = self._secrets.of(window)
            else:
                found[window.handle] = self._secrets.note(window, controls, whole=not walk.truncated)

        async with anyio.create_task_group() as tasks:
            for window in windows:
                tasks.start_soon(ask, window)
        if lost:
            raise lost[0]
        return found

    async def is_ready(self, window: TargetInfo) -> bool:
        """Whether a window shows its content. LibreOffice shows its frame first and its document later."""
        if _is_undecided(window):
            return False
        controls = await self.controls(window)
        if _is_office(window):
            return any(control.type in {Role.DOCUMENT, Role.TABLE} for control in controls)
        return bool(controls)

    async def controls(self, window: TargetInfo) -> tuple[TargetInfo, ...]:
        """What a window that may still be opening shows, read quickly, without the text of documents.

        Paragraphs that LibreOffice is asked for before it has laid them out go on telling no text.
        """
        _, controls = await self._look(window, monotonic() + _READ_DEADLINE_S, reach=Reach.CONTROLS)
        return controls

    async def require_hit(self, ref: Ref, target: TargetInfo, aim: Aim, hits: Hits) -> None:
        """What a click at an aim meets in the target's application is the target, as far as that can be known.

        Raises: TargetCovered, DesktopGone, ApplicationGone, ApplicationUnresponsive.
        """
        window, point = aim.window, aim.point
        popup = await self._connection.run(lambda screen: screen.stack.is_popup(window, aim.taken_by))
        if popup:
            others = await self._connection.run(lambda screen: screen.stack.popups(window))
            return await hits.require_in_popup(ref, target, popup, others)
        toolkit = await self._reader.toolkits.of(ref.bus, deadline_s=_READ_DEADLINE_S)
        if not toolkit.tells_hits and toolkit.later_is_over is None:
            return None
        if toolkit.later_is_over is not None:
            walk, _ = await self._look(window, monotonic() + _READ_DEADLINE_S, reach=Reach.TEXTS)
            return require_on_top(walk.nodes, ref, target, point, later_over=toolkit.later_is_over)
        line = await hits.line(ref)
        roles = await hits.roles(line)
        page = next((each for each, role in zip(line, roles, strict=True) if role == DOCUMENT_WEB), None)
        if page and toolkit.pages_in_pixels:
            ask = calls.accessible_at_point(page, point.x, point.y)
        else:
            told = self._places.get(ref.bus, AS_TOLD).as_told(point)
            top = next(
                (each for each, role in zip(reversed(line), reversed(roles), strict=True) if role in WINDOW_ROLES), ref
            )
            ask = calls.accessible_at_point(top, told.x, told.y, toolkit.space)
        return await hits.require_told(line, target, ask)

    async def resolve(self, target: TargetInfo) -> TargetInfo:
        """See `Eyes.resolve`."""
        if target.kind is TargetKind.WINDOW:
            now = await self._connection.run(lambda screen: screen.windows.get(target))
            return replace(now, id=target.id, fingerprint=target.fingerprint)
        cell = calls.parse_cell(target.handle)
        if cell:
            return await self._cell(*cell, target)
        container = _container_in(target.handle)
        if container:
            return await self._found_again(container, target)
        ref = calls.parse_handle(target.handle)
        if ref is None:
            raise stale(target)
        if target.fingerprint is None or not target.fingerprint.record:
            alive = await self._alive(ref, target)
            if alive is not None:
                return alive
        return await self._found_again(ref, target)

    async def _look_in_time(
        self, window: TargetInfo, start: float, deadline_s: float, still: Still, reach: Reach
    ) -> tuple[Walk, tuple[TargetInfo, ...]]:
        """What a window shows; nothing, and why, where it is there and tells nothing.

        One that is stopped will not answer, and is not waited for as long as one that is busy."""
        pid = window.pid or 0
        patience_s = min(deadline_s, _STOPPED_S) if is_stopped(pid) else deadline_s
        look = partial(self._look, window, start + patience_s, still=still, reach=reach)
        try:
            try:
                return await look()
            except ElementStale:  # another object stands for the window by now, or it is gone, which the next look says
                return await look()
        except ElementStale as error:
            raise ApplicationGone(f'"{window.name}" is gone.', fix="List the windows again.") from error
        except ActionRefused as error:
            raise ApplicationUnresponsive(
                f'The application of "{window.name}" does not say what it shows: {error.message}', fix=error.fix
            ) from error
        except NotAccessible as error:
            return Walk(truncated=error.message), ()
        except ApplicationUnresponsive as error:
            if not is_stopped(pid):
                raise
            raise ApplicationUnresponsive(
                f'The application of "{window.name}" (process {pid}) is stopped and does not answer.',
                fix=f"Let it go on (kill -CONT {pid}), or end it.",
            ) from error

    async def names_anew(self, refs: Sequence[Ref]) -> dict[str, str]:
        """By handle, the names of those that were in the last look and are called otherwise by now.

        Of what has a label nothing is said: what it is called may have been put together, or be the label's.
        """
        nodes = self._last.walk.nodes if self._last is not None else {}
        known = [nodes[ref] for ref in refs if ref in nodes and not nodes[ref].labelled_by]
        names = await self._reader.names_of(known, deadline_s=_READ_DEADLINE_S)
        pairs = zip(known, names, strict=True)
        return {node.ref.handle: name.strip() for node, name in pairs if name.strip() not in {"", node.name.strip()}}

    async def object_of(self, target: TargetInfo) -> Ref:
        """What calls are made to for a control. Raises: ActionRefused (it has no object of its own), ElementStale."""
        if calls.parse_document_table(target.handle):
            raise ActionRefused(f"{target.describe} is a whole table of a document.", fix="Act on one of its cells.")
        cell = calls.parse_cell(target.handle)
        if cell:
            return await self._reader.cell_at(*cell, deadline_s=_READ_DEADLINE_S)
        item = calls.parse_item(target.handle)
        if item:
            return await self._reader.item_at(*item, target.name, deadline_s=_READ_DEADLINE_S)
        tree = calls.parse_row(target.handle)
        if tree:
            point = self._places.get(tree.bus, AS_TOLD).as_told(target.rect.center)
            return await self._reader.row_at(tree, point, target.name, deadline_s=_READ_DEADLINE_S)
        ref = calls.parse_handle(target.handle)
        if ref is None:
            seen = "Click it with click_input, then use keyboard_input." if target.sighting else "Choose a control."
            raise ActionRefused(f"{target.describe} is not a control of an application.", fix=seen)
        return ref

    async def _cell(self, table: Ref, row: int, column: int, target: TargetInfo) -> TargetInfo:
        """A cell of a spreadsheet as it is now. Raises: ElementStale (it is not in view)."""
        try:
            ref = await self._reader.cell_at(table, row, column, deadline_s=_READ_DEADLINE_S)
            node = await self._reader.read_cell(ref, deadline_s=_READ_DEADLINE_S)
        except ElementStale:
            node = None
        if node is None or not node.state & SHOWING or comparable_name(node.name) != comparable_name(target.name):
            raise ElementStale(
                f"{target.describe} is not in view.", fix="Scroll to it, or go to its address; then observe again."
            )
        now = target_of(node, target.type, node.name)
        return replace(now, id=target.id, handle=target.handle, parent=target.parent, fingerprint=target.fingerprint)

    async def _look(
        self,
        window: TargetInfo,
        end: float,
        *,
        reach: Reach = Reach.WHOLE,
        still: Still = _is_moving,
    ) -> tuple[Walk, tuple[TargetInfo, ...]]:
        if self._last is not None and reach is not Reach.OTHER_PAGES and self._last.is_at_rest(window, self._activity):
            return self._last.walk, self._last.controls
        listed = await self.windows()
        alone = not any(
            "active" in other.states and other.pid == window.pid and other.handle != window.handle for other in listed
        )
        left = max(end - monotonic(), 0.0)
        roots = await self._applications.roots_of(window, alone=alone, deadline_s=left)
        left = max(end - monotonic(), 0.0)
        toolkit = await self._reader.toolkits.of(roots[0].bus, deadline_s=left)
        renew, began = await self._to_renew(window, listed, still)
        popups = await self._popups_of(window, toolkit)
        left = max(end - monotonic(), 0.0)
        apart = popups if toolkit.places_in_window else NO_POPUPS
        walk = await self._reader.walk(
            roots,
            deadline_s=left,
            reach=reach,
            renew=renew,
            popups=apart,
            comparable=await self._compares(toolkit),
        )
        places = self._places[roots[0].bus] = await self._places_in(window, toolkit, walk.nodes[roots[0]].rect)
        move_to_screen(walk.nodes.values(), toolkit, places)
        if toolkit.scrolls_menus(walk.nodes.values()):
            shown = Popups(await self._connection.run(lambda screen: screen.stack.popups(window)))
            walk.nodes = keep_to_popups(walk.nodes, shown)
        if alone and toolkit.leaves_menus_out and popups.places:
            await self._add_menus(walk, popups, toolkit, places, end)
        controls = controls_of(walk.nodes, roots[0], window.name, window.handle, nested_focus=toolkit.is_office)
        if reach >= Reach.WHOLE:
            self._last = None if walk.truncated or walk.elsewhere else LastLook.note(window, began, walk, controls)
        return walk, controls

    async def _to_renew(
        self, window: TargetInfo, listed: Sequence[TargetInfo], still: Still
    ) -> tuple[frozenset[Ref] | None, float]:
        """The cells of the last look that are to be read again, None: all; and since when all of them hold then."""
        began, last = self._activity.now(), self._last
        if last is None or last.is_unchanged(window, listed, self._activity):
            return None if last is None else frozenset(), began
        if last.shows_same_cells(window, listed, still):
            return frozenset(), last.began_s
        painted = self._activity.painted_since(window.pid, last.began_s) if last.walk.sheets else None
        if painted is None:
            return None, began
        over = await self._connection.run(lambda screen: screen.stack.over(window))
        return last.cells_to_renew(window, (*painted, *over)), began

    async def _add_menus(self, walk: Walk, popups: Popups, toolkit: Toolkit, places: Places, end: float) -> None:
        """What menus show that the window's own elements do not tell of."""
        left = max(end - monotonic(), 0.0)
        menus = await self._reader.menus.find(walk.nodes.values(), popups.places, deadline_s=left)
        if not menus:
            return
        left = max(end - monotonic(), 0.0)
        try:
            shown = await self._reader.walk(menus, deadline_s=left, reach=Reach.TEXTS, keep=False)
        except (ApplicationGone, ElementStale):
            return  # closed meanwhile
        except ApplicationUnresponsive as error:
            walk.truncated = walk.truncated or error.message
            return
        move_to_screen(shown.nodes.values(), toolkit, places)
        walk.nodes = walk.nodes | shown.nodes
        walk.truncated = walk.truncated or shown.truncated

    async def _popups_of(self, window: TargetInfo, toolkit: Toolkit) -> Popups:
        if not (toolkit.places_in_window or toolkit.leaves_menus_out):
            return NO_POPUPS
        return Popups(await self._connection.run(lambda screen: screen.stack.popups(window)))

    async def _alive(self, ref: Ref, target: TargetInfo) -> TargetInfo | None:
        """The target by its handle, None where that object is gone or has become something else."""
        toolkit = await self._reader.toolkits.of(ref.bus, deadline_s=_READ_DEADLINE_S)
        if toolkit.leaves_out_padding:
            return None  # its place follows from all that is around it
        popups = await self._popups_over(ref, toolkit)
        try:
            comparable = await self._compares(toolkit)
            node = await self._reader.read(ref, deadline_s=_READ_DEADLINE_S, popups=popups, comparable=comparable)
            name = target.name if _is_cell(target) else name_of(node, {})
            if target.name and not name:  # it was named by its content
                walk = await self._reader.walk([ref], deadline_s=_READ_DEADLINE_S, reach=Reach.TEXTS, keep=False)
                name = name_of(walk.nodes[ref], walk.nodes)
        except ElementStale:
            return None
        if raw_role_of(node.role) != target.raw_role:
            return None
        if (places := await self._places_of(ref, toolkit)) is None:
            return None
        move_to_screen([node], toolkit, places)
        now = target_of(node, target.type, name)
        if not same_name(target, now):
            return None
        return replace(now, id=target.id, parent=target.parent, fingerprint=target.fingerprint)

    async def _popups_over(self, ref: Ref, toolkit: Toolkit) -> Popups:
        """Those of a target's application, whichever of its windows they belong to."""
        if not toolkit.places_in_window:
            return NO_POPUPS
        pid = await self._applications.pid_of(ref.bus, deadline_s=_READ_DEADLINE_S)
        own = next((window for window in await self.windows() if window.pid == pid), None)
        return await self._popups_of(own, toolkit) if own else NO_POPUPS

    async def _places_in(self, window: TargetInfo, toolkit: Toolkit, frame: Rect) -> Places:
        def outline(screen: Screen) -> Outline:
            shown = screen.stack.screens() if toolkit.scales_by_screen else ()
            return Outline(window.rect, screen.windows.client_rect(window), tuple(each.rect for each in shown))

        return places_of(toolkit, await self._connection.run(outline), frame)

    async def _compares(self, toolkit: Toolkit) -> bool:
        """Whether places that are told can be compared: those of Qt count from each screen anew where it is scaled."""
        if not toolkit.scales_by_screen:
            return True
        return await self._connection.run(lambda screen: len(screen.stack.screens())) < _SEVERAL

    async def _places_of(self, ref: Ref, toolkit: Toolkit) -> Places | None:
        """How places of a target's application are told; None where it may be another window's."""
        known = self._places.get(ref.bus)
        if known == AS_TOLD and not toolkit.places_in_window:
            return known
        pid = await self._applications.pid_of(ref.bus, deadline_s=_READ_DEADLINE_S)
        own = [window for window in await self.windows() if window.pid == pid]
        same = own[0] if len(own) == 1 else None
        frames = await self._applications.toplevels(pid, deadline_s=_READ_DEADLINE_S)
        frame = match_window(same, frames) if same else None
        if same is None or frame is None:
            return None if toolkit.places_in_window else known or AS_TOLD
        if frame.rect.empty:
            return known or AS_TOLD
        self._places[ref.bus] = await self._places_in(same, toolkit, frame.rect)
        return self._places[ref.bus]

    async def _found_again(self, ref: Ref, target: TargetInfo) -> TargetInfo:
        """The target among the controls of its window, or by its handle in another window of its application."""
        pid = await self._applications.pid_of(ref.bus, deadline_s=_READ_DEADLINE_S)
        if pid is None:
            raise ApplicationGone(f"The application of {target.describe} is gone.", fix="Start the application again.")
        end = monotonic() + _SEARCH_DEADLINE_S
        own = [window for window in await self.windows() if window.pid == pid]
        missing: DesktopError = stale(target)
        for window in sorted(own, key=lambda window: not _is_owner(window, target)):
            try:
                scene = await self._scene(window, target, end)
                if _is_owner(window, target) or any(control.handle == target.handle for control in scene.controls):
                    return _recogniser(target)(target, scene)
            except (ElementStale, AmbiguousTarget) as error:
                missing = error  # it may have been moved to another window
            except ApplicationGone:
                continue  # the window vanished between listing and looking
        raise missing

    async def _scene(self, window: TargetInfo, target: TargetInfo, end: float) -> Scene:
        reach = Reach.TEXTS if calls.parse_document_table(target.handle) is None else Reach.OTHER_PAGES
        walk, controls = await self._look(window, end, reach=reach)
        around = surroundings_of(walk.nodes)

        def stands_among(control: TargetInfo, record: tuple[str, ...]) -> bool:
            ref = calls.named_in(control.handle)
            return ref is not None and around.stands_among(ref, record)

        return Scene(controls, window.name, stands_among)


def _shows_in(window: TargetInfo, region: Rect | None) -> bool:
    if MINIMIZED in window.states or window.rect.empty:
        return False
    return region is None or not window.rect.intersection(region).empty


def _container_in(handle: str) -> Ref | None:
    """What a handle names that has an object, where it says only what the control is in that; else None."""
    pair = calls.parse_document_table(handle) or calls.parse_item(handle)
    return pair[0] if pair else calls.parse_row(handle)


def _recogniser(target: TargetInfo) -> Callable[[TargetInfo, Scene], TargetInfo]:
    if calls.parse_row(target.handle):
        return recognise_by_branch
    return recognise_by_place if calls.parse_item(target.handle) else recognise


def _is_cell(target: TargetInfo) -> bool:
    """A paragraph that stands for its table cell has the cell's name, not its own."""
    return target.type is Role.PARAGRAPH and calls.parse_document_table(target.parent) is not None


def _is_owner(window: TargetInfo, target: TargetInfo) -> bool:
    return target.fingerprint is not None and window.handle == target.fingerprint.owner


def stale(target: TargetInfo) -> ElementStale:
    return ElementStale(f"{target.describe} no longer exists.", fix="Observe the window again and choose anew.")


def _is_office(window: TargetInfo) -> bool:
    """Whether it is a window that a document of LibreOffice is shown in."""
    office = window.application.startswith(_OFFICE) and window.application != _OFFICE_START
    return office and window.type is Role.WINDOW


def _is_undecided(window: TargetInfo) -> bool:
    """Whether LibreOffice has not yet made of this window what it will be."""
    if window.application == _OFFICE_UNDECIDED:
        return window.type is Role.WINDOW
    return _is_office(window) and _OFFICE_UNTITLED.fullmatch(window.name) is not None
