"""Detection of the user at a display: raw events of its devices (XInput 2) that this process did not send.

Raw events come for all input of keys, buttons and pointers, also during a grab; not for a pointer that a program
warped, for keys that the server repeats, nor for events that a program made up.
"""

import asyncio
import struct
from dataclasses import dataclass, field
from typing import Final, Self

from Xlib import XK, X
from Xlib.display import Display
from Xlib.error import BadAccess, CatchError, ConnectionClosedError, XError
from Xlib.ext import ge, xinput
from Xlib.protocol.rq import Event

from deskhand.desktop.linux.x11.blocking_worker import Device
from deskhand.desktop.linux.x11.connection import display_device, x_server_gone
from deskhand.desktop.linux.x11.own_events import Sending, Sent
from deskhand.desktop.user_guard import Guard

_OPEN_S: Final = 5.0
_EXTENSION: Final = "XInputExtension"
_VERSION: Final = (2, 2)
"""From 2.1 on, raw events are also reported while another program has grabbed the device; from 2.2 on, touches."""
KINDS: Final = {13: X.KeyPress, 14: X.KeyRelease, 15: X.ButtonPress, 16: X.ButtonRelease, 17: X.MotionNotify}
_TOUCHES: Final = (22, 23, 24)
_RAW: Final = struct.Struct("=HIIHHI4x")
"""Of a raw event, after the ten bytes every generic event has: device, time, detail, source, words of mask, flags."""
_VALUE: Final = struct.Struct("=iI")
_X_AND_Y: Final = 3
_PRESSES: Final = (X.KeyPress, X.ButtonPress)
_WHEEL: Final = range(4, 8)
_TOLD: Final = {
    X.KeyPress: "pressed a key",
    X.KeyRelease: "released a key",
    X.ButtonPress: "pressed a mouse button",
    X.ButtonRelease: "released a mouse button",
    X.MotionNotify: "moved the pointer",
}
_MODIFIERS: Final = {
    "ctrl": (X.ControlMask, (XK.XK_Control_L, XK.XK_Control_R)),
    "shift": (X.ShiftMask, (XK.XK_Shift_L, XK.XK_Shift_R)),
    "alt": (X.Mod1Mask, (XK.XK_Alt_L, XK.XK_Alt_R, XK.XK_Meta_L, XK.XK_Meta_R)),
    "super": (X.Mod4Mask, (XK.XK_Super_L, XK.XK_Super_R)),
}
_NAMED: Final = {
    "escape": XK.XK_Escape,
    "pause": XK.XK_Pause,
    "delete": XK.XK_Delete,
    "end": XK.XK_End,
    "home": XK.XK_Home,
    "insert": XK.XK_Insert,
    **{f"f{number}": XK.XK_F1 + number - 1 for number in range(1, 13)},
}
_LOCKS: Final = (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask)
"""A grab holds for exactly these modifiers: it is made for each state of Caps Lock and Num Lock."""


@dataclass(frozen=True, slots=True)
class _StopKey:
    """Key codes: one of each set of modifiers, and the key. `name` is the chord as it was given."""

    name: str = ""
    code: int = 0
    modifiers: tuple[frozenset[int], ...] = ()

    def is_pressed(self, code: int, down: set[tuple[int, int]]) -> bool:
        held = {detail for kind, detail in down if kind == X.KeyRelease}
        return bool(self.name) and code == self.code and all(codes & held for codes in self.modifiers)


@dataclass(frozen=True, slots=True)
class _Watch:
    """Subscription of a display. `synthetic`: the devices of synthetic events. `problems`: missing features."""

    display: Display
    synthetic: frozenset[int]
    stop_key: _StopKey
    problems: tuple[str, ...] = ()


@dataclass(slots=True)
class _Hands:
    """Keys and buttons that the user holds, as the event that releases them, and the code."""

    down: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])

    def take(self, event: Sending) -> None:
        if event.kind in _PRESSES and not (event.kind == X.ButtonPress and event.detail in _WHEEL):
            self.down.add((event.kind + 1, event.detail))
        else:
            self.down.discard((event.kind, event.detail))


