"""The page of an evaluation stands alone, marks false successes and leads to the reports of trials."""

from pathlib import Path

import pytest

from deskhand.eval.comparison import compare
from deskhand.eval.figures import figures_of
from deskhand.eval.page import write_page
from eval.results import results, trial
from report.test_html import HOSTILE, Page


def page(out: Path, *, worse: bool = False) -> Page:
    given = results({"a": "+++++", "b": "", HOSTILE: "?"}, tags={"a": ["calc"]}, reason=HOSTILE)
    given = given.with_trial(trial("b", 1, "-", reason="B12 is empty", outcome_reason="all done"))
    given = given.with_trial(trial("b", 2, "+", outcome="step_limit"))
    before = results({"a": "+++++", "b": "++"}) if worse else None
    against = None if before is None else compare(before, given)
    return Page(write_page(given, figures_of(given), against, out).read_text())


@pytest.mark.requires("eval.page")
def test_false_successes_are_marked_and_trials_lead_to_their_reports(tmp_path: Path) -> None:
    (tmp_path / "a/2").mkdir(parents=True)
    (tmp_path / "a/2/report.html").touch()
    found = page(tmp_path)
    assert "1: false success b B12 is empty the session: all done" in found.words
    assert "2: false failure b the session ended with step limit" in found.words
    assert [link["href"] for link in found.all("a")] == ["#tasks", "a/2/report.html"]
    assert "Pass^5 100.0 %" in found.words


@pytest.mark.requires("eval.page")
def test_nothing_is_loaded_and_nothing_of_a_task_becomes_part_of_the_page(tmp_path: Path) -> None:
    found = page(tmp_path)
    assert {tag for tag, _ in found.tags} & {"script", "img", "link", "iframe"} == set()
    policy = next(
        meta["content"] for meta in found.all("meta") if "content" in meta and "default-src" in meta["content"]
    )
    assert policy.startswith("default-src 'none'; style-src 'sha256-")


def test_a_comparison_is_shown_with_its_tasks(tmp_path: Path) -> None:
    found = page(tmp_path, worse=True)
    assert "Compared with first:model" in found.words
    assert "b worse, may be noise 2/2 → 1/2" in found.words
