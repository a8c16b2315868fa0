"""Edges outside the table, and machines that plug in (contract 2.2, 2.3)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, cast

import anyio
import pytest

from deskhand.agents import AppAgent
from deskhand.core.context import Context
from deskhand.core.events import ProblemMet, SubtaskArchived, TransitionTaken
from deskhand.core.json import JsonValue
from deskhand.core.outcomes import Outcome
from deskhand.core.statuses import Cause, normalise_status
from deskhand.models.scripted import ScriptedModel
from deskhand.session.round import MOST_TURNS
from deskhand.states import (
    AgentState,
    AgentStateManager,
    AppAgentState,
    AppAgentStateManager,
    Edge,
    HostAgentState,
    Move,
    archive,
    redirect,
)
from deskhand.states.base import StateAgent
from notes import APP, Notes
from stage import Answer, Stage, assign, say, stage

NO_STATE = "WAITING"


class Straying(AppAgentState, status="CONTINUE"):
    """Goes where the request says: a status, a cause and perhaps a trigger."""

    async def handle(self, agent: StateAgent, context: Context) -> None:
        status, cause, *trigger = context.request.split(" ")
        redirect(agent, status, Cause(cause), "for the test", trigger=trigger[0] if trigger else "")


async def hostless(notes: Notes, log_path: Path, states: Mapping[str, AgentState]) -> Stage:
    """An agent without a host, in a session of its own, with these states added to its machine."""
    (window,) = await notes.desktop.windows()
    it = stage(notes.desktop, {"AppAgent": [say("FINISH")]}, log_path=log_path, hostless=window)
    for status, state in states.items():
        it.agent.state_manager.add_state(status, state)
    return it


@pytest.mark.requires("state.guard", "state.none-never")
@pytest.mark.parametrize("cause", Cause)
@pytest.mark.parametrize("status", ["ASSIGN", NO_STATE, "", "continue", "FINISH ", "None", "ÉCHEC"])
async def test_a_status_no_row_leads_to_becomes_error_of_the_same_agent(
    tmp_path: Path, status: str, cause: Cause
) -> None:
    class Lost(Straying, status="CONTINUE"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            redirect(agent, status, cause, "for the test", trigger="reply")

    it = await hostless(Notes(), tmp_path, {"CONTINUE": Lost()})
    ending = await it.run()
    assert it.events.edges() == [("app", "CONTINUE", "ERROR", "system")]
    assert (ending.outcome, it.outcomes) == (Outcome.ERROR, [Outcome.ERROR])
    assert ending.reason == f"app may not go from CONTINUE to {status} ({cause}, reply)"


@pytest.mark.requires("state.guard")
@pytest.mark.parametrize(
    "edge", ["FINISH user", "FAIL user", "FAIL system reply", "FINISH llm archived", "ERROR llm raised"]
)
async def test_the_right_status_by_the_wrong_cause_or_trigger_becomes_error_too(tmp_path: Path, edge: str) -> None:
    status, _, by = edge.partition(" ")
    it = await hostless(Notes(), tmp_path, {"CONTINUE": Straying()})
    ending = await it.run(edge)
    assert it.events.edges() == [("app", "CONTINUE", "ERROR", "system")]
    assert ending.reason == f"app may not go from CONTINUE to {status} ({by.replace(' ', ', ')})"


@pytest.mark.requires("state.guard")
async def test_a_redirection_without_a_trigger_takes_the_first_row_of_its_cause(tmp_path: Path) -> None:
    it = await hostless(Notes(), tmp_path, {"CONTINUE": Straying()})
    await it.run("FAIL system")
    assert [(e.to, e.trigger) for e in it.events.of(TransitionTaken)] == [("FAIL", "spent")]


@pytest.mark.requires("state.guard")
async def test_an_edge_outside_the_table_from_a_terminal_state_ends_the_round_with_an_error(tmp_path: Path) -> None:
    class Endless(AppAgentState, status="FINISH", subtask_end=True, terminal=True):
        async def handle(self, agent: StateAgent, context: Context) -> None: ...

        def leads_to(self, agent: StateAgent) -> Move | None:
            return Move("CONTINUE", Cause.SYSTEM, "again", "once more")

    it = await hostless(Notes(), tmp_path, {"FINISH": Endless()})
    ending = await it.run()
    assert it.events.edges() == [("app", "CONTINUE", "FINISH", "llm")]
    assert (ending.outcome, ending.reason) == (Outcome.ERROR, "app may not go from FINISH to CONTINUE (system, again)")


class NamesItsSuccessorOnly(AppAgentState, status="CONTINUE"):
    """The least a state has to say: what comes next."""

    to: ClassVar[str] = "FAIL"

    async def handle(self, agent: StateAgent, context: Context) -> None: ...

    def next_state(self, agent: StateAgent) -> AgentState | None:
        return agent.state_manager.get_state(self.to)


@pytest.mark.requires("state.guard")
async def test_a_state_that_names_only_its_successor_takes_the_first_row_by_which_the_program_leads_there(
    tmp_path: Path,
) -> None:
    it = await hostless(Notes(), tmp_path, {"CONTINUE": NamesItsSuccessorOnly()})
    ending = await it.run()
    assert [(e.to, e.cause, e.trigger) for e in it.events.of(TransitionTaken)] == [("FAIL", "system", "spent")]
    assert ending.outcome is Outcome.FAILED


@pytest.mark.requires("state.guard")
async def test_naming_only_the_successor_is_no_way_around_the_table(tmp_path: Path) -> None:
    class Shortcut(NamesItsSuccessorOnly, status="CONTINUE"):
        to = "FINISH"

    it = await hostless(Notes(), tmp_path, {"CONTINUE": Shortcut()})
    ending = await it.run()
    assert it.events.edges() == [("app", "CONTINUE", "ERROR", "system")]
    assert ending.reason == "app may not go from CONTINUE to FINISH (system)"


class HandsOverAtOnce(NamesItsSuccessorOnly, status="CONTINUE"):
    """Says CONTINUE, for which there is a row, and means the host's."""

    def next_agent(self, agent: StateAgent) -> StateAgent:
        return agent.host or agent

    def next_state(self, agent: StateAgent) -> AgentState | None:
        return self.next_agent(agent).state_manager.get_state("CONTINUE")


