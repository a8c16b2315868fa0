"""What came of waiting for an action's effect."""

from dataclasses import dataclass

from deskhand.core.command import Effect


@dataclass(frozen=True, slots=True)
class Finding:
    """`effect` None: nothing was seen, and the tool says what that means."""

    effect: Effect | None
    told: str
    retry_safe: bool | None = None
