"""The table of legal edges, and that the states lead exactly where it says (contract 2.2)."""

from itertools import product
from pathlib import Path

import pytest

from deskhand.core.context import Context, RunMode
from deskhand.core.ports import Decided
from deskhand.core.statuses import AppAgentStatus, Cause, HostAgentStatus, StepVerdict
from deskhand.session.interactors import AutoInteractor
from deskhand.states import AppAgentStateManager, HostAgentStateManager, Move, packaged_table, redirect
from deskhand.states.moves import Asked, Assigned
from stage import Clock, Events
from states.plain_agent import PlainAgent, plain_app, plain_host

ROOT = Path(__file__).resolve().parents[2]
Row = tuple[str, str, Cause, str]
"""From, to, cause, trigger."""

STEP_TRIGGERS = ("reply", "corrected", "spent", "gone", "policy", "raised")


@pytest.fixture
def context(tmp_path: Path) -> Context:
    return Context("s", tmp_path, Events(), Clock(), AutoInteractor())


def table_rows(machine: str) -> set[Row]:
    return {(edge.source, edge.to, edge.cause, edge.trigger) for edge in packaged_table().of(machine)}


async def leads_to(agent: PlainAgent, state: str, context: Context) -> Row:
    """Runs a state and says where it leads; asked twice it says the same."""
    agent.set_state(agent.state_manager.get_state(state), agent.arrival)
    try:
        await agent.state.handle(agent, context)
    except ValueError as error:
        redirect(agent, "ERROR", Cause.SYSTEM, str(error), trigger="raised")
    move, successor, taker = agent.state.leads_to(agent), agent.state.next_state(agent), agent.state.next_agent(agent)
    assert move is not None
    assert successor is agent.state.next_state(agent)
    assert taker is agent.state.next_agent(agent)
    assert agent.state.leads_to(agent) == move
    assert successor is taker.state_manager.get_state(move.to.rpartition(":")[2])
    return state, move.to, move.cause, move.trigger


class Broken(PlainAgent):
    """Everything it is asked to do goes wrong."""

    async def process_asker(self, context: Context) -> Asked:
        raise ValueError("broken")

    async def process_confirmation(self, context: Context) -> Decided | None:
        raise ValueError("broken")

    async def create_subagent(self, context: Context) -> Assigned:
        raise ValueError("broken")


async def waiting_rows(make: type[PlainAgent], like: PlainAgent, context: Context) -> set[Row]:
    """Where PENDING and CONFIRM lead, over everything a person can do."""
    found: set[Row] = set()
    for asked in Asked:
        agent = make(like.state_manager, asked=asked, host=like.host)
        found.add(await leads_to(agent, "PENDING", context))
    for decided in (*Decided, None):
        agent = make(like.state_manager, decided=decided, host=like.host)
        found.add(await leads_to(agent, "CONFIRM", context))
    return found


def legal_verdicts(machine: str, state: str) -> list[StepVerdict]:
    """Every way a step can end here, SCREENSHOT with and without controls to label anew."""
    edges = [e for e in packaged_table().of(machine) if e.source == state and e.trigger in STEP_TRIGGERS]
    return [
        StepVerdict(edge.to, edge.cause, edge.trigger, reannotate=again)
        for edge, again in product(edges, (False, True))
        if again or edge.to != "SCREENSHOT"
    ]


@pytest.mark.requires("state.table", "state.pending", "state.pure")
async def test_the_host_leads_exactly_where_its_rows_say(context: Context) -> None:
    found = await waiting_rows(PlainAgent, plain_host(), context)
    found |= await waiting_rows(Broken, plain_host(), context)
    for verdict in legal_verdicts("host", "CONTINUE"):
        host = plain_host()
        host.verdict = verdict
        found.add(await leads_to(host, "CONTINUE", context))
    for assigned in Assigned:
        host = plain_host()
        host.assigned = assigned
        found.add(await leads_to(host, "ASSIGN", context))
    found.add(await leads_to(Broken(plain_host().state_manager), "ASSIGN", context))
    for state in ("FAIL", "ERROR"):
        found.add(await leads_to(plain_host(), state, context))
    assert found == table_rows("host")


@pytest.mark.requires("state.table", "state.pending", "state.pure")
async def test_the_app_leads_exactly_where_its_rows_say(context: Context) -> None:
    found = await waiting_rows(PlainAgent, plain_app(), context)
    found |= await waiting_rows(Broken, plain_app(), context)
    for state in ("CONTINUE", "SCREENSHOT"):
        for verdict in legal_verdicts("app", state):
            app = plain_app()
            app.verdict = verdict
            found.add(await leads_to(app, state, context))
    for state, mode, spent in product(("FINISH", "FAIL", "ERROR"), RunMode, (False, True)):
        app = plain_app()
        app.mode, app.spent = mode, spent
        found.add(await leads_to(app, state, context))
    claimed_again = plain_app()
    claimed_again.verdict = StepVerdict("SCREENSHOT", Cause.LLM, "reply")
    found.add(await leads_to(claimed_again, "SCREENSHOT", context))
    assert found == table_rows("app")


