"""Actions on a thing that a tree named, by its key."""

from ctypes import wintypes
from typing import Final

from . import dlls
from .controls import kind_of, read_tree
from .failures import Gone, Refused
from .kinds import Field, Part
from .menus import Menus, is_menu_part
from .messages import WM_NEXTDLGCTL, WM_NULL, deliver, send, thread_of
from .nodes import NOWHERE, Node
from .windows import class_of

_ROOT: Final = 2
_DIALOG: Final = "#32770"


def part_of(key: str) -> Part:
    """The control and item that a key names.

    Raises:
        Gone: the control does not exist any more.
        Refused: it is not a key.
    """
    handle, _, item = key.partition("/")
    if not handle.isdecimal():
        raise Refused(f"{key!r} is not the key of a node")
    if not dlls.is_window(int(handle)):
        raise Gone(f"the control {handle} is gone")
    return Part(int(handle), item)


def act(key: str, action: str, menus: Menus) -> None:
    """Carry out one of the actions of a node. Raises Gone, Hung and Refused."""
    part = part_of(key)
    if is_menu_part(part):
        menus.act(part, action)
    elif action == "focus":
        focus(key)
    else:
        kind_of(part.handle).act(part, action)


def set_value(key: str, value: int) -> None:
    """Set the value of a slider, spin button or scroll bar, and notify its parent. Raises as `act` does."""
    part = part_of(key)
    kind_of(part.handle).set_value(part, value)


def set_text(key: str, text: str) -> None:
    """Replace the text of a field, and notify its parent. Raises as `act` does."""
    part = part_of(key)
    kind_of(part.handle).set_text(part, text)


def insert_text(key: str, at: int, text: str) -> None:
    """Put a text before the character `at` of a field. Raises as `act` does."""
    handle, field = _field(key)
    field.insert(handle, at, text)


def delete_text(key: str, start: int, end: int) -> None:
    """Delete the characters of a field from `start` up to `end`. Raises as `act` does."""
    handle, field = _field(key)
    field.delete(handle, start, end)


def select_text(key: str, start: int, end: int) -> None:
    """Select the characters of a field from `start` up to `end`; the caret is at `end`. Raises as `act` does."""
    handle, field = _field(key)
    field.select(handle, start, end)


def whole_text(key: str) -> str:
    """All of a field's text, with `\\n` as the line end. Raises as `act` does; Refused for a password."""
    handle, field = _field(key)
    return field.whole_text(handle)


def _field(key: str) -> tuple[int, Field]:
    """The handle of a text field, and its functions. Raises Gone; Refused where it is something else."""
    handle = part_of(key).handle
    field = kind_of(handle).field
    if field is None:
        raise Refused(f"the control {handle} is a {class_of(handle)}, not a text field")
    return handle, field


def show(key: str) -> None:
    """Scroll an item into view. Raises as `act` does."""
    part = part_of(key)
    scroll = kind_of(part.handle).show
    if scroll is not None:
        scroll(part)


def texts(key: str, rows: range, columns: range) -> list[list[str]]:
    """The texts of a block of a table, also out of view. Raises as `act` does; Refused where it is outside."""
    part = part_of(key)
    return kind_of(part.handle).texts(part, rows, columns)


def show_named(key: str, name: str) -> bool:
    """Scroll a list, table or tree to its item of this name; False: it has none. Raises as `act` does."""
    part = part_of(key)
    return kind_of(part.handle).show_named(part, name)


def focus(key: str) -> None:
    """Give a control the keyboard, and its window the foreground. Raises as `act` does."""
    part = part_of(key)
    root = dlls.ancestor(part.handle, _ROOT)
    send(root, WM_NULL)
    dlls.set_foreground(root)
    parent = dlls.ancestor(part.handle, 1)
    if part.handle != root and class_of(parent) == _DIALOG:
        deliver(parent, WM_NEXTDLGCTL, part.handle, 1)
        return
    mine, theirs = dlls.current_thread(), thread_of(part.handle)
    dlls.attach_input(mine, theirs, 1)
    dlls.set_focus(part.handle)
    dlls.attach_input(mine, theirs, 0)


def node_at(x: int, y: int, menus: Menus) -> str | None:
    """The key of the smallest thing at a point of the screen, None where there is none. Raises Gone and Hung."""
    handle = dlls.window_at(wintypes.POINT(x, y))
    if not handle:
        return None
    found = [node for node in read_tree(dlls.ancestor(handle, _ROOT), menus).nodes if _covers(node, x, y)]
    return min(reversed(found), key=_area).key if found else None


def _covers(node: Node, x: int, y: int) -> bool:
    left, top, right, bottom = node.rect
    return node.rect != NOWHERE and "showing" in node.states and left <= x < right and top <= y < bottom


def _area(node: Node) -> int:
    left, top, right, bottom = node.rect
    return (right - left) * (bottom - top)
