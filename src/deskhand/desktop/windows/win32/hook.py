"""Live menus of another program, read by hook.dll from inside of it."""

import ctypes
from collections.abc import Callable
from typing import Final

from .failures import Gone, Hung, Refused
from .menu_entries import Menu, parsed

_ROOM: Final = 32768
_WINDOW_GONE: Final = -1
_PROGRAM_HANGS: Final = -2


Reader = Callable[[int, bool], Menu]
"""Reads the menu of a window; the second argument: its program brings the states up to date first."""


def load(path: str) -> Reader:
    """The reader of a hook.dll.

    Raises:
        Refused: the file is not such a library.
    """
    try:
        function = ctypes.WinDLL(path)["read_menu"]
    except (OSError, AttributeError) as failed:
        raise Refused(f"{path} is not the hook: {failed}") from failed
    function.argtypes = (ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
    function.restype = ctypes.c_int
    buffer = ctypes.create_unicode_buffer(_ROOM)

    def read(handle: int, prepare: bool) -> Menu:
        length = function(handle, int(prepare), buffer, _ROOM)
        _check(handle, length)
        return parsed(buffer.value)

    return read


def _check(handle: int, length: int) -> None:
    if length == _WINDOW_GONE:
        raise Gone(f"the window {handle} is gone")
    if length == _PROGRAM_HANGS:
        raise Hung(f"the program of window {handle} does not answer")
    if length < 0:
        raise Refused(f"the menu of window {handle} cannot be read: the hook answered {length}")
