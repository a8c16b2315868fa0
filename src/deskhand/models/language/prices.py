"""Cost of a call: by the prices of the user's configuration, else by the installed price lists."""

from dataclasses import dataclass

from deskhand.models.language.providers import ModelName

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens; `cached_input_per_mtok`: of tokens the provider had cached, None: as others."""

    input_per_mtok: float
    output_per_mtok: float
    cached_input_per_mtok: float | None = None

    def of(self, input_tokens: int, output_tokens: int, cached_tokens: int = 0) -> float:
        """Dollars of one call; `cached_tokens` are part of `input_tokens`."""
        cached_price = self.input_per_mtok if self.cached_input_per_mtok is None else self.cached_input_per_mtok
        fresh = max(0, input_tokens - cached_tokens) * self.input_per_mtok
        return (fresh + cached_tokens * cached_price + output_tokens * self.output_per_mtok) / _MILLION


def is_listed(name: ModelName) -> bool:
    """True if an installed price list has this model. Reading the lists takes a third of a second."""
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - only if a price is requested

    try:
        calc_price(Usage(input_tokens=1, output_tokens=1), model_ref=name.name, provider_id=name.provider.name)
    except (LookupError, ValueError):
        return False
    return True
