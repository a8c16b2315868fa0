"""The top-level windows of a desktop."""

import ctypes
from ctypes import c_uint32, wintypes
from functools import lru_cache
from pathlib import PureWindowsPath

from . import dlls
from .class_names import standard_class
from .failures import Gone
from .messages import process_of
from .nodes import Rect, Window
from .structures import Box

_NAME_UNITS = 512
_OWNER = 4
_STYLE = -16
_QUERY = 0x1000  # PROCESS_QUERY_LIMITED_INFORMATION
_X_WINDOW = "__wine_x11_whole_window"


def windows() -> list[Window]:
    """The visible top-level windows, the topmost first."""
    active = dlls.foreground()
    return [_window(handle, active) for handle in top_level() if dlls.is_visible(handle)]


def top_level() -> list[int]:
    """Handles of all top-level windows, hidden ones included."""
    collector = _Collector()
    dlls.enum_windows(collector.callback, 0)
    return collector.found


def descendants(handle: int) -> list[int]:
    """Handles of all windows inside a window, parents before their children, in the order of the Tab key."""
    collector = _Collector()
    dlls.enum_children(handle, collector.callback, 0)
    return collector.found


@lru_cache(maxsize=4096)  # a handle's upper half counts its uses, so that it is not soon used again
def class_of(handle: int) -> str:
    """The name of a window's class.

    Raises:
        Gone: there is no such window.
    """
    buffer = ctypes.create_unicode_buffer(256)
    if not dlls.class_name(handle, buffer, 256):
        raise Gone(f"the window {handle} is gone")
    return buffer.value


def standard_class_of(handle: int) -> str:
    """The class whose messages a control answers, see `standard_class`. Raises Gone."""
    return standard_class(class_of(handle))


def caption_of(handle: int) -> str:
    """The text that the system itself stores for a window: of frames, buttons and labels, not of fields."""
    buffer = ctypes.create_unicode_buffer(_NAME_UNITS)
    dlls.internal_text(handle, buffer, _NAME_UNITS)
    return buffer.value


def info_of(handle: int) -> dlls.WindowInfo:
    """A window's rectangles and styles.

    Raises:
        Gone: there is no such window.
    """
    info = dlls.WindowInfo(size=ctypes.sizeof(dlls.WindowInfo))
    if not dlls.window_info(handle, ctypes.byref(info)):
        raise Gone(f"the window {handle} is gone")
    return info


def style_of(handle: int) -> int:
    """A window's style, 0 where it is gone."""
    return dlls.window_long(handle, _STYLE) & 0xFFFFFFFF


def outer_rect(handle: int) -> Rect:
    """A window's rectangle on the screen.

    Raises:
        Gone: there is no such window.
    """
    box = wintypes.RECT()
    if not dlls.window_rect(handle, ctypes.byref(box)):
        raise Gone(f"the window {handle} is gone")
    return rect_of(box)


def rect_of(box: wintypes.RECT | Box) -> Rect:
    """A rectangle of the system as four numbers."""
    return (box.left, box.top, box.right, box.bottom)


def program_path(pid: int) -> str:
    """The path of a process's program, empty where the process is gone."""
    process = dlls.open_process(_QUERY, 0, pid)
    if not process:
        return ""
    size = c_uint32(1024)
    buffer = ctypes.create_unicode_buffer(size.value)
    found = dlls.image_name(process, 0, buffer, ctypes.byref(size))
    dlls.close_handle(process)
    return buffer.value if found else ""


@lru_cache(maxsize=512)
def _program(_: int, pid: int) -> str:
    """The name of the program of a window: handles and process ids are used again, but hardly both together."""
    return PureWindowsPath(program_path(pid)).name


def _window(handle: int, active: int) -> Window:
    pid = process_of(handle)
    return Window(
        hwnd=handle,
        pid=pid,
        xid=dlls.property_of(handle, _X_WINDOW),
        window_class=class_of(handle),
        name=caption_of(handle),
        rect=outer_rect(handle),
        owner=dlls.related(handle, _OWNER),
        active=handle == active,
        program=_program(handle, pid),
    )


class _Collector:
    def __init__(self) -> None:
        self.found: list[int] = []
        self.callback = dlls.EnumWindow(self._add)

    def _add(self, handle: int, _: int) -> int:
        self.found.append(handle)
        return 1
