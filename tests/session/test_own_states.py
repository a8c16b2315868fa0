"""A state that plugs in: offered to the model, allowed by its rows, and its reply acts like the others'."""

from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

from deskhand import AgentStatus, AppAgentStateManager
from deskhand.core.context import Context
from deskhand.core.errors import DuplicateState, StateError
from deskhand.core.events import ActionFinished, TransitionTaken
from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.statuses import Cause
from deskhand.models.scripted import ScriptedReply
from deskhand.states.app import AppAgentState, ContinueAppAgentState
from deskhand.states.base import StateAgent, redirect
from deskhand.states.table import Edge
from notes import APP, Notes
from stage import assign, say, stage

pytestmark = pytest.mark.requires("state.own-states")

HANDLED: list[str] = []


class ReviewState(ContinueAppAgentState, status="REVIEW"):
    """Works like CONTINUE, and is noted."""

    async def handle(self, agent: StateAgent, context: Context) -> None:
        HANDLED.append(agent.name)
        await super().handle(agent, context)


@pytest.fixture
def review() -> Generator[None]:
    HANDLED.clear()
    AppAgentStateManager.register(like=AgentStatus.CONTINUE, when="the draft is to be reviewed")(ReviewState)
    yield
    AppAgentStateManager.unregister(ReviewState)


@pytest.mark.usefixtures("review")
async def test_the_model_claims_it_its_action_runs_and_it_does_the_next_step(tmp_path: Path) -> None:
    offered: list[tuple[str, str]] = []

    def first(request: ModelRequest) -> ScriptedReply:
        offered.extend((status, request.status_meanings.get(status, "")) for status in request.allowed_statuses)
        reply = say("REVIEW", "invoke", "Save")
        assert callable(reply)
        return reply(request)

    notes = Notes()
    answers = {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: [first, say("FINISH")]}
    it = stage(notes.desktop, answers, log_path=tmp_path)
    ending = await it.run()
    assert ending.outcome is Outcome.SUCCESS, ending
    assert ("REVIEW", "the draft is to be reviewed") in offered
    assert HANDLED == [APP]
    moves = [
        (event.source, event.to) for event in it.events.of(TransitionTaken) if "REVIEW" in {event.source, event.to}
    ]
    assert moves == [("CONTINUE", "REVIEW"), ("REVIEW", "FINISH")]
    assert [event.tool for event in it.events.of(ActionFinished) if event.tool == "invoke"] == ["invoke"]


def test_a_state_that_nothing_leads_to_or_whose_rows_lead_nowhere_is_refused_where_it_is_registered() -> None:
    class Lonely(AppAgentState, status="LONELY"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            redirect(agent, AgentStatus.CONTINUE, Cause.SYSTEM, "back")

    with pytest.raises(StateError, match="no row leads to 'LONELY'"):
        AppAgentStateManager.register(Lonely)
    with pytest.raises(StateError, match="no state 'CONTINU'"):
        AppAgentStateManager.register(like="CONTINU")(Lonely)
    with pytest.raises(StateError, match="'NOWHERE'"):
        AppAgentStateManager.register(edges=[Edge("app", "CONTINUE", "NOWHERE", Cause.LLM, "reply")])(Lonely)
    with pytest.raises(StateError, match="none of"):
        AppAgentStateManager.register(edges=[Edge("host", "CONTINUE", "LONELY", Cause.LLM, "reply")])(Lonely)
    with pytest.raises(StateError, match="cause 'because'"):
        AppAgentStateManager.register(edges=[Edge("app", "CONTINUE", "LONELY", cast("Cause", "because"), "reply")])(
            Lonely
        )
    assert "LONELY" not in AppAgentStateManager.names()


def test_a_state_that_would_fail_in_its_first_session_is_refused_where_it_is_registered() -> None:
    class Abstract(AppAgentState, status="LONELY"):
        pass

    class Full(ReviewState, status="LONELY"):
        def __init__(self) -> None:
            self.drafts = 0

    class Blocking(AppAgentState, status="LONELY"):
        def handle(self, agent: StateAgent, context: Context) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - the mistake
            redirect(agent, AgentStatus.CONTINUE, Cause.SYSTEM, "back")

    for state, problem in ((Abstract, "cannot be made"), (Full, "holds no data"), (Blocking, "not async")):
        with pytest.raises(StateError, match=problem):
            AppAgentStateManager.register(like="CONTINUE")(state)
    assert "LONELY" not in AppAgentStateManager.names()


@pytest.mark.usefixtures("review")
def test_it_can_be_registered_anew_after_it_was_removed() -> None:
    class Another(AppAgentState, status="REVIEW"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            redirect(agent, AgentStatus.CONTINUE, Cause.SYSTEM, "back")

    with pytest.raises(DuplicateState):
        AppAgentStateManager.register(like="CONTINUE")(Another)
    before = len(AppAgentStateManager.rows())
    AppAgentStateManager.unregister(ReviewState)
    AppAgentStateManager.register(like="CONTINUE")(Another)
    assert len(AppAgentStateManager.rows()) == before
    AppAgentStateManager.unregister(Another)
    assert all("REVIEW" not in {row.source, row.to} for row in AppAgentStateManager.rows())
