"""Resolution of controls: found again, with the objects that represent them in their application."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from time import monotonic
from typing import Final

from deskhand.core.errors import (
    ActionRefused,
    AmbiguousTarget,
    ApplicationGone,
    DesktopError,
    ElementStale,
)
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import ITEMS, TargetInfo, TargetKind, comparable_name
from deskhand.desktop.identity import Scene, recognise, recognise_by_branch, recognise_by_place, record_now, same_name
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.application_registry import Applications
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.hit_test import (
    Hits,
    covered,
    require_on_top,
    window_around,
    without_own_place,
    words_over,
)
from deskhand.desktop.linux.atspi.mapping import name_of, surroundings_of, target_of
from deskhand.desktop.linux.atspi.nested_targets import own_part, takes_clicks
from deskhand.desktop.linux.atspi.node import Node, Reach
from deskhand.desktop.linux.atspi.reader import TreeReader
from deskhand.desktop.linux.atspi.roles import DOCUMENT_WEB, SHOWING, WINDOW_ROLES, raw_role_of
from deskhand.desktop.linux.atspi.toolkit import Toolkit
from deskhand.desktop.linux.display_server import Connection
from deskhand.desktop.linux.observe.window_reader import READ_DEADLINE_S, WindowReader
from deskhand.desktop.protocols.screen import Aim
from deskhand.desktop.surroundings import Home

_SEARCH_DEADLINE_S: Final = 5.0


class Resolver:
    """Finds controls of one desktop again."""

    def __init__(
        self,
        connection: Connection,
        applications: Applications,
        reader: TreeReader,
        window_reader: WindowReader,
        hits: Hits,
    ) -> None:
        self._connection = connection
        self._applications = applications
        self._reader = reader
        self._window_reader = window_reader
        self._hits = hits
        self._homes: dict[str, Home[Ref]] = {}
        """Of the controls that were found last, by handle."""

    async def resolve(self, target: TargetInfo) -> TargetInfo:
        """See `Accessibility.resolve`."""
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
        has_record = target.fingerprint is not None and bool(target.fingerprint.record)
        if not has_record and (alive := await self._alive(ref, target)) is not None:
            return alive
        found = await self._found_again(ref, target)
        if has_record or found.handle != target.handle:
            return found
        return replace(found, fingerprint=target.fingerprint)  # as `_alive`: the title of its window may have changed

    async def record_of(self, target: TargetInfo) -> tuple[str, ...]:
        """See `Accessibility.record_of`."""
        ref, home = calls.parse_handle(target.handle), self._homes.get(target.handle)
        if ref is None or (home is None and target.type not in ITEMS):
            return record_now(target, await self._whole_scene(target))
        root = home.whole if home else ref
        walk = await self._reader.walk([root], deadline_s=READ_DEADLINE_S, reach=Reach.TEXTS, keep=False)
        if ref not in walk.nodes:
            raise stale(target)
        if home is None:
            return (comparable_name(name_of(walk.nodes[ref], walk.nodes)),)
        around, record = surroundings_of(walk.nodes), target.fingerprint.record if target.fingerprint else ()
        return record if around.stands_among(ref, record) else around.texts_in(home, ref)

    async def object_of(self, target: TargetInfo) -> Ref:
        """Return the object for calls to a control. Raises: ActionRefused (it has no own object), ElementStale."""
        if calls.parse_document_table(target.handle):
            raise ActionRefused(f"{target.describe} is a whole table of a document.", fix="Act on one of its cells.")
        cell = calls.parse_cell(target.handle)
        if cell:
            return await self._reader.cell_at(*cell, deadline_s=READ_DEADLINE_S)
        item = calls.parse_item(target.handle)
        if item:
            return await self._reader.item_at(*item, target.name, deadline_s=READ_DEADLINE_S)
        tree = calls.parse_row(target.handle)
        if tree:
            point = self._window_reader.as_told(tree.bus, target.rect.center)
            return await self._reader.row_at(tree, point, target.name, deadline_s=READ_DEADLINE_S)
        ref = calls.parse_handle(target.handle)
        if ref is None:
            seen = "Click it with click_input, then use keyboard_input." if target.sighting else "Choose a control."
            raise ActionRefused(f"{target.describe} is not a control of an application.", fix=seen)
        return ref

    async def part_to_hit(self, window: TargetInfo, target: TargetInfo, place: Rect) -> Rect:
        """Return the part of a target's extents to click: all of it but for other controls inside it, or what its
        toolkit corrects.

        Raises: TargetCovered (a row has no such place), DesktopGone, ApplicationGone, ApplicationUnresponsive,
        ElementStale.
        """
        ref = calls.parse_handle(target.handle)
        if ref is None or place != target.rect:
            return place
        toolkit = await self._reader.toolkits.of(ref.bus, deadline_s=READ_DEADLINE_S)
        part = await toolkit.part_to_hit(ref, target.type, place, self._hits.ask)
        if part is not None:
            return part
        if toolkit.tells_of_clicks and target.type is not Role.DOCUMENT and takes_clicks(target.actions):
            return await self._own_part(window, ref, target, in_page=True) or place  # else the hit test decides
        if toolkit.holds_controls_in_rows and target.type is Role.LISTITEM:
            part = await self._own_part(window, ref, target, in_page=False)
            if part is None:
                raise without_own_place(target)
            return part
        return place

    async def _own_part(self, window: TargetInfo, ref: Ref, target: TargetInfo, *, in_page: bool) -> Rect | None:
        """See `own_part`; all of a target's place where the places of its content are not comparable to the screen."""
        if in_page:
            walk = await self._reader.walk([ref], deadline_s=READ_DEADLINE_S, reach=Reach.TEXTS, keep=False)
        else:
            walk, _ = await self._window_reader.read(window, monotonic() + READ_DEADLINE_S, reach=Reach.TEXTS)
        told = walk.nodes.get(ref)
        if told is None or told.rect != target.rect:
            return target.rect
        return own_part(walk.nodes, ref, target, target.rect)

    async def require_hit(
        self, target: TargetInfo, aim: Aim, known: Callable[[TargetInfo], Awaitable[Mapping[Ref, Node]]]
    ) -> None:
        """Check that a click at an aim hits the target in its application, as far as that can be known.

        The container is checked for a target without an object of its own, as a cell of a spreadsheet. `known`:
        returns the nodes of a window that need not be read again, as nothing changed since; none where it has to.

        Raises: TargetCovered, DesktopGone, ApplicationGone, ApplicationUnresponsive.
        """
        ref = calls.parse_handle(target.handle) or _container_in(target.handle)
        if ref is None:
            return
        window = aim.window
        popup = await self._connection.run(lambda screen: screen.stack.is_popup(window, aim.taken_by))
        if popup:
            others = await self._connection.run(lambda screen: screen.stack.popups(window))
            await self._hits.require_in_popup(ref, target, popup, others)
            return
        toolkit = await self._reader.toolkits.of(ref.bus, deadline_s=READ_DEADLINE_S)
        if toolkit.later_is_over is not None:
            nodes = await known(window) or await self._nodes_of(window)
            require_on_top(nodes, ref, target, aim.point, later_over=toolkit.later_is_over)
        elif toolkit.tells_hits:
            await self._require_reported_hit(ref, target, aim, toolkit)

    async def _nodes_of(self, window: TargetInfo) -> Mapping[Ref, Node]:
        walk, _ = await self._window_reader.read(window, monotonic() + READ_DEADLINE_S, reach=Reach.TEXTS)
        return walk.nodes

    async def _require_reported_hit(self, ref: Ref, target: TargetInfo, aim: Aim, toolkit: Toolkit) -> None:
        """Ask the application for the accessible at the point of an aim. Raises: as `require_hit`."""
        point = aim.point if toolkit.takes_points_in_pixels else self._window_reader.as_told(ref.bus, aim.point)
        known = None if toolkit.tells_late else window_around(self._window_reader.cached_nodes(aim.window), ref)
        if known and await self._hits.is_hit(ref, calls.accessible_at_point(known, point.x, point.y, toolkit.space)):
            return
        line = await self._hits.line(ref)
        roles = await self._hits.roles(line)
        pages = [each for each, role in zip(line, roles, strict=True) if role == DOCUMENT_WEB]
        outwards = zip(reversed(line), reversed(roles), strict=True)
        top = next((each for each, role in outwards if role in WINDOW_ROLES), ref)
        if pages:
            ask = calls.accessible_at_point(top, point.x, point.y, toolkit.space)
            await self._hits.require_in_page(pages, target, ask)
        asked = pages[0] if pages and toolkit.pages_in_pixels else top
        ask = calls.accessible_at_point(asked, point.x, point.y, toolkit.space)
        hit = await self._hits.require_told(line, target, ask, late=toolkit.tells_late, in_page=bool(pages))
        if pages and hit == ref:
            await self._require_no_words_over(ref, target, aim)

    async def _require_no_words_over(self, ref: Ref, target: TargetInfo, aim: Aim) -> None:
        """Raise TargetCovered where text of its page covers an element, in a fresh observation too."""
        if not words_over(self._window_reader.cached_nodes(aim.window), ref, aim.point):
            return
        walk, _ = await self._window_reader.read(aim.window, monotonic() + READ_DEADLINE_S)
        if over := words_over(walk.nodes, ref, aim.point):
            raise covered(target, raw_role_of(over.role), over.name)

    async def _cell(self, table: Ref, row: int, column: int, target: TargetInfo) -> TargetInfo:
        """Return the present state of a cell of a spreadsheet.

        Raises: ElementStale (it is not in view), TargetHidden (its sheet does not report where it is).
        """
        try:
            node = await self._reader.read_cell(table, row, column, deadline_s=READ_DEADLINE_S)
        except ElementStale:
            node = None
        if node is None or not node.state & SHOWING or comparable_name(node.name) != comparable_name(target.name):
            raise ElementStale(
                f"{target.describe} is not in view.", fix="Scroll to it, or go to its address; then observe again."
            )
        now = target_of(node, target.type, node.name)
        return replace(now.identified_as(target), handle=target.handle)

    async def _alive(self, ref: Ref, target: TargetInfo) -> TargetInfo | None:
        """The target by its handle, None where that object is gone or has become something else."""
        toolkit = await self._reader.toolkits.of(ref.bus, deadline_s=READ_DEADLINE_S)
        if toolkit.is_placed_by_others(target):
            return None
        try:
            node = await self._window_reader.read_control(ref, toolkit)
            if node is None or raw_role_of(node.role) != target.raw_role:
                return None
            name = target.name if _is_cell(target) else name_of(node, {})
            if target.name and not name:  # it was named by its content
                walk = await self._reader.walk([ref], deadline_s=READ_DEADLINE_S, reach=Reach.TEXTS, keep=False)
                name = name_of(walk.nodes[ref], walk.nodes)
        except ElementStale:
            return None
        now = target_of(node, target.type, name)
        if not same_name(target, now):
            return None
        return now.identified_as(target)

    async def _found_again(self, ref: Ref, target: TargetInfo) -> TargetInfo:
        """The target among the controls of its window, or by its handle in another window of its application."""
        pid = await self._applications.pid_of(ref.bus, deadline_s=READ_DEADLINE_S)
        if pid is None:
            raise ApplicationGone(f"The application of {target.describe} is gone.", fix="Start the application again.")
        end = monotonic() + _SEARCH_DEADLINE_S
        own = [window for window in await self._window_reader.windows() if window.pid == pid]
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

    async def _whole_scene(self, target: TargetInfo) -> Scene:
        """The window of a target. Raises: ElementStale (it is gone); as `WindowReader.read`."""
        window = next((each for each in await self._window_reader.windows() if _is_owner(each, target)), None)
        if window is None:
            raise stale(target)
        return await self._scene(window, target, monotonic() + READ_DEADLINE_S)

    async def _scene(self, window: TargetInfo, target: TargetInfo, end: float) -> Scene:
        reach = Reach.TEXTS if calls.parse_document_table(target.handle) is None else Reach.OTHER_PAGES
        walk, controls = await self._window_reader.read(window, end, reach=reach)
        around = surroundings_of(walk.nodes)
        self._homes.clear()

        def stands_among(control: TargetInfo, record: tuple[str, ...]) -> bool:
            ref = calls.named_in(control.handle)
            home = around.home(ref, record) if ref is not None else None
            if home is not None:
                self._homes[control.handle] = home
            return home is not None

        return Scene(controls, window.name, stands_among)


def _container_in(handle: str) -> Ref | None:
    """Return the container that a handle names, where the control itself has no object; else None."""
    found = calls.parse_cell(handle) or calls.parse_document_table(handle) or calls.parse_item(handle)
    return found[0] if found else calls.parse_row(handle)


def _recogniser(target: TargetInfo) -> Callable[[TargetInfo, Scene], TargetInfo]:
    if calls.parse_row(target.handle):
        return recognise_by_branch
    return recognise_by_place if calls.parse_item(target.handle) else recognise


def _is_cell(target: TargetInfo) -> bool:
    """True if it is a paragraph that represents a table cell: it has the cell's name, not its own."""
    return target.type is Role.PARAGRAPH and calls.parse_document_table(target.parent) is not None


def _is_owner(window: TargetInfo, target: TargetInfo) -> bool:
    return target.fingerprint is not None and window.handle == target.fingerprint.owner


def stale(target: TargetInfo) -> ElementStale:
    return ElementStale(f"{target.describe} no longer exists.", fix="Observe the window again and choose anew.")
