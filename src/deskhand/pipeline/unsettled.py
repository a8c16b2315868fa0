"""Actions of a subtask that failed or had no effect, and that nothing made up for until its FINISH."""

import re
from collections.abc import Sequence
from typing import Final

from deskhand.core.command import Effect
from deskhand.core.model import ActionRecord, StepRecord
from deskhand.core.statuses import AgentStatus
from deskhand.prompts.step_history import called

_KEYS: Final = "keyboard_input"
_GIVEN_KEYS: Final = "keys"
_ADVISED: Final = re.compile(r"\bpress (\{\w+\})")
"""Keys that the record of an action advises, such as to leave its field."""
_CONTENT: Final = frozenset({"item", "keys", "path", "text"})
"""Arguments that name what an action is for; others, such as a mouse button, may be the same for two controls."""


def unsettled(steps: Sequence[StepRecord]) -> str:
    """Return why a subtask with these steps may not be finished yet; empty where it may.

    A FINISH that was withdrawn in the last step is accepted the second time.
    """
    if steps and steps[-1].reply_status == AgentStatus.FINISH:
        return ""
    records = [(step.step, action) for step in steps for action in step.actions]
    for place, (number, action) in enumerate(records):
        if _is_open(action) and not any(_makes_up(later, action) for _, later in records[place + 1 :]):
            return _reason(number, action)
    return ""


def _is_open(action: ActionRecord) -> bool:
    """Return whether an action is reported as not done; an unverifiable one may have been."""
    return action.effect in {Effect.REFUSED, Effect.PARTIAL, Effect.SUSPECTED_NOOP}


def _makes_up(later: ActionRecord, action: ActionRecord) -> bool:
    """Return whether a later action may have done the same, or did something else to the same control."""
    if later.effect not in {Effect.CONFIRMED, Effect.UNVERIFIABLE}:
        return False
    if action.target and _control(later) == _control(action):
        return True
    if later.function == _KEYS and later.arguments.get(_GIVEN_KEYS) in _ADVISED.findall(action.message):
        return True
    if later.function != action.function:
        return False
    if not action.target and action.function != _KEYS:
        return True
    return bool(_texts(action)) and _texts(later) == _texts(action)


def _control(action: ActionRecord) -> tuple[str, str]:
    return (action.target_role, action.target_name or action.target)


def _texts(action: ActionRecord) -> dict[str, str]:
    given = action.arguments.items()
    return {name: value for name, value in given if isinstance(value, str) and value and name in _CONTENT}


def _reason(number: int, action: ActionRecord) -> str:
    return (
        f"step {number}, {called(action)}, was not done ({action.effect}): do it now, or claim FAIL; claim FINISH "
        "again only if it is not needed, or the screen shows it done"
    )
