"""Results of waiting for an action's effect."""

from dataclasses import dataclass

from deskhand.core.command import Effect


@dataclass(frozen=True, slots=True)
class Finding:
    """`effect` None: no effect was found, and the tool decides on the verdict."""

    effect: Effect | None
    message: str
    retry_safe: bool | None = None
