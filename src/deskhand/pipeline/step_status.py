"""The status after a failed step, and after repeated steps (contract 3.1)."""

from deskhand.core.errors import ErrorInfo
from deskhand.core.model import AgentKind
from deskhand.core.statuses import AgentStatus, Cause, StepVerdict


def after_failure(error: ErrorInfo, kind: str, failed_steps: int, max_failed_steps: int) -> StepVerdict:
    """Return the verdict of a failed step. `failed_steps`: failures in a row, this one included.

    Not recoverable: ERROR. The application gone: FAIL at once, as only the host can help; the host itself continues.
    Otherwise CONTINUE up to `max_failed_steps`, then FAIL.
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
    """Return the verdict of a step that would repeat the same actions after the warning."""
    reason = f"it repeated the same step {times} times and nothing changed: {actions}"
    return StepVerdict(AgentStatus.FAIL, Cause.SYSTEM, "spent", reason)
