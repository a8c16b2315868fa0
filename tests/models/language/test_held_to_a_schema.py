"""The schema of a request as it arrives at a server: a reply that its grammar lets a model write, and one that not."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

import pytest

from deskhand.commands.catalogue import Catalogue
from deskhand.commands.tools import standard_catalogue
from deskhand.commands.tools.shell import Shell
from deskhand.core.command import EffectClass, ToolSpec, ToolType
from deskhand.core.json import JsonValue
from deskhand.core.replies import AgentReply, AppAgentResponse, HostAgentResponse
from deskhand.core.schema import objects_in
from deskhand.core.text import tokens
from deskhand.models.language import LanguageModel, ModelName
from deskhand.pipeline.parsing import taken
from deskhand.prompts import MessageConstructor
from models.language.asked import FINISH, KEY, request
from support import FULL
from wire.held import Grammar, held, schema_of
from wire.server import Answer, Fail, Json, wire

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
    "google:gemini-2.5-flash",
    "bedrock:us.anthropic.claude-sonnet-4-20250514-v1:0",
    "bedrock:us.amazon.nova-pro-v1:0",
)
FORMS: Final = (
    NAMES if FULL else ("openai:gpt-4o", "ollama:llama3.2", "anthropic:claude-sonnet-5", "google:gemini-2.5-flash")
)
"""One of each form of a request."""
KINDS: Final[Mapping[str, type[AgentReply]]] = {
    "app": AppAgentResponse,
    "host": HostAgentResponse,
    "shell": AgentReply,
}
STATUSES: Final = ("CONFIRM", "CONTINUE", "FAIL", "FINISH", "PENDING", "SCREENSHOT")
MOST_TOKENS: Final = 4300
"""Of a schema with every tool: a prompt has those of what was on the screen, `LISTED_TOKENS` for a plain window."""
LISTED_TOKENS: Final = 2200
EXPECTED: Final[Json] = {
    "effect": "confirmed",
    "rows": ">=2",
    "file": "/tmp/a.ods",
    "gone": {"role": "dialog", "name": "/Sort.*/", "within": ["Options"], "nth": "last"},
    "shows": {"role": "menuitem", "name": "Chart…", "within": ["Insert", "Object"], "nth": 2},
}
TEXT: Final = 'Größe "x"\n\t{a: 1}'
SAVED: Final[Json] = {"from": "sales.cells"}
NO_REPLIES: Final = (
    '{"status": "CONTINUE", "confidence": 1}',
    '{"status": "ASSIGN"}',
    '{"status": "FINISH", "action": {"function": "wait", "args": {"seconds": 1}}}',
    '{"action": {"function": "wait", "args": {"seconds": 1}}}',
    '{"action": {"function": "wait"}, "status": "CONTINUE"}',
    '{"action": {"function": "dance"}, "status": "CONTINUE"}',
    '{"action": {"function": "invoke"}, "status": "CONTINUE"}',
    '{"action": {"function": "click_input", "control_label": "1", "args": {"button": "red"}}, "status": "FAIL"}',
    '{"expect": {"text": "Total"}, "status": "CONTINUE"}',
    '{"function": "wait", "status": "CONTINUE"}',
    "Done.",
)
FOREIGN: Final[Json] = {
    "type": "object",
    "$defs": {"Where": {"type": "object", "properties": {"city": {"type": "string", "title": "City"}}}},
    "properties": {
        "where": {"$ref": "#/$defs/Where"},
        "kind": {"const": "post"},
        "extra": {"type": "object"},
        "tags": {"type": "array"},
    },
    "required": ["where"],
}
"""Parameters as servers of other tools give them."""


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return Catalogue([*standard_catalogue(), *Shell(tmp_path, None).tools])


def schema(kind: str, catalogue: Catalogue, *more: ToolSpec, several: bool = False) -> Json:
    constructor = MessageConstructor(kind, KINDS[kind], several=several)
    return cast("Json", constructor.reply_schema([*in_prompts(catalogue, kind).values(), *more], STATUSES))


def test_the_schema_of_a_plain_window_has_the_tools_of_its_prompt_alone(catalogue: Catalogue) -> None:
    constructor = MessageConstructor("app", AppAgentResponse)
    asked = replace(request(), tools=tuple(catalogue.specs("app").values()))
    listed = constructor.listed(asked)
    assert {"invoke", "click_input"} < {tool.name for tool in listed}
    assert not {"write_table", "choose_file", "click_on_coordinates"} & {tool.name for tool in listed}
    assert tokens(json.dumps(constructor.reply_schema(listed, STATUSES))) <= LISTED_TOKENS


async def arrived(name: str, *sent: Json) -> list[Json]:
    """The schemas of requests as they arrive at a server."""
    with wire(FINISH) as server:
        keys = {"OPENAI_API_KEY": KEY, "OPENROUTER_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.anthropic}
        keys |= dict.fromkeys(("OPENAI_BASE_URL", "OLLAMA_BASE_URL", "OPENROUTER_BASE_URL"), server.openai)
        keys |= {"GOOGLE_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": server.root, "AWS_ENDPOINT_URL": server.root}
        keys |= {"AWS_DEFAULT_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": KEY}
        async with LanguageModel(ModelName.parse(name), keys) as model:
            for each in sent:
                await model.respond(replace(request(), reply_schema=each))
    found = [schema for heard in server.heard if (schema := schema_of(heard.body)) is not None]
    assert len(found) == len(sent), "it is asked with a schema"
    return found


def values_of(part: Json, defined: Json) -> Iterator[object]:
    """Values that a tool's schema takes, one for each of its forms but null; none for a type inside itself."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        if name in defined:
            yield from values_of(defined[name], {other: form for other, form in defined.items() if other != name})
    elif "enum" in part:
        yield from (value for value in part["enum"] if value)
    elif "anyOf" in part:
        yield from (value for choice in part["anyOf"] for value in values_of(choice, defined))
    elif "prefixItems" in part:
        yield [next(values_of(item, defined)) for item in part["prefixItems"]]
    elif part["type"] == "array":
        yield list(values_of(part["items"], defined))
    elif part["type"] == "object":
        yield {name: next(values_of(inner, defined)) for name, inner in part.get("properties", {}).items()}
    elif part["type"] != "null":
        simple = {"string": TEXT, "boolean": True, "integer": 3, "number": 0.5}
        yield simple[part["type"]]


