"""Events of all windows of a desktop, as the system reports them."""

import ctypes
from collections.abc import Callable
from ctypes import wintypes
from dataclasses import dataclass
from threading import Thread
from typing import Final

from . import dlls

NAMES: Final = {
    0x0003: "foreground",
    0x0004: "menu-start",
    0x0005: "menu-end",
    0x0006: "menu-start",
    0x0007: "menu-end",
    0x8000: "create",
    0x8001: "destroy",
    0x8002: "show",
    0x8003: "hide",
    0x8005: "focus",
    0x8006: "selection",
    0x8007: "selection",
    0x8008: "selection",
    0x8009: "selection",
    0x800A: "state",
    0x800B: "location",
    0x800C: "name",
    0x800E: "value",
}
"""The events that are passed on, by the system's number: EVENT_SYSTEM_… and EVENT_OBJECT_…"""

_RANGES: Final = ((0x0003, 0x0007), (0x8000, 0x800E))
_SKIP_OWN: Final = 0x2
_POINTER: Final = -9
_CARET: Final = -8


@dataclass(frozen=True, slots=True)
class Event:
    """A change that a program reported. `object` and `child` are those of WinEvents."""

    event: str
    hwnd: int
    pid: int
    """Of Windows; 0 where the window is gone."""
    object: int
    child: int


class Listener:
    """Calls `receive` with each event, in a thread of its own."""

    def __init__(self, receive: Callable[[Event], None]) -> None:
        self._receive = receive
        self._callback = dlls.WinEvent(self._handle)

    def start(self) -> None:
        """Listen until the process ends."""
        Thread(target=self._listen, name="events", daemon=True).start()

    def _listen(self) -> None:
        for first, last in _RANGES:
            dlls.set_event_hook(first, last, 0, self._callback, 0, 0, _SKIP_OWN)
        message = wintypes.MSG()
        # Events arrive inside of the wait for messages, of which the thread gets none.
        while dlls.get_message(ctypes.byref(message), 0, 0, 0) > 0:
            pass

    def _handle(self, _hook: int, number: int, handle: int, thing: int, child: int, _thread: int, _time: int) -> None:
        name = NAMES.get(number)
        if name is not None and handle and thing not in {_POINTER, _CARET}:
            pid = wintypes.DWORD()
            dlls.thread_process(handle, ctypes.byref(pid))
            self._receive(Event(name, handle, pid.value, thing, child))
