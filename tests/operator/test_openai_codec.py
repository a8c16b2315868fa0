"""OpenAI's format, held against the types and the loop of its own package."""

import base64
from typing import Any, Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.lib.computer import AsyncComputerToolset, ComputerUseError
from openai.types.responses import ResponseComputerToolCall

from deskhand.core.errors import ReplyDefect
from deskhand.operator.actions import (
    REMOVED,
    Action,
    ActionOutcome,
    Answer,
    Call,
    Click,
    Conversation,
    Drag,
    Exchange,
    Move,
    Picture,
    PressKeys,
    SafetyCheck,
    Screenshot,
    Scroll,
    ScrollUnit,
    Size,
    Space,
    Spot,
    Turn,
    TypeText,
    Unusable,
    Wait,
)
from deskhand.operator.openai import OpenAICodec
from wire.conversations import SCREEN, conversations, done, picture, talk
from wire.openai_loop import Json, call, is_response, message, reasoning, response, wrong_request

pytestmark = pytest.mark.requires("operator.openai")

CODEC: Final = OpenAICodec("gpt-6.2")
PREVIEW: Final = OpenAICodec("computer-use-preview-2025-03-11")

_pixels = st.integers(-9, 4000)
_keys = st.none() | st.lists(st.sampled_from(["CTRL", "SHIFT", "a"]), max_size=2)
_at = {"x": _pixels, "y": _pixels, "keys": _keys}
_point = st.fixed_dictionaries({"x": _pixels, "y": _pixels})
ACTIONS: Final[dict[str, Any]] = {
    "click": {**_at, "button": st.sampled_from(["left", "right", "wheel", "back", "forward"])},
    "double_click": _at,
    "move": _at,
    "drag": {"path": st.lists(_point, min_size=2, max_size=4), "keys": _keys},
    "scroll": {**_at, "scroll_x": _pixels, "scroll_y": _pixels},
    "keypress": {"keys": st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=3)},
    "type": {"text": st.text(max_size=20)},
    "wait": {},
    "screenshot": {},
}
action_items = st.sampled_from(sorted(ACTIONS)).flatmap(
    lambda kind: st.fixed_dictionaries({"type": st.just(kind), **ACTIONS[kind]})
)


@st.composite
def bodies(draw: st.DrawFn) -> Json:
    """Responses with words, reasoning and up to three calls, of the present tool or of the preview."""
    calls = list[Json]()
    for number in range(draw(st.integers(0, 3))):
        actions = draw(st.lists(action_items, min_size=1, max_size=3))
        checks = draw(st.lists(st.fixed_dictionaries({"id": st.text(min_size=1, max_size=3)}), max_size=2))
        more: Json = {"action": actions[0], "actions": None} if draw(st.booleans()) else {}
        calls.append(call(*actions, call_id=f"call_{number}", pending_safety_checks=checks, **more))
    said = [message(draw(st.text(min_size=1, max_size=9)))] if not calls or draw(st.booleans()) else []
    return response(reasoning(), *said, *calls)


