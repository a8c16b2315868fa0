"""Servers on the loopback with the wire formats of OpenAI's chat completions, Anthropic's messages, Google's
generateContent and Bedrock's converse.

Each request body is checked against the official client's own types; what a test scripts is answered.
"""

import json
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, cast

from anthropic.types.beta.message_create_params import MessageCreateParamsNonStreaming as BetaMessageCreateParams
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from pydantic import TypeAdapter

from wire.serving import LoopbackServer, QuietHandler, serving

Json = dict[str, Any]
_BETA_MESSAGES: Final = "/v1/messages with betas"


@dataclass(frozen=True)
class Say:
    """An answer of the model: its text, tokens, and how it ended. Without `counted` nothing is said of tokens."""

    text: str
    input_tokens: int = 100
    output_tokens: int = 20
    finish: str = "stop"
    refusal: str = ""
    counted: bool = True


@dataclass(frozen=True)
class Fail:
    """An HTTP answer as it stands, mostly none of a model: a status, headers, and a body."""

    status: int
    body: str = '{"error": {"message": "no", "type": "server_error"}}'
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Hang:
    """Nothing at all until the client goes away, or the connection cut after some bytes."""

    first: bytes = b""


def vectors(*of_each: Sequence[float]) -> Fail:
    """The answer of an embedding model."""
    data = [{"object": "embedding", "index": n, "embedding": list(vector)} for n, vector in enumerate(of_each)]
    usage = {"prompt_tokens": 5, "total_tokens": 5}
    return Fail(200, json.dumps({"object": "list", "model": "m", "data": data, "usage": usage}))


Answer = Say | Fail | Hang
Script = Callable[[Json], Answer]


@dataclass
class Heard:
    """One request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Json

    @property
    def text(self) -> str:
        """All text of the prompt, in order."""
        return "\n".join(texts_of(self.body))

    @property
    def pictures(self) -> int:
        return sum(kind in {"image_url", "image"} for kind in _kinds(self.body))


class Wire:
    """A running server: its address, and what it heard."""

    def __init__(self, port: int, script: Script) -> None:
        self.heard: list[Heard] = []
        self.script = script
        self.gone = threading.Event()
        self.openai = f"http://127.0.0.1:{port}/v1"
        self.root = self.anthropic = f"http://127.0.0.1:{port}"


@contextmanager
def wire(*answers: Answer, script: Script | None = None, port: int = 0) -> Generator[Wire]:
    """Answers in turn, the last one again and again; or by `script`, from the body. `port` 0: any that is free."""
    left = list(answers)

    def next_answer(_: Json) -> Answer:
        return left.pop(0) if len(left) > 1 else left[0]

    server = _Server(("127.0.0.1", port), _Handler)
    it = server.wire = Wire(server.server_address[1], script or next_answer)
    with serving(server, it.gone):
        yield it


class _Server(LoopbackServer):
    wire: Wire


class _Handler(QuietHandler):
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride] - it is only ever made with this one

    def do_POST(self) -> None:  # noqa: N802 - the name is the base class's
        it = self.server.wire
        body = cast("Json", json.loads(self.rfile.read(int(self.headers["content-length"]))))
        it.heard.append(Heard(self.path, {name.lower(): value for name, value in self.headers.items()}, body))
        is_beta = "computer-use" in self.headers.get("anthropic-beta", "")
        problem = defect_of(_BETA_MESSAGES if is_beta else self.path, body)
        if problem:
            self._send(400, json.dumps({"error": {"message": problem, "type": "invalid_request_error"}}), {})
            return
        match it.script(body):
            case Say() as said:
                make = next(make for part, make in _MAKERS.items() if part in self.path)
                self._send(200, json.dumps(make(body, said)), {})
            case Fail(status, text, headers):
                self._send(status, text, headers)
            case Hang(first):
                if first:
                    self.wfile.write(
                        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n"
                    )
                    self.wfile.write(first)
                    self.wfile.flush()
                else:
                    it.gone.wait(30)
                self.close_connection = True

    def _send(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def defect_of(path: str, body: Json) -> str:
    """What the official types say against a request body; empty where nothing, or where they are not for this path."""
    forms = _forms()
    form = next((forms[end] for end in forms if path.partition("?")[0].endswith(end)), None)
    if form is None:
        return ""
    try:
        _exhaust(form.validate_python(body))
    except ValueError as error:
        return f"not the wire format: {error}"
    return ""


@cache
def _forms() -> Mapping[str, TypeAdapter[Any]]:
    """The official clients' types of a request, by the end of its path; kept, since what they hold is read lazily."""
    return {
        "/chat/completions": TypeAdapter(CompletionCreateParamsNonStreaming),
        "/v1/messages": TypeAdapter(MessageCreateParamsNonStreaming),
        _BETA_MESSAGES: TypeAdapter(BetaMessageCreateParams),
    }


