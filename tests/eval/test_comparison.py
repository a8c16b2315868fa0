"""Comparison of two evaluations."""

from pathlib import Path

import pytest

from deskhand.cli.eval_output import comparison_lines
from deskhand.core.errors import UsageError
from deskhand.eval.comparison import Change, compare, needed_results
from eval.results import RUN, results


@pytest.mark.requires("eval.compare")
def test_what_became_worse_beyond_noise_is_named_first_and_noise_is_called_noise() -> None:
    before = results({"a": "+++++", "b": "+++--", "c": "+++++", "d": "--"})
    after = results({"a": "+++++", "b": "++---", "c": "-----", "d": "++"})
    found = compare(before, after)
    assert [(task.id, task.change, task.is_noise) for task in found.tasks[:2]] == [
        ("c", Change.WORSE, False),
        ("b", Change.WORSE, True),
    ]
    assert [(task.id, task.change) for task in found.tasks[2:]] == [("d", Change.BETTER), ("a", Change.SAME)]
    assert (found.worse, found.better) == (2, 1)
    assert found.is_noise
    assert found.is_worse


@pytest.mark.requires("eval.compare")
def test_differences_that_chance_makes_are_no_regression() -> None:
    before, after = results({"a": "+++", "b": "+-+", "c": "-"}), results({"a": "---", "b": "---", "c": "+"})
    found = compare(before, after)
    assert all(task.is_noise for task in found.tasks)
    assert not found.is_worse


@pytest.mark.requires("eval.compare")
def test_one_trial_for_each_of_many_tasks_shows_a_regression_of_the_whole() -> None:
    names = [f"t{number}" for number in range(8)]
    found = compare(results(dict.fromkeys(names, "+")), results({**dict.fromkeys(names, "-"), "t7": "+"}))
    assert all(task.is_noise for task in found.tasks)
    assert found.p == 2 / 2**7
    assert found.is_worse


def test_an_error_is_no_pass_and_is_told() -> None:
    found = compare(results({"a": "++++++", "b": "-----"}), results({"a": "??????", "b": "+++++"}))
    assert found.is_worse
    told = [*comparison_lines(found)]
    assert "6/6 → 0/6, 6 errors" in told[2]
    assert told[-1].startswith(
        "1 worse (beyond noise: a), 1 better (beyond noise: b), of 2 tasks; the whole may be noise"
    )
    assert told[0].endswith("the same model, settings and version of Deskhand")


def test_ratios_are_of_medians_and_unknown_ones_are_none() -> None:
    before, after = (
        results({"a": "+", "b": "+"}, seconds=10.0),
        results({"a": "+", "b": "+"}, seconds=25.0, cost_usd=None),
    )
    found = compare(before, after)
    assert (found.time_ratio, found.steps_ratio, found.cost_ratio) == (2.5, 1.0, None)
    assert found.tasks[0].time_ratio == pytest.approx(2.5)


def test_tasks_of_one_side_alone_are_left_out_and_named() -> None:
    found = compare(results({"a": "+", "b": "+"}), results({"a": "+", "b": "", "c": "+"}))
    assert ([task.id for task in found.tasks], found.left_out) == (["a"], ("b", "c"))


@pytest.mark.requires("eval.compare")
def test_different_suites_and_no_common_task_are_refused() -> None:
    other = RUN.model_copy(update={"suite": "notes", "digest": "d2"})
    with pytest.raises(UsageError, match="of different suites: sums and notes"):
        compare(results({"a": "+"}), results({"a": "+"}, run=other))
    with pytest.raises(UsageError, match="no task in common"):
        compare(results({"a": "+"}), results({"b": "+"}))


@pytest.mark.parametrize("content", [None, "{}", "[", '{"run": 1, "trials": []}'])
def test_a_folder_without_results_is_refused(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "results.json").write_text(content)
    with pytest.raises(UsageError, match=r"results\.json"):
        needed_results(tmp_path)


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    given = results({"a": "+-?"}, reason="B12 is “empty”")
    given.write(tmp_path)
    assert needed_results(tmp_path) == given
