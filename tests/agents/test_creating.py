"""Agents that code of others creates, by the names that it knows (contract 3.4)."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from deskhand.core.context import Context
from deskhand.core.outcomes import Outcome
from deskhand.core.statuses import Cause
from deskhand.desktop.fake import FakeWindow
from deskhand.states import HostAgentState, Move
from deskhand.states.base import StateAgent
from deskhand.states.table import Edge
from notes import APP, Notes
from stage import Stage, say, stage

pytestmark = pytest.mark.requires("state.created-agents")


def delegating(it: Stage, **names: object) -> None:
    """Give the host a state that creates an agent of these names and hands over to it."""
    asked: dict[str, object] = {
        "agent_type": "app",
        "name": APP,
        "process_name": "notes",
        "app_root_name": "Notes",
        "is_visual": True,
        "main_prompt": None,
        "example_prompt": None,
        **names,
    }
    created = it.host.factory.create_agent(**asked)  # type: ignore[arg-type] - their types are the test's matter
    created.host = it.host
    created.blackboard = it.host.blackboard

    class Delegate(HostAgentState, status="HANDED"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            context.subtask = "Save"

        def leads_to(self, agent: StateAgent) -> Move | None:
            return Move("app:CONTINUE", Cause.SYSTEM, "created", f"handed to {created.name}")

        def next_agent(self, agent: StateAgent) -> StateAgent:
            return created

    manager = it.host.state_manager
    manager.add_state("HANDED", Delegate())
    manager.add_edges(
        (
            Edge("host", "CONTINUE", "HANDED", Cause.LLM, "reply"),
            Edge("host", "HANDED", "app:CONTINUE", Cause.SYSTEM, "created"),
        )
    )


async def session(tmp_path: Path, notes: Notes, names: Mapping[str, object]) -> Stage:
    answers = {"HostAgent": [say("HANDED"), say("FINISH")], APP: [say("FINISH", "invoke", "Save", result="saved")]}
    it = stage(notes.desktop, answers, log_path=tmp_path)
    delegating(it, **names)
    await it.run()
    return it


@pytest.mark.parametrize("title", ["Notes", "draft - Notes"])
async def test_an_agent_of_names_alone_works_in_the_window_of_that_title(tmp_path: Path, title: str) -> None:
    notes = Notes()
    notes.desktop.open(FakeWindow("Notes of another", [], "other"))
    notes.window.title = title
    it = await session(tmp_path, notes, {"app_root_name": "Notes"})
    assert notes.log == ["Save"]
    (record,) = it.context.previous_subtasks
    assert (record.agent, record.result, record.outcome) == (APP, "saved", Outcome.SUCCESS)
    assert it.events.edges()[1] == ("host", "HANDED", "app:CONTINUE", "system")


async def test_a_window_that_is_not_there_or_not_certain_is_named_with_the_open_ones(tmp_path: Path) -> None:
    missing = await session(tmp_path, Notes(), {"app_root_name": "Letters"})
    (record,) = missing.context.previous_subtasks
    assert record.outcome is Outcome.ERROR
    assert "no windows of 'notes' are called 'Letters'" in record.error
    two = Notes()
    two.desktop.open(FakeWindow("Notes", [], "notes"))
    ambiguous = await session(tmp_path, two, {})
    assert "2 windows of 'notes' are called 'Notes'" in ambiguous.context.previous_subtasks[0].error


async def test_its_subtask_is_archived_where_the_budget_ends(tmp_path: Path) -> None:
    notes = Notes()
    answers = {"HostAgent": [say("HANDED")], APP: [say("CONTINUE", "invoke", "Save")]}
    it = stage(notes.desktop, answers, log_path=tmp_path, settings={"max_step": 3})
    delegating(it)
    assert (await it.run()).outcome is Outcome.STEP_LIMIT
    (record,) = it.context.previous_subtasks
    assert (record.subtask, record.agent, record.outcome) == ("Save", APP, Outcome.STEP_LIMIT)


async def test_its_templates_are_those_given_to_it(tmp_path: Path) -> None:
    main = tmp_path / "main.md.j2"
    main.write_text("You save notes.\n{{ reply }}\n{{ statuses }}\n{{ tools }}")
    it = await session(tmp_path, Notes(), {"main_prompt": str(main), "is_visual": False})
    asked = next(request for request in it.model.requests if request.agent_name == APP)
    first = asked.messages[0].parts[0]
    assert str(getattr(first, "text", "")).startswith("You save notes.")
