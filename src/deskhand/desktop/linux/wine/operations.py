"""AT-SPI calls that change something in a Windows program, or have to be asked of it, as requests to the helper."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.wine.accessible import Answer, Asked, NoSuchMember, interfaces_of
from deskhand.desktop.linux.wine.helper import HelperRefusal
from deskhand.desktop.linux.wine.window_tree import Control

Ask: TypeAlias = Callable[..., Awaitable[Any]]  # an answer of the helper is JSON
Operation: TypeAlias = Callable[["Ask", Control, Asked], Awaitable[Answer]]

_DONE: Final[Answer] = ("b", [True])
_NOT_DONE: Final[Answer] = ("b", [False])


def is_operation(asked: Asked, interface: str, member: str) -> bool:
    """True for a call that `operate` answers; a text is asked for where only its beginning was read."""
    if (interface, member) == (calls.TEXT, "GetText"):
        return asked.control is not None and asked.control.length is not None
    return (interface, member) in _OPERATIONS or (interface, member) == (calls.PROPERTIES, "Set")


async def operate(ask: Ask, asked: Asked, interface: str, member: str) -> Answer:
    """Perform a call on a control. Raises: NoSuchMember, HelperRefusal, DesktopGone."""
    if (interface, member) == (calls.PROPERTIES, "Set"):
        return await _set_property(ask, asked)
    operation = _OPERATIONS[interface, member]
    if asked.control is None or interface not in interfaces_of(asked.control):
        raise NoSuchMember
    return await operation(ask, asked.control, asked)


async def _set_property(ask: Ask, asked: Asked) -> Answer:
    interface, name, value = asked.arguments
    if (interface, name) == (calls.APPLICATION, "Id"):
        return "", []  # the registry numbers applications
    if (interface, name) != (calls.VALUE, "CurrentValue") or asked.control is None or asked.control.value is None:
        raise NoSuchMember
    await ask("set_value", key=asked.control.key, value=round(value.value))
    return "", []


async def _do_action(ask: Ask, control: Control, asked: Asked) -> Answer:
    at = int(asked.arguments[0])
    if not 0 <= at < len(control.actions):
        return _NOT_DONE
    await ask("act", key=control.key, action=control.actions[at])
    return _DONE


async def _focus(ask: Ask, control: Control, _: Asked) -> Answer:
    await ask("focus", key=control.key)
    return _DONE


async def _show(ask: Ask, control: Control, _: Asked) -> Answer:
    await ask("show", key=control.key)
    return _DONE


async def _at_point(ask: Ask, control: Control, asked: Asked) -> Answer:
    x, y, space = map(int, asked.arguments)
    if space == calls.WINDOW and asked.tree:
        left, top, *_ = asked.tree.controls[asked.tree.root].rect
        x, y = x + left, y + top
    key = await ask("at", x=x, y=y)
    del control
    return "(so)", [list(asked.program.ref(key) if key else ("", calls.NULL_PATH))]


async def _whole_text(ask: Ask, control: Control, asked: Asked) -> Answer:
    start, end = map(int, asked.arguments)
    text = str(await ask("text", key=control.key))
    return "s", [text[max(start, 0) : len(text) if end < 0 else end]]


async def _set_caret(ask: Ask, control: Control, asked: Asked) -> Answer:
    at = int(asked.arguments[0])
    await ask("select_text", key=control.key, start=at, end=at)
    return _DONE


async def _select_text(ask: Ask, control: Control, asked: Asked) -> Answer:
    start, end = map(int, asked.arguments[-2:])
    await ask("select_text", key=control.key, start=start, end=end)
    return _DONE


async def _select_no_text(ask: Ask, control: Control, _: Asked) -> Answer:
    await ask("select_text", key=control.key, start=control.caret, end=control.caret)
    return _DONE


async def _set_text(ask: Ask, control: Control, asked: Asked) -> Answer:
    await ask("set_text", key=control.key, text=str(asked.arguments[0]))
    return _DONE


async def _insert_text(ask: Ask, control: Control, asked: Asked) -> Answer:
    at, text, length = asked.arguments
    await ask("insert_text", key=control.key, at=int(at), text=str(text)[: int(length)])
    return _DONE


async def _delete_text(ask: Ask, control: Control, asked: Asked) -> Answer:
    start, end = map(int, asked.arguments)
    end = end if end >= 0 else (control.length or len(control.text or ""))
    await ask("delete_text", key=control.key, start=max(0, start), end=max(start, end))
    return _DONE


async def _select_child(ask: Ask, control: Control, asked: Asked) -> Answer:
    at = int(asked.arguments[0])
    if not 0 <= at < len(control.children):
        return _NOT_DONE
    await ask("act", key=control.children[at], action="select")
    return _DONE


async def _texts(ask: Ask, control: Control, asked: Asked) -> Answer:
    row, rows_end, column, columns_end = map(int, asked.arguments)
    ends = {"row": row, "rows_end": rows_end, "column": column, "columns_end": columns_end}
    return "aas", [await ask("texts", key=control.key, **ends)]


async def _show_named(ask: Ask, control: Control, asked: Asked) -> Answer:
    return "b", [bool(await ask("show_named", key=control.key, name=str(asked.arguments[0])))]


async def _refuse(_: Ask, control: Control, asked: Asked) -> Answer:
    del control, asked
    raise HelperRefusal("refused", "only one item is selected at a time")


_OPERATIONS: Final[Mapping[tuple[str, str], Operation]] = {
    (calls.ACTION, "DoAction"): _do_action,
    (calls.COMPONENT, "GrabFocus"): _focus,
    (calls.COMPONENT, "ScrollTo"): _show,
    (calls.COMPONENT, "GetAccessibleAtPoint"): _at_point,
    (calls.TEXT, "GetText"): _whole_text,
    (calls.TEXT, "SetCaretOffset"): _set_caret,
    (calls.TEXT, "AddSelection"): _select_text,
    (calls.TEXT, "SetSelection"): _select_text,
    (calls.TEXT, "RemoveSelection"): _select_no_text,
    (calls.EDITABLE_TEXT, "SetTextContents"): _set_text,
    (calls.EDITABLE_TEXT, "InsertText"): _insert_text,
    (calls.EDITABLE_TEXT, "DeleteText"): _delete_text,
    (calls.SELECTION, "SelectChild"): _select_child,
    (calls.LONG_LIST, "GetTexts"): _texts,
    (calls.LONG_LIST, "ShowNamed"): _show_named,
    (calls.SELECTION, "DeselectChild"): _refuse,
    (calls.SELECTION, "SelectAll"): _refuse,
    (calls.SELECTION, "ClearSelection"): _refuse,
}


def changes_nothing(member: str) -> bool:
    """True for a call that has to be asked of the program, and leaves it as it is."""
    return member in {"GetAccessibleAtPoint", "GetText", "GetTexts"}
