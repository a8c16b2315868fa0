"""Input of a display as it happens, of every program and device (RECORD extension): what a user presses and where.

Events have the pointer's place and the modifiers of their own moment, also while a menu has grabbed the pointer. In
between are the windows that programs show, so that a popup which a press opens is told apart from one below it.
"""

import asyncio
import struct
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from anyio import to_thread
from Xlib import XK, X
from Xlib.display import Display
from Xlib.error import BadDrawable, BadWindow, ConnectionClosedError
from Xlib.ext import record

from deskhand.core.errors import MissingRequirement
from deskhand.core.geometry import Point, Rect
from deskhand.desktop.linux.x11.connection import close_display, cut_display, open_display
from deskhand.desktop.linux.x11.keysyms import NAMED, modern
from deskhand.desktop.protocols.input import LOCKS, Chord, MouseButton
from deskhand.desktop.protocols.live import (
    ButtonChanged,
    KeysPressed,
    LiveEvent,
    RecordedEvent,
    WheelTurned,
    WindowShown,
)

_EVENT: Final = struct.Struct("=BBHIIIIhhhhHBx")
"""Kind, detail, number, time, root, event, child, root x and y, event x and y, state, same screen."""
_WINDOW: Final = struct.Struct("=4xI")
"""A request to show a window."""
_SWAPPED_WINDOW: Final = struct.Struct(">4xI" if sys.byteorder == "little" else "<4xI")
_SHOWING: Final = (8, 9)
"""Requests MapWindow and MapSubwindows."""
_LETTERS: Final = 0x1000000
_BUTTONS: Final = {1: "left", 2: "middle", 3: "right", 8: "back", 9: "forward"}
_WHEEL: Final = {4: (0, -1), 5: (0, 1), 6: (-1, 0), 7: (1, 0)}
_HELD: Final = {"ctrl": X.ControlMask, "alt": X.Mod1Mask, "shift": X.ShiftMask, "super": X.Mod4Mask}
_LEVEL_3: Final = X.Mod5Mask
_GROUP: Final = 13
_KEYPAD: Final = range(0xFF80, 0xFFBF)
_NAMES: Final = {keysym: name for name, keysym in NAMED.items() if len(name) > 1 or name.isalnum()}
_PLAIN_KEYPAD: Final[dict[int, str]] = {
    XK.XK_KP_Home: "home",
    XK.XK_KP_End: "end",
    XK.XK_KP_Prior: "pageup",
    XK.XK_KP_Next: "pagedown",
    XK.XK_KP_Up: "up",
    XK.XK_KP_Down: "down",
    XK.XK_KP_Left: "left",
    XK.XK_KP_Right: "right",
    XK.XK_KP_Insert: "insert",
    XK.XK_KP_Delete: "delete",
    0xFE20: "tab",  # with Shift held
}


class Raw(NamedTuple):
    """An event as the server records it. `state`: modifiers, buttons and keyboard group before it."""

    kind: int
    detail: int
    x: int
    y: int
    state: int


@asynccontextmanager
async def recorded_input(name: str, take: Callable[[RecordedEvent], None]) -> AsyncGenerator[None]:
    """Report keys, buttons, the wheel and new windows of a display to `take`, in the event loop, until left.

    Raises: DesktopGone, MissingRequirement where the server has no RECORD extension.
    """
    control = await to_thread.run_sync(open_display, name)
    try:
        if not await to_thread.run_sync(control.has_extension, record.extname):
            raise MissingRequirement(
                f"the X server of {name} does not record input", fix="start it with the RECORD extension"
            )
        keys = _Keys(control)
        data = await to_thread.run_sync(open_display, name)
        places = await to_thread.run_sync(open_display, name)
        loop = asyncio.get_running_loop()

        def took(raw: Raw | WindowShown) -> None:
            event = raw if isinstance(raw, WindowShown) else keys.event(raw)
            if event is not None:
                take(event)

        context = await to_thread.run_sync(_create, control)

        def hand_over(raw: Raw | WindowShown) -> None:
            loop.call_soon_threadsafe(took, raw)

        def read() -> None:
            _read(data, context, hand_over, lambda window: _place(places, window))

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        try:
            yield
        finally:
            cut_display(data)
            cut_display(places)
            await to_thread.run_sync(thread.join)
            close_display(data)
            close_display(places)
    finally:
        close_display(control)


