"""`@deskhand.tool`: a plain function becomes a tool, with its types as the schema, under the same rules as others."""

import threading
from typing import Annotated, Literal

import pytest
from pydantic import Field

import deskhand
from deskhand import ActionFailed, Call, ToolContext, ToolOutcome
from deskhand.commands import Tool
from deskhand.core.command import Effect, EffectClass, ToolType
from deskhand.core.errors import ReplyDefect, UsageError
from deskhand.core.json import JsonValue
from deskhand.desktop.fake import FakeDesktop
from deskhand.scripting import Desktop, on_open_desktop
from stage import Person

pytestmark = pytest.mark.requires("python.tools")


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
    with pytest.raises(ReplyDefect, match="currency"):
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
    with pytest.raises(UsageError, match="already"):
        desktop(rate, rate)
