"""Extents that applications report, converted to physical pixels of the screen.

On a scaled display applications use logical pixels, several physical ones wide. The factor follows from the size of
their window, which the X server reports in physical pixels and the application in logical ones.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from deskhand.core.geometry import NOWHERE, Point, Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node, Surface
from deskhand.desktop.linux.atspi.roles import (
    APART_ROLES,
    COMBO_BOX,
    DOCUMENT_WEB,
    LIST,
    MENU,
    PAGE_TAB,
    POPUP_MENU,
    POPUP_ROLES,
    SCROLLED_ROLES,
    SHOWING,
    TABLE_ROLES,
    TREE,
    VISIBLE,
    WINDOW_ROLES,
)
from deskhand.desktop.linux.atspi.toolkit import Toolkit

_VIEWS: Final = TABLE_ROLES | {LIST, TREE}
_PARTS: Final = (1, 2, 4, 3, 5, 10, 20)
"""Scales are whole numbers, else halves, quarters, thirds and so on; the first that explains the sizes is taken."""

_LINES: Final = 1.5
"""Heights of its first character from which on a link goes over several lines."""

_LEAST: Final = 0.25
_MOST: Final = 8.0


@dataclass(frozen=True, slots=True)
class Outline:
    """A window in physical pixels: `seen` without, `client` with the shadow that it draws around itself.

    `screens` are all those of the desktop.
    """

    seen: Rect
    client: Rect
    screens: tuple[Rect, ...] = ()


@dataclass(frozen=True, slots=True)
class Places:
    """Conversion of reported extents: multiplied by `scale` from the origin, then moved.

    With `screens` they are multiplied from the corner of the screen that they are on, or nearest to.
    """

    scale: float = 1.0
    left: float = 0.0
    top: float = 0.0
    screens: tuple[Rect, ...] = ()

    def on_screen(self, told: Rect, *, in_pixels: bool = False) -> Rect:
        """Return extents in physical pixels; `in_pixels`: they are reported in these."""
        if in_pixels:
            return told
        left, top = told.left * self.scale + self.left, told.top * self.scale + self.top
        if self.screens:
            _, left, top = min(self._from(screen, told) for screen in self.screens)
        return Rect(
            round(left), round(top), round(left + told.width * self.scale), round(top + told.height * self.scale)
        )

    def as_told(self, point: Point) -> Point:
        """Return a point of the screen in the application's coordinates, as if there were one screen."""
        return Point(round((point.x - self.left) / self.scale), round((point.y - self.top) / self.scale))

    def _from(self, screen: Rect, told: Rect) -> tuple[float, float, float]:
        """Return the distance of extents that count from a screen's corner to that screen, and their left and top."""
        left = screen.left + (told.left - screen.left) * self.scale
        top = screen.top + (told.top - screen.top) * self.scale
        off_x, off_y = max(screen.left - left, left - screen.right, 0), max(screen.top - top, top - screen.bottom, 0)
        return off_x + off_y, left, top


AS_TOLD: Final = Places()


def places_of(toolkit: Toolkit, window: Outline, frame: Rect) -> Places:
    """Return the conversion for an application, from one of its windows and the extents that it reports of that.

    Nothing is converted if none can be derived.
    """
    if frame.empty or window.client.empty or not (toolkit.places_in_window or toolkit.tells_own_pixels):
        return AS_TOLD
    scale = _whole_scale(window, frame) if toolkit.scales_whole else _scale(window.client, frame)
    if toolkit.places_in_window:
        return _from_corner(window.seen, frame, scale)
    if scale == 1:
        return AS_TOLD
    if toolkit.frames_have_borders:
        return Places(scale, _lost(window.client.left, scale), _lost(window.client.top, scale))
    screens = window.screens if toolkit.scales_by_screen and len(window.screens) > 1 else ()
    left, top = window.client.left - frame.left * scale, window.client.top - frame.top * scale
    return Places(scale, left, top, screens)


def keep_to_views(nodes: Mapping[Ref, Node], toolkit: Toolkit, *, comparable: bool = True) -> frozenset[Ref]:
    """Mark nodes inside web pages and popups, and cut extents to the visible part.

    Most applications report the whole extents of elements that are visible in part, many also of those scrolled out of
    view. The latter lose their extents, and are returned with all inside them. `nodes`: parents before children. Not
    `comparable`: extents cannot be compared with each other.
    """
    cutting = _Cutting(toolkit, comparable=comparable)
    for node in nodes.values():
        above = nodes.get(node.parent) if node.parent else None
        _inherit(node, above)
        cutting.cut(node, above)
    return frozenset(cutting.outside)


class _Cutting:
    """The areas in which the elements of one walk are visible."""

    def __init__(self, toolkit: Toolkit, *, comparable: bool) -> None:
        self.outside: set[Ref] = set()
        self._toolkit = toolkit
        self._views: dict[Ref, Rect] = {}
        self._comparable = comparable
        self._cuts = toolkit.cuts_to_views and comparable
        self._hides_unplaced = toolkit.hides_unplaced_views and comparable
        self._windows = POPUP_ROLES if toolkit.docks_windows and comparable else POPUP_ROLES | WINDOW_ROLES

    def cut(self, node: Node, above: Node | None) -> None:
        """Cut a node to the view around it, and set the view of its content; parents before children."""
        own_window = node.role in self._windows
        view = _view_around(node, above, self._views) if above and not own_window else None
        if view is not None and not node.rect.empty:
            is_away = self._cut_to(node, view)
        else:
            is_away = not own_window and node.parent in self.outside
        if is_away:
            self.outside.add(node.ref)
        if above is not None and self._is_unplaced(node):
            self.outside.add(node.ref)
            return
        view = _view_in(node, above, view, self._toolkit, everything=self._comparable)
        if view is not None:
            self._views[node.ref] = view

    def _is_unplaced(self, node: Node) -> bool:
        return self._hides_unplaced and node.role in _VIEWS and node.rect.empty

    def _cut_to(self, node: Node, view: Rect) -> bool:
        """Return True for a node that is out of view, which loses its extents."""
        visible = node.rect.intersection(view)
        if visible.empty and not self._cuts:
            return False
        node.rect = NOWHERE if visible.empty else visible
        return visible.empty


