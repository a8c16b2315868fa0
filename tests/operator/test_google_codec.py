"""Gemini's format, held against the types of its own package."""

import base64
from typing import Any, Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.errors import ReplyDefect
from deskhand.core.geometry import Rect
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
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
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
from deskhand.operator.coordinates import ShownScreen
from deskhand.operator.google import GoogleCodec
from wire.conversations import SCREEN, conversations, done, picture, talk
from wire.google_loop import Json, function, is_response, parts_of, response, thought, wrong_request

pytestmark = pytest.mark.requires("operator.google")

CODEC: Final = GoogleCodec("gemini-3.5-flash")

_share = st.integers(-5, 1005) | st.floats(0, 999)
_at = {"x": _share, "y": _share}
_directions = st.sampled_from(["up", "down", "left", "right"])
_key = st.sampled_from(["Enter", "control", "a"])
FUNCTIONS: Final[dict[str, Any]] = {
    **dict.fromkeys(("click", "double_click", "triple_click", "middle_click", "right_click"), _at),
    **dict.fromkeys(("mouse_down", "mouse_up", "move"), _at),
    "type": {"text": st.text(max_size=9), "press_enter": st.booleans()},
    "drag_and_drop": {"start_x": _share, "start_y": _share, "end_x": _share, "end_y": _share},
    "scroll": {
        **_at,
        "direction": st.sampled_from(["up", "down", "left", "right"]),
        "magnitude_in_pixels": st.integers(0, 999),
    },
    "press_key": {"key": _key},
    "key_down": {"key": _key},
    "key_up": {"key": _key},
    "hotkey": {"keys": st.lists(_key, min_size=1, max_size=3)},
    "wait": {"seconds": st.floats(0, 10)},
    "take_screenshot": {},
}
_called = st.sampled_from(sorted(FUNCTIONS)).flatmap(
    lambda name: st.fixed_dictionaries(FUNCTIONS[name]).map(lambda args: (name, args))
)
_safety = st.none() | st.sampled_from(["regular", "require_confirmation"]).map(
    lambda decision: {"decision": decision, "explanation": "It pays."}
)


@st.composite
def bodies(draw: st.DrawFn) -> Json:
    """Responses with thoughts, words and up to four calls."""
    calls = [function(name, draw(_safety), **args) for name, args in draw(st.lists(_called, max_size=4))]
    for number, each in enumerate(calls):
        each["functionCall"] |= {"id": f"fc_{number}"} if draw(st.booleans()) else {}
    said = [{"text": draw(st.text(min_size=1, max_size=9))}] if not calls or draw(st.booleans()) else []
    return response(thought("Hm."), *said, *calls)


@pytest.mark.parametrize(
    ("part", "meant"),
    [
        (function("click", y=500, x=250), Click(Spot(250, 500))),
        (function("double_click", y=0, x=999), Click(Spot(999, 0), count=2)),
        (function("triple_click", y=1, x=2), Click(Spot(2, 1), count=3)),
        (function("middle_click", y=1, x=2), Click(Spot(2, 1), "middle")),
        (function("right_click", y=1.6, x=2.4), Click(Spot(2, 2), "right")),
        (function("mouse_down", y=1, x=2), MouseDown(Spot(2, 1))),
        (function("mouse_up", y=1, x=2), MouseUp(Spot(2, 1))),
        (function("move", y=1, x=2), Move(Spot(2, 1))),
        (function("type", text="Hi"), TypeText("Hi")),
        (function("type", text="Hi", press_enter=True), TypeText("Hi", enter=True)),
        (function("drag_and_drop", start_y=1, start_x=2, end_y=3, end_x=4), Drag((Spot(2, 1), Spot(4, 3)))),
        (function("drag_and_drop", y=1, x=2, destination_y=3, destination_x=4), Drag((Spot(2, 1), Spot(4, 3)))),
        (function("scroll", y=1, x=2, direction="down"), Scroll(Spot(2, 1), 0, 300, ScrollUnit.PIXELS)),
        (
            function("scroll", y=1, x=2, direction="up", magnitude_in_pixels=50),
            Scroll(Spot(2, 1), 0, -50, ScrollUnit.PIXELS),
        ),
        (
            function("scroll", y=1, x=2, direction="left", magnitude=800),
            Scroll(Spot(2, 1), -800, 0, ScrollUnit.THOUSANDTHS),
        ),
        (function("press_key", key="Enter"), PressKeys(("Enter",))),
        (function("key_down", key="Shift"), KeyDown(("Shift",))),
        (function("key_up", key="Shift"), KeyUp(("Shift",))),
        (function("hotkey", keys=["control", "c"]), PressKeys(("control", "c"))),
        (function("hotkey", keys="control+c"), PressKeys(("control", "c"))),
        (function("wait"), Wait(1)),
        (function("wait", seconds=2.5), Wait(2.5)),
        (function("take_screenshot"), Screenshot()),
    ],
)
def test_each_function_of_the_desktop_is_read(part: Json, meant: Action) -> None:
    made = _read(part)
    assert (made.name, made.actions, made.checks) == (part["functionCall"]["name"], (meant,), ())


