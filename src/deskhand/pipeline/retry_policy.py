"""The retry policy for models that cannot be reached (contract 3.2)."""

from dataclasses import dataclass
from random import Random
from typing import Final

from deskhand.core.errors import ModelUnavailable


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Allows `calls` calls for one reply. Delays double from `first_s` to `most_s` seconds, each shortened at random by
    up to half, so that several sessions do not retry at once. A delay requested by the server is used instead; where
    it is longer than `most_s`, the model is given up.
    """

    calls: int = 4
    first_s: float = 1.0
    most_s: float = 60.0

    def wait_s(self, error: ModelUnavailable, failed: int, random: Random) -> float | None:
        """Return the seconds until the next call, after `failed` failures in a row; None: the model is given up."""
        if not error.retryable or failed >= self.calls:
            return None
        if error.retry_after_s is not None:
            return None if error.retry_after_s > self.most_s else error.retry_after_s * (1 + random.random() / 10)
        return min(self.most_s, self.first_s * 2 ** (failed - 1)) * (1 - random.random() / 2)


RETRIES: Final = RetryPolicy()
