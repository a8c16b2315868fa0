"""Anthropic's loops: `computer_toolset_20260801`, and `computer_20251124` for the models that take only that.

Formats: the types of the `anthropic` package; nothing of it is imported here.
"""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from deskhand.core.errors import ReplyDefect, UsageError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.usage import Usage
from deskhand.operator.actions import (
    REMOVED,
    ActionOutcome,
    Answer,
    Call,
    Codec,
    Conversation,
    Exchange,
    Picture,
    Size,
    Space,
    Turn,
    Unusable,
)
from deskhand.operator.anthropic_members import read_action

SKIPPED: Final = "Not executed: an earlier computer action in this turn failed."
"""The vendor's own words for an action after a failed one."""
_FAMILY: Final = "computer"
_NOW: Final = "The screen now:"
_PATCH: Final = 28
"""Pixels of the side of a patch; each is one token."""
_LATEST: Final = "computer_20251124"
_BETA: Final = "computer-use-2025-11-24"
_OLDER: Final = re.compile(
    r"claude-(?:opus-4[-.][5-8]|sonnet-4[-.]6|(?:opus|sonnet)-5|(?:fable|mythos)-5(?:[-.]1)?)(?:-\d{8}|-latest)?"
)
"""Models that take `computer_20251124` and not the toolset."""
_OLDEST: Final = re.compile(
    r"claude-(?:sonnet-4[-.]5|haiku-4[-.]5|opus-4(?:[-.][01])?|sonnet-4|3.*)(?:-\d{8}|-latest)?"
)
"""Models that take neither."""
_SMALL: Final = re.compile(r"claude-(?:opus-4[-.][56]|sonnet-4[-.]6)(?:-\d{8}|-latest)?")
"""Models with the smaller limits of pictures: all before 4.7."""
_TEXTUAL: Final = ("tool_use", "end_turn", "stop_sequence", "pause_turn")


@dataclass(frozen=True, slots=True)
class PictureRules:
    """Limits of a picture that the vendor does not scale: its longest side, and its tokens of 28 x 28 pixels.

    Those for more than 20 pictures in a request never apply: the loop sends no more.
    """

    side: int = 2576
    tokens: int = 4784

    def allow(self, size: Size) -> bool:
        return max(size.width, size.height) <= self.side and tokens_of(size) <= self.tokens

    def fit(self, size: Size, *, enlarge: bool = False) -> Size:
        """The largest size of about the same shape within the limits."""
        width, height = max(1, size.width), max(1, size.height)
        longest = max(width, height)
        least, most = 1, self.side if enlarge else min(longest, self.side)
        while least < most:  # tokens only grow with the size
            middle = (least + most + 1) // 2
            if self.allow(_scaled(width, height, middle, longest)):
                least = middle
            else:
                most = middle - 1
        return _scaled(width, height, least, longest)


def _scaled(width: int, height: int, side: int, longest: int) -> Size:
    return Size(max(1, round(width * side / longest)), max(1, round(height * side / longest)))


