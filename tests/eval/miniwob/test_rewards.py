"""Pages of MiniWoB++ in Chromium, acted on through accessibility: the reward is the page's own."""

from pathlib import Path

import pytest

import deskhand
from deskhand.config.sections import Configuration
from deskhand.eval.miniwob.pages import installed_pages
from deskhand.eval.miniwob.server import serving
from deskhand.eval.miniwob.suite import NAME, MiniwobTask
from deskhand.eval.suite import Judgement
from tools.eval_miniwob import tried

pytestmark = [pytest.mark.desktop, pytest.mark.requires("eval.miniwob")]


@pytest.mark.full("the others take the same way", but=["navigate-tree"])
@pytest.mark.parametrize("task", ["navigate-tree", "email-inbox-forward"])
async def test_what_the_request_asks_for_has_the_whole_reward(task: str) -> None:
    with serving(installed_pages()) as server:
        one = await tried(server, task, 0)
    assert one.passed, (one.problem, one.request, one.moves)
    assert one.episode.reward == 1


@pytest.mark.full("test_suite has such a reward without a browser")
async def test_a_wrong_click_fails_the_trial(tmp_path: Path) -> None:
    async with MiniwobTask(installed_pages(), "click-button").set_up(tmp_path, 0) as setup:
        assert setup.request is not None
        assert await setup.request() == 'Click on the "No" button.'
        configuration = Configuration(applications=dict(setup.commands))
        async with deskhand.open_desktop(configuration=configuration) as desktop:
            window = await desktop.launch(NAME)
            await window.button("cancel").press()
            verdict = await setup.check(tmp_path)
    assert (verdict.judgement, verdict.reason) == (Judgement.FAILED, "the page's reward is -1")
