"""Answers that were written down beforehand (contract 2.4, 6)."""

from pathlib import Path

import pytest

from deskhand.core.errors import UsageError
from deskhand.core.events import ConfirmationDecided
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import ConfirmationRequest
from deskhand.session.interactors import AutoInteractor, ScriptedInteractor, SplitInteractor, read_script
from notes import APP, CONFIRM_DELETE, Notes
from stage import assign, rule, say, stage

SCRIPT = """
answers:
  Which name?: Ada
  /year/i: "1843"
confirmations: [approve, reject]
"""
REQUEST = ConfirmationRequest("agent", (), "")


async def test_a_script_answers_by_question_or_pattern_and_decides_in_order(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text(SCRIPT)
    script = read_script(path)
    answers = await script.ask("agent", ["Which name?", "Which Year?", "Why?"])
    assert (dict(answers.answers), answers.timed_out) == ({"Which name?": "Ada", "Which Year?": "1843"}, False)
    assert [await script.confirm(REQUEST) for _ in range(3)] == [True, False, None]


async def test_a_script_that_foresees_none_of_the_questions_never_answers() -> None:
    assert (await ScriptedInteractor({}).ask("agent", ["Why?"])).timed_out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("answers: {'/(/': x}", "answers.yaml:1"),
        ("confirmations: [approve, perhaps]", "a confirmation is approve or reject"),
        ("answer: {}", "answer"),
    ],
)
def test_what_is_wrong_with_a_script_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        read_script(path)


def test_a_missing_script_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the answers"):
        read_script(tmp_path / "nothing.yaml")


@pytest.mark.requires("round.unattended")
async def test_nobody_never_answers_and_never_approves() -> None:
    nobody = AutoInteractor()
    assert nobody.reaches_person is False
    assert (await nobody.ask("agent", ["Why?"])).timed_out
    assert await nobody.confirm(REQUEST) is None


async def test_questions_and_confirmations_may_go_to_different_ones() -> None:
    split = SplitInteractor(AutoInteractor(), ScriptedInteractor({"a": "b"}, [True]))
    assert split.reaches_person
    assert (await split.ask("agent", ["a"])).timed_out
    assert await split.confirm(REQUEST)


def test_everything_wrong_with_a_script_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "answers.yaml"
    path.write_text("answers:\n  /(/: x\n  b: 3\nconfirmations: [perhaps]\nmore: 1\n")
    with pytest.raises(UsageError) as caught:
        read_script(path)
    assert [line.split(":")[1] for line in caught.value.message.splitlines()] == ["2", "3", "4", "5"]


@pytest.mark.requires("asking.undecided", "round.unattended")
async def test_answers_alone_leave_a_confirmation_undecided_which_is_a_timeout_and_no_rejection(tmp_path: Path) -> None:
    notes = Notes()
    it = stage(
        notes.desktop,
        {"HostAgent": [assign("Notes", "Delete it"), say("FINISH")], APP: [say("CONTINUE", "invoke", "Delete")]},
        log_path=tmp_path,
        person=SplitInteractor(ScriptedInteractor({"Which?": "this"}), AutoInteractor()),
        rules=rule(CONFIRM_DELETE, "confirm"),
    )
    await it.run()
    assert [event.decision for event in it.events.of(ConfirmationDecided)] == ["timeout"]
    assert (it.outcomes, notes.log) == ([Outcome.TIMEOUT], [])
    assert it.context.rejected_actions == set()