class XUserWatch:
    """A connection of its own, read in the event loop; events that are not in `sent` are reported to the guard."""

    def __init__(self, device: Device[Display], watch: _Watch, sent: Sent, guard: Guard) -> None:
        self._device = device
        self._watch = watch
        self._sent = sent
        self._guard = guard
        self._hands = _Hands()
        self._open = True
        self._socket = watch.display.fileno()
        self._loop = asyncio.get_running_loop()
        self.problems = watch.problems

    @classmethod
    async def begin(cls, name: str, sent: Sent, guard: Guard) -> Self:
        """Watches a display under the guard's rules. Raises: DesktopGone."""
        device = display_device(name)
        stop_key = guard.rules.stop_key

        def subscribe(display: Display) -> _Watch:
            return _subscribe(display, stop_key, sent)

        try:
            watch = await device.run(subscribe, deadline_s=_OPEN_S)
        except (TimeoutError, ConnectionClosedError, XError, OSError) as error:
            await device.close()
            raise x_server_gone(name) from error
        found = cls(device, watch, sent, guard)
        found._loop.add_reader(found._socket, found._read)
        found._read()
        return found

    async def close(self) -> None:
        self._stop()
        await self._device.close()

    def let_go(self) -> tuple[tuple[int, int], ...]:
        """Return the releases, kind and code, of the user's keys and buttons; from now on they count as released."""
        left = tuple(self._hands.down)
        self._hands.down.clear()
        self._guard.let_go()
        return left

    def _read(self) -> None:
        display = self._watch.display
        try:
            for _ in range(display.pending_events()):
                self._take(display.next_event())
        except (ConnectionClosedError, OSError):
            self._stop()

    def _take(self, event: Event) -> None:
        if event.type != ge.GenericEventCode:
            return
        if event.evtype in _TOUCHES:
            self._guard.person("touched the screen")
            return
        source, seen = parsed(event.evtype, bytes(event.data))
        if source in self._watch.synthetic and self._sent.takes(seen):
            return
        self._hands.take(seen)
        self._guard.person(_TOLD[seen.kind], holding=bool(self._hands.down))
        if seen.kind == X.KeyPress and self._watch.stop_key.is_pressed(seen.detail, self._hands.down):
            self._guard.stop(f"the user pressed {self._watch.stop_key.name}")

    def _stop(self) -> None:
        if self._open:
            self._open = False
            self._sent.watched = False
            self._loop.remove_reader(self._socket)


def parsed(number: int, data: bytes) -> tuple[int, Sending]:
    """Return the device of a raw event, and the event. A motion that is not to a point has the point (-1, -1)."""
    _, _, detail, source, words, _ = _RAW.unpack_from(data)
    kind = KINDS[number]
    if kind != X.MotionNotify:
        return source, Sending(kind, detail)
    mask = int.from_bytes(data[_RAW.size : _RAW.size + 4 * words], "little")
    if mask != _X_AND_Y:
        return source, Sending(kind, x=-1, y=-1)
    start = _RAW.size + 4 * words
    x, y = (_VALUE.unpack_from(data, start + offset)[0] for offset in (0, _VALUE.size))
    return source, Sending(kind, x=x, y=y)


def _subscribe(display: Display, stop_key: str, sent: Sent) -> _Watch:
    extension = display.query_extension(_EXTENSION)
    if extension is None or not display.has_extension(_EXTENSION):
        return _Watch(display, frozenset(), _StopKey(), ("the user cannot be detected: the X server has no XInput 2",))
    major, minor = _VERSION
    xinput.XIQueryVersion(
        display=display.display, opcode=extension.major_opcode, major_version=major, minor_version=minor
    )
    devices = display.xinput_query_device(xinput.AllDevices).devices
    synthetic = frozenset(device.deviceid for device in devices if "XTEST" in str(device.name))
    chord, problems = _grab(display, stop_key) if stop_key else (_StopKey(), ())
    sent.watched = True  # before any event is reported, and nothing is being sent yet
    mask = sum(1 << number for number in (*KINDS, *_TOUCHES))
    display.screen().root.xinput_select_events([(xinput.AllMasterDevices, mask)])
    display.sync()
    return _Watch(display, synthetic, chord, problems)


def _grab(display: Display, name: str) -> tuple[_StopKey, tuple[str, ...]]:
    """Grab the stop key, so that applications do not get it. A chord that cannot be grabbed stops the agent all the
    same.
    """
    *modifiers, key = name.split("+")
    code = display.keysym_to_keycode(_NAMED.get(key) or ord(key))
    if not code:
        return _StopKey(), (f"the stop key {name} does not stop anything: the keyboard has no key {key!r}",)
    masks = 0
    codes: list[frozenset[int]] = []
    for modifier in modifiers:
        mask, keysyms = _MODIFIERS[modifier]
        masks |= mask
        codes.append(frozenset(map(display.keysym_to_keycode, keysyms)) - {0})
        if not codes[-1]:
            return _StopKey(), (f"the stop key {name} does not stop anything: the keyboard has no key {modifier!r}",)
    refused = CatchError(BadAccess)
    for locks in _LOCKS:
        display.screen().root.grab_key(code, masks | locks, True, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
    display.sync()
    told = (f"another program has {name} already, and gets it too when it stops the agent",)
    return _StopKey(name, code, tuple(codes)), told if refused.get_error() else ()