@pytest.mark.requires("state.guard")
async def test_who_takes_over_is_part_of_the_edge(tmp_path: Path) -> None:
    def eager(*given: Any, **more: Any) -> AppAgent:  # Any: the factory's own arguments
        agent = AppAgent(*given, **more)
        agent.state_manager.add_state("CONTINUE", HandsOverAtOnce())
        return agent

    it = stage(Notes().desktop, {"HostAgent": [assign("Notes", "Save")]}, log_path=tmp_path, kinds={"app": eager})
    ending = await it.run()
    assert it.events.edges()[2:] == [("app", "CONTINUE", "ERROR", "system"), ("app", "ERROR", "host:FINISH", "system")]
    assert ending.reason == "app may not go from CONTINUE to host:CONTINUE (system)"


@pytest.mark.requires("state.guard")
@pytest.mark.parametrize(("says", "taker"), [("CONTINUE", "HostAgent"), ("host:CONTINUE", APP), ("app:FINISH", APP)])
async def test_a_row_for_one_agent_is_none_for_another(tmp_path: Path, says: str, taker: str) -> None:
    class Torn(AppAgentState, status="CONTINUE"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            redirect(agent, says, Cause.LLM, "for the test")

        def next_agent(self, agent: StateAgent) -> StateAgent:
            return agent if taker == APP else agent.host or agent

    def torn(*given: Any, **more: Any) -> AppAgent:  # Any: the factory's own arguments
        agent = AppAgent(*given, **more)
        agent.state_manager.add_state("CONTINUE", Torn())
        return agent

    it = stage(Notes().desktop, {"HostAgent": [assign("Notes", "Save")]}, log_path=tmp_path, kinds={"app": torn})
    ending = await it.run()
    assert it.events.edges()[2:3] == [("app", "CONTINUE", "ERROR", "system")]
    assert ending.reason == f"app may not go from CONTINUE to {says} of {taker} (llm)"


class Waiting(AppAgentState, status=NO_STATE):
    """A state of a new name."""

    async def handle(self, agent: StateAgent, context: Context) -> None:
        redirect(agent, "FINISH", Cause.SYSTEM, "waited", trigger="waited")


NEW_ROWS = (
    Edge("app", "CONTINUE", NO_STATE, Cause.LLM, "reply"),
    Edge("app", NO_STATE, "FINISH", Cause.SYSTEM, "waited"),
)


@pytest.mark.requires("state.plug-in", "state.of-one-session")
async def test_a_state_of_a_new_name_is_entered_and_left_by_the_rows_that_come_with_it(tmp_path: Path) -> None:
    notes = Notes()
    (window,) = await notes.desktop.windows()
    it = stage(notes.desktop, {"AppAgent": [say(NO_STATE)]}, log_path=tmp_path, hostless=window)
    it.agent.state_manager.add_state(NO_STATE, Waiting())
    it.agent.state_manager.add_edges(NEW_ROWS)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert it.events.edges() == [("app", "CONTINUE", NO_STATE, "llm"), ("app", NO_STATE, "FINISH", "system")]
    assert NO_STATE in it.model.requests[0].allowed_statuses
    assert AppAgentStateManager().table is AppAgentStateManager.rows() is not it.agent.state_manager.table


@pytest.mark.requires("state.guard", "state.none-never")
async def test_a_row_to_a_status_without_a_state_is_no_way_into_the_none_state(tmp_path: Path) -> None:
    it = await hostless(Notes(), tmp_path, {"CONTINUE": Straying()})
    it.agent.state_manager.add_edges(NEW_ROWS)
    ending = await it.run(f"{NO_STATE} llm reply")
    assert it.events.edges() == [("app", "CONTINUE", "ERROR", "system")]
    assert ending.reason == f"app may not go from CONTINUE to {NO_STATE} (llm, reply)"


UNKNOWN = [
    NO_STATE,
    "",
    " ",
    "FINISH!",
    "FINISHED",
    "DONE.",
    "Host.FINISH",
    "CONTINUE|FINISH",
    "NONE",
    "FERTIG",
    "完了",
]
WHERE: dict[str, tuple[str, list[Answer], str]] = {
    "host-CONTINUE": ("HostAgent", [], "CONTINUE, ASSIGN, FINISH, FAIL, PENDING, CONFIRM, ERROR"),
    "app-CONTINUE": (APP, [], "CONTINUE, SCREENSHOT, FINISH, FAIL, PENDING, CONFIRM, ERROR"),
    "app-SCREENSHOT": (APP, [say("SCREENSHOT")], "SCREENSHOT, CONTINUE, FINISH, FAIL, PENDING, CONFIRM, ERROR"),
}


@pytest.mark.requires("round.status-normalised", "pipeline.reply-repair")
@pytest.mark.parametrize("where", WHERE)
async def test_an_unknown_status_goes_back_with_the_allowed_ones_and_never_reaches_the_machine(
    tmp_path: Path, where: str
) -> None:
    agent, way, allowed = WHERE[where]
    given: dict[str, list[Answer]] = {
        "HostAgent": [assign("Notes", "Save"), say("FINISH")],
        APP: [*way, say("FINISH")],
    }
    given[agent][len(way) : len(way)] = [say(word) for word in UNKNOWN]
    settings = {"json_parsing_retry": len(UNKNOWN) + 1}
    it = stage(Notes().desktop, given, log_path=tmp_path, settings=settings)
    assert (await it.run()).outcome is Outcome.SUCCESS
    problems = [r.problem for r in it.model.requests if r.agent_name == agent and r.problem]
    told = [normalise_status(word) for word in UNKNOWN]
    assert problems == [f"status {word!r} cannot be claimed here; allowed: {allowed}" for word in told]
    assert {edge[1] for edge in it.events.edges()} <= {"CONTINUE", "ASSIGN", "SCREENSHOT", "FINISH"}


@pytest.mark.requires("pipeline.reply-repair")
@pytest.mark.parametrize("status", [None, 7, True, ["FINISH"], {"status": "FINISH"}])
async def test_a_status_that_is_no_word_at_all_goes_back_too(tmp_path: Path, status: JsonValue) -> None:
    replies = ScriptedModel([{"status": status}, {"status": "FINISH"}])
    it = stage(Notes().desktop, replies, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert replies.requests[1].problem == "status: Input should be a valid string"


@pytest.mark.requires("pipeline.reply-repair")
async def test_a_model_that_knows_no_other_word_ends_in_error(tmp_path: Path) -> None:
    it = stage(Notes().desktop, {"HostAgent": [say(NO_STATE)] * 3}, log_path=tmp_path)
    ending = await it.run()
    assert it.events.edges() == [("host", "CONTINUE", "ERROR", "system"), ("host", "ERROR", "FINISH", "system")]
    assert ending.outcome is Outcome.ERROR
    assert f"status {NO_STATE!r} cannot be claimed here" in ending.reason


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


class Broken(AppAgentState, status="CONTINUE"):
    """Goes on to FINISH as its rows let it, but for one method."""

    broken: ClassVar[str] = ""

    def _require_sound(self, method: str) -> None:
        if self.broken == method:
            raise ZeroDivisionError(f"in {method}")

    async def handle(self, agent: StateAgent, context: Context) -> None:
        self._require_sound("handle")

    def leads_to(self, agent: StateAgent) -> Move | None:
        self._require_sound("leads_to")
        return Move("FINISH", Cause.LLM, "reply", "done")

    def next_state(self, agent: StateAgent) -> AgentState | None:
        self._require_sound("next_state")
        return agent.state_manager.get_state("FINISH")

    def next_agent(self, agent: StateAgent) -> StateAgent:
        self._require_sound("next_agent")
        return agent

    def is_subtask_end(self) -> bool:
        self._require_sound("is_subtask_end")
        return False

    def is_round_end(self) -> bool:
        self._require_sound("is_round_end")
        return False


METHODS = ("handle", "leads_to", "next_state", "next_agent", "is_subtask_end", "is_round_end")


@pytest.mark.requires("state.raises")
@pytest.mark.parametrize("method", METHODS)
async def test_whatever_a_plugged_in_state_raises_becomes_error_with_its_cause(tmp_path: Path, method: str) -> None:
    class Broke(Broken, status="CONTINUE"):
        broken = method

    it = await hostless(Notes(), tmp_path, {"CONTINUE": Broke()})
    ending = await it.run()
    assert (ending.outcome, ending.reason) == (Outcome.ERROR, f"ZeroDivisionError: in {method}")
    assert [(e.source, e.to, e.cause, e.reason) for e in it.events.of(TransitionTaken)] == [
        ("CONTINUE", "ERROR", "system", f"ZeroDivisionError: in {method}")
    ]
    assert it.outcomes == [Outcome.ERROR]


@pytest.mark.requires("state.raises")
@pytest.mark.parametrize("method", METHODS)
async def test_what_a_terminal_one_raises_ends_the_round_with_an_error(tmp_path: Path, method: str) -> None:
    class Broke(Broken, status="FINISH", terminal=True):
        broken = method

    it = await hostless(Notes(), tmp_path, {"FINISH": Broke()})
    ending = await it.run()
    assert (ending.outcome, ending.reason) == (Outcome.ERROR, f"ZeroDivisionError: in {method}")
    assert [p.error.message for p in it.events.of(ProblemMet)] == [f"in {method}"]
    assert it.outcomes == [Outcome.ERROR], "its open subtask too"


@pytest.mark.requires("state.raises")
async def test_in_a_machine_without_error_it_ends_the_round(tmp_path: Path) -> None:
    class BareManager(AgentStateManager):
        machine = "bare"
        edges = (Edge("bare", "CONTINUE", "CONTINUE", Cause.SYSTEM, "again"),)

    @BareManager.register
    class Only(AgentState, status="CONTINUE"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            raise ValueError("no way")

    class Bare(AppAgent):
        manager_class = BareManager

    it = stage(Notes().desktop, {"HostAgent": [assign("Notes", "Go")]}, log_path=tmp_path, kinds={"app": Bare})
    ending = await it.run()
    assert (ending.outcome, ending.reason, it.outcomes) == (Outcome.ERROR, "ValueError: no way", [Outcome.ERROR])


@pytest.mark.requires("state.raises")
@pytest.mark.parametrize(
    ("successor", "taker", "told"),
    [
        ("FAIL", "nobody", "hands over to 'nobody', which is not an agent"),
        ("a word", None, "is followed by 'a word', which is not a state"),
        (None, None, "names no state that follows it, and ends nothing"),
    ],
)
async def test_a_host_state_that_nobody_can_go_on_from_is_no_success(
    tmp_path: Path, successor: str | None, taker: str | None, told: str
) -> None:
    class Lost(HostAgentState, status="CONTINUE"):
        async def handle(self, agent: StateAgent, context: Context) -> None: ...

        def next_state(self, agent: StateAgent) -> AgentState | None:
            return cast("AgentState | None", successor)  # what a plug-in may give by mistake

        def next_agent(self, agent: StateAgent) -> StateAgent:
            return cast("StateAgent", taker) if taker else agent  # as above

    it = stage(Notes().desktop, {"HostAgent": []}, log_path=tmp_path)
    it.agent.state_manager.add_state("CONTINUE", Lost())
    ending = await it.run()
    assert (ending.outcome, ending.reason) == (Outcome.ERROR, f"StateError: CONTINUE {told}")


@pytest.mark.requires("state.counts-steps")
async def test_states_that_act_without_the_pipeline_are_steps_and_end_with_them(tmp_path: Path) -> None:
    class Circling(AppAgentState, status="CONTINUE"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            redirect(agent, "CONTINUE", Cause.LLM, "once more", trigger="reply")

    it = stage(
        Notes().desktop,
        {"AppAgent": []},
        log_path=tmp_path,
        hostless=(await Notes().desktop.windows())[0],
        settings={"max_step": 3},
    )
    it.agent.state_manager.add_state("CONTINUE", Circling())
    ending = await it.run()
    assert (ending.outcome, it.context.session_step) == (Outcome.STEP_LIMIT, 3)
    assert [e.step for e in it.events.of(TransitionTaken)] == [1, 2, 3]


async def test_a_transition_says_who_why_and_in_which_step(tmp_path: Path) -> None:
    replies = {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: [say("FAIL", comment="no button")]}
    it = stage(Notes().desktop, replies, log_path=tmp_path)
    await it.run()
    taken = it.events.of(TransitionTaken)[2]
    facts = (taken.agent, taken.source, taken.to, taken.trigger, taken.reason, taken.step)
    assert facts == (APP, "CONTINUE", "FAIL", "reply", "no button", 2)


class Idle(AppAgentState, status="CONTINUE"):
    """Leads to the state of its request, and counts as no step."""

    acts = False

    async def handle(self, agent: StateAgent, context: Context) -> None:
        redirect(agent, context.request, Cause.LLM, "again", trigger="reply")


class Resumes(AppAgentState, status="PENDING"):
    acts = False

    async def handle(self, agent: StateAgent, context: Context) -> None:
        redirect(agent, "CONTINUE", Cause.SYSTEM, "again", trigger="event")


class NeverMindsErrors(AppAgentState, status="ERROR"):
    acts = False

    async def handle(self, agent: StateAgent, context: Context) -> None: ...

    def next_state(self, agent: StateAgent) -> AgentState | None:
        return self


@pytest.mark.requires("state.guard")
@pytest.mark.parametrize("to", ["CONTINUE", "PENDING"])
async def test_states_that_lead_on_forever_without_a_step_become_error(tmp_path: Path, to: str) -> None:
    it = await hostless(Notes(), tmp_path, {"CONTINUE": Idle(), "PENDING": Resumes()})
    with anyio.fail_after(20):
        ending = await it.run(to)
    assert (ending.outcome, it.outcomes) == (Outcome.ERROR, [Outcome.ERROR])
    assert f"{MOST_TURNS} turns in a row without a step" in ending.reason
    assert it.events.of(TransitionTaken)[-1].to == "ERROR"


@pytest.mark.requires("state.guard")
async def test_an_error_state_that_leads_on_forever_ends_the_round(tmp_path: Path) -> None:
    it = await hostless(Notes(), tmp_path, {"CONTINUE": Idle(), "ERROR": NeverMindsErrors()})
    it.agent.state_manager.add_edges([Edge("app", "ERROR", "ERROR", Cause.SYSTEM, "again")])
    with anyio.fail_after(20):
        ending = await it.run("CONTINUE")
    assert ending.outcome is Outcome.ERROR
    assert "ERROR of" in ending.reason


@pytest.mark.requires("state.guard")
async def test_states_without_a_step_can_be_cancelled(tmp_path: Path) -> None:
    class Cancels(Idle, status="CONTINUE"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            scope.cancel()
            await super().handle(agent, context)

    it = await hostless(Notes(), tmp_path, {"CONTINUE": Cancels()})
    with anyio.CancelScope() as scope:
        await it.run("CONTINUE")
    assert scope.cancelled_caught
    assert it.outcomes == [Outcome.CANCELLED]


@pytest.mark.requires("state.guard")
@pytest.mark.parametrize(
    ("cause", "reason", "told"),
    [
        ("llm", "done", ""),
        ("nobody", "done", "the cause of a move to FINISH is 'nobody'"),
        (Cause.LLM, None, "where to, trigger and reason of a move are ('FINISH', 'reply', None)"),
    ],
)
async def test_a_plug_in_may_say_the_cause_as_text_and_what_is_no_cause_becomes_error(
    tmp_path: Path, cause: Any, reason: Any, told: str
) -> None:
    class Says(AppAgentState, status="CONTINUE"):
        async def handle(self, agent: StateAgent, context: Context) -> None:
            redirect(agent, "FINISH", cause, reason, trigger="reply")

    it = await hostless(Notes(), tmp_path, {"CONTINUE": Says()})
    ending = await it.run()
    assert it.events.edges()[0] == ("app", "CONTINUE", *(("ERROR", "system") if told else ("FINISH", "llm")))
    assert told in ending.reason
    assert (ending.outcome is Outcome.ERROR) is bool(told)
