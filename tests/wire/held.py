"""A model on the loopback whose replies are held to the request's schema, as servers of local models hold them.

vLLM, llama.cpp, LM Studio, SGLang and Ollama turn the schema into a grammar and let a model write nothing else. Here
the grammar is llguidance's, which several of them use, and the replies stand in a script. By hand:

    PYTHONPATH=src:tests python -m wire.held replies.yaml --port 8123
    OPENAI_BASE_URL=http://127.0.0.1:8123/v1 deskhand run "…" --model openai:local

`replies.yaml` is a list of replies, one a request, in order. A `control_label` between slashes is a pattern for a line
of the screen: `/textbox "Name"/` is the id of the first control that is listed so.
"""

import argparse
import json
import re
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import yaml
from llguidance import LLMatcher, LLTokenizer, TokenizerWrapper

from wire.server import Answer, Fail, Json, Say, Script, texts_of, wire

_END: Final = 256
_SCREEN: Final = "<<<UNTRUSTED the screen"


class ScriptProblem(ValueError):
    """A reply of the script cannot be written, or there is none."""


class _Bytes:
    """A tokenizer with a token for each byte, and one for the end."""

    eos_token_id = _END
    bos_token_id = None
    tokens = (*(bytes([byte]) for byte in range(256)), b"<end>")
    special_token_ids = (_END,)

    def __call__(self, text: bytes | str) -> list[int]:
        return list(text.encode() if isinstance(text, str) else text)


_TOKENIZER: Final = LLTokenizer(TokenizerWrapper(_Bytes()))


class Grammar:
    """What a model may write where a server holds it to a schema.

    An object takes only the properties that it lists unless it says otherwise, as llama.cpp and XGrammar read it.
    """

    def __init__(self, schema: Json) -> None:
        """Raises: ValueError for a schema that no grammar is made of."""
        self.schema = _closed(schema)
        self._matcher = LLMatcher(_TOKENIZER, LLMatcher.grammar_from_json_schema(json.dumps(self.schema)))
        if problem := self._matcher.get_error():
            raise ValueError(problem)

    def takes(self, text: str) -> bool:
        return self.refused_at(text) is None

    def refused_at(self, text: str) -> str | None:
        """The text around `»`, where the grammar takes no more of it; None where it takes the whole."""
        matcher, data = self._matcher.deep_copy(), text.encode()
        taken = matcher.try_consume_tokens(list(data))
        if taken == len(data) and matcher.is_accepting():
            return None
        before, after = data[max(0, taken - 40) : taken], data[taken : taken + 20]
        return f"{before.decode(errors='replace')}»{after.decode(errors='replace')}"

    def nearest(self, reply: Json) -> Json:
        """The reply as a model that means it can write it: in the schema's order, without what has no place or form."""
        near = cast("Json", _nearest(reply, self.schema))
        if self.takes(json.dumps(near, ensure_ascii=False)):
            return near
        known, needed = self.schema["properties"], self.schema.get("required", [])
        return {name: part for name, part in near.items() if name in needed or _fits(part, known.get(name))}


def schema_of(body: Json) -> Json | None:
    """The schema that a request wants its reply held to: that of its form, else of its only tool."""
    form = cast("Json", body.get("response_format", {}))
    if form.get("type") == "json_schema":
        return cast("Json", form["json_schema"]["schema"])
    given = cast("Sequence[Json]", body.get("tools") or body.get("toolConfig", {}).get("tools", []))
    tools = [tool for tool in given if "cachePoint" not in tool]
    if len(tools) != 1:
        return None
    (tool,) = tools
    if of_google := tool.get("functionDeclarations"):
        return cast("Json", of_google[0]["parameters_json_schema"])
    if of_bedrock := tool.get("toolSpec"):
        return cast("Json", of_bedrock["inputSchema"]["json"])
    return cast("Json", tool["function"]["parameters"] if "function" in tool else tool["input_schema"])


def held(replies: Sequence[Json], told: Callable[[str], object] = lambda _: None) -> Script:
    """Answers with the replies in turn, each as the request's grammar lets it be written.

    HTTP 400 where the request has no schema, or one that no grammar is made of; 409, which nobody asks again after,
    where the reply cannot be written, and after the last one. `told` hears of each answer.
    """
    left = list(replies)

    def answer(body: Json) -> Answer:
        try:
            text = _next(body, left)
        except ValueError as error:
            status = 409 if isinstance(error, ScriptProblem) else 400
            told(f"HTTP {status}: {error}")
            return Fail(status, json.dumps({"error": {"message": str(error), "type": "invalid_request_error"}}))
        told(text)
        return Say(text)

    return answer


