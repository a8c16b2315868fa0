"""Values that plug-ins keep: in the context, in the memory of an agent, and ended subtasks."""

from pathlib import Path

import pytest

from deskhand.core.context import Context, ContextKey
from deskhand.core.errors import StateError
from deskhand.memory import MemoryItem
from deskhand.pipeline.context import ProcessingContext
from deskhand.session.clock import SystemClock
from deskhand.session.interactors import AutoInteractor
from deskhand.states.base import archive
from notes import Notes
from stage import Events, stage

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
