"""A session's JSON object where there is no session to speak of."""

from deskhand.cli.console import Failure
from deskhand.core.outcomes import Outcome
from deskhand.report.summary import ErrorSummary, SessionSummary, Tokens


def nothing_but(failure: Failure, *, request: str = "", session_id: str = "") -> SessionSummary:
    """The summary of a session that never began."""
    return SessionSummary(
        outcome=_outcome_of(failure.exit_code).value,
        reason=failure.message,
        request=request,
        session_id=session_id,
        session_dir="",
        outputs=[],
        report=None,
        steps=0,
        model_calls=0,
        tokens=Tokens(),
        cost_usd=0.0,
        wall_s=0.0,
        transitions=[],
        subtasks=[],
        checks=[],
        error=ErrorSummary(type=failure.type, message=failure.message, fix=failure.fix),
    )


def _outcome_of(exit_code: int) -> Outcome:
    outcomes = (Outcome.FAILED, Outcome.CANCELLED)
    return next((outcome for outcome in outcomes if outcome.exit_code == exit_code), Outcome.ERROR)
