"""Where LibreOffice's controls really are, and which of them live.

LibreOffice (GTK 3) gives the places of what it draws itself as though its window had no menu bar: everything is
reported higher by the height of the bar. What GTK draws inside (boxes of the toolbars, the sidebar) is reported right.
"""

from collections.abc import Mapping
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

_OPENS_OUTWARDS: Final = POPUP_ROLES | {
    COMBO_BOX,
    DOCUMENT_PRESENTATION,
    DOCUMENT_SPREADSHEET,
    DOCUMENT_TEXT,
}
"""What has a view of its own, or opens what reaches out of its window."""

_BORDER: Final = 4
"""Pixels by which an embedded GTK box differs from the place reserved for it."""

_MARGIN: Final = 16
"""Pixels from which on no list has a margin above its items."""

_ROW: Final = 200
"""Pixels that no row of these lists is higher than."""

_SLIVER: Final = 3
"""Pixels of a row below which nothing of it is seen."""


_PRESENTED: Final = (
    "of what is on the slide that is presented LibreOffice tells no place; and until the slide changes for the first "
    "time it may tell what is on another one, so look at a picture"
)
_NO_SLIDE: Final = "the slide show shows no slide now, and LibreOffice tells nothing of what it shows instead"


def correct_places(nodes: Mapping[Ref, Node]) -> None:
    """Moves what LibreOffice reports in the wrong place. `nodes` stand parents before children."""
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
        parent = nodes.get(node.parent) if node.parent else None
        if node.role == CHECK_BOX and parent is not None and parent.role == OPTION_PANE:
            node.rect, node.state = NOWHERE, node.state | UNTOLD  # a border line: told in a square of its own
        if node.role == TEXT and parent is not None and parent.role == TABLE:  # a cell of what will be imported,
            seen = node.rect.moved(parent.rect.left, parent.rect.top).intersection(parent.rect)  # told from its corner
            node.role, node.rect = TABLE_CELL, NOWHERE if seen.empty else seen


def keep_to_documents(nodes: Mapping[Ref, Node]) -> frozenset[Ref]:
    """Takes away what of a place is scrolled out of a text document's view; `nodes` stand parents before children.

    LibreOffice tells the whole place of what stands in a document, also where rulers or bars are, and a single pixel
    in the document's corner of what it takes to be out of view. Of a list box in it all items are told: those out of
    the list's own view are what is returned. The rest stays, without a place.
    """
    views: dict[Ref, Rect] = {}
    outside: set[Ref] = set()
    for ref, node in nodes.items():
        if node.role == DOCUMENT_TEXT and not node.rect.empty:
            views[ref] = node.rect
            continue
        view = views.get(node.parent) if node.parent else None
        if view is None or node.role in POPUP_ROLES or node.role in WINDOW_ROLES:
            continue
        whole, seen = node.rect, node.rect.intersection(view)
        if not whole.empty and seen.empty and node.role == LIST_ITEM:
            outside.add(ref)
        if not whole.empty:
            node.rect = NOWHERE if seen.empty or _is_corner(whole) else seen
        if node.role != COMBO_BOX:  # what it opens is a window of its own
            views[ref] = seen if node.role == LIST and not whole.empty else view
    return frozenset(outside)


