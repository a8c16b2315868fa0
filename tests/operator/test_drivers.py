"""The loops of the vendors' own SDKs act on a desktop through our rules; it is one in memory, the servers are here."""

import importlib
import json
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.types.beta.parsed_beta_message import ParsedBetaMessage
from anyio.from_thread import start_blocking_portal
from openai import AsyncOpenAI, OpenAI
from openai.lib.computer import AsyncComputerToolset, ComputerToolset, ComputerUseError

import deskhand.sync
from deskhand import Desktop
from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.errors import ActionRefused, MissingRequirement
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.operator.actions import Click, Spot
from deskhand.operator.anthropic_driver import AnthropicComputer, BlockingAnthropicComputer
from deskhand.operator.computer import Computer
from deskhand.operator.openai import OpenAICodec
from deskhand.operator.openai_driver import BlockingOpenAIComputer, OpenAIComputer
from deskhand.scripting import on_open_desktop
from operator_support import said, turn, use
from wire import openai_loop
from wire.server import Answer, Fail, Wire, wire

pytestmark = pytest.mark.requires("operator.drivers")

Json = dict[str, Any]
OPUS = "claude-opus-5-5"
ASKED: list[Any] = [{"role": "user", "content": "Write the letter."}]


@pytest.mark.parametrize(
    ("driver", "needed", "extra"),
    [
        ("anthropic_driver", "anthropic.tools", "operator-anthropic"),
        ("openai_driver", "openai.lib.computer", "operator-openai"),
    ],
)
def test_a_driver_whose_sdk_is_not_installed_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, driver: str, needed: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, needed, None)
    monkeypatch.delitem(sys.modules, f"deskhand.operator.{driver}")
    with pytest.raises(MissingRequirement) as raised:
        importlib.import_module(f"deskhand.operator.{driver}")
    assert raised.value.fix == f"pip install 'deskhand[{extra}]'"


class Letter:
    """A window with a field, a button that saves, and one that the rules want approved."""

    def __init__(self) -> None:
        self.saved: list[str] = []
        self.text = FakeControl(Role.TEXTBOX, "Text", states={"editable"})
        self.status = FakeControl(Role.STATUS, "State", "not saved")
        self.save = FakeControl(Role.BUTTON, "Save", on_click=self._save)
        self.pay = FakeControl(Role.BUTTON, "Pay now", on_click=lambda: self.saved.append("paid"))
        self.memory = FakeDesktop()
        self.memory.open(FakeWindow("Letter", [self.text, self.save, self.pay, self.status], "letters"))
        quick = Configuration(system=SystemSection(effect_hold_s=0.05))
        self.desktop: Desktop = on_open_desktop(self.memory, timeout_s=0.2, configuration=quick)

    def _save(self) -> None:
        self.saved.append(self.text.value)
        self.status.value = "saved"

    def at(self, control: FakeControl) -> list[int]:
        """The middle of a control, in pixels of the screen, which is small enough to be sent as it is."""
        middle = self.memory.target(control).rect.center
        return [middle.x, middle.y]


@asynccontextmanager
async def claude(*answers: Answer) -> AsyncGenerator[tuple[AsyncAnthropic, Wire]]:
    with wire(*answers) as server:
        async with AsyncAnthropic(api_key="none", base_url=server.anthropic, max_retries=0) as client:
            yield client, server


@asynccontextmanager
async def gpt(*bodies: Json) -> AsyncGenerator[tuple[AsyncOpenAI, Wire]]:
    with wire(*map(_answer, bodies)) as server:
        async with AsyncOpenAI(api_key="none", base_url=server.openai, max_retries=0) as client:
            yield client, server


def _answer(body: Json) -> Answer:
    return Fail(200, json.dumps(body))


async def _run(client: AsyncAnthropic, desktop: Desktop) -> ParsedBetaMessage[None]:
    toolset = AnthropicComputer(desktop, OPUS)
    runner = client.beta.messages.tool_runner(model=OPUS, max_tokens=500, messages=ASKED, tools=[toolset])
    return await runner.until_done()


def _anthropic_task(letter: Letter) -> list[Answer]:
    return [
        turn(use("screenshot")),
        turn(
            use("left_click", coordinate=letter.at(letter.text)),
            use("type", text="Dear Ada"),
            use("cursor_position"),
            use("zoom", region=[0, 0, 100, 80]),
            use("left_click", coordinate=letter.at(letter.save)),
            text="I write it.",
        ),
        turn(text="It is saved."),
    ]


def _results(server: Wire) -> list[Json]:
    """The results of the last turn that a server of Anthropic was sent."""
    return server.heard[-1].body["messages"][-1]["content"]


async def test_anthropics_loop_acts_through_the_rules_and_is_told_the_effects() -> None:
    letter = Letter()
    async with claude(*_anthropic_task(letter)) as (client, server):
        last = await _run(client, letter.desktop)
    assert letter.saved == ["Dear Ada"]
    assert [block.type for block in last.content] == ["text"]
    assert server.heard[0].body["tools"] == [{"type": "computer_toolset_20260801"}]
    (shown,) = server.heard[1].body["messages"][-1]["content"]
    assert shown["content"][0]["source"]["media_type"] == "image/png"
    clicked, typed, cursor, zoomed, saved = _results(server)
    assert 'Clicked textbox "Text". unverifiable' in said(clicked), "it has the keyboard already"
    assert "Typed. confirmed" in said(typed)
    assert said(cursor) == "X={},Y={}".format(*letter.at(letter.text))
    assert [part["type"] for part in zoomed["content"]] == ["image"]
    assert 'Clicked button "Save". confirmed' in said(saved)
    assert not any(each.get("is_error") for each in _results(server))


