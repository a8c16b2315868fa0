"""What a step's failure makes of its status: one function, and one for going in circles (contract 3.1)."""

from deskhand.core.errors import ErrorInfo
from deskhand.core.model import AgentKind
from deskhand.core.statuses import AgentStatus, Cause, StepVerdict


def after_failure(error: ErrorInfo, kind: str, failed_steps: int, max_failed_steps: int) -> StepVerdict:
    """The verdict of a failed step. `failed_steps`: failed in a row, this one included.

    Not recoverable: ERROR. The application gone: FAIL at once, as only the host can help; the host itself looks again.
    Else CONTINUE while `max_failed_steps` lasts, then FAIL.
    """
    if not error.recoverable:
        return StepVerdict(AgentStatus.ERROR, Cause.SYSTEM, "raised", error.message)
    if error.host_only and kind != AgentKind.HOST:
        return StepVerdict(AgentStatus.FAIL, Cause.SYSTEM, "gone", error.message)
    if failed_steps > max_failed_steps:
        todo = f" To do: {error.fix}" if error.fix else ""
        reason = f"{failed_steps} steps failed in a row; the last: {error.message}{todo}"
        return StepVerdict(AgentStatus.FAIL, Cause.SYSTEM, "spent", reason)
    return StepVerdict(AgentStatus.CONTINUE, Cause.SYSTEM, "corrected", error.message)


def after_repeats(times: int, actions: str) -> StepVerdict:
    """The verdict of a step that would have done the same again after the warning: only another way can help."""
    reason = f"it did the same {times} times in a row and was about to do it again, with nothing changed: {actions}"
    return StepVerdict(AgentStatus.FAIL, Cause.SYSTEM, "spent", reason)
