"""When a model that could not be asked is asked again: the one retry policy (contract 3.2)."""

from dataclasses import dataclass
from random import Random
from typing import Final

from deskhand.core.errors import ModelUnavailable


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`calls` in all for one reply; waits grow twofold from `first_s` to `most_s`, each shortened at random by up to
    half, so that several sessions do not come back at once. What the server asks for counts where it said so; one that
    asks for more than `most_s` is not waited for.
    """

    calls: int = 4
    first_s: float = 1.0
    most_s: float = 60.0

    def wait_s(self, error: ModelUnavailable, failed: int, random: Random) -> float | None:
        """Seconds until the next call, after `failed` calls in a row failed; None: this model is given up."""
        if not error.retryable or failed >= self.calls:
            return None
        if error.retry_after_s is not None:
            return None if error.retry_after_s > self.most_s else error.retry_after_s * (1 + random.random() / 10)
        return min(self.most_s, self.first_s * 2 ** (failed - 1)) * (1 - random.random() / 2)


RETRIES: Final = RetryPolicy()
