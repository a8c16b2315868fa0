"""Structures of the common controls, as programs of this word size have them, and as those of 32 bits do."""

import ctypes
from collections.abc import Iterator
from ctypes import c_int, c_size_t, c_uint8, c_uint32
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar, cast

Layout: TypeAlias = ctypes.Structure | ctypes.Union
L = TypeVar("L", bound=Layout)

_PADDING: Final = "reserved"
"""Name of bytes that fill a structure up to the next address."""
_PADDING_OF_32: Final = c_uint8 * 2


class Corner(ctypes.Structure):
    """POINT."""

    _fields_ = (("x", c_int), ("y", c_int))


class Box(ctypes.Structure):
    """RECT."""

    _fields_ = (("left", c_int), ("top", c_int), ("right", c_int), ("bottom", c_int))
    left: int
    top: int
    right: int
    bottom: int


class Texted(ctypes.Structure):
    """A structure with the address of a text and the room there is for it."""

    text: int
    units: int


class ListItem(Texted):
    """LVITEMW."""

    _fields_ = (
        ("mask", c_uint32),
        ("index", c_int),
        ("column", c_int),
        ("state", c_uint32),
        ("state_mask", c_uint32),
        ("text", c_size_t),
        ("units", c_int),
        ("image", c_int),
        ("data", c_size_t),
        ("indent", c_int),
        ("group", c_int),
        ("column_count", c_uint32),
        ("column_list", c_size_t),
        ("column_formats", c_size_t),
        ("group_index", c_int),
    )
    index: int
    state: int


class FindItem(ctypes.Structure):
    """LVFINDINFOW."""

    _fields_ = (
        ("flags", c_uint32),
        ("text", c_size_t),
        ("data", c_size_t),
        ("place", Corner),
        ("direction", c_uint32),
    )


class TreeItem(Texted):
    """TVITEMW."""

    _fields_ = (
        ("mask", c_uint32),
        ("item", c_size_t),
        ("state", c_uint32),
        ("state_mask", c_uint32),
        ("text", c_size_t),
        ("units", c_int),
        ("image", c_int),
        ("selected_image", c_int),
        ("children", c_int),
        ("data", c_size_t),
    )
    item: int
    state: int
    children: int


class TabItem(Texted):
    """TCITEMW."""

    _fields_ = (
        ("mask", c_uint32),
        ("state", c_uint32),
        ("state_mask", c_uint32),
        ("text", c_size_t),
        ("units", c_int),
        ("image", c_int),
        ("data", c_size_t),
    )


class HeaderItem(Texted):
    """HDITEMW."""

    _fields_ = (
        ("mask", c_uint32),
        ("width", c_int),
        ("text", c_size_t),
        ("bitmap", c_size_t),
        ("units", c_int),
        ("format", c_int),
        ("data", c_size_t),
        ("image", c_int),
        ("order", c_int),
        ("type", c_uint32),
        ("filter", c_size_t),
        ("state", c_uint32),
    )


class ComboExItem(Texted):
    """COMBOBOXEXITEMW."""

    _fields_ = (
        ("mask", c_uint32),
        ("index", c_size_t),
        ("text", c_size_t),
        ("units", c_int),
        ("image", c_int),
        ("selected_image", c_int),
        ("overlay", c_int),
        ("indent", c_int),
        ("data", c_size_t),
    )


class ToolInfo(Texted):
    """TTTOOLINFOW; it has no field for the room of its text."""

    _fields_ = (
        ("size", c_uint32),
        ("flags", c_uint32),
        ("window", c_size_t),
        ("tool", c_size_t),
        ("rect", Box),
        ("module", c_size_t),
        ("text", c_size_t),
        ("data", c_size_t),
        ("more", c_size_t),
    )
    flags: int
    window: int
    tool: int


class ToolButton(ctypes.Structure):
    """TBBUTTON."""

    _fields_ = (
        ("image", c_int),
        ("command", c_int),
        ("state", c_uint8),
        ("style", c_uint8),
        ("reserved", c_uint8 * 6),
        ("data", c_size_t),
        ("string", c_size_t),
    )
    command: int
    state: int
    style: int
    string: int


class TreeRect(ctypes.Union):
    """The argument of TVM_GETITEMRECT: an item, then its rectangle."""

    _fields_ = (("item", c_size_t), ("rect", Box))
    rect: Box


class TextRange(ctypes.Structure):
    """Sci_TextRange: the bytes from `start` up to `end` go to the address `text`, with a final zero."""

    _fields_ = (("start", c_int), ("end", c_int), ("text", c_size_t))


def size_of(kind: type[Layout], *, in_32: bool) -> int:
    """The number of bytes that a structure has in a program, `in_32` bits."""
    return ctypes.sizeof(_of_32(kind) if in_32 else kind)


def encoded(structure: Layout, *, in_32: bool) -> bytes:
    """The bytes of a structure in a program; of 32 bits numbers and addresses have the lower half."""
    if not in_32:
        return bytes(structure)
    small = _of_32(type(structure))()
    for name in _names(type(structure)):
        setattr(small, name, getattr(structure, name))
    return bytes(small)


def decoded(kind: type[L], data: bytes, offset: int, *, in_32: bool) -> L:
    """A structure from its bytes in a program."""
    if not in_32:
        return kind.from_buffer_copy(data, offset)
    small, found = _of_32(kind).from_buffer_copy(data, offset), kind()
    for name in _names(kind):
        setattr(found, name, getattr(small, name))
    return found


@cache
def _of_32(kind: type[Layout]) -> type[Layout]:
    """The same structure with addresses and handles of four bytes."""
    fields = [
        (name, _PADDING_OF_32 if name == _PADDING else c_uint32 if of is c_size_t else of) for name, of in _fields(kind)
    ]
    base = ctypes.Union if issubclass(kind, ctypes.Union) else ctypes.Structure
    return cast("type[Layout]", type(f"{kind.__name__}Of32", (base,), {"_fields_": fields}))


def _names(kind: type[Layout]) -> Iterator[str]:
    return (name for name, _ in _fields(kind) if name != _PADDING)


def _fields(kind: type[Layout]) -> list[tuple[str, Any]]:  # types of ctypes
    return [(str(field[0]), field[1]) for field in cast("Any", kind)._fields_]
