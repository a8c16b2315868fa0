"""What is a habit and what is not: properties over records of what happened."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi.events import Heard
from deskhand.desktop.linux.idle.activity import Ledger
from deskhand.desktop.linux.idle.periodic import ENOUGH, MEMORY_S, Novelty, Repaints, Sayings

SQUARE = 32
SQUARES = tuple(
    Rect(SQUARE * column, SQUARE * row, SQUARE * (column + 1), SQUARE * (row + 1))
    for row in range(2)
    for column in range(4)
)
rhythms = st.sampled_from([0.008, 0.016, 0.033, 0.1, 0.4])
records = st.lists(
    st.tuples(st.sampled_from([0.008, 0.016, 0.1, 0.6, 2.5]), st.sets(st.integers(0, 7), min_size=1)),
    max_size=200,
)


@pytest.mark.requires("desktop.settle-habits")
@given(rhythm=rhythms, place=st.sampled_from(SQUARES))
def test_a_place_that_repeats_itself_becomes_a_habit_at_any_rhythm(rhythm: float, place: Rect) -> None:
    places = Repaints()
    told = [places.note(turn * rhythm, [place]) for turn in range(ENOUGH + 1)]
    assert told == [Novelty.NEW, *[Novelty.AGAIN] * (ENOUGH - 1), Novelty.HABIT]


@pytest.mark.requires("desktop.settle-habits")
@given(records)
def test_a_habit_was_painted_often_enough_everywhere_and_lately(record: Sequence[tuple[float, set[int]]]) -> None:
    places = Repaints()
    now = 0.0
    painted: dict[int, list[float]] = {square: [] for square in range(len(SQUARES))}
    for pause, squares in record:
        now += pause
        if places.note(now, [SQUARES[square] for square in squares]) is Novelty.HABIT:
            for square in squares:
                assert len(painted[square]) >= ENOUGH
                assert now - painted[square][-1] <= 2 * MEMORY_S
        for square in squares:
            painted[square].append(now)


@pytest.mark.requires("desktop.settle-habits")
@given(rhythm=rhythms, turns=st.integers(ENOUGH, 100), elsewhere=st.integers(1, 7))
def test_a_habit_hides_nothing_elsewhere(rhythm: float, turns: int, elsewhere: int) -> None:
    places = Repaints()
    for turn in range(turns):
        places.note(turn * rhythm, [SQUARES[0]])
    now = turns * rhythm
    assert places.note(now, [SQUARES[0]]) is Novelty.HABIT
    assert places.note(now, [SQUARES[0], SQUARES[elsewhere]]) is Novelty.NEW
    assert places.note(now + rhythm, [SQUARES[0]]) is Novelty.HABIT


@given(rhythm=rhythms, turns=st.integers(ENOUGH, 60), pause=st.floats(2.01, 100.0))
def test_a_habit_that_paused_for_long_is_new_again(rhythm: float, turns: int, pause: float) -> None:
    places = Repaints()
    for turn in range(turns + 1):
        places.note(turn * rhythm, [SQUARES[0]])
    assert places.note(turns * rhythm + pause * MEMORY_S, [SQUARES[0]]) is Novelty.NEW


@given(every=st.integers(2, ENOUGH - 1))
def test_nothing_becomes_a_habit_while_new_things_happen_beside_it(every: int) -> None:
    sayings = Sayings()
    told = {
        sayings.note(turn * 0.01, f"row {turn}" if turn % every == 0 else "repaint of the whole list")
        for turn in range(1000)
    }
    assert Novelty.HABIT not in told


@pytest.mark.requires("desktop.settle-habits")
@given(every=st.integers(2, ENOUGH - 1))
def test_no_place_becomes_a_habit_while_new_places_are_painted_beside_it(every: int) -> None:
    places = Repaints()
    told = {
        places.note(turn * 0.01, [SQUARES[0], SQUARES[0].moved(0, SQUARE * (turn // every % 120))])
        for turn in range(1000)
    }
    assert Novelty.HABIT not in told


@pytest.mark.requires("desktop.settle-habits")
@given(rhythm=rhythms, grows=st.sampled_from(["text", "children at the end", "children at the start"]))
def test_what_grows_is_never_a_habit(rhythm: float, grows: str) -> None:
    ledger = Ledger()
    for turn in range(200):
        place = 0 if grows.endswith("start") else turn
        member = "TextChanged" if grows == "text" else "ChildrenChanged"
        detail = "insert" if grows == "text" else "add"
        now = turn * rhythm
        ledger.event(now, Heard(":1.1", "/list", member, detail, place))
        assert ledger.last(None)[0] == now


@pytest.mark.requires("desktop.settle-habits")
def test_children_that_come_and_go_in_turns_are_a_habit() -> None:
    ledger = Ledger()
    for turn in range(100):
        ledger.event(turn * 0.01, Heard(":1.1", "/list", "ChildrenChanged", ("add", "remove")[turn % 2], 3))
    assert ledger.last(None)[0] < 0.9


def test_an_action_of_ours_starts_the_counting_again_and_ends_no_habit() -> None:
    ledger = Ledger()
    ledger.belongs(7, 100)
    ledger.belongs(8, 100)
    for window, turns in ((7, ENOUGH), (8, ENOUGH - 1)):
        for turn in range(turns):
            ledger.repaint(turn * 0.01, window, (0, 0), [SQUARES[0]])
    ledger.acted(0.3)
    ledger.repaint(0.31, 7, (0, 0), [SQUARES[0]])
    assert ledger.last(100)[0] < 0.3
    for turn in range(ENOUGH):
        ledger.repaint(0.32 + turn * 0.01, 8, (0, 0), [SQUARES[0]])
    assert ledger.last(100)[0] == pytest.approx(0.32 + (ENOUGH - 1) * 0.01)


@pytest.mark.requires("pictures.clicks")
def test_places_that_are_painted_without_an_action_are_known_for_a_while_unless_they_are_too_many() -> None:
    ledger = Ledger()
    ledger.belongs(7, 100)
    ledger.acted(1.0)
    ledger.repaint(1.2, 7, (10, 10), [SQUARES[0]])  # by the action
    ledger.repaint(2.0, 7, (10, 10), [SQUARES[1]])
    ledger.repaint(9.0, 8, (10, 10), [SQUARES[2]])  # of no known process
    ledger.belongs(8, 200)
    assert ledger.restless(100, 9.0) == (SQUARES[1].moved(10, 10),)
    assert ledger.restless(100, 12.1) == ()
    for turn in range(200):
        ledger.repaint(20.0 + turn * 0.01, 7, (0, 0), [SQUARES[0].moved(turn, 0)])
    assert ledger.restless(100, 22.0) is None
    assert ledger.restless(200, 22.0) == ()


def test_news_of_one_application_do_not_keep_another_from_its_habits() -> None:
    ledger = Ledger()
    ledger.belongs(7, 100)
    ledger.belongs(":1.1", 200)
    ledger.belongs(":1.2", 100)
    for turn in range(2 * ENOUGH):
        ledger.event(turn * 0.01, Heard(":1.1", f"/row/{turn}", "StateChanged", "showing", 1))
        ledger.repaint(turn * 0.01, 7, (0, 0), [SQUARES[0]])
    assert ledger.last(100)[0] < 2 * ENOUGH * 0.01 - 0.1
    for turn in range(2 * ENOUGH):
        ledger.event(0.6 + turn * 0.01, Heard(":1.2", f"/row/{turn}", "StateChanged", "showing", 1))
        ledger.repaint(0.6 + turn * 0.01, 7, (0, 0), [SQUARES[5]])
    assert "StateChanged" not in ledger.since(100, 1.0)[0], "the pixels of the same process were not a habit meanwhile"


def test_what_nobody_owns_counts_for_everybody_and_others_do_not() -> None:
    ledger = Ledger()
    ledger.belongs(7, 100)
    ledger.belongs(8, None)
    ledger.repaint(1.0, 7, (10, 20), [Rect(0, 0, 5, 5)])
    assert ledger.last(200)[0] < 0
    assert ledger.last(100) == (1.0, "pixels at [10, 20, 15, 25] of process 100")
    ledger.repaint(2.0, 8, (0, 0), [Rect(0, 0, 5, 5)])
    assert ledger.last(200)[0] == 2.0


def test_whose_a_window_is_may_be_asked_again_once_it_came_and_not_for_ever() -> None:
    ledger = Ledger()
    ledger.repaint(1.0, 7, (0, 0), [SQUARES[0]])
    assert ledger.strangers() == (7,)
    ledger.belongs(7, None)
    assert ledger.strangers() == ()
    ledger.window(1.1, 7, "a window that opened")
    assert ledger.strangers() == (7,)
    ledger.belongs(7, 100)
    ledger.window(1.2, 7, "a window that closed")
    assert ledger.last(100) == (1.2, "a window that closed of process 100")
    ledger.created(7)
    assert ledger.strangers() == (7,)


def _painted(ledger: Ledger, *times: float) -> None:
    for at in times:
        ledger.repaint(at, 7, (0, 0), [Rect(0, 0, 40, 40)])


@pytest.mark.requires("effect.restless")
def test_what_changes_after_an_action_of_ours_leaves_a_window_calm() -> None:
    ledger = Ledger(since=0.0)
    assert not ledger.is_calm(100, 0.6), "nothing is known yet"
    assert ledger.is_calm(100, 2.0)
    ledger.acted(2.0)
    _painted(ledger, 2.1, 2.2, 2.4)
    ledger.belongs(7, 100)
    assert ledger.is_calm(100, 2.41)
    _painted(ledger, 2.6)
    assert not ledger.is_calm(100, 2.7), "nothing was done that this comes from"
    assert ledger.is_calm(100, 3.8)


@pytest.mark.requires("effect.restless")
@pytest.mark.parametrize("pause_s", [0.2, 1.0])
def test_what_ticks_is_never_calm_whatever_is_done(pause_s: float) -> None:
    ledger = Ledger(since=0.0)
    ticks = [pause_s * number for number in range(1, 30)]
    for at in ticks:
        _painted(ledger, at)
        ledger.belongs(7, 100)
        if at > 2:
            ledger.acted(at)
        assert not ledger.is_calm(100, at + 0.1)


@pytest.mark.parametrize("corner", [(4200, 100), (100, 4200), (9000, 9000)])
def test_what_is_new_far_from_the_corner_of_a_large_window_is_new(corner: tuple[int, int]) -> None:
    assert Repaints().note(0.0, [Rect.from_extents(*corner, 10, 10)]) is Novelty.NEW


def test_what_was_forgotten_to_make_room_is_never_taken_for_nothing() -> None:
    ledger = Ledger()
    ledger.belongs(":1.7", 700)
    ledger.event(10.0, Heard(":1.7", "/label", "StateChanged", "focused", 1))
    ledger.repaint(11.0, 1, (0, 0), [Rect(0, 0, 10, 10)])
    ledger.belongs(1, 700)
    assert (ledger.latest(700), ledger.painted(700, 9.0)) == (11.0, (Rect(0, 0, 10, 10),))
    for other in range(2, 600):
        ledger.repaint(12.0, other, (0, 0), [Rect(0, 0, 10, 10)])
        ledger.belongs(other, 800)
    assert ledger.latest(700) >= 11.0
    assert ledger.painted(700, 9.0) is None
    assert ledger.painted(700, 13.0) == ()
    assert not ledger.is_calm(700, 12.5)


def test_of_names_without_end_it_is_known_whose_those_are_that_changed_something() -> None:
    ledger = Ledger()
    ledger.event(0.0, Heard(":1.0", "/label", "TextChanged", "insert", 1))
    for number in range(5000):
        ledger.belongs(f":1.{number}", number)
    assert len(ledger._owners) < 2000  # pyright: ignore  what is kept shows nowhere else
    assert (ledger.told(0), ledger.told(1)) == (1, 0)