@pytest.mark.parametrize(
    ("item", "meant"),
    [
        ({"type": "click", "button": "wheel", "x": 3, "y": 4}, Click(Spot(3, 4), "middle")),
        (
            {"type": "click", "button": "back", "x": 3, "y": 4, "keys": ["CTRL", "SHIFT"]},
            Click(Spot(3, 4), "back", holding=("CTRL", "SHIFT")),
        ),
        ({"type": "double_click", "x": 0, "y": -1, "keys": None}, Click(Spot(0, -1), count=2)),
        ({"type": "move", "x": 1, "y": 2, "keys": ["ALT"]}, Move(Spot(1, 2), ("ALT",))),
        (
            {"type": "drag", "path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}, {"x": 5, "y": 6}]},
            Drag((Spot(1, 2), Spot(3, 4), Spot(5, 6))),
        ),
        (
            {"type": "scroll", "x": 1, "y": 2, "scroll_x": -50, "scroll_y": 300, "keys": ["CTRL"]},
            Scroll(Spot(1, 2), -50, 300, ScrollUnit.PIXELS, ("CTRL",)),
        ),
        ({"type": "keypress", "keys": ["CTRL", "S"]}, PressKeys(("CTRL", "S"))),
        ({"type": "type", "text": " Grüße\n"}, TypeText(" Grüße\n")),
        ({"type": "wait"}, Wait(None)),
        ({"type": "screenshot"}, Screenshot()),
    ],
)
def test_each_action_of_the_vendor_is_read(item: Json, meant: Action) -> None:
    assert _read(call(item)).actions == (meant,)
    assert _read(call(action=item, actions=None)).actions == (meant,), "the preview has one action a call"


@pytest.mark.parametrize(
    ("item", "named"),
    [
        ({"type": "triple_click", "x": 1, "y": 2}, "'triple_click'"),
        ({"type": "click", "button": "left", "x": 1.0, "y": 2}, "click.x"),
        ({"type": "click", "button": "left", "x": True, "y": 2}, "click.x"),
        ({"type": "click", "button": "left", "x": "1", "y": 2}, "click.x"),
        ({"type": "click", "button": "left", "x": 1, "y": 2, "modifiers": []}, "click.modifiers"),
        ({"type": "click", "button": "middle", "x": 1, "y": 2}, "click.button"),
        ({"type": "drag", "path": [{"x": 1, "y": 2}]}, "drag.path"),
        ({"type": "keypress", "keys": []}, "keypress.keys"),
        ({"type": "keypress", "keys": "CTRL"}, "keypress.keys"),
        ({"type": "wait", "seconds": 3}, "wait.seconds"),
        ({}, "type"),
        (None, "dictionary"),
    ],
)
def test_what_is_unknown_or_wrong_is_named_and_not_guessed(item: Json | None, named: str) -> None:
    (unusable,) = _read(call(cast("Json", item))).actions
    assert isinstance(unusable, Unusable)
    assert named in unusable.problem


@pytest.mark.parametrize(
    ("made", "named"),
    [
        (call(), "no action"),
        (call({"type": "wait"}, action={"type": "wait"}), "either"),
        (call(actions=None), "either"),
        (call({"type": "wait"}, status="incomplete"), "incomplete"),
    ],
)
def test_a_call_that_is_not_whole_is_answered_and_not_done(made: Json, named: str) -> None:
    (unusable,) = _read(made).actions
    assert isinstance(unusable, Unusable)
    assert named in unusable.problem


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "status"),
        ({"status": "completed", "output": {}}, "output"),
        (response({"type": "web_search_call", "id": "ws_1"}), "'web_search_call'"),
        (response({"id": "x"}), "None"),
        (response(call({"type": "wait"}, call_id="")), "call_id"),
        (response(call({"type": "wait"}), call({"type": "wait"})), "same call_id"),
        (response({"type": "message", "content": "words"}), "content"),
        (response(call({"type": "wait"}, pending_safety_checks="none")), "pending_safety_checks"),
    ],
)
def test_a_body_that_cannot_be_answered_is_a_defect_that_names_the_part(body: Json, named: str) -> None:
    with pytest.raises(ReplyDefect) as raised:
        CODEC.reply(body)
    assert named in raised.value.message


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (response(status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "max_output_tokens"),
        (response(status="failed", error={"code": "server_error", "message": "no"}), "server_error: no"),
        (response(status="cancelled"), "cancelled"),
        (response(reasoning()), "neither an action nor a final answer"),
        (response(message("On it.", phase="commentary")), "neither an action nor a final answer"),
        (
            response({**message("x"), "content": [{"type": "refusal", "refusal": "I will not."}]}),
            "refusal: I will not.",
        ),
    ],
)
def test_a_turn_that_ended_early_says_why_and_does_nothing(body: Json, reason: str) -> None:
    body["output"] += [call({"type": "wait"})] if body["status"] == "incomplete" else []
    turn = CODEC.reply(body)
    assert (turn.stopped, turn.calls) == (reason, ())
    assert wrong_request(CODEC.request(talk(Exchange(turn, (), None, "Go on.")))) == ""


def test_words_and_tokens_of_a_reply_are_read() -> None:
    turn = CODEC.reply(response(reasoning(), message("Saved."), message("Done.")))
    assert (turn.text, turn.calls, turn.stopped, turn.model) == ("Saved.\nDone.", (), "", "gpt-6.2")
    usage = turn.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cost_usd) == (1200, 30, 1000, None)


