"""Input of the user, by low-level hooks: what this process sent is marked, all else is theirs."""

import asyncio
import ctypes
import threading
from collections.abc import Callable
from ctypes import c_int, c_size_t, c_ssize_t, c_uint32, wintypes
from typing import Final

from deskhand.desktop.user_guard import Guard
from deskhand.desktop.windows import system
from deskhand.desktop.windows.synthetic import MODIFIERS, key_number

_KEYBOARD, _MOUSE = 13, 14
_QUIT: Final = 0x12
_STARTS_S: Final = 5.0
_KEYS: Final = {0x100: True, 0x101: False, 0x104: True, 0x105: False}
"""Messages of keys: True for those that press one."""
_MOVED: Final = 0x200
_BUTTONS: Final = {0x201: 1, 0x204: 2, 0x207: 3, 0x20B: 4}
"""Messages that press a button; the next number is that of its release."""
_SAID: Final = {True: "pressed", False: "released"}


class _Key(ctypes.Structure):
    """KBDLLHOOKSTRUCT."""

    _fields_ = (("key", c_uint32), ("scan", c_uint32), ("flags", c_uint32), ("time", c_uint32), ("extra", c_size_t))
    key: int
    extra: int


class _Mouse(ctypes.Structure):
    """MSLLHOOKSTRUCT."""

    _fields_ = (
        ("place", wintypes.POINT),
        *(("data", c_uint32), ("flags", c_uint32), ("time", c_uint32), ("extra", c_size_t)),
    )
    extra: int


_Procedure = ctypes.WINFUNCTYPE(c_ssize_t, c_int, c_size_t, c_size_t)


class UserInput:
    """Reports the user's keys, buttons and moves to a guard, until closed. Use `watch`."""

    def __init__(self, guard: Guard) -> None:
        """Raises: ActionRefused for a stop key that there is not."""
        self._guard = guard
        *modifiers, key = guard.rules.stop_key.lower().split("+")
        self._stop_key = (key_number(key) if key else 0, frozenset(MODIFIERS[name] for name in modifiers))
        self._down: set[tuple[str, int]] = set()
        self._loop = asyncio.get_running_loop()
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="user input", daemon=True)
        self._thread_number = 0
        self.works = False

    def start(self) -> None:
        """Begin; `works` is False where the system does not report input. Blocking: a moment."""
        self._thread.start()
        self._started.wait(_STARTS_S)

    def close(self) -> None:
        """End. Blocking: a moment."""
        system.post_to_thread(self._thread_number, _QUIT, 0, 0)
        self._thread.join()

    def _listen(self) -> None:
        """Own the hooks, which the system calls in the thread that set them while it waits for messages."""
        self._thread_number = system.this_thread()
        procedures = [_Procedure(self._on_key), _Procedure(self._on_mouse)]
        hooks = [
            system.set_hook(kind, procedure, system.module(None), 0)
            for kind, procedure in zip((_KEYBOARD, _MOUSE), procedures, strict=True)
        ]
        self.works = all(hooks)
        self._started.set()
        message = wintypes.MSG()
        while self.works and system.next_message(ctypes.byref(message), 0, 0, 0) > 0:
            pass
        for hook in filter(None, hooks):
            system.remove_hook(hook)

    def _on_key(self, code: int, message: int, place: int) -> int:
        event = _Key.from_address(place)
        if code < 0 or event.extra == system.OWN or message not in _KEYS:
            return system.next_hook(0, code, message, place)
        is_down = _KEYS[message]
        self._note(("key", event.key), is_down=is_down)
        if is_down and event.key == self._stop_key[0] and self._holds(self._stop_key[1]):
            self._tell(lambda: self._guard.stop(f"the user pressed {self._guard.rules.stop_key}"))
            return 1  # no program gets it
        self._report(f"{_SAID[is_down]} a key")
        return system.next_hook(0, code, message, place)

    def _on_mouse(self, code: int, message: int, place: int) -> int:
        if code >= 0 and _Mouse.from_address(place).extra != system.OWN:
            button = _BUTTONS.get(message) or _BUTTONS.get(message - 1)
            if button is not None:
                is_down = message in _BUTTONS
                self._note(("button", button), is_down=is_down)
                self._report(f"{_SAID[is_down]} a mouse button")
            else:
                self._report("moved the pointer" if message == _MOVED else "turned the wheel")
        return system.next_hook(0, code, message, place)

    def _note(self, what: tuple[str, int], *, is_down: bool) -> None:
        if is_down:
            self._down.add(what)
        else:
            self._down.discard(what)

    def _holds(self, modifiers: frozenset[int]) -> bool:
        return all(system.is_key_down(key) & 0x8000 for key in modifiers)

    def _report(self, what: str) -> None:
        holding = bool(self._down)
        self._tell(lambda: self._guard.person(what, holding=holding))

    def _tell(self, report: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(report)
