"""Continuation of a session that was interrupted: killed, or cut off with its machine (ADR 0119)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from deskhand.core.errors import UsageError
from deskhand.core.events import SessionOptions
from deskhand.session.build import SessionPlan, carry_out
from deskhand.session.clock import SystemClock
from deskhand.session.interrupted import Interrupted
from deskhand.session.rebuild import interrupted
from deskhand.session.round import Ending
from deskhand.store.journal import JOURNAL_NAME, Journal, read_events


def to_resume(session_dir: Path, history_keys: Sequence[str] = ()) -> tuple[Interrupted, SessionOptions]:
    """Return an interrupted session and the options it was started with.

    Raises: StoreError (no journal, or it cannot be read), UsageError (nothing to resume).
    """
    known = interrupted(list(read_events(session_dir)), session_dir, history_keys)
    if known is None:
        raise UsageError(
            f"the session in {session_dir} had not begun when it was interrupted", fix="run its request again"
        )
    if known.is_finished:
        raise UsageError(
            f"the session {known.started.session_id} has ended: there is nothing to resume",
            fix=f"read its report: deskhand report {session_dir}",
        )
    if known.started.options is None:
        raise UsageError(
            f"the journal in {session_dir} is of version {known.started.version}, which did not note all that a "
            "continuation needs",
            fix="look at the applications, and run the request again",
        )
    return known, known.started.options


async def resume_session(plan: SessionPlan) -> Ending:
    """Continue the session in the folder of a plan, in its own journal, to its last event.

    Raises: StoreBusy where another process continues it, else as `to_resume` and `run_session`.
    """
    clock = SystemClock()
    if not (plan.session_dir / JOURNAL_NAME).is_file():
        to_resume(plan.session_dir)  # which raises: a journal is not made for nothing
    with Journal(plan.session_dir, clock) as journal:
        known, _ = to_resume(plan.session_dir, plan.configuration.system.history_keys)
        return await carry_out(replace(plan, resumes=known), journal, clock)
