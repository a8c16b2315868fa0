"""Values that plug-ins keep: in the context, in the memory of an agent, and ended subtasks."""

from pathlib import Path
from typing import Any

import pytest

from deskhand.agents import AppAgent
from deskhand.core.context import Context, ContextKey
from deskhand.core.errors import ReplyDefect, StateError
from deskhand.core.events import SubtaskArchived
from deskhand.core.model import ModelReply
from deskhand.core.outcomes import Outcome
from deskhand.core.statuses import Cause
from deskhand.memory import Blackboard, MemoryItem
from deskhand.pipeline.context import ProcessingContext
from deskhand.session.clock import SystemClock
from deskhand.session.interactors import AutoInteractor
from deskhand.states import AgentState, AppAgentState, AppAgentStateManager, Edge, Move, archive
from deskhand.states.base import StateAgent
from deskhand.states.host import ContinueHostAgentState
from notes import APP, Notes
from stage import Events, assign, say, stage

pytestmark = pytest.mark.requires("state.plugin-values")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context("s1", tmp_path, Events(), SystemClock(), AutoInteractor(), subtask="Save", session_step=3)


def test_a_value_of_a_plugins_own_stays_and_public_names_are_the_programs(context: Context) -> None:
    context.set("reviews", 2)
    assert (context.get("reviews"), context.get("drafts", 0), context.get("drafts")) == (2, 0, None)
    assert (context.get(ContextKey.SUBTASK), context.get("session_step", 9)) == ("Save", 3)
    with pytest.raises(StateError, match="'subtask' itself"):
        context.set("subtask", "another")
    assert context.get("subtask") == "Save"


def test_a_step_reads_them_by_the_names_in_capitals_too(context: Context) -> None:
    context.set("Reviews", 2)
    step = ProcessingContext(shared=context, log_path=context.log_path, session_step=3)
    assert (step.get_global("SESSION_STEP", 0), step.get_global("CURRENT_ROUND_ID", 7)) == (3, 0)
    assert (step.get_global("Reviews"), step.get_global("NOTHING", "none")) == (2, "none")


def test_a_subtask_is_archived_by_its_record_alone(context: Context) -> None:
    with pytest.raises(StateError, match="close_subtask"):
        archive(context, "it is done")  # pyright: ignore[reportArgumentType] - as untyped code may
    assert context.previous_subtasks == []


async def test_an_agents_memory_takes_items_and_values(tmp_path: Path) -> None:
    notes = Notes()
    it = stage(notes.desktop, {}, log_path=tmp_path)
    it.host.add_memory({"plan": "first"})
    it.host.add_memory(MemoryItem({"plan": "second"}))
    it.host.add_memory({"seen": True})
    assert [item.to_dict() for item in it.host.memory.items] == [{"plan": "first"}, {"plan": "second", "seen": True}]


class PublishedState(AppAgentState, status="FINISH", subtask_end=True, terminal=True):
    """Archives in words, as it is written elsewhere."""

    async def handle(self, agent: StateAgent, context: Context) -> None:
        await self.archive_subtask(context, "three letters are answered")

    def leads_to(self, agent: StateAgent) -> Move | None:
        return Move("host:CONTINUE", Cause.SYSTEM, "archived", "done")

    def next_agent(self, agent: StateAgent) -> StateAgent:
        return agent.host or agent


class LastWords(PublishedState, status="FINISH"):
    """Archives the result of the last reply."""

    async def handle(self, agent: StateAgent, context: Context) -> None:
        await self.archive_subtask(context)


@pytest.mark.parametrize(("state", "result"), [(PublishedState, "three letters are answered"), (LastWords, "said")])
async def test_a_subtask_is_archived_in_words_and_the_host_continues(
    tmp_path: Path, state: type[PublishedState], result: str
) -> None:
    class Writer(AppAgent):
        def __init__(self, *given: Any, **more: Any) -> None:  # Any: the factory's own arguments
            super().__init__(*given, **more)
            self.state_manager.add_state("FINISH", state())

    answers = {"HostAgent": [assign("Notes", "Answer"), say("FINISH")], APP: [say("FINISH", result="said")]}
    it = stage(Notes().desktop, answers, log_path=tmp_path, kinds={"app": Writer})
    assert (await it.run()).outcome is Outcome.SUCCESS
    (record,) = it.context.previous_subtasks
    assert (record.subtask, record.result, record.outcome) == ("Answer", result, Outcome.SUCCESS)
    assert it.host.blackboard.subtasks == [record]
    assert [(event.subtask, event.result) for event in it.events.of(SubtaskArchived)] == [("Answer", result)]


async def test_a_state_that_ends_the_subtask_by_its_methods_alone_hands_the_result_to_the_host(tmp_path: Path) -> None:
    class Published(AppAgentState):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            await self.archive_subtask(context, "published")

        def next_agent(self, agent: StateAgent) -> StateAgent:
            return agent.host or agent

        def next_state(self, agent: StateAgent) -> AgentState | None:
            return ContinueHostAgentState()

        def is_subtask_end(self) -> bool:
            return True

        @classmethod
        def name(cls) -> str:
            return "PUBLISHED"

    rows = (
        Edge("app", "CONTINUE", "PUBLISHED", Cause.LLM, "reply"),
        Edge("app", "PUBLISHED", "host:CONTINUE", Cause.SYSTEM, "archived"),
    )
    AppAgentStateManager.register(edges=rows)(Published)
    try:
        answers = {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: [say("PUBLISHED", "invoke", "Save")]}
        it = stage(Notes().desktop, answers, log_path=tmp_path)
        assert (await it.run()).outcome is Outcome.SUCCESS
    finally:
        AppAgentStateManager.unregister(Published)
    assert [(record.status, record.result) for record in it.context.previous_subtasks] == [("PUBLISHED", "published")]
    assert it.events.edges()[2:4] == [
        ("app", "CONTINUE", "PUBLISHED", "llm"),
        ("app", "PUBLISHED", "host:CONTINUE", "system"),
    ]


async def test_outside_of_a_session_there_is_no_subtask_to_archive(context: Context) -> None:
    with pytest.raises(StateError, match="no agent has a subtask"):
        await PublishedState().archive_subtask(context, "done")


async def test_the_object_that_a_model_wrote_is_read_from_its_text_too(tmp_path: Path) -> None:
    it = stage(Notes().desktop, {}, log_path=tmp_path)
    assert it.host.response_to_dict('Here it is: {"status": "FINISH"}') == {"status": "FINISH"}
    assert it.host.response_to_dict(ModelReply({"status": "FAIL"}, "")) == {"status": "FAIL"}
    with pytest.raises(ReplyDefect):
        it.host.response_to_dict("nothing")


async def test_the_status_has_one_writer_and_a_session_one_blackboard(tmp_path: Path) -> None:
    it = stage(Notes().desktop, {}, log_path=tmp_path)
    with pytest.raises(StateError, match="cannot be assigned") as caught:
        it.host.status = "CONTINUE"
    assert "redirect(agent, 'CONTINUE'" in caught.value.fix
    it.host.blackboard = it.host.blackboard
    with pytest.raises(StateError, match="blackboard of its session"):
        it.host.blackboard = Blackboard()
