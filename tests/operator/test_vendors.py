"""The OperatorAgent works on a desktop in memory by the formats of OpenAI and Google; a server on the loopback holds
each request against their packages' own types.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

import anyio
import pytest

import deskhand
from deskhand import ModelSetup
from deskhand.core.errors import (
    ModelBroken,
    ModelBusy,
    ModelDenied,
    ModelSilent,
    ModelUnavailable,
    ReplyDefect,
    RequestRejected,
    RequestTooLong,
    UsageError,
)
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Answers, ConfirmationRequest
from deskhand.operator import operator_model
from deskhand.operator.actions import Conversation, Size
from deskhand.operator.actions import Picture as Shown
from operator_support import Desk
from wire import google_loop, openai_loop
from wire.server import Answer, Fail, Hang, Json, Wire, wire

pytestmark = pytest.mark.requires("operator.vendors")

_IDS: Final = count(1)
CHECK: Final = "The page gives orders."


class Vendor(ABC):
    """A vendor's format, as its server speaks it."""

    model: str
    key: str
    address: str

    @abstractmethod
    def at(self, point: Sequence[int]) -> Json: ...

    @abstractmethod
    def clicks(self, point: Sequence[int]) -> Json: ...

    @abstractmethod
    def types(self, text: str) -> Json: ...

    @abstractmethod
    def acts(self, *actions: Json, checked: bool = False) -> Json:
        """A reply with these actions. `checked`: with a safety check."""

    @abstractmethod
    def says(self, text: str) -> Json: ...

    @abstractmethod
    def wrong(self, path: str, body: Json) -> str: ...

    @abstractmethod
    def told(self, body: Json) -> list[str]:
        """The outcomes in a request."""

    @abstractmethod
    def acknowledged(self, body: Json) -> bool: ...

    @abstractmethod
    def url(self, server: Wire) -> str: ...

    @contextmanager
    def serving(self, *answers: Json | Answer) -> Generator[Wire]:
        """A server that answers in turn, the last answer again and again."""
        left = [Fail(200, json.dumps(each)) if isinstance(each, dict) else each for each in answers]

        def answer(body: Json) -> Answer:
            problem = self.wrong(server.heard[-1].path, body)
            now = left.pop(0) if len(left) > 1 else left[0]
            return (
                Fail(400, json.dumps({"error": {"code": 400, "message": f"not the format: {problem}"}}))
                if problem
                else now
            )

        with wire(script=answer) as server:
            yield server


class OpenAI(Vendor):
    model, key, address = "operator:openai/gpt-6.2", "OPENAI_API_KEY", "OPENAI_BASE_URL"

    def at(self, point: Sequence[int]) -> Json:
        return {"x": point[0], "y": point[1]}

    def clicks(self, point: Sequence[int]) -> Json:
        return {"type": "click", "button": "left", **self.at(point)}

    def types(self, text: str) -> Json:
        return {"type": "type", "text": text}

    def acts(self, *actions: Json, checked: bool = False) -> Json:
        checks = [{"id": "sc_1", "code": "malicious_instructions", "message": CHECK}] if checked else []
        return openai_loop.response(openai_loop.reasoning(), *self._calls(actions, checks))

    def _calls(self, actions: Sequence[Json], checks: Sequence[Json]) -> list[Json]:
        return [openai_loop.call(*actions, call_id=f"call_{next(_IDS)}", pending_safety_checks=[*checks])]

    def says(self, text: str) -> Json:
        return openai_loop.response(openai_loop.message(text))

    def wrong(self, path: str, body: Json) -> str:
        return openai_loop.wrong_request({key: value for key, value in body.items() if key != "stream"})

    def told(self, body: Json) -> list[str]:
        messages = [item for item in body["input"][1:] if item.get("role") == "user"]
        return [part["text"] for item in messages for part in item["content"] if part["type"] == "input_text"]

    def acknowledged(self, body: Json) -> bool:
        return any(item.get("acknowledged_safety_checks") for item in body["input"])

    def url(self, server: Wire) -> str:
        return server.openai


