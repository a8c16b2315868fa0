"""A person at a display, as a second X client or at a VNC viewer; and a window that says what reached it."""

import socket
import struct
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import anyio
from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives.ciphers import Cipher, modes
from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import xtest

from deskhand.core.geometry import Rect


class Somebody:
    """Somebody's hands: what they do is there when a method returns."""

    def __init__(self, display: str) -> None:
        self._display = Display(display)

    def close(self) -> None:
        self._display.close()

    def code(self, keysym: str) -> int:
        return self._display.keysym_to_keycode(XK.string_to_keysym(keysym))

    def move(self, x: int, y: int) -> None:
        self._send(X.MotionNotify, x=x, y=y)

    def nudge(self, x: int, y: int) -> None:
        self._send(X.MotionNotify, 1, x, y)

    def key(self, *keysyms: str) -> None:
        """Pressed one after the other, released the other way round."""
        codes = [self.code(keysym) for keysym in keysyms]
        for code in codes:
            self._send(X.KeyPress, code)
        for code in reversed(codes):
            self._send(X.KeyRelease, code)

    @contextmanager
    def holding(self, keysym: str) -> Generator[None]:
        self._send(X.KeyPress, self.code(keysym))
        try:
            yield
        finally:
            self._send(X.KeyRelease, self.code(keysym))

    def button(self, number: int) -> None:
        self._send(X.ButtonPress, number)
        self._send(X.ButtonRelease, number)

    def _send(self, kind: int, detail: int = 0, x: int = 0, y: int = 0) -> None:
        xtest.fake_input(self._display, kind, detail, x=x, y=y)
        self._display.sync()


class Program:
    """A program that does with the pointer what no person does."""

    def __init__(self, display: str) -> None:
        self._display = Display(display)

    def close(self) -> None:
        self._display.close()

    def warp(self, x: int, y: int) -> None:
        self._display.screen().root.warp_pointer(x, y)
        self._display.sync()

    def grab(self, keysym: str, modifiers: int) -> None:
        code = self._display.keysym_to_keycode(XK.string_to_keysym(keysym))
        self._display.screen().root.grab_key(code, modifiers, True, X.GrabModeAsync, X.GrabModeAsync)
        self._display.sync()

    def hold(self) -> None:
        """Pointer and keyboard, as an open menu does."""
        root = self._display.screen().root
        root.grab_pointer(True, X.PointerMotionMask, X.GrabModeAsync, X.GrabModeAsync, X.NONE, X.NONE, X.CurrentTime)
        root.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
        self._display.sync()


class Sentinel:
    """A window that has the keyboard; `keys` are the key codes whose presses reached it."""

    def __init__(self, display: str) -> None:
        self._display = Display(display)
        root = self._display.screen().root
        events = X.KeyPressMask | X.ButtonPressMask | X.StructureNotifyMask
        self._window = root.create_window(0, 0, 200, 100, 0, X.CopyFromParent, override_redirect=1, event_mask=events)
        self._window.map()
        while self._display.next_event().type != X.MapNotify:
            pass
        self._window.set_input_focus(X.RevertToParent, X.CurrentTime)
        self._display.sync()
        self.keys: list[int] = []
        self.buttons = 0

    def close(self) -> None:
        self._display.close()

    def read(self) -> None:
        for _ in range(self._display.pending_events()):
            event = self._display.next_event()
            if event.type == X.KeyPress:
                self.keys.append(event.detail)
            self.buttons += event.type == X.ButtonPress

    async def until(self, holds: Callable[["Sentinel"], bool]) -> None:
        """Waits until what reached it is so."""
        with anyio.fail_after(20):
            while True:
                self.read()
                if holds(self):
                    return
                await anyio.wait_readable(self._display.fileno())

    def down(self) -> list[int]:
        """Keys that are down, then whether a button is."""
        keys = bytes(self._display.query_keymap())
        buttons = self._display.screen().root.query_pointer().mask & (X.Button1Mask | X.Button2Mask | X.Button3Mask)
        return [8 * index + bit for index, byte in enumerate(keys) for bit in range(8) if byte >> bit & 1] + [buttons]


