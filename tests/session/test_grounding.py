"""A session with a grounding server, wired as the configuration says."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from deskhand.config.sections import Configuration, GroundingSection, SystemSection
from deskhand.core.events import ProblemMet
from deskhand.core.outcomes import Outcome
from deskhand.session.build import Ending, SessionPlan, run_session
from deskhand.store.journal import read_events
from notes import APP, Notes, prompt_of
from stage import Answer, assign, say, scripted
from wire.omniparser import Raw, icon, seer

BACKENDS = SystemSection(control_backend=("atspi", "omniparser"))


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """A server is asked, which takes time that passes."""
    return "asyncio"


async def carried_out(address: str, folder: Path, app: list[Answer]) -> tuple[Ending, list[str]]:
    """How it ended, and the prompts of the AppAgent."""
    notes = Notes()
    model = scripted({"HostAgent": [assign("Notes", "Draw"), say("FINISH")], APP: app})

    @asynccontextmanager
    async def opens(_choice: str, _session: str, _root: Path) -> AsyncGenerator[object]:
        yield notes.desktop

    configuration = Configuration(system=BACKENDS, grounding=GroundingSection(address=address))
    plan = SessionPlan(
        session_id="s1",
        session_dir=folder,
        requests=("Draw",),
        model=model,
        configuration=configuration,
        opens=opens,  # pyright: ignore[reportArgumentType] - the desktop in memory is one
    )
    with anyio.fail_after(20):
        ending = await run_session(plan)
    return ending, [prompt_of(request) for request in model.requests if request.agent == "app"]


@pytest.mark.requires("grounding.client")
async def test_what_the_server_sees_is_in_the_prompt_and_can_be_clicked(tmp_path: Path) -> None:
    with seer(lambda _: [icon(0.8, 0.8, 0.9, 0.9, "Circle")]) as server:
        ending, prompts = await carried_out(
            server.address, tmp_path, [say("CONTINUE", "click_input", "Circle"), say("FINISH")]
        )

        assert len(server.sent) == 1, "the second look is the same picture"
    assert ending.outcome is Outcome.SUCCESS
    assert all('button "Circle" (picture_only)' in prompt for prompt in prompts)


@pytest.mark.requires("grounding.fails")
async def test_a_server_that_fails_ends_nothing_and_stands_in_the_journal(tmp_path: Path) -> None:
    with seer(lambda _: Raw(b"", 500)) as server:
        ending, _ = await carried_out(server.address, tmp_path, [say("FINISH", "invoke", "Save")])
    assert ending.outcome is Outcome.SUCCESS
    (problem,) = [event for event in read_events(tmp_path) if isinstance(event, ProblemMet)]
    assert (problem.where, problem.error.type) == ("grounding", "GroundingUnavailable")


@pytest.mark.requires("grounding.settings")
async def test_to_ask_no_address_is_a_wrong_setting(tmp_path: Path) -> None:
    ending, prompts = await carried_out("", tmp_path, [])
    assert (ending.outcome, prompts) == (Outcome.ERROR, [])
    assert "grounding.address is empty" in ending.reason
    assert ending.exit_code == 2