def calls_of(specs: Mapping[str, ToolSpec]) -> Iterator[Json]:
    """Calls of each tool with all its arguments, in all their forms."""
    for name, spec in specs.items():
        parameters = cast("Json", spec.parameters)
        defined = parameters.get("$defs", {})
        forms = {given: list(values_of(part, defined)) for given, part in parameters.get("properties", {}).items()}
        for number in range(max(map(len, forms.values()), default=1)):
            args = {given: values[min(number, len(values) - 1)] for given, values in forms.items()}
            target = {"control_label": "12", "control_text": TEXT} if spec.takes_target else {}
            own = {given: value for given, value in args.items() if not (target and given in {"id", "name"})}
            yield {"function": name, **target, **({"args": own} if own else {})}


def in_prompts(catalogue: Catalogue, kind: str) -> dict[str, ToolSpec]:
    """Tools and arguments that a model is offered: others are for those who know them."""
    return {name: _without_rare(spec) for name, spec in catalogue.specs(kind).items() if spec.in_prompts}


def _without_rare(spec: ToolSpec) -> ToolSpec:
    properties = {key: part for key, part in objects_in(spec.parameters["properties"]) if key not in spec.rare}
    return replace(spec, parameters={**spec.parameters, "properties": dict[str, JsonValue](properties)})


def replies(catalogue: Catalogue, kind: str) -> Iterator[Json]:
    specs = in_prompts(catalogue, kind)
    calls = list(calls_of(specs))
    assert {call["function"] for call in calls} == {*specs}
    if kind == "app":
        rows = [["a", 1, 2.5, None], [{"from": "sales.cells.0.1"}]]
        calls += [{"function": "write_table", "args": {"start": "B2", "rows": given}} for given in (SAVED, rows)]
        calls += [
            {"function": "set_edit_text", "control_label": "1", "args": {"text": {"from": "a.text"}}},
            {"function": "set_value", "control_label": "1", "args": {"value": {"from": "a.cells.0.0"}}},
        ]
    for call in calls:
        yield {"thought": TEXT, "action": call, "save_as": "sales", "expect": EXPECTED, "status": "CONTINUE"}


def wrong_calls(specs: Mapping[str, ToolSpec]) -> Iterator[Json]:
    """A call of each tool with an argument that it has not."""
    for call in calls_of(specs):
        yield {**call, "args": {**call.get("args", {}), "colour": "red"}}


