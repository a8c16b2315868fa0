"""List boxes and combo boxes."""

import ctypes
from collections.abc import Iterator, Sequence
from ctypes import wintypes
from typing import Final

from . import dlls
from .failures import Refused
from .kinds import Kind, Part, act_never
from .memory import TEXT_UNITS, TEXTS_AT_ONCE, ask_texts, memory_of
from .messages import (
    Sent,
    beginning_of,
    click_inside,
    deliver,
    notify_command,
    send,
    send_each,
    send_inside,
    send_signed,
    signed,
)
from .nodes import NOWHERE, Rect
from .reading import MOST_ITEMS, WS_DISABLED, Control, Reading, intersection, is_named, item_states, moved, thread_state
from .structures import ComboExItem
from .windows import descendants, rect_of, standard_class_of, style_of

LB_SETSEL: Final = 0x0185
LB_SETCURSEL: Final = 0x0186
LB_GETSEL: Final = 0x0187
LB_GETCURSEL: Final = 0x0188
LB_GETTEXT: Final = 0x0189
LB_GETCOUNT: Final = 0x018B
LB_GETTOPINDEX: Final = 0x018E
LB_SETTOPINDEX: Final = 0x0197
LB_GETITEMRECT: Final = 0x0198
LB_GETITEMHEIGHT: Final = 0x01A1
LB_FINDSTRINGEXACT: Final = 0x01A2
LB_SETCARETINDEX: Final = 0x019E

CB_GETCOUNT: Final = 0x0146
CB_GETCURSEL: Final = 0x0147
CB_GETLBTEXT: Final = 0x0148
CB_SETCURSEL: Final = 0x014E
CB_SHOWDROPDOWN: Final = 0x014F
CB_GETDROPPEDSTATE: Final = 0x0157
CBEM_GETITEMW: Final = 0x040D

_LENGTHS: Final = {LB_GETTEXT: 0x018A, CB_GETLBTEXT: 0x0149}
"""Messages for the length of a text, by that for the text."""

MOST_OF_CLOSED_COMBO: Final = 60
_MOST_UNITS: Final = 0x8000
"""The longest text of an item that is read; programs may say anything."""

_LB_MULTIPLE: Final = 0x0008 | 0x0800  # LBS_MULTIPLESEL, LBS_EXTENDEDSEL
_LB_OWNER_DRAWN: Final = 0x0010 | 0x0020
_LB_SEVERAL_COLUMNS: Final = 0x0200
_LB_OF_SEVERAL_HEIGHTS: Final = 0x0020
_LB_HAS_STRINGS: Final = 0x0040
_CB_OWNER_DRAWN: Final = 0x0010 | 0x0020
_CB_HAS_STRINGS: Final = 0x0200
_CB_KIND: Final = 0x3
_CB_LIST: Final = 3
_LBN_SELCHANGE: Final = 1
_LBN_DOUBLE_CLICK: Final = 2
_CBN_SELCHANGE: Final = 1
_CBN_SELECTED: Final = 9
_ERROR: Final = -1
_RECT_BYTES: Final = 16


def _read_list(control: Control, reading: Reading) -> None:
    root = control.handle == reading.root.handle
    key = f"{control.key}/l" if root else control.key
    if root:
        reading.add(control, "window")
    count = max(0, send_signed(control.handle, LB_GETCOUNT))
    multiple = ("multiselectable",) if control.style & _LB_MULTIPLE else ()
    if root:
        states = item_states(control.enabled, True, "focusable")
        reading.add_item(key, control.key, "list", control.client, count=count, states=states)
    else:
        reading.add(control, "list", ("focusable", *multiple), count=count, actions=("focus",))
    _read_rows(control, reading, key, count)


def _read_rows(control: Control, reading: Reading, key: str, count: int) -> None:
    asked = [Sent(message) for message in (LB_GETCURSEL, LB_GETTOPINDEX, LB_GETITEMHEIGHT)]
    chosen, top, height = map(signed, send_each(control.handle, asked))
    multiple = control.style & _LB_MULTIPLE
    fit = (control.client[3] - control.client[1]) // max(1, height) + 1
    several = control.style & _LB_SEVERAL_COLUMNS or control.style & _LB_OF_SEVERAL_HEIGHTS
    most = MOST_ITEMS if several else min(fit, MOST_ITEMS)
    for index, box, text in _rows(control, range(max(0, top), min(count, top + most))):
        inside = intersection(moved(box, control.client), control.client)
        if inside == NOWHERE:
            break
        selected = send_signed(control.handle, LB_GETSEL, index) > 0 if multiple else index == chosen
        states = item_states(control.enabled, True, "selectable", *(("selected",) if selected else ()))
        actions = ("select", "activate")
        reading.add_item(f"{control.key}/i{index}", key, "list item", inside, name=text, states=states, actions=actions)


