"""Running one session from the command line: progress, report, summary, exit code. What `demo` and `run` share."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

from deskhand.cli.console import Failure, complain, print_json, printable, say
from deskhand.cli.empty_summary import nothing_but
from deskhand.cli.signals import Stopped, Work, run_and_tell
from deskhand.core.errors import EXIT_ERROR, DeskhandError, StoreError
from deskhand.core.outcomes import Outcome
from deskhand.report.costs import Spent
from deskhand.report.formatting import seconds, spent
from deskhand.report.html import write_report
from deskhand.report.summary import ErrorSummary, SessionSummary, Tokens, summarise
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.round import Ending
from deskhand.session.running_sessions import announced
from deskhand.store.journal import JOURNAL_NAME

Explain: TypeAlias = Callable[[SessionSummary], ErrorSummary]


def why(summary: SessionSummary) -> ErrorSummary:
    """Why a session that ended by its own rules was no success."""
    kind = "".join(part.capitalize() for part in summary.outcome.split("_"))
    fix = f"Look at {summary.report or summary.session_dir}: it shows every step."
    return ErrorSummary(type=kind, message=summary.reason, fix=fix)


def carry_out(plan: SessionPlan, report: Path, *, as_json: bool, explain: Explain = why) -> int:
    """Runs a session to its end, writes its page to `report`, prints what came of it and returns the exit code.

    `explain` says what to tell of a session that ended by its own rules and is no success.
    """
    with announced("session", plan.session_id, plan.desktop):
        return run_and_tell(
            partial(run_session, plan), lambda work: _conclude(work, plan, report, explain, as_json=as_json)
        )


def _conclude(work: Work[Ending], plan: SessionPlan, report: Path, explain: Explain, *, as_json: bool) -> int:
    """Writes the report and prints the summary; the session's exit code, or that of what stopped it."""
    summary, code = conclude(work, plan, report, explain)
    if as_json:
        print_json(summary.to_json())
    elif summary.session_dir:
        _tell(summary)
    if summary.error is not None:
        complain(summary.error.message, summary.error.fix)
    sys.stdout.flush()
    return code


def conclude(work: Work[Ending], plan: SessionPlan, report: Path, explain: Explain) -> tuple[SessionSummary, int]:
    """Writes the report of a session that has ended; what came of it, and its exit code or that of what stopped it."""
    failure, code = None, EXIT_ERROR
    try:
        code = work.result().exit_code
    except Stopped:
        code = Outcome.CANCELLED.exit_code
    except DeskhandError as error:
        failure = Failure.of(error)
        code = failure.exit_code
    except Exception as error:  # noqa: BLE001 - SPEC 6: anything unhandled is told and ends with 4
        failure = Failure.unhandled(error)
    return _summary(plan, _page(plan, report), failure, explain), code


def _page(plan: SessionPlan, report: Path) -> Path | None:
    """The page; None where no session began, or where it could not be written, which changes no outcome."""
    if not (plan.session_dir / JOURNAL_NAME).exists():
        return None
    try:
        return write_report(plan.session_dir, report)
    except StoreError as error:
        complain(error.message, error.fix)
        return None


def _summary(plan: SessionPlan, report: Path | None, failure: Failure | None, explain: Explain) -> SessionSummary:
    try:
        summary = summarise(plan.session_dir, report=report)
    except StoreError as error:
        failure = failure or Failure.of(error)
        return nothing_but(failure, request=plan.requests[0], session_id=plan.session_id)
    if failure is not None:
        told = ErrorSummary(type=failure.type, message=failure.message, fix=failure.fix)
        return summary.model_copy(update={"outcome": Outcome.ERROR.value, "reason": failure.message, "error": told})
    if summary.error is None and summary.outcome != Outcome.SUCCESS:
        return summary.model_copy(update={"error": explain(summary)})
    return summary


def _tell(summary: SessionSummary) -> None:
    checks = f", {sum(check.ok for check in summary.checks)} of {len(summary.checks)} checks" if summary.checks else ""
    asked = summary.tokens != Tokens() or summary.cost_usd != 0
    calls = Spent(summary.model_calls, summary.tokens.input, summary.tokens.output, summary.cost_usd)
    rows = [
        ("outcome", summary.outcome),
        ("result" if summary.outcome == Outcome.SUCCESS else "reason", summary.reason),
        *(("judged", f"{e.complete}: {e.reason} ({e.model})") for e in summary.evaluations),
        *(("document", document.told) for document in summary.documents),
        *(("output", output) for output in summary.outputs),
        ("report", summary.report or ""),
        ("log", summary.session_dir),
        ("took", f"{seconds(summary.wall_s)}, {summary.steps} {'step' if summary.steps == 1 else 'steps'}{checks}"),
        ("spent", spent(calls) if asked else ""),
    ]
    for name, value in rows:
        if value:
            say(f"{name:<8} {printable(value)}")
