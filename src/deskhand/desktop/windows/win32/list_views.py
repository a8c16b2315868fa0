"""List views: lists of icons or names, and tables with columns; and their headers."""

from ctypes import wintypes
from typing import Final, NamedTuple

from .failures import Refused
from .kinds import Kind, Part, act_never
from .memory import ask, ask_texts, memory_of
from .messages import Sent, click_inside, deliver, send, send_each, send_signed, signed
from .nodes import NOWHERE, Rect
from .reading import MOST_ITEMS, WS_DISABLED, Control, Reading, intersection, is_named, item_states, moved
from .structures import FindItem, HeaderItem, ListItem
from .windows import info_of, rect_of, style_of

LVM_GETITEMCOUNT: Final = 0x1004
LVM_GETITEMRECT: Final = 0x100E
LVM_ENSUREVISIBLE: Final = 0x1013
LVM_GETHEADER: Final = 0x101F
LVM_GETTOPINDEX: Final = 0x1027
LVM_GETCOUNTPERPAGE: Final = 0x1028
LVM_SETITEMSTATE: Final = 0x102B
LVM_GETEXTENDEDLISTVIEWSTYLE: Final = 0x1037
LVM_GETITEMW: Final = 0x104B
LVM_FINDITEMW: Final = 0x1053
HDM_GETITEMCOUNT: Final = 0x1200
HDM_GETITEMRECT: Final = 0x1207
HDM_GETITEMW: Final = 0x120B

MOST_COLUMNS: Final = 32
MOST_SEARCHED: Final = 1000
"""Items of a list whose program does not find one by its name, of which each is compared."""

_SELECT: Final = "select"
_TYPE: Final = 0x3
_REPORT: Final = 1
_SINGLE: Final = 0x4
_OF_PROGRAM: Final = 0x1000
"""LVS_OWNERDATA: the program has the items, the list asks for those in view."""
_BY_NAME: Final = 0x2
_CHECK_BOXES: Final = 0x4
_WHOLE_ROWS: Final = 0x20
_TEXT: Final = 0x1
_STATE: Final = 0x8
_FOCUSED: Final = 0x1
_SELECTED: Final = 0x2
_IMAGE: Final = 0xF000
_LABEL: Final = 2  # LVIR_LABEL
_HEADER_TEXT: Final = 0x2


def _read(control: Control, reading: Reading) -> None:
    asked = (LVM_GETITEMCOUNT, LVM_GETHEADER, LVM_GETTOPINDEX, LVM_GETCOUNTPERPAGE, LVM_GETEXTENDEDLISTVIEWSTYLE)
    count, header, top, page, extended = send_each(control.handle, [Sent(message) for message in asked])
    view = _View(
        max(0, signed(count)),
        max(0, signed(top)),
        signed(page),
        bool(extended & _CHECK_BOXES),
        bool(extended & _WHOLE_ROWS),
    )
    columns = _columns(control, header, reading) if control.style & _TYPE == _REPORT else []
    multiple = () if control.style & _SINGLE else ("multiselectable",)
    reading.add(
        control,
        "table" if columns else "list",
        ("focusable", *multiple),
        count=view.items,
        columns=len(columns) or None,
        actions=("focus",),
    )
    if columns:
        _read_table(control, reading, view, columns)
    elif view.items:
        _read_icons(control, reading, view)


class _View(NamedTuple):
    """The number of items, the first in view, the number of those that fit into it, whether they have check boxes, and
    whether a click on any cell selects its row: otherwise one on the first."""

    items: int
    top: int
    page: int
    has_checks: bool
    whole_rows: bool


def _columns(control: Control, header: int, reading: Reading) -> list[Rect]:
    """The columns' rectangles in screen pixels, of which left and right count."""
    return (_heads(header, reading) if header else []) or [control.client]


def _heads(header: int, reading: Reading) -> list[Rect]:
    """The rectangles of a header's items, in screen pixels."""
    if header not in reading.heads:
        count = min(MOST_COLUMNS, max(0, send_signed(header, HDM_GETITEMCOUNT)))
        boxes = ask(header, HDM_GETITEMRECT, [(index, wintypes.RECT()) for index in range(count)])
        client = rect_of(info_of(header).client)
        reading.heads[header] = [moved(rect_of(box), client) for box in boxes]
    return reading.heads[header]