def test_a_request_has_the_whole_history_and_is_stored_nowhere() -> None:
    output = [reasoning(), message("I click."), call({"type": "click", "button": "left", "x": 1, "y": 2})]
    turn = CODEC.reply(response(*output, previous_response_id="resp_0"))
    body = cast("Json", CODEC.request(talk(done(turn, "Clicked.", after=picture("after"), note="Two steps are left."))))
    first, *replayed, answer, words = body["input"]
    assert first["content"][0]["text"] == "Save the file."
    assert replayed == output
    assert answer == {"type": "computer_call_output", "call_id": "call_1", "output": _shown("after")}
    assert [part["text"] for part in words["content"]] == ["Clicked.", "Two steps are left."]
    assert (body["store"], body["include"], body["tools"]) == (
        False,
        ["reasoning.encrypted_content"],
        [{"type": "computer"}],
    )
    assert not {"previous_response_id", "tool_choice"} & {*body}


def test_the_preview_is_told_the_size_of_its_pictures() -> None:
    body = PREVIEW.request(talk())
    tool = {"type": "computer_use_preview", "display_width": 1280, "display_height": 720, "environment": "linux"}
    assert (body["tools"], body["truncation"]) == ([tool], "auto")
    assert wrong_request(body) == ""
    assert (CODEC.space, PREVIEW.space) == (Space.PIXELS, Space.PIXELS)


def test_an_output_has_the_picture_after_its_batch_and_those_from_within_come_beside_it() -> None:
    turn = CODEC.reply(
        response(
            call({"type": "screenshot"}, {"type": "wait"}, call_id="one"),
            call({"type": "wait"}, {"type": "screenshot"}, call_id="two"),
            call({"type": "wait"}, call_id="three"),
        )
    )
    kinds = [[type(action).__name__ for action in each.actions] for each in turn.calls]
    assert kinds == [["Screenshot", "Wait", "Screenshot"], ["Wait", "Screenshot"], ["Wait"]]
    answers = tuple(
        Answer(tuple(_outcome(f"{each.id} {n}", action) for n, action in enumerate(each.actions)))
        for each in turn.calls
    )
    body = cast("Json", CODEC.request(talk(Exchange(turn, answers, picture("the last")))))
    assert wrong_request(body) == ""
    *outputs, words = body["input"][4:]
    assert [each["output"] for each in outputs] == [_shown("one 2"), _shown("two 1"), _shown("the last")]
    within = [part["image_url"] for part in words["content"] if part["type"] == "input_image"]
    assert within == [_shown("one 0")["image_url"]]


def test_failures_and_what_was_not_tried_are_told_in_words() -> None:
    turn = CODEC.reply(response(call({"type": "wait"}, {"type": "wait"}, {"type": "wait"})))
    outcomes = ActionOutcome("Waited."), ActionOutcome("no such key", failed=True), ActionOutcome("", skipped=True)
    body = cast("Json", CODEC.request(talk(Exchange(turn, (Answer(outcomes),), picture()))))
    assert [part["text"] for part in body["input"][-1]["content"]] == [
        "1. Waited.",
        "2. Failed: no such key",
        "3. Not executed: an earlier computer action in this turn failed.",
    ]


def test_calls_after_a_failure_are_answered_with_the_last_picture() -> None:
    turn = CODEC.reply(response(call({"type": "wait"}, call_id="one"), call({"type": "wait"}, call_id="two")))
    skipped = ActionOutcome("", skipped=True)
    answers = Answer((ActionOutcome("no", failed=True), skipped)), Answer((skipped,))
    body = cast("Json", CODEC.request(talk(Exchange(turn, answers, picture("now")))))
    outputs = [item["output"] for item in body["input"] if item.get("type") == "computer_call_output"]
    assert outputs == [_shown("now"), _shown("now")]


def test_safety_checks_are_acknowledged_only_where_a_person_did() -> None:
    checks = [{"id": "sc_1", "code": "malicious_instructions", "message": "The page gives orders."}, {"id": "sc_2"}]
    turn = CODEC.reply(response(call({"type": "wait"}, pending_safety_checks=checks)))
    (made,) = turn.calls
    assert made.checks == (
        SafetyCheck("The page gives orders.", "sc_1", "malicious_instructions"),
        SafetyCheck("", "sc_2"),
    )
    refused, approved = (
        cast("Json", CODEC.request(talk(Exchange(turn, (Answer((ActionOutcome("Waited."),), each),), picture()))))
        for each in ((), made.checks)
    )
    assert "acknowledged_safety_checks" not in refused["input"][2]
    assert approved["input"][2]["acknowledged_safety_checks"] == [
        checks[0],
        {"id": "sc_2", "code": None, "message": None},
    ]
    assert wrong_request(approved) == ""


