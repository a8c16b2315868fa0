"""The session's settings and services for a model that a plug-in makes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from anyio import to_thread

from deskhand.core.usage import Usage
from deskhand.models.language.lazy_import import IMPORTING
from deskhand.models.language.prices import Price

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ModelSetup:
    """`keys`: the variables of the environment and of the secrets file. `timeout_s` applies to one call;
    `max_output_tokens` None: the provider's limit. `price` None: that of the installed price lists.
    """

    keys: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    timeout_s: float = 120.0
    max_output_tokens: int | None = None
    price: Price | None = None

    def has_price(self, provider: str, model: str) -> bool:
        """True if the cost of calls can be computed."""
        return self.cost_usd(provider, model, Usage(1, 1)) is not None

    def cost_usd(self, provider: str, model: str, usage: Usage) -> float | None:
        """Dollars of one call; None if the price is unknown. `provider`: its name in the price lists."""
        if self.price is not None:
            return self.price.of(usage.input_tokens, usage.output_tokens, usage.cached_tokens)
        import genai_prices  # noqa: PLC0415 - reading the lists takes a third of a second

        used = genai_prices.Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cached_tokens or None,
        )
        try:
            return float(genai_prices.calc_price(used, model_ref=model, provider_id=provider).total_price)
        except (LookupError, ValueError):
            return None

    async def connect(self, make: "Callable[[httpx2.AsyncClient], T]") -> T:
        """Call `make`, which imports an SDK and makes its client, in a thread; no other is imported meanwhile.

        It gets an HTTP client whose answers are bounded and that follows no redirect. Raises: ModelDenied.
        """

        def connect() -> T:
            with IMPORTING:
                from deskhand.models.language.network import bounded_client  # noqa: PLC0415 - takes a second

                return make(bounded_client())

        return await to_thread.run_sync(connect)
