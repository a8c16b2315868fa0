"""Pointer and keyboard."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from deskhand.core.geometry import Point
from deskhand.desktop.protocols.screen import Aim


class MouseButton(StrEnum):
    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Chord:
    """Keys pressed together: modifiers (`ctrl`, `shift`, `alt`, `super`), then one key.

    `key` is a printable character or one of: enter esc tab backspace delete insert home end pageup pagedown up down
    left right space f1..f12 menu, decimal (a number pad's: the mark before decimals that the application takes).
    """

    key: str
    modifiers: tuple[str, ...] = ()


class Input(Protocol):
    """Synthetic input, which moves the pointer and needs the keyboard focus."""

    async def click(self, at: Point | Aim, *, button: MouseButton = MouseButton.LEFT, count: int = 1) -> None:
        """Synthetic input: moves the pointer and clicks `count` times, as one: it first waits until it is `apart`.

        Raises: TargetCovered, TargetMoving, ApplicationGone where an aim no longer holds; nothing was pressed then.
        """
        ...

    async def apart(self, point: Point, *, button: MouseButton = MouseButton.LEFT) -> bool:
        """Waits until a press here is not taken for the second half of a double click with the one before it.

        Returns whether that took a while, about half a second: what stands at the point may be something else now.
        """
        ...

    async def drag(self, start: Point | Aim, end: Point | Aim, *, button: MouseButton = MouseButton.LEFT) -> float:
        """Synthetic input: presses at `start` once it is `apart`, moves, releases at `end`.

        In between it is waited until the application has taken in what was sent; the button is up however it ends.
        Returns a mark for `painted_since` of when the press and the first motions had been taken in.
        Raises: as `click`; ActionDeadline and PersonActs with what was sent where the drag had begun, and ended early.
        """
        ...

    async def hover(self, at: Point | Aim) -> Point:
        """Synthetic input: moves the pointer; returns where it was. Raises: as `click`."""
        ...

    async def scroll(self, at: Point | Aim, notches: int) -> None:
        """Synthetic input: turns the wheel at a point; positive is up. Raises: as `click`."""
        ...

    async def press(self, chords: Sequence[Chord]) -> None:
        """Synthetic input: presses chords one after the other; no key stays down, whatever happens.

        Any character can be pressed, whatever the keyboard layout. Raises: ActionRefused (before a key goes down).
        """
        ...
