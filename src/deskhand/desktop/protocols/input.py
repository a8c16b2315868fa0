"""Pointer and keyboard."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from deskhand.core.geometry import Point
from deskhand.desktop.protocols.screen import Aim


class MouseButton(StrEnum):
    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"
    BACK = "back"
    FORWARD = "forward"


@dataclass(frozen=True, slots=True)
class Chord:
    """Keys pressed together: modifiers (`ctrl`, `shift`, `alt`, `super`), then one key.

    `key` is a printable character or one of: enter esc tab backspace delete insert home end pageup pagedown up down
    left right space f1..f12 menu print pause; a lock (`LOCKS`); of the number pad kp_enter kp_add kp_subtract
    kp_multiply kp_divide kp_0..kp_9, decimal (the mark before decimals that the application takes); or a modifier by
    itself.
    """

    key: str
    modifiers: tuple[str, ...] = ()


MODIFIERS: Final = ("ctrl", "alt", "shift", "super")
LOCKS: Final = ("capslock", "numlock", "scrolllock")

HELD_S: Final = 60.0
"""Longest time that a button or keys are left down."""


@dataclass(frozen=True, slots=True)
class LeftDown:
    """The button and the chord that an action left down, by their names; empty for none."""

    button: str = ""
    keys: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.button, self.keys)))


class Input(Protocol):
    """Synthetic input, which moves the pointer and needs the keyboard focus.

    `held`: modifiers that are down meanwhile. All methods but `hover`, `scroll` and those that hold raise ActionRefused
    while a button (of the pointer's methods) or keys (of `press`) are left down.
    """

    async def click(
        self,
        at: Point | Aim,
        *,
        button: MouseButton = MouseButton.LEFT,
        count: int = 1,
        held: Sequence[str] = (),
    ) -> None:
        """Move the pointer and click `count` times as one multi-click, after `wait_out_double_click`.

        Raises: TargetCovered, TargetMoving, ApplicationGone where an aim no longer holds; nothing was pressed then.
        """
        ...

    async def wait_out_double_click(self, point: Point, *, button: MouseButton = MouseButton.LEFT) -> bool:
        """Wait until a press here cannot form a double click with the previous press.

        Return True if it waited, about half a second: another control may be at the point now.
        """
        ...

    async def drag(
        self,
        start: Point | Aim,
        end: Point | Aim,
        *,
        via: Sequence[Point] = (),
        button: MouseButton = MouseButton.LEFT,
        held: Sequence[str] = (),
    ) -> float:
        """Press at `start` after `wait_out_double_click`, move evenly through the points `via`, and release at `end`.

        Wait in between until the application has handled the events; the button is always released. Return a mark for
        `painted_since`, made when the press and the first motions had been handled.
        Raises: as `click`; ActionDeadline and PersonActs, with `sent`, where the drag had begun and ended early.
        """
        ...

    async def hover(self, at: Point | Aim) -> Point:
        """Move the pointer, evenly while a button is left down; return its previous position. Raises: as `click`."""
        ...

    async def scroll(self, at: Point | Aim, notches: int, *, sideways: bool = False, held: Sequence[str] = ()) -> None:
        """Turn the wheel at a point; positive is up, or `sideways` to the right. Raises: as `click`."""
        ...

    async def hold_button(self, at: Point | Aim, button: MouseButton, *, for_s: float = HELD_S) -> None:
        """Press a button at a point, after `wait_out_double_click`, and leave it down.

        It is released by `let_go`, after `for_s`, when the user acts or stops the work, and at `close`.
        Raises: as `click`.
        """
        ...

    async def hold_keys(self, chord: Chord, *, for_s: float = HELD_S) -> None:
        """Press keys and leave them down, as `hold_button`; the server repeats the last one. Raises: as `press`."""
        ...

    async def let_go(self, at: Point | Aim | None = None, *, button: bool = True, keys: bool = True) -> LeftDown:
        """Release the button and the keys that were left down, after moving to a point; return them.

        Raises: as `hover`, with nothing released.
        """
        ...

    async def left_down(self) -> LeftDown:
        """Return the button and the keys that are left down."""
        ...

    async def pointer(self) -> Point:
        """Return the position of the pointer."""
        ...

    async def locks(self) -> frozenset[str]:
        """Return the locks (`LOCKS`) that are on, as the keyboard's lights show them."""
        ...

    async def press(self, chords: Sequence[Chord]) -> None:
        """Press chords one after the other; no key stays down, also after an error.

        Any character can be pressed, in any keyboard layout. Raises: ActionRefused (before a key goes down).
        """
        ...
