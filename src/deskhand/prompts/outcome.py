"""Results of earlier steps in a prompt: effect, evidence and advice."""

import re
from typing import Final

from deskhand.core.command import ResultStatus
from deskhand.core.model import ActionRecord, StepRecord
from deskhand.core.text import CUT, as_line

WORDS: Final = 30
"""Words of evidence and advice together."""
_LEAST_EVIDENCE: Final = 18
_BYTES: Final = 300
_WORD: Final = re.compile(r"\S+")


def came_of(action: ActionRecord) -> str:
    """Return `confirmed: it reads "Ada"`; `refused: the button is disabled; to do: look again`.

    An action that was done but did not meet its expectation begins with that.
    """
    told = action.message or action.evidence
    advice = _shortened(action.advice, WORDS - min(_LEAST_EVIDENCE, _count(told)))
    evidence = _shortened(told, WORDS - _count(advice))
    line = f"{action.effect or action.status}{f': {evidence}' if evidence else ''}"
    line += f"; to do: {advice}" if advice else ""
    if not action.unmet:
        return line
    return f"done; your expectation did not hold: {as_line(action.unmet, _BYTES)}; effect {line}"


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
    if last.problem and (failed or not corrected):
        return "The last step failed; see its record. Find the cause before you try again."
    if last.problem:
        return f"{claimed}, for the reason in the step's record."
    return f"{claimed}, because not everything was confirmed." if corrected else ""


def _shortened(text: str, words: int) -> str:
    """Return a text on one line, of at most so many words; quoted text stays exact."""
    line = as_line(text, _BYTES)
    found = list(_WORD.finditer(line))
    return line if len(found) <= words else f"{line[: found[words - 1].end()]}{CUT}"


def _count(text: str) -> int:
    return len(_WORD.findall(text))
