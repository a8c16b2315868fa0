"""Notes that accompany pictures over MCP, and the life of ids."""

import gc
import re
from dataclasses import replace

import pytest

from deskhand.config.sections import Configuration
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation, Picture
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.serve.desktop_tools import Desk, offered_tools
from deskhand.session.interactors import AutoInteractor
from notes import Notes

TOLD = '"Login" did not report its password fields; they may be visible'


class Busy(FakeDesktop):
    """One with a window that could not be asked."""

    async def screenshot(self, region: Rect | None = None) -> Picture:
        return replace(await super().screenshot(region), unchecked=("Login",))


@pytest.mark.requires("observe.secrets", "mcp.picture")
@pytest.mark.parametrize("tool", ["capture_desktop_screenshot", "capture_window_screenshot"])
async def test_that_a_picture_may_show_a_password_is_told_with_it(tool: str) -> None:
    for desktop, told in ((Busy(), True), (FakeDesktop(), False)):
        answer = await Desk(Notes(desktop=desktop).desktop, Configuration(), AutoInteractor()).call(tool, {})
        assert answer.picture is not None
        assert (TOLD in answer.text) is told


@pytest.mark.long
@pytest.mark.requires("mcp.ids")
async def test_what_was_seen_of_windows_that_are_gone_is_not_kept_and_their_ids_are_never_given_again() -> None:
    desktop = Notes().desktop
    desk = Desk(desktop, Configuration(), AutoInteractor())

    async def ids_of(window: str) -> set[int]:
        answer = await desk.call("observe_window", {"window": window})
        return {int(label) for label in re.findall(r"^ *(\d+) ", answer.text, re.MULTILINE)}

    of_notes = await ids_of("Notes")
    given = set(of_notes)
    for number in range(9):
        other = desktop.open(FakeWindow(f"Other {number}", [FakeControl(Role.BUTTON, "Go")], "other"))
        new = await ids_of(f"Other {number}")
        assert new
        assert not new & given
        given |= new
        desktop.close_window(other)
    assert await ids_of("Notes") == of_notes
    kept = [thing.window.name for thing in gc.get_objects() if isinstance(thing, Observation)]
    assert [name for name in kept if name.startswith("Other ")] == []


async def test_a_tool_that_follows_a_window_that_is_gone_is_for_agents_alone() -> None:
    offered = {tool.name for tool in offered_tools()}
    assert "wait_for" in offered
    assert "next_window" not in offered


@pytest.mark.requires("tool.fill", "tool.wait-for")
async def test_a_form_is_filled_and_a_window_waited_for_in_the_window_that_was_observed() -> None:
    notes = Notes()
    desk = Desk(notes.desktop, Configuration(), AutoInteractor())
    seen = await desk.call("observe_window", {"window": "Notes"})
    notes.desktop.open(FakeWindow("Other", [FakeControl(Role.BUTTON, "Go")], "other"))
    ids = {name: label for label, name in re.findall(r'(\d+) \w+ "(\w+)"', seen.text)}
    values: JsonValue = [{"id": ids["Text"], "value": "Ada"}, {"id": ids["Counter"], "value": True}]
    filled = await desk.call("fill", {"values": values})
    assert (filled.failed, notes.text.value, "checked" in notes.count.states) == (False, "Ada", True), filled.text
    assert filled.data is not None
    assert filled.data["effect"] == "confirmed"
    missing = await desk.call("fill", {"values": [{"id": "9999", "value": "Ada"}]})
    assert (missing.problem, missing.failed) == ("ElementNotFound", True)
    for wanted in ({"title": "Other"}, {"title": "Other", "window": "Notes"}, {"text": "Counter", "window": "Notes"}):
        assert not (await desk.call("wait_for", {"seconds": 0, **wanted})).failed
    late = await desk.call("wait_for", {"title": "Nothing", "seconds": 0})
    assert late.problem == "WaitTimedOut"


@pytest.mark.requires("mcp.ids")
async def test_an_id_of_another_window_than_the_named_one_is_refused() -> None:
    notes = Notes()
    desk = Desk(notes.desktop, Configuration(), AutoInteractor())
    seen = await desk.call("observe_window", {"window": "Notes"})
    notes.desktop.open(FakeWindow("Other", [FakeControl(Role.BUTTON, "Go")], "other"))
    ids = {name: label for label, name in re.findall(r'(\d+) \w+ "(\w+)"', seen.text)}
    answer = await desk.call("invoke", {"id": ids["Save"], "window": "Other"})
    assert (answer.failed, answer.problem, notes.log) == (True, "ElementNotFound", [])
