"""Gestures of a user, made of single events: clicks, drags, turns of the wheel, and runs of keys."""

from dataclasses import dataclass, field
from typing import Final

from deskhand.core.geometry import Point, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.live import ButtonChanged, KeysPressed, RecordedEvent, WindowShown
from deskhand.record.scene import Scene

_STILL: Final = 4
"""Pixels that the pointer may move while a click is made."""
_DOUBLE_S: Final = 0.4
_EDITING: Final = frozenset("acvxzy")
"""With Ctrl: keys that edit a text."""
_COMMANDS: Final = frozenset({"ctrl", "alt", "super"})
TEXTS: Final = frozenset({Role.TEXTBOX, Role.PASSWORD, Role.SPINBUTTON, Role.DOCUMENT, Role.PARAGRAPH})
"""Roles that have the keyboard after a click."""
_OPENING: Final = frozenset({Role.MENU, Role.MENUITEM, Role.COMBOBOX})
_GONE: Final = "a window or a menu was shown before this press and gone before it was observed"
MENU_UNSEEN: Final = "the menu or list that was opened before it was not observed"
_UNCHECKED: Final = "the recording ended before its target was observed"
_LEAVING: Final = frozenset({"tab", "enter", "kp_enter", "esc", "menu", "print", "pause"})
"""Keys that are no part of a text, as they may leave its field."""


@dataclass(slots=True)
class Press:
    """A click or a drag. `before`: the desktop before it; `window` and `control`: its target there.

    `end`: the place of the release; `at_s` and `ended_s`: times of press and release. `may_be_unseen`: a window or
    popup came between that observation and the press; `is_unseen`: the press was for it; `in_popup`: it was a popup.
    `is_early`: the gesture before it had not been observed yet. `is_checked`: these are known, and its target is that
    of its own moment. `doubt`: why that target may be another one. `is_missed`: its target is not known.
    `has_effect`: a change was visible after it, and before the next gesture.
    """

    point: Point
    end: Point
    button: MouseButton
    held: tuple[str, ...]
    before: Scene
    window: TargetInfo | None
    control: TargetInfo | None
    at_s: float
    ended_s: float
    count: int = 1
    is_unseen: bool = False
    in_popup: bool = False
    may_be_unseen: bool = False
    is_early: bool = False
    is_checked: bool = False
    is_missed: bool = False
    doubt: str = ""
    has_effect: bool = False

    @property
    def is_drag(self) -> bool:
        return abs(self.end.x - self.point.x) > _STILL or abs(self.end.y - self.point.y) > _STILL

    @property
    def is_uncertain(self) -> bool:
        """True if something that was not observed may have been at its place."""
        return self.is_early or self.in_popup or bool(self.doubt)

    @property
    def is_plain(self) -> bool:
        """True for one click with the left button alone."""
        return self.button is MouseButton.LEFT and self.count == 1 and not self.held


@dataclass(slots=True)
class Run:
    """Keys for one control. `window` and `control` are its target, None while that is not known.

    `last`: the target as it was observed last; `is_exact`: after the last key, and before anything else was done.
    """

    chords: list[Chord]
    before: Scene
    at_s: float
    ended_s: float
    window: TargetInfo | None = None
    control: TargetInfo | None = None
    last: TargetInfo | None = None
    is_exact: bool = False
    is_closed: bool = False


Gesture = Press | Run


