"""Anthropic's format: sizes by its rules, calls read, results written; held against the SDK's own types."""

import json
from contextlib import suppress
from typing import Any, Final, cast, get_args

import pytest
from anthropic.types.computer_member_name import ComputerMemberName
from anthropic.types.computer_tool_use_block import ComputerToolUseBlock
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from deskhand.core.errors import ReplyDefect, UsageError
from deskhand.core.json import JsonObject
from deskhand.operator.actions import (
    Action,
    ActionOutcome,
    Answer,
    Click,
    Conversation,
    CursorPosition,
    Drag,
    Exchange,
    HoldKeys,
    MouseDown,
    MouseUp,
    Move,
    Picture,
    PressKeys,
    Screenshot,
    Scroll,
    Size,
    Spot,
    TypeText,
    Unusable,
    Wait,
    Zoom,
)
from deskhand.operator.anthropic import SKIPPED, AnthropicTool, AnthropicToolset, anthropic_codec, tokens_of
from wire.server import defect_of

pytestmark = pytest.mark.requires("operator.formats")
SIZES = st.builds(Size, st.integers(1, 10_000), st.integers(1, 10_000))
MODELS = st.sampled_from(("claude-opus-5-5", "claude-opus-4-7", "claude-opus-4-5-20251101", "claude-sonnet-4-6"))
LIMITS: Final = {"claude-opus-4-5-20251101": (1568, 1568), "claude-sonnet-4-6": (1568, 1568)}
READ: Final[dict[str, tuple[JsonObject, Action]]] = {
    "screenshot": ({}, Screenshot()),
    "cursor_position": ({}, CursorPosition()),
    "left_mouse_down": ({}, MouseDown()),
    "left_mouse_up": ({}, MouseUp()),
    "zoom": ({"region": [1, 2, 3, 4]}, Zoom(Spot(1, 2), Spot(3, 4))),
    "left_click": ({"coordinate": [1, 2], "text": "ctrl+shift"}, Click(Spot(1, 2), holding=("ctrl", "shift"))),
    "right_click": ({}, Click(None, "right")),
    "middle_click": ({"coordinate": [1, 2]}, Click(Spot(1, 2), "middle")),
    "double_click": ({"coordinate": [1, 2]}, Click(Spot(1, 2), count=2)),
    "triple_click": ({"coordinate": [1, 2]}, Click(Spot(1, 2), count=3)),
    "left_click_drag": ({"start_coordinate": [1, 2], "coordinate": [3, 4]}, Drag((Spot(1, 2), Spot(3, 4)))),
    "mouse_move": ({"coordinate": [1, 2]}, Move(Spot(1, 2))),
    "scroll": ({"scroll_direction": "left", "scroll_amount": 2}, Scroll(None, right=-2)),
    "type": ({"text": "Dear Ada\n"}, TypeText("Dear Ada\n")),
    "key": ({"text": "ctrl++", "repeat": 3}, PressKeys(("ctrl", "+"), 3)),
    "hold_key": ({"text": "shift", "duration": 2}, HoldKeys(("shift",), 2.0)),
    "wait": ({"duration": 1}, Wait(1.0)),
}


def message(*content: object, stop: str = "tool_use") -> JsonObject:
    return cast("JsonObject", {"type": "message", "content": [*content], "stop_reason": stop, "model": "m"})


def call(member: object, given: object) -> JsonObject:
    return cast(
        "JsonObject",
        {"type": "tool_use", "id": "t1", "name": member, "input": given, "toolset_name": "computer"},
    )


@given(SIZES, MODELS, st.booleans())
def test_a_picture_keeps_the_vendors_limits_and_its_shape_and_is_as_large_as_they_allow(
    size: Size, model: str, enlarge: bool
) -> None:
    side, tokens = LIMITS.get(model, (2576, 4784))
    fitted = anthropic_codec(model).fit(size, enlarge=enlarge)
    assert max(fitted.width, fitted.height) <= side
    assert tokens_of(fitted) <= tokens
    longest = max(size.width, size.height)
    scale = max(fitted.width, fitted.height) / longest
    assert abs(fitted.width - size.width * scale) <= 1
    assert abs(fitted.height - size.height * scale) <= 1
    assert enlarge or (fitted.width <= size.width and fitted.height <= size.height)
    larger = [round(each * (max(fitted.width, fitted.height) + 1) / longest) for each in (size.width, size.height)]
    fits = max(larger) <= side and tokens_of(Size(*map(max, larger, (1, 1)))) <= tokens
    assert not fits or (not enlarge and max(larger) > longest)


def test_the_advised_sizes_are_sent_as_they_are() -> None:
    for size in (Size(1024, 768), Size(1280, 720), Size(1920, 1080)):
        assert anthropic_codec("claude-opus-5-5").fit(size) == size


@pytest.mark.parametrize("member", sorted(READ))
def test_each_member_of_the_sdk_is_read(member: str) -> None:
    given_input, action = READ[member]
    block = call(member, given_input)
    TypeAdapter[Any](ComputerToolUseBlock).validate_python({**block, "caller": {"type": "direct"}})
    (read,) = AnthropicToolset("m").reply(message(block)).calls
    assert (read.id, read.name, read.actions) == ("t1", member, (action,))
    single = call("computer", {"action": member, **given_input})
    (read,) = AnthropicTool("m").reply(message(single)).calls
    assert read.actions == (action,)


