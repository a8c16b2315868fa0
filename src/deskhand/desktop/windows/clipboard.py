"""The clipboard, blocking. Its formats have the names of X11: text is `UTF8_STRING`."""

import ctypes
from collections.abc import Mapping
from time import monotonic
from typing import Final

from deskhand.core.errors import ActionDeadline
from deskhand.desktop.windows import system

TEXT: Final = "UTF8_STRING"
_UNICODE_TEXT: Final = 13
_MOVEABLE: Final = 0x2
_LONGEST_NAME: Final = 256
_OPENS_S: Final = 1.0
"""Time in which another program is to close the clipboard."""


class _Opened:
    """The clipboard, open for this process alone."""

    def __enter__(self) -> None:
        end = monotonic() + _OPENS_S
        while not system.open_clipboard(0):
            if monotonic() > end:
                raise ActionDeadline(
                    f"another program has had the clipboard open for {_OPENS_S:g} s", fix="try again", retry_safe=True
                )

    def __exit__(self, *_: object) -> None:
        system.close_clipboard()


def number() -> int:
    """Return a number that grows with each change of the clipboard."""
    return system.clipboard_number()


def offer(formats: Mapping[str, bytes]) -> None:
    """Put contents on the clipboard, and nothing for none. Raises: ActionDeadline."""
    with _Opened():
        system.empty_clipboard()
        for name, content in formats.items():
            _put(name, content)


def read(name: str) -> bytes:
    """Return the content of one form, empty where there is none. Raises: ActionDeadline."""
    with _Opened():
        return _content(_format(name), name)


def read_all() -> dict[str, bytes]:
    """Return all forms that are bytes by their names. Raises: ActionDeadline."""
    found: dict[str, bytes] = {}
    with _Opened():
        format_ = 0
        while format_ := system.next_format(format_):
            if name := _name(format_):
                found[name] = _content(format_, name)
    return found


def _put(name: str, content: bytes) -> None:
    data = (
        content.decode(errors="replace").replace("\n", "\r\n").encode("utf-16-le") + b"\0\0"
        if name == TEXT
        else content
    )
    memory = system.allocate_global(_MOVEABLE, max(1, len(data)))
    ctypes.memmove(system.lock_global(memory), data, len(data))
    system.unlock_global(memory)
    system.set_clipboard_data(_format(name), memory)


def _content(format_: int, name: str) -> bytes:
    memory = system.clipboard_data(format_)
    if not memory:
        return b""
    data = ctypes.string_at(system.lock_global(memory), system.size_global(memory))
    system.unlock_global(memory)
    if name != TEXT:
        return data
    text = data.decode("utf-16-le", errors="replace").partition("\0")[0]
    return text.replace("\r\n", "\n").encode()


def _format(name: str) -> int:
    return _UNICODE_TEXT if name == TEXT else system.register_format(name)


def _name(format_: int) -> str:
    if format_ == _UNICODE_TEXT:
        return TEXT
    buffer = ctypes.create_unicode_buffer(_LONGEST_NAME)
    return buffer.value if system.format_name(format_, buffer, _LONGEST_NAME) else ""
