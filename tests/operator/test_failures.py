"""Faults of the vendor's server, and of its replies: each is typed, and ends or is repeated as with any other model."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import deskhand
from deskhand.core.errors import UsageError
from deskhand.core.events import ModelAnswered, SessionFinished
from deskhand.core.outcomes import Outcome
from deskhand.session.round import Ending
from deskhand.store.journal import read_events
from operator_support import MODEL, Answer, Desk, Fail, Hang, done, turn, use, vendor

pytestmark = [pytest.mark.anyio, pytest.mark.requires("operator.failures")]
BUSY = Fail(429, json.dumps({"type": "error", "error": {"message": "slow down"}}), {"retry-after": "0"})


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Models are asked over the wire, which takes time that passes."""
    return "asyncio"


async def asked(monkeypatch: pytest.MonkeyPatch, out: Path, *answers: Answer) -> tuple[Ending, list[str], int]:
    """The ending, the types of the errors of calls, and the number of requests."""
    desk = Desk()
    with vendor(monkeypatch, *answers) as server:
        ending = await deskhand.run("Write", model=MODEL, opens=desk.open, out=out)
    events = tuple(read_events(out))
    errors = [event.error.type for event in events if isinstance(event, ModelAnswered) and event.error]
    written = (out / "journal.sqlite").read_bytes() if (out / "journal.sqlite").exists() else b""
    assert b"sk-ant-very-secret" not in written
    assert any(isinstance(event, SessionFinished) for event in events)
    return ending, errors, len(server.heard)


@pytest.mark.parametrize(
    ("answers", "errors", "requests"),
    [
        ([BUSY, BUSY, done()], ["ModelBusy", "ModelBusy"], 3),
        ([Fail(529, "{}", {"retry-after": "0"}), done()], ["ModelBusy"], 2),
        ([Fail(500, "oops", {"retry-after": "0"}), done()], ["ModelBroken"], 2),
        ([Fail(200, "<html>"), done()], ["ReplyDefect"], 2),
        ([Fail(200, "[1]"), done()], ["ReplyDefect"], 2),
        ([Fail(200, '{"type": "message"}'), done()], ["ReplyDefect"], 2),
        ([Fail(200, '{"type": "message", "content": [7]}'), done()], ["ReplyDefect"], 2),
        ([turn({"type": "tool_use", "name": "screenshot", "input": {}}), done()], ["ReplyDefect"], 2),
        ([turn(use("screenshot"), stop="max_tokens"), done()], ["ReplyDefect"], 2),
        ([turn(), done()], ["ReplyDefect"], 2),
        ([Fail(200, turn(use("wait", duration=float("nan"))).body), done()], ["ReplyDefect"], 2),
        ([Fail(200, turn(use("wait", duration=7)).body.replace("7}", "1e999}")), done()], ["ReplyDefect"], 2),
    ],
    ids=[
        "429",
        "529",
        "500",
        "no json",
        "a list",
        "no content",
        "no block",
        "no id",
        "cut off",
        "nothing",
        "NaN",
        "infinite",
    ],
)
async def test_what_may_pass_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answers: Sequence[Answer], errors: list[str], requests: int
) -> None:
    ending, met, heard = await asked(monkeypatch, tmp_path / "out", *answers)
    assert (ending.outcome, met, heard) == (Outcome.SUCCESS, errors, requests)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Fail(401, '{"type": "error", "error": {"message": "invalid x-api-key"}}'), "ModelDenied"),
        (Fail(404, '{"type": "error", "error": {"message": "model: none"}}'), "ModelDenied"),
        (Fail(400, '{"type": "error", "error": {"message": "tools.0: no such tool"}}'), "RequestRejected"),
        (turn(text="I will not.", stop="refusal"), "ModelRefused"),
        (Fail(302, "", {"location": "http://127.0.0.1:1/"}), "ModelDenied"),
    ],
    ids=["401", "404", "400", "refusal", "redirect"],
)
async def test_what_does_not_pass_ends_the_session_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: Answer, error: str
) -> None:
    ending, met, heard = await asked(monkeypatch, tmp_path / "out", answer)
    assert (ending.outcome, met, heard) == (Outcome.ERROR, [error], 1)
    assert MODEL in ending.reason


async def test_a_request_that_is_too_long_is_sent_once_more_with_fewer_pictures(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    long = Fail(400, '{"type": "error", "error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}')
    shots = turn(use("screenshot"), use("screenshot"), use("screenshot"))
    desk = Desk()
    with vendor(monkeypatch, shots, long, done()) as server:
        ending = await deskhand.run("Write", model=MODEL, opens=desk.open, out=tmp_path / "out")
    assert ending.outcome is Outcome.SUCCESS
    assert [json.dumps(heard.body).count('"image"') for heard in server.heard] == [1, 4, 1]


async def test_a_connection_that_breaks_off_is_made_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ending, met, heard = await asked(monkeypatch, tmp_path / "out", Hang(b"{"), done())
    assert (ending.outcome, met, heard) == (Outcome.SUCCESS, ["ModelBroken"], 2)


async def test_a_key_is_needed_and_a_vendor_that_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)
    for model, problem in [
        ("operator:anthropic/claude-opus-5-5", "needs ANTHROPIC_API_KEY"),
        ("operator:nobody/x", "names no model of a vendor"),
        ("operator:anthropic", "names no model of a vendor"),
        ("operator", "names no model of a vendor"),
        ("operator:anthropic/claude-sonnet-4-5", "takes only an older computer tool"),
    ]:
        if "older" in problem:
            monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        with pytest.raises(UsageError, match=problem):
            await deskhand.run("Write", model=model, opens=Desk().open, out=tmp_path / "out")