def test_a_turn_whose_pictures_were_removed_is_told_in_words() -> None:
    turn = CODEC.reply(response(reasoning(), message("I wait."), call({"type": "wait"})))
    body = cast("Json", CODEC.request(talk(done(turn, "Waited.", after=Picture(b"", SCREEN), note="Hurry."))))
    (told,) = body["input"][1:]
    assert (
        told["content"][0]["text"] == f"You wrote: I wait.\nYou acted, with these results {REMOVED}:\n- Waited.\nHurry."
    )
    assert wrong_request(body) == ""


@given(conversations(CODEC, bodies()), st.sampled_from([CODEC, PREVIEW]))
def test_every_request_has_the_vendors_form_and_answers_every_call(asked: Conversation, codec: OpenAICodec) -> None:
    body = cast("Json", codec.request(asked))
    assert wrong_request(body) == ""
    calls = [item["call_id"] for item in body["input"] if item.get("type") == "computer_call"]
    assert [item["call_id"] for item in body["input"] if item.get("type") == "computer_call_output"] == calls


@given(bodies())
def test_random_replies_have_the_vendors_form_and_are_read_whole(body: Json) -> None:
    is_response(body)
    turn = CODEC.reply(body)
    assert [dict(item) for item in turn.items] == body["output"]
    items = [item for item in body["output"] if item["type"] == "computer_call"]
    assert [each.id for each in turn.calls] == [item["call_id"] for item in items]
    assert not any(isinstance(action, Unusable) for each in turn.calls for action in each.actions)


_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def damaged_actions(draw: st.DrawFn) -> Json:
    """An action, in one of whose fields is anything, or from which one is missing."""
    item = dict[str, Any](draw(action_items))
    name = draw(st.sampled_from(sorted(item)))
    if draw(st.booleans()):
        del item[name]
    else:
        item[name] = draw(_anything)
    return item


@given(damaged_actions())
async def test_what_the_vendors_own_loop_refuses_is_unusable_here(item: Json) -> None:
    (action,) = _read(call(item)).actions
    made = ResponseComputerToolCall.construct(**call(item))
    toolset = AsyncComputerToolset(_Driver())
    try:
        await toolset.execute(made)
    except (ComputerUseError, AttributeError, TypeError):
        assert isinstance(action, Unusable)


@given(_anything)
def test_no_body_makes_the_codec_raise_anything_but_a_defect(junk: Any) -> None:
    for body in (junk, {"status": "completed", "output": junk}, response(call(junk)), response(junk)):
        try:
            turn: Turn | None = CODEC.reply(body)
        except ReplyDefect:
            turn = None
        if turn is not None and turn.calls:
            assert isinstance(turn.calls[0].actions[0], Unusable)


@given(st.integers(100, 9000), st.integers(100, 9000), st.booleans(), st.sampled_from([CODEC, PREVIEW]))
def test_pictures_keep_their_shape_in_a_size_that_is_not_scaled(
    width: int, height: int, enlarge: bool, codec: OpenAICodec
) -> None:
    size = codec.fit(Size(width, height), enlarge=enlarge)
    longest, shortest = (1024, 768) if codec is PREVIEW else (1600, 900)
    long, short = max(size.width, size.height), min(size.width, size.height)
    assert 1 <= short <= shortest
    assert long <= longest
    assert enlarge or (size.width <= width and size.height <= height)
    share = max(size.width / width, size.height / height)
    assert max(abs(size.width - width * share), abs(size.height - height * share)) <= 1
    assert (size == Size(width, height) and not enlarge) or long == longest or short == shortest
    patches = -(-size.width // 32) * -(-size.height // 32)
    assert patches <= 1536, "what no model of the vendor scales down"


class _Driver:
    """Does nothing: the vendor's loop only says what it would accept."""

    async def _accept(self, action: object) -> None:
        pass

    click = double_click = drag = keypress = move = scroll = type = wait = _accept

    async def screenshot(self) -> Any:
        return _shown("screen")


def _read(item: Json) -> Call:
    (made,) = CODEC.reply(response(item)).calls
    return made


def _outcome(words: str, action: Action) -> ActionOutcome:
    return ActionOutcome("Done.", picture(words) if isinstance(action, Screenshot) else None)


def _shown(words: str) -> Json:
    encoded = base64.b64encode(words.encode()).decode()
    return {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{encoded}"}
