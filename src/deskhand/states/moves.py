"""The ways from a state: the edge to take, and the ends of a question and of a hand-over."""

from dataclasses import dataclass
from enum import StrEnum

from deskhand.core.errors import StateError
from deskhand.core.statuses import Cause


@dataclass(frozen=True, slots=True)
class Move:
    """An edge to be taken: its destination (a status, or `machine:STATE`), cause, row and reason.

    A plug-in may give the cause as text. Raises: StateError for an unknown cause, or where a text is not one.
    """

    to: str
    cause: Cause
    trigger: str
    reason: str

    def __post_init__(self) -> None:
        if self.cause not in tuple(Cause):
            causes = ", ".join(Cause)
            raise StateError(f"the cause of a move to {self.to} is {self.cause!r}", fix=f"give one of: {causes}")
        object.__setattr__(self, "cause", Cause(self.cause))
        texts = (self.to, self.trigger, self.reason)
        if not _are_texts(*texts):
            raise StateError(f"where to, trigger and reason of a move are {texts!r}", fix="give texts")

    @property
    def status(self) -> str:
        """The status it leads to, in either machine."""
        return self.to.rpartition(":")[2]


def _are_texts(*values: object) -> bool:
    return all(isinstance(value, str) for value in values)


class Asked(StrEnum):
    """The ways a question ends."""

    ANSWERED = "answered"
    OFF = "off"
    EVENT = "event"
    TIMEOUT = "timeout"


class Assigned(StrEnum):
    """The ways a hand-over to a sub-agent ends."""

    ASSIGNED = "assigned"
    VANISHED = "vanished"
    SPENT = "spent"