def _read_table(control: Control, reading: Reading, view: _View, columns: list[Rect]) -> None:
    last = min(view.items, view.top + view.page + 1, view.top + MOST_ITEMS)
    rows = list(range(view.top, last))
    if len(rows) * len(columns) > MOST_ITEMS * 2:
        rows = rows[: MOST_ITEMS * 2 // len(columns)]
        reading.tree.cut(f"only the first {len(rows)} visible rows of table {control.handle} were read")
    places = _item_rects(control, rows, 0)
    wanted = [(0, _item(row, column)) for row in rows for column in range(len(columns))]
    cells = ask_texts(control.handle, LVM_GETITEMW, wanted)
    for at, (row, place) in enumerate(zip(rows, places, strict=True)):
        if intersection(place, control.client) != NOWHERE:
            texts = cells[at * len(columns) : (at + 1) * len(columns)]
            _add_row(control, reading, (row, place), texts, (view, columns))


def _add_row(
    control: Control,
    reading: Reading,
    row: tuple[int, Rect],
    cells: list[tuple[ListItem, str]],
    seen: tuple[_View, list[Rect]],
) -> None:
    index, place = row
    view, columns = seen
    key = f"{control.key}/i{index}"
    states, actions = _states(control, cells[0][0].state, has_checks=view.has_checks)
    chosen = tuple(state for state in states if state in {"selectable", "selected"})
    inside = intersection(place, control.client)
    reading.add_item(key, control.key, "table row", inside, name=cells[0][1], states=states, actions=actions, row=index)
    for column, (_, text) in enumerate(cells):
        edges = columns[column]
        rect = intersection((edges[0], place[1], edges[2], place[3]), control.client)
        selects = view.whole_rows or not column
        reading.add_item(
            f"{key}/c{column}",
            key,
            "table cell",
            rect,
            name=text,
            states=item_states(control.enabled, rect != NOWHERE, *(chosen if selects else ())),
            actions=(_SELECT,) if selects else (),
            row=index,
            column=column,
        )


def _read_icons(control: Control, reading: Reading, view: _View) -> None:
    indices = list(range(min(view.items, MOST_ITEMS)))
    if view.items > MOST_ITEMS:
        indices = list(range(view.top, min(view.items, view.top + MOST_ITEMS)))
        reading.tree.cut(f"{len(indices)} of the {view.items} items of list {control.handle} were read")
    inside = [intersection(rect, control.client) for rect in _item_rects(control, indices, 0)]
    seen = [(index, rect) for index, rect in zip(indices, inside, strict=True) if rect != NOWHERE]
    items = ask_texts(control.handle, LVM_GETITEMW, [(0, _item(index, 0)) for index, _ in seen])
    for (index, rect), (item, text) in zip(seen, items, strict=True):
        states, actions = _states(control, item.state, has_checks=view.has_checks)
        key = f"{control.key}/i{index}"
        reading.add_item(key, control.key, "list item", rect, name=text, states=states, actions=actions)


def _states(control: Control, state: int, *, has_checks: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """States and actions of an item."""
    states = ["selectable"]
    actions = [_SELECT, "activate"]
    if state & _SELECTED:
        states.append("selected")
    if not control.style & _SINGLE:
        actions.append("deselect" if state & _SELECTED else "add")
    image = (state & _IMAGE) >> 12
    if image and has_checks:
        states.extend(("checkable", "checked") if image == 2 else ("checkable",))
        actions.append("toggle")
    return item_states(control.enabled, True, *states), tuple(actions)


def _item(index: int, column: int) -> ListItem:
    mask = _TEXT if column else _TEXT | _STATE
    return ListItem(mask=mask, index=index, column=column, state_mask=_SELECTED | _FOCUSED | _IMAGE)


def _item_rects(control: Control, indices: list[int], part: int) -> list[Rect]:
    boxes = ask(control.handle, LVM_GETITEMRECT, [(index, wintypes.RECT(part, 0, 0, 0)) for index in indices])
    return [moved(rect_of(box), control.client) for box in boxes]


def _act(part: Part, action: str) -> None:
    if not part.item or ("/" in part.item and action != _SELECT):
        act_never(part, action)
    if style_of(part.handle) & WS_DISABLED:
        raise Refused(f"the list {part.handle} is disabled")
    if part.index >= send_signed(part.handle, LVM_GETITEMCOUNT):
        raise Refused(f"the list {part.handle} has no item {part.index}")
    if action == _SELECT:
        _set_state(part.handle, -1, 0, _SELECTED)
        _set_state(part.handle, part.index, _SELECTED | _FOCUSED, _SELECTED | _FOCUSED)
    elif action == "add":
        _set_state(part.handle, part.index, _SELECTED | _FOCUSED, _SELECTED | _FOCUSED)
    elif action == "deselect":
        _set_state(part.handle, part.index, 0, _SELECTED)
    elif action == "toggle":
        _toggle(part)
    elif action == "activate":
        _activate(part)
    else:
        act_never(part, action)


def _set_state(handle: int, index: int, state: int, mask: int) -> None:

    memory = memory_of(handle)
    memory.write_structures([ListItem(state=state, state_mask=mask)])
    deliver(handle, LVM_SETITEMSTATE, index & 0xFFFFFFFFFFFFFFFF, memory.start)


def _toggle(part: Part) -> None:
    ((item, _),) = ask_texts(part.handle, LVM_GETITEMW, [(0, _item(part.index, 0))])
    image = (item.state & _IMAGE) >> 12
    if not image:
        raise Refused(f"item {part.index} of list {part.handle} has no check box")
    _set_state(part.handle, part.index, (1 if image == 2 else 2) << 12, _IMAGE)


def _activate(part: Part) -> None:
    _show(part)
    (box,) = ask(part.handle, LVM_GETITEMRECT, [(part.index, wintypes.RECT(_LABEL, 0, 0, 0))])
    click_inside(part.handle, (box.left + 4, (box.top + box.bottom) // 2), double=True)


def _show(part: Part) -> None:
    send(part.handle, LVM_ENSUREVISIBLE, part.index)


def _texts(part: Part, rows: range, columns: range) -> list[list[str]]:
    count = send_signed(part.handle, LVM_GETITEMCOUNT)
    if rows.stop > count:
        raise Refused(f"the table {part.handle} has {count} rows; there is no row {rows.stop - 1}")
    wanted = [(0, ListItem(mask=_TEXT, index=row, column=column)) for row in rows for column in columns]
    found = [text for _, text in ask_texts(part.handle, LVM_GETITEMW, wanted)]
    return [found[at : at + len(columns)] for at in range(0, len(found), max(1, len(columns)))]


def _show_named(part: Part, name: str) -> bool:
    index = _index_of(part, name)
    if index is not None:
        send(part.handle, LVM_ENSUREVISIBLE, index)
    return index is not None


def _index_of(part: Part, name: str) -> int | None:
    """The number of the item of a name, None where none has it. Raises Refused where that is not known."""
    count = send_signed(part.handle, LVM_GETITEMCOUNT)
    found = _asked_for(part.handle, name)
    # a program with items of its own that does not search answers 0
    if 0 <= found < count and is_named(_texts(part, range(found, found + 1), range(1))[0][0], name):
        return found
    if found < 0 and not style_of(part.handle) & _OF_PROGRAM:
        return None
    names = _texts(part, range(min(count, MOST_SEARCHED)), range(1))
    index = next((at for at, (text,) in enumerate(names) if is_named(text, name)), None)
    if index is None and count > MOST_SEARCHED:
        raise Refused(f"the list {part.handle} has {count} items: {name!r} is not among the first {MOST_SEARCHED}")
    return index


def _asked_for(handle: int, name: str) -> int:
    memory = memory_of(handle)
    text = name.encode("utf-16-le") + bytes(2)
    where = memory.size_of(FindItem)
    memory.write_structures([FindItem(flags=_BY_NAME, text=memory.start + where)])
    memory.write(text, where)
    return send_signed(handle, LVM_FINDITEMW, 0xFFFFFFFFFFFFFFFF, memory.start)


def _read_header(control: Control, reading: Reading) -> None:
    heads = _heads(control.handle, reading)
    reading.add(control, "panel", count=len(heads))
    wanted = [(index, HeaderItem(mask=_HEADER_TEXT)) for index in range(len(heads))]
    items = ask_texts(control.handle, HDM_GETITEMW, wanted)
    around = reading.clip(control)
    for index, ((_, text), head) in enumerate(zip(items, heads, strict=True)):
        rect = intersection(head, around)
        reading.add_item(
            f"{control.key}/i{index}",
            control.key,
            "table column header",
            rect,
            name=text,
            states=item_states(control.enabled, rect != NOWHERE),
            actions=("press",),
            column=index,
        )


def _act_header(part: Part, action: str) -> None:
    if not part.item or action != "press":
        act_never(part, action)
    (box,) = ask(part.handle, HDM_GETITEMRECT, [(part.index, wintypes.RECT())])
    click_inside(part.handle, ((box.left + box.right) // 2, (box.top + box.bottom) // 2))


LIST_VIEW: Final = Kind(_read, _act, show=_show, texts=_texts, show_named=_show_named)
HEADER: Final = Kind(_read_header, _act_header)
