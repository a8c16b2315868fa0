"""Bodies of Gemini's generateContent: replies, as its server writes them, and requests, held against its types."""

from typing import Any, cast

from google.genai import types
from pydantic import TypeAdapter

Json = dict[str, Any]


def function(name: str, safety: Json | None = None, **args: object) -> Json:
    """A part with a call of a function, as the model writes it."""
    decided: Json = {"safety_decision": safety} if safety is not None else {}
    return {
        "functionCall": {"name": name, "args": {"intent": f"to {name}", **args, **decided}},
        "thoughtSignature": "c2lnbmVk",
    }


def thought(text: str) -> Json:
    return {"text": text, "thought": True}


def response(*parts: Json, reason: str = "STOP", **more: object) -> Json:
    """A whole response, which the client's own type accepts."""
    usage = {
        "promptTokenCount": 1200,
        "cachedContentTokenCount": 1000,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 10,
        "totalTokenCount": 1230,
    }
    candidate = {"index": 0, "content": {"role": "model", "parts": [*parts]}, "finishReason": reason}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-3.5-flash", **more}


def is_response(body: Json) -> None:
    """Raises: ValueError where the client's type does not accept it."""
    types.GenerateContentResponse.model_validate(body)


def wrong_request(body: Json) -> str:
    """The complaints of the client's types about the arguments of its method; empty where nothing."""
    if extra := {*body} - {"model", "contents", "config"}:
        return f"unknown fields: {extra}"
    try:
        TypeAdapter(list[types.Content]).validate_python(body["contents"])
        types.GenerateContentConfig.model_validate(body["config"])
    except ValueError as error:
        return str(error)
    return ""


def parts_of(body: Json) -> list[Json]:
    """All parts of a request, in order."""
    return [part for content in cast("list[Json]", body["contents"]) for part in content["parts"]]


def wrong_body(body: Json) -> str:
    """The complaints of the client's types about the JSON that it sent; empty where nothing."""
    forms = {
        "contents": TypeAdapter[Any](list[types.Content]),
        "tools": TypeAdapter[Any](list[types.Tool]),
        "systemInstruction": TypeAdapter[Any](types.Content),
        "generationConfig": TypeAdapter[Any](types.GenerationConfig),
    }
    if extra := {*body} - {*forms}:
        return f"unknown fields: {extra}"
    try:
        for name, part in body.items():
            forms[name].validate_python(part)
    except ValueError as error:
        return str(error)
    return ""
