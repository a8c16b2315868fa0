"""MiniWoB++ as a suite: tasks, their setup, and verdicts by the page's reward."""

from pathlib import Path

import pytest

from deskhand.core.errors import MissingRequirement
from deskhand.eval.miniwob import suite as suite_module
from deskhand.eval.miniwob.suite import DRAWN, NAME, miniwob_suite
from deskhand.eval.shipped import find_suite
from deskhand.eval.suite import Judgement, Setup, SuiteTask
from eval.miniwob.reports import end, report

pytestmark = pytest.mark.requires("eval.miniwob")


@pytest.fixture(autouse=True)
def any_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite_module, "_BROWSERS", ("sh",))


def task(name: str) -> SuiteTask:
    (found,) = find_suite(NAME).chosen([name])
    return found


def url_of(setup: Setup) -> str:
    return setup.commands[NAME].argv[1].removeprefix("--app=")


async def test_a_trial_passes_by_the_reward_of_its_own_page(tmp_path: Path) -> None:
    page = task("click-button")
    async with page.set_up(tmp_path, 1) as first, page.set_up(tmp_path, 2) as second:
        assert (first.applications, page.details.approves) == ((NAME,), True)
        before = await first.check(tmp_path)
        assert (before.judgement, before.reason) == (Judgement.FAILED, "the page was not opened")
        report(url_of(first), end(1.0))
        report(url_of(second), end(-1.0))
        assert (await first.check(tmp_path)).judgement is Judgement.PASSED
        failed = await second.check(tmp_path)
    assert (failed.judgement, failed.reason) == (Judgement.FAILED, "the page's reward is -1")


async def test_a_page_whose_script_fails_is_an_error_unless_it_ended(tmp_path: Path) -> None:
    async with task("click-button").set_up(tmp_path, 1) as setup:
        report(url_of(setup), {"kind": "fault", "text": "x is not defined"})
        broken = await setup.check(tmp_path)
        assert (broken.judgement, broken.reason) == (Judgement.ERROR, "the page failed: x is not defined")
        report(url_of(setup), end(1.0))
        assert (await setup.check(tmp_path)).judgement is Judgement.PASSED


def test_tasks_about_pictures_have_a_tag() -> None:
    suite = miniwob_suite()
    drawn = {each.details.id for each in suite.chosen([f"tag:{DRAWN}"])}
    assert {"click-shape", "draw-circle"} <= drawn
    assert drawn.isdisjoint({"click-button", "email-inbox"})
    assert len(suite.tasks) - len(drawn) > 100
    assert suite.digest == miniwob_suite().digest


async def test_without_a_browser_the_error_says_how_to_install_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite_module, "_BROWSERS", ("no-such-browser",))
    with pytest.raises(MissingRequirement, match="chromium is not installed"):
        async with task("click-button").set_up(tmp_path, 1):
            pass
