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
        """Move the pointer and click `count` times as one multi-click, after `wait_out_double_click`.

        Raises: TargetCovered, TargetMoving, ApplicationGone where an aim no longer holds; nothing was pressed then.
        """
        ...

    async def wait_out_double_click(self, point: Point, *, button: MouseButton = MouseButton.LEFT) -> bool:
        """Wait until a press here cannot form a double click with the previous press.

        Return True if it waited, about half a second: another control may be at the point now.
        """
        ...

    async def drag(self, start: Point | Aim, end: Point | Aim, *, button: MouseButton = MouseButton.LEFT) -> float:
        """Press at `start` after `wait_out_double_click`, move, and release at `end`.

        Wait in between until the application has handled the events; the button is always released. Return a mark for
        `painted_since`, made when the press and the first motions had been handled.
        Raises: as `click`; ActionDeadline and PersonActs, with `sent`, where the drag had begun and ended early.
        """
        ...

    async def hover(self, at: Point | Aim) -> Point:
        """Move the pointer; return its previous position. Raises: as `click`."""
        ...

    async def scroll(self, at: Point | Aim, notches: int) -> None:
        """Turn the wheel at a point; positive is up. Raises: as `click`."""
        ...

    async def press(self, chords: Sequence[Chord]) -> None:
        """Press chords one after the other; no key stays down, also after an error.

        Any character can be pressed, in any keyboard layout. Raises: ActionRefused (before a key goes down).
        """
        ...
