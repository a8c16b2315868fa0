"""Structures of controls in programs of 32 bits; their sizes are those of the headers of Windows."""

import pytest

from deskhand.desktop.windows.win32 import structures
from deskhand.desktop.windows.win32.structures import (
    Box,
    FindItem,
    Layout,
    ListItem,
    ToolButton,
    TreeRect,
    decoded,
    encoded,
    size_of,
)

pytestmark = pytest.mark.requires("windows.32bits")

SIZES = {
    "ComboExItem": (56, 36),
    "FindItem": (40, 24),
    "HeaderItem": (72, 48),
    "ListItem": (88, 60),
    "TabItem": (40, 28),
    "TextRange": (16, 12),
    "ToolButton": (32, 20),
    "ToolInfo": (72, 48),
    "TreeItem": (56, 40),
    "TreeRect": (16, 16),
}
"""In bytes, with 64 bits and with 32."""


@pytest.mark.parametrize("name", SIZES)
def test_a_structure_has_the_size_of_the_headers(name: str) -> None:
    kind: type[Layout] = getattr(structures, name)
    assert (size_of(kind, in_32=False), size_of(kind, in_32=True)) == SIZES[name]


def test_a_structure_of_32_bits_has_its_fields_where_the_program_has_them() -> None:
    item = ListItem(mask=1, index=2, column=3, state=4, state_mask=5, text=0x12345678, units=260)
    data = encoded(item, in_32=True)
    assert [int.from_bytes(data[at : at + 4], "little") for at in range(0, 28, 4)] == [1, 2, 3, 4, 5, 0x12345678, 260]
    assert encoded(decoded(ListItem, data, 0, in_32=True), in_32=False) == bytes(item)
    button = ToolButton(image=-1, command=7, state=4, style=2, data=9, string=0xFFFFFFFF)
    data = bytes(4) + encoded(button, in_32=True)
    assert data[-4:] == b"\xff" * 4
    assert bytes(decoded(ToolButton, data, 4, in_32=True)) == bytes(button)
    assert encoded(FindItem(text=8), in_32=True)[4:8] == bytes([8, 0, 0, 0])


def test_an_item_and_its_rectangle_are_in_one_place() -> None:
    assert encoded(TreeRect(item=0xABCD), in_32=True)[:4] == bytes([0xCD, 0xAB, 0, 0])
    box = decoded(TreeRect, bytes(Box(1, 2, 3, 4)), 0, in_32=True).rect
    assert (box.left, box.top, box.right, box.bottom) == (1, 2, 3, 4)