def _rows(control: Control, indices: range) -> Iterator[tuple[int, Rect, str]]:
    """Items with their rectangles and texts: all at once from inside the program, or one after the other."""
    if not _draws_rows(control):
        try:
            yield from _rows_inside(control.handle, indices)
        except Refused:
            pass
        else:
            return
    for index in indices:
        yield index, _row_rect(control.handle, index), _row_text(control, index)


def _rows_inside(handle: int, indices: range) -> list[tuple[int, Rect, str]]:
    """Raises Refused where there is no hook, or a text is long; Gone and Hung."""
    memory = memory_of(handle)
    found: list[tuple[int, Rect, str]] = []
    for start in range(0, len(indices), TEXTS_AT_ONCE):
        some = indices[start : start + TEXTS_AT_ONCE]
        boxes = [Sent(LB_GETITEMRECT, index, memory.start + at * _RECT_BYTES) for at, index in enumerate(some)]
        lengths = send_inside(handle, [*boxes, *(Sent(_LENGTHS[LB_GETTEXT], index) for index in some)])[len(some) :]
        if max(map(signed, lengths)) >= TEXT_UNITS:
            raise Refused(f"the list {handle} has long texts")
        send_inside(handle, [Sent(LB_GETTEXT, index, memory.text_at(at)) for at, index in enumerate(some)])
        data = memory.read(0, len(some) * _RECT_BYTES)
        rects = [rect_of(wintypes.RECT.from_buffer_copy(data, at * _RECT_BYTES)) for at in range(len(some))]
        found += zip(some, rects, memory.texts(len(some)), strict=True)
    return found


def _row_rect(handle: int, index: int) -> Rect:
    box = wintypes.RECT()
    send(handle, LB_GETITEMRECT, index, ctypes.addressof(box))
    return rect_of(box)


def _draws_rows(control: Control) -> bool:
    return bool(control.style & _LB_OWNER_DRAWN) and not control.style & _LB_HAS_STRINGS


def _row_text(control: Control, index: int) -> str:
    if _draws_rows(control):
        # Its "texts" are numbers of the program.
        combo = _combo_of(control.handle) if control.kind == "combolbox" else 0
        return _choice_texts(combo, [index])[0] if combo else ""
    return _entry(control.handle, index, LB_GETTEXT)


def _entry(handle: int, index: int, message: int) -> str:
    length = send_signed(handle, _LENGTHS[message], index)
    if length <= 0:
        return ""
    if length > _MOST_UNITS:
        raise Refused(f"item {index} of control {handle} has a text of {length} characters, which is not read")
    buffer = ctypes.create_unicode_buffer(length + 1)
    return buffer.value if send_signed(handle, message, index, buffer) > 0 else ""


def _act_list(part: Part, action: str) -> None:
    if not part.item or action not in {"select", "activate"}:
        act_never(part, action)
    _check_enabled(part.handle)
    index = part.index
    if style_of(part.handle) & _LB_MULTIPLE:
        done = send_signed(part.handle, LB_SETSEL, 1, index)
    else:
        done = send_signed(part.handle, LB_SETCURSEL, index)
    if done == _ERROR:
        raise Refused(f"the list {part.handle} has no item {index}")
    notify_command(part.handle, _LBN_SELCHANGE)
    if action == "activate":
        notify_command(part.handle, _LBN_DOUBLE_CLICK)


def _show_row(part: Part) -> None:
    send(part.handle, LB_SETTOPINDEX, part.index)


def _show_row_named(part: Part, name: str) -> bool:
    if style_of(part.handle) & _LB_OWNER_DRAWN and not style_of(part.handle) & _LB_HAS_STRINGS:
        raise Refused(f"the list {part.handle} has no texts: its program draws the items")
    index = send_signed(part.handle, LB_FINDSTRINGEXACT, 0xFFFFFFFFFFFFFFFF, ctypes.create_unicode_buffer(name))
    if index < 0 or not is_named(_entry(part.handle, index, LB_GETTEXT), name):
        return False
    send(part.handle, LB_SETTOPINDEX, index)
    return True


