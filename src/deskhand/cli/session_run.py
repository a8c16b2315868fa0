"""One session run from the command line: progress, report, summary, exit code. Used by `demo` and `run`."""

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Protocol, TypeAlias, runtime_checkable

from deskhand.cli.console import Failure, print_error, print_json, print_line, printable
from deskhand.cli.signals import run_and_conclude
from deskhand.cli.work import Stopped, Work
from deskhand.core.errors import EXIT_ERROR, DeskhandError, StoreError, UsageError
from deskhand.core.outcomes import Outcome
from deskhand.report.costs import Spent
from deskhand.report.formatting import seconds, spent
from deskhand.report.html import write_report
from deskhand.report.summary import ErrorSummary, HealedSummary, SessionSummary, Tokens, nothing_done, summarise
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.resume import to_resume
from deskhand.session.round import Ending
from deskhand.session.running_sessions import announced
from deskhand.session.session_folders import folder_named
from deskhand.store.journal import JOURNAL_NAME, is_held


@runtime_checkable
class Drawn(Protocol):
    """A listener that draws on the terminal."""

    def close(self) -> None:
        """Leave the terminal as it was."""
        ...


Explain: TypeAlias = Callable[[SessionSummary], ErrorSummary]
Concluded: TypeAlias = Callable[[SessionSummary], None]


def _ignored(_: SessionSummary) -> None:
    """Do nothing with a summary."""


def default_error(summary: SessionSummary) -> ErrorSummary:
    """Reason why a session ended without success and without an error."""
    kind = "".join(part.capitalize() for part in summary.outcome.split("_"))
    fix = f"Read {summary.report or summary.session_dir}: it shows every step."
    return ErrorSummary(type=kind, message=summary.reason, fix=fix)


def carry_out(
    plan: SessionPlan,
    report: Path,
    *,
    as_json: bool,
    explain: Explain = default_error,
    run: Callable[[SessionPlan], Awaitable[Ending]] = run_session,
    concluded: Concluded = _ignored,
) -> int:
    """Run a session, write its report to `report`, print its summary and return the exit code.

    `explain` makes the error of a session that ended without success and without an error. `run`: how it is run.
    `concluded` gets the summary before it is printed.
    """
    with announced("session", plan.session_id, plan.desktop, folder=plan.session_dir):
        try:
            return run_and_conclude(
                partial(run, plan),
                lambda work: _conclude(work, plan, report, explain, as_json=as_json, concluded=concluded),
            )
        finally:
            _leave_terminal(plan)


def _conclude(
    work: Work[Ending], plan: SessionPlan, report: Path, explain: Explain, *, as_json: bool, concluded: Concluded
) -> int:
    """Write the report and print the summary; return the exit code of the session or of its error."""
    _leave_terminal(plan)
    summary, code = conclude(work, plan, report, explain)
    concluded(summary)
    if as_json:
        print_json(summary.to_json())
    elif summary.session_dir:
        _print_summary(summary)
    if summary.error is not None:
        print_error(summary.error.message, summary.error.fix)
    sys.stdout.flush()
    return code


def _leave_terminal(plan: SessionPlan) -> None:
    """Remove what is drawn on the terminal: a session whose journal failed has no last event that does."""
    for listener in plan.listeners:
        if isinstance(listener, Drawn):
            listener.close()


def conclude(work: Work[Ending], plan: SessionPlan, report: Path, explain: Explain) -> tuple[SessionSummary, int]:
    """Write the report of an ended session; return its summary, and the exit code of the session or of its error."""
    failure, code = None, EXIT_ERROR
    try:
        code = work.result().exit_code
    except Stopped:
        code = Outcome.CANCELLED.exit_code
    except DeskhandError as error:
        failure = Failure.of(error)
        code = failure.exit_code
    except Exception as error:  # noqa: BLE001 - any unhandled error is reported and ends with exit code 4
        failure = Failure.unhandled(error)
    return _summary(plan, _page(plan, report), failure, explain), code