class Preview(OpenAI):
    """The preview has one action a call."""

    model = "operator:openai/computer-use-preview"

    def _calls(self, actions: Sequence[Json], checks: Sequence[Json]) -> list[Json]:
        ids = [f"call_{next(_IDS)}" for _ in actions]
        return [
            openai_loop.call(actions=None, action=each, call_id=call_id, pending_safety_checks=[*checks])
            for each, call_id in zip(actions, ids, strict=True)
        ]


class Google(Vendor):
    model, key, address = "operator:google/gemini-3.5-flash", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"

    def at(self, point: Sequence[int]) -> Json:
        return {"x": point[0] * 1000 // 640, "y": point[1] * 1000 // 480}

    def clicks(self, point: Sequence[int]) -> Json:
        return google_loop.function("click", **self.at(point))

    def types(self, text: str) -> Json:
        return google_loop.function("type", text=text)

    def acts(self, *actions: Json, checked: bool = False) -> Json:
        for each in actions if checked else ():
            decision = {"decision": "require_confirmation", "explanation": CHECK}
            each["functionCall"]["args"]["safety_decision"] = decision
        return google_loop.response(google_loop.thought("Hm."), *actions)

    def says(self, text: str) -> Json:
        return google_loop.response({"text": text})

    def wrong(self, path: str, body: Json) -> str:
        assert ":generateContent" in path
        return google_loop.wrong_body(body)

    def told(self, body: Json) -> list[str]:
        parts = [part["functionResponse"] for part in google_loop.parts_of(body) if "functionResponse" in part]
        return [part["response"].get("output") or part["response"]["error"] for part in parts]

    def acknowledged(self, body: Json) -> bool:
        return '"safety_acknowledgement": "true"' in json.dumps(body)

    def url(self, server: Wire) -> str:
        return server.root


VENDORS: Final = pytest.mark.parametrize("vendor", [OpenAI(), Preview(), Google()], ids=["openai", "preview", "google"])


class Person:
    """A person who decides everything in the same way."""

    reaches_person = True

    def __init__(self, *, approves: bool) -> None:
        self.approves = approves
        self.asked: list[str] = []

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        raise AssertionError(questions)

    async def confirm(self, request: ConfirmationRequest) -> bool:
        self.asked += [verdict.reason for verdict in request.facts]
        return self.approves


Run = Callable[..., Any]


@pytest.fixture(name="run")
def running(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    async def run(vendor: Vendor, server: Wire, desk: Desk, **more: Any) -> Any:
        monkeypatch.setenv(vendor.key, "sk-very-secret")
        monkeypatch.setenv(vendor.address, vendor.url(server))
        return await deskhand.run("Write", model=vendor.model, opens=desk.open, out=tmp_path / "out", **more)

    return run


@VENDORS
async def test_it_clicks_and_types_where_the_model_points_and_is_told_the_effects(vendor: Vendor, run: Run) -> None:
    desk = Desk()
    saves = vendor.clicks(desk.at(desk.notes.save))
    writes = vendor.clicks(desk.at(desk.notes.text)), vendor.types("Dear Ada")
    with vendor.serving(vendor.acts(saves), vendor.acts(*writes), vendor.says("DONE: written")) as server:
        ending = await run(vendor, server, desk)
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "written")
    assert (desk.notes.log, desk.notes.text.value) == (["Save"], "Dear Ada")
    assert len(server.heard) == 3
    told = vendor.told(server.heard[-1].body)
    assert [
        each.partition(" ")[2] if each[0].isdigit() else each for each in told if "licked" in each or "yped" in each
    ] == [
        'Clicked button "Save". confirmed: checkbox "Counter" now has the value "1"',
        'Clicked textbox "Text". confirmed: textbox "Text" has the keyboard now',
        'Typed. confirmed: textbox "Text" now has the value "Dear Ada"',
    ]


@VENDORS
async def test_a_safety_check_is_a_question_to_the_person_and_acknowledged_after_the_approval(
    vendor: Vendor, run: Run
) -> None:
    desk, person = Desk(), Person(approves=True)
    saves = vendor.acts(vendor.clicks(desk.at(desk.notes.save)), checked=True)
    with vendor.serving(saves, vendor.says("DONE: saved")) as server:
        ending = await run(vendor, server, desk, interactor=person)
    assert (ending.outcome, desk.notes.log) == (Outcome.SUCCESS, ["Save"])
    assert [CHECK in reason for reason in person.asked] == [True]
    assert vendor.acknowledged(server.heard[-1].body)


@VENDORS
@pytest.mark.parametrize("asked", [True, False])
async def test_without_an_approval_nothing_of_a_checked_call_is_done(vendor: Vendor, run: Run, asked: bool) -> None:
    desk = Desk()
    saves = vendor.acts(vendor.clicks(desk.at(desk.notes.save)), checked=True)
    with vendor.serving(saves, vendor.says("DONE: saved")) as server:
        ending = await run(vendor, server, desk, interactor=Person(approves=False) if asked else None)
    assert (ending.outcome, desk.notes.log) == (Outcome.REJECTED if asked else Outcome.TIMEOUT, [])
    assert not any(vendor.acknowledged(heard.body) for heard in server.heard)


@VENDORS
async def test_after_a_failure_the_rest_of_the_turn_is_not_done_and_all_of_it_is_answered(
    vendor: Vendor, run: Run
) -> None:
    desk = Desk()
    outside, saves = vendor.clicks([639, 479]), vendor.clicks(desk.at(desk.notes.save))
    with vendor.serving(vendor.acts(outside, saves), vendor.says("FAIL: no such place")) as server:
        ending = await run(vendor, server, desk)
    assert (ending.outcome, desk.notes.log) == (Outcome.FAILED, [])
    told = "\n".join(vendor.told(server.heard[-1].body))
    assert "there is no window" in told
    assert "Not executed: an earlier computer action in this turn failed." in told


@VENDORS
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Fail(401, '{"error": {"message": "wrong key sk-very-secret"}}'), ModelDenied),
        (Fail(429, '{"error": {"message": "slow down"}}', {"retry-after": "7"}), ModelBusy),
        (Fail(500), ModelBroken),
        (Fail(400, '{"error": {"message": "your input exceeds the maximum context length"}}'), RequestTooLong),
        (Fail(400, '{"error": {"message": "no such tool"}}'), RequestRejected),
        (Fail(200, "hello"), ReplyDefect),
        (Fail(200, "[]"), ReplyDefect),
        (Fail(200, "{}"), ReplyDefect),
        (Hang(b'{"id": "1", "out'), ModelBroken),
        (Hang(), ModelSilent),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
