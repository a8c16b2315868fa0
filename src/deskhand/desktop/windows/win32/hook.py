"""Work inside another program, done by hook.dll: reading its live menus, and sending it many messages in one turn."""

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from .failures import Gone, Hung, OtherWordSize, Refused
from .menu_entries import Menu, parsed
from .messages import Sender, Sent

_ROOM: Final = 32768
_WINDOW_GONE: Final = -1
_PROGRAM_HANGS: Final = -2
_OTHER_WORD_SIZE: Final = -3
_MOST_SENT: Final = 512


Reader = Callable[[int, bool], Menu]
"""Reads the menu of a window; the second argument: its program brings the states up to date first."""


class _Sent(ctypes.Structure):
    """Sent of hook.c."""

    _fields_ = (
        *(("first", ctypes.c_uint64), ("second", ctypes.c_uint64)),
        *(("message", ctypes.c_uint32), ("follows", ctypes.c_uint32)),
    )


@dataclass(frozen=True, slots=True)
class Hook:
    """The functions of a hook.dll."""

    read_menu: Reader
    send_many: Sender


def load(path: str) -> Hook:
    """The functions of a hook.dll.

    Raises:
        Refused: the file is not such a library, or one of another version.
    """
    try:
        library = ctypes.WinDLL(path)
        read_menu, send_many = library["read_menu"], library["send_many"]
    except (OSError, AttributeError) as failed:
        raise Refused(f"{path} is not the hook of this version: {failed}") from failed
    read_menu.argtypes = (ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
    send_many.argtypes = (ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    read_menu.restype = send_many.restype = ctypes.c_int
    buffer = ctypes.create_unicode_buffer(_ROOM)

    def read(handle: int, prepare: bool) -> Menu:
        _check(handle, read_menu(handle, int(prepare), buffer, _ROOM))
        return parsed(buffer.value)

    def send(handle: int, sent: Sequence[Sent]) -> list[int]:
        found: list[int] = []
        for at in range(0, len(sent), _MOST_SENT):
            some = [_Sent(each.first, each.second, each.message, each.follows) for each in sent[at : at + _MOST_SENT]]
            answers = (ctypes.c_uint64 * len(some))()
            _check(handle, send_many(handle, (_Sent * len(some))(*some), len(some), answers))
            found += answers
        return found

    return Hook(read, send)


def _check(handle: int, answer: int) -> None:
    if answer == _WINDOW_GONE:
        raise Gone(f"the window {handle} is gone")
    if answer == _PROGRAM_HANGS:
        raise Hung(f"the program of window {handle} does not answer")
    if answer == _OTHER_WORD_SIZE:
        raise OtherWordSize(f"the program of window {handle} has another word size than the hook")
    if answer < 0:
        raise Refused(f"the hook cannot work in the program of window {handle}: it answered {answer}")