def keep_to_window(nodes: Mapping[Ref, Node]) -> frozenset[Ref]:
    """Cuts the places of bars and what stands in them to their window, and of a sidebar to the room that it has there;
    what is beyond is what is returned.

    LibreOffice goes on telling what a window that was made small has no room for. Menus and lists that are open reach
    out of it; documents have views of their own. `nodes` stand parents before children.
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
            above = nodes[node.parent] if node.parent else None
            is_sidebar = node.role == PANEL and above is not None and above.role == SPLIT_PANE
            views[ref] = node.rect if is_sidebar and not node.rect.empty else view
    return frozenset(outside)


def unplaced(nodes: Mapping[Ref, Node]) -> str:
    """What to say of what stands in a text document's view without a place, before `keep_to_documents`.

    LibreOffice 7.4 does not notice that something came into view by a jump of the caret where somebody had asked for it
    within some 15 s before that.
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
    """Takes away the places of what stands on a slide that is being presented; `nodes` stand parents before children.

    LibreOffice tells other ones, as though the slide were elsewhere and of another size; and until the first change of
    slides, what is on the slide that was worked on, whichever is presented, which nothing tells. The document of a
    slide show fills the pane that it stands in, which has no scroll bars. Where it shows no slide, as in a pause and at
    its end, the document has no size: what is still told of the last slide is what is returned. And what to say of it.
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
    """Shapes of a spreadsheet that are in none of its cells in view, and what stands in them; parents come first.

    Each pane of a frozen sheet tells all shapes of the sheet: those that it does not show without a size, and their
    texts with one.
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
    """Puts the items that LibreOffice draws itself where they are seen in their list; returns those that are not.

    In 7.4 those of its dialog of templates are told as far down as they are below the top of the list and that is right
    of the left edge of the screen. The topmost of any other list begins at the list's top, or is cut to it; one that is
    drawn as a line of text above the others, as the default of colours, has no size.
    """
    items: dict[Ref, list[Node]] = {}
    for node in nodes.values():
        if node.role == LIST_ITEM and node.state & TRANSIENT and node.parent and node.rect != NOWHERE:
            items.setdefault(node.parent, []).append(node)
    outside: set[Ref] = set()
    for ref, drawn in items.items():
        around = nodes.get(ref)
        if around is None or around.role != LIST or around.rect.empty:
            continue
        place = around.rect
        top = min(item.rect.top for item in drawn)
        swapped = not 0 <= top - place.top < _MARGIN and -_ROW < top - place.left < _MARGIN
        for item in (each for each in drawn if not each.rect.empty):
            below = max(0, item.rect.top - place.left)  # of one that is cut at the top, only the height is
            told = item.rect.moved(0, place.top + below - item.rect.top) if swapped else item.rect
            seen = told.intersection(place)
            item.rect = NOWHERE if seen.height < _SLIVER else seen
            outside |= {item.ref} if item.rect.empty else set()
    return frozenset(outside)


def types_formula(nodes: Mapping[Ref, Node]) -> bool:
    """Whether a formula is being typed into a cell: Calc takes the texts of all other cells back meanwhile."""
    sheets = {ref for ref, node in nodes.items() if node.role == DOCUMENT_SPREADSHEET}
    editors = {ref for ref, node in nodes.items() if node.parent in sheets and node.role != TABLE}
    texts = (node for node in nodes.values() if node.parent in editors and node.state & FOCUSED)
    return any(text.text.startswith("=") for text in texts)


def mark_hints(nodes: Mapping[Ref, Node]) -> None:
    """LibreOffice tells its hints as labels, alone in a box that stands in the window beside all else."""
    for ref, box in nodes.items():
        window = nodes.get(box.parent) if box.parent else None
        if window is not None and window.role == FRAME and box.role == PANEL:
            inside = [node for node in nodes.values() if node.parent == ref]
            if len(inside) == 1 and inside[0].role == LABEL:
                inside[0].role = TOOL_TIP


def revive_input_line(nodes: dict[Ref, Node]) -> None:
    """Makes of what calls itself dead Calc's input line, where something stands in it; what is dead goes."""
    for line in [node for node in nodes.values() if node.state & DEFUNCT]:
        texts = [nodes[ref] for ref in line.children if ref in nodes]
        if not texts:
            del nodes[line.ref]
            continue
        line.state = texts[0].state & (ENABLED | SHOWING | VISIBLE)
        for text in texts:
            text.state |= EDITABLE  # also before somebody is at it


def _shift(content: Rect, container: Rect) -> tuple[int, int]:
    """From where the drawn content says it is to the GTK box that holds it; none where that is another box."""
    if (content.width, content.height) != (container.width, container.height):
        return (0, 0)
    return (container.left - content.left, container.top - content.top)


def _is_embedded(node: Node, parent: Node, shift: tuple[int, int]) -> bool:
    """Whether a GTK box begins here: it fills its place where that really is, or needs more room than it has there."""
    if shift == (0, 0) or {node.role, parent.role} - {PANEL, FILLER}:
        return False
    place = parent.rect.moved(*shift)
    starts = max(abs(node.rect.left - place.left), abs(node.rect.top - place.top)) <= _BORDER
    return starts and min(node.rect.right - place.right, node.rect.bottom - place.bottom) >= -_BORDER
