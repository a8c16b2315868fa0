"""Structures of the common controls, laid out for programs of 64 bits."""

import ctypes
from ctypes import c_int, c_size_t, c_uint8, c_uint32, wintypes


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
        ("place", wintypes.POINT),
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
        ("rect", wintypes.RECT),
        ("module", c_size_t),
        ("text", c_size_t),
        ("data", c_size_t),
        ("reserved", c_size_t),
    )


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

    _fields_ = (("item", c_size_t), ("rect", wintypes.RECT))
    rect: wintypes.RECT
