"""`@deskhand.tool`: a plain function becomes a tool, with its types as the schema, under the same rules as others."""

import subprocess
import sys
import threading
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, cast

import pytest
from pydantic import Field

import deskhand
from deskhand import ActionFailed, Call, ToolContext, ToolOutcome
from deskhand.commands import Tool
from deskhand.core.command import Effect, EffectClass, ToolType
from deskhand.core.errors import UsageError
from deskhand.core.json import JsonValue
from deskhand.desktop.fake import FakeDesktop
from deskhand.scripting import Desktop, on_open_desktop
from stage import Person

pytestmark = pytest.mark.requires("python.tools")

HANGING = """\
import asyncio, threading
import deskhand
from deskhand.desktop.fake import FakeDesktop
from deskhand.scripting import on_open_desktop

@deskhand.tool(deadline_s=0.1)
def hang() -> None:
    'Never returns.'
    threading.Event().wait()

async def main() -> None:
    result = await on_open_desktop(FakeDesktop(), tools=[hang]).act("hang", check=False)
    print(result.error.message)

asyncio.run(main())
"""


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Threads take time that passes."""
    return "asyncio"


@deskhand.tool
async def rate(currency: Annotated[str, Field(description="three letters")], digits: int = 2) -> float:
    """Returns the rate of a currency
    against the euro."""
    return round(1.2345, digits) if currency == "USD" else 1.0


def desktop(*tools: Tool, person: Person | None = None) -> Desktop:
    return on_open_desktop(FakeDesktop(), tools=tools, interactor=person)


async def test_name_docstring_and_types_are_the_entry_of_the_catalogue() -> None:
    spec = rate.spec
    assert (spec.name, spec.description) == ("rate", "Returns the rate of a currency against the euro.")
    assert (spec.tool_type, spec.effect_class, spec.audience) == (ToolType.DATA_COLLECTION, EffectClass.NONE, {"app"})
    properties = spec.parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["currency", "digits"]
    assert spec.parameters["required"] == ["currency"]
    result = await desktop(rate).act("rate", currency="USD", digits=1)
    assert (result.ok, result.result) == (True, 1.2)
    with pytest.raises(UsageError, match="currency"):
        await desktop(rate).act("rate")


async def test_a_function_that_blocks_runs_in_a_thread() -> None:
    @deskhand.tool
    def where() -> str:
        """Returns the thread."""
        return threading.current_thread().name

    result = await desktop(where).act("where")
    assert result.result != threading.current_thread().name


async def test_desktop_and_call_are_given_by_their_types() -> None:
    @deskhand.tool
    async def titles(tools: ToolContext, call: Call) -> list[JsonValue]:
        """Returns the titles of the windows, and its own name."""
        return [*(window.name for window in await tools.desktop.windows()), call.command.tool_name]

    assert titles.spec.parameters["properties"] == {}
    assert (await desktop(titles).act("titles")).result == ["titles"]


async def test_a_change_that_nobody_proved_is_unverifiable_and_one_that_the_tool_proved_is_confirmed() -> None:
    @deskhand.tool(effect_class="edit")
    async def note(text: str) -> str:
        """Notes a text."""
        return text

    @deskhand.tool(effect_class="edit", agents=("app", "host"), applications=("gedit",))
    async def note_twice(text: Literal["a", "b"]) -> ToolOutcome:
        """Notes a text and reads it back."""
        return ToolOutcome({"text": text}, Effect.CONFIRMED, evidence=f"the file reads {text}")

    result = await desktop(note).act("note", check=False, text="a")
    assert (result.effect, result.ok, result.result) == (Effect.UNVERIFIABLE, False, "a")
    with pytest.raises(ActionFailed):
        await desktop(note).act("note", text="a")
    proved = await desktop(note_twice).act("note_twice", text="a")
    assert (proved.effect, proved.evidence) == (Effect.CONFIRMED, "the file reads a")
    assert (note_twice.spec.audience, note_twice.spec.applications) == ({"app", "host"}, {"gedit"})


async def test_rules_judge_it_by_its_effect_class() -> None:
    sent: list[str] = []

    @deskhand.tool(effect_class="send")
    async def mail(to: str) -> None:
        """Sends a mail."""
        sent.append(to)

    refused = await desktop(mail).act("mail", check=False, to="Ada")
    assert (refused.effect, refused.error and refused.error.type, sent) == (Effect.REFUSED, "NotAllowed", [])
    await desktop(mail, person=Person(decides=[True])).act("mail", check=False, to="Ada")
    assert sent == ["Ada"]


async def test_an_error_of_the_function_is_a_failure_that_names_it() -> None:
    @deskhand.tool
    def broken() -> None:
        """Fails."""
        raise KeyError("no such rate")

    result = await desktop(broken).act("broken", check=False)
    assert not result.ok
    assert result.error is not None
    assert "no such rate" in result.error.message


async def test_what_a_function_returns_is_not_lost() -> None:
    @dataclass
    class Place:
        city: str
        since: date

    @deskhand.tool
    def places() -> list[object]:
        """Returns places."""
        return [Place("Ulm", date(2026, 1, 2)), {"sum": Decimal("1.50")}, {1}, Path("/a")]

    result = await desktop(places).act("places")
    assert result.result == [{"city": "Ulm", "since": "2026-01-02"}, {"sum": "1.50"}, [1], "/a"]

    @deskhand.tool
    def odd() -> object:
        """Returns what is no JSON."""
        return object()

    result = await desktop(odd).act("odd", check=False)
    assert result.error is not None
    assert "object" in result.error.message


async def test_a_function_that_exits_fails_alone_and_an_outcome_without_effect_proves_nothing() -> None:
    @deskhand.tool
    def leave() -> None:
        """Ends the program."""
        sys.exit(3)

    @deskhand.tool(effect_class="edit")
    def change() -> ToolOutcome:
        """Changes something."""
        return ToolOutcome("done")

    both = desktop(leave, change)
    failed = await both.act("leave", check=False)
    assert failed.error is not None
    assert "SystemExit" in failed.error.message
    assert (await both.act("change", check=False)).effect is Effect.UNVERIFIABLE


def test_a_function_that_never_returns_does_not_keep_the_program_from_ending(tmp_path: Path) -> None:
    program = tmp_path / "hanging.py"
    program.write_text(HANGING)
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, "hang did not finish within 0.1 s\n"), done.stderr


def test_what_a_model_could_not_use_is_refused_where_it_is_written() -> None:
    def silent(text: str) -> str:
        return text

    def untyped(text: str) -> str:
        """Returns a text."""
        return text

    del untyped.__annotations__["text"]

    def many(*texts: str) -> str:
        """Returns texts."""
        return "".join(texts)

    for function, problem in ((silent, "docstring"), (untyped, "parameter text"), (many, "parameter \\*texts")):
        with pytest.raises(UsageError, match=problem):
            deskhand.tool(function)
    with pytest.raises(UsageError, match="effect class 'post'"):
        deskhand.tool(effect_class="post")(many)
    with pytest.raises(UsageError, match="several names"):
        deskhand.tool(agents="app")
    with pytest.raises(UsageError, match="deadline"):
        deskhand.tool(deadline_s=0)
    with pytest.raises(UsageError, match="is no tool"):
        desktop(cast("Tool", silent))

    def settings(model_config: str) -> None:
        """Takes a name that pydantic reserves."""

    def size(text: str) -> None:
        """Has a name that providers refuse."""

    size.__name__ = "größe"

    def unknown(text: str) -> None:
        """Has a type that is not there."""

    unknown.__annotations__["text"] = "Nowhere"
    for function, problem in ((settings, "parameters"), (size, "größe"), (unknown, "Nowhere")):
        with pytest.raises(UsageError, match=problem):
            deskhand.tool(function)
    with pytest.raises(UsageError, match="already"):
        desktop(rate, rate)
