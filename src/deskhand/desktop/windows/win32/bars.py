"""Tabs, tool bars and status bars."""

from ctypes import wintypes
from typing import Final

from .failures import Refused
from .kinds import Kind, Part, act_never
from .memory import SIZE, ask, ask_texts, memory_of, wide
from .messages import click_inside, deliver, send, send_signed
from .nodes import NOWHERE
from .reading import WS_DISABLED, Control, Reading, intersection, item_states, moved, without_ampersand
from .structures import TabItem, ToolButton
from .tips import tip_of_button
from .windows import rect_of, style_of

TCM_GETITEMCOUNT: Final = 0x1304
TCM_GETITEMRECT: Final = 0x130A
TCM_GETCURSEL: Final = 0x130B
TCM_SETCURFOCUS: Final = 0x1330
TCM_GETITEMW: Final = 0x133C
TB_GETBUTTON: Final = 0x0417
TB_BUTTONCOUNT: Final = 0x0418
TB_GETITEMRECT: Final = 0x041D
TB_GETTOOLTIPS: Final = 0x0423
TB_GETBUTTONTEXTW: Final = 0x044B
SB_GETPARTS: Final = 0x0406
SB_GETRECT: Final = 0x040A
SB_GETTEXTLENGTHW: Final = 0x040C
SB_GETTEXTW: Final = 0x040D
SB_ISSIMPLE: Final = 0x040E

MOST_PARTS: Final = 128

_TAB_TEXT: Final = 0x1
_CHECKED: Final = 0x01
_ENABLED: Final = 0x04
_HIDDEN: Final = 0x08
_SEPARATOR: Final = 0x01
_CHECK: Final = 0x02
_DROP_DOWN: Final = 0x08
_WHOLE_DROP_DOWN: Final = 0x80
_NO_STRING: Final = 0xFFFFFFFF
_OWNER_DRAWN_PART: Final = 0x1000
_SIMPLE_PART: Final = 255


def _read_tabs(control: Control, reading: Reading) -> None:
    count = min(MOST_PARTS, max(0, send_signed(control.handle, TCM_GETITEMCOUNT)))
    reading.add(control, "page tab list", ("focusable",), count=count, actions=("focus",))
    chosen = send_signed(control.handle, TCM_GETCURSEL)
    tabs = ask_texts(control.handle, TCM_GETITEMW, [(index, TabItem(mask=_TAB_TEXT)) for index in range(count)])
    boxes = ask(control.handle, TCM_GETITEMRECT, [(index, wintypes.RECT()) for index in range(count)])
    for index, ((_, text), box) in enumerate(zip(tabs, boxes, strict=True)):
        rect = intersection(moved(rect_of(box), control.client), control.rect)
        selected = ("selected",) if index == chosen else ()
        reading.add_item(
            f"{control.key}/i{index}",
            control.key,
            "page tab",
            rect,
            name=without_ampersand(text),
            states=item_states(control.enabled, rect != NOWHERE, "selectable", *selected),
            actions=("select",),
        )


def _act_tabs(part: Part, action: str) -> None:
    if not part.item or action != "select":
        act_never(part, action)
    if part.index >= send_signed(part.handle, TCM_GETITEMCOUNT):
        raise Refused(f"the tab control {part.handle} has no tab {part.index}")
    deliver(part.handle, TCM_SETCURFOCUS, part.index)


def _read_tools(control: Control, reading: Reading) -> None:
    count = min(MOST_PARTS, max(0, send_signed(control.handle, TB_BUTTONCOUNT)))
    reading.add(control, "tool bar", name=control.caption)
    tips = send(control.handle, TB_GETTOOLTIPS)
    buttons = ask(control.handle, TB_GETBUTTON, [(index, ToolButton()) for index in range(count)])
    boxes = ask(control.handle, TB_GETITEMRECT, [(index, wintypes.RECT()) for index in range(count)])
    for index, (button, box) in enumerate(zip(buttons, boxes, strict=True)):
        if button.state & _HIDDEN:
            continue
        rect = intersection(moved(rect_of(box), control.client), control.client)
        inside = rect != NOWHERE
        key = f"{control.key}/i{index}"
        if button.style & _SEPARATOR:
            reading.add_item(key, control.key, "separator", rect, states=item_states(False, inside))
            continue
        tip = tip_of_button(tips, control.handle, button.command) if tips else ""
        text = "" if button.string & _NO_STRING == _NO_STRING else _button_text(control.handle, button.command)
        reading.add_item(
            key,
            control.key,
            "toggle button" if button.style & _CHECK else "push button",
            rect,
            name=without_ampersand(text) or tip or reading.commands.get(button.command, ""),
            description=tip if text else "",
            states=item_states(control.enabled and bool(button.state & _ENABLED), inside, *_tool_states(button)),
            actions=("press", "open") if _drops_down(button) else ("press",),
        )


def _tool_states(button: ToolButton) -> tuple[str, ...]:
    checkable = ("checkable",) if button.style & _CHECK else ()
    checked = ("checked", "pressed") if button.state & _CHECKED else ()
    return (*checkable, *checked, *(("has-popup",) if _drops_down(button) else ()))


def _drops_down(button: ToolButton) -> bool:
    return bool(button.style & (_DROP_DOWN | _WHOLE_DROP_DOWN))


def _button_text(handle: int, command: int) -> str:
    memory = memory_of(handle)
    length = send_signed(handle, TB_GETBUTTONTEXTW, command, 0)
    if length <= 0 or length * 2 + 2 > SIZE:
        return ""
    length = send_signed(handle, TB_GETBUTTONTEXTW, command, memory.start)
    return wide(memory.read(0, max(0, length) * 2))


def _act_tools(part: Part, action: str) -> None:
    if not part.item or action not in {"press", "open"}:
        act_never(part, action)
    (button,) = ask(part.handle, TB_GETBUTTON, [(part.index, ToolButton())])
    if not button.state & _ENABLED or style_of(part.handle) & WS_DISABLED:
        raise Refused(f"the button {part.index} of tool bar {part.handle} is disabled")
    (box,) = ask(part.handle, TB_GETITEMRECT, [(part.index, wintypes.RECT())])
    across = box.right - 4 if action == "open" else box.left + 8
    click_inside(part.handle, (across, (box.top + box.bottom) // 2))


def _read_status(control: Control, reading: Reading) -> None:
    simple = send(control.handle, SB_ISSIMPLE)
    reading.add(control, "status bar")
    count = 1 if simple else min(MOST_PARTS, send(control.handle, SB_GETPARTS))
    boxes = ask(control.handle, SB_GETRECT, [(index, wintypes.RECT()) for index in range(count)])
    for index, box in enumerate(boxes):
        rect = intersection(moved(rect_of(box), control.client), control.client)
        reading.add_item(
            f"{control.key}/i{index}",
            control.key,
            "label",
            rect,
            name=_part_text(control.handle, _SIMPLE_PART if simple else index),
            states=item_states(control.enabled, rect != NOWHERE),
        )


def _part_text(handle: int, index: int) -> str:
    answer = send(handle, SB_GETTEXTLENGTHW, index)
    length, drawing = answer & 0xFFFF, answer >> 16
    if not length or drawing & _OWNER_DRAWN_PART or length * 2 + 2 > SIZE:
        return ""
    memory = memory_of(handle)
    send(handle, SB_GETTEXTW, index, memory.start)
    return wide(memory.read(0, length * 2)).replace("\t", " ").strip()


TABS: Final = Kind(_read_tabs, _act_tabs)
TOOL_BAR: Final = Kind(_read_tools, _act_tools)
STATUS_BAR: Final = Kind(_read_status)
