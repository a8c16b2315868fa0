"""The schema of a request as servers of local models read it: what its grammar lets a model write, and what not."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, cast

import pytest
from pydantic import BaseModel

from deskhand.commands.catalogue import Catalogue
from deskhand.commands.tools import standard_catalogue
from deskhand.commands.tools.shell import Shell
from deskhand.core.replies import AppAgentResponse, HostAgentResponse
from deskhand.models.language import LanguageModel, ModelName
from deskhand.prompts import MessageConstructor
from models.language.asked import FINISH, KEY, request
from wire.held import Grammar, held, schema_of
from wire.server import Json, wire

NAMES: Final = (
    "openai:gpt-4o",
    "openai:our-own-model",
    "ollama:llama3.2",
    "ollama:qwen3",
    "ollama:gpt-oss",
    "ollama:any-other",
    "openrouter:openai/gpt-4o",
    "openrouter:anthropic/claude-sonnet-5",
    "openrouter:google/gemini-2.5-flash",
    "anthropic:claude-sonnet-5",
)
KINDS: Final[Mapping[str, type[BaseModel]]] = {"app": AppAgentResponse, "host": HostAgentResponse}
EXPECTED: Final[Json] = {
    "effect": "confirmed",
    "rows": ">=2",
    "file": "/tmp/a.ods",
    "gone": {"role": "dialog", "name": "/Sort.*/", "within": {"role": "window", "nth": 1}, "nth": "last"},
    "shows": {"role": "menuitem", "name": "Chart…", "within": ["Insert", "Object"]},
}
TEXT: Final = 'Größe "x"\n\t{a: 1}'


async def sent(name: str, kind: str = "app") -> Grammar:
    """The grammar of an agent's request as it arrives at a server."""
    with wire(FINISH) as server:
        keys = {"OPENAI_API_KEY": KEY, "OPENROUTER_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.anthropic}
        keys |= dict.fromkeys(("OPENAI_BASE_URL", "OLLAMA_BASE_URL", "OPENROUTER_BASE_URL"), server.openai)
        async with LanguageModel(ModelName.parse(name), keys) as model:
            schema = MessageConstructor(kind, KINDS[kind]).reply_schema
            await model.respond(replace(request(), reply_schema=schema))
    (heard,) = server.heard
    arrived = schema_of(heard.body)
    assert arrived is not None, "it is asked with a schema"
    assert '"strict": true' not in json.dumps(heard.body), "what is strict has no free objects"
    return Grammar(arrived)


def values_of(part: Json, defined: Json) -> Iterator[object]:
    """Values that a tool's schema takes, one for each of its forms; none for a type inside itself."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        if name in defined:
            yield from values_of(defined[name], {other: form for other, form in defined.items() if other != name})
    elif "enum" in part:
        yield from part["enum"]
    elif "anyOf" in part:
        yield from (value for choice in part["anyOf"] for value in values_of(choice, defined))
    elif "prefixItems" in part:
        yield [next(values_of(item, defined)) for item in part["prefixItems"]]
    elif part["type"] == "array":
        yield list(values_of(part["items"], defined))
    elif part["type"] == "object":
        yield {name: next(values_of(inner, defined)) for name, inner in part.get("properties", {}).items()}
    else:
        simple = {"string": TEXT, "boolean": True, "integer": 3, "number": 0.5, "null": None}
        yield simple[part["type"]]


def calls_of(catalogue: Catalogue) -> Iterator[tuple[str, Json]]:
    """Every tool with values for all its arguments, in all their forms."""
    for tool in catalogue:
        parameters = cast("Json", tool.spec.parameters)
        defined = parameters.get("$defs", {})
        forms = {name: list(values_of(part, defined)) for name, part in parameters.get("properties", {}).items()}
        for number in range(max(map(len, forms.values()), default=1)):
            yield tool.spec.name, {name: values[min(number, len(values) - 1)] for name, values in forms.items()}


def replies(tmp_path: Path) -> Iterator[Json]:
    """A reply that calls each tool with all it takes, and those with data that was saved."""
    catalogue = Catalogue([*standard_catalogue(), *Shell(tmp_path, None).tools])
    calls = list(calls_of(catalogue))
    assert {name for name, _ in calls} == {tool.spec.name for tool in catalogue}
    saved: Json = {"start": "B2", "rows": {"from": "sales.cells"}}
    table: Json = {"start": "A1", "rows": [["a", 1, 2.5, None], [{"from": "sales.cells.0.1"}]]}
    for name, args in (*calls, ("write_table", saved), ("write_table", table)):
        label = str(args.get("id", ""))
        given = {key: value for key, value in args.items() if key not in {"id", "name"}}
        action: Json = {"function": name, "args": given, "control_label": label, "control_text": TEXT}
        yield {**action, "save_as": "sales", "expect": EXPECTED, "status": "CONTINUE"}


@pytest.mark.requires("model.held")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
async def test_a_model_that_is_held_to_the_schema_can_call_every_tool(name: str, kind: str, tmp_path: Path) -> None:
    grammar = await sent(name, kind)
    for reply in replies(tmp_path):
        assert grammar.nearest(reply) == reply, f"{name} cannot write all of {reply['function']}"
        KINDS[kind].model_validate(reply)
        if kind == "app":
            several = [{key: part for key, part in reply.items() if key != "status"}, {"function": "summary"}]
            assert grammar.nearest({"status": "CONTINUE", "actions": several})["actions"] == several


@pytest.mark.requires("model.held")
@pytest.mark.parametrize("name", NAMES)
async def test_what_is_no_reply_cannot_be_written(name: str) -> None:
    grammar = await sent(name)
    for wrong in (
        '{"status": "CONTINUE", "confidence": 1}',
        '{"function": "wait"}',
        '{"expect": {"text": "Total"}, "status": "CONTINUE"}',
        '{"function": ["wait"], "status": "CONTINUE"}',
        "Done.",
    ):
        assert grammar.refused_at(wrong) is not None, wrong


@pytest.mark.requires("model.held")
async def test_arguments_of_any_depth_come_through_a_server_that_holds_replies_to_the_schema() -> None:
    reply: Json = {"status": "CONTINUE", "function": "write_table", "args": {"rows": [[1, None], ["x"]]}}
    with wire(script=held([reply])) as server:
        keys = {"OPENAI_BASE_URL": server.openai}
        async with LanguageModel(ModelName.parse("openai:local"), keys) as model:
            assert (await model.respond(request())).content == reply