@pytest.mark.parametrize(
    ("part", "named"),
    [
        (function("click_at", y=1, x=2), "'click_at'"),
        (function("navigate", url="https://example.org"), "'navigate'"),
        (function("click", y=1), "click: x"),
        (function("click", y="1", x=2), "click: y"),
        (function("click", y=True, x=2), "click: y"),
        (function("click", y=1, x=2, button="right"), "click: button"),
        (function("click", y=float("nan"), x=2), "click: y"),
        (function("scroll", y=1, x=2, direction="north"), "scroll: direction"),
        (function("scroll", y=1, x=2, direction="up", magnitude=1, magnitude_in_pixels=1), "not both"),
        (function("drag_and_drop", start_y=1, start_x=2, destination_y=3, destination_x=4), "start_x"),
        (function("hotkey", keys=[]), "hotkey: keys"),
        (function("hotkey", keys="control++"), "hotkey: keys"),
        (function("press_key", key=""), "press_key: key"),
        (function("wait", seconds=-1), "wait: seconds"),
        (function("click", {"decision": 3}, y=1, x=2), "safety_decision: decision"),
    ],
)
def test_what_is_unknown_or_wrong_is_named_and_not_guessed(part: Json, named: str) -> None:
    (unusable,) = _read(part).actions
    assert isinstance(unusable, Unusable)
    assert named in unusable.problem


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "neither a candidate"),
        ({"candidates": "none"}, "candidates"),
        (response({"executableCode": {"code": "1"}}), "executableCode"),
        (response({"functionCall": {"args": {}}}), "functionCall.name"),
    ],
)
def test_a_body_that_cannot_be_answered_is_a_defect_that_names_the_part(body: Json, named: str) -> None:
    with pytest.raises(ReplyDefect) as raised:
        CODEC.reply(body)
    assert named in raised.value.message


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (response({"text": "I"}, reason="MAX_TOKENS"), "MAX_TOKENS"),
        (response(function("wait"), reason="MALFORMED_FUNCTION_CALL"), "MALFORMED_FUNCTION_CALL"),
        (response(thought("Hm.")), "neither an action nor an answer"),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, "the request was blocked: SAFETY"),
        ({"candidates": [{"finishReason": "SAFETY", "finishMessage": "No."}]}, "SAFETY: No."),
    ],
)
def test_a_turn_that_ended_early_says_why_and_does_nothing(body: Json, reason: str) -> None:
    is_response(body)
    turn = CODEC.reply(body)
    assert (turn.stopped, turn.calls) == (reason, ())
    assert wrong_request(CODEC.request(talk(Exchange(turn, (), None, "Go on.")))) == ""


def test_words_and_tokens_of_a_reply_are_read_without_the_thoughts() -> None:
    turn = CODEC.reply(response(thought("Hm."), {"text": "Saved."}, {"text": "Done."}))
    assert (turn.text, turn.calls, turn.stopped, turn.model) == ("Saved.\nDone.", (), "", "gemini-3.5-flash")
    usage = turn.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cost_usd) == (1200, 30, 1000, None)


