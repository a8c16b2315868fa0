"""The interface between a task's work, which the command brings, and the node that carries it out."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from deskhand.fleet.folder_copy import Change


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a task on a node: its folder, and the files of the command's machine by their paths there."""

    folder: Path
    inputs: Mapping[str, Path]


class Reports(Protocol):
    """The way from the work to the command."""

    def tell(self, message: object) -> None:
        """Send a message; it is sent together with what the folder contains by then."""
        ...

    async def ask(self, question: object) -> object:
        """Return the answer of the command; the wait can be cancelled."""
        ...

    async def may_act(self) -> bool:
        """Return when the command knows that the work may have effects from now on; it is then never repeated."""
        ...


class Work(Protocol):
    """The work of one task; it is sent to the node."""

    async def carry_out(self, place: Place, reports: Reports) -> object:
        """Return the result; on cancellation conclude first. Raises: DeskhandError."""
        ...


@dataclass(frozen=True, slots=True)
class Told:
    """A message of the work."""

    message: object


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the work; `number` comes back with the answer."""

    number: int
    question: object


@dataclass(frozen=True, slots=True)
class Begins:
    """The question of `Reports.may_act`."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Nobody waits for the answer to a question any more."""

    number: int


@dataclass(frozen=True, slots=True)
class Updates:
    """News of a task. `ended`: its work has ended, and its folder was sent to the end."""

    told: tuple[Told | Asked | Withdrawn, ...]
    changes: tuple[Change, ...]
    ended: bool
    result: object = None