def written(reply: Json, strict: Json) -> Any:  # Any: JSON
    """The reply in a strict schema: null for what is left out."""

    def full(value: Any, form: Json) -> Any:  # Any: as above
        choices = [each for each in form.get("anyOf", [form]) if each.get("type") != "null"]
        if isinstance(value, list):
            return [
                full(each, choices[0]["items"]) if "items" in choices[0] else each for each in cast("list[Any]", value)
            ]
        if not isinstance(value, dict):
            return value
        given = cast("Json", value)
        form = next(
            (
                each
                for each in choices
                if given.get("function") in each.get("properties", {}).get("function", {}).get("enum", [])
            ),
            next((each for each in choices if {*given} <= {*each.get("properties", {})}), choices[0]),
        )
        return {name: full(given[name], part) if name in given else None for name, part in form["properties"].items()}

    return full(reply, strict)


@pytest.mark.requires("model.held")
@pytest.mark.parametrize("name", FORMS)
async def test_every_tool_can_be_called_and_none_with_an_argument_that_it_has_not(
    name: str, catalogue: Catalogue
) -> None:
    *arriving, listed = await arrived(
        name, *(schema(kind, catalogue) for kind in KINDS), schema("app", catalogue, several=True)
    )
    for kind, each in zip(KINDS, arriving, strict=True):
        grammar = Grammar(each)
        for reply in replies(catalogue, kind):
            refused = grammar.refused_at(json.dumps(reply, ensure_ascii=False))
            assert refused is None, f"{name} cannot write {reply['action']}: {refused}"
            taken(KINDS[kind], reply)
        for call in wrong_calls(catalogue.specs(kind)):
            wrong = {"action": call, "status": "CONTINUE"}
            assert grammar.refused_at(json.dumps(wrong, ensure_ascii=False)), f"{name} can write {call}"
        assert tokens(json.dumps(each)) <= MOST_TOKENS
        assert '"$ref"' not in json.dumps(each)
        assert '""' not in json.dumps(each), "Gemini refuses an empty text in a list of choices"
    grammar = Grammar(arriving[0])
    for wrong in NO_REPLIES:
        assert grammar.refused_at(wrong) is not None, wrong
    assert tokens(json.dumps(listed)) <= MOST_TOKENS
    assert '"$ref"' not in json.dumps(listed)
    lists_are_held(Grammar(listed), catalogue)


def lists_are_held(grammar: Grammar, catalogue: Catalogue) -> None:
    actions = [
        {"action": reply["action"], "save_as": "sales", "expect": reply["expect"]}
        for reply in replies(catalogue, "app")
    ]
    reply: Json = {"thought": TEXT, "actions": actions, "status": "CONTINUE"}
    assert grammar.refused_at(json.dumps(reply, ensure_ascii=False)) is None
    assert len(taken(AppAgentResponse, reply).ordered_actions()) == len(actions)
    for call in wrong_calls(catalogue.specs("app")):
        wrong = {"actions": [{"action": call}], "status": "CONTINUE"}
        assert grammar.refused_at(json.dumps(wrong, ensure_ascii=False)), f"{call} can be written"


@pytest.mark.requires("model.held")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("several", [False, True])
async def test_openai_itself_is_sent_a_strict_schema_that_it_accepts(
    kind: str, several: bool, catalogue: Catalogue
) -> None:
    with wire(FINISH) as server:
        keys = {"AZURE_OPENAI_ENDPOINT": server.root, "AZURE_OPENAI_API_KEY": KEY, "OPENAI_API_VERSION": "2026-01-01"}
        async with LanguageModel(ModelName.parse("azure:gpt-4o"), keys) as model:
            await model.respond(replace(request(), reply_schema=schema(kind, catalogue, several=several)))
    (heard,) = server.heard
    form = heard.body["response_format"]["json_schema"]
    assert form["strict"] is True
    assert problems_of_strict(form["schema"]) == []
    if several:
        return
    grammar = Grammar(form["schema"])
    for reply in replies(catalogue, kind):
        full = written(reply, form["schema"])
        refused = grammar.refused_at(json.dumps(full, ensure_ascii=False))
        assert refused is None, f"it cannot write {reply['action']}: {refused}"
        assert taken(KINDS[kind], full) == taken(KINDS[kind], reply)
    for call in wrong_calls(catalogue.specs(kind)):
        wrong = written({"status": "CONTINUE"}, form["schema"]) | {"action": call}
        assert grammar.refused_at(json.dumps(wrong, ensure_ascii=False)), f"it can write {call}"


