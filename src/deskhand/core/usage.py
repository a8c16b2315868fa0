"""Usage of one model call."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and cost of one call, as counted by the provider; `cost_usd` None: the price is unknown, never free.

    `cached_tokens` are those of `input_tokens` that the provider had cached from an earlier call.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    cached_tokens: int = 0