def _exhaust(value: object) -> None:
    """Their types hold iterables, which are checked as they are read."""
    if isinstance(value, dict):
        for part in cast("Json", value).values():
            _exhaust(part)
    elif hasattr(value, "__iter__") and not isinstance(value, str | bytes):
        for part in cast("Sequence[object]", value):
            _exhaust(part)


def _completion(body: Json, said: Say) -> Json:
    message: Json = {"role": "assistant", "content": None if said.refusal else said.text}
    if said.refusal:
        message["refusal"] = said.refusal
    usage = {
        "prompt_tokens": said.input_tokens,
        "completion_tokens": said.output_tokens,
        "total_tokens": said.input_tokens + said.output_tokens,
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": body["model"],
        "provider": "loopback",  # of OpenRouter, who says who answered
        "choices": [{"index": 0, "message": message, "finish_reason": said.finish, "logprobs": None}],
        **({"usage": usage} if said.counted else {}),
    }


_STOPS: Final = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}


def _message(body: Json, said: Say) -> Json:
    content: list[Json] = [{"type": "text", "text": said.text}]
    if body.get("tools") and said.finish == "stop":
        try:
            given: object = json.loads(said.text)
        except ValueError:
            given = None
        if isinstance(given, dict):
            content = [{"type": "tool_use", "id": "toolu_1", "name": body["tools"][0]["name"], "input": given}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": _STOPS[said.finish] if content[0]["type"] == "text" else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": said.input_tokens, "output_tokens": said.output_tokens},
    }


def _generated(body: Json, said: Say) -> Json:
    name = body["tools"][0]["functionDeclarations"][0]["name"]
    content = {"role": "model", "parts": [{"functionCall": {"name": name, "args": json.loads(said.text)}}]}
    return {
        "candidates": [{"index": 0, "content": content, "finishReason": said.finish.upper()}],
        "usageMetadata": {"promptTokenCount": said.input_tokens, "candidatesTokenCount": said.output_tokens},
    }


def _converse(body: Json, said: Say) -> Json:
    name = body["toolConfig"]["tools"][0]["toolSpec"]["name"]
    use = {"toolUse": {"toolUseId": "use_1", "name": name, "input": json.loads(said.text)}}
    return {
        "output": {"message": {"role": "assistant", "content": [use]}},
        "stopReason": "tool_use",
        "usage": {
            "inputTokens": said.input_tokens,
            "outputTokens": said.output_tokens,
            "totalTokens": said.input_tokens + said.output_tokens,
        },
        "metrics": {"latencyMs": 1},
    }


_MAKERS: Final[Mapping[str, Callable[[Json, Say], Json]]] = {
    "/chat/completions": _completion,
    ":generateContent": _generated,
    "/converse": _converse,
    "": _message,
}
"""The answers, by a part of the path."""


def texts_of(body: Json) -> Iterator[str]:
    """The texts of a request, in the order a model reads them."""
    for part in (*_parts(body.get("system")), *(p for message in body["messages"] for p in _parts(message["content"]))):
        if part["type"] == "text":
            yield part["text"]


def _parts(content: str | list[Json] | None) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def _kinds(body: Json) -> Iterator[str]:
    return (part["type"] for message in body["messages"] for part in _parts(message["content"]))
