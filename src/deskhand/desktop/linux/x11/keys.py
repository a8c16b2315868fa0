"""Translation of chords to key codes, by the server's keyboard map and unused keys that are borrowed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from Xlib.display import Display

from deskhand.core.errors import ActionRefused
from deskhand.desktop.linux.display_server import KeyBatch, Stroke
from deskhand.desktop.linux.x11.keysyms import ALTGR, MODIFIERS, keysym_of, modern
from deskhand.desktop.linux.x11.xkb import LOCK, SHIFT, Layout, State, Xkb, parse_map
from deskhand.desktop.protocols.input import LOCKS, Chord

_RIGHT_ALT: Final = 108
_NEVER_BORROWED: Final = frozenset({8})
"""The lowest code there is: no real keyboard has it, and applications drop it."""


@dataclass(frozen=True, slots=True)
class _Reach:
    """Keys that produce a character."""

    code: int
    shift: bool
    altgr: bool
    group: int


class Keymap:
    """Keyboard map of the server, and the unused keys that characters without a key borrow.

    A borrowed key keeps its character until it is needed for another one or `restore` is called: an application looks a
    key up when it handles it, not when it is pressed. The methods block: run them through the connection.
    """

    def __init__(self, display: Display, borrowed: Mapping[int, int]) -> None:
        """`borrowed`: character → key code that a lost connection did not give back, if the server heard of it."""
        self._display = display
        self.xkb = Xkb(display)
        self._data = b""
        self._layout = Layout((), {}, {})
        self._borrowed = dict(borrowed)
        self._read()

    @property
    def borrowed(self) -> Mapping[int, int]:
        """Character → the key that is borrowed for it."""
        return dict(self._borrowed)

    def batch(self, chords: Sequence[Chord]) -> KeyBatch:
        """Return strokes for the first of these chords, before a key goes down: for all up to the first lock, where
        there are enough unused keys.

        Keys that earlier batches borrowed may change their meaning: applications must have handled those batches.
        Raises: ActionRefused (an unknown key or modifier; a character without a key where no key is unused).
        """
        lock = next((place for place, chord in enumerate(chords) if chord.key in LOCKS), len(chords))
        chords = chords[: lock + 1]
        meant = {chord: (keysym_of(chord.key), _modifiers(chord)) for chord in dict.fromkeys(chords)}
        wanted = [meant[chord] for chord in chords]  # a long text has few different ones
        self._read()
        state = self.xkb.state()
        reach = self._reach(state)
        count, lacking = self._fitting([keysym for keysym, _ in wanted], reach)
        if lacking:
            self._borrow(lacking, {keysym for keysym, _ in wanted[:count]})
            self._read()
            reach = self._reach(state)
        stroke_of = {one: self._stroke(reach[one[0]], one[1]) for one in dict.fromkeys(wanted[:count])}
        strokes = [stroke_of[one] for one in wanted[:count]]
        if lock < count:
            strokes[lock] = replace(strokes[lock], is_lock=True)
        return KeyBatch(tuple(strokes), count, bool(lacking), self._data)

    def still_holds(self, batch: KeyBatch) -> bool:
        """True if the keyboard map is the one that the batch was made for."""
        return self.xkb.map_data() == batch.data

    def codes_of(self, names: Sequence[str]) -> tuple[int, ...]:
        """The keys of modifiers, by their names. Raises: ActionRefused (the layout has none)."""
        if names:
            self._read()
        return tuple(self._modifier(name) for name in names)

    def modifier_codes(self, held: int) -> tuple[int, ...]:
        """The keys that can hold these modifiers."""
        return tuple(code for code, mask in self._layout.modifiers.items() if mask & held)

    def has(self, chord: Chord) -> bool:
        """True if the chord needs no borrowed key."""
        keysym = keysym_of(chord.key)
        self._read()
        return keysym in self._reach(self.xkb.state()) and keysym not in self._borrowed

    def restore(self) -> None:
        """Gives the borrowed keys back."""
        self._read()
        for keysym in list(self._borrowed):
            self._give_back(keysym)
        self._display.sync()

    def _read(self) -> None:
        data = self.xkb.map_data()
        if data == self._data:
            return
        self._data, self._layout = data, parse_map(data)
        for keysym, code in list(self._borrowed.items()):  # another layout was set in the meantime: it is ours no more
            if {modern(sym) for sym in self._symbols(code)} != {keysym}:
                del self._borrowed[keysym]

    def _symbols(self, code: int) -> frozenset[int]:
        return frozenset(sym for group in self._layout.keys[code].groups for sym in group if sym)

    def _reach(self, state: State) -> dict[int, _Reach]:
        """Keysym → the key that gives it, while Caps Lock is off: best in the group in use, without AltGr."""
        found: dict[int, _Reach] = {}
        used = [code for code, key in self._layout.keys.items() if key.groups]
        count = max((len(self._layout.keys[code].groups) for code in used), default=1)
        altgr = self._altgr()
        third = self._layout.modifiers.get(altgr, 0) if altgr else 0
        for group in sorted(range(count), key=lambda number: number != state.group):
            for with_altgr in (False, True) if third else (False,):
                for code in used:
                    for shift in (False, True):
                        held = (state.locked & ~LOCK) | (SHIFT if shift else 0) | (third if with_altgr else 0)
                        if keysym := self._layout.keysym(code, held, group):
                            found.setdefault(modern(keysym), _Reach(code, shift, with_altgr, group))
        return found

    def _altgr(self) -> int:
        codes = [code for code in self._layout.modifiers if ALTGR in self._symbols(code)]
        return _RIGHT_ALT if _RIGHT_ALT in codes else min(codes, default=0)

    def _stroke(self, reach: _Reach, names: tuple[str, ...]) -> Stroke:
        names = tuple(dict.fromkeys([*names, "shift"] if reach.shift else names))
        held = [self._modifier(name) for name in names]
        if reach.altgr:
            held.append(self._altgr())
        return Stroke((*held, reach.code), reach.group)

    def _modifier(self, name: str) -> int:
        """The key of a modifier. Raises: ActionRefused (the layout has none)."""
        codes = [code for code in self._layout.modifiers if MODIFIERS[name] in self._symbols(code)]
        if not codes:
            raise ActionRefused(f"No key of this keyboard layout is {name}.", fix="Set another layout.")
        return min(codes)

    def _spare(self) -> list[int]:
        """The unused keys, and those that are borrowed."""
        ours = set(self._borrowed.values())
        return [
            code
            for code in self._layout.keys
            if code not in _NEVER_BORROWED and (code in ours or not self._symbols(code))
        ]

    def _fitting(self, keysyms: Sequence[int], reach: Mapping[int, _Reach]) -> tuple[int, set[int]]:
        """Return how many of the first can be pressed with the unused keys, and those that have no key yet.

        Raises: ActionRefused (not even the first).
        """
        most = len(self._spare())
        needed: dict[int, None] = {}
        for count, keysym in enumerate(keysyms):
            if keysym in reach and keysym not in self._borrowed:
                continue
            if keysym not in needed and len(needed) == most:
                if count == 0 or most == 0:
                    raise ActionRefused(
                        f"{_told(keysym)} has no key, and no unused key can be borrowed for it.",
                        fix="Set the text through accessibility or paste it.",
                    )
                return count, needed.keys() - reach.keys()
            needed[keysym] = None
        return len(keysyms), needed.keys() - reach.keys()

    def _borrow(self, lacking: Iterable[int], used: set[int]) -> None:
        """Borrow unused keys for these; keysyms in `used` do not lose their keys."""
        taken = set(self._borrowed.values())
        free = [code for code in self._spare() if code not in taken]
        old = [keysym for keysym in self._borrowed if keysym not in used]
        for keysym in sorted(lacking):
            code = free.pop(0) if free else self._give_back(old.pop(0))
            self._borrowed[keysym] = code
            self._map(code, keysym)
        self._display.sync()

    def _give_back(self, keysym: int) -> int:
        code = self._borrowed.pop(keysym)
        self._map(code, 0)
        return code

    def _map(self, code: int, keysym: int) -> None:
        """The same on every level, so that no modifier makes anything else of it."""
        self._display.change_keyboard_mapping(code, [(keysym,) * 4])


def _modifiers(chord: Chord) -> tuple[str, ...]:
    unknown = [name for name in chord.modifiers if name not in MODIFIERS]
    if unknown:
        raise ActionRefused(f"There is no modifier named {unknown[0]!r}.", fix=f"Use {', '.join(MODIFIERS)}.")
    return chord.modifiers


def _told(keysym: int) -> str:
    return repr(chr(keysym & 0xFFFFFF)) if keysym >= 0x1000000 or keysym < 0x100 else f"keysym {keysym:#x}"