def test_a_request_offers_the_desktop_and_sends_the_turn_back_with_its_signatures() -> None:
    body = response(thought("Hm."), function("click", y=1, x=2), function("take_screenshot"))
    turn = CODEC.reply(body)
    sent = cast(
        "Json", CODEC.request(talk(done(turn, "Clicked.", "A picture.", after=picture("after"), note="Go on.")))
    )
    first, replayed, answered = sent["contents"]
    assert [*first["parts"][0].values()] == ["Save the file."]
    assert replayed == body["candidates"][0]["content"]
    click, screenshot = (part["functionResponse"] for part in answered["parts"][:-1])
    assert click == {"name": "click", "response": {"output": "Clicked."}}
    assert screenshot == {
        "name": "take_screenshot",
        "response": {"output": "A picture."},
        "parts": [{"inlineData": {"mimeType": "image/png", "data": base64.b64encode(b"after").decode()}}],
    }
    assert answered["parts"][-1] == {"text": "Go on."}
    assert sent["config"] == {
        "systemInstruction": "Use the desktop.",
        "tools": [{"computerUse": {"environment": "ENVIRONMENT_DESKTOP"}}],
        "maxOutputTokens": 500,
    }
    assert (CODEC.space, sent["model"]) == (Space.THOUSANDTHS, "gemini-3.5-flash")


def test_a_screenshot_in_mid_batch_is_of_its_moment() -> None:
    turn = CODEC.reply(response(function("take_screenshot"), function("wait")))
    answers = Answer((ActionOutcome("Now.", picture("then")),)), Answer((ActionOutcome("Waited."),))
    sent = cast("Json", CODEC.request(talk(Exchange(turn, answers, picture("at the end")))))
    assert _pictures(sent) == ["the first", "then", "at the end"]


def test_only_the_last_three_turns_have_pictures() -> None:
    turn = CODEC.reply(response(function("wait")))
    exchanges = [done(turn, after=picture(f"after {number}")) for number in range(5)]
    shown = [_pictures(cast("Json", CODEC.request(talk(*exchanges[:count])))) for count in range(6)]
    assert shown == [
        ["the first"],
        ["the first", "after 0"],
        ["the first", "after 0", "after 1"],
        ["after 0", "after 1", "after 2"],
        ["after 1", "after 2", "after 3"],
        ["after 2", "after 3", "after 4"],
    ]
    sent = cast("Json", CODEC.request(talk(*exchanges)))
    assert parts_of(sent)[1] == {"text": REMOVED}


def test_failures_and_what_was_not_tried_are_errors() -> None:
    turn = CODEC.reply(response(function("press_key", key="Hyper"), function("wait")))
    answers = Answer((ActionOutcome("no such key", failed=True),)), Answer((ActionOutcome("", skipped=True),))
    sent = cast("Json", CODEC.request(talk(Exchange(turn, answers, picture()))))
    assert [part["functionResponse"]["response"] for part in sent["contents"][-1]["parts"]] == [
        {"error": "Failed: no such key"},
        {"error": "Not executed: an earlier computer action in this turn failed."},
    ]


def test_safety_decisions_become_questions_and_are_acknowledged_only_where_a_person_did() -> None:
    decision = {"decision": "require_confirmation", "explanation": "It accepts the terms."}
    turn = CODEC.reply(response(function("click", decision, y=1, x=2)))
    (made,) = turn.calls
    assert made.checks == (SafetyCheck("It accepts the terms.", code="require_confirmation"),)
    refused, approved = (
        cast("Json", CODEC.request(talk(Exchange(turn, (Answer((ActionOutcome("Clicked."),), each),), picture()))))
        for each in ((), made.checks)
    )
    responses = [sent["contents"][-1]["parts"][0]["functionResponse"]["response"] for sent in (refused, approved)]
    assert responses == [{"output": "Clicked."}, {"output": "Clicked.", "safety_acknowledgement": "true"}]
    assert _read(function("click", {"decision": "regular"}, y=1, x=2)).checks == ()
    unknown = _read(function("click", {"decision": "escalate"}, y=1, x=2))
    assert unknown.checks == (SafetyCheck("", code="escalate"),), "a decision that is not known is a person's"


@pytest.mark.parametrize("word", ["blocked", "BLOCKED"])
def test_what_the_vendor_blocks_is_not_done(word: str) -> None:
    decision = {"decision": word, "explanation": "It pays."}
    made = _read(function("click", decision, y=1, x=2))
    assert (made.actions, made.checks) == ((Unusable("blocked by Google: It pays."),), ())


