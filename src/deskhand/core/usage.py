"""What one model call took."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money of one call, in the provider's own counts; `cost_usd` None: the price is unknown, never free.

    `cached_tokens` are those of `input_tokens` that the provider had kept from an earlier call.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = 0.0
    cached_tokens: int = 0
