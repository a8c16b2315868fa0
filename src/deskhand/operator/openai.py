"""The codec of OpenAI's computer tool: the Responses API, `computer` and its preview.

The whole history is sent with each request, and nothing is stored by the server. Formats: the types of the openai
package (`openai.types.responses`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject
from deskhand.core.usage import Usage
from deskhand.operator.actions import (
    REMOVED,
    Action,
    Answer,
    Call,
    Conversation,
    Exchange,
    Picture,
    SafetyCheck,
    Screenshot,
    Size,
    Space,
    Turn,
    Unusable,
)
from deskhand.operator.openai_actions import action_of
from deskhand.operator.vendor_json import base64_of, fit_into, line_of, problem_of

PREVIEW: Final = "computer-use-preview"
"""The models whose names begin so know only the preview of the tool."""
_SIZE: Final = Size(1600, 900)
"""A size that OpenAI's guide recommends: 1 450 patches of 32 pixels, of the 1 536 that no model scales down."""
_PREVIEW_SIZE: Final = Size(1024, 768)
_ANSWERED: Final = "computer_call"
_SENT_BACK: Final = frozenset({"message", "reasoning", "compaction", _ANSWERED})
"""Types of items that a request may contain again."""
_RESPONSE_ONLY: Final = frozenset({"created_by"})
"""Fields of items that only a reply has."""


class OpenAICodec:
    """`Codec` of one model of OpenAI."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.space: Final = Space.PIXELS
        self._is_preview = model.startswith(PREVIEW)

    def fit(self, size: Size, *, enlarge: bool = False) -> Size:
        return fit_into(_PREVIEW_SIZE if self._is_preview else _SIZE, size, enlarge=enlarge)

    def request(self, conversation: Conversation) -> JsonObject:
        """Body of the next request. `tool_choice` is left to the server, which lets the model choose: a forced call
        would never end.
        """
        first: list[JsonValue] = [_text(conversation.task), *self._seen(conversation.screenshot)]
        items: list[JsonValue] = [{"role": "user", "content": first}]
        for exchange in conversation.exchanges:
            items += self._exchange(exchange)
        return {
            "model": self.model,
            "instructions": conversation.instructions,
            "input": items,
            "tools": [self._tool(conversation.screen)],
            "include": ["reasoning.encrypted_content"],
            "store": False,
            "max_output_tokens": conversation.max_output_tokens,
            **({"truncation": "auto"} if self._is_preview else {}),
        }

    def reply(self, body: Mapping[str, JsonValue]) -> Turn:
        """Raises: ReplyDefect for anything but a response whose items are words, reasoning and computer calls."""
        try:
            reply = _Reply.model_validate(body)
        except ValidationError as error:
            raise ReplyDefect(f"this is no response of OpenAI: {problem_of(error)}") from error
        items = tuple(_sent_back(item) for item in reply.output)
        turn = Turn(text=reply.text, calls=(), items=items, usage=reply.usage_counted, model=reply.model)
        if stopped := reply.stopped:
            words: JsonObject = {"role": "assistant", "content": turn.text}
            return replace(turn, items=(words,) if turn.text else (), stopped=stopped)
        calls = _with_pictures([_call(item) for item in reply.output if item.get("type") == _ANSWERED])
        if len({call.id for call in calls}) < len(calls):
            raise ReplyDefect("two computer calls of one response have the same call_id")
        return replace(turn, calls=calls)

    def _tool(self, screen: Size) -> JsonObject:
        if not self._is_preview:
            return {"type": "computer"}
        return {
            "type": "computer_use_preview",
            "display_width": screen.width,
            "display_height": screen.height,
            "environment": "linux",
        }

    def _exchange(self, exchange: Exchange) -> list[JsonValue]:
        """The items of a turn, one output for each of its calls, and a message with the texts."""
        earlier = [_last_picture(answer) for answer in exchange.answers[:-1]]
        last = [exchange.screenshot or _last_picture(answer) for answer in exchange.answers[-1:]]
        pictures = [picture or exchange.screenshot for picture in (*earlier, *last)]
        shown = [picture for picture in pictures if picture is not None and not picture.removed]
        if len(shown) < len(pictures):
            return [_message([_text(words)]) for words in _told(exchange)]
        outputs = [_output(*each) for each in zip(exchange.turn.calls, exchange.answers, shown, strict=True)]
        parts = [*self._texts(exchange), *([_text(exchange.note)] if exchange.note else [])]
        return [*exchange.turn.items, *outputs, *([_message(parts)] if parts else [])]

    def _texts(self, exchange: Exchange) -> Iterator[JsonObject]:
        """The outcomes, which an output has no place for, with the pictures from within a batch."""
        outcomes = [outcome for answer in exchange.answers for outcome in answer.outcomes]
        within = [outcome for answer in exchange.answers for outcome in answer.outcomes[:-1]]
        for number, outcome in enumerate(outcomes, start=1):
            if line := line_of(outcome):
                yield _text(f"{number}. {line}" if len(outcomes) > 1 else line)
            if outcome.picture is not None and any(outcome is each for each in within):
                yield from self._seen(outcome.picture)

    def _seen(self, picture: Picture) -> list[JsonObject]:
        if picture.removed:
            return [_text(REMOVED)]
        detail = "auto" if self._is_preview else "original"
        return [{"type": "input_image", "detail": detail, "image_url": data_address(picture)}]


def _told(exchange: Exchange) -> Iterator[str]:
    """An exchange in words: one whose pictures were removed cannot be sent, since each call wants its picture."""
    outcomes = [outcome for answer in exchange.answers for outcome in answer.outcomes]
    lines = [f"- {line}" for line in map(line_of, outcomes) if line]
    said = [f"You wrote: {exchange.turn.text}"] if exchange.turn.text else []
    did = [f"You acted, with these results {REMOVED}:", *lines] if lines else []
    yield "\n".join((*said, *did, *([exchange.note] if exchange.note else []))) or REMOVED


def _last_picture(answer: Answer) -> Picture | None:
    """The picture of a screenshot at the end of a call."""
    return answer.outcomes[-1].picture if answer.outcomes else None


def _output(call: Call, answer: Answer, picture: Picture) -> JsonObject:
    checks: list[JsonValue] = [
        {"id": check.id, "code": check.code or None, "message": check.message or None} for check in answer.acknowledged
    ]
    return {
        "type": "computer_call_output",
        "call_id": call.id,
        "output": {"type": "computer_screenshot", "image_url": data_address(picture)},
        **({"acknowledged_safety_checks": checks} if checks else {}),
    }


def _message(parts: Sequence[JsonObject]) -> JsonObject:
    return {"role": "user", "content": [*parts]}


def _text(text: str) -> JsonObject:
    return {"type": "input_text", "text": text}


def data_address(picture: Picture) -> str:
    """The picture as a data URL."""
    return f"data:{picture.media_type};base64,{base64_of(picture)}"


class _Item(BaseModel):
    """Part of a reply, of which only some fields matter here; the rest is sent back as it came."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Details(_Item):
    cached_tokens: int = 0


