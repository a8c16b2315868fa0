"""Results of earlier steps in a prompt: effect, evidence and advice."""

import re
from collections.abc import Mapping
from typing import Final

from deskhand.core.command import Effect, ResultStatus
from deskhand.core.model import ActionRecord, StepRecord
from deskhand.core.text import CUT, as_line

WORDS: Final = 30
"""Words of evidence and advice together."""
_LEAST_EVIDENCE: Final = 18
_BYTES: Final = 300
_WORD: Final = re.compile(r"\S+")
_EFFECTS: Final[Mapping[str, str]] = {
    Effect.CONFIRMED: "confirmed",
    Effect.PARTIAL: "partly done",
    Effect.UNVERIFIABLE: "unknown",
    Effect.SUSPECTED_NOOP: "no effect seen",
    Effect.REFUSED: "refused, not done",
}
_STATUSES: Final[Mapping[str, str]] = {
    ResultStatus.SUCCESS: "done",
    ResultStatus.FAILURE: "failed",
    ResultStatus.SKIPPED: "not done",
    ResultStatus.NONE: "unknown",
}
_TO_DO: Final = "; to do: "
_BROKE_OFF: Final = "failed, maybe partly done"
_NEXT: Final[Mapping[str, str]] = {
    "partly done": "only what is missing",
    "unknown": "look whether it was done before you repeat it",
    "no effect seen": "look once more, then another way",
    "refused, not done": "something else",
    "failed": "something else, unless the cause is gone",
    _BROKE_OFF: "look how much was done before you repeat it",
}


def came_of(action: ActionRecord) -> str:
    """Return `confirmed: it reads "Ada"`; `refused, not done: the button is disabled; to do: look again`.

    An action that was done but did not meet its expectation begins with that.
    """
    outcome = outcome_of(action)
    told = _without_target(action.message or action.evidence, action).removeprefix("skipped: ")
    told, _, named = told.partition(_TO_DO)
    next_step = "" if action.unmet else named or action.advice or _NEXT.get(outcome, "")
    advice = _shortened(next_step, WORDS - min(_LEAST_EVIDENCE, _count(told)))
    evidence = _shortened(told, WORDS - _count(advice))
    line = f"{outcome}{f': {evidence}' if evidence else ''}"
    line += f"{_TO_DO}{advice}" if advice else ""
    if not action.unmet:
        return line
    return f"done; your expectation did not hold: {as_line(action.unmet, _BYTES)}; effect {line}"


def outcome_of(action: ActionRecord) -> str:
    """Return the outcome in words. Unknown is not failed: the action may have been done."""
    if action.effect is None:
        return _STATUSES[action.status]
    is_broken_off = action.status is ResultStatus.FAILURE and action.effect is Effect.UNVERIFIABLE
    return _BROKE_OFF if is_broken_off else _EFFECTS[action.effect]


def _without_target(text: str, action: ActionRecord) -> str:
    """Return evidence with `it` for the target, whose id may be stale by now."""
    if not action.target.endswith("]"):
        return text
    return text.replace(f"{action.target}: its", "its").replace(action.target, "it")


def problem_of(step: StepRecord) -> str:
    """Return the problem of a step that none of its actions names; empty where there is none."""
    said = "; ".join(action.message for action in step.actions)
    unmet = [action.unmet for action in step.actions if action.unmet]
    if step.problem in said or any(sentence in step.problem for sentence in unmet):
        return ""
    return step.problem


def verdict_of(last: StepRecord) -> str:
    """Return the program's remark on the last step, before the next one; empty where its claim was accepted."""
    corrected = f"the program changed it to {last.status}" if last.reply_status not in {"", last.status} else ""
    claimed = f"You claimed {last.reply_status} in the last step; {corrected}"
    unmet = any(action.unmet for action in last.actions)
    failed = not unmet and any(a.status in {ResultStatus.FAILURE, ResultStatus.SKIPPED} for a in last.actions)
    if unmet:
        told = "Your last step was done, but your expectation did not hold; see its record."
        return f"{told} {claimed} for that reason." if corrected else told
    if failed and _is_partly_done(last):
        return "The last step was only partly done; see its record."
    if last.problem and (failed or not corrected):
        return "The last step failed; see its record. Find the cause before you try again."
    if last.problem:
        return f"{claimed}, for the reason in the step's record."
    return f"{claimed}, because not everything was confirmed." if corrected else ""


def _is_partly_done(step: StepRecord) -> bool:
    failures = [action for action in step.actions if action.status is ResultStatus.FAILURE]
    return bool(failures) and all(action.effect is Effect.PARTIAL for action in failures)


def _shortened(text: str, words: int) -> str:
    """Return a text on one line, of at most so many words; quoted text stays exact."""
    line = as_line(text, _BYTES)
    found = list(_WORD.finditer(line))
    return line if len(found) <= words else f"{line[: found[words - 1].end()]}{CUT}"


def _count(text: str) -> int:
    return len(_WORD.findall(text))