def tokens_of(size: Size) -> int:
    """The tokens of a picture."""
    return -(-size.width // _PATCH) * -(-size.height // _PATCH)


def anthropic_codec(model: str) -> Codec:
    """The codec of a model, by its name. Raises: UsageError for a model that takes neither of the tools."""
    if _OLDEST.fullmatch(model):
        raise UsageError(
            f"{model} takes only an older computer tool, which is not supported",
            fix="name a newer model, such as claude-opus-4-5 or later",
        )
    rules = PictureRules(side=1568, tokens=1568) if _SMALL.fullmatch(model) else PictureRules()
    return AnthropicTool(model, rules) if _OLDER.fullmatch(model) else AnthropicToolset(model, rules)


@dataclass(frozen=True, slots=True)
class _InPixels:
    """The common part of both tools."""

    model: str
    rules: PictureRules = PictureRules()

    @property
    def space(self) -> Space:
        return Space.PIXELS

    def fit(self, size: Size, *, enlarge: bool = False) -> Size:
        return self.rules.fit(size, enlarge=enlarge)


@dataclass(frozen=True, slots=True)
class AnthropicToolset(_InPixels):
    """`computer_toolset_20260801`: each action is a call of a member by its name."""

    def request(self, conversation: Conversation) -> JsonObject:
        return _body(self.model, conversation, {"type": "computer_toolset_20260801"}, _FAMILY)

    def reply(self, body: Mapping[str, JsonValue]) -> Turn:
        return _turn(body, _member_call)


@dataclass(frozen=True, slots=True)
class AnthropicTool(_InPixels):
    """`computer_20251124`: each action is a call of one tool, named in its input."""

    def request(self, conversation: Conversation) -> JsonObject:
        tool: JsonObject = {
            "type": _LATEST,
            "name": "computer",
            "display_width_px": conversation.screen.width,
            "display_height_px": conversation.screen.height,
            "enable_zoom": True,
        }
        return {**_body(self.model, conversation, tool, ""), "betas": [_BETA]}

    def reply(self, body: Mapping[str, JsonValue]) -> Turn:
        return _turn(body, _tool_call)


def _body(model: str, conversation: Conversation, tool: JsonObject, family: str) -> JsonObject:
    first: list[JsonValue] = [_text(conversation.task), _picture(conversation.screenshot)]
    messages: list[JsonValue] = [{"role": "user", "content": first}]
    for exchange in conversation.exchanges:
        if exchange.turn.items:
            messages.append({"role": "assistant", "content": list[JsonValue](exchange.turn.items)})
        messages.append({"role": "user", "content": _user_turn(exchange, family)})
    return {
        "model": model,
        "max_tokens": conversation.max_output_tokens,
        "cache_control": {"type": "ephemeral"},
        "system": conversation.instructions,
        "tools": [tool],
        "messages": messages,
    }


def _user_turn(exchange: Exchange, family: str) -> list[JsonValue]:
    """The results of a turn, the note, and the screenshot: a part of the last result unless that is an error, which
    takes texts alone.
    """
    results: list[JsonValue] = []
    after = exchange.screenshot
    for position, (call, answer) in enumerate(zip(exchange.turn.calls, exchange.answers, strict=True), start=1):
        content = [part for outcome in answer.outcomes for part in _content(outcome)]
        failed = any(outcome.failed or outcome.skipped for outcome in answer.outcomes)
        if after is not None and position == len(exchange.answers) and not failed:
            content += [] if _shows(answer) else [_picture(after)]
            after = None
        results.append(_result(call, content, family, failed=failed))
    note: list[JsonValue] = [_text(exchange.note)] if exchange.note else []
    shown: list[JsonValue] = [_text(_NOW), _picture(after)] if after is not None else []
    return [*results, *note, *shown] or [_text("Continue.")]


def _result(call: Call, content: list[JsonValue], family: str, *, failed: bool) -> JsonObject:
    result: JsonObject = {"type": "tool_result", "tool_use_id": call.id, "content": content}
    if family:
        result["toolset_name"] = family
    return {**result, "is_error": True} if failed else result


def _shows(answer: Answer) -> bool:
    """True if the call was for a picture of the whole screen, which is the screen after the turn."""
    shown = (outcome.picture for outcome in answer.outcomes if not outcome.text)
    return any(picture is not None and not picture.removed for picture in shown)


def _content(outcome: ActionOutcome) -> Iterator[JsonValue]:
    if outcome.skipped:
        yield _text(SKIPPED)
        return
    if outcome.text or outcome.picture is None:
        yield _text(outcome.text or "Done.")
    if outcome.picture is not None:
        yield _picture(outcome.picture)


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _picture(picture: Picture) -> JsonObject:
    if picture.removed:
        return _text(REMOVED)
    data = base64.b64encode(picture.data).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": picture.media_type, "data": data}}


def _turn(body: Mapping[str, JsonValue], call_of: Callable[[JsonObject], Call]) -> Turn:
    """Raises: ReplyDefect."""
    items = _blocks(body)
    texts = [text.strip() for item in items if item["type"] == "text" and isinstance(text := item.get("text"), str)]
    reason = body.get("stop_reason")
    return Turn(
        text="\n".join(filter(None, texts)),
        calls=tuple(call_of(item) for item in items if item["type"] == "tool_use"),
        items=items,
        usage=_usage(body.get("usage")),
        model=str(body.get("model") or ""),
        stopped="" if reason in _TEXTUAL else str(reason or "no stop_reason"),
    )


def _blocks(body: Mapping[str, JsonValue]) -> tuple[JsonObject, ...]:
    """The blocks of a message, each with a type, and of a call with an id. Raises: ReplyDefect."""
    content = body.get("content")
    if body.get("type") != "message" or not isinstance(content, list):
        raise ReplyDefect("the reply is no message with a list as its content")
    blocks = tuple(block for block in content if isinstance(block, dict))
    if len(blocks) < len(content) or any(not isinstance(block.get("type"), str) for block in blocks):
        raise ReplyDefect("the reply has content that is no block with a type")
    if any(block["type"] == "tool_use" and not _is_id(block.get("id")) for block in blocks):
        raise ReplyDefect("a tool_use block has no id")
    return blocks


def _is_id(value: JsonValue) -> bool:
    return isinstance(value, str) and bool(value)


def _usage(given: JsonValue) -> Usage:
    counts = given if isinstance(given, dict) else {}

    def count(name: str) -> int:
        value = counts.get(name)
        return value if isinstance(value, int) and value > 0 else 0

    cached = count("cache_read_input_tokens")
    read = count("input_tokens") + count("cache_creation_input_tokens") + cached
    return Usage(read, count("output_tokens"), None, cached)


def _member_call(use: JsonObject) -> Call:
    name = str(use.get("name") or "")
    if use.get("toolset_name") != _FAMILY:
        return Call(str(use["id"]), name, (Unusable(f"there is no tool {name!r} beside the computer"),))
    return Call(str(use["id"]), name, (read_action(name, use.get("input")),))


def _tool_call(use: JsonObject) -> Call:
    name, given = str(use.get("name") or ""), use.get("input")
    if name != "computer":
        return Call(str(use["id"]), name, (Unusable(f"there is no tool {name!r}, only 'computer'"),))
    action = given.get("action") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(action, str):
        return Call(str(use["id"]), name, (Unusable("the input of 'computer' has no action"),))
    return Call(
        str(use["id"]), name, (read_action(action, {key: part for key, part in given.items() if key != "action"}),)
    )