async def test_what_the_rules_want_approved_is_an_error_of_the_loop_and_the_rest_of_the_turn_is_not_done() -> None:
    letter = Letter()
    uses = [use("left_click", coordinate=letter.at(each)) for each in (letter.pay, letter.save)]
    async with claude(turn(*uses), turn(text="I stop.")) as (client, server):
        await _run(client, letter.desktop)
    refused, skipped = _results(server)
    assert letter.saved == []
    assert (refused["is_error"], skipped["is_error"]) == (True, True)
    assert "not approved" in said(refused)
    assert skipped["content"] == "Not executed: an earlier computer action in this turn failed."


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("left_click", {"coordinate": [639, 479]}, "there is no window"),
        ("left_click", {"coordinate": [640, 10]}, "outside of the screen"),
        ("key", {"text": "Hyper_Q"}, "no key"),
    ],
)
async def test_what_cannot_be_done_is_an_error_with_its_reason(name: str, given: Json, told: str) -> None:
    async with claude(turn(use(name, **given)), turn(text="Oh.")) as (client, server):
        await _run(client, Letter().desktop)
    (result,) = _results(server)
    assert result["is_error"]
    assert told in said(result)


async def test_a_window_that_came_since_the_last_picture_is_not_clicked() -> None:
    letter = Letter()
    computer = Computer(letter.desktop, OpenAICodec(""))
    place = Spot(*letter.at(letter.save))
    await computer.screenshot()
    letter.memory.open(FakeWindow("Offer", [FakeControl(Role.BUTTON, "Accept")], "offers"))
    outcome = await computer.carry_out(Click(place))
    assert outcome.failed
    assert '"Offer" now' in outcome.text
    await computer.screenshot()
    assert not (await computer.carry_out(Click(place))).failed


def _openai_task(letter: Letter) -> list[Json]:
    (x, y), (to_x, to_y) = letter.at(letter.text), letter.at(letter.save)
    call = openai_loop.call
    return [
        openai_loop.response(call({"type": "screenshot"}, call_id="call_0")),
        openai_loop.response(
            openai_loop.reasoning(),
            call(
                {"type": "click", "button": "left", "x": x, "y": y},
                {"type": "type", "text": "Dear Ada"},
                {"type": "wait"},
                {"type": "click", "button": "left", "x": to_x, "y": to_y},
                call_id="call_1",
            ),
        ),
        openai_loop.response(openai_loop.message("It is saved.")),
    ]


async def test_openais_loop_acts_through_the_rules() -> None:
    letter = Letter()
    async with gpt(*_openai_task(letter)) as (client, server):
        toolset = AsyncComputerToolset(OpenAIComputer(letter.desktop))
        last = await toolset.run(client, {"model": "gpt-6.2", "input": "Write the letter."})
    assert (letter.saved, last.output_text) == (["Dear Ada"], "It is saved.")
    outputs = [item for item in server.heard[-1].body["input"] if item.get("type") == "computer_call_output"]
    assert [item["output"]["image_url"][:22] for item in outputs] == ["data:image/png;base64,"] * 2


async def test_an_action_that_is_refused_ends_openais_loop() -> None:
    letter = Letter()
    x, y = letter.at(letter.pay)
    pays = openai_loop.call({"type": "click", "button": "left", "x": x, "y": y})
    async with gpt(openai_loop.response(pays)) as (client, server):
        toolset = AsyncComputerToolset(OpenAIComputer(letter.desktop))
        with pytest.raises(ActionRefused, match="not approved"):
            await toolset.run(client, {"model": "gpt-6.2", "input": "Pay."})
    assert (letter.saved, len(server.heard)) == ([], 1)


async def test_a_safety_check_ends_openais_loop_before_anything_is_done() -> None:
    letter = Letter()
    x, y = letter.at(letter.save)
    saves = {"type": "click", "button": "left", "x": x, "y": y}
    checked = openai_loop.call(saves, pending_safety_checks=[{"id": "sc_1"}])
    async with gpt(openai_loop.response(checked)) as (client, _):
        toolset = AsyncComputerToolset(OpenAIComputer(letter.desktop))
        with pytest.raises(ComputerUseError, match="safety"):
            await toolset.run(client, {"model": "gpt-6.2", "input": "Save."})
    assert letter.saved == []


@pytest.mark.parametrize("run", ["anthropic", "openai"])
def test_the_loops_without_await_act_on_the_desktop_without_await(run: str) -> None:
    with start_blocking_portal() as portal:
        letter = portal.call(_made)
        desktop = deskhand.sync.Desktop(portal, letter.desktop)
        _BLOCKING[run](letter, desktop)
    assert letter.saved == ["Dear Ada"]


async def _made() -> Letter:
    return Letter()


def _run_anthropic(letter: Letter, desktop: deskhand.sync.Desktop) -> None:
    with (
        wire(*_anthropic_task(letter)) as server,
        Anthropic(api_key="none", base_url=server.anthropic, max_retries=0) as client,
    ):
        toolset = BlockingAnthropicComputer(desktop, OPUS)
        client.beta.messages.tool_runner(model=OPUS, max_tokens=500, messages=ASKED, tools=[toolset]).until_done()


def _run_openai(letter: Letter, desktop: deskhand.sync.Desktop) -> None:
    with (
        wire(*map(_answer, _openai_task(letter))) as server,
        OpenAI(api_key="none", base_url=server.openai, max_retries=0) as client,
    ):
        toolset = ComputerToolset(BlockingOpenAIComputer(desktop))
        toolset.run(client, {"model": "gpt-6.2", "input": "Write the letter."})


_BLOCKING: dict[str, Callable[[Letter, deskhand.sync.Desktop], None]] = {
    "anthropic": _run_anthropic,
    "openai": _run_openai,
}
