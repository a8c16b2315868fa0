"""The OperatorAgent assigned by a host, with another form of the tool, and with safety checks of a vendor."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

import deskhand
from deskhand import ModelSetup
from deskhand.config.sections import Configuration, ModelsSection, SystemSection
from deskhand.core.events import ConfirmationAsked
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.outcomes import Outcome
from deskhand.operator import OperatorAgent, OperatorModel
from deskhand.operator.actions import Conversation, SafetyCheck, Turn
from deskhand.operator.anthropic import AnthropicToolset
from deskhand.store.journal import read_events
from operator_support import MODEL, Desk, Json, Say, done, results, said, turn, use, vendor
from stage import Person

pytestmark = [pytest.mark.anyio, pytest.mark.requires("operator.formats")]


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Models are asked over the wire, which takes time that passes."""
    return "asyncio"


@pytest.mark.requires("operator.assigned")
async def test_a_host_assigns_it_as_any_agent_and_gets_its_result(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    desk = Desk()
    assigns = {"status": "ASSIGN", "current_subtask": "Save it", "control_label": "1", "message": ["Once."]}
    finishes = {"status": "FINISH", "result": "all saved"}

    def host(body: Json) -> Say:
        return Say(json.dumps(finishes if "pressed it" in json.dumps(body) else assigns))

    replies = host, turn(use("left_click", coordinate=desk.at(desk.notes.save))), done("pressed it"), host
    with vendor(monkeypatch, *replies) as server:
        models = ModelsSection(host="anthropic:thinker", app=MODEL)
        ending = await deskhand.run(
            "Keep my notes", opens=desk.open, out=tmp_path / "out", configuration=Configuration(models=models)
        )
    assert (ending.outcome, ending.reason, desk.notes.log) == (Outcome.SUCCESS, "all saved", ["Save"])
    task = server.heard[1].body["messages"][0]["content"][0]["text"]
    assert task.splitlines()[:3] == [
        "Task: Save it",
        "It is a part of this request: Keep my notes",
        "Note: Once.",
    ]
    assert [heard.body["model"] for heard in server.heard] == [
        "thinker",
        "claude-opus-5-5",
        "claude-opus-5-5",
        "thinker",
    ]


async def test_an_older_model_gets_the_single_tool_with_its_size_and_the_beta(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    desk = Desk()
    x, y = desk.at(desk.notes.save)
    calls = [
        {"type": "tool_use", "id": f"t{number}", "name": "computer", "input": given}
        for number, given in enumerate(
            (
                {"action": "left_click", "coordinate": [x, y]},
                {"action": "zoom", "region": [0, 0, 100, 100]},
                {"action": "fly"},
            )
        )
    ]
    with vendor(monkeypatch, turn(*calls), done(), done()) as server:
        model = "operator:anthropic/claude-opus-4-6"
        ending = await deskhand.run("Write", model=model, opens=desk.open, out=tmp_path / "out")
    assert (ending.outcome, desk.notes.log) == (Outcome.SUCCESS, ["Save"])
    first, second = server.heard[:2]
    assert first.body["tools"] == [
        {
            "type": "computer_20251124",
            "name": "computer",
            "display_width_px": 640,
            "display_height_px": 480,
            "enable_zoom": True,
        }
    ]
    assert first.headers["anthropic-beta"] == "computer-use-2025-11-24"
    assert ["toolset_name" in result for result in results(second.body)] == [False] * 3
    assert "the computer has no action 'fly'" in said(results(second.body)[2])


CHECK = SafetyCheck("the page gives instructions", "sc_1", "malicious_instructions")


class Checked(AnthropicToolset):
    """Anthropic's format, with a safety check on every call, as other vendors have them."""

    def request(self, conversation: Conversation) -> JsonObject:
        given = [answer.acknowledged for exchange in conversation.exchanges for answer in exchange.answers]
        return {"acknowledged": [[check.id for check in checks] for checks in given]}

    def reply(self, body: Mapping[str, JsonValue]) -> Turn:
        made = super().reply(body)
        return replace(made, calls=tuple(replace(call, checks=(CHECK,)) for call in made.calls))


@dataclass
class Scripted:
    """A transport that answers from a script."""

    answers: list[str]
    sent: list[JsonObject] = field(default_factory=list[JsonObject])

    async def send(self, body: JsonObject) -> Mapping[str, JsonValue]:
        self.sent.append(body)
        return json.loads(self.answers.pop(0))

    async def close(self) -> None:
        pass


@pytest.mark.requires("operator.checks")
@pytest.mark.parametrize("safe_guard", [True, False], ids=["with the safe guard", "without it"])
@pytest.mark.parametrize(
    ("person", "outcome", "log"),
    [
        (Person(decides=[True]), Outcome.SUCCESS, ["Save"]),
        (Person(decides=[False]), Outcome.REJECTED, []),
        (Person(reachable=False), Outcome.TIMEOUT, []),
    ],
    ids=["approved", "rejected", "nobody"],
)
async def test_a_safety_check_is_acknowledged_by_a_person_alone(
    tmp_path: Path, person: Person, outcome: Outcome, log: list[str], safe_guard: bool
) -> None:
    person = replace(person, shown=[])
    desk = Desk()
    answers = [turn(use("left_click", coordinate=desk.at(desk.notes.save))).body, done().body]
    transport = Scripted(answers)
    model = OperatorModel("anthropic", Checked("m"), transport, OperatorAgent, ModelSetup())
    settings = Configuration(system=SystemSection(safe_guard=safe_guard))
    out = tmp_path / "out"
    ending = await deskhand.run(
        "Write", model=model, opens=desk.open, out=out, interactor=person, configuration=settings
    )
    assert (ending.outcome, desk.notes.log) == (outcome, log)
    assert [body["acknowledged"] for body in transport.sent] == [[], [["sc_1"]]][: 2 if log else 1]
    (asked,) = [event for event in read_events(out) if isinstance(event, ConfirmationAsked)]
    if person.reaches_person:
        (shown,) = person.shown
        assert "the page gives instructions" in shown.facts[0].reason
    assert "Save" in str(asked.facts)
    if not log:
        assert "click_on_coordinates" in ending.reason or "Save" in ending.reason


@pytest.mark.requires("operator.assigned")
def test_no_sdk_is_imported_before_a_vendor_is_asked() -> None:
    program = (
        "import sys, deskhand, deskhand.operator\n"
        "from deskhand import ModelSetup\n"
        "deskhand.operator.operator_model('anthropic/m', ModelSetup({'ANTHROPIC_API_KEY': 'k'}))\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(sorted(loaded & {'anthropic', 'openai', 'google', 'pydantic_ai'}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "[]\n"