def _inherit(node: Node, above: Node | None) -> None:
    """Set the page and the X window of a node to those of its parent."""
    node.in_page = node.role == DOCUMENT_WEB or (above is not None and above.in_page)
    if above is not None and node.surface is None:
        node.surface = above.surface


def _view_around(node: Node, above: Node, views: Mapping[Ref, Rect]) -> Rect | None:
    """Return the area in which a node is visible; None: anywhere."""
    view = views.get(above.ref) if above.surface == node.surface else None
    if view is None and node.role in WINDOW_ROLES and not above.rect.empty:  # an application has no extents
        return above.rect
    return view


def hide_without_window(line: Mapping[Ref, Node]) -> None:
    """Mark a page outside of any window, as that of a tab in the background, and its content as invisible.

    It may continue to report SHOWING, with extents that mean nothing. `line`: one object and its ancestors, the
    outermost first.
    """
    if next(iter(line.values())).role == DOCUMENT_WEB:
        for node in line.values():
            node.state &= ~(SHOWING | VISIBLE)
            node.rect = NOWHERE


def _view_in(node: Node, above: Node | None, view: Rect | None, toolkit: Toolkit, *, everything: bool) -> Rect | None:
    """Return the area in which the content of a node is visible, whose own is `view`; None: anywhere.

    `everything`: an element of any role may cut its content.
    """
    if node.role in {MENU, POPUP_MENU} and toolkit.has_menus_around(above.role if above else None):
        return None if node.rect.empty else node.rect
    if node.role in POPUP_ROLES or node.role == COMBO_BOX:
        return None  # its content is in a window of its own
    cuts = node.role in SCROLLED_ROLES or (everything and toolkit.cuts_to_all and _may_cut(node, above))
    return node.rect if cuts and not node.rect.empty else view


def _may_cut(node: Node, above: Node | None) -> bool:
    """True if the extents of a node count from the same corner as those of its content."""
    is_page = above is not None and above.role == PAGE_TAB  # its extents may count from the corner of its tab
    return not is_page and node.role not in APART_ROLES and node.role not in WINDOW_ROLES


def move_to_screen(nodes: Iterable[Node], toolkit: Toolkit, places: Places) -> None:
    """Convert the extents of all nodes to physical pixels of the screen."""
    if places == AS_TOLD and not toolkit.places_in_window:
        return
    for node in nodes:
        if not node.rect.empty or (node.rect.left, node.rect.top) != (0, 0):
            here = _places_on(node.surface, places.scale) if node.surface else places
            node.rect = here.on_screen(node.rect, in_pixels=node.in_page and toolkit.pages_in_pixels)


def _places_on(surface: Surface, scale: float) -> Places:
    """Return the conversion for elements in an X window of their own."""
    left, top = surface.place.left - surface.told_left * scale, surface.place.top - surface.told_top * scale
    return Places(scale, left, top)


def _from_corner(seen: Rect, frame: Rect, scale: float) -> Places:
    """Return the conversion for a frame in the middle of its X window, which may have a margin around it."""
    margin_x, margin_y = (seen.width - frame.width * scale) // 2, (seen.height - frame.height * scale) // 2
    return Places(scale, seen.left + margin_x - frame.left * scale, seen.top + margin_y - frame.top * scale)


def _lost(pixels: int, scale: float) -> float:
    """Return the pixels that are lost if a window's corner is divided by the scale and rounded down."""
    return pixels - int(pixels / scale) * scale


def _whole_scale(window: Outline, frame: Rect) -> int:
    """Return the nearest whole number; the frame may be reported with the window's shadow or borders, or without."""
    ratios = [
        max(known.width / frame.width, known.height / frame.height)
        for known in (window.client, window.seen)
        if not known.empty
    ]
    best = min(ratios, key=lambda ratio: abs(ratio - round(ratio)), default=1.0)
    return max(1, min(int(_MOST), round(best)))


def _scale(client: Rect, frame: Rect) -> float:
    """Return the simplest scale that explains the size of the window; 1 if width and height contradict each other."""
    ratio = (client.width + client.height) / (frame.width + frame.height)
    if not _LEAST <= ratio <= _MOST:
        return 1.0
    slack = max(1.0, ratio / 2) + 0.5  # each edge was rounded, to one of its pixels or one of ours
    for parts in _PARTS:
        scale = round(ratio * parts) / parts
        off = abs(scale * frame.width - client.width), abs(scale * frame.height - client.height)
        if scale >= _LEAST and max(off) <= slack:
            return scale
    off = abs(ratio * frame.width - client.width), abs(ratio * frame.height - client.height)
    return ratio if max(off) <= slack else 1.0


def first_line(around: Rect, first: Rect) -> Rect:
    """Return where to click a link whose first character is at `first`: in several lines `around` holds other text."""
    return first if not first.empty and around.height > _LINES * first.height else around
