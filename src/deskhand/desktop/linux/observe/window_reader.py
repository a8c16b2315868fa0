"""Looking at windows: the controls that they show, each with its place on the screen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import monotonic
from typing import Final

from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, ElementStale
from deskhand.core.geometry import NOWHERE, Point, Rect
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.atspi.application_registry import Applications, Roots, match_window
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.coordinates import AS_TOLD, Outline, Places, move_to_screen, places_of
from deskhand.desktop.linux.atspi.mapping import controls_of
from deskhand.desktop.linux.atspi.node import Node, Reach, Walk
from deskhand.desktop.linux.atspi.popups import NO_POPUPS, Popups, dropped_lists, is_mute, keep_to_popups, untold_menus
from deskhand.desktop.linux.atspi.reader import TreeReader
from deskhand.desktop.linux.atspi.roles import ENABLED, FOCUSABLE, MENU_ITEM_ROLES
from deskhand.desktop.linux.atspi.toolkit import Toolkit
from deskhand.desktop.linux.display_server import Camera, Connection, Screen
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.observe.cache import CachedWindow
from deskhand.desktop.linux.observe.renewed_cells import Renewal, RenewedCells

READ_DEADLINE_S: Final = 2.0
"""Timeout for reads that are steps of another operation."""

_SEVERAL: Final = 2
_SAME_PLACE: Final = 0.9
_WINDOWS_KEPT: Final = 4
"""Number of windows whose last read is cached: a dialog, those behind it, and one more."""
_KEPT: Final = 256
"""Number of applications whose coordinate space is cached, far more than run at a time."""


def _left(end: float) -> float:
    """Seconds until `end` on the monotonic clock, 0 after it."""
    return max(end - monotonic(), 0.0)


def _is_another_active(window: TargetInfo, listed: Sequence[TargetInfo]) -> bool:
    """True if another window of the same program is active."""
    return any("active" in each.states and each.pid == window.pid and each.handle != window.handle for each in listed)


def _note_mute_popup(walk: Walk, popups: Sequence[Ref]) -> None:
    """Mark a walk as truncated by a popup of which nothing is exposed."""
    if mute := [ref for ref in popups if is_mute(walk.nodes, ref)]:
        walk.truncated = walk.truncated or _unexposed_popup(walk.nodes[mute[0]].rect)


def _unexposed_popup(place: Rect) -> str:
    return (
        f"the program exposes nothing of its popup at {[place.left, place.top, place.right, place.bottom]}: "
        "use a picture, and click by coordinates"
    )


class WindowReader:
    """Reader of the windows of one desktop, which reuses the valid parts of the last read of each."""

    def __init__(
        self,
        connection: Connection,
        applications: Applications,
        reader: TreeReader,
        activity: Activity,
        camera: Camera,
    ) -> None:
        self._connection = connection
        self._renewed = RenewedCells(connection, camera, activity)
        self._applications = applications
        self._reader = reader
        self._activity = activity
        self._cached: dict[str, CachedWindow] = {}
        self._places: dict[str, Places] = {}

    async def windows(self) -> tuple[TargetInfo, ...]:
        return await self._connection.run(lambda screen: screen.windows.list())

    async def read(
        self,
        window: TargetInfo,
        end: float,
        *,
        reach: Reach = Reach.WHOLE,
    ) -> tuple[Walk, tuple[TargetInfo, ...]]:
        """Read a window's controls, by `end` on the monotonic clock.

        Raises: ApplicationGone, ApplicationUnresponsive, ElementStale (another object represents it by now),
        NotAccessible, ActionRefused (it answers with errors), DesktopGone.
        """
        cached = self._cached.get(window.handle) if reach is not Reach.OTHER_PAGES else None
        if cached is not None and cached.is_at_rest(window, self._activity):
            return cached.walk, cached.controls
        listed = await self.windows()
        if cached is not None and cached.is_just_read(window, listed, self._activity):
            return cached.walk, cached.controls
        alone = not _is_another_active(window, listed)
        found = await self._applications.roots_of(window, listed, alone=alone, deadline_s=_left(end))
        toolkit = await self._reader.toolkits.of(found.frame.ref.bus, deadline_s=_left(end))
        framed = await self._framed_popups(window, found, toolkit)
        roots = (found.frame.ref, *found.popups, *framed)
        renewal = await self._renewed.of(window, listed, self._last(window, reach))
        popups = await self._popups_of(window, toolkit)
        walk = await self._reader.walk(
            roots,
            deadline_s=_left(end),
            reach=reach,
            renew=renewal.cells,
            popups=popups if toolkit.places_in_window else NO_POPUPS,
            comparable=await self._compares(toolkit),
        )
        _note_mute_popup(walk, found.popups if toolkit.has_mute_popups else ())
        places = self._keep(roots[0].bus, await self._places_in(window, toolkit, walk.nodes[roots[0]].rect))
        move_to_screen(walk.nodes.values(), toolkit, places)
        await self._correct_popups(walk, toolkit, window, framed)
        if alone and toolkit.leaves_menus_out and popups.places:
            await self._add_menus(walk, popups, toolkit, places, end)
            await self._note_unexposed_menu(walk, window)
        controls = controls_of(walk.nodes, roots[0], window.name, window.handle, toolkit)
        if reach >= Reach.WHOLE:
            self._cache(window, await self._renewed.completed(renewal, walk), walk, controls)
        return walk, controls

    def _last(self, window: TargetInfo, reach: Reach) -> CachedWindow | None:
        """Return the last read of a window if cells are to be read now."""
        return self._cached.get(window.handle) if reach >= Reach.WHOLE else None

    def _cache(self, window: TargetInfo, renewal: Renewal, walk: Walk, controls: tuple[TargetInfo, ...]) -> None:
        """Cache a read of a window that nothing is missing from, among the latest; pixels of the last one alone."""
        self._cached.pop(window.handle, None)
        if renewal.shot is not None:
            self._cached = {handle: replace(cached, shot=None) for handle, cached in self._cached.items()}
        if not (walk.truncated or walk.elsewhere):
            times_s = (renewal.began_s, self._activity.now())
            cached = CachedWindow.note(window, times_s, walk, controls)
            self._cached[window.handle] = replace(
                cached, shot=renewal.shot, shot_s=renewal.shot_s, reread=renewal.reread
            )
        if len(self._cached) > _WINDOWS_KEPT:
            del self._cached[next(iter(self._cached))]

    def cached_nodes(self, window: TargetInfo) -> Mapping[Ref, Node]:
        """Return the nodes of the last read, if it was a whole one of this window, with places on the screen."""
        last = self._cached.get(window.handle)
        return last.walk.nodes if last is not None else {}

    def at_rest(self, window: TargetInfo) -> Sequence[TargetInfo] | None:
        """Return the controls of a window's last read, if its program has not run since; else None."""
        last = self._cached.get(window.handle)
        return last.controls if last is not None and last.is_at_rest(window, self._activity) else None

    async def changed_names(self, window: TargetInfo, refs: Sequence[Ref]) -> dict[str, str]:
        """Return the new names, by handle, of nodes of the window's last read that were renamed.

        Labelled nodes are left out: their name may be composed, or be the label's.
        """
        nodes = self.cached_nodes(window)
        known = [nodes[ref] for ref in refs if ref in nodes and not nodes[ref].labelled_by]
        names = await self._reader.names_of(known, deadline_s=READ_DEADLINE_S)
        pairs = zip(known, names, strict=True)
        return {node.ref.handle: name.strip() for node, name in pairs if name.strip() not in {"", node.name.strip()}}

    def as_told(self, bus: str, point: Point) -> Point:
        """Convert a point of the screen to an application's coordinates, by its last read."""
        return self._places.get(bus, AS_TOLD).as_told(point)

    async def read_control(self, ref: Ref, toolkit: Toolkit) -> Node | None:
        """Read one object outside of a read of its window, with its place on the screen; None where that is not known.

        Raises: ElementStale, ApplicationGone, ApplicationUnresponsive, DesktopGone.
        """
        popups = await self._popups_over(ref, toolkit)
        comparable = await self._compares(toolkit)
        node = await self._reader.read(ref, deadline_s=READ_DEADLINE_S, popups=popups, comparable=comparable)
        places = await self._places_of(ref, toolkit)
        if places is None:
            return None
        move_to_screen([node], toolkit, places)
        if node.dropped_by is not None:
            await self._place_in_list(node, node.dropped_by, toolkit, places)
        elif node.in_menu or (toolkit.frames_popups and node.role in MENU_ITEM_ROLES and not node.in_page):
            await self._place_in_menu(node)
        return node

    async def _correct_popups(
        self, walk: Walk, toolkit: Toolkit, window: TargetInfo, framed: Mapping[Ref, Rect]
    ) -> None:
        """Correct the elements of popups in frames of their own, and of lists that scroll without a report."""
        if framed:
            walk.nodes = toolkit.keep_to_frames(walk.nodes, framed)
        if toolkit.scrolls_menus(walk.nodes):
            walk.nodes = keep_to_popups(walk.nodes, await self._shown_popups(window))
        elif toolkit.scrolls_lists_untold:
            await self._place_dropped(walk, toolkit, window)

    async def _note_unexposed_menu(self, walk: Walk, window: TargetInfo) -> None:
        """Mark a walk as truncated by an open menu of which nothing is exposed."""
        menus = await self._connection.run(lambda screen: screen.stack.menus(window))
        if unexposed := untold_menus(walk.nodes, menus):
            walk.truncated = walk.truncated or _unexposed_popup(unexposed[0])

    async def _add_menus(self, walk: Walk, popups: Popups, toolkit: Toolkit, places: Places, end: float) -> None:
        """Add the elements of menus that the window's own elements do not include."""
        menus = await self._reader.find_menus([*walk.nodes.values()], popups.places, deadline_s=_left(end))
        if not menus:
            return
        try:
            shown = await self._reader.walk(menus, deadline_s=_left(end), reach=Reach.TEXTS, keep=False)
        except (ApplicationGone, ElementStale):
            return  # closed meanwhile
        except ApplicationUnresponsive as error:
            walk.truncated = walk.truncated or error.message
            return
        move_to_screen(shown.nodes.values(), toolkit, places)
        walk.nodes = walk.nodes | shown.nodes
        walk.truncated = walk.truncated or shown.truncated

    async def _framed_popups(self, window: TargetInfo, roots: Roots, toolkit: Toolkit) -> dict[Ref, Rect]:
        """Return the nameless frames that are popups on the screen, with its places: others report that they are
        showing, too.
        """
        if not (toolkit.frames_popups and roots.nameless):
            return {}
        popups, places = await self._shown_popups(window), await self._places_in(window, toolkit, roots.frame.rect)
        return {
            top.ref: place
            for top in roots.nameless
            for place in popups.places
            if place.iou(places.on_screen(top.rect)) > _SAME_PLACE
        }

    async def _place_dropped(self, walk: Walk, toolkit: Toolkit, window: TargetInfo | None) -> None:
        if lists := dropped_lists(walk.nodes):
            toolkit.place_dropped(walk.nodes, lists, await self._shown_popups(window) if window else NO_POPUPS)

    async def _place_in_list(self, node: Node, box: Ref, toolkit: Toolkit, places: Places) -> None:
        """Find the place of an item that was read alone, and its enabled state; one in a closed list is nowhere."""
        walk = await self._reader.walk([box], deadline_s=READ_DEADLINE_S, reach=Reach.CONTROLS, keep=False)
        for item in walk.nodes.values():
            item.in_page = True
        move_to_screen(walk.nodes.values(), toolkit, places)
        await self._place_dropped(walk, toolkit, await self._window_of(box))
        found = walk.nodes.get(node.ref)
        enabled = ENABLED if node.state & FOCUSABLE else 0
        node.rect, node.state = (found.rect, found.state) if found is not None else (NOWHERE, node.state | enabled)

    async def _place_in_menu(self, node: Node) -> None:
        """Find the place of an item that was read alone: nowhere while it is scrolled out of its menu."""
        if own := await self._window_of(node.ref):
            walk, _ = await self.read(own, monotonic() + READ_DEADLINE_S, reach=Reach.CONTROLS)
            found = walk.nodes.get(node.ref)
            node.rect = found.rect if found is not None else NOWHERE

    async def _window_of(self, ref: Ref) -> TargetInfo | None:
        """The active one of its application's windows, else any. Raises: ApplicationGone, ApplicationUnresponsive."""
        _, own = await self._own(ref)
        return next((window for window in own if "active" in window.states), own[0] if own else None)

    async def _own(self, ref: Ref) -> tuple[int, list[TargetInfo]]:
        """The process of a target's application, and its windows. Raises: ApplicationGone, ApplicationUnresponsive."""
        pid = await self._applications.pid_of(ref.bus, deadline_s=READ_DEADLINE_S)
        if pid is None:
            raise ApplicationGone(f"The application of {ref.bus} is gone.", fix="Start the application again.")
        return pid, [window for window in await self.windows() if window.pid == pid]

    async def _popups_of(self, window: TargetInfo, toolkit: Toolkit) -> Popups:
        if not (toolkit.places_in_window or toolkit.leaves_menus_out):
            return NO_POPUPS
        return await self._shown_popups(window)

    async def _shown_popups(self, window: TargetInfo) -> Popups:
        return Popups(await self._connection.run(lambda screen: screen.stack.popups(window)))

    async def _popups_over(self, ref: Ref, toolkit: Toolkit) -> Popups:
        """Those of a target's application, whichever of its windows they belong to."""
        if not toolkit.places_in_window:
            return NO_POPUPS
        own = await self._window_of(ref)
        return await self._popups_of(own, toolkit) if own else NO_POPUPS

    async def _places_in(self, window: TargetInfo, toolkit: Toolkit, frame: Rect) -> Places:
        def outline(screen: Screen) -> Outline:
            shown = screen.stack.screens() if toolkit.scales_by_screen else ()
            return Outline(window.rect, screen.windows.client_rect(window), tuple(each.rect for each in shown))

        return places_of(toolkit, await self._connection.run(outline), frame)

    async def _compares(self, toolkit: Toolkit) -> bool:
        """True if reported places can be compared: those of Qt count from each screen anew where it is scaled."""
        if not toolkit.scales_by_screen:
            return True
        return await self._connection.run(lambda screen: len(screen.stack.screens())) < _SEVERAL

    async def _places_of(self, ref: Ref, toolkit: Toolkit) -> Places | None:
        """Return the coordinate space of a target's application; None where it may be another window's.

        Raises: ApplicationGone.
        """
        known = self._places.get(ref.bus)
        if known == AS_TOLD and not toolkit.places_in_window:
            return known
        pid, own = await self._own(ref)
        frames = await self._applications.toplevels(pid, deadline_s=READ_DEADLINE_S)
        frame = match_window(own[0], frames) if len(own) == 1 else None
        if frame is None:
            may_differ = toolkit.places_in_window or (known is None and toolkit.tells_own_pixels)
            return None if may_differ else known or AS_TOLD
        if frame.rect.empty:
            return known or AS_TOLD
        return self._keep(ref.bus, await self._places_in(own[0], toolkit, frame.rect))

    def _keep(self, bus: str, places: Places) -> Places:
        """Cache the coordinate space of an application, among the latest."""
        self._places.pop(bus, None)
        self._places[bus] = places
        if len(self._places) > _KEPT:
            del self._places[next(iter(self._places))]
        return places
