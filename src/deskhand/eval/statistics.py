"""Intervals and exact tests for trials that pass or do not."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from typing import Final

CONFIDENCE: Final = 0.95
ALPHA: Final = 0.05
"""A difference that chance alone makes less often is beyond noise."""
_Z: Final = 1.959964
"""Quantile of the normal distribution for `CONFIDENCE`."""
_RESAMPLES: Final = 2000
_SEED: Final = 1


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float


def wilson(passed: int, total: int) -> Interval | None:
    """Wilson's score interval for a share of independent trials; None without trials."""
    if total == 0:
        return None
    share, square = passed / total, _Z * _Z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = _Z * sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def all_pass(passed: int, total: int, k: int) -> float:
    """Probability that k of a task's trials, drawn without replacement, all pass: C(passed, k) / C(total, k)."""
    return comb(passed, k) / comb(total, k)


def bootstrap(values: Sequence[float]) -> Interval | None:
    """Interval of a mean over tasks: percentiles of the means of tasks drawn anew, with a fixed seed.

    None if all values are equal: their resamples have no spread, which does not make them certain.
    """
    if len(set(values)) < 2:
        return None
    draw = random.Random(_SEED)  # noqa: S311 - no secret
    means = sorted(sum(draw.choices(values, k=len(values))) / len(values) for _ in range(_RESAMPLES))
    tail = round(_RESAMPLES * (1 - CONFIDENCE) / 2)
    return Interval(means[tail], means[-1 - tail])


def fisher(passed: int, total: int, other_passed: int, other_total: int) -> float:
    """Fisher's exact test, two-sided: the probability of a table at most as likely as this one, by chance alone."""
    weights = _weights(total, other_total, passed + other_passed)
    seen = weights(passed)
    every = [weights(count) for count in _counts(total, other_total, passed + other_passed)]
    return sum(weight for weight in every if weight <= seen) / sum(every)


def least_fisher(passed: int, total: int, other_passed: int, other_total: int) -> float:
    """The least value that `fisher` could have for so many passes in all."""
    together = passed + other_passed
    counts = _counts(total, other_total, together)
    return min(fisher(count, total, together - count, other_total) for count in (counts[0], counts[-1]))


def _weights(total: int, other_total: int, together: int) -> Callable[[int], int]:
    return lambda count: comb(total, count) * comb(other_total, together - count)


def _counts(total: int, other_total: int, together: int) -> range:
    """Numbers of passes that the first side may have."""
    return range(max(0, together - other_total), min(total, together) + 1)


def sign_test(better: int, worse: int) -> float:
    """Exact sign test, two-sided: the probability of so uneven a split of changed tasks, by chance alone.

    With one trial for each task it is the exact test of McNemar.
    """
    changed = better + worse
    tail = sum(comb(changed, count) for count in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / 2**changed)


def threshold(least: Sequence[float]) -> float:
    """Level for each of several tests, so that by chance one in twenty comparisons shows any difference (Tarone).

    `least`: for each test its least possible value. Tests that could never reach the level, such as tasks that pass
    every time on both sides, do not count.
    """
    k = 1
    while sum(value <= ALPHA / k for value in least) > k:
        k += 1
    return ALPHA / k
