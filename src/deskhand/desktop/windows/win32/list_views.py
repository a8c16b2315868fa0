"""List views: lists of icons or names, and tables with columns; and their headers."""

from ctypes import wintypes
from typing import Final

from .failures import Refused
from .kinds import Kind, Part, act_never
from .memory import ask, ask_texts, memory_of
from .messages import click_inside, deliver, send, send_signed
from .nodes import NOWHERE, Rect
from .reading import MOST_ITEMS, WS_DISABLED, Control, Reading, intersection, item_states, moved
from .structures import HeaderItem, ListItem
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
HDM_GETITEMCOUNT: Final = 0x1200
HDM_GETITEMRECT: Final = 0x1207
HDM_GETITEMW: Final = 0x120B

MOST_COLUMNS: Final = 32

_TYPE: Final = 0x3
_REPORT: Final = 1
_SINGLE: Final = 0x4
_CHECK_BOXES: Final = 0x4
_TEXT: Final = 0x1
_STATE: Final = 0x8
_FOCUSED: Final = 0x1
_SELECTED: Final = 0x2
_IMAGE: Final = 0xF000
_LABEL: Final = 2  # LVIR_LABEL
_HEADER_TEXT: Final = 0x2


def _read(control: Control, reading: Reading) -> None:
    count = max(0, send_signed(control.handle, LVM_GETITEMCOUNT))
    columns = _columns(control) if control.style & _TYPE == _REPORT else []
    multiple = () if control.style & _SINGLE else ("multiselectable",)
    reading.add(
        control,
        "table" if columns else "list",
        ("focusable", *multiple),
        count=count,
        columns=len(columns) or None,
        actions=("focus",),
    )
    if columns:
        _read_table(control, reading, count, columns)
    elif count:
        _read_icons(control, reading, count)


def _columns(control: Control) -> list[Rect]:
    """The columns' rectangles in screen pixels, of which left and right count."""
    header = send(control.handle, LVM_GETHEADER)
    if not header:
        return [control.client]
    info = info_of(header)
    count = min(MOST_COLUMNS, max(0, send_signed(header, HDM_GETITEMCOUNT)))
    boxes = ask(header, HDM_GETITEMRECT, [(index, wintypes.RECT()) for index in range(count)])
    return [moved(rect_of(box), rect_of(info.client)) for box in boxes] or [control.client]


def _read_table(control: Control, reading: Reading, count: int, columns: list[Rect]) -> None:
    top = max(0, send_signed(control.handle, LVM_GETTOPINDEX))
    last = min(count, top + send_signed(control.handle, LVM_GETCOUNTPERPAGE) + 1, top + MOST_ITEMS)
    rows = list(range(top, last))
    if len(rows) * len(columns) > MOST_ITEMS * 2:
        rows = rows[: MOST_ITEMS * 2 // len(columns)]
        reading.tree.cut(f"only the first {len(rows)} visible rows of table {control.handle} were read")
    places = _item_rects(control, rows, 0)
    wanted = [(0, _item(row, column)) for row in rows for column in range(len(columns))]
    cells = ask_texts(control.handle, LVM_GETITEMW, wanted)
    for at, (row, place) in enumerate(zip(rows, places, strict=True)):
        if intersection(place, control.client) != NOWHERE:
            _add_row(control, reading, (row, place), cells[at * len(columns) : (at + 1) * len(columns)], columns)


def _add_row(
    control: Control,
    reading: Reading,
    row: tuple[int, Rect],
    cells: list[tuple[ListItem, str]],
    columns: list[Rect],
) -> None:
    index, place = row
    key = f"{control.key}/i{index}"
    states, actions = _states(control, cells[0][0].state)
    inside = intersection(place, control.client)
    reading.add_item(key, control.key, "table row", inside, name=cells[0][1], states=states, actions=actions, row=index)
    for column, (_, text) in enumerate(cells):
        edges = columns[column]
        rect = intersection((edges[0], place[1], edges[2], place[3]), control.client)
        reading.add_item(
            f"{key}/c{column}",
            key,
            "table cell",
            rect,
            name=text,
            states=item_states(control.enabled, rect != NOWHERE),
            row=index,
            column=column,
        )


def _read_icons(control: Control, reading: Reading, count: int) -> None:
    indices = list(range(min(count, MOST_ITEMS)))
    if count > MOST_ITEMS:
        top = max(0, send_signed(control.handle, LVM_GETTOPINDEX))
        indices = list(range(top, min(count, top + MOST_ITEMS)))
        reading.tree.cut(f"{len(indices)} of the {count} items of list {control.handle} were read")
    inside = [intersection(rect, control.client) for rect in _item_rects(control, indices, 0)]
    seen = [(index, rect) for index, rect in zip(indices, inside, strict=True) if rect != NOWHERE]
    items = ask_texts(control.handle, LVM_GETITEMW, [(0, _item(index, 0)) for index, _ in seen])
    for (index, rect), (item, text) in zip(seen, items, strict=True):
        states, actions = _states(control, item.state)
        key = f"{control.key}/i{index}"
        reading.add_item(key, control.key, "list item", rect, name=text, states=states, actions=actions)


def _states(control: Control, state: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """States and actions of an item."""
    states = ["selectable"]
    actions = ["select", "activate"]
    if state & _SELECTED:
        states.append("selected")
    if not control.style & _SINGLE:
        actions.append("deselect" if state & _SELECTED else "add")
    image = (state & _IMAGE) >> 12
    if image and send(control.handle, LVM_GETEXTENDEDLISTVIEWSTYLE) & _CHECK_BOXES:
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
    if not part.item or "/" in part.item:
        act_never(part, action)
    if style_of(part.handle) & WS_DISABLED:
        raise Refused(f"the list {part.handle} is disabled")
    if part.index >= send_signed(part.handle, LVM_GETITEMCOUNT):
        raise Refused(f"the list {part.handle} has no item {part.index}")
    if action == "select":
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
    memory.write(bytes(ListItem(state=state, state_mask=mask)))
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


def _read_header(control: Control, reading: Reading) -> None:
    count = min(MOST_COLUMNS, max(0, send_signed(control.handle, HDM_GETITEMCOUNT)))
    reading.add(control, "panel", count=count)
    items = ask_texts(control.handle, HDM_GETITEMW, [(index, HeaderItem(mask=_HEADER_TEXT)) for index in range(count)])
    boxes = ask(control.handle, HDM_GETITEMRECT, [(index, wintypes.RECT()) for index in range(count)])
    around = reading.clip(control)
    for index, ((_, text), box) in enumerate(zip(items, boxes, strict=True)):
        rect = intersection(moved(rect_of(box), control.client), around)
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


LIST_VIEW: Final = Kind(_read, _act, show=_show)
HEADER: Final = Kind(_read_header, _act_header)
