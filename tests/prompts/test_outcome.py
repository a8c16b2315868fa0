"""Results of earlier steps in a prompt."""

import pytest

from deskhand.core.command import Effect, ResultStatus
from deskhand.core.json import JsonObject
from deskhand.core.model import ActionRecord, StepRecord
from deskhand.core.text import quoted
from deskhand.prompts.outcome import WORDS, came_of, problem_of, verdict_of
from deskhand.prompts.step_history import called

ELSE = "something else, unless the cause is gone"
OK, FAILED, NONE, SKIPPED = ResultStatus.SUCCESS, ResultStatus.FAILURE, ResultStatus.NONE, ResultStatus.SKIPPED


def record(status: ResultStatus = OK, effect: Effect | None = Effect.CONFIRMED, **words: str) -> ActionRecord:
    return ActionRecord("invoke", {}, "", status, effect, ran=True, **words)


@pytest.mark.requires("prompt.evidence")
@pytest.mark.parametrize(
    ("action", "line"),
    [
        (record(), "confirmed"),
        (record(effect=None), "done"),
        (record(evidence='it reads "Ada" now'), 'confirmed: it reads "Ada" now'),
        (
            record(FAILED, Effect.REFUSED, message="it is disabled", evidence="it is disabled", advice="look again"),
            "refused, not done: it is disabled; to do: look again",
        ),
        (
            record(NONE, Effect.UNVERIFIABLE, evidence="nothing was seen", advice="look first"),
            "unknown: nothing was seen; to do: look first",
        ),
        (
            record(evidence="a window came", unmet="file: there is none"),
            "done; your expectation did not hold: file: there is none; effect confirmed: a window came",
        ),
        (
            record(SKIPPED, None, message="skipped: the reply's status is FAIL"),
            "not done: the reply's status is FAIL",
        ),
        (record(NONE, Effect.UNVERIFIABLE), "unknown; to do: look whether it was done before you repeat it"),
        (
            record(NONE, Effect.UNVERIFIABLE, evidence="reads 5, not applied; to do: press {ENTER}", advice="look"),
            "unknown: reads 5, not applied; to do: press {ENTER}",
        ),
        (record(NONE, Effect.SUSPECTED_NOOP), "no effect seen; to do: look once more, then another way"),
        (record(FAILED, Effect.PARTIAL, evidence="reads 5"), "partly done: reads 5; to do: only what is missing"),
        (record(FAILED, None, message="no such file"), "failed: no such file; to do: " + ELSE),
        (
            record(FAILED, Effect.UNVERIFIABLE, message="the bus died"),
            "failed, maybe partly done: the bus died; to do: look how much was done before you repeat it",
        ),
    ],
)
def test_an_action_is_told_with_what_shows_its_effect_and_what_to_do(action: ActionRecord, line: str) -> None:
    assert came_of(action) == line


@pytest.mark.requires("prompt.evidence")
@pytest.mark.parametrize(("evidence", "advice"), [(90, 0), (90, 9), (5, 90), (90, 90), (WORDS, 0)])
def test_evidence_and_advice_take_thirty_words_at_most_and_neither_drops_the_other(evidence: int, advice: int) -> None:
    line = came_of(record(evidence="seen " * evidence, advice="look " * advice))
    seen, looked = line.count("seen"), line.count("look")
    assert seen + looked == min(WORDS, evidence + advice)
    assert seen >= min(evidence, 18)
    assert looked >= min(advice, 9)
    assert ("…" in line) is (evidence + advice > WORDS)


def test_what_went_wrong_is_told_once() -> None:
    said = record(FAILED, Effect.REFUSED, message="it is disabled")
    unmet = record(unmet="rows: wanted >=2, got 1")
    assert problem_of(StepRecord(1, "CONTINUE", (said,), "it is disabled")) == ""
    assert problem_of(StepRecord(1, "CONTINUE", (unmet,), "read_table is done; …: rows: wanted >=2, got 1")) == ""
    assert problem_of(StepRecord(1, "CONTINUE", (record(),), "no picture")) == "no picture"


@pytest.mark.requires("effect.expected")
@pytest.mark.parametrize(
    ("last", "told"),
    [
        (StepRecord(1, "CONTINUE", (record(),), reply_status="CONTINUE"), ""),
        (StepRecord(1, "CONTINUE", (record(FAILED),), "no", "CONTINUE"), "The last step failed"),
        (StepRecord(1, "CONTINUE", (record(FAILED),), "no", "FINISH"), "The last step failed"),
        (StepRecord(1, "CONTINUE", (record(FAILED, Effect.PARTIAL),), "no", "CONTINUE"), "step was only partly done"),
        (StepRecord(1, "CONTINUE", (), "capture failed"), "The last step failed"),
        (StepRecord(1, "CONTINUE", (record(unmet="x"),), reply_status="CONTINUE"), "Your last step was done, but your"),
        (StepRecord(1, "CONTINUE", (record(unmet="x"),), "x", "FINISH"), "You claimed FINISH"),
        (StepRecord(1, "CONTINUE", (record(NONE),), "not confirmed", "FINISH"), "You claimed FINISH in the last step"),
        (StepRecord(1, "CONTINUE", (), "the claim does not hold: x", "FINISH"), "You claimed FINISH in the last step"),
    ],
)
def test_only_what_failed_is_said_to_have_gone_wrong(last: StepRecord, told: str) -> None:
    assert told in verdict_of(last)
    assert ("step failed" in verdict_of(last)) is ("step failed" in told)


@pytest.mark.requires("prompt.evidence")
def test_a_text_in_evidence_stands_character_for_character_whatever_is_cut() -> None:
    read = "col1\tcol2  \nnb\xa0sp   " + "word " * 40
    line = came_of(record(evidence=f"reads {quoted(read)}"))
    assert line.startswith('confirmed: reads "col1\\tcol2  \\nnb\\u00a0sp   word word')
    assert line.endswith("word…")
    assert came_of(record(evidence="two\n\tlines\u202e")) == "confirmed: two lines\\u202e"


def test_an_empty_text_that_was_written_is_shown_and_other_empty_arguments_are_not() -> None:
    def of(function: str, arguments: JsonObject) -> str:
        return called(ActionRecord(function, arguments, "", ResultStatus.SUCCESS, None, ran=True, message=""))

    assert of("set_edit_text", {"text": "", "name": ""}) == 'set_edit_text(text="")'
    assert of("find_controls", {"text": "", "role": "button"}) == 'find_controls(role="button")'
    assert of("set_edit_text", {"text": " "}) == 'set_edit_text(text=" ")'