async def test_every_fault_has_a_type_and_never_the_key(
    vendor: Vendor, answer: Answer, kind: type[ModelUnavailable | ReplyDefect]
) -> None:
    with vendor.serving(answer) as server:
        keys = {vendor.key: "sk-very-secret", vendor.address: vendor.url(server)}
        setup = ModelSetup(keys, timeout_s=0.4 if isinstance(answer, Hang) and not answer.first else 20.0)
        async with operator_model(vendor.model.removeprefix("operator:"), setup) as model:
            with anyio.fail_after(30), pytest.raises(kind) as raised:
                await model.take_turn(_CONVERSATION)
    assert type(raised.value) is kind
    assert "sk-very-secret" not in f"{raised.value} {raised.value.fix}"
    if isinstance(raised.value, ModelBusy):
        assert raised.value.retry_after_s == 7.0
    assert len(server.heard) == 1, "the package's own client retries nothing"


@pytest.mark.parametrize("name", ["openai", "google/", "openai/ ", "nobody/gpt"])
def test_a_name_without_a_known_vendor_and_a_model_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"operator:openai/NAME|operator:"):
        operator_model(name, ModelSetup({"OPENAI_API_KEY": "x", "GOOGLE_API_KEY": "y"}))


def test_a_missing_key_is_named() -> None:
    missing: Mapping[str, str] = {}
    for vendor in (OpenAI(), Google()):
        with pytest.raises(UsageError, match=vendor.key):
            operator_model(vendor.model.removeprefix("operator:"), ModelSetup(missing))


_CONVERSATION: Final = Conversation("Use it.", "Save.", Shown(b"png", Size(64, 48)), (), Size(64, 48), 100)
