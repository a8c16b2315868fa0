"""Messages to windows of other programs, none of which waits longer than a second."""

import ctypes
from collections.abc import Callable, Sequence
from ctypes import c_size_t, c_uint32
from typing import Final, NamedTuple

from . import dlls
from .failures import Gone, Hung, Refused

TIMEOUT_MS: Final = 1000
_LONGEST: Final = 1 << 23
"""UTF-16 units of the longest text that is read."""
_ABORT_IF_HUNG: Final = 0x2
_INVALID_WINDOW: Final = 1400

WM_NULL: Final = 0x0000
WM_SETFOCUS: Final = 0x0007
WM_GETTEXT: Final = 0x000D
WM_GETTEXTLENGTH: Final = 0x000E
WM_NEXTDLGCTL: Final = 0x0028
WM_NOTIFY: Final = 0x004E
WM_COMMAND: Final = 0x0111
WM_SYSCOMMAND: Final = 0x0112
WM_HSCROLL: Final = 0x0114
WM_VSCROLL: Final = 0x0115
WM_LBUTTONDOWN: Final = 0x0201
WM_LBUTTONUP: Final = 0x0202
WM_LBUTTONDBLCLK: Final = 0x0203
WM_KEYDOWN: Final = 0x0100
WM_KEYUP: Final = 0x0101
WM_USER: Final = 0x0400


def send(handle: int, message: int, first: int = 0, second: object = 0) -> int:
    """The answer of a window to `message`. `second` is a number, an address or a buffer of ctypes.

    Raises:
        Gone: there is no such window.
        Hung: the program did not answer within a second.
    """
    result = c_size_t()
    if dlls.send_timeout(handle, message, first, second, _ABORT_IF_HUNG, TIMEOUT_MS, ctypes.byref(result)):
        return result.value
    if not dlls.is_window(handle):
        raise Gone(f"the window {handle} is gone")
    raise Hung(f"the program of window {handle} did not answer message {message:#x} within {TIMEOUT_MS} ms")


def send_signed(handle: int, message: int, first: int = 0, second: object = 0) -> int:
    """The same for an answer that may be negative. Raises as `send` does."""
    return signed(send(handle, message, first, second))


class Sent(NamedTuple):
    """A message with its arguments. `follows`: the second one is the answer to the message before, unless that is 0."""

    message: int
    first: int = 0
    second: int = 0
    follows: bool = False


Sender = Callable[[int, Sequence[Sent]], list[int]]
"""Sends a window several messages from inside its program, in which the addresses in them are; returns the answers.
Raises Gone, Hung, and Refused where that is not possible."""

_senders: "list[Sender]" = []


def send_through(sender: Sender) -> None:
    """Send several messages by `sender` from now on: under Wine each takes four switches of process otherwise."""
    _senders[:] = [sender]


def send_inside(handle: int, sent: Sequence[Sent]) -> list[int]:
    """The answers to several messages, in which there may be addresses of the window's program.

    Raises:
        Gone, Hung: see `send`.
        Refused: there is no hook, or it cannot get into the program.
    """
    if not _senders:
        raise Refused(f"there is no hook for messages from inside the program of window {handle}")
    return _senders[0](handle, sent)


def send_each(handle: int, sent: Sequence[Sent]) -> list[int]:
    """The answers to several messages whose arguments the system does not translate. Raises as `send` does."""
    try:
        return send_inside(handle, sent)
    except Refused:
        answers: list[int] = []
        for each in sent:
            last = answers[-1] if answers else 0
            is_over = each.follows and not last
            second = last if each.follows else each.second
            answers.append(0 if is_over else send(handle, each.message, each.first, second))
        return answers


def signed(answer: int) -> int:
    """An answer that may be negative."""
    return ctypes.c_int32(answer & 0xFFFFFFFF).value


def deliver(handle: int, message: int, first: int = 0, second: object = 0) -> None:
    """Send a message whose handler may open a dialog and come back late: that is no failure. Raises as `send` does."""
    try:
        send(handle, message, first, second)
    except Hung:
        send(handle, WM_NULL)


def post(handle: int, message: int, first: int = 0, second: int = 0) -> None:
    """Put a message into a window's queue, once its program has been shown to answer.

    Raises:
        Gone: there is no such window.
        Hung: the program did not answer within a second.
        Refused: the queue did not take it.
    """
    send(handle, WM_NULL)
    if not dlls.post(handle, message, first, second):
        if dlls.last_error() == _INVALID_WINDOW:
            raise Gone(f"the window {handle} is gone")
        raise Refused(f"message {message:#x} was not taken by window {handle}: error {dlls.last_error()}")


def text_of(handle: int) -> str:
    """A window's whole text by WM_GETTEXT. Raises as `send` does, and Refused where it is too long."""
    length = send(handle, WM_GETTEXTLENGTH)
    if length > _LONGEST:
        raise Refused(f"the control {handle} has a text of {length} characters, which is not read")
    return beginning_of(handle, length) if length else ""


def beginning_of(handle: int, most: int) -> str:
    """At most the first `most` UTF-16 units of a window's text. Raises as `send` does."""
    buffer = ctypes.create_unicode_buffer(most + 1)
    send(handle, WM_GETTEXT, most + 1, buffer)
    return buffer.value


def notify_command(handle: int, code: int) -> None:
    """Post to a control's parent the WM_COMMAND that it sends after a user's change. Raises as `post` does."""
    parent = dlls.ancestor(handle, 1)
    post(parent, WM_COMMAND, (code << 16) | (control_id(handle) & 0xFFFF), handle)


def control_id(handle: int) -> int:
    """A control's number in its dialog."""
    return dlls.window_long(handle, -12) & 0xFFFFFFFF


def process_of(handle: int) -> int:
    """The process id of Windows of a window, 0 where it is gone."""
    pid = c_uint32()
    dlls.thread_process(handle, ctypes.byref(pid))
    return pid.value


def thread_of(handle: int) -> int:
    """The id of the thread that made a window, 0 where it is gone."""
    return dlls.thread_process(handle, None)


def point(x: int, y: int) -> int:
    """Two coordinates as one argument of a message."""
    return (x & 0xFFFF) | ((y & 0xFFFF) << 16)


def click_inside(handle: int, place: tuple[int, int], *, double: bool = False) -> None:
    """Post a left click at a place of a window's client area, without the pointer. Raises as `post` does."""
    where = point(*place)
    post(handle, WM_LBUTTONDOWN, 1, where)
    post(handle, WM_LBUTTONUP, 0, where)
    if double:
        post(handle, WM_LBUTTONDBLCLK, 1, where)
        post(handle, WM_LBUTTONUP, 0, where)
