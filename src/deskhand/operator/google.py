"""The codec of Gemini's `computer_use` tool for desktops, in the form of generateContent.

The history is sent with each request, as with the other vendors, so that old pictures can be left out of it; the
server of the Interactions API keeps the history itself. Formats: `google.genai.types`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject
from deskhand.core.usage import Usage
from deskhand.operator.actions import (
    REMOVED,
    ActionOutcome,
    Answer,
    Call,
    Conversation,
    Exchange,
    Picture,
    SafetyCheck,
    Size,
    Space,
    Turn,
    Unusable,
)
from deskhand.operator.google_functions import action_of
from deskhand.operator.vendor_json import base64_of, fit_into, line_of, problem_of

_SIZE: Final = Size(1440, 900)
"""The size that Google recommends; coordinates do not depend on it."""
_TURNS_WITH_PICTURES: Final = 3
"""Latest turns whose pictures are sent, as in Google's reference implementation."""
_CONFIRM, _BLOCKED = "require_confirmation", "blocked"
_HARMLESS: Final = frozenset({"", "regular", "allowed"})


class GoogleCodec:
    """`Codec` of one model of Google."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.space: Final = Space.THOUSANDTHS

    def fit(self, size: Size, *, enlarge: bool = False) -> Size:
        return fit_into(_SIZE, size, enlarge=enlarge)

    def request(self, conversation: Conversation) -> JsonObject:
        exchanges, kept = conversation.exchanges, len(conversation.exchanges) - _TURNS_WITH_PICTURES
        first: list[JsonValue] = [{"text": conversation.task}, *_seen(conversation.screenshot if kept < 0 else None)]
        contents: list[JsonValue] = [{"role": "user", "parts": first}]
        for number, exchange in enumerate(exchanges):
            contents += [*exchange.turn.items, _answered(exchange, with_pictures=number >= kept)]
        return {
            "model": self.model,
            "contents": contents,
            "config": {
                "systemInstruction": conversation.instructions,
                "tools": [{"computerUse": {"environment": "ENVIRONMENT_DESKTOP"}}],
                "maxOutputTokens": conversation.max_output_tokens,
            },
        }

    def reply(self, body: Mapping[str, JsonValue]) -> Turn:
        """Raises: ReplyDefect for anything but one candidate of texts, thoughts and function calls."""
        try:
            reply = _Reply.model_validate(body)
            content = _Content.model_validate(reply.content)
        except ValidationError as error:
            raise ReplyDefect(f"this is no response of Gemini: {problem_of(error)}") from error
        parts = content.parts
        turn = Turn(text=content.text, calls=(), items=(), usage=reply.usage, model=reply.model_version)
        if stopped := reply.stopped or ("" if content.text or content.calls else "neither an action nor an answer"):
            words: JsonObject = {"role": "model", "parts": [{"text": content.text}]}
            return replace(turn, items=(words,) if content.text else (), stopped=stopped)
        calls = tuple(_call(part.function_call) for part in parts if part.function_call is not None)
        return replace(turn, calls=calls, items=({"role": "model", **reply.content},))


def _answered(exchange: Exchange, *, with_pictures: bool) -> JsonObject:
    """The content with one response for each call; the screen after the last of them is with its response."""
    if not exchange.turn.calls:
        return {"role": "user", "parts": [{"text": exchange.note}]}
    *earlier, last = zip(exchange.turn.calls, exchange.answers, strict=True)
    after = exchange.screenshot or _picture_of(last[1])
    pictured = [*((call, answer, _picture_of(answer)) for call, answer in earlier), (*last, after)]
    parts = [_response(call, answer, picture if with_pictures else None) for call, answer, picture in pictured]
    return {"role": "user", "parts": [*parts, *([{"text": exchange.note}] if exchange.note else [])]}


def _picture_of(answer: Answer) -> Picture | None:
    return next((outcome.picture for outcome in reversed(answer.outcomes) if outcome.picture), None)


def _response(call: Call, answer: Answer, picture: Picture | None) -> JsonObject:
    told = "\n".join(filter(None, map(line_of, answer.outcomes)))
    key = "error" if any(map(_is_error, answer.outcomes)) else "output"
    # the reference implementation for generateContent writes a string
    acknowledged: JsonObject = {"safety_acknowledgement": "true"} if answer.acknowledged else {}
    shown = picture is not None and not picture.removed
    return {
        "functionResponse": {
            **({"id": call.id} if call.id else {}),
            "name": call.name,
            "response": {key: told, **acknowledged},
            **({"parts": [*_seen(picture)]} if shown else {}),
        }
    }


def _is_error(outcome: ActionOutcome) -> bool:
    return outcome.failed or outcome.skipped


def _seen(picture: Picture | None) -> list[JsonObject]:
    if picture is None or picture.removed:
        return [{"text": REMOVED}]
    return [{"inlineData": {"mimeType": picture.media_type, "data": base64_of(picture)}}]


class _Read(BaseModel):
    """Part of a reply, in the spelling of the wire, of which only some fields matter here."""

    model_config = ConfigDict(extra="ignore", frozen=True, alias_generator=to_camel)


class _FunctionCall(_Read):
    name: str = Field(min_length=1)
    id: str = ""
    args: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])


class _Part(BaseModel):
    """A text, a thought or a call; anything else in its place is none that was offered."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel)

    text: str = ""
    thought: bool = False
    thought_signature: str = ""
    function_call: _FunctionCall | None = None


