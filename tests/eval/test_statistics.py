"""Intervals and exact tests, beside values that other programs print for them."""

from itertools import product
from math import comb

import pytest

from deskhand.eval.statistics import (
    ALPHA,
    all_pass,
    bootstrap,
    fisher,
    least_fisher,
    sign_test,
    threshold,
    wilson,
)


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 1, 0.2065, 1.0)],
)
def test_wilsons_interval_of_a_share(passed: int, total: int, low: float, high: float) -> None:
    found = wilson(passed, total)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_without_trials_there_is_no_interval() -> None:
    assert wilson(0, 0) is None


def test_all_of_k_trials_pass_as_often_as_among_all_choices_of_k() -> None:
    trials = (True, True, True, False, False)
    pairs = [(a, b) for a in range(5) for b in range(a)]
    assert all_pass(3, 5, 2) == sum(trials[a] and trials[b] for a, b in pairs) / len(pairs) == 0.3
    assert [all_pass(3, 5, k) for k in (1, 3, 4, 5)] == [0.6, 0.1, 0.0, 0.0]


def test_a_bootstrap_is_the_same_each_time_and_contains_the_mean() -> None:
    values = [1.0, 1.0, 0.0, 0.5, 1.0, 0.0]
    found = bootstrap(values)
    assert found is not None
    assert found == bootstrap(values)
    assert 0.0 <= found.low < sum(values) / len(values) < found.high <= 1.0


def test_equal_tasks_are_not_taken_for_certainty() -> None:
    assert bootstrap([1.0] * 20) is None


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [((8, 10), (1, 6), 0.03497), ((5, 5), (0, 5), 0.007937), ((3, 3), (0, 3), 0.1), ((3, 5), (2, 5), 1.0)],
)
def test_fishers_exact_test(first: tuple[int, int], second: tuple[int, int], p: float) -> None:
    assert fisher(*first, *second) == fisher(*second, *first) == pytest.approx(p, rel=1e-3)


def test_the_least_value_of_a_test_is_that_of_its_most_extreme_table() -> None:
    assert least_fisher(5, 5, 5, 5) == 1.0
    for first, second in product(range(6), repeat=2):
        together = first + second
        tables = [(a, together - a) for a in range(6) if 0 <= together - a <= 5]
        assert least_fisher(first, 5, second, 5) == min(fisher(a, 5, b, 5) for a, b in tables)


def test_an_uneven_split_of_changed_tasks_is_less_likely_by_chance() -> None:
    assert sign_test(0, 0) == 1.0
    assert sign_test(2, 2) == 1.0
    assert sign_test(0, 5) == sign_test(5, 0) == 0.0625
    assert sign_test(1, 9) == pytest.approx(2 * 11 / 2**10)


def test_tests_that_cannot_show_a_difference_do_not_count() -> None:
    assert threshold([1.0] * 19 + [0.008]) == ALPHA
    assert threshold([0.001] * 20) == ALPHA / 20
    assert threshold([]) == ALPHA


def test_noise_is_seldom_called_a_difference() -> None:
    """All results of two tasks with 6 trials each on both sides that pass half of the time, by their probability."""
    weights = [comb(6, count) / 64 for count in range(7)]
    least = {pair: least_fisher(pair[0], 6, pair[1], 6) for pair in product(range(7), repeat=2)}
    values = {pair: fisher(pair[0], 6, pair[1], 6) for pair in least}
    wrong = 0.0
    for both in product(least, repeat=2):
        level = threshold([least[pair] for pair in both])
        if any(values[pair] <= level for pair in both):
            wrong += weights[both[0][0]] * weights[both[0][1]] * weights[both[1][0]] * weights[both[1][1]]
    assert 0 < wrong <= ALPHA