@pytest.mark.requires("state.screenshot")
@pytest.mark.parametrize(
    ("claimed", "reannotate", "to", "cause"),
    [
        ("SCREENSHOT", False, "CONTINUE", Cause.SYSTEM),
        ("SCREENSHOT", True, "SCREENSHOT", Cause.LLM),
        ("CONTINUE", True, "SCREENSHOT", Cause.SYSTEM),
        ("CONTINUE", False, "CONTINUE", Cause.LLM),
        ("FINISH", True, "FINISH", Cause.LLM),
        ("CONFIRM", True, "CONFIRM", Cause.LLM),
        ("FAIL", False, "FAIL", Cause.LLM),
    ],
)
async def test_a_fresh_look_repeats_only_for_controls_to_label_anew(
    context: Context, claimed: str, reannotate: bool, to: str, cause: Cause
) -> None:
    app = plain_app()
    app.verdict = StepVerdict(claimed, Cause.LLM, "reply", reannotate=reannotate)
    assert (await leads_to(app, "SCREENSHOT", context))[1:3] == (to, cause)
    assert app.did == ["process fresh"]


@pytest.mark.parametrize("state", ["FINISH", "FAIL", "ERROR"])
async def test_without_a_host_an_ended_subtask_has_no_successor(context: Context, state: str) -> None:
    app = plain_app(host=False)
    app.set_state(app.state_manager.get_state(state))
    await app.state.handle(app, context)
    assert (app.state.next_state(app), app.state.next_agent(app)) == (None, app)


async def test_the_hosts_finish_writes_the_result_and_has_no_successor(context: Context) -> None:
    host = plain_host()
    host.set_state(host.state_manager.get_state("FINISH"))
    await host.state.handle(host, context)
    assert (host.state.next_state(host), host.did) == (None, ["record_result"])


@pytest.mark.requires("state.archive")
@pytest.mark.parametrize("state", ["FINISH", "FAIL", "ERROR"])
async def test_an_ended_subtask_is_archived_once_with_the_reason(context: Context, state: str) -> None:
    app = plain_app()
    reason = Move(state, Cause.SYSTEM, "raised", "it broke")
    app.set_state(app.state_manager.get_state(state), reason)
    await app.state.handle(app, context)
    (record,) = context.previous_subtasks
    assert (record.status, record.error) == (state, "" if state == "FINISH" else "it broke")
    assert app.did == ["close_subtask"]


async def test_a_state_that_set_no_status_leads_to_error() -> None:
    app = plain_app()
    move = app.state.leads_to(app)
    assert move is not None
    assert (move.to, move.cause, move.trigger) == ("ERROR", Cause.SYSTEM, "raised")


@pytest.mark.requires("state.one-writer")
async def test_entering_a_state_forgets_the_last_redirection(context: Context) -> None:
    app = plain_app()
    redirect(app, "FINISH", Cause.LLM, "done", trigger="reply")
    assert app.status == "FINISH"
    app.set_state(app.state_manager.get_state("CONTINUE"))
    assert (app.status, app.redirection) == ("CONTINUE", None)


@pytest.mark.parametrize(
    ("machine", "state", "offered"),
    [
        ("host", "CONTINUE", "CONTINUE ASSIGN FINISH FAIL PENDING CONFIRM ERROR"),
        ("app", "CONTINUE", "CONTINUE SCREENSHOT FINISH FAIL PENDING CONFIRM ERROR"),
        ("app", "SCREENSHOT", "SCREENSHOT CONTINUE FINISH FAIL PENDING CONFIRM ERROR"),
        ("app", "FINISH", ""),
        ("app", "PENDING", ""),
    ],
)
def test_a_model_is_offered_the_statuses_of_its_rows(machine: str, state: str, offered: str) -> None:
    assert " ".join(packaged_table().claimable(machine, state)) == offered


@pytest.mark.requires("state.table")
def test_the_packaged_tables_are_the_source_of_truth_and_the_only_ones() -> None:
    folder = ROOT / "src" / "deskhand" / "states"
    tables = {path for part in ("src", "tests", "docs", "tools") for path in (ROOT / part).rglob("*.csv")}
    assert {path for path in tables if "machine" in path.read_text(encoding="utf-8").partition("\n")[0]} == {
        folder / "transitions.csv",
        folder / "states.csv",
    }
    written = (folder / "transitions.csv").read_text(encoding="utf-8").splitlines()[1:]
    rows = [",".join((e.machine, e.source, e.to, e.cause, e.trigger, e.when)) for e in packaged_table()]
    assert rows == written
    assert [*HostAgentStateManager.rows(), *AppAgentStateManager.rows()] == list(packaged_table())


def test_only_the_rows_are_allowed() -> None:
    table = packaged_table()
    statuses = {"host": HostAgentStatus, "app": AppAgentStatus}
    other = {"host": "app:CONTINUE", "app": "host:CONTINUE"}
    for machine, names in statuses.items():
        legal = {(e.source, e.to, e.cause, e.trigger): e for e in table.of(machine)}
        triggers = {edge.trigger for edge in table}
        for source, to, cause, trigger in product(names, (*names, other[machine], ""), Cause, triggers):
            assert table.row(machine, source, to, cause, trigger) is legal.get((source, to, cause, trigger))


def test_an_edge_without_a_trigger_is_the_first_row_of_its_cause() -> None:
    table = packaged_table()
    row = table.row("app", "FAIL", "host:FAIL", Cause.SYSTEM)
    assert row is not None
    assert row.trigger == "spent"
    assert table.row("app", "FAIL", "host:FAIL", Cause.LLM) is None


def test_a_row_is_named_by_machine_ends_and_trigger() -> None:
    names = [(e.machine, e.source, e.to, e.trigger) for e in packaged_table()]
    assert len(names) == len(set(names)) > 60
