"""Extents of LibreOffice's controls, and which of them are visible.

With the GTK 3 plugin the extents of drawn elements are reported as if the window had no menu bar: higher by the height
of the bar. Boxes of toolbars and the sidebar that GTK draws inside are right. See NOTES.md.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.core.geometry import NOWHERE, Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import (
    CHECK_BOX,
    COMBO_BOX,
    DEFUNCT,
    DOCUMENT_PRESENTATION,
    DOCUMENT_SPREADSHEET,
    DOCUMENT_TEXT,
    EDITABLE,
    ENABLED,
    FILLER,
    FOCUSED,
    FRAME,
    LABEL,
    LIST,
    LIST_ITEM,
    OPTION_PANE,
    PANEL,
    POPUP_ROLES,
    ROOT_PANE,
    SCROLL_PANE,
    SHOWING,
    SPLIT_PANE,
    TABLE,
    TABLE_CELL,
    TEXT,
    TOOL_TIP,
    TRANSIENT,
    UNTOLD,
    VISIBLE,
    WINDOW_ROLES,
)

# Workarounds of this module:
# upstream: not reported
# seen in: 7.4.7

_OPENS_OUTWARDS: Final = POPUP_ROLES | {
    COMBO_BOX,
    DOCUMENT_PRESENTATION,
    DOCUMENT_SPREADSHEET,
    DOCUMENT_TEXT,
}
"""Roles with a view of their own, or with content that reaches out of their window."""

_OWN_WINDOWS: Final = POPUP_ROLES | WINDOW_ROLES

_BORDER: Final = 4
"""Pixels by which an embedded GTK box differs from the place reserved for it."""

_MARGIN: Final = 16
"""Pixels from which on no list has a margin above its items."""

_ROW: Final = 200
"""Pixels that no row of these lists is higher than."""

_SLIVER: Final = 3
"""Pixels of a row below which nothing of it is visible."""


_PRESENTED: Final = (
    "of what is on the slide that is presented LibreOffice tells no place; and until the slide changes for the first "
    "time it may tell what is on another one, so look at a picture"
)
_NO_SLIDE: Final = "the slide show shows no slide now, and LibreOffice tells nothing of what it shows instead"


def correct_places(nodes: Mapping[Ref, Node]) -> None:
    """Move elements that are reported in the wrong place. `nodes`: parents before children."""
    shifts: dict[Ref, tuple[int, int]] = {}
    for ref, node in nodes.items():
        parent = nodes.get(node.parent) if node.parent else None
        if parent is None:
            continue
        shift = shifts.get(parent.ref)
        if shift is None and node.role == ROOT_PANE:
            shifts[ref] = _shift(node.rect, parent.rect)
        elif shift and not _is_embedded(node, parent, shift):
            shifts[ref] = shift
    for ref, shift in shifts.items():
        nodes[ref].rect = nodes[ref].rect.moved(*shift)
    for node in nodes.values():
        if parent := nodes.get(node.parent) if node.parent else None:
            _correct_part(node, parent)


def _correct_part(node: Node, parent: Node) -> None:
    """Correct a border line, which counts from a square of its own, and a cell of the text import, from its table."""
    if (node.role, parent.role) == (CHECK_BOX, OPTION_PANE):
        node.rect, node.state = NOWHERE, node.state | UNTOLD
    elif (node.role, parent.role) == (TEXT, TABLE):
        visible = node.rect.moved(parent.rect.left, parent.rect.top).intersection(parent.rect)
        node.role, node.rect = TABLE_CELL, NOWHERE if visible.empty else visible


def keep_to_documents(nodes: Mapping[Ref, Node]) -> frozenset[Ref]:
    """Cut extents to the view of their text document. Return items out of view of their list; `nodes`: parents first.

    The whole extents of elements in a document are reported, even over rulers and bars, and a single pixel in the
    document's corner for those taken to be out of view. Of a list box in it all items are reported. Other elements out
    of view remain, without extents.
    """
    views: dict[Ref, Rect] = {}
    outside: set[Ref] = set()
    for ref, node in nodes.items():
        whole = node.rect
        if node.role == DOCUMENT_TEXT and not whole.empty:
            views[ref] = whole
            continue
        view = views.get(node.parent) if node.parent else None
        if view is None or node.role in _OWN_WINDOWS:
            continue
        if not whole.empty:
            node.rect, is_away = _in_document(whole, view)
            if is_away and node.role == LIST_ITEM:
                outside.add(ref)
            view = whole.intersection(view) if node.role == LIST else view
        if node.role != COMBO_BOX:  # its list is a window of its own
            views[ref] = view
    return frozenset(outside)


def _in_document(whole: Rect, view: Rect) -> tuple[Rect, bool]:
    """Return the visible part of an element in a document, and True if no part of it is in view."""
    visible = whole.intersection(view)
    return NOWHERE if visible.empty or _is_corner(whole) else visible, visible.empty


def keep_to_window(nodes: Mapping[Ref, Node]) -> frozenset[Ref]:
    """Cut bars and their content to their window, and a sidebar to its part of that. Return what is beyond.

    Elements for which a smaller window has no room are still reported. Open menus and lists reach out of it; documents
    have views of their own. `nodes`: parents before children.
    """
    views: dict[Ref, Rect] = {}
    outside: set[Ref] = set()
    for ref, node in nodes.items():
        if node.role == FRAME and not node.rect.empty:
            views[ref] = node.rect
        view = views.get(node.parent) if node.parent else None
        if view is None or node.role in WINDOW_ROLES:
            continue
        if not node.rect.empty:
            node.rect = node.rect.intersection(view)
            if node.rect.empty:
                outside.add(ref)
                node.rect = NOWHERE
        if node.role not in _OPENS_OUTWARDS:
            views[ref] = node.rect if _is_sidebar(node, nodes) else view
    return frozenset(outside)


def _is_sidebar(node: Node, nodes: Mapping[Ref, Node]) -> bool:
    above = nodes[node.parent] if node.parent else None
    return node.role == PANEL and not node.rect.empty and above is not None and above.role == SPLIT_PANE


def unplaced(nodes: Mapping[Ref, Node]) -> str:
    """Return a sentence on elements in a text document's view without extents, before `keep_to_documents`.

    LibreOffice 7.4 does not notice that an element came into view by a jump of the caret if it was queried within some
    15 s before that.
    """
    documents = {ref for ref, node in nodes.items() if node.role == DOCUMENT_TEXT}
    lost = sum(node.parent in documents and _is_corner(node.rect) for node in nodes.values())
    if not lost:
        return ""
    return (
        f"{lost} paragraphs and tables in view have no place, since LibreOffice tells none: turn the wheel by a notch"
    )


def _is_corner(rect: Rect) -> bool:
    return (rect.width, rect.height) == (1, 1)


def take_places_in_shows(nodes: Mapping[Ref, Node]) -> tuple[frozenset[Ref], str]:
    """Remove the extents of elements of a slide that is being presented. `nodes`: parents before children.

    They are reported as if the slide were elsewhere and of another size; and until the first change of slides, those of
    the edited slide are reported, whichever is presented. The document of a slide show fills its pane, which has no
    scroll bars. If it displays no slide, as in a pause and at its end, it has no size; the elements of the last slide,
    which are still reported, are returned. Returns also a sentence on this.
    """
    outside: set[Ref] = set()
    shows: dict[Ref, Node] = {}
    for ref, node in nodes.items():
        above = nodes.get(node.parent) if node.parent else None
        if above is None:
            continue
        if _is_show(node, above):
            shows[ref] = node
        elif above.ref in shows:
            shows[ref] = shows[above.ref]
            node.rect = NOWHERE
            outside |= {ref} if shows[ref].rect.empty else set()
    return frozenset(outside), (_NO_SLIDE if outside else _PRESENTED) if shows else ""


def _is_show(node: Node, pane: Node) -> bool:
    if node.role != DOCUMENT_PRESENTATION or pane.role != SCROLL_PANE:
        return False
    free = max(pane.rect.width - node.rect.width, pane.rect.height - node.rect.height)
    return node.rect.empty or free <= _BORDER


def not_in_panes(nodes: Mapping[Ref, Node]) -> frozenset[Ref]:
    """Return the shapes of a spreadsheet outside of all visible cells, with their content; parents come first.

    Each pane of a frozen sheet reports all shapes of the sheet: the invisible ones without a size, and their texts with
    one.
    """
    outside: set[Ref] = set()
    for ref, node in nodes.items():
        above = nodes.get(node.parent) if node.parent else None
        if above is None:
            continue
        is_shape = above.role == DOCUMENT_SPREADSHEET and node.role != TABLE
        if above.ref in outside or (is_shape and node.rect.empty):
            outside.add(ref)
    return frozenset(outside)


def place_drawn_items(nodes: Mapping[Ref, Node]) -> frozenset[Ref]:
    """Correct the extents of items that LibreOffice draws itself. Return those that are out of view."""
    items: dict[Ref, list[Node]] = {}
    for node in nodes.values():
        if node.role == LIST_ITEM and node.state & TRANSIENT and node.parent and node.rect != NOWHERE:
            items.setdefault(node.parent, []).append(node)
    outside: set[Ref] = set()
    for ref, drawn in items.items():
        around = nodes.get(ref)
        if around is not None and around.role == LIST and not around.rect.empty:
            outside |= _place_in_list(drawn, around.rect)
    return frozenset(outside)


def _place_in_list(drawn: Sequence[Node], place: Rect) -> set[Ref]:
    """Correct the items of one list. Return those that are out of view.

    In 7.4 those of the dialog of templates are reported as far down as they are below the top of the list and that is
    right of the left edge of the screen. The topmost of any other list begins at the list's top, or is cut to it; one
    that is drawn as a line of text above the others, as the default of colours, has no size.
    """
    top = min(item.rect.top for item in drawn)
    swapped = not 0 <= top - place.top < _MARGIN and -_ROW < top - place.left < _MARGIN
    outside: set[Ref] = set()
    for item in drawn:
        if item.rect.empty:
            continue
        below = max(0, item.rect.top - place.left)  # if cut at the top, only its height is
        whole = item.rect.moved(0, place.top + below - item.rect.top) if swapped else item.rect
        item.rect = whole.intersection(place)
        if item.rect.height < _SLIVER:
            item.rect = NOWHERE
        if item.rect.empty:
            outside.add(item.ref)
    return outside


def types_formula(nodes: Mapping[Ref, Node]) -> bool:
    """True while a formula is typed into a cell: no text of other cells is exposed meanwhile."""
    sheets = {ref for ref, node in nodes.items() if node.role == DOCUMENT_SPREADSHEET}
    editors = {ref for ref, node in nodes.items() if node.parent in sheets and node.role != TABLE}
    texts = (node for node in nodes.values() if node.parent in editors and node.state & FOCUSED)
    return any(text.text.startswith("=") for text in texts)


def mark_hints(nodes: Mapping[Ref, Node]) -> None:
    """Mark tooltips, which are labels, alone in a box that is a child of the window."""
    for ref, box in nodes.items():
        window = nodes.get(box.parent) if box.parent else None
        if window is not None and window.role == FRAME and box.role == PANEL:
            inside = [node for node in nodes.values() if node.parent == ref]
            if len(inside) == 1 and inside[0].role == LABEL:
                inside[0].role = TOOL_TIP


def revive_input_line(nodes: dict[Ref, Node]) -> None:
    """Mark the input line of Calc, which reports DEFUNCT, as alive if it has content; remove other defunct nodes."""
    for line in [node for node in nodes.values() if node.state & DEFUNCT]:
        texts = [nodes[ref] for ref in line.children if ref in nodes]
        if not texts:
            del nodes[line.ref]
            continue
        line.state = texts[0].state & (ENABLED | SHOWING | VISIBLE)
        for text in texts:
            text.state |= EDITABLE  # reported only once it has the focus


def _shift(content: Rect, container: Rect) -> tuple[int, int]:
    """Return the distance from drawn content to the GTK box that contains it; (0, 0) for another box."""
    if (content.width, content.height) != (container.width, container.height):
        return (0, 0)
    return (container.left - content.left, container.top - content.top)


def _is_embedded(node: Node, parent: Node, shift: tuple[int, int]) -> bool:
    """True if a GTK box begins here: it fills its corrected place, or needs more room than it has there."""
    if shift == (0, 0) or {node.role, parent.role} - {PANEL, FILLER}:
        return False
    place = parent.rect.moved(*shift)
    starts = max(abs(node.rect.left - place.left), abs(node.rect.top - place.top)) <= _BORDER
    return starts and min(node.rect.right - place.right, node.rect.bottom - place.bottom) >= -_BORDER
