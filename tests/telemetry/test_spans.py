"""A session as spans and metrics, as a collector of ours receives them."""

import json
from collections.abc import Generator
from itertools import pairwise
from pathlib import Path

import pytest

from deskhand.core.errors import ModelUnavailable
from deskhand.core.json import JsonObject
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from notes import APP, Notes
from stage import Person, assign, say
from telemetry.recorded import Priced, planned, run, telemetry
from wire.collector import Collector, Received, collector

PHASES = ["data_collection", "llm_interaction", "action_execution", "memory_update"]


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Threads take time that passes."""
    return "asyncio"


@pytest.fixture(name="receives")
def one_collector() -> Generator[Collector]:
    with collector() as made:
        yield made


async def saved(folder: Path, receives: Collector, **settings: object) -> None:
    """A session of three steps in one round, whose application is asked to save."""
    notes = Notes()
    model = Priced(
        {
            "HostAgent": [assign("Notes", "Save the secret plan"), say("FINISH", result="the secret plan is saved")],
            APP: [say("FINISH", "invoke", "Save", thought="secret")],
        }
    )
    configuration = telemetry(receives.url, **settings)
    ending = await run(planned(notes.desktop, folder, model, configuration, requests=["Save the secret plan"]))
    assert ending.outcome is Outcome.SUCCESS


@pytest.mark.requires("telemetry.spans")
async def test_a_session_is_a_tree_of_rounds_steps_phases_model_calls_and_actions(
    tmp_path: Path, receives: Collector
) -> None:
    await saved(tmp_path, receives)
    host = [
        "    invoke_agent HostAgent",
        "      deskhand.data_collection",
        "      deskhand.llm_interaction",
        "        chat gpt-6",
        "      deskhand.action_execution",
        "      deskhand.memory_update",
    ]
    app = [line.replace("HostAgent", APP) for line in host]
    app.insert(-1, "        execute_tool invoke")
    chosen = [*host[:-1], "        execute_tool select_application_window", host[-1]]
    assert receives.tree() == ["invoke_workflow deskhand", "  deskhand.round", *chosen, *app, *host]


@pytest.mark.requires("telemetry.spans")
async def test_each_span_lies_inside_its_parent_and_none_goes_back(tmp_path: Path, receives: Collector) -> None:
    await saved(tmp_path, receives)
    by_id = {span.id: span for span in receives.spans}
    assert len({span.trace for span in receives.spans}) == 1
    for span in receives.spans:
        parent = by_id.get(span.parent, span)
        assert parent.since <= span.since <= span.until <= parent.until, (span.name, parent.name)
        assert all(span.since <= moment.at <= span.until for moment in span.moments), span.name
    for step in receives.named(f"invoke_agent {APP}"):
        phases = receives.inside(step)
        assert [phase.facts["deskhand.phase"] for phase in phases] == PHASES
        assert all(one.until <= other.since for one, other in pairwise(phases))


@pytest.mark.requires("telemetry.conventions")
async def test_spans_have_the_attributes_of_the_conventions_and_ours(tmp_path: Path, receives: Collector) -> None:
    await saved(tmp_path, receives)
    root, call = receives.root, receives.named("chat gpt-6")[0]
    [action] = receives.named("execute_tool invoke")
    [step] = receives.named(f"invoke_agent {APP}")
    assert root.resource.items() >= {"service.name": "deskhand", "service.version": "1.2"}.items()
    assert {span.facts.get("gen_ai.conversation.id", "s1") for span in receives.spans} == {"s1"}
    assert (
        root.facts.items()
        >= {
            "gen_ai.operation.name": "invoke_workflow",
            "deskhand.outcome": "success",
            "deskhand.steps": 3,
            "deskhand.cost_usd": pytest.approx(0.03),
            "gen_ai.usage.input_tokens": 300,
            "gen_ai.usage.output_tokens": 60,
        }.items()
    )
    assert (
        step.facts.items()
        >= {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": APP,
            "deskhand.step": 2,
            "deskhand.state": "CONTINUE",
            "deskhand.subtask": 1,
            "deskhand.application": "notes",
            "deskhand.status": "FINISH",
            "deskhand.ok": True,
        }.items()
    )
    assert call.kind == "client"
    assert (
        call.facts.items()
        >= {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "gpt-6",
            "gen_ai.response.model": "gpt-6-2026",
            "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.output_tokens": 20,
            "gen_ai.usage.cache_read.input_tokens": 60,
            "deskhand.cost_usd": 0.01,
        }.items()
    )
    assert (
        action.facts.items()
        >= {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "invoke",
            "deskhand.effect": "confirmed",
            "deskhand.target.role": "button",
        }.items()
    )
    assert not any(span.is_error for span in receives.spans)


@pytest.mark.requires("telemetry.metrics")
async def test_metrics_count_calls_tokens_actions_steps_sessions_and_cost(tmp_path: Path, receives: Collector) -> None:
    await saved(tmp_path, receives)
    calls = receives.metrics["gen_ai.client.operation.duration"]
    assert [(point.count, point.facts["gen_ai.request.model"]) for point in calls] == [(3, "gpt-6")]
    assert receives.total("gen_ai.client.token.usage", {"gen_ai.token.type": "input"}) == 300
    assert receives.total("gen_ai.client.token.usage", {"gen_ai.token.type": "output"}) == 60
    assert receives.total("deskhand.actions", {"deskhand.effect": "confirmed", "gen_ai.tool.name": "invoke"}) == 1
    assert receives.total("deskhand.steps") == 3
    assert receives.total("deskhand.sessions", {"deskhand.outcome": "success"}) == 1
    assert receives.total("deskhand.cost") == pytest.approx(0.03)


@pytest.mark.requires("telemetry.no-texts")
async def test_no_text_of_the_user_the_screen_or_a_model_is_sent(tmp_path: Path, receives: Collector) -> None:
    await saved(tmp_path, receives)
    sent = b"".join(receives.raw)
    assert b"invoke" in sent
    assert [word for word in (b"secret", b"Save", b"Notes") if word in sent] == []


@pytest.mark.requires("telemetry.no-texts")
async def test_texts_are_sent_where_the_settings_ask_for_them(tmp_path: Path, receives: Collector) -> None:
    await saved(tmp_path, receives, content=True)
    assert receives.root.facts["deskhand.request"] == "Save the secret plan"
    [action] = receives.named("execute_tool invoke")
    assert action.facts["deskhand.target.name"] == "Save"
    assert isinstance(json.loads(str(action.facts["gen_ai.tool.call.arguments"])), dict)


@pytest.mark.requires("telemetry.no-passwords")
async def test_a_password_too_short_to_be_found_elsewhere_is_not_in_its_arguments(
    tmp_path: Path, receives: Collector
) -> None:
    notes = Notes([FakeControl(Role.PASSWORD, "Password")])
    types = say("FINISH", "set_edit_text", "Password", args={"text": "7x"})
    model = Priced({"HostAgent": [assign("Notes", "Log in"), say("FINISH")], APP: [types]})
    await run(planned(notes.desktop, tmp_path, model, telemetry(receives.url, content=True)))
    [typed] = receives.named("execute_tool set_edit_text")
    assert json.loads(str(typed.facts["gen_ai.tool.call.arguments"]))["text"] == "•••"


@pytest.mark.requires("telemetry.no-passwords")
@pytest.mark.parametrize(
    ("function", "on", "args"),
    [
        ("set_edit_text", "Password", {"text": "hunter2 swordfish"}),
        ("keyboard_input", "Password", {"keys": "hunter2 swordfish{ENTER}"}),
        ("keyboard_input", "Text", {"keys": "{TAB}hunter2 swordfish"}),
    ],
    ids=["text", "keys", "keys that leave their field"],
)
async def test_a_password_is_never_sent(
    function: str, on: str, args: JsonObject, tmp_path: Path, receives: Collector
) -> None:
    notes = Notes([FakeControl(Role.PASSWORD, "Password")])
    model = Priced(
        {
            "HostAgent": [assign("Notes", "Log in with hunter2 swordfish"), say("FINISH", result="hunter2 swordfish")],
            APP: [
                say("CONTINUE", function, on, args=args),
                say("FINISH", "invoke", "Save", thought="hunter2 swordfish"),
            ],
        }
    )
    configuration = telemetry(receives.url, content=True)
    plan = planned(notes.desktop, tmp_path, model, configuration, requests=["Log in with hunter2 swordfish"])
    await run(plan)
    sent = b"".join(receives.raw)
    assert b"hunter2" not in sent
    assert b"swordfish" not in sent
    assert receives.root.facts["deskhand.request"] == "Log in with •••"
    assert "•••" in str(receives.named(f"execute_tool {function}")[0].facts["gen_ai.tool.call.arguments"])


def moments(spans: list[Received]) -> dict[str, Received]:
    """The span in which each event lies."""
    return {moment.name: span for span in spans for moment in span.moments}


@pytest.mark.requires("telemetry.spans", "telemetry.metrics")
async def test_questions_and_confirmations_are_events_and_the_waits_are_measured(
    tmp_path: Path, receives: Collector
) -> None:
    notes = Notes()
    model = Priced(
        {
            "HostAgent": [assign("Notes", "Delete it"), say("FINISH")],
            APP: [
                say("PENDING", questions=["Which one?"]),
                say("FINISH", "invoke", "Delete"),
            ],
        }
    )
    person = Person(says={"Which one?": "the first"}, decides=[True])
    await run(planned(notes.desktop, tmp_path, model, telemetry(receives.url), interactor=person))
    assert notes.log == ["Delete"]
    where = moments(receives.spans)
    [turn] = receives.named("deskhand.round")
    for name in ("questions_asked", "questions_answered", "confirmation_asked", "confirmation_decided"):
        assert where[name] == turn, name
    assert where["actions_held"].facts["deskhand.phase"] == "action_execution"
    [deleted] = receives.named("execute_tool invoke")
    assert deleted in receives.inside(turn), "it ran after its step, when it was approved"
    waits = receives.metrics["deskhand.person.wait"]
    assert sorted(str(point.facts["deskhand.wait"]) for point in waits) == ["confirmation", "question"]
    assert b"Which one" not in b"".join(receives.raw)


@pytest.mark.requires("telemetry.spans")
async def test_an_error_is_the_status_and_an_exception_of_its_spans(tmp_path: Path, receives: Collector) -> None:
    notes = Notes()
    model = Priced({"HostAgent": [ModelUnavailable("no such model: secret", fix="choose another one")]})
    ending = await run(planned(notes.desktop, tmp_path, model, telemetry(receives.url)))
    assert ending.outcome is Outcome.ERROR
    failed = {span.name: span for span in receives.spans if span.is_error}
    assert {*failed} >= {"chat gpt-6", "deskhand.llm_interaction", "invoke_agent HostAgent", "deskhand.round"}
    assert receives.root.is_error
    call = failed["chat gpt-6"]
    assert call.facts["error.type"] == "ModelUnavailable"
    assert [(m.name, m.facts) for m in call.moments] == [("exception", {"exception.type": "ModelUnavailable"})]
    assert b"secret" not in b"".join(receives.raw)
