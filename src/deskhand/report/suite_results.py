"""Results of checks and sessions as test runners and CI systems know them: suites of test cases."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from platform import platform, python_version

from deskhand.commands.secret_texts import redacted_events
from deskhand.core.errors import StoreError
from deskhand.core.events import ActionFinished
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import CheckResult, Satisfaction
from deskhand.report.formatting import seconds
from deskhand.report.summary import SessionSummary


class Verdict(StrEnum):
    """Result of a test case. `ERROR`: the result is not known, which never counts as passed."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Case:
    """One test case. `kind`: type of the failure; `output`: text about the case, whatever its verdict."""

    name: str
    verdict: Verdict
    message: str = ""
    kind: str = ""
    detail: str = ""
    took_s: float = 0.0
    output: str = ""


@dataclass(frozen=True, slots=True)
class Suite:
    """Test cases of one command or session. `started_at`: seconds since 1970."""

    name: str
    cases: Sequence[Case]
    started_at: float
    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    output: str = ""

    @property
    def took_s(self) -> float:
        return sum(case.took_s for case in self.cases)

    def count(self, verdict: Verdict) -> int:
        return sum(case.verdict is verdict for case in self.cases)


def unfinished(name: str, message: str, kind: str = "Unfinished") -> Case:
    """A case of a command that ended without a result, or has not ended yet."""
    return Case(name, Verdict.ERROR, message, kind)


def case_of_check(check: CheckResult, took_s: float = 0.0) -> Case:
    """One check of `verify`."""
    if check.verdict is Satisfaction.SATISFIED:
        return Case(check.name, Verdict.PASSED, took_s=took_s, output=check.detail)
    if check.verdict is Satisfaction.UNSATISFIED:
        return Case(check.name, Verdict.FAILED, check.detail, "Unsatisfied", took_s=took_s)
    return Case(check.name, Verdict.ERROR, check.detail, "Unknown", took_s=took_s)


def suite_of_session(name: str, summary: SessionSummary, started_at: float) -> Suite:
    """A session as one case, with its record, report and effects as properties."""
    case = case_of_session(name, summary)
    return Suite(name, [case], started_at, {**environment(), **session_properties(summary)}, output=text_of(summary))


def case_of_session(name: str, summary: SessionSummary) -> Case:
    """One session. The limits of a run and its rejections are failures; an error or an interruption is an error."""
    verdict = verdict_of(summary.outcome)
    if verdict is Verdict.PASSED:
        return Case(name, verdict, took_s=summary.wall_s)
    error = summary.error
    detail = "\n".join(filter(None, (*_failed_checks(summary), error.fix if error else "")))
    message = error.message if error else summary.reason
    return Case(
        name, verdict, message or summary.outcome, error.type if error else summary.outcome, detail, summary.wall_s
    )


def verdict_of(outcome: str) -> Verdict:
    """Verdict of a session's outcome; of one that still runs an error."""
    if outcome == Outcome.SUCCESS:
        return Verdict.PASSED
    unknown = (Outcome.ERROR, Outcome.CANCELLED)
    known = outcome in Outcome.__members__.values() and outcome not in unknown
    return Verdict.FAILED if known else Verdict.ERROR


def _failed_checks(summary: SessionSummary) -> list[str]:
    return [f"{check.name}: {check.detail}" for check in summary.checks if not check.ok]


def environment() -> dict[str, str]:
    """Versions that a result depends on."""
    return {"deskhand": version("deskhand"), "python": python_version(), "platform": platform()}


def session_properties(summary: SessionSummary) -> dict[str, str]:
    """Identity and figures of a session: `effects.confirmed` is the number of actions with that effect."""
    found = {
        "session_id": summary.session_id,
        "session_dir": summary.session_dir,
        "report": summary.report or "",
        "outcome": summary.outcome,
        "steps": str(summary.steps),
        "model_calls": str(summary.model_calls),
        "checks": f"{sum(check.ok for check in summary.checks)} of {len(summary.checks)}" if summary.checks else "",
        **{f"effects.{effect}": str(count) for effect, count in sorted(_effects(summary).items())},
    }
    return {name: value for name, value in found.items() if value}


def _effects(summary: SessionSummary) -> Counter[str]:
    """Number of actions by their effect, or status where there is none; empty if the record cannot be read."""
    if not summary.session_dir:
        return Counter()
    try:
        events = redacted_events(Path(summary.session_dir))
    except StoreError:
        return Counter()
    finished = (event for event in events if isinstance(event, ActionFinished))
    return Counter(event.effect or event.status for event in finished)


def text_of(summary: SessionSummary) -> str:
    """The summary in lines, without empty ones."""
    rows = (
        ("outcome", summary.outcome),
        ("reason", summary.reason),
        *(("check", f"{'ok' if check.ok else 'not ok'}: {check.name}: {check.detail}") for check in summary.checks),
        *(("document", document.told) for document in summary.documents),
        *(("output", output) for output in summary.outputs),
        ("report", summary.report or ""),
        ("log", summary.session_dir),
        ("took", f"{seconds(summary.wall_s)}, {summary.steps} steps"),
    )
    return "\n".join(f"{name}: {value}" for name, value in rows if value)