def _read_combo(control: Control, reading: Reading) -> None:
    open_ = send(control.handle, CB_GETDROPPEDSTATE)
    states = ("focusable", "expandable", "has-popup", *(("expanded",) if open_ else ()))
    editable = control.style & _CB_KIND != _CB_LIST
    text = _chosen_text(control)
    count = max(0, send_signed(control.handle, CB_GETCOUNT))
    reading.add(
        control,
        "combo box",
        (*states, "editable") if editable else states,
        text=text,
        count=count,
        actions=("collapse" if open_ else "open", "focus"),
    )
    if count:
        _read_choices(control, reading, count)


def _chosen_text(control: Control) -> str:
    if not _draws_choices(control.style):
        return beginning_of(control.handle, 1024)
    chosen = send_signed(control.handle, CB_GETCURSEL)
    return "" if chosen < 0 else _choice_texts(control.handle, [chosen])[0]


def _draws_choices(style: int) -> bool:
    """The combo box has no texts, but numbers of the program that draws it."""
    return bool(style & _CB_OWNER_DRAWN) and not style & _CB_HAS_STRINGS


def _read_choices(control: Control, reading: Reading, count: int) -> None:
    key = f"{control.key}/l"
    reading.add_item(key, control.key, "list", count=count, states=item_states(control.enabled, False))
    if count > MOST_OF_CLOSED_COMBO:
        return  # they are read when it is open
    names = _choice_texts(control.handle, range(count))
    chosen = send_signed(control.handle, CB_GETCURSEL)
    for index, name in enumerate(names):
        states = item_states(control.enabled, False, "selectable", *(("selected",) if index == chosen else ()))
        reading.add_item(f"{control.key}/i{index}", key, "list item", name=name, states=states, actions=("select",))


def _choice_texts(handle: int, indices: Sequence[int]) -> list[str]:
    """The texts of choices of a combo box, "" where the program draws them."""
    if not _draws_choices(style_of(handle)):
        return [_entry(handle, index, CB_GETLBTEXT) for index in indices]
    around = dlls.ancestor(handle, 1)
    if standard_class_of(around) != "comboboxex32":
        return ["" for _ in indices]
    items = ask_texts(around, CBEM_GETITEMW, [(0, ComboExItem(mask=1, index=index)) for index in indices])
    return [text for _, text in items]


def _combo_of(handle: int) -> int:
    """The combo box whose open list is the window `handle`: the open one of the active window, 0 where none is."""
    boxes = (box for box in descendants(thread_state(handle).active) if standard_class_of(box) == "combobox")
    return next((box for box in boxes if send(box, CB_GETDROPPEDSTATE)), 0)


def _act_combo(part: Part, action: str) -> None:
    _check_enabled(part.handle)
    if action in {"open", "expand", "collapse"}:
        deliver(part.handle, CB_SHOWDROPDOWN, int(action != "collapse"))
        return
    if not part.item or action != "select":
        act_never(part, action)
    choose(part.handle, part.index)


def choose(handle: int, index: int) -> None:
    """Choose an entry of a combo box as a user does.

    Raises:
        Refused: it has no such entry.
        Gone, Hung: see `messages.send`.
    """
    if send_signed(handle, CB_SETCURSEL, index) == _ERROR:
        raise Refused(f"the combo box {handle} has no entry {index}")
    if send(handle, CB_GETDROPPEDSTATE):
        deliver(handle, CB_SHOWDROPDOWN, 0)
    notify_command(handle, _CBN_SELECTED)
    notify_command(handle, _CBN_SELCHANGE)


def _check_enabled(handle: int) -> None:
    if style_of(handle) & WS_DISABLED:
        raise Refused(f"the control {handle} is disabled")


def _act_dropped(part: Part, action: str) -> None:
    if not part.item or action not in {"select", "activate"}:
        act_never(part, action)
    left, top, right, bottom = _row_rect(part.handle, part.index)
    click_inside(part.handle, ((left + right) // 2, (top + bottom) // 2))


LIST_BOX: Final = Kind(_read_list, _act_list, show=_show_row, show_named=_show_row_named)
DROPPED_LIST: Final = Kind(_read_list, _act_dropped, show=_show_row)
COMBO_BOX: Final = Kind(_read_combo, _act_combo)
