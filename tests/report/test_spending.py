"""Tokens and money, added up by step, subtask, round and session (contract 6)."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from deskhand.core.errors import ReplyDefect
from deskhand.core.events import Event, ModelAnswered, ModelAsked
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.usage import Usage
from deskhand.models.scripted import ScriptedModel
from deskhand.report.costs import Spent, spending
from deskhand.report.html import render_report
from deskhand.report.summary import summarise, summarise_events
from deskhand.session.clock import SystemClock
from deskhand.store.journal import Journal, read_events
from notes import APP, Notes
from stage import assign, say, scripted, stage


@dataclass
class Priced:
    """A model of which each call has other tokens and another price; the `unpriced` one has none."""

    inner: ScriptedModel
    unpriced: int = 0
    calls: int = 0
    name: str = "priced"
    pictures: None = None

    async def respond(self, request: ModelRequest) -> ModelReply:
        self.calls += 1
        cost = None if self.calls == self.unpriced else self.calls / 1024
        usage = Usage(100 + self.calls, self.calls, cost)
        try:
            reply = await self.inner.respond(request)
        except ReplyDefect as defect:
            raise ReplyDefect(defect.message, text=defect.text, usage=usage) from defect
        return ModelReply(reply.content, reply.text, usage)


async def played(folder: Path, unpriced: int = 0) -> list[Event]:
    """Two rounds, three subtasks, two replies that could not be used; read back from a journal."""
    host = [
        assign("Notes", "One"),
        assign("Notes", "Two"),
        say("FINISH"),
        "hm",
        assign("Notes", "Three"),
        say("FINISH"),
    ]
    app = [say("CONTINUE", "invoke", "Save"), say("FINISH"), "{", say("FINISH"), say("FINISH")]
    model = Priced(scripted({"HostAgent": host, APP: app}), unpriced)
    it = stage(Notes().desktop, model, log_path=folder)
    await it.run("first", "second")
    with Journal(folder, SystemClock()) as journal:
        for event in it.events.all:
            journal.emit(event)
    return list(read_events(folder))


def total(parts: list[Spent]) -> Spent:
    costs = [part.cost_usd for part in parts]
    known = [cost for cost in costs if cost is not None]
    cost = sum(known) if len(known) == len(costs) else None
    return Spent(sum(p.calls for p in parts), sum(p.input for p in parts), sum(p.output for p in parts), cost)


@pytest.mark.requires("model.money-sums")
async def test_the_sums_of_steps_and_rounds_are_those_of_the_calls_in_the_journal(tmp_path: Path) -> None:
    events = await played(tmp_path)
    calls = [event for event in events if isinstance(event, ModelAnswered)]
    took = spending(events)
    assert took.session == Spent(
        len(calls), sum(c.input_tokens for c in calls), sum(c.output_tokens for c in calls), sum(range(1, 12)) / 1024
    )
    assert total(list(took.steps.values())) == took.session
    assert total(list(took.rounds.values())) == took.session
    of_app = [call for call in calls if call.agent == APP]
    assert [part.calls for part in took.subtasks] == [2, 2, 1], "what could not be used counts where it was asked"
    assert total(took.subtasks).input == sum(call.input_tokens for call in of_app)
    summary = summarise_events(events, tmp_path)
    assert (summary.model_calls, summary.cost_usd) == (took.session.calls, took.session.cost_usd)
    assert sum(one.tokens.input for one in summary.rounds) == summary.tokens.input == took.session.input
    assert sum(one.cost_usd or 0 for one in summary.rounds) == summary.cost_usd


@pytest.mark.requires("model.money-sums", "model.cost-known")
async def test_one_price_that_is_unknown_makes_every_sum_it_is_in_unknown_and_no_other(tmp_path: Path) -> None:
    took = spending(await played(tmp_path, unpriced=2))
    assert took.session.cost_usd is None
    assert [one.cost_usd is None for one in took.rounds.values()] == [True, False]
    assert [one.cost_usd is None for one in took.subtasks] == [True, False, False]
    assert [number for number, one in took.steps.items() if one.cost_usd is None] == [2]


@pytest.mark.requires("model.money-sums", "model.cost-known")
async def test_a_call_that_was_under_way_when_the_session_was_stopped_counts_at_an_unknown_price(
    tmp_path: Path,
) -> None:
    events = await played(tmp_path)
    asked = [number for number, event in enumerate(events) if isinstance(event, ModelAsked)]
    took = spending(events[: asked[3] + 1])
    assert (took.session.calls, took.session.cost_usd) == (4, None)
    assert took.rounds[1].cost_usd is None
    assert [(number, one.cost_usd is None) for number, one in took.steps.items()][-2:] == [(3, False), (4, True)]
    assert summarise_events(events[: asked[3] + 1], tmp_path).cost_usd is None


@pytest.mark.requires("model.money-sums")
async def test_the_page_and_the_json_say_them(tmp_path: Path) -> None:
    took = spending(await played(tmp_path))
    page = render_report(tmp_path)
    for one in (took.rounds[2], took.subtasks[0], took.steps[2]):
        assert f"{one.calls} model call{'s' if one.calls > 1 else ''}, {one.input} tokens in, {one.output} out" in page
    rounds = summarise(tmp_path).to_json()["rounds"]
    assert isinstance(rounds, list)
    assert rounds[1] == {
        "round": 2,
        "request": "second",
        "outcome": "success",
        "reason": "",
        "model_calls": took.rounds[2].calls,
        "tokens": {"input": took.rounds[2].input, "output": took.rounds[2].output},
        "cost_usd": took.rounds[2].cost_usd,
    }
