"""What agents remember and share (contract 3.2)."""

from pathlib import Path

import pytest

from deskhand.core.model import SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.memory import Blackboard, Memory, MemoryItem
from notes import APP, Notes
from stage import assign, say, stage


@pytest.mark.requires("memory.item")
async def test_an_item_holds_the_reply_what_ran_and_where_in_the_session(tmp_path: Path) -> None:
    notes = Notes()
    reply = say("FINISH", "invoke", "Save", thought="press it", result="saved", plan=["rest"])
    it = stage(
        notes.desktop, {"HostAgent": [assign("Notes", "Save it"), say("FINISH")], APP: [reply]}, log_path=tmp_path
    )
    await it.run("Save my notes")
    (agent,) = it.host.appagent_dict.values()
    item = agent.memory.items[0].to_dict()
    wanted = {
        "thought": "press it",
        "plan": ["rest"],
        "status": "FINISH",
        "function_call": ["invoke"],
        "action_representation": ['invoke(button "Save" [2]) → confirmed'],
        "action_type": ["deskhand"],
        "session_step": 2,
        "round_step": 2,
        "round_num": 1,
        "agent_step": 1,
        "subtask": "Save it",
        "request": "Save my notes",
        "app_root": "Notes",
        "cost": 0.0,
    }
    assert {key: item[key] for key in wanted} == wanted
    assert item["action"] == item["action_success"]
    assert agent.blackboard.trajectories[1]["session_step"] == 2


@pytest.mark.requires("memory.history-keys")
async def test_trajectories_carry_only_the_configured_keys(tmp_path: Path) -> None:
    it = stage(
        Notes().desktop,
        {"HostAgent": [say("FINISH", thought="t", result="r")]},
        log_path=tmp_path,
        settings={"history_keys": ("thought", "session_step", "nothing")},
    )
    await it.run()
    assert it.services.blackboard.trajectories == [{"thought": "t", "session_step": 1}]


def test_a_copy_of_an_item_is_a_copy() -> None:
    item = MemoryItem()
    item.add_values_from_dict({"a": 1})
    copy = item.to_dict()
    copy["a"] = 2
    assert (item.get("a"), item.get("b")) == (1, None)


def test_the_latest_item_is_the_last_one_added() -> None:
    memory = Memory()
    assert memory.latest() is None
    first, second = MemoryItem(), MemoryItem()
    memory.add(first)
    memory.add(second)
    assert memory.latest() is second


def filled() -> Blackboard:
    board = Blackboard()
    board.requests += [f"request {n}" for n in range(100)]
    board.subtasks += [SubtaskRecord(f"subtask {n}", "FINISH", Outcome.SUCCESS, result="x" * 100) for n in range(100)]
    board.save("cells", ["y" * 5000], application="word", step=3)
    return board


@pytest.mark.requires("memory.blackboard-bounded")
@pytest.mark.parametrize("budget", [500, 2000, 6000])
def test_a_prompt_gets_the_newest_within_the_budget_and_the_board_keeps_all(budget: int) -> None:
    board = filled()
    text = board.blackboard_to_prompt(budget)
    assert len(text.encode()) <= budget + 200
    assert "request 99" in text
    assert "older left out" in text
    assert (len(board.requests), len(board.subtasks)) == (100, 100)


@pytest.mark.requires("memory.blackboard-bounded")
def test_a_long_value_is_cut_where_it_is_shown_only() -> None:
    board = filled()
    text = board.blackboard_to_prompt(20_000)
    assert "; it begins " in text
    assert board.values() == {"cells": ["y" * 5000]}


def test_an_empty_board_says_nothing() -> None:
    assert Blackboard().blackboard_to_prompt() == ""


def test_the_board_shows_answers_results_and_pictures_of_the_session() -> None:
    board = Blackboard()
    board.add_answers({"Which?": "this", "When?": " "})
    board.subtasks.append(SubtaskRecord("Read", "FAIL", Outcome.FAILED, error="no table"))
    board.add_image("a.png", {"step": "1"})
    assert board.blackboard_to_prompt() == (
        "Answers:\n- Which? → this\nEnded subtasks:\n- Read: failed no table\nPictures:\n- step 1"
    )
    assert board.screenshots[0].metadata == {"step": "1"}