@contextmanager
def viewer(path: Path) -> Generator["Viewer"]:
    """A VNC viewer, connected to the server's socket."""
    with socket.socket(socket.AF_UNIX) as wire:
        wire.settimeout(20)
        wire.connect(str(path))
        yield _greeted(wire, "")


@contextmanager
def viewer_at(address: str, password: str) -> Generator["Viewer"]:
    """A VNC viewer, connected to a port. Raises: Refused."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=20) as wire:
        yield _greeted(wire, password)


class Refused(Exception):
    """A VNC server let nobody in; the message is its reason."""


def _greeted(wire: socket.socket, password: str) -> "Viewer":
    """Without a password none may be asked for. Raises: Refused."""
    assert _read(wire, 12).startswith(b"RFB ")
    wire.sendall(b"RFB 003.008\n")
    kind = 2 if password else 1
    assert kind in _read(wire, _read(wire, 1)[0])
    wire.sendall(bytes([kind]))
    if password:
        wire.sendall(_encrypted(_read(wire, 16), password))
    if _read(wire, 4) != bytes(4):
        raise Refused(_read(wire, struct.unpack(">I", _read(wire, 4))[0]).decode())
    wire.sendall(b"\x01")
    _read(wire, struct.unpack(">20xI", _read(wire, 24))[0])
    return Viewer(wire)


def _encrypted(challenge: bytes, password: str) -> bytes:
    """DES with the bits of each letter in reverse, as VNC has it."""
    key = bytes(int(f"{letter:08b}"[::-1], 2) for letter in password.encode().ljust(8, b"\0"))
    return Cipher(TripleDES(key * 3), modes.ECB()).encryptor().update(challenge)  # noqa: S305 - as VNC demands


class Viewer:
    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire

    def move(self, x: int, y: int, buttons: int = 0) -> None:
        self._wire.sendall(struct.pack(">BBHH", 5, buttons, x, y))

    def click(self, x: int, y: int) -> None:
        for buttons in (0, 1, 0):
            self.move(x, y, buttons)

    def key(self, keysym: str, held: str = "") -> None:
        with self.holding(held) if held else nullcontext():
            self._press(XK.string_to_keysym(keysym))

    @contextmanager
    def holding(self, keysym: str) -> Generator[None]:
        self.hold(keysym)
        yield
        self._key(XK.string_to_keysym(keysym), down=False)

    def hold(self, keysym: str) -> None:
        self._key(XK.string_to_keysym(keysym), down=True)

    def type(self, text: str) -> None:
        for letter in text:
            code = ord(letter)
            self._press(code if code < 0x100 else 0x1000000 + code)

    def _press(self, keysym: int) -> None:
        self._key(keysym, down=True)
        self._key(keysym, down=False)

    def _key(self, keysym: int, *, down: bool) -> None:
        self._wire.sendall(struct.pack(">BBHI", 4, down, 0, keysym))

    def picture(self, place: Rect) -> tuple[bytes, ...]:
        """A part of the screen as the server has it now: what it sends of its pixels."""
        asked = struct.pack(">BBHHHH", 3, 0, place.left, place.top, place.width, place.height)
        self._wire.sendall(struct.pack(">BBHi", 2, 0, 1, 0) + asked)
        assert _read(self._wire, 1) == b"\0"
        return tuple(self._pixels() for _ in range(struct.unpack(">xH", _read(self._wire, 3))[0]))

    def _pixels(self) -> bytes:
        *_, width, height, encoding = struct.unpack(">HHHHi", _read(self._wire, 12))
        assert encoding == 0
        return _read(self._wire, 4 * width * height)


def _read(wire: socket.socket, count: int) -> bytes:
    read = bytearray()
    while len(read) < count:
        piece = wire.recv(count - len(read))
        assert piece, "the server hung up"
        read += piece
    return bytes(read)