def _create(display: Display) -> int:
    nothing = (0, 0)
    ranges = {
        "core_requests": _SHOWING,
        "core_replies": nothing,
        "ext_requests": (0, 0, 0, 0),
        "ext_replies": (0, 0, 0, 0),
        "delivered_events": nothing,
        "device_events": (X.KeyPress, X.ButtonRelease),
        "errors": nothing,
        "client_started": False,
        "client_died": False,
    }
    context: int = display.record_create_context(0, [record.AllClients], [ranges])
    display.sync()
    return context


def _read(
    display: Display, context: int, take: Callable[[Raw | WindowShown], None], place: Callable[[int], Rect | None]
) -> None:
    """Read events until the connection is cut."""

    def reply(answer: "record.EnableContext") -> None:
        if answer.category == record.FromClient:
            (window,) = (_SWAPPED_WINDOW if answer.client_swapped else _WINDOW).unpack_from(answer.data)
            take(WindowShown(place(window)))
        if answer.category == record.FromServer and not answer.client_swapped:
            for at in range(0, len(answer.data) - _EVENT.size + 1, _EVENT.size):
                kind, detail, _, _, _, _, _, x, y, _, _, state, _ = _EVENT.unpack_from(answer.data, at)
                take(Raw(kind & 0x7F, detail, x, y, state))

    try:
        display.record_enable_context(context, reply)
    except (ConnectionClosedError, OSError):
        return


def _place(display: Display, window: int) -> Rect | None:
    """The place of a window on the screen; None if it is gone."""
    shown = display.create_resource_object("window", window)
    try:
        size = shown.get_geometry()
        corner = display.screen().root.translate_coords(shown, 0, 0)
    except (BadDrawable, BadWindow):
        return None
    return Rect(corner.x, corner.y, corner.x + size.width, corner.y + size.height)


class _Keys:
    """Meaning of key codes, by the keyboard map of a display."""

    def __init__(self, display: Display) -> None:
        self._display = display

    def event(self, raw: Raw) -> LiveEvent | None:
        """The event in the words of a desktop; None for one that says nothing, such as a modifier's."""
        point = Point(raw.x, raw.y)
        held = tuple(name for name, mask in _HELD.items() if raw.state & mask)
        if raw.kind == X.KeyPress:
            chord = self._chord(raw, held)
            return KeysPressed((chord,)) if chord is not None else None
        if raw.kind == X.KeyRelease:
            return None
        if raw.detail in _WHEEL:
            across, down = _WHEEL[raw.detail]
            return WheelTurned(point, across, down, held) if raw.kind == X.ButtonPress else None
        button = _BUTTONS.get(raw.detail)
        return ButtonChanged(point, MouseButton(button), raw.kind == X.ButtonPress, held) if button else None

    def _chord(self, raw: Raw, held: tuple[str, ...]) -> Chord | None:
        keysym = self._keysym(raw.detail, raw.state)
        name = _NAMES.get(keysym) or _PLAIN_KEYPAD.get(keysym) or ""
        character = "" if name else _character(keysym)
        if name in LOCKS or not (name or character):
            return None
        commands = tuple(each for each in held if each != "shift")
        if character:
            return Chord(character.lower(), held) if commands else Chord(_locked(character, raw.state))
        return Chord(name, held if name != "space" or commands else ())

    def _keysym(self, code: int, state: int) -> int:
        self._follow_changes()
        group = (state >> _GROUP) & 0x3
        shift = 1 if state & X.ShiftMask else 0
        first = self._display.keycode_to_keysym(code, 0)
        if self._display.keycode_to_keysym(code, 1) in _KEYPAD and state & X.Mod2Mask:
            shift = 1 - shift
        index = shift + (4 if state & _LEVEL_3 else 2 * min(group, 1))
        return self._display.keycode_to_keysym(code, index) or self._display.keycode_to_keysym(code, shift) or first

    def _follow_changes(self) -> None:
        """Take over changes of the keyboard map."""
        for _ in range(self._display.pending_events()):
            event = self._display.next_event()
            if event.type == X.MappingNotify:
                self._display.refresh_keyboard_mapping(event)


def _locked(character: str, state: int) -> str:
    """A character as Caps Lock makes it."""
    return character.swapcase() if character.isalpha() and state & X.LockMask else character


def _character(keysym: int) -> str:
    """The character of a keysym; empty for a key without one."""
    plain = modern(keysym)
    if 0x20 <= plain <= 0xFF:
        return chr(plain)
    return chr(plain - _LETTERS) if plain >= _LETTERS else ""
