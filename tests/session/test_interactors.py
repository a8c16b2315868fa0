"""Answers that were written down beforehand."""

from pathlib import Path

import pytest

from deskhand.core.errors import UsageError
from deskhand.core.ports import ConfirmationRequest
from deskhand.session.interactors import AutoInteractor, ScriptedInteractor, SplitInteractor, read_script

REQUEST = ConfirmationRequest("Writer", (), "")


async def test_questions_are_answered_by_what_they_ask() -> None:
    scripted = ScriptedInteractor({"Which year?": "2024", "/region/i": "North"})
    answers = await scripted.ask("Writer", ["Which year?", "In which Region?", "Why?"])
    assert answers.answers == {"Which year?": "2024", "In which Region?": "North"}
    assert not answers.timed_out


async def test_a_question_that_nobody_foresaw_is_not_answered() -> None:
    assert (await ScriptedInteractor({}).ask("Writer", ["Why?"])).timed_out


async def test_confirmations_are_decided_in_order_and_then_refused() -> None:
    scripted = ScriptedInteractor({}, [True, False, True])
    assert [await scripted.confirm(REQUEST) for _ in range(4)] == [True, False, True, False]


async def test_questions_and_confirmations_may_go_to_different_ones() -> None:
    split = SplitInteractor(AutoInteractor(), ScriptedInteractor({"a": "b"}, [True]))
    assert split.reaches_person
    assert (await split.ask("Writer", ["a"])).timed_out
    assert await split.confirm(REQUEST)


async def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text("answers:\n  Which year?: '2024'\nconfirmations: [approve, reject]\n")
    scripted = read_script(path)
    assert (await scripted.ask("Writer", ["Which year?"])).answers == {"Which year?": "2024"}
    assert [await scripted.confirm(REQUEST) for _ in range(2)] == [True, False]


def test_everything_wrong_with_a_script_is_told_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text("answers:\n  /(/: x\n  b: 3\nconfirmations: [perhaps]\nmore: 1\n")
    with pytest.raises(UsageError) as caught:
        read_script(path)
    lines = caught.value.message.splitlines()
    assert [line.split(":")[1] for line in lines] == ["2", "3", "4", "5"]
