"""Spans of sessions of the command line, one by one and as the tasks of a batch, each in a process of its own."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from cli.batch_world import remote
from cli.driver import Console
from cli.test_batch_process import batch, carried_out
from cli.test_modes import World, run, world, write_json
from deskhand.telemetry import destination
from wire.collector import Collector, collector

__all__ = ["world"]


@pytest.fixture(name="receives")
def one_collector() -> Generator[Collector]:
    with collector() as made:
        yield made


@pytest.mark.requires("telemetry.spans")
def test_a_plan_is_one_trace_with_a_round_for_each_step(
    console: Console, world: World, receives: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_TELEMETRY__ENDPOINT", receives.url)
    plan = write_json("plan.json", {"task": "Air", "steps": ["Open the door", "Close the door"], "object": "a.odt"})
    done = run(console, "--mode", "follower", "--plan", plan, "--out", "out")
    assert (done.code, done.item("outcome")) == (0, "success"), done.err
    rounds = receives.inside(receives.root)
    assert [(span.name, span.facts["deskhand.round"]) for span in rounds] == [("deskhand.round", n) for n in (1, 2)]
    assert receives.root.facts["gen_ai.conversation.id"] == done.item("session_id")
    assert {span.facts["deskhand.model"] for span in receives.named("deskhand.reply")} == {"plan", "playbook:door"}
    assert "gen_ai.client.operation.duration" not in receives.metrics, "a playbook is no language model"


@pytest.mark.requires("telemetry.spans")
@pytest.mark.usefixtures("no_server_left")
async def test_each_task_of_a_batch_is_a_trace_from_a_process_of_its_own(
    tmp_path: Path, receives: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receives.url)
    await carried_out(batch(tmp_path, "one", "two"), remote())
    roots = [span for span in receives.spans if not span.parent]
    assert [span.facts["deskhand.outcome"] for span in roots] == ["success", "success"]
    assert len({span.trace for span in receives.spans}) == 2
    assert len({span.resource["service.instance.id"] for span in receives.spans}) == 2


@pytest.mark.requires("telemetry.settings")
def test_a_setting_that_cannot_be_followed_removes_no_earlier_results(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(console, "Air", "--file", "a.odt", "--out", "out").code == 0
    before = sorted(Path("out").rglob("*"))
    monkeypatch.setenv("DESKHAND_TELEMETRY__ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(destination, "find_spec", dict[str, object]().get)
    done = run(console, "Air", "--file", "a.odt", "--out", "out", "--force")
    assert done.code == 2
    assert json.loads(done.out)["error"]["type"] == "MissingRequirement"
    assert 'pip install "deskhand[otel]"' in done.err
    assert sorted(Path("out").rglob("*")) == before
