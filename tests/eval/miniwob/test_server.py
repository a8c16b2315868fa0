"""The server of MiniWoB++ pages: what it serves, and whose reports it believes."""

import re
from collections.abc import Generator
from http import HTTPStatus
from pathlib import Path

import pytest

from deskhand.core.errors import MissingRequirement, UsageError
from deskhand.eval.miniwob import pages as pages_module
from deskhand.eval.miniwob.pages import Pages, installed_pages
from deskhand.eval.miniwob.server import Server, serving
from eval.miniwob.reports import end, get, report, token_of

pytestmark = pytest.mark.requires("eval.miniwob")


@pytest.fixture
def server() -> Generator[Server]:
    with serving(installed_pages()) as server:
        yield server


def test_a_page_is_served_as_it_is_but_for_one_script_before_all_others(server: Server) -> None:
    episode = server.episode("click-button", 3)
    status, page = get(episode.url)
    script = re.search(rb"<script data-episode=.*?</script>", page, re.DOTALL)
    assert status == HTTPStatus.OK
    assert script is not None
    assert script.start() < page.index(b"core.js")
    own = (installed_pages().root / "miniwob" / "click-button.html").read_bytes()
    assert page.replace(script[0], b"") == own
    assert get(episode.url.replace("miniwob/click-button.html", "core/core.js"))[0] == HTTPStatus.OK


def test_only_files_of_the_package_are_served_and_only_below_an_episode(server: Server) -> None:
    episode = server.episode("click-button", 0)
    token = token_of(episode.url)
    base = episode.url.partition(token)[0]
    assert get(f"{base}{token}/../../__init__.py")[0] == HTTPStatus.NOT_FOUND
    assert get(f"{base}{token}/core/none.js")[0] == HTTPStatus.NOT_FOUND
    assert get(f"{base}core/core.js")[0] == HTTPStatus.NOT_FOUND
    server.drop(episode)
    assert get(episode.url)[0] == HTTPStatus.NOT_FOUND


async def test_the_first_ending_counts_and_only_a_whole_reward_passes(server: Server) -> None:
    episode, other = server.episode("find-greatest", 0), server.episode("find-greatest", 1)
    assert (episode.reward, episode.reason) == (None, "the page was not opened")
    assert report(episode.url, {"kind": "start", "utterance": "Find it"}) == HTTPStatus.OK
    assert episode.reason == "the page did not end the episode"
    assert await episode.utterance() == "Find it"
    assert report(episode.url, end(0.1, "not the greatest")) == HTTPStatus.OK
    assert report(episode.url, end(1.0)) == HTTPStatus.OK
    ending = await episode.ended(5)
    assert ending is not None
    assert (ending.reward, ending.passed) == (0.1, False)
    assert episode.reason == "the page's reward is 0.1: not the greatest"
    assert other.reward is None
    assert report(other.url, end(1.0)) == HTTPStatus.OK
    assert other.ending is not None
    assert other.ending.passed


async def test_what_is_no_report_of_an_episode_changes_nothing(server: Server) -> None:
    episode = server.episode("click-button", 0)
    for message in (b"no JSON", {"kind": "end", "reward": "1", "reason": ""}, {"kind": "win"}, b"[]"):
        assert report(episode.url, message) == HTTPStatus.BAD_REQUEST
    assert report(episode.url, end(1.0), other="0123456789abcdef") == HTTPStatus.NOT_FOUND
    assert report(episode.url, b"[" * 70_000) == HTTPStatus.NOT_FOUND
    assert await episode.ended(0) is None


async def test_errors_of_a_page_are_the_reason_and_no_reward(server: Server) -> None:
    episode = server.episode("click-button", 0)
    assert report(episode.url, {"kind": "fault", "text": "x is not defined"}) == HTTPStatus.OK
    assert (episode.reason, episode.reward) == ("the page failed: x is not defined", None)
    with pytest.raises(UsageError, match="did not start: the page failed: x is not defined"):
        await episode.utterance(0)


def test_a_task_that_does_not_exist_is_refused_with_those_of_a_like_name() -> None:
    pages = installed_pages()
    assert len(pages.tasks) > 100
    with pytest.raises(UsageError, match="no task 'click'") as refused:
        pages.require(["click-button", "click"])
    assert "click-button" in refused.value.fix


def not_found(_name: str) -> None:
    """As `find_spec` where the package is not installed."""


def test_without_the_package_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(pages_module, "find_spec", not_found)
    with pytest.raises(MissingRequirement) as missing:
        installed_pages()
    assert missing.value.fix == "pip install 'deskhand[miniwob]'"
    assert Pages(tmp_path).tasks == ()
