"""`deskhand run --playbook … --heal MODEL`, over the wire, on a desktop in memory."""

import json
import re
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from cli.driver import SESSION_KEYS, Console, Finished
from cli.test_modes import BOOK, World, world
from deskhand.session.build import SessionPlan
from deskhand.store.journal import JOURNAL_NAME
from wire.server import Answer, Json, Say, Wire, texts_of, wire

__all__ = ["world"]
pytestmark = pytest.mark.usefixtures("world")

OLD = BOOK.replace(
    "closer:\n    - {tool: click_input, on: {role: checkbox, name: Door}",
    "closer:\n    - {tool: click_input, on: {role: checkbox, name: Gate}",
)
"""The playbook of a release in which the second step's door was called a gate."""


def decide(body: Json) -> Answer:
    """Take the door for the gate."""
    text = "\n".join(texts_of(body))
    label = re.search(r'(\d+) checkbox "Door"', text)
    assert label is not None
    assert 'on checkbox "Gate"' in text
    reply = {"status": "FINISH", "function": "click_input", "control_label": label[1], "control_text": "Door"}
    return Say(json.dumps(reply))


def run(console: Console, server: Wire, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> Finished:
    monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    Path("door.yaml").write_text(OLD)
    options = ("--playbook", "door.yaml", "--heal", "openai:gpt-4o", "--file", "a.odt", "--out", "out")
    return console("run", "Air", *options, *arguments)


@pytest.mark.requires("model.heal.step", "model.heal.file")
def test_the_healed_playbook_and_its_cost_are_in_the_result(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    with wire(script=decide) as server:
        done = run(console, server, monkeypatch, "--json")
    assert (done.code, done.item("outcome")) == (0, "success"), done.err
    assert set(done.json) == SESSION_KEYS | {"healed"}
    assert done.item("healed", "file") == "door.healed.yaml"
    assert Path("door.healed.yaml").read_text() == BOOK
    assert len(server.heard) == 1, "the steps that fit cost nothing"
    healed = done.item("healed")
    assert isinstance(healed, dict)
    [step] = healed["steps"]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType] - a list of one
    assert isinstance(step, dict)
    assert (step["line"], step["calls"]) == (11, 1)
    assert step["cost_usd"] == pytest.approx(0.00045) == done.item("cost_usd")
    assert (step["was"], step["now"]) == ('click_input checkbox "Gate"', 'click_input checkbox "Door"')
    assert "healed" in Path("out/report.html").read_text()


@pytest.mark.requires("model.heal.file")
def test_the_difference_is_printed_for_review(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    with wire(script=decide) as server:
        done = run(console, server, monkeypatch)
    assert 'healed   line 11: click_input checkbox "Gate" → click_input checkbox "Door"' in done.out
    assert "review   door.healed.yaml" in done.out
    lines = [line for line in done.out.splitlines() if line.startswith(("+    -", "-    -"))]
    assert [line[0] for line in lines] == ["-", "+"]


@pytest.mark.requires("model.heal.file", "cli.batch")
def test_a_batch_names_the_healed_playbook_of_each_task(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tasks.jsonl").write_text(json.dumps({"id": "one", "task": "Air", "object": "a.odt"}))
    with wire(script=decide) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
        Path("door.yaml").write_text(OLD)
        options = ("--mode", "batch", "--tasks", "tasks.jsonl", "--playbook", "door.yaml", "--heal", "openai:gpt-4o")
        told, as_json = (console("run", *options, "--out", out, *more) for out, more in (("a", ()), ("b", ("--json",))))
    assert "review door.healed.yaml" in told.out
    assert as_json.items("tasks")[0]["healed"] == "door.healed-2.yaml"


@pytest.mark.requires("model.heal.step")
def test_a_model_heals_nothing_without_a_playbook(console: Console) -> None:
    done = console("run", "Air", "--heal", "openai:gpt-4o", "--model", "openai:gpt-4o")
    assert done.code == 2
    assert "--heal needs --playbook" in done.err


@pytest.mark.requires("model.max-usd-kept")
def test_the_price_of_the_healing_model_has_to_be_known_for_a_limit(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    options = ("--playbook", "door.yaml", "--heal", "openai:mine", "--max-usd", "1", "--out", "out")
    done = console("run", "Air", *options)
    assert (done.code, done.out) == (2, "")
    assert "the price of openai:mine is unknown" in done.err


@pytest.mark.requires("model.heal.resume")
def test_a_resumed_session_has_its_healing_model_again(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskhand.cli.resume.SessionPlan", partial(SessionPlan, opens=world.open))
    with wire(script=decide) as server:
        assert run(console, server, monkeypatch).code == 0
        Path("door.healed.yaml").unlink()
        with closing(sqlite3.connect(Path("out/log") / JOURNAL_NAME)) as journal, journal:
            first = "(SELECT min(seq) FROM events WHERE kind = 'step_started')"
            journal.execute(f"DELETE FROM events WHERE seq > {first}")  # noqa: S608 - as of a kill in its first step
        done = console("resume", "out", "--json")
    assert (done.code, done.item("outcome")) == (0, "success"), done.err
    assert done.item("healed", "file") == str(Path("door.healed.yaml").absolute())
    assert len(server.heard) == 2