class _Content(_Read):
    parts: tuple[_Part, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if part.text and not part.thought)

    @property
    def calls(self) -> bool:
        return any(part.function_call is not None for part in self.parts)


class _Candidate(_Read):
    content: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    finish_reason: str = "STOP"
    finish_message: str = ""


class _Feedback(_Read):
    block_reason: str = ""


class _Tokens(_Read):
    prompt_token_count: int = 0
    cached_content_token_count: int = 0
    candidates_token_count: int = 0
    thoughts_token_count: int = 0


class _Reply(_Read):
    candidates: tuple[_Candidate, ...] = ()
    prompt_feedback: _Feedback | None = None
    usage_metadata: _Tokens | None = None
    model_version: str = ""

    @model_validator(mode="after")
    def _has_an_answer(self) -> Self:
        if not self.candidates and (self.prompt_feedback is None or not self.prompt_feedback.block_reason):
            raise ValueError("it has neither a candidate nor a reason why there is none")
        return self

    @property
    def content(self) -> JsonObject:
        return self.candidates[0].content if self.candidates else {}

    @property
    def stopped(self) -> str:
        if not self.candidates:
            return f"the request was blocked: {self.prompt_feedback.block_reason if self.prompt_feedback else ''}"
        first = self.candidates[0]
        return (
            ""
            if first.finish_reason == "STOP"
            else ": ".join(filter(None, (first.finish_reason, first.finish_message)))
        )

    @property
    def usage(self) -> Usage:
        counted = self.usage_metadata or _Tokens()
        output = counted.candidates_token_count + counted.thoughts_token_count
        return Usage(counted.prompt_token_count, output, None, counted.cached_content_token_count)


class _Safety(_Read):
    decision: str = ""
    explanation: str = ""


def _call(call: _FunctionCall) -> Call:
    arguments = {key: value for key, value in call.args.items() if key not in {"intent", "safety_decision"}}
    made = Call(call.id, call.name, (action_of(call.name, arguments),))
    if "safety_decision" not in call.args:
        return made
    try:
        safety = _Safety.model_validate(call.args["safety_decision"])
    except ValidationError as error:
        return replace(made, actions=(Unusable(f"safety_decision: {problem_of(error)}"),))
    decision = safety.decision.lower()
    if decision == _BLOCKED:
        return replace(made, actions=(Unusable(f"blocked by Google: {safety.explanation}"),))
    if decision in _HARMLESS:
        return made
    return replace(made, checks=(SafetyCheck(safety.explanation, code=safety.decision),))
