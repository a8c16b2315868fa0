"""`deskhand run --model`, over the wire, on a desktop in memory: every mode, other models for other agents."""

import json
import re
from pathlib import Path

import pytest

from cli.driver import SESSION_KEYS, Console, Finished
from cli.test_modes import STEPS, World, tasks_of, world, write_json
from wire.server import Answer, Fail, Json, Say, Wire, texts_of, vectors, wire

__all__ = ["world"]
pytestmark = pytest.mark.usefixtures("world")


def decide(body: Json) -> Answer:
    """Hands the request to the first window; there it presses the door once."""
    text = "\n".join(texts_of(body))
    if "Windows and agents" in text:
        if "Ended subtask" in text:
            return say({"status": "FINISH", "result": "aired"})
        return say({"status": "ASSIGN", "control_label": "1", "current_subtask": "Open the door"})
    if "You judge whether" in text:
        return say({"complete": "yes", "reason": "the door is open"})
    label = re.search(r'(\d+) checkbox "Door"', text)
    assert label is not None
    return say({"status": "FINISH", "function": "click_input", "control_label": label[1], "control_text": "Door"})


def say(reply: Json) -> Say:
    return Say(json.dumps(reply))


def run(console: Console, server: Wire, monkeypatch: pytest.MonkeyPatch, *arguments: object) -> Finished:
    monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    done = console("run", "--json", *arguments)
    kept = [path.read_bytes() for path in Path("out").rglob("*") if path.is_file()]
    assert not any(b"sk-very-secret-key" in content for content in kept)
    assert "sk-very-secret-key" not in done.out + done.err
    return done


@pytest.mark.requires("model.run", "cli.run-result")
def test_a_request_is_carried_out_and_told_with_its_tokens_and_price(
    console: Console, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with wire(script=decide) as server:
        done = run(console, server, monkeypatch, "Air", "--file", "a.odt", "--model", "openai:gpt-4o", "--out", "out")
    assert (done.code, done.item("outcome"), done.item("reason")) == (0, "success", "aired"), done.err
    assert set(done.json) == SESSION_KEYS
    assert (done.item("model_calls"), done.item("tokens")) == (3, {"input": 300, "output": 60})
    assert done.item("cost_usd") == pytest.approx(3 * 0.00045)
    assert world.opened == ["a.odt"]


@pytest.mark.requires("model.run", "round.follower")
def test_a_plan_is_followed_with_a_model_in_the_applications(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = write_json("plan.json", {"task": "Air the room", "steps": STEPS, "object": "a.odt"})
    options = ("--mode", "follower", "--plan", plan, "--out", "out", "--model", "openai:mine")
    with wire(script=decide) as server:
        done = run(console, server, monkeypatch, *options)
    assert (done.code, done.item("outcome")) == (0, "success"), done.err
    assert [s["subtask"] for s in done.items("subtasks")] == STEPS
    assert len(server.heard) == 2, "the plan decides for the host"
    assert done.item("cost_usd") is None


@pytest.mark.requires("model.run", "cli.batch")
def test_each_task_of_a_batch_has_a_model_of_its_own(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = write_json("tasks.jsonl", *({"id": n, "task": "Air", "object": f"{n}.odt"} for n in "ab"))
    options = ("--mode", "batch", "--tasks", tasks, "--out", "out", "--model", "openai:mine")
    with wire(script=decide) as server:
        done = run(console, server, monkeypatch, *options)
    assert tasks_of(done) == [("a", "success", False), ("b", "success", False)], done.err
    assert len(server.heard) == 6


@pytest.mark.requires("model.run")
def test_other_agents_have_other_models_a_backup_and_a_judge(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(body: Json) -> Answer:
        return Fail(401) if body["model"] == "broken" else decide(body)

    config = Path("mine.yaml")
    config.write_text(
        "models: {host: 'openai:thinker', app: 'openai:broken', backup: 'openai:spare', evaluation: 'openai:judge'}\n"
    )
    with wire(script=answer) as server:
        done = run(console, server, monkeypatch, "Air", "--file", "a.odt", "--config", config, "--out", "out")
    assert (done.code, done.item("outcome")) == (0, "success"), done.err
    assert [heard.body["model"] for heard in server.heard] == ["thinker", "broken", "spare", "thinker", "judge"]
    (judged,) = done.items("evaluations")
    assert (judged["complete"], judged["reason"]) == ("yes", "the door is open")


@pytest.mark.requires("model.run", "cli.exit-codes")
def test_a_model_that_cannot_be_asked_ends_the_session_in_an_error_that_says_what_to_do(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    with wire(Fail(401, '{"error": {"message": "wrong key sk-very-secret-key"}}')) as server:
        done = run(console, server, monkeypatch, "Air", "--model", "openai:mine", "--out", "out")
    assert (done.code, done.item("outcome")) == (4, "error")
    assert "does not accept the key (HTTP 401: wrong key •••)" in str(done.item("reason"))


@pytest.mark.requires("model.max-usd-kept", "cli.exit-codes")
def test_a_session_that_cannot_begin_is_told_in_a_sentence_and_what_to_do(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-key")
    done = console("run", "Air", "--model", "openai:mine", "--max-usd", "1", "--out", "out")
    assert (done.code, done.out) == (2, "")
    said, fix = done.err.splitlines()
    assert said == "deskhand: max_usd cannot be enforced: the price of openai:mine is unknown"
    assert "models.prices" in fix


@pytest.mark.requires("knowledge.embeddings", "model.run")
def test_a_session_looks_up_by_meaning_too(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("doors.md").write_text("# Portals\nA portal swings when it is pushed.\n")

    def answer(body: Json) -> Answer:
        return vectors(*([1.0, 0.0] for _ in body["input"])) if "input" in body else decide(body)

    assert console("learn", "doors.md").code == 0
    monkeypatch.setenv("DESKHAND_MODELS__EMBEDDINGS", "openai:text-embedding-3-small")
    with wire(script=answer) as server:
        done = run(console, server, monkeypatch, "Air", "--file", "a.odt", "--model", "openai:mine", "--out", "out")
    assert done.code == 0, done.err
    prompts = [heard.text for heard in server.heard if "messages" in heard.body]
    assert all("A portal swings" in prompt for prompt in prompts), "it shares no word with what is asked"
