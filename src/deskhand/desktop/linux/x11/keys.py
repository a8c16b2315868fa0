"""From chords to key codes: the keyboard mapping of the server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from Xlib import XK
from Xlib.display import Display

from deskhand.core.errors import ActionRefused
from deskhand.desktop.base import Chord

_NAMED: Final = {
    "enter": XK.XK_Return,
    "esc": XK.XK_Escape,
    "tab": XK.XK_Tab,
    "backspace": XK.XK_BackSpace,
    "delete": XK.XK_Delete,
    "insert": XK.XK_Insert,
    "home": XK.XK_Home,
    "end": XK.XK_End,
    "pageup": XK.XK_Page_Up,
    "pagedown": XK.XK_Page_Down,
    "up": XK.XK_Up,
    "down": XK.XK_Down,
    "left": XK.XK_Left,
    "right": XK.XK_Right,
    "space": XK.XK_space,
    "menu": XK.XK_Menu,
    "\n": XK.XK_Return,
    "\t": XK.XK_Tab,
    **{f"f{number}": XK.XK_F1 + number - 1 for number in range(1, 13)},
}
_MODIFIERS: Final = {
    "ctrl": XK.XK_Control_L,
    "shift": XK.XK_Shift_L,
    "alt": XK.XK_Alt_L,
    "super": XK.XK_Super_L,
}
_LATIN_1: Final = (*range(0x20, 0x7F), *range(0xA0, 0x100))
_UNICODE: Final = 0x1000000


@dataclass(frozen=True, slots=True)
class Stroke:
    """Key codes pressed one after the other, and released the other way round."""

    codes: tuple[int, ...]


class Keymap:
    """The server's keyboard mapping, and the unused keys that characters without a key borrow.

    A borrowed key keeps its character until it is needed for another one or `restore` is called: an application
    looks a key up when it handles it, not when it is pressed. The methods block: run them through the connection.
    """

    def __init__(self, display: Display, borrowed: Mapping[int, int]) -> None:
        """`borrowed`: character → key code that a lost connection did not give back, if the server heard of it."""
        self._display = display
        self._codes: dict[int, tuple[int, bool]] = {}
        self._spare: list[int] = []
        self._borrowed: dict[int, int] = {}
        self._per_key = 0
        self._read()
        for keysym, code in borrowed.items():
            if self._codes.get(keysym, (0, False))[0] == code:
                self._spare.append(code)
                self._borrowed[keysym] = code

    @property
    def borrowed(self) -> Mapping[int, int]:
        """Character → the key that stands for it for now."""
        return dict(self._borrowed)

    def strokes(self, chords: Sequence[Chord]) -> list[Stroke]:
        """What to press, all of it known before the first key goes down.

        Raises: ActionRefused (an unknown key or modifier; more characters without a key than there are unused keys).
        """
        wanted = [(self._keysym(chord.key), chord.modifiers) for chord in chords]
        self._borrow({keysym for keysym, _ in wanted if keysym not in self._codes})
        return [self._stroke(keysym, modifiers) for keysym, modifiers in wanted]

    def has(self, chord: Chord) -> bool:
        """Whether the chord needs no borrowed key."""
        keysym = self._keysym(chord.key)
        return keysym in self._codes and keysym not in self._borrowed

    def restore(self) -> None:
        """Gives the borrowed keys back."""
        for keysym in list(self._borrowed):
            self._give_back(keysym)
        self._display.sync()

    def _read(self) -> None:
        low = self._display.display.info.min_keycode
        high = self._display.display.info.max_keycode
        rows = self._display.get_keyboard_mapping(low, high - low + 1)
        self._per_key = len(rows[0])
        for code, row in enumerate(rows, low):
            if not any(row):
                self._spare.append(code)
            for level, keysym in enumerate(row[:2]):
                if keysym and keysym not in self._codes:
                    self._codes[keysym] = (code, bool(level))

    def _keysym(self, key: str) -> int:
        named = _NAMED.get(key.lower() if len(key) > 1 else key)
        if named is not None:
            return named
        if len(key) != 1 or not key.isprintable():
            raise ActionRefused(
                f"There is no key named {key!r}.", fix=f"Use one character or one of: {' '.join(_NAMED).strip()}."
            )
        return ord(key) if ord(key) in _LATIN_1 else _UNICODE | ord(key)

    def _stroke(self, keysym: int, modifiers: Sequence[str]) -> Stroke:
        code, shifted = self._codes[keysym]
        unknown = [name for name in modifiers if name not in _MODIFIERS]
        if unknown:
            raise ActionRefused(f"There is no modifier named {unknown[0]!r}.", fix=f"Use {', '.join(_MODIFIERS)}.")
        names = list(dict.fromkeys([*modifiers, "shift"] if shifted else modifiers))
        return Stroke((*(self._codes[_MODIFIERS[name]][0] for name in names), code))

    def _borrow(self, keysyms: set[int]) -> None:
        if len(keysyms) > len(self._spare):
            raise ActionRefused(
                f"{len(keysyms)} characters have no key, and only {len(self._spare)} keys are unused.",
                fix="Set the text through accessibility or paste it.",
            )
        taken = {self._codes[keysym][0] for keysym in self._borrowed}
        free = [code for code in self._spare if code not in taken]
        old = [keysym for keysym in self._borrowed if keysym not in keysyms]
        while len(free) < len(keysyms):
            free.append(self._give_back(old.pop(0)))
        for keysym, code in zip(sorted(keysyms), free, strict=False):
            self._codes[keysym] = (code, False)
            self._borrowed[keysym] = code
            self._display.change_keyboard_mapping(code, [(keysym,) * self._per_key])
        self._display.sync()

    def _give_back(self, keysym: int) -> int:
        code = self._borrowed.pop(keysym)
        del self._codes[keysym]
        self._display.change_keyboard_mapping(code, [(0,) * self._per_key])
        return code
