"""The blackboard in a prompt: within its bytes, whatever stands on it (contract 3.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.json import JsonValue
from deskhand.core.model import SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.text import cut, one_line, quoted, size
from deskhand.memory import Blackboard

KEYS = ("session_step", "subtask", "action_representation", "result")
ANY = st.text(max_size=60) | st.text(alphabet="x \n🙂é\ud800\u202e|", min_size=200, max_size=3000)
JSON = st.recursive(st.none() | st.integers() | ANY, lambda inner: st.lists(inner, max_size=4), max_leaves=8)


@st.composite
def boards(draw: st.DrawFn) -> Blackboard:
    board = Blackboard(history_keys=draw(st.sampled_from([KEYS, (), ("a",) * 30, ("x" * 500,)])))
    board.requests += draw(st.lists(ANY, max_size=5)) * draw(st.sampled_from([1, 1, 500]))
    board.add_answers(draw(st.dictionaries(ANY, ANY, max_size=4)))
    board.arrivals += draw(st.lists(ANY, max_size=3))
    ended = SubtaskRecord(draw(ANY), "FAIL", Outcome.FAILED, result=draw(ANY), error=draw(ANY))
    board.subtasks += [ended] * draw(st.sampled_from([0, 1, 3000]))
    for name, value in draw(st.dictionaries(ANY, JSON, max_size=4)).items():
        board.save(name, value, application="a", step=1)
    steps = draw(st.lists(st.dictionaries(st.sampled_from([*KEYS, "a"]), JSON), max_size=4))
    for step in steps * draw(st.sampled_from([1, 1, 700])):
        board.add_trajectories(step)
    for path in draw(st.lists(ANY, max_size=3)):
        board.add_image(path, {"reason": path, "more": path})
    return board


@pytest.mark.requires("memory.blackboard-bounded")
@given(board=boards(), budget=st.integers(0, 300) | st.sampled_from([1500, 6000]))
@pytest.mark.long
def test_no_board_takes_more_than_its_bytes_and_none_breaks(board: Blackboard, budget: int) -> None:
    told = board.blackboard_to_prompt(budget)
    assert len(told.encode()) <= budget


@pytest.mark.requires("memory.blackboard-bounded")
def test_what_is_huge_leaves_room_for_what_is_small() -> None:
    board = Blackboard(history_keys=KEYS)
    board.requests += [f"{'long ' * 300}{n}" for n in range(1000)]
    board.save("block", {"range": "A1:C5"}, application="calc", step=3)
    row: list[JsonValue] = ["9" * 100] * 50
    cells: list[JsonValue] = [row] * 50
    board.save("cells", cells, application="calc", step=4)
    for step in range(1, 5001):
        board.add_trajectories({"session_step": step, "subtask": "Fill the form", "action_representation": ["invoke"]})
    told = board.blackboard_to_prompt(6000)
    assert '- block: {"range": "A1:C5"}' in told
    assert "- cells: list of 50; it begins [[" in told
    assert "older left out\n- long long" in told
    newest_last = told.splitlines()[-2:]
    assert newest_last == ['- 4999 | " | invoke', '- 5000 | " | invoke'], "the subtask once, the newest step last"
    assert len(board.trajectories) == 5000


@pytest.mark.requires("memory.told-once")
def test_a_step_and_a_request_that_the_prompt_has_elsewhere_are_not_said_again() -> None:
    board = Blackboard(history_keys=KEYS)
    board.requests += ["first", "second"]
    for step in (1, 2, 3):
        board.add_trajectories({"session_step": step, "subtask": "Wait", "action_representation": [f"wait({step})"]})
    told = board.blackboard_to_prompt(steps_told={2, 3}, request="second")
    assert told == "Requests:\n- first\nSteps (step | subtask | actions | result):\n- 1 | Wait | wait(1)"


@pytest.mark.requires("memory.told-once")
def test_steps_of_the_host_and_results_of_ended_subtasks_are_not_repeated() -> None:
    board = Blackboard(history_keys=KEYS)
    board.add_trajectories({"session_step": 1, "subtask": "", "action_representation": ["launch"], "result": ""})
    board.add_trajectories(
        {"session_step": 2, "subtask": "Read", "action_representation": ["read"], "result": "3 rows"}
    )
    board.add_trajectories({"session_step": 3, "subtask": "Read", "action_representation": [], "result": "3 rows"})
    board.subtasks.append(SubtaskRecord("Read", "FINISH", Outcome.SUCCESS, result="3 rows"))
    told = board.blackboard_to_prompt(leave_out={"Ended subtasks"})
    assert told == "Steps (step | subtask | actions | result):\n- 2 | Read | read"


def test_a_bar_in_a_subtask_or_an_action_separates_no_column() -> None:
    board = Blackboard(history_keys=KEYS)
    for step, keys in ((1, "a"), (2, "b | c")):
        deed = f"keyboard_input(keys={keys}) → confirmed"
        board.add_trajectories({"session_step": step, "subtask": "sum | mean", "action_representation": [deed]})
    assert board.blackboard_to_prompt().splitlines()[1:] == [
        '- 1 | "sum \\u007c mean" | keyboard_input(keys=a) → confirmed',
        '- 2 | " | keyboard_input(keys=b \\u007c c) → confirmed',
    ]


def test_each_name_is_listed_with_kind_size_and_beginning_and_not_again_where_the_history_shows_it() -> None:
    board = Blackboard()
    cells: list[JsonValue] = [["Region", "Q1"], ["North", "120"]]
    board.save("sales", {"rows": 2, "cells": cells}, application="writer", step=2)
    board.save(board.own_name("texts", 3), {"text": "Dear Ada" * 100}, application="writer", step=3)
    board.save(board.own_name("texts", 3), {"text": "short"}, application="writer", step=3)
    begun = "Dear Ada" * 100
    assert board.blackboard_to_prompt(outputs_told={("texts_1_3", 3), ("sales", 3)}).splitlines() == [
        "Data:",
        '- sales: {"rows": 2, "cells": [["Region", "Q1"], ["North", "120"]]}',
        f'- texts_3: text of 800 characters; it begins {{"text": "{begun[:150]}…',
        "- texts_1_3: text of 5 characters, shown in step 3",
    ]


@pytest.mark.requires("memory.history-keys")
def test_only_the_configured_fields_of_a_step_are_told() -> None:
    board = Blackboard(history_keys=("thought",))
    board.add_trajectories({"thought": "why", "session_step": 1, "result": "hidden"})
    assert board.blackboard_to_prompt() == "Steps (thought):\n- why"
    silent = Blackboard(history_keys=())
    silent.add_trajectories({"thought": "why", "session_step": 1})
    assert silent.blackboard_to_prompt() == ""


@pytest.mark.requires("memory.history-keys")
def test_a_step_that_is_told_again_takes_its_own_place() -> None:
    board = Blackboard(history_keys=("result",))
    for step, result in ((1, "a"), (2, "held"), (3, "c"), (2, "ran")):
        board.add_trajectories({"session_step": step, "result": result})
    assert [step["result"] for step in board.trajectories] == ["a", "ran", "c"]


@given(text=ANY, most=st.integers(0, 100))
def test_a_cut_text_fits_and_says_that_it_was_cut(text: str, most: int) -> None:
    for shown in (cut(text, most), one_line(text, most)):
        assert len(shown.encode()) <= most
    assert "\n" not in one_line(text, most)
    if size(text) > most >= 3:
        assert cut(text, most).endswith("…")
    if size(text) <= most:
        assert cut(text, most) == text.encode("utf-8", "replace").decode()


@pytest.mark.requires("memory.blackboard-bounded")
def test_what_came_of_a_step_is_escaped_once() -> None:
    board = Blackboard(history_keys=KEYS)
    text = quoted("a\tb  c")
    done = f"set_edit_text(text={text}) → confirmed"
    board.add_trajectories({"session_step": 1, "action_representation": [done, done]})
    assert board.blackboard_to_prompt().endswith(f"- 1 |  | {done}; {done}")
