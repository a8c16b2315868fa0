"""The conversation of a subtask: actions in order, and pictures that are removed in lumps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Rect
from deskhand.operator.actions import (
    ActionOutcome,
    Call,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Picture,
    SafetyCheck,
    Screenshot,
    Size,
    Turn,
    Wait,
    pictures_of,
)
from deskhand.operator.coordinates import ShownScreen
from deskhand.operator.loop import Loop

pytestmark = pytest.mark.requires("operator.formats")
SIZE = Size(10, 10)
SHOT = Picture(b"png", SIZE)


def new_loop() -> Loop:
    loop = Loop("", "Save it", shown=ShownScreen(Rect(0, 0, 10, 10), SIZE))
    loop.close_turn(SHOT)
    return loop


def shots(count: int) -> Turn:
    return Turn("", tuple(Call(str(number), "screenshot", (Screenshot(),)) for number in range(count)), ())


@given(st.lists(st.integers(0, 30), max_size=40))
def test_no_request_has_more_than_twenty_pictures_and_each_has_the_screen(turns: list[int]) -> None:
    loop = new_loop()
    before: tuple[Picture, ...] = ()
    removals = 0
    for count in turns:
        loop.begin(shots(count))
        while loop.due is not None:
            loop.record(ActionOutcome("", SHOT))
        loop.close_turn(SHOT)
        sent = loop.conversation(1000)
        assert 1 <= len(pictures_of(sent)) <= 20
        last = sent.exchanges[-1].screenshot
        assert last is not None
        assert not last.removed
        now = tuple(pictures_of(sent))
        removals += len(now) <= len(before)
        before = now
    assert removals <= sum(count + 1 for count in turns) / 17 + 1, "the cached beginning changes seldom"


def test_calls_of_several_actions_are_answered_one_outcome_for_each() -> None:
    loop = new_loop()
    loop.begin(Turn("", (Call("a", "computer", (Wait(1), Screenshot())), Call("b", "computer", (Wait(2),))), ()))
    outcomes = [ActionOutcome("1"), ActionOutcome("2", failed=True)]
    for outcome in outcomes:
        loop.record(outcome)
    assert loop.due is None
    loop.close_turn(SHOT)
    (exchange,) = loop.exchanges
    assert [[each.text or each.skipped for each in answer.outcomes] for answer in exchange.answers] == [
        ["1", "2"],
        [True],
    ]


def test_safety_checks_are_acknowledged_call_by_call() -> None:
    loop, check = new_loop(), SafetyCheck("careful")
    loop.begin(Turn("", tuple(Call(each, "computer", (Wait(1), Wait(2)), (check,)) for each in "ab"), ()))
    seen: list[bool] = []
    for _ in range(4):
        assert loop.due is not None
        seen.append(loop.due.unchecked)
        if len(seen) == 1:
            loop.acknowledge()
        loop.record(ActionOutcome("done"))
    assert seen == [True, False, True, True]
    loop.close_turn(SHOT)
    assert [answer.acknowledged for answer in loop.exchanges[0].answers] == [(check,), ()]


def test_what_was_left_down_is_released_once() -> None:
    loop = new_loop()
    downs = (MouseDown(), KeyDown(("shift",)), MouseDown(), MouseUp())
    loop.begin(Turn("", tuple(Call(str(each), "computer", (each,)) for each in downs), ()))
    for _ in downs:
        loop.record(ActionOutcome("done"))
    assert loop.release() == (KeyUp(("shift",)),)
    assert loop.release() == ()
