"""Managers and what they hand out (contract 2.1)."""

import csv
import logging
from concurrent.futures import ThreadPoolExecutor
from importlib import resources

import pytest

from deskhand.agents import AppAgent, HostAgent
from deskhand.core.context import Context
from deskhand.core.errors import DuplicateState
from deskhand.core.statuses import Cause
from deskhand.states import (
    AgentState,
    AgentStateManager,
    AppAgentState,
    AppAgentStateManager,
    HostAgentState,
    HostAgentStateManager,
    TransitionTable,
)
from deskhand.states.base import StateAgent

MANAGERS: dict[str, type[AgentStateManager]] = {"host": HostAgentStateManager, "app": AppAgentStateManager}


def rows() -> list[dict[str, str]]:
    text = resources.files("deskhand.states").joinpath("states.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def state_of(row: dict[str, str]) -> AgentState:
    manager = MANAGERS[row["machine"]]()
    return manager.get_state(row["state"]) if row["state"] else manager.none_state


@pytest.mark.requires("state.registry", "state.every-state")
@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row['machine']}-{row['state'] or 'none'}")
def test_every_row_of_the_list_of_states_is_a_class_with_these_facts(row: dict[str, str]) -> None:
    state = state_of(row)
    assert type(state).__name__ == row["class"]
    assert state.name() == row["state"]
    assert state.is_subtask_end() is (row["subtask_end"] == "yes")
    assert state.is_round_end() is (row["round_end"] == "yes")
    assert state.terminal is (row["kind"] == "terminal")
    assert state.acts is (row["phases"] == "all")
    assert state.agent_class() is {"host": HostAgent, "app": AppAgent}[row["machine"]]
    assert isinstance(state, HostAgentState if row["machine"] == "host" else AppAgentState)


def kind_of(state: AgentState, table: TransitionTable) -> str:
    """What a state is, seen from its class and its rows."""
    if not state.name():
        return "fallback"
    rows = [edge for edge in table if edge.source == state.name()]
    if state.terminal:
        return "terminal"
    if any(edge.to.startswith("app:") for edge in rows):
        return "transition"
    causes = {edge.cause for edge in rows}
    return "active" if Cause.LLM in causes else "waiting" if {Cause.USER, Cause.TIMEOUT} <= causes else "unknown"


@pytest.mark.requires("state.every-state")
@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row['machine']}-{row['state'] or 'none'}")
def test_every_state_is_of_the_kind_the_list_says(row: dict[str, str]) -> None:
    assert kind_of(state_of(row), MANAGERS[row["machine"]].rows()) == row["kind"]


@pytest.mark.requires("state.registry")
@pytest.mark.parametrize("machine", MANAGERS)
def test_a_registry_holds_its_own_rows_and_nothing_else(machine: str) -> None:
    assert set(MANAGERS[machine].names()) == {row["state"] for row in rows() if row["machine"] == machine}


@pytest.mark.requires("state.registry")
def test_the_same_name_in_two_machines_does_not_mix() -> None:
    assert type(HostAgentStateManager().get_state("FINISH")) is not type(AppAgentStateManager().get_state("FINISH"))
    assert AppAgentStateManager().get_state("ASSIGN").name() == ""


@pytest.mark.requires("state.registry")
def test_a_second_class_under_one_name_is_an_error_that_names_both() -> None:
    class SecondFinish(AppAgentState, status="FINISH"):
        async def handle(self, agent: StateAgent, context: Context) -> None: ...

    with pytest.raises(DuplicateState, match=r"FinishAppAgentState.*SecondFinish"):
        AppAgentStateManager.register(SecondFinish)
    assert type(AppAgentStateManager().get_state("FINISH")).__name__ == "FinishAppAgentState"


@pytest.mark.requires("state.lookup")
def test_a_state_is_made_on_first_use_and_kept() -> None:
    manager = AppAgentStateManager()
    assert manager.state_map == {}
    state = manager.get_state("PENDING")
    assert manager.get_state("PENDING") is state
    assert manager.state_map == {"PENDING": state}


@pytest.mark.requires("state.lookup")
def test_several_threads_get_the_same_object() -> None:
    for _ in range(20):
        manager = AppAgentStateManager()
        with ThreadPoolExecutor(8) as pool:
            states = list(pool.map(manager.get_state, ["CONTINUE"] * 32))
        assert {id(state) for state in states} == {id(manager.get_state("CONTINUE"))}


@pytest.mark.requires("state.unknown-status")
@pytest.mark.parametrize("status", ["WAITING", "finish", ""])
def test_an_unknown_status_is_answered_by_the_none_state_logged_and_not_kept(
    status: str, caplog: pytest.LogCaptureFixture
) -> None:
    manager = HostAgentStateManager()
    with caplog.at_level(logging.WARNING):
        state = manager.get_state(status)
    assert (type(state).__name__, manager.state_map) == ("NoneHostAgentState", {})
    assert repr(status) in caplog.text


@pytest.mark.requires("state.no-data")
@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row['machine']}-{row['state'] or 'none'}")
def test_a_state_holds_no_data(row: dict[str, str]) -> None:
    state = state_of(row)
    with pytest.raises(AttributeError, match="holds no data"):
        setattr(state, "plan", ())  # noqa: B010 - what must not be possible is no attribute of the type
    assert vars(state) == {}


@pytest.mark.requires("state.table")
def test_the_rows_of_a_machine_are_looked_up_once_for_all_its_sessions() -> None:
    assert AppAgentStateManager().table is AppAgentStateManager().table is AppAgentStateManager.rows()
    assert HostAgentStateManager.rows() is not AppAgentStateManager.rows()


@pytest.mark.requires("state.of-one-session")
def test_a_state_added_at_run_time_belongs_to_one_session_only() -> None:
    class Quiet(AppAgentState, status="FINISH"):
        async def handle(self, agent: StateAgent, context: Context) -> None: ...

    mine, other = AppAgentStateManager(), AppAgentStateManager()
    added = Quiet()
    mine.add_state("FINISH", added)
    assert mine.get_state("FINISH") is added
    assert type(other.get_state("FINISH")).__name__ == "FinishAppAgentState"
