"""A state that would break in a session is refused at its registration, with what to write instead (contract 2.1)."""

from dataclasses import replace
from typing import Any, cast

import pytest

from deskhand.core.context import Context
from deskhand.core.errors import DuplicateState, StateError
from deskhand.core.statuses import Cause
from deskhand.states import (
    AgentState,
    AgentStateManager,
    AppAgentState,
    AppAgentStateManager,
    Edge,
    HostAgentStateManager,
    redirect,
)
from deskhand.states.app import ContinueAppAgentState, FinishAppAgentState
from deskhand.states.base import StateAgent
from deskhand.states.host import HostAgentState

pytestmark = pytest.mark.requires("state.registration-check")
# pyright: reportIncompatibleMethodOverride=false, reportAttributeAccessIssue=false


def refusal(state: object, **how: Any) -> StateError:  # Any: the arguments of register
    """The error of registering a state; what is no error stays registered nowhere."""
    before = set(AppAgentStateManager.names())
    register = AppAgentStateManager.register(**(how or {"like": "CONTINUE"}))
    with pytest.raises(StateError) as caught:
        register(cast("type[AgentState]", state))
    assert set(AppAgentStateManager.names()) == before
    return caught.value


class KeepsCount(ContinueAppAgentState, status="COUNTS"):
    def __init__(self) -> None:
        self.count = 0


class KeepsAnswer(ContinueAppAgentState, status="COUNTS"):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        self.answer = await agent.process_confirmation(context)
        redirect(agent, "CONTINUE", Cause.SYSTEM, "asked")


class AssignsStatus(AppAgentState, status="LOST"):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        await agent.process(context)
        agent.status = "CONTINUE"  # pyright: ignore - the mistake


class AssignsStatusLater(ContinueAppAgentState, status="LOST"):
    def next_state(self, agent: StateAgent) -> AgentState | None:
        agent.status = "CONTINUE"  # pyright: ignore - the mistake
        return agent.state_manager.get_state("CONTINUE")


class RunsOnly(AppAgentState, status="LOST"):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        await agent.process(context)


class RunsProcessor(AppAgentState, status="LOST"):
    async def handle(self, agent: Any, context: Context) -> None:  # Any: as in code without types
        await agent.processor.process(agent, context)


class AsksAtOnce(AppAgentState, status="LOST"):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        agent.process_asker(context)  # pyright: ignore[reportUnusedCoroutine] - the mistake
        redirect(agent, "CONTINUE", Cause.USER, "answered")


class DoesNothing(AppAgentState, status="LOST"):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        """Waits for something."""


class EndsRound(DoesNothing, status="LOST"):
    def is_round_end(self) -> bool:
        return True


class TakesNoContext(AppAgentState, status="LOST"):
    async def handle(self, agent: StateAgent) -> None: ...


class IsAwaited(ContinueAppAgentState, status="LOST"):
    async def next_state(self, agent: StateAgent) -> AgentState | None: ...


class NamedByObject(ContinueAppAgentState):
    def name(self) -> str:
        return "LOST"


class Lower(ContinueAppAgentState, status="review"):
    pass


class Synonym(ContinueAppAgentState, status="DONE"):
    pass


@pytest.mark.parametrize(
    ("state", "message", "fix"),
    [
        ("REVIEW", "'REVIEW' is no class of a state", "decorator"),
        (ContinueAppAgentState(), "is no class of a state", "decorator"),
        (int, "is no class of a state", "derives from"),
        (KeepsCount, "holds no data", "context.set"),
        (KeepsAnswer, "handle of KeepsAnswer keeps data in self.answer", "context.set"),
        (AssignsStatus, "handle of AssignsStatus assigns agent.status", "redirect"),
        (AssignsStatusLater, "next_state of AssignsStatusLater assigns agent.status", "redirect"),
        (RunsOnly, "handle of RunsOnly sets no status", "verdict = await agent.process(context)"),
        (RunsProcessor, "calls agent.processor.process", "verdict = await agent.process(context)"),
        (AsksAtOnce, "calls agent.process_asker without await", "await agent.process_asker(context)"),
        (DoesNothing, "handle of DoesNothing sets no status", "redirect"),
        (EndsRound, "handle of EndsRound sets no status", "define leads_to"),
        (TakesNoContext, "handle of TakesNoContext cannot be called", "self, agent, context"),
        (IsAwaited, "next_state of IsAwaited is async", "are not async"),
        (NamedByObject, "name of NamedByObject needs an instance", "classmethod"),
        (Lower, "'review' is read as 'REVIEW'", "REVIEW"),
        (Synonym, "'DONE' is read as 'FINISH'", "otherwise"),
    ],
)
def test_a_mistake_is_named_with_what_to_write_instead(state: object, message: str, fix: str) -> None:
    error = refusal(state)
    assert message in error.message
    assert fix in error.fix


class Reviewed(ContinueAppAgentState, status="REVIEW"):
    pass


def row(source: str, to: str, cause: Cause = Cause.LLM) -> Edge:
    return Edge("app", source, to, cause, "reply" if cause is Cause.LLM else "done")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"edges": [row("CONTINUE", "REVIEW")]}, "no row leads away from 'REVIEW'"),
        ({"edges": [row("REVIEW", "REVIEW"), row("REVIEW", "CONTINUE")]}, "no row leads to 'REVIEW'"),
        ({"edges": [row("FINISH", "REVIEW"), row("REVIEW", "CONTINUE")]}, "no model is asked in FINISH"),
        ({"like": "FINISH"}, "FINISH only waits, hands over or ends"),
        ({"like": "PENDING"}, "PENDING only waits, hands over or ends"),
    ],
)
def test_rows_that_nothing_would_take_are_refused(how: dict[str, object], message: str) -> None:
    assert message in refusal(Reviewed, **how).message