def hold(body: Json, reply: Json) -> str:
    """The reply to a request as its grammar lets it be written.

    Raises: ScriptProblem where it lets nothing of the kind be written, ValueError where there is no grammar.
    """
    schema = schema_of(body)
    if schema is None:
        raise ValueError("the request has no schema, and this model answers to nothing else")
    grammar = Grammar(schema)
    text = json.dumps(grammar.nearest(reply), ensure_ascii=False)
    refused = grammar.refused_at(text)
    if refused is not None:
        raise ScriptProblem(f"the grammar refuses the reply at {refused}")
    return text


def _next(body: Json, left: list[Json]) -> str:
    """The next reply as text. Raises: ValueError, ScriptProblem."""
    if not left:
        raise ScriptProblem("the script has no more replies")
    wanted = cast("Json", _with_ids(left[0], "\n".join(texts_of(body))))
    text = hold(body, wanted)
    left.pop(0)
    return text


def _closed(schema: object) -> Any:  # Any: JSON
    if isinstance(schema, list):
        return [_closed(part) for part in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    told = {name: _closed(part) for name, part in cast("Json", schema).items()}
    if told.get("type") == "object" and "additionalProperties" not in told:
        told["additionalProperties"] = False
    return told


def _branch(value: Any, choices: Sequence[Json]) -> Json:  # Any: JSON
    """The choice that a value is meant for: that of its tool, else the first of its type."""
    if isinstance(value, dict) and "function" in value:
        tool = cast("Json", value)["function"]
        return next((each for each in choices if tool in each["properties"]["function"]["enum"]), choices[0])
    return next((each for each in choices if Grammar(each).takes(json.dumps(value))), choices[0])


def _nearest(value: Any, schema: Json) -> Any:  # Any: JSON
    if "anyOf" in schema and isinstance(value, dict):
        return _nearest(value, _branch(value, schema["anyOf"]))
    if isinstance(value, dict) and schema.get("type") == "object":
        given, known = cast("Json", value), cast("Mapping[str, Json]", schema.get("properties", {}))
        kept = {name: _nearest(given[name], part) for name, part in known.items() if name in given}
        more = {name: part for name, part in given.items() if name not in known}
        return kept if schema["additionalProperties"] is False else kept | more
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        return [_nearest(part, cast("Json", items)) for part in cast("list[object]", value)]
    return cast("object", value)


def _fits(value: object, schema: Json | None) -> bool:
    """Whether a field may be written so; `schema` None: it is not listed, and its object is open."""
    return schema is None or Grammar(schema).takes(json.dumps(value, ensure_ascii=False))


def _with_ids(value: object, prompt: str) -> object:
    """The reply with ids in place of patterns. Raises: ScriptProblem where nothing on the screen is listed so."""
    if isinstance(value, list):
        return [_with_ids(part, prompt) for part in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    given = {name: _with_ids(part, prompt) for name, part in cast("Json", value).items()}
    label = given.get("control_label")
    if isinstance(label, str) and len(label) > 2 and label[0] == label[-1] == "/":
        given["control_label"] = _id_of(label[1:-1], prompt[prompt.rfind(_SCREEN) :])
    return given


def _id_of(pattern: str, screen: str) -> str:
    found = re.search(rf"(?:^|[|:]) *(\d+) {pattern}", screen, re.MULTILINE)
    if found is None:
        raise ScriptProblem(f"no control is listed as {pattern!r} on this screen:\n{screen}")
    return found[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves a script until it is interrupted or terminated; what was answered goes to stderr."""
    parser = argparse.ArgumentParser(prog="python -m wire.held", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("replies", type=Path, help="a YAML or JSON file: a list of replies")
    parser.add_argument("--port", type=int, default=0, help="on the loopback; 0: any that is free")
    given = parser.parse_args(arguments)
    replies = yaml.safe_load(given.replies.read_text("utf-8"))
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    with wire(script=held(replies, lambda line: sys.stderr.write(f"{line}\n")), port=given.port) as server:
        sys.stdout.write(f"OPENAI_BASE_URL={server.openai}\n")
        sys.stdout.flush()
        signal.sigwait(ends)
    return 0


if __name__ == "__main__":
    sys.exit(main())