@given(conversations(CODEC, bodies()))
def test_every_request_has_the_vendors_form_and_answers_every_call(asked: Conversation) -> None:
    body = cast("Json", CODEC.request(asked))
    assert wrong_request(body) == ""
    parts = parts_of(body)
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
    assert [(each["name"], each.get("id")) for each in answers] == [(each["name"], each.get("id")) for each in calls]


@given(bodies())
def test_random_replies_have_the_vendors_form_and_are_read_whole(body: Json) -> None:
    is_response(body)
    turn = CODEC.reply(body)
    content = body["candidates"][0]["content"]
    assert [*turn.items] == [content]
    named = [part["functionCall"]["name"] for part in content["parts"] if "functionCall" in part]
    assert [each.name for each in turn.calls] == named
    assert not any(isinstance(action, Unusable) for each in turn.calls for action in each.actions)


_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(_anything, st.sampled_from(sorted(FUNCTIONS)), st.sampled_from(["x", "y", "text", "keys", "key", "direction"]))
def test_no_body_makes_the_codec_raise_anything_but_a_defect(junk: Any, name: str, argument: str) -> None:
    damaged = [response(function(name, **{argument: junk})), response(function(name, junk)), response(junk)]
    for body in (junk, {"candidates": junk}, {"candidates": [junk]}, *damaged):
        try:
            turn: Turn | None = CODEC.reply(body)
        except ReplyDefect:
            turn = None
        if turn is not None:
            assert wrong_request(CODEC.request(talk(done(turn, after=picture(), note="Go on.")))) == ""


@given(st.integers(0, 999), st.integers(0, 999), st.integers(1, 8000), st.integers(1, 8000), st.integers(-4000, 4000))
def test_a_thousandth_is_a_pixel_of_the_screen_within_one_step(
    x: int, y: int, width: int, height: int, at: int
) -> None:
    screen = ShownScreen(Rect.from_extents(at, -at, width, height), CODEC.fit(Size(width, height)), CODEC.space)
    point = screen.point(Spot(x, y))
    assert screen.rect.contains(point)
    for pixel, share, length in ((point.x - at, x, width), (point.y + at, y, height)):
        assert abs(pixel - share * length / 1000) <= max(1, length / 1000)
    if min(width, height) >= 1000:
        back = screen.spot(point)
        assert max(abs(back.x - x), abs(back.y - y)) <= 1


@pytest.mark.parametrize("spot", [Spot(1000, 0), Spot(0, 1000), Spot(-1, 0), Spot(0, -1)])
def test_a_point_outside_is_refused_and_not_moved_inside(spot: Spot) -> None:
    screen = ShownScreen(Rect(0, 0, 1440, 900), Size(1440, 900), CODEC.space)
    with pytest.raises(ReplyDefect, match="outside of the screen"):
        screen.point(spot)


@given(st.integers(100, 9000), st.integers(100, 9000))
def test_pictures_keep_their_shape_in_the_recommended_size(width: int, height: int) -> None:
    size = CODEC.fit(Size(width, height))
    share = max(size.width / width, size.height / height)
    assert share <= 1
    assert max(abs(size.width - width * share), abs(size.height - height * share)) <= 1
    assert max(size.width, size.height) <= 1440
    assert min(size.width, size.height) <= 900


def test_a_removed_picture_is_left_out() -> None:
    turn = CODEC.reply(response(function("wait")))
    sent = cast("Json", CODEC.request(talk(done(turn, after=Picture(b"", SCREEN)), screenshot=Picture(b"", SCREEN))))
    assert _pictures(sent) == []
    assert wrong_request(sent) == ""


def _read(part: Json) -> Call:
    (made,) = CODEC.reply(response(part)).calls
    return made


def _pictures(body: Json) -> list[str]:
    """The words of the pictures that a request has, in order."""
    inner = [part for each in parts_of(body) for part in (each, *each.get("functionResponse", {}).get("parts", []))]
    return [base64.b64decode(part["inlineData"]["data"]).decode() for part in inner if "inlineData" in part]