def test_a_status_like_another_can_be_claimed_wherever_that_one_can() -> None:
    AppAgentStateManager.register(like="CONTINUE", when="twice")(Reviewed)
    try:
        table = AppAgentStateManager.rows()
        claimed = {row.source for row in table if row.to == "REVIEW" and row.cause is Cause.LLM}
        assert claimed == {"CONTINUE", "SCREENSHOT", "REVIEW"}
        follows = {(row.to, row.cause, row.trigger) for row in table if row.source == "CONTINUE"}
        assert follows == {(row.to, row.cause, row.trigger) for row in table if row.source == "REVIEW"}
        assert "CONTINUE --> REVIEW: llm reply" in table.diagram()
    finally:
        AppAgentStateManager.unregister(Reviewed)


def test_what_is_not_certain_from_its_source_is_left_to_the_session() -> None:
    class Delegates(AppAgentState, status="REVIEW"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            go_on(agent)

    AppAgentStateManager.register(like="CONTINUE")(Delegates)
    AppAgentStateManager.unregister(Delegates)
    source = "class Made(AppAgentState, status='REVIEW'):\n    async def handle(self, agent, context): pass\n"
    made: dict[str, Any] = {"AppAgentState": AppAgentState, "__name__": "notebook"}
    exec(source, made)  # noqa: S102 - a class whose source cannot be read
    AppAgentStateManager.register(like="CONTINUE")(made["Made"])
    AppAgentStateManager.unregister(made["Made"])


def go_on(agent: StateAgent) -> None:
    redirect(agent, "CONTINUE", Cause.SYSTEM, "on")


@pytest.mark.parametrize("name", ["CONTINUE", "FINISH", ""])
def test_a_state_of_a_machine_itself_cannot_be_removed(name: str) -> None:
    state = AppAgentStateManager.classes()[name]
    with pytest.raises(StateError, match="itself, and other states lead to it"):
        AppAgentStateManager.unregister(state)
    with pytest.raises(StateError, match="no class of a state"):
        AppAgentStateManager.unregister(cast("type[AgentState]", name))
    assert AppAgentStateManager.classes()[name] is state


def test_the_removal_of_another_class_of_that_name_is_refused() -> None:
    class Another(ContinueAppAgentState, status="REVIEW"):
        pass

    AppAgentStateManager.register(like="CONTINUE")(Reviewed)
    with pytest.raises(StateError, match="REVIEW of AppAgentStateManager is Reviewed, not Another"):
        AppAgentStateManager.unregister(Another)
    AppAgentStateManager.unregister(Reviewed)
    AppAgentStateManager.unregister(Another)
    assert "REVIEW" not in AppAgentStateManager.names()


def test_the_base_of_all_machines_names_the_ones_to_register_with() -> None:
    with pytest.raises(StateError, match="base of all machines") as caught:
        AgentStateManager.register(Reviewed)
    assert "HostAgentStateManager" in caught.value.fix


def test_a_class_in_the_place_of_a_state_is_refused_at_run_time_too() -> None:
    with pytest.raises(StateError, match="is no state"):
        AppAgentStateManager().add_state("REVIEW", cast("AgentState", Reviewed))


def test_a_row_for_a_status_that_no_model_can_claim_is_refused_at_run_time_too() -> None:
    with pytest.raises(StateError, match="'DELEGATE' is read as 'ASSIGN'"):
        HostAgentStateManager().add_edges([Edge("host", "CONTINUE", "DELEGATE", Cause.LLM, "reply")])


def test_what_a_state_does_not_say_is_as_in_the_class_it_derives_from() -> None:
    class Published(FinishAppAgentState, status="PUBLISHED"):
        pass

    made = Published()
    assert (made.terminal, made.is_subtask_end(), made.is_round_end(), made.acts) == (True, True, False, False)


def test_a_machine_derives_its_states_and_rows_and_changes_none_of_its_parent() -> None:
    class ClerkStates(AppAgentStateManager, without=["SCREENSHOT"]):
        machine = "clerk"

    before = AppAgentStateManager.classes()

    @ClerkStates.register
    class Continue(ContinueAppAgentState, status="CONTINUE"):
        pass

    assert {edge.machine for edge in ClerkStates.rows()} == {"clerk"}
    kept = [edge for edge in AppAgentStateManager.rows() if "SCREENSHOT" not in {edge.source, edge.to}]
    assert [replace(edge, machine="app") for edge in ClerkStates.rows()] == kept
    assert ClerkStates().get_state("CONTINUE").__class__ is Continue
    assert AppAgentStateManager.classes() == before
    with pytest.raises(DuplicateState, match="already has Continue"):
        ClerkStates.register(cast("type[AgentState]", type("Second", (ContinueAppAgentState,), {}, status="CONTINUE")))


def test_a_state_of_the_host_plugs_in_the_same_way() -> None:
    class Survey(HostAgentState, status="SURVEY"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            verdict = await agent.process(context)
            redirect(agent, verdict.status, verdict.cause, verdict.reason, trigger=verdict.trigger)

    HostAgentStateManager.register(like="CONTINUE")(Survey)
    try:
        assert "SURVEY" in HostAgentStateManager.rows().claimable("host", "CONTINUE")
        assert "ASSIGN" in HostAgentStateManager.rows().claimable("host", "SURVEY")
    finally:
        HostAgentStateManager.unregister(Survey)
