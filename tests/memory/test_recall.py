"""A session that ends without a word, read back from its journal (contract 4.8)."""

from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.agents import BasicAgent
from deskhand.core.events import Event, StepRemembered
from deskhand.core.json import JsonValue
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.memory import recall
from deskhand.models.scripted import ScriptedModel, ScriptedReply
from deskhand.session.clock import SystemClock
from deskhand.store.journal import Journal, read_events
from notes import APP, CONFIRM_DELETE, Notes
from stage import Person, Stage, act, assign, rule, say, scripted, stage

KEEP: JsonValue = {"save": True, "reason": "the text before"}
REPLIES = [
    say("CONTINUE", "set_edit_text", "Text", args={"text": "Ada\nGrace"}, save_screenshot=KEEP),
    say("CONTINUE", "texts", "Text", save_as="text"),
    say("PENDING", questions=["Which one?"]),
    say("CONTINUE", actions=[act("invoke", "Save"), act("invoke", "Delete")]),
    say("CONTINUE", "invoke", "Quiet", expect={"effect": "confirmed"}),
    say("FINISH", result="done"),
    say("CONTINUE", "invoke", "Save"),
    say("FAIL", result="half of it", comment="no way"),
]


class Follows:
    """A scripted model that says where in its script it stands."""

    name, pictures = "follows", None

    def __init__(self, model: ScriptedModel) -> None:
        self._model = model

    async def respond(self, request: ModelRequest) -> ModelReply:
        reply = await self._model.respond(request)
        return ModelReply(reply.content, reply.text, reply.usage, position=len(request.steps_done) + 7)


async def played(folder: Path) -> Stage:
    """Two subtasks of one agent, with a question, an approval, saved data and an event; then it stops dead."""
    notes = Notes()
    host: list[ScriptedReply | object] = [assign("Notes", "Write"), assign("Notes", "Save again"), say("FINISH")]
    model = Follows(scripted({"HostAgent": host, APP: REPLIES}))  # pyright: ignore[reportArgumentType] - as stage takes them
    person = Person(says={"Which one?": "this"}, decides=[True])
    it = stage(notes.desktop, model, log_path=folder, person=person, rules=rule(CONFIRM_DELETE, "confirm"))
    it.services.external.announce("download")("a.pdf is there")
    await it.run("Write it")
    return it


def through_a_journal(events: list[Event], folder: Path) -> list[Event]:
    """What another process reads while the one that wrote has not closed it."""
    journal = Journal(folder, SystemClock())
    for event in events:
        journal.emit(event)
    read = list(read_events(folder))
    journal.close()
    return read


def agent_of(it: Stage) -> BasicAgent:
    (agent,) = it.host.appagent_dict.values()
    return agent


@pytest.mark.long
@pytest.mark.requires("memory.on-disk", "memory.blackboard-bounded")
async def test_everything_that_was_ever_kept_is_read_back_from_the_journal(tmp_path: Path) -> None:
    it = await played(tmp_path)
    board, agent = it.services.blackboard, agent_of(it)
    read = through_a_journal(it.events.all, tmp_path / "journal")
    back = recall(read, tmp_path, board.history_keys)
    assert back.blackboard == board
    assert board.questions
    assert board.arrivals
    assert board.screenshots
    assert board.data
    assert len(board.subtasks) == 2
    assert {name: [i.to_dict() for i in m.items] for name, m in back.memories.items()} == {
        one.name: [item.to_dict() for item in one.memory.items] for one in (it.host, agent)
    }
    assert back.steps[agent.name] == [replace(step, numbering=0) for step in agent.steps]
    assert back.steps[it.host.name] == it.host.steps
    assert [step.position for step in agent.steps] == [7, 8]


@pytest.mark.long
@pytest.mark.requires("memory.on-disk")
async def test_cut_off_after_any_event_what_is_read_back_is_what_was_known_then(tmp_path: Path) -> None:
    it = await played(tmp_path)
    events = it.events.all
    for cut_off in range(len(events)):
        back = recall(events[:cut_off], tmp_path, it.services.blackboard.history_keys)
        remembered = {event.step for event in events[:cut_off] if isinstance(event, StepRemembered)}
        assert sum(len(memory.items) for memory in back.memories.values()) == len(remembered)
        assert len(back.blackboard.trajectories) == len(remembered)


@pytest.mark.long
@pytest.mark.requires("memory.on-disk", "confirm.held")
async def test_held_actions_that_ran_later_stand_in_the_step_that_held_them(tmp_path: Path) -> None:
    it = await played(tmp_path)
    told = [step["action_representation"] for step in it.services.blackboard.trajectories]
    assert ['invoke(button "Save" [2]) → confirmed', 'invoke(button "Delete" [3]) → confirmed'] in told
    assert len(told) == it.context.session_step


@pytest.mark.long
@pytest.mark.requires("memory.survives-assignment")
async def test_a_memory_keeps_the_steps_of_the_subtasks_before(tmp_path: Path) -> None:
    agent = agent_of(await played(tmp_path))
    assert [item.get("subtask") for item in agent.memory.items] == ["Write"] * 6 + ["Save again"] * 2
    assert len(agent.steps) == 2
