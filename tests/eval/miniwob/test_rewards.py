"""Pages of MiniWoB++ in Chromium, acted on through accessibility: the reward is the page's own."""

import pytest

import deskhand
from deskhand.config.sections import ApplicationEntry, Configuration
from deskhand.eval.miniwob.pages import installed_pages
from deskhand.eval.miniwob.server import serving
from tools.eval_miniwob import tried

pytestmark = [pytest.mark.desktop, pytest.mark.requires("eval.miniwob")]


@pytest.mark.parametrize("task", ["click-checkboxes", "navigate-tree", "email-inbox-forward"])
async def test_what_the_request_asks_for_has_the_whole_reward(task: str) -> None:
    with serving(installed_pages()) as server:
        one = await tried(server, task, 0)
    assert one.passed, (one.problem, one.request, one.moves)
    assert one.episode.reward == 1


async def test_a_wrong_click_ends_the_episode_without_a_reward() -> None:
    with serving(installed_pages()) as server:
        episode = server.episode("click-button", 0)
        entry = ApplicationEntry(argv=("chromium", f"--app={episode.url}"))
        async with deskhand.open_desktop(configuration=Configuration(applications={"page": entry})) as desktop:
            window = await desktop.launch("page")
            assert await episode.utterance() == 'Click on the "No" button.'
            await window.button("cancel").press()
            ending = await episode.ended(10)
    assert ending is not None
    assert (ending.reward, ending.passed, episode.reason) == (-1, False, "the page's reward is -1")