class _Tokens(_Item):
    input_tokens: int = 0
    output_tokens: int = 0
    input_tokens_details: _Details | None = None


class _Error(_Item):
    code: str | None = None
    message: str = ""


class _Incomplete(_Item):
    reason: str | None = None


class _Part(_Item):
    type: str
    text: str = ""
    refusal: str = ""


class _Message(_Item):
    phase: str | None = None
    content: tuple[_Part, ...] = ()


class _Reply(_Item):
    status: str
    output: tuple[dict[str, JsonValue], ...]
    model: str = ""
    error: _Error | None = None
    incomplete_details: _Incomplete | None = None
    usage: _Tokens | None = None

    @property
    def usage_counted(self) -> Usage:
        counted = self.usage or _Tokens()
        cached = counted.input_tokens_details.cached_tokens if counted.input_tokens_details else 0
        return Usage(counted.input_tokens, counted.output_tokens, None, cached)

    @property
    def stopped(self) -> str:
        """Why it ended early; empty where it did not."""
        if self.error is not None:
            return ": ".join(filter(None, (self.error.code, self.error.message)))
        if self.status != "completed":
            reason = self.incomplete_details.reason if self.incomplete_details else None
            return reason or self.status
        refusals = [f"refusal: {part.refusal}" for each in self.messages for part in each.content if part.refusal]
        acts = any(item.get("type") == _ANSWERED for item in self.output)
        is_final = acts or any(each.phase != "commentary" and each.content for each in self.messages)
        return "\n".join(refusals) or ("" if is_final else "neither an action nor a final answer")

    @property
    def text(self) -> str:
        parts = (part for each in self.messages for part in each.content)
        return "\n".join(part.text for part in parts if part.type == "output_text")

    @property
    def messages(self) -> list[_Message]:
        """Raises: ReplyDefect for a message of another form."""
        try:
            return [_Message.model_validate(item) for item in self.output if item.get("type") == "message"]
        except ValidationError as error:
            raise ReplyDefect(f"a message of the response is not as expected: {problem_of(error)}") from error


class _SafetyCheck(_Item):
    id: str
    code: str | None = None
    message: str | None = None


class _ComputerCall(_Item):
    call_id: str = Field(min_length=1)
    status: str = "completed"
    actions: tuple[JsonValue, ...] | None = None
    action: JsonValue = None
    pending_safety_checks: tuple[_SafetyCheck, ...] | None = None

    @property
    def decided(self) -> tuple[Action, ...]:
        if self.status != "completed":
            return (Unusable(f"the call is {self.status}, not completed"),)
        if (self.actions is None) is (self.action is None):
            return (Unusable("a call has either actions or an action"),)
        actions = (self.action,) if self.actions is None else self.actions
        return tuple(map(action_of, actions)) or (Unusable("the call has no action"),)


def _call(item: JsonObject) -> Call:
    """Raises: ReplyDefect where it cannot be answered."""
    try:
        call = _ComputerCall.model_validate(item)
    except ValidationError as error:
        raise ReplyDefect(f"a computer_call is not as expected: {problem_of(error)}") from error
    checks = (SafetyCheck(each.message or "", each.id, each.code or "") for each in call.pending_safety_checks or ())
    return Call(call.call_id, _ANSWERED, call.decided, tuple(checks))


def _with_pictures(calls: Sequence[Call]) -> tuple[Call, ...]:
    """The calls, each but the last with a screenshot at its end: every output has a picture, of that moment."""
    ended = (
        call if isinstance(call.actions[-1], Screenshot) else replace(call, actions=(*call.actions, Screenshot()))
        for call in calls[:-1]
    )
    return (*ended, *calls[-1:])


def _sent_back(item: JsonObject) -> JsonObject:
    """The item as a part of the next request. Raises: ReplyDefect for one of another tool."""
    if item.get("type") not in _SENT_BACK:
        raise ReplyDefect(f"the response has an item of type {item.get('type')!r}; only the computer was offered")
    return {key: value for key, value in item.items() if key not in _RESPONSE_ONLY}
