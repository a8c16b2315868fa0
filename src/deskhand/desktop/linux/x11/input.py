"""Synthetic input by XTEST. The methods block: run them through the connection."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from time import monotonic
from typing import Final

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from deskhand.core.errors import ActionDeadline, ActionRefused, PersonActs
from deskhand.core.geometry import Point
from deskhand.desktop.linux.display_server import DRAG_BEGUN, KeyBatch, Stroke
from deskhand.desktop.linux.x11.keys import Keymap
from deskhand.desktop.linux.x11.left_down import BUTTON, KEYS, Group, Groups
from deskhand.desktop.linux.x11.own_events import Sent
from deskhand.desktop.linux.x11.xkb import LOCK, State
from deskhand.desktop.protocols.input import Chord, LeftDown, MouseButton

BUTTONS: Final = {
    MouseButton.LEFT: 1,
    MouseButton.MIDDLE: 2,
    MouseButton.RIGHT: 3,
    MouseButton.BACK: 8,
    MouseButton.FORWARD: 9,
}
WHEEL: Final = {(False, True): 4, (False, False): 5, (True, False): 6, (True, True): 7}
"""Buttons of the wheel, by whether it is turned sideways, and up or to the right."""
_LIGHTS: Final = {"capslock": 1, "numlock": 2, "scrolllock": 4}

_MOTIONS: Final = (8, 64)
"""Fewest and most motions of a drag, apart from its corners: applications begin one only after a few."""
_MOTION: Final = 16
"""Pixels of one, unless that makes too many."""
_BETWEEN_MOTIONS_MS: Final = 4
"""Of motions with one time applications get the last only."""
_AT_CORNER_MS: Final = 20
"""The same after a point that a drag passes: toolkits put the motions of one frame together."""
_CHECK_S: Final = 0.05
"""Interval at which keys and buttons that are left down are checked."""

_BETWEEN_CLICKS_MS: Final = 20
"""So long the server waits before it takes in the next of several clicks. Of two with one time Chromium makes two
single ones, and file-roller loses the second while it handles the first; fingers leave some 100 ms between them.
"""

_BEGIN_STEPS: Final = 3
"""So many of them begin it: lists of Qt begin a drag and drop with the second at the earliest."""

_BEGIN: Final = 24
"""Pixels that these go at most: the toolkits drag from 3 to 10 on, twice as many where they are scaled by two."""


class XInput:
    """Pointer and keyboard of one display. Whatever was pressed is released before a method returns or raises, but for
    the button of `begin_drag` and `hold_down`, which is down until `end_drag`, `let_go`, or until one of them raises;
    and for what is left down for later calls.

    `given_up`: the input of a connection that was given up in the middle of a call. The server may never have received
    its releases, so they are sent again; the keys it borrowed are given back by this one. `pressed`: keys and buttons
    that went down in a call that has not ended, as the event that releases them, and the code. `unlocked`: locks that
    were set before a call that has not ended. `sent` records every event; `may_send` raises PersonActs where nothing
    may be sent now, and is called before each stroke. `hurried`: no caller waits for the call any more.
    """

    def __init__(
        self,
        display: Display,
        given_up: "XInput | None" = None,
        sent: Sent | None = None,
        may_send: Callable[[tuple[str, ...]], None] = lambda _: None,
    ) -> None:
        self._display = display
        self._sent = sent or Sent()
        self._may_send = may_send
        self.hurried = False
        self.keymap = Keymap(display, given_up.keymap.borrowed if given_up else {})
        self.pressed: list[tuple[int, int]] = []
        self.unlocked: State | None = None
        self.left = Groups()
        if given_up is not None:
            for release, detail in given_up.pressed:
                self._fake(release, detail)
            if given_up.unlocked is not None:
                self._lock_again(given_up.unlocked)
            self._release(given_up.left.take())
            display.sync()

    def click(self, point: Point, button: MouseButton, count: int, held: Sequence[str] = ()) -> None:
        self.left.require_none(BUTTON)
        with self._turn(), self._modified(held):
            self._move(point)
            for done in range(count):
                self._go_on((f"{done} of {count} clicks",) if done else ())
                self._press_button(BUTTONS[button], _BETWEEN_CLICKS_MS if done else 0)

    def hold_down(self, point: Point, button: MouseButton, held: Sequence[str] = ()) -> None:
        """Presses at a point. The button stays down."""
        with self._holding():
            self._begin_press(point, held)
            self._press(X.ButtonPress, X.ButtonRelease, BUTTONS[button])

    def pointer(self) -> Point:
        pointer = self._display.screen().root.query_pointer()
        return Point(pointer.root_x, pointer.root_y)

    def move(self, point: Point) -> Point:
        """Returns where the pointer was."""
        with self._turn():
            was = self.pointer()
            if self.left.has(BUTTON):
                self._move_along((was, point), _steps((was, point)), _BETWEEN_MOTIONS_MS)
            self._move(point)
            return was

    def begin_drag(self, path: Sequence[Point], button: MouseButton, held: Sequence[str] = ()) -> None:
        """Presses at the first point and moves so far towards the second that a drag begins. The button stays down."""
        with self._holding():
            self._begin_press(path[0], held)
            self._press(X.ButtonPress, X.ButtonRelease, BUTTONS[button])
            self._move_along((path[0], _begun(path)), _BEGIN_STEPS)

    def drag_on(self, path: Sequence[Point]) -> None:
        """Moves the rest of the way. Raises: PersonActs and ActionDeadline, where the button is up again."""
        with self._holding(DRAG_BEGUN):
            rest = (_begun(path), *path[1:])
            self._move_along(rest, _steps(rest), _BETWEEN_MOTIONS_MS)

    def hover(self, path: Sequence[Point]) -> None:
        """Moves once more where the drag ends: a pixel back, and on to it. Raises: as `drag_on`."""
        start, end = path[-2:]
        with self._holding(DRAG_BEGUN):
            self._move(_part_of(start, end, max(_way(start, end) - 1, 0), _way(start, end)))
            self._move(end)

    def end_drag(self) -> None:
        """Releases the button where the pointer is. Raises: as `drag_on`."""
        with self._holding(DRAG_BEGUN):
            self.let_go()

    def let_go(self, after_ms: int = 0) -> None:
        """Release everything that is still down, after so long, but for what is left down for later calls."""
        if not self.pressed:
            return
        for release, detail in reversed(self.pressed):
            self._fake(release, detail, after_ms=after_ms)
        self._display.sync()
        self.pressed.clear()

    def scroll(self, point: Point, notches: int, *, sideways: bool = False, held: Sequence[str] = ()) -> None:
        with self._turn(), self._modified(held):
            self._move(point)
            for done in range(abs(notches)):
                self._go_on((f"{done} of {abs(notches)} notches",) if done else ())
                self._press_button(WHEEL[sideways, notches > 0])

    def leave_button_down(self, point: Point, button: MouseButton, for_s: float) -> None:
        """Presses at a point, and leaves the button down. Raises: ActionRefused where one is down already."""
        press = (X.ButtonRelease, BUTTONS[button])
        with self._turn():
            self.left.require_none(BUTTON)
            self._move(point)
            self.left.note(BUTTON, Group(f"The {button} mouse button", (press,), monotonic() + for_s))
            self._fake(X.ButtonPress, press[1])

    def leave_keys_down(self, batch: KeyBatch, name: str, for_s: float) -> bool:
        """Presses the keys of one chord, and leaves them down; False, and nothing was pressed, as `press`.

        Raises: ActionRefused where keys are left down already, or a modifier is held down by somebody.
        """
        if not self.keymap.still_holds(batch):
            return False
        (stroke,) = batch.strokes
        with self._turn():
            self._require_nothing_held()
            if stroke.group != self.keymap.xkb.state().group:
                raise ActionRefused(f"{name} is a key of another keyboard layout.", fix="Set that layout.")
            presses = tuple((X.KeyRelease, code) for code in stroke.codes)
            self.left.note(KEYS, Group(name, presses, monotonic() + for_s))
            for code in stroke.codes:
                self._fake(X.KeyPress, code)
        return True

    def left_down(self) -> LeftDown:
        return self.left.names

    def release(self, *, button: bool = True, keys: bool = True) -> LeftDown:
        """Releases the groups that were left down; returns their names."""
        down = self.left.names
        self._release(self.left.take([*([BUTTON] if button else []), *([KEYS] if keys else [])]))
        self._display.sync()
        return LeftDown(down.button if button else "", down.keys if keys else "")

    def release_in_time(self) -> float | None:
        """Release groups that were left down for too long, or all where the user acts.

        Return the seconds until the next check; None for none.
        """
        if not self.left:
            return None
        try:
            self._may_send(())
        except PersonActs:
            self.release()
        for kind in self.left.due(monotonic()):
            self.release(button=kind == BUTTON, keys=kind == KEYS)
        left_s = self.left.left_s(monotonic())
        return None if left_s is None else min(left_s, _CHECK_S)

    def _release(self, groups: Sequence[Group]) -> None:
        for group in groups:
            for release, detail in reversed(group.presses):
                self._fake(release, detail)

    def locks(self) -> frozenset[str]:
        lit = int(self._display.get_keyboard_control().led_mask)
        return frozenset(name for name, light in _LIGHTS.items() if lit & light)

    def prepare(self, chords: Sequence[Chord]) -> KeyBatch:
        """Return strokes for the first of these chords, see `Keymap.batch`. Raises: ActionRefused."""
        return self.keymap.batch(chords)

    def press(self, batch: KeyBatch, earlier: int = 0) -> bool:
        """Presses it; False, and nothing was pressed, where the keys mean something else by now.

        `earlier`: how many keys were pressed before, as parts of the same text.

        Caps Lock is off and the layout the one that is needed for as long as it takes.
        Raises: ActionRefused before any key goes down (a modifier is held down by somebody), PersonActs between two.
        """
        if not self.keymap.still_holds(batch):
            return False
        with self._turn((f"{earlier} keys",) if earlier else ()):
            self._require_nothing_held()
            with self._unlocked() as state:
                group = state.group
                for done, stroke in enumerate(batch.strokes):
                    self._go_on((f"{earlier + done} keys",) if earlier + done else ())
                    if stroke.group != group:
                        group = stroke.group
                        self.keymap.xkb.lock_group(group)
                    if stroke.is_lock:
                        self._turn_lock(stroke, state)
                    else:
                        self._stroke(stroke)
        return True

    def restore(self) -> None:
        """Leaves the keyboard mapping as it was found, and nothing pressed."""
        self.let_go()
        self.release()
        self.keymap.restore()

    @contextmanager
    def _unlocked(self) -> Generator[State]:
        """Caps Lock is off inside; it and the layout are as they were afterwards, unless a lock was turned."""
        self.unlocked = state = self.keymap.xkb.state()
        try:
            if state.locked & LOCK:
                self.keymap.xkb.lock(0, LOCK)
            yield state
        finally:
            self._lock_again(self.unlocked)

    def _turn_lock(self, stroke: Stroke, state: State) -> None:
        """Press the key of a lock, the last of a batch, with all locks as the user left them."""
        self._lock_again(state)
        self._stroke(stroke)
        self.unlocked = replace(self.keymap.xkb.state(), locked_group=state.locked_group)

    def _lock_again(self, state: State) -> None:
        if state.locked & LOCK:
            self.keymap.xkb.lock(LOCK, LOCK)
        self.keymap.xkb.lock_group(state.locked_group)

    def _require_nothing_held(self) -> None:
        """Release modifiers that synthetic input left down by mistake.

        Raises: ActionRefused where the user holds one, or keys are left down for later calls.
        """
        self.left.require_none(KEYS)
        held = self.keymap.xkb.state().held
        if not held:
            return
        for code in self.keymap.modifier_codes(held):
            self._fake(X.KeyRelease, code)  # does nothing where the key is not held
        self._display.sync()
        if self.keymap.xkb.state().held:
            raise ActionRefused(
                "A modifier key is held down on the keyboard, so nothing was typed.", fix="Let go of it, and try again."
            )

    @contextmanager
    def _turn(self, earlier: tuple[str, ...] = ()) -> Generator[None]:
        """However it ends, the server has then taken in everything, releases included. Raises: PersonActs."""
        self.let_go()
        self._go_on(earlier)
        try:
            yield
        finally:
            self._display.sync()
            self.pressed.clear()
            self.unlocked = None

    @contextmanager
    def _holding(self, earlier: tuple[str, ...] = ()) -> Generator[None]:
        """As `_turn`, but pressed keys and buttons stay down unless this raises. Raises: PersonActs, ActionDeadline."""
        try:
            if not earlier:
                self.let_go()
            if earlier and not self.pressed:
                raise ActionDeadline(
                    "The connection to the display was lost during a drag, and the button was released.",
                    fix="Look at the desktop before you drag again.",
                    sent=earlier,
                )
            self._go_on(earlier)
            yield
            self._display.sync()
        except BaseException:
            self.let_go()
            raise

    def _go_on(self, done: tuple[str, ...]) -> None:
        """Flush the queued events, then check that more may follow. Raises: PersonActs."""
        if done:
            self._display.flush()
            self._sent.keep_up()
        if self.hurried:
            raise PersonActs("The action was cancelled.", sent=done)
        self._may_send(done)

    @contextmanager
    def _modified(self, held: Sequence[str]) -> Generator[None]:
        """These modifiers are down inside. Raises: ActionRefused before any is pressed."""
        codes = self._codes_up(held)
        try:
            for code in codes:
                self._press(X.KeyPress, X.KeyRelease, code)
            yield
        finally:
            for code in reversed(codes):
                self._fake(X.KeyRelease, code)

    def _begin_press(self, point: Point, held: Sequence[str]) -> None:
        """Move to a point, with these modifiers down from now on. Raises: as `_modified`, and if a button is down."""
        self.left.require_none(BUTTON)
        for code in self._codes_up(held):
            self._press(X.KeyPress, X.KeyRelease, code)
        self._move(point)

    def _codes_up(self, names: Sequence[str]) -> list[int]:
        """Keys of modifiers that are not left down already."""
        return [code for code in self.keymap.codes_of(names) if (X.KeyRelease, code) not in self.left]

    def _press(self, kind: int, release: int, detail: int, after_ms: int = 0) -> None:
        if (release, detail) not in self.pressed:
            self.pressed.append((release, detail))
        self._fake(kind, detail, after_ms=after_ms)

    def _fake(self, kind: int, detail: int = 0, x: int = 0, y: int = 0, after_ms: int = 0) -> None:
        """The one way by which an event is sent; the server takes it in after so long."""
        self._sent.note(kind, detail, x, y)
        xtest.fake_input(self._display, kind, detail, after_ms, x=x, y=y)

    def _stroke(self, stroke: Stroke) -> None:
        down: list[int] = []
        try:
            for code in stroke.codes:
                down.append(code)
                self._press(X.KeyPress, X.KeyRelease, code)
        finally:
            for code in reversed(down):
                self._fake(X.KeyRelease, code)

    def _press_button(self, number: int, after_ms: int = 0) -> None:
        try:
            self._press(X.ButtonPress, X.ButtonRelease, number, after_ms)
        finally:
            self._fake(X.ButtonRelease, number)

    def _move_along(self, path: Sequence[Point], motions: int, after_ms: int = 0) -> None:
        """Moves evenly through all points of a path, in about so many motions, one each so long."""
        whole = sum(_way(*leg) for leg in pairwise(path))
        for leg, (start, end) in enumerate(pairwise(path)):
            steps = max(1, round(motions * _way(start, end) / whole))
            for step in range(1, steps + 1):
                self._move(_part_of(start, end, step, steps), _AT_CORNER_MS if leg and step == 1 else after_ms)

    def _move(self, point: Point, after_ms: int = 0) -> None:
        self._fake(X.MotionNotify, x=point.x, y=point.y, after_ms=after_ms)


def _begun(path: Sequence[Point]) -> Point:
    """Return the end of the first part of a drag: never more than half of the way to the second point."""
    start, end = path[:2]
    way = _way(start, end)
    return _part_of(start, end, min(_BEGIN, way // 2), way)


def _steps(path: Sequence[Point]) -> int:
    """Return the number of motions along a path."""
    fewest, most = _MOTIONS
    return min(most, max(fewest, sum(_way(*leg) for leg in pairwise(path)) // _MOTION))


def _way(start: Point, end: Point) -> int:
    return max(abs(end.x - start.x), abs(end.y - start.y), 1)


def _part_of(start: Point, end: Point, part: int, whole: int) -> Point:
    return Point(start.x + (end.x - start.x) * part // whole, start.y + (end.y - start.y) * part // whole)
