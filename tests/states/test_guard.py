"""Edges outside the table, and machines that plug in (SPEC 2.2, 2.3)."""

from pathlib import Path
from typing import ClassVar

import pytest

from deskhand.agents import AppAgent
from deskhand.core.context import Context
from deskhand.core.events import SubtaskArchived, TransitionTaken
from deskhand.core.outcomes import Outcome
from deskhand.core.statuses import Cause
from deskhand.states import AgentState, AgentStateManager, AppAgentState, Edge, Move, archive, redirect
from deskhand.states.base import StateAgent
from notes import APP, Notes
from stage import Stage, assign, say, stage


class Straying(AppAgentState, status="CONTINUE"):
    """Goes where no row leads."""

    runs_pipeline = True
    to: ClassVar[tuple[str, Cause]] = ("ASSIGN", Cause.LLM)

    async def handle(self, agent: StateAgent, context: Context) -> None:
        redirect(agent, self.to[0], self.to[1], "for the test", trigger="reply")


async def hostless(notes: Notes, log_path: Path, state: AgentState, status: str) -> Stage:
    (window,) = await notes.desktop.windows()
    it = stage(notes.desktop, {"AppAgent": [say("FINISH")]}, log_path=log_path, hostless=window)
    it.agent.state_manager.add_state(status, state)
    return it


@pytest.mark.requires("state.guard")
@pytest.mark.parametrize(
    "to", [("ASSIGN", Cause.LLM), ("WAITING", Cause.LLM), ("", Cause.LLM), ("FINISH", Cause.USER), ("FAIL", Cause.USER)]
)
async def test_an_edge_outside_the_table_becomes_error_of_the_same_agent(tmp_path: Path, to: tuple[str, Cause]) -> None:
    class Stray(Straying, status="CONTINUE"):
        runs_pipeline = True

    Stray.to = to
    it = await hostless(Notes(), tmp_path, Stray(), "CONTINUE")
    ending = await it.run()
    assert it.events.edges() == [("app", "CONTINUE", "ERROR", "system")]
    assert ending.outcome is Outcome.ERROR
    assert ending.reason == f"app may not go from CONTINUE to {to[0]} ({to[1]})"
    assert it.outcomes == [Outcome.ERROR]


@pytest.mark.requires("state.guard")
async def test_an_edge_outside_the_table_from_a_terminal_state_ends_the_round_with_an_error(tmp_path: Path) -> None:
    class Endless(AppAgentState, status="FINISH", subtask_end=True, terminal=True):
        async def handle(self, agent: StateAgent, context: Context) -> None: ...

        def leads_to(self, agent: StateAgent) -> Move | None:
            return Move("CONTINUE", Cause.SYSTEM, "again", "once more")

    it = await hostless(Notes(), tmp_path, Endless(), "FINISH")
    ending = await it.run()
    assert it.events.edges() == [("app", "CONTINUE", "FINISH", "llm")]
    assert (ending.outcome, ending.reason) == (Outcome.ERROR, "app may not go from FINISH to CONTINUE (system)")


class ShellManager(AgentStateManager):
    """A machine of a third party, with its own rows."""

    machine = "shell"
    edges = (
        Edge("shell", "CONTINUE", "FINISH", Cause.SYSTEM, "ran"),
        Edge("shell", "CONTINUE", "ERROR", Cause.SYSTEM, "raised"),
        Edge("shell", "FINISH", "host:CONTINUE", Cause.SYSTEM, "archived"),
        Edge("shell", "ERROR", "host:FINISH", Cause.SYSTEM, "archived"),
    )


@ShellManager.register
class ContinueShell(AgentState, status="CONTINUE"):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        if context.request == "break off":
            raise KeyboardInterrupt
        redirect(agent, "FINISH", Cause.SYSTEM, "the script ran", trigger="ran")


@ShellManager.register
class FinishShell(AgentState, status="FINISH", subtask_end=True, terminal=True):
    async def handle(self, agent: StateAgent, context: Context) -> None:
        archive(context, agent.close_subtask(context, "FINISH", Outcome.SUCCESS, ""))

    def leads_to(self, agent: StateAgent) -> Move | None:
        return Move("host:CONTINUE", Cause.SYSTEM, "archived", "ran")

    def next_agent(self, agent: StateAgent) -> StateAgent:
        return agent.host or agent


@ShellManager.register
class NoneShell(AgentState, status="", subtask_end=True, round_end=True):
    async def handle(self, agent: StateAgent, context: Context) -> None: ...


class Shell(AppAgent):
    manager_class = ShellManager


@pytest.mark.requires("state.plug-in")
async def test_a_machine_of_a_third_party_takes_part_with_its_own_states_and_rows(tmp_path: Path) -> None:
    host = [assign("Notes", "Run it"), say("FINISH")]
    it = stage(Notes().desktop, {"HostAgent": host}, log_path=tmp_path, kinds={"app": Shell})
    ending = await it.run()
    assert it.events.edges() == [
        ("host", "CONTINUE", "ASSIGN", "llm"),
        ("host", "ASSIGN", "shell:CONTINUE", "system"),
        ("shell", "CONTINUE", "FINISH", "system"),
        ("shell", "FINISH", "host:CONTINUE", "system"),
        ("host", "CONTINUE", "FINISH", "llm"),
    ]
    assert (ending.outcome, ShellManager.agent_class) == (Outcome.SUCCESS, Shell)


@pytest.mark.requires("state.plug-in", "round.finalised-once")
async def test_its_open_subtask_is_archived_like_any_other(tmp_path: Path) -> None:
    it = stage(Notes().desktop, {"HostAgent": [assign("Notes", "Run it")]}, log_path=tmp_path, kinds={"app": Shell})
    with pytest.raises(KeyboardInterrupt):
        await it.run("break off")
    assert [(r.subtask, r.outcome) for r in it.context.previous_subtasks] == [("Run it", Outcome.ERROR)]
    assert len(it.events.of(SubtaskArchived)) == 1


async def test_a_transition_says_who_why_and_in_which_step(tmp_path: Path) -> None:
    replies = {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: [say("FAIL", comment="no button")]}
    it = stage(Notes().desktop, replies, log_path=tmp_path)
    await it.run()
    taken = it.events.of(TransitionTaken)[2]
    facts = (taken.agent, taken.source, taken.to, taken.trigger, taken.reason, taken.step)
    assert facts == (APP, "CONTINUE", "FAIL", "reply", "no button", 2)