def _page(plan: SessionPlan, report: Path) -> Path | None:
    """Path of the report; None if no session began or it could not be written, which changes no outcome."""
    if not (plan.session_dir / JOURNAL_NAME).exists():
        return None
    try:
        return write_report(plan.session_dir, report)
    except StoreError as error:
        print_error(error.message, error.fix)
        return None


def _summary(plan: SessionPlan, report: Path | None, failure: Failure | None, explain: Explain) -> SessionSummary:
    try:
        summary = summarise(plan.session_dir, report=report)
    except StoreError as error:
        failure = failure or Failure.of(error)
        return empty_summary(failure, request=plan.requests[0], session_id=plan.session_id)
    if failure is not None:
        fix = f"{failure.fix} {_further(plan)}".strip()
        error = ErrorSummary(type=failure.type, message=failure.message, fix=fix)
        return summary.model_copy(update={"outcome": Outcome.ERROR.value, "reason": failure.message, "error": error})
    if summary.error is None and summary.outcome != Outcome.SUCCESS:
        error = explain(summary)
        return summary.model_copy(update={"error": error.model_copy(update={"fix": _further(plan) or error.fix})})
    return summary


def _further(plan: SessionPlan) -> str:
    """Return how to go on with a session that was stopped, or could not go on; "" where it has ended, or runs."""
    try:
        _, options = to_resume(plan.session_dir)
        if is_held(plan.session_dir) or not options.folder:
            return ""
    except (StoreError, UsageError):
        return ""
    return f"To go on with it: deskhand resume {quote(str(folder_named(plan.session_dir)))}"


def empty_summary(failure: Failure, *, request: str = "", session_id: str = "") -> SessionSummary:
    """Summary of a session that never began."""
    error = ErrorSummary(type=failure.type, message=failure.message, fix=failure.fix)
    return nothing_done(_outcome_of(failure.exit_code), failure.message, request).model_copy(
        update={"session_id": session_id, "error": error}
    )


def _outcome_of(exit_code: int) -> Outcome:
    outcomes = (Outcome.FAILED, Outcome.CANCELLED)
    return next((outcome for outcome in outcomes if outcome.exit_code == exit_code), Outcome.ERROR)


def _print_summary(summary: SessionSummary) -> None:
    checks = f", {sum(check.ok for check in summary.checks)} of {len(summary.checks)} checks" if summary.checks else ""
    asked = summary.tokens != Tokens() or summary.cost_usd != 0
    calls = Spent(summary.model_calls, summary.tokens.input, summary.tokens.output, summary.cost_usd)
    rows = [
        ("outcome", summary.outcome),
        ("result" if summary.outcome == Outcome.SUCCESS else "reason", summary.reason),
        *(("judged", f"{e.complete}: {e.reason} ({e.model})") for e in summary.evaluations),
        *(("document", document.told) for document in summary.documents),
        *(("output", output) for output in summary.outputs),
        ("replays", summary.replays),
        ("report", summary.report or ""),
        ("log", summary.session_dir),
        ("took", f"{seconds(summary.wall_s)}, {summary.steps} {'step' if summary.steps == 1 else 'steps'}{checks}"),
        ("spent", spent(calls) if asked else ""),
    ]
    for name, value in rows:
        if value:
            print_line(f"{name:<8} {printable(value)}")
    if summary.healed is not None:
        _print_healed(summary.healed)


def _print_healed(healed: HealedSummary) -> None:
    """Print each healed step, and the difference of the two playbooks for review."""
    for step in healed.steps:
        left = f"left as it is: {step.unwritten}" if step.unwritten else step.now
        print_line(f"{'healed':<8} {printable(f'line {step.line}: {step.was} → {left}')}")
    if healed.file is None:
        print_line(f"{'':<8} no healed playbook was written: {printable(healed.reason)}")
        return
    print_line(f"{'review':<8} {printable(healed.file)}")
    for line in healed.diff.splitlines():
        print_line(printable(line))