@pytest.mark.requires("model.held")
def test_a_schema_is_strict_at_openais_own_servers_only() -> None:
    ours = ModelName.parse("openai:gpt-4o")
    assert ours.is_strict({"OPENAI_API_KEY": KEY})
    assert not ours.is_strict({"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})
    assert not ModelName.parse("ollama:qwen3").is_strict({})


@pytest.mark.requires("model.held")
async def test_a_server_that_takes_no_strict_schema_is_asked_with_one_that_is_not(catalogue: Catalogue) -> None:
    def answer(body: Json) -> Answer:
        refused = Fail(400, '{"error": {"message": "Invalid schema for response_format"}}')
        return refused if body["response_format"]["json_schema"]["strict"] else FINISH

    with wire(script=answer) as server:
        keys = {"AZURE_OPENAI_ENDPOINT": server.root, "AZURE_OPENAI_API_KEY": KEY, "OPENAI_API_VERSION": "2026-01-01"}
        async with LanguageModel(ModelName.parse("azure:gpt-4o"), keys) as model:
            reply = await model.respond(replace(request(), reply_schema=schema("app", catalogue)))
            await model.respond(replace(request(), reply_schema=schema("app", catalogue)))
    assert "asked without a strict schema" in reply.note
    assert len(server.heard) == 3


def problems_of_strict(schema: Json) -> list[str]:
    """Breaches of OpenAI's documented rules of strict schemas."""
    found = ["the root is no object"] if schema.get("type") != "object" or "anyOf" in schema else []
    properties = 0

    def look(part: Json, depth: int) -> None:
        nonlocal properties
        if depth > 10:
            found.append("deeper than ten levels")
        if unknown := {*part} - {
            "type",
            "properties",
            "required",
            "additionalProperties",
            "anyOf",
            "items",
            "enum",
            "$ref",
            "$defs",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "minItems",
            "maxItems",
            "description",
        }:
            found.append(f"{sorted(unknown)}")
        inner = cast("dict[str, Json]", part.get("properties", {}))
        properties += len(inner)
        if part.get("type") == "object" and not (
            part.get("additionalProperties") is False and part.get("required") == [*inner]
        ):
            found.append(f"an object is open, or not all of it is required: {[*inner]}")
        for each in inner.values():
            look(each, depth + 1)
        for each in (
            *part.get("anyOf", []),
            *part.get("$defs", {}).values(),
            *([part["items"]] if "items" in part else []),
        ):
            look(each, depth)

    look(schema, 0)
    return [*found, *(["more than 5000 properties"] if properties > 5000 else [])]


def foreign_tool(parameters: Json) -> ToolSpec:
    return ToolSpec("post", "", parameters, ToolType.ACTION, EffectClass.UNKNOWN, frozenset({"app"}), namespace="chat")


@pytest.mark.requires("model.held")
async def test_a_foreign_tools_arguments_are_described_or_left_open_where_they_cannot_be(catalogue: Catalogue) -> None:
    wide: Json = {"type": "object", "properties": {f"f{n}": {"type": "string", "enum": ["a" * 40]} for n in range(40)}}
    told: Json = {"where": {"city": "Ulm"}, "kind": "post", "extra": {"any": [1]}, "tags": ["a", 1]}
    cases: list[tuple[Json, Json]] = [(FOREIGN, told), (wide, {"f1": "anything"}), ({"type": "object"}, {})]
    for name in FORMS:
        schemas = [schema("app", catalogue, foreign_tool(parameters)) for parameters, _ in cases]
        for (_, args), each in zip(cases, await arrived(name, *schemas), strict=True):
            reply = {"action": {"function": "post", **({"args": args} if args else {})}, "status": "CONTINUE"}
            assert Grammar(each).refused_at(json.dumps(reply)) is None, name
    wrong = {"action": {"function": "post", "args": {"where": "Ulm"}}, "status": "CONTINUE"}
    assert Grammar(schema("app", catalogue, foreign_tool(FOREIGN))).refused_at(json.dumps(wrong)) is not None


@pytest.mark.requires("model.held")
async def test_arguments_of_any_depth_come_through_a_server_that_holds_replies_to_the_schema(
    catalogue: Catalogue,
) -> None:
    call: Json = {"function": "write_table", "args": {"rows": [[1, None], ["x"]]}}
    with wire(script=held([{"status": "CONTINUE", "action": call}])) as server:
        keys = {"OPENAI_BASE_URL": server.openai}
        async with LanguageModel(ModelName.parse("openai:local"), keys) as model:
            asked = replace(request(), reply_schema=schema("app", catalogue))
            assert (await model.respond(asked)).content == {"action": call, "status": "CONTINUE"}