@dataclass(slots=True)
class Gestures:
    """Makes gestures of events. `done` are complete ones, in order; a run is complete once it is closed."""

    done: list[Gesture] = field(default_factory=list[Gesture])
    shown: list[tuple[float, Rect | None]] = field(default_factory=list[tuple[float, Rect | None]])
    """Windows, popups and parts of them that came since the last observation, with the time of it."""
    down: Press | None = None
    """The press whose button is not released yet."""

    def take(self, event: RecordedEvent, scene: Scene, now_s: float) -> None:
        """Take an event; `scene`: the desktop as it was last observed before it."""
        match event:
            case ButtonChanged(is_down=True):
                self._press(event, scene, now_s)
            case ButtonChanged():
                self._release(event, now_s)
            case KeysPressed():
                for chord in event.chords:
                    self._key(chord, scene, now_s)
            case WindowShown():
                self.shown.append((now_s, event.rect))
            case _:
                pass  # the wheel: controls are scrolled to when they are used

    def aim_keys_of(self, press: Press) -> None:
        """Let the keys after a press be for its target, which was found late."""
        place = self.done.index(press) + 1 if press in self.done else len(self.done)
        run = self.done[place] if place < len(self.done) else None
        if isinstance(run, Run) and is_text(run.chords[0]):
            run.before, run.last, run.is_exact = press.before, None, False
            run.window, run.control = self._target(press, press.before)

    def forget_unchecked(self) -> None:
        """Take the target of presses that could not be checked as unknown; their keys may be for a password."""
        for press in self.done:
            if isinstance(press, Press) and press.is_early and not press.is_checked:
                press.is_unseen, press.doubt = True, _UNCHECKED
                self.aim_keys_of(press)

    def close(self) -> None:
        """Let the next key begin a new run."""
        if self.done and isinstance(self.done[-1], Run):
            self.done[-1].is_closed = True

    def _press(self, event: ButtonChanged, scene: Scene, now_s: float) -> None:
        self.close()
        target = scene.pressed(event.point) or (None, None)
        press = Press(event.point, event.point, event.button, event.held, scene, *target, now_s, now_s)
        self.shown = [each for each in self.shown if each[0] >= scene.began_s]
        press.may_be_unseen = bool(self.shown)
        press.is_early = any(each.ended_s >= scene.began_s for each in self.done)
        if press.is_early and self.done and _opens(self.done[-1]):
            press.doubt = MENU_UNSEEN
        elif any(rect is None or rect.contains(event.point) for _, rect in self.shown):
            press.doubt = _GONE
        self.down = press

    def _release(self, event: ButtonChanged, now_s: float) -> None:
        press, self.down = self.down, None
        if press is None or press.button is not event.button:
            return
        press.end, press.ended_s = event.point, now_s
        last = self.done[-1] if self.done else None
        if isinstance(last, Press) and _continues(last, press):
            last.count, last.ended_s = last.count + 1, now_s
        else:
            self.done.append(press)

    def _key(self, chord: Chord, scene: Scene, now_s: float) -> None:
        last = self.done[-1] if self.done else None
        if isinstance(last, Run) and not last.is_closed and is_text(chord) == is_text(last.chords[-1]):
            last.chords.append(chord)
            last.ended_s, last.is_exact = now_s, False
        else:
            self.close()
            target = self._target(last, scene)
            self.done.append(Run([chord], scene, now_s, now_s, *target))
        if not is_text(chord):
            self.close()

    @staticmethod
    def _target(last: "Gesture | None", scene: Scene) -> tuple[TargetInfo | None, TargetInfo | None]:
        """The target of new keys, as far as it is known: a gesture that was not observed yet may have moved it."""
        if isinstance(last, Press) and not last.is_unseen and last.control and last.control.type in TEXTS:
            return last.window, last.control
        if isinstance(last, Run) and is_text(last.chords[-1]):
            return last.window, last.control
        return (None, None) if last is not None else scene.focused() or (None, None)


def is_text(chord: Chord) -> bool:
    """True if a key edits a text, or moves in it or in a list."""
    commands = _COMMANDS & {*chord.modifiers}
    if chord.key in _LEAVING or (chord.key[0] == "f" and chord.key[1:].isdecimal()):
        return False
    return not commands or (commands <= {"ctrl"} and (chord.key in _EDITING or len(chord.key) > 1))


def _opens(gesture: Gesture) -> bool:
    """True for a press that opens a menu or a list."""
    return isinstance(gesture, Press) and gesture.control is not None and gesture.control.type in _OPENING


def _continues(last: Press, press: Press) -> bool:
    """True if a click makes the last one a double click."""
    near = abs(last.point.x - press.point.x) <= _STILL and abs(last.point.y - press.point.y) <= _STILL
    soon = press.at_s - last.ended_s < _DOUBLE_S
    return near and soon and last.button is press.button and not last.is_drag and not press.is_drag
