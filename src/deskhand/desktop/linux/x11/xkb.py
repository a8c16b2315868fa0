"""The X Keyboard Extension, as far as it is needed: keyboard map, locked modifiers, and locking.

python-xlib knows only the older mapping, which has no types of keys: it cannot show what Caps Lock, AltGr or a second
layout makes of a key. The functions block: call them through a connection.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from struct import unpack_from
from typing import Any, Final, cast

from Xlib.display import Display
from Xlib.protocol import rq

from deskhand.core.errors import DesktopGone

_CORE_KEYBOARD: Final = 0x100
_TYPES_SYMS_MODIFIERS: Final = 0b111

SHIFT: Final = 1 << 0
LOCK: Final = 1 << 1


class _UseExtension(rq.ReplyRequest):
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(0),
        rq.RequestLength(),
        rq.Card16("major"),
        rq.Card16("minor"),
    )
    _reply = rq.Struct(
        rq.ReplyCode(), rq.Card8("supported"), rq.Card16("sequence_number"), rq.ReplyLength(), rq.Pad(24)
    )


class _GetState(rq.ReplyRequest):
    _request = rq.Struct(rq.Card8("opcode"), rq.Opcode(4), rq.RequestLength(), rq.Card16("device"), rq.Pad(2))
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("device"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card8("modifiers"),
        rq.Card8("base"),
        rq.Card8("latched"),
        rq.Card8("locked"),
        rq.Card8("group"),
        rq.Card8("locked_group"),
        rq.Pad(18),
    )


class _LatchLockState(rq.Request):
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(5),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card8("of_locks"),
        rq.Card8("locks"),
        rq.Bool("lock_group"),
        rq.Card8("group"),
        rq.Pad(6),
    )


class _GetMap(rq.ReplyRequest):
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(8),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card16("full"),
        rq.Pad(20),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Card8("device"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Binary("data", pad=0),
    )


@dataclass(frozen=True, slots=True)
class State:
    """State for the next key: `held` modifiers are down, `locked` ones stay; `group` is the layout in use.

    `locked_group`: the one in use where no key is held or latched that changes it.
    """

    held: int
    locked: int
    group: int
    locked_group: int


@dataclass(frozen=True, slots=True)
class KeyType:
    """Which of its characters a key gives: modifiers, of those in `mask`, → level; any other combination: level 0."""

    mask: int
    levels: Mapping[int, int]

    def level(self, modifiers: int) -> int:
        return self.levels.get(modifiers & self.mask, 0)


@dataclass(frozen=True, slots=True)
class Key:
    """One key: for each group its type and its keysyms by level. `outside`: how a group that it has not is taken."""

    types: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]
    outside: int

    def group(self, number: int) -> int:
        """Return the group of the key for a group of the keyboard; the key has one at least."""
        count = len(self.groups)
        if number < count:
            return number
        if self.outside & 0x80:
            redirected = self.outside >> 4 & 3
            return redirected if redirected < count else 0
        return count - 1 if self.outside & 0x40 else number % count


@dataclass(frozen=True, slots=True)
class Layout:
    """Keyboard map, by key code. `modifiers`: mask of each modifier, by key code."""

    types: tuple[KeyType, ...]
    keys: Mapping[int, Key]
    modifiers: Mapping[int, int]

    def keysym(self, code: int, modifiers: int, group: int) -> int:
        """Return the keysym of a key; 0 for none."""
        key = self.keys[code]
        if not key.groups:
            return 0
        number = key.group(group)
        syms = key.groups[number]
        level = self.types[key.types[number]].level(modifiers)
        return syms[level] if level < len(syms) else 0


class Xkb:
    """The extension on one connection."""

    def __init__(self, display: Display) -> None:
        """Raises: DesktopGone (the server has no such extension)."""
        self._display = display.display
        found = display.query_extension("XKEYBOARD")
        if not found:
            raise DesktopGone("The X server has no XKEYBOARD extension.", fix="Use a server that has it: all have.")
        self._opcode: int = found.major_opcode
        _UseExtension(display=self._display, opcode=self._opcode, major=1, minor=0)

    def state(self) -> State:
        reply: Any = _GetState(display=self._display, opcode=self._opcode, device=_CORE_KEYBOARD)  # rq is not typed
        return State(reply.base | reply.latched, reply.locked, reply.group, reply.locked_group)

    def lock(self, locks: int, of: int) -> None:
        """Of the modifiers `of`, exactly `locks` are locked from now on."""
        self._latch_lock(of, locks, lock_group=False, group=0)

    def lock_group(self, group: int) -> None:
        """The layout of this number is used from now on."""
        self._latch_lock(0, 0, lock_group=True, group=group)

    def map_data(self) -> bytes:
        """Return the keyboard map as the server reports it, see `parse_map`."""
        reply: Any = _GetMap(  # rq is not typed
            display=self._display, opcode=self._opcode, device=_CORE_KEYBOARD, full=_TYPES_SYMS_MODIFIERS
        )
        return cast("bytes", reply.data)  # likewise

    def _latch_lock(self, of: int, locks: int, *, lock_group: bool, group: int) -> None:
        _LatchLockState(
            display=self._display,
            opcode=self._opcode,
            device=_CORE_KEYBOARD,
            of_locks=of,
            locks=locks,
            lock_group=lock_group,
            group=group,
        )


def parse_map(data: bytes) -> Layout:
    """Body of a GetMap reply of types, symbols and the map of modifiers, after its first eight bytes."""
    first_type, n_types = data[6], data[7]
    first_key, n_keys, n_modified = data[9], data[12], data[25]
    at = 32
    types: list[KeyType] = [KeyType(0, {})] * first_type
    for _ in range(n_types):
        mask, n_entries, preserve = data[at], data[at + 5], data[at + 6]
        entries = [data[at + 8 + 8 * entry : at + 16 + 8 * entry] for entry in range(n_entries)]
        types.append(KeyType(mask, {entry[1]: entry[2] for entry in entries if entry[0]}))
        at += 8 + 8 * n_entries + (4 * n_entries if preserve else 0)
    keys: dict[int, Key] = {}
    for code in range(first_key, first_key + n_keys):
        indices, outside, width = tuple(data[at : at + 4]), data[at + 4], data[at + 5]
        (count,) = unpack_from("<H", data, at + 6)
        syms = unpack_from(f"<{count}I", data, at + 8)
        n_groups = outside & 0x0F
        groups = tuple(syms[width * group : width * (group + 1)] for group in range(n_groups))
        keys[code] = Key(indices[:n_groups], groups, outside)
        at += 8 + 4 * count
    pairs = [(data[at + 2 * entry], data[at + 2 * entry + 1]) for entry in range(n_modified)]
    return Layout(tuple(types), keys, dict(pairs))
