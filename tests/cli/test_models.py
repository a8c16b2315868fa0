"""`deskhand models`."""

import base64
import json
import sys
import zlib

import pytest

from cli.driver import Console
from deskhand.models.language.probe import COLOURS
from deskhand.models.language.providers import PROVIDERS
from wire.held import held
from wire.server import Answer, Fail, Json, Say, Script, wire

CALL: Json = {"action": {"function": "set_edit_text", "args": {"text": "ready", "clear": True}}}


def colours(body: Json) -> Json:
    """The two halves of the picture, as a model would see them."""
    pictures = [part["image_url"]["url"] for part in body["messages"][1]["content"] if part["type"] == "image_url"]
    if not pictures:
        return {"left": "", "right": ""}
    png = base64.b64decode(pictures[0].partition(",")[2])
    line = zlib.decompress(png[png.index(b"IDAT") + 4 :])
    names = {bytes(colour): name for name, colour in COLOURS.items()}
    return {"left": names[line[1:4]], "right": names[line[-3:]]}


def look(body: Json) -> Answer:
    return Say(json.dumps({**colours(body), **CALL}))


def lossy(body: Json) -> Answer:
    """A server that loses a tool's arguments where it enforces a schema."""
    if "response_format" not in body:
        return look(body)
    return Say(json.dumps({**colours(body), "action": {"function": "set_edit_text", "args": {}}}))


def enforcing(body: Json) -> Answer:
    """A server whose grammar lets a model write what the schema takes."""
    return held([{**colours(body), **CALL}])(body)


def blind(body: Json) -> Answer:
    return Fail(400, '{"error": {"message": "no image input here"}}') if "image_url" in json.dumps(body) else look(body)


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")


@pytest.mark.requires("model.test")
@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(("script", "sees"), [(look, True), (enforcing, True), (blind, None)])
def test_one_request_shows_what_a_model_can_do(
    console: Console, monkeypatch: pytest.MonkeyPatch, script: Script, sees: bool | None
) -> None:
    with wire(script=script) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
        done = console("models", "test", "openai:gpt-4o", "--json")
    found = done.json
    assert done.code == 0
    assert (found["ok"], found["answers"], found["sees_pictures"], found["schema"]) == (True, True, sees, "provider")
    assert (found["passes_arguments"], found["fix"]) == (True, "")
    assert found["tokens"] == {"input": 100, "output": 20}
    assert found["cost_usd"] == pytest.approx(0.00045)
    assert found["tested"] is True
    assert found["error"] is None


@pytest.mark.requires("model.test")
@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Say(json.dumps({"left": "pink", "right": "pink", **CALL})), "described wrongly"),
        (
            Say('{"action": {"function": "set_edit_text", "args": {"text": "read"}}}'),
            "lost: the tool was called without them",
        ),
        (Say('{"hello": "there"}'), "without the requested call"),
        (Say('{"hello": "there"}'), "sent, and the reply does not describe them"),
        (
            Say('{"hello": "there"}'),
            "does not enforce it: this reply lacks left, right, action and has also hello",
        ),
        (Say("Hello!"), "holds no JSON object"),
        (Fail(401, '{"error": {"message": "bad key sk-secret"}}'), "does not accept the key (HTTP 401: bad key •••)"),
    ],
)
def test_a_model_that_cannot_be_used_is_said_with_the_reason(
    console: Console, monkeypatch: pytest.MonkeyPatch, answer: Answer, said: str
) -> None:
    with wire(answer) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
        done = console("models", "test", "openai:mine")
    assert done.code == 1
    assert "not usable in this setup" in done.out
    assert said in done.out
    assert "sk-secret" not in done.out + done.err


@pytest.mark.requires("model.test", "model.held")
def test_a_server_that_loses_arguments_is_said_with_a_fix_that_helps(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    with wire(script=lossy) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai)
        lost = console("models", "test", "openai:local", "--json")
        told = console("models", "test", "openai:local")
        monkeypatch.setenv("DESKHAND_MODELS__REPLY_SCHEMA", "false")
        cured = console("models", "test", "openai:local", "--json")
    assert (lost.code, lost.json["ok"], lost.json["passes_arguments"]) == (1, False, False)
    assert "set models.reply_schema to false" in str(lost.json["fix"])
    assert "fix       its server may enforce the schema" in told.out
    assert (cured.code, cured.json["passes_arguments"], cured.json["schema"]) == (0, True, "prompt")


@pytest.mark.requires("model.test")
def test_the_list_says_what_is_untested(console: Console) -> None:
    listed = {str(row["provider"]): row for row in console("models", "list", "--json").items("providers")}
    assert listed.keys() == PROVIDERS.keys()
    assert [name for name, row in listed.items() if row["tested"]] == ["openai", "anthropic"]
    assert console("models", "list").out.count("untested: requests are built") == len(PROVIDERS) - 2


@pytest.mark.requires("model.test")
def test_the_list_says_to_install_what_is_not_installed_and_nothing_else(
    console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "pip install" not in console("models", "list").out, "the tests' own environment has all of them"
    monkeypatch.setattr("sys.path", [path for path in sys.path if "site-packages" not in path])
    monkeypatch.delitem(sys.modules, "anthropic", raising=False)
    monkeypatch.delitem(sys.modules, "boto3", raising=False)
    told = console("models", "list").out
    assert "needs ANTHROPIC_API_KEY; pip install 'deskhand[anthropic]'" in told
    assert "pip install 'deskhand[bedrock]'" in told
    rows = {str(row["provider"]): row for row in console("models", "list", "--json").items("providers")}
    assert [rows[name]["installed"] for name in ("openai", "anthropic", "bedrock")] == [True, False, False]


@pytest.mark.requires("model.test", "model.human")
def test_a_person_is_listed_and_not_tested(console: Console) -> None:
    assert "human             you, at the terminal" in console("models", "list").out
    done = console("models", "test", "human", "--json")
    assert (done.code, done.item("error", "message")) == (2, "human is you, at the terminal: there is nothing to test")


@pytest.mark.requires("operator.assigned")
def test_a_model_of_a_vendors_loop_is_listed_and_is_not_tested_as_others_are(console: Console) -> None:
    assert "operator:VENDOR/NAME" in console("models", "list").out
    done = console("models", "test", "operator:anthropic/claude-opus-5-5")
    assert done.code == 2
    assert "operator:anthropic/claude-opus-5-5 answers with actions" in done.err