def test_no_member_of_the_sdk_is_missing() -> None:
    assert set(get_args(ComputerMemberName)) == set(READ)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(max_size=5), part, max_size=4),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ("coordinate", "start_coordinate", "text", "repeat", "duration", "region", "scroll_direction", "scroll_amount")
)


@given(st.sampled_from(sorted(READ)) | st.text(max_size=5) | JSON, st.dictionaries(FIELDS, JSON) | JSON)
def test_no_input_breaks_the_reader(member: object, given_input: object) -> None:
    (read,) = AnthropicToolset("m").reply(message(call(member, given_input))).calls
    (action,) = read.actions
    assert not isinstance(action, Unusable) or action.problem


@given(st.dictionaries(st.sampled_from(("type", "content", "stop_reason", "usage")), JSON))
def test_a_reply_of_any_form_is_a_turn_or_a_defect(body: JsonObject) -> None:
    for given_body in (body, {"type": "message", **body}):
        with suppress(ReplyDefect):
            AnthropicToolset("m").reply(given_body)


def picture(data: bytes = b"png") -> Picture:
    return Picture(data, Size(10, 10))


def conversation(*exchanges: Exchange) -> Conversation:
    return Conversation("Be brief.", "Save it", picture(), exchanges, Size(640, 480), 1000)


def body_of(*exchanges: Exchange) -> dict[str, Any]:
    body = AnthropicToolset("claude-opus-5-5").request(conversation(*exchanges))
    assert not defect_of("/v1/messages", body)
    return json.loads(json.dumps(body))


def test_the_tools_entry_has_its_type_alone() -> None:
    assert body_of()["tools"] == [{"type": "computer_toolset_20260801"}]


def test_results_are_written_in_order_with_their_family_and_text_before_the_picture() -> None:
    turn = AnthropicToolset("m").reply(
        message({"type": "text", "text": "Now."}, call("screenshot", {}), call("key", {"text": "a"}))
    )
    shot, pressed = Answer((ActionOutcome("", picture(b"mid")),)), Answer((ActionOutcome("Pressed a"),))
    content = body_of(Exchange(turn, (shot, pressed), picture(b"after"), "Budget: little"))["messages"][-1]["content"]
    assert [part["type"] for part in content] == ["tool_result", "tool_result", "text"]
    assert [part["type"] for part in content[0]["content"]] == ["image"]
    assert [part["type"] for part in content[1]["content"]] == ["text", "image"]
    assert {part["toolset_name"] for part in content[:2]} == {"computer"}


def test_after_a_failure_the_vendors_words_follow_and_the_screen_comes_last() -> None:
    turn = AnthropicToolset("m").reply(message(call("key", {"text": "a"}), call("screenshot", {})))
    failed, skipped = Answer((ActionOutcome("no such key", failed=True),)), Answer((ActionOutcome("", skipped=True),))
    content = body_of(Exchange(turn, (failed, skipped), picture()))["messages"][-1]["content"]
    assert [part["type"] for part in content] == ["tool_result", "tool_result", "text", "image"]
    assert [part["is_error"] for part in content[:2]] == [True, True]
    assert content[1]["content"] == [{"type": "text", "text": SKIPPED}]


def test_the_models_own_blocks_are_sent_back_as_they_came() -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    turn = AnthropicToolset("m").reply(message(thinking, call("screenshot", {})))
    sent = body_of(Exchange(turn, (Answer((ActionOutcome("", picture()),)),), picture()))["messages"][1]
    assert sent == {"role": "assistant", "content": [thinking, call("screenshot", {})]}


def test_removed_pictures_leave_words_in_their_place() -> None:
    turn = AnthropicToolset("m").reply(message(call("screenshot", {})))
    gone = Answer((ActionOutcome("", picture(b"")),))
    content = body_of(Exchange(turn, (gone,), picture()))["messages"][-1]["content"][0]["content"]
    assert content[0] == {"type": "text", "text": "(an older picture was removed)"}
    assert content[1]["type"] == "image"


def test_tokens_are_counted_with_those_of_the_cache() -> None:
    usage: JsonObject = {
        "input_tokens": 3,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 100,
        "output_tokens": 5,
    }
    read = AnthropicToolset("m").reply({**message({"type": "text", "text": "Hi"}), "usage": usage}).usage
    assert (read.input_tokens, read.cached_tokens, read.output_tokens, read.cost_usd) == (123, 20, 5, None)


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("claude-opus-5-5", AnthropicToolset),
        ("claude-haiku-5-5", AnthropicToolset),
        ("claude-fable-5-2", AnthropicToolset),
        ("claude-opus-9", AnthropicToolset),
        ("claude-opus-5", AnthropicTool),
        ("claude-opus-5-20260301", AnthropicTool),
        ("claude-fable-5-1", AnthropicTool),
        ("claude-opus-4-8", AnthropicTool),
        ("claude-sonnet-4-6", AnthropicTool),
    ],
)
def test_the_form_of_the_tool_follows_the_models_name(model: str, kind: type) -> None:
    assert type(anthropic_codec(model)) is kind


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "claude-haiku-4-5-20251001", "claude-3-7-sonnet-latest"])
def test_a_model_with_only_the_oldest_tool_is_refused(model: str) -> None:
    with pytest.raises(UsageError, match="older computer tool"):
        anthropic_codec(model)
