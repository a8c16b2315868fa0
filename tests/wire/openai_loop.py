"""Bodies of OpenAI's Responses API: replies, as its server writes them, and requests, held against its types."""

from typing import Any, Final, cast

from openai.types.responses import Response
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter

Json = dict[str, Any]

_REQUEST: Final = TypeAdapter[Any](ResponseCreateParamsNonStreaming)


def call(*actions: Json, call_id: str = "call_1", **more: object) -> Json:
    """A computer call of the present tool; `actions=None, action={…}` make one of the preview."""
    made: Json = {"type": "computer_call", "id": f"cu_{call_id}", "call_id": call_id, "status": "completed"}
    made["pending_safety_checks"] = []
    return {key: value for key, value in {**made, "actions": [*actions], **more}.items() if value is not None}


def message(text: str, **more: object) -> Json:
    content: list[Json] = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content, **more}


def reasoning() -> Json:
    return {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "b3BhcXVl"}


def response(*output: Json, status: str = "completed", **more: object) -> Json:
    """A whole response, which the client's own type accepts."""
    usage = {
        "input_tokens": 1200,
        "input_tokens_details": {"cached_tokens": 1000, "cache_write_tokens": 0},
        "output_tokens": 30,
        "output_tokens_details": {"reasoning_tokens": 10},
        "total_tokens": 1230,
    }
    body: Json = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status,
        "model": "gpt-6.2",
        "output": [*output],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [{"type": "computer"}],
        "usage": usage,
        **more,
    }
    return body


def is_response(body: Json) -> None:
    """Raises: ValueError where the client's type does not accept it."""
    Response.model_validate(body, strict=False)


def wrong_request(body: Json) -> str:
    """The complaints of the client's types about a request, unknown fields included; empty where nothing."""
    try:
        known = _plain(_REQUEST.validate_python(body))
    except ValueError as error:
        return str(error)
    return "" if known == body else f"unknown fields: {_missing(body, known)}"


def _plain(value: object) -> object:
    """The types hold iterables, which are checked as they are read."""
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in cast("Json", value).items()}
    if hasattr(value, "__iter__") and not isinstance(value, str | bytes):
        return [_plain(part) for part in cast("list[object]", value)]
    return value


def _missing(whole: object, part: object, where: str = "") -> list[str]:
    if isinstance(whole, dict) and isinstance(part, dict):
        ours, theirs = cast("Json", whole), cast("Json", part)
        gone = [f"{where}.{key}" for key in ours if key not in theirs]
        return gone + [found for key in theirs for found in _missing(ours[key], theirs[key], f"{where}.{key}")]
    if isinstance(whole, list) and isinstance(part, list):
        pairs = zip(cast("list[object]", whole), cast("list[object]", part), strict=True)
        return [found for index, each in enumerate(pairs) for found in _missing(*each, f"{where}[{index}]")]
    return [] if whole == part else [f"{where}: {whole!r} is {part!r}"]
