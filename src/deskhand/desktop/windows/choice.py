"""Which source of controls serves a window."""

from collections.abc import Sequence
from typing import Final

from deskhand.desktop.windows.win32.nodes import Node

WIN32: Final = "win32"
"""Messages of Win32."""
UIA: Final = "uia"
"""UI Automation."""
_FRAMES: Final = frozenset({"dialog", "frame", "internal frame", "panel", "scroll bar", "separator", "window"})
_MENUS: Final = frozenset({"check menu item", "menu", "menu bar", "menu item", "popup menu", "radio menu item"})


def exposes_nothing(nodes: Sequence[Node]) -> bool:
    """True if a window has no controls of Win32 but menus and frames: its program draws its own."""
    return all(node.role in _FRAMES | _MENUS for node in nodes)


def is_place(handle: str) -> bool:
    """True if the handle of a control names a place in its list or parent, and not an object."""
    inner = handle.partition("/")[2]
    return inner != "" and (":" in inner or not inner.startswith("u"))
