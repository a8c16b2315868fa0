"""A session whose agents have tools of another server, wired as the configuration says."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from deskhand.commands.mcp_client import ToolServer
from deskhand.config.sections import Configuration, ToolServerEntry
from deskhand.core.events import KnowledgeRetrieved, ProblemMet
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Interactor
from deskhand.session.build import Ending, SessionPlan, run_session
from deskhand.session.interactors import AutoInteractor, ScriptedInteractor
from deskhand.store.journal import read_events
from notes import APP, Notes, prompt_of
from serve.clients import of_this_run
from stage import Answer, assign, say, scripted
from support import ROOT


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """A server is asked, which takes time that passes."""
    return "asyncio"


def words(mode: str = "honest", **settings: object) -> ToolServer:
    command = [sys.executable, str(ROOT / "tests/wire/foreign.py"), mode]
    return ToolServer("words", ToolServerEntry.model_validate({"command": command, **settings}), of_this_run())


async def carried_out(
    server: ToolServer, folder: Path, app: list[Answer], interactor: Interactor | None = None
) -> tuple[Ending, list[str], list[str]]:
    """How it ended, the prompts of the AppAgent, and what its system messages say."""
    notes = Notes()
    model = scripted({"HostAgent": [assign("Notes", "desk"), say("FINISH"), say("FINISH")], APP: app})

    @asynccontextmanager
    async def opens(_choice: str, _session: str, _root: Path) -> AsyncGenerator[object]:
        yield notes.desktop

    plan = SessionPlan(
        session_id="s1",
        session_dir=folder,
        requests=("Say what a desk is",),
        model=model,
        configuration=Configuration(),
        opens=opens,  # pyright: ignore[reportArgumentType] - the desktop in memory is one
        servers=(server,),
        interactor=interactor or AutoInteractor(),
    )
    with anyio.fail_after(20):
        ending = await run_session(plan)
    asked = [request for request in model.requests if request.agent == "app"]
    return ending, [prompt_of(r) for r in asked], [str(r.messages[0]) for r in asked]


@pytest.mark.requires("mcp.untrusted", "mcp.join")
async def test_an_agent_calls_a_tool_and_reads_its_answer_as_untrusted(tmp_path: Path) -> None:
    look_up = say("CONTINUE", "words.look_up", args={"word": "desk"})
    ending, prompts, system = await carried_out(words(reads=("look_up",)), tmp_path, [look_up, say("FINISH")])
    assert ending.outcome is Outcome.SUCCESS
    assert all("look_up" not in text for text in system), "what a server says is no part of our rules"
    fence = prompts[0].partition("<<<UNTRUSTED tool descriptions of other servers\n")[2].partition("UNTRUSTED>>>")[0]
    assert fence.startswith("- words.look_up(word, most: integer?, language: en|de?): Looks a word up.")
    assert ">>>" not in fence
    past = prompts[1].partition("<<<UNTRUSTED history")[2].partition("UNTRUSTED>>>")[0]
    assert "a table to work at" in past


@pytest.mark.requires("mcp.unknown")
async def test_a_tool_of_unknown_effect_runs_only_when_a_person_approves(tmp_path: Path) -> None:
    forget = say("CONTINUE", "words.look_up", args={"word": "hand"})
    ending, prompts, _ = await carried_out(words(), tmp_path / "no", [forget, say("FINISH")])
    assert ending.outcome is not Outcome.SUCCESS
    assert not any("what grips" in prompt for prompt in prompts)
    yes = ScriptedInteractor({}, [True])
    ending, prompts, _ = await carried_out(words(), tmp_path / "yes", [forget, say("FINISH"), say("FINISH")], yes)
    assert "what grips" in prompts[-1]


@pytest.mark.requires("mcp.broken")
async def test_a_session_goes_on_without_a_server_that_is_dead_and_says_so(tmp_path: Path) -> None:
    ending, _, _ = await carried_out(words("dead"), tmp_path, [say("FINISH")])
    assert ending.outcome is Outcome.SUCCESS
    problems = [event for event in read_events(tmp_path) if isinstance(event, ProblemMet)]
    assert [(problem.where, problem.error.type) for problem in problems] == [
        ("the tool server words", "ToolServerUnavailable")
    ]


@pytest.mark.requires("mcp.search")
async def test_a_search_feeds_what_agents_are_told(tmp_path: Path) -> None:
    searching = words(search="look_up", search_argument="word", reads=("look_up",))
    _, prompts, _ = await carried_out(searching, tmp_path, [say("FINISH")])
    found = [event for event in read_events(tmp_path) if isinstance(event, KnowledgeRetrieved)]
    assert {(one.kind, one.title, one.source) for event in found for one in event.passages} == {
        ("web", "a table to work at", "words.look_up")
    }
    fence = prompts[0].partition("<<<UNTRUSTED reference")[2].partition("UNTRUSTED>>>")[0]
    assert "[web] a table to work at (words.look_up)" in fence
