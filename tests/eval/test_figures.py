"""Figures of results."""

import pytest

from deskhand.eval.figures import Spread, figures_of
from deskhand.eval.statistics import wilson
from eval.results import RUN, results, trial


@pytest.mark.requires("eval.figures")
def test_pass_k_is_the_mean_over_tasks_and_pass_1_the_share_of_trials() -> None:
    found = figures_of(results({"a": "++++", "b": "++--", "c": "----"}))
    first, second, third, fourth = found.pass_all
    assert (first.value, first.interval) == (0.5, wilson(6, 12))
    assert second.value == pytest.approx((1 + 1 / 6 + 0) / 3)
    assert third.value == fourth.value == pytest.approx(1 / 3)
    assert second.interval is not None
    assert second.interval.low < second.value < second.interval.high


def test_a_task_with_fewer_trials_than_k_does_not_count_for_it() -> None:
    _, second, third = figures_of(results({"a": "+++", "b": "++", "c": "-"})).pass_all
    assert (second.value, second.tasks, second.interval) == (1.0, 2, None)
    assert (third.value, third.tasks) == (1.0, 1)


@pytest.mark.requires("eval.figures")
def test_errors_are_not_passes_and_false_outcomes_are_counted() -> None:
    given = results({"a": "+?"}).with_trial(trial("b", 1, "-"))
    given = given.with_trial(trial("b", 2, "+", outcome="failed")).with_trial(trial("b", 3, "-", outcome="failed"))
    found = figures_of(given.model_copy(update={"tasks": results({"a": "", "b": ""}).tasks}))
    assert (found.all.passed, found.all.total, found.all.errors) == (2, 5, 1)
    assert (found.all.false_successes, found.all.false_failures) == (1, 1)
    assert [group.share for _, group in found.tasks] == [0.5, pytest.approx(1 / 3)]


def test_medians_are_by_task_and_by_tag_over_trials_that_had_a_session() -> None:
    given = results({"a": "+", "b": ""}, tags={"a": ["calc"], "b": ["calc", "slow"]})
    for number, seconds in ((1, 20.0), (2, 40.0)):
        given = given.with_trial(trial("b", number, "+", seconds=seconds))
    given = given.with_trial(trial("b", 3, "?", outcome="", seconds=0.0, steps=0))
    found = figures_of(given)
    assert [group.seconds for _, group in found.tasks] == [Spread(10, 10, 10), Spread(30, 20, 40)]
    assert [(group.name, group.seconds) for group in found.tags] == [
        ("calc", Spread(20, 10, 40)),
        ("slow", Spread(30, 20, 40)),
    ]
    assert found.cost_usd == 1.5


def test_an_unknown_cost_makes_the_sum_unknown() -> None:
    found = figures_of(results({"a": "+"}).with_trial(trial("a", 2, "+", cost_usd=None)))
    assert (found.cost_usd, found.all.cost_usd) == (None, None)


def test_nothing_tried_has_no_figures() -> None:
    found = figures_of(results({"a": ""}, run=RUN))
    assert (found.pass_all, found.all.interval, found.all.steps) == ((), None, None)
