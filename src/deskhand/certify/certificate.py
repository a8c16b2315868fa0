"""The certificate of a playbook: the outcome of each step under each fault."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum


class FaultKind(StrEnum):
    DIALOG = "dialog"
    """A modal dialog opens in front, which no step knows."""
    RENAME = "rename"
    """The control (or window) has another name."""
    AMBIGUITY = "ambiguity"
    """There is another control (or window) of the same role and name."""
    DELAY = "delay"
    """The control appears late, or the application takes the action late."""
    DEAD = "dead"
    """The action reports success, and nothing happens."""


class Verdict(StrEnum):
    """From the best to the worst."""

    HEALS = "heals"
    """Success, with the effects of a run without the fault."""
    STOPS = "stops"
    """No success, and no effect but those before."""
    SKIPS = "skips"
    """Success without the effects of this step alone, which the file limits to a control that is shown (`when`)."""
    WRONG = "wrong"
    """No success, after an effect that does not belong."""
    SILENT = "silent"
    """Success with other effects, or without one."""
    UNKNOWN = "unknown"
    """The run did not end in its time."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The worst that a fault does at a step. `row`: of a loop, from 1; `advice`: the change that prevents it."""

    fault: FaultKind
    verdict: Verdict
    reason: str = ""
    advice: str = ""
    row: int = 0


@dataclass(frozen=True, slots=True)
class StepResult:
    """One step of the file. `findings` lacks the faults that do not apply; `problem`: why it has none at all."""

    number: int
    section: str
    line: int
    does: str
    findings: Mapping[FaultKind, Finding] = field(default_factory=dict[FaultKind, Finding])
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Certificate:
    """All results. `problem`: why there is no certificate at all."""

    playbook: str
    steps: tuple[StepResult, ...]
    runs: int = 0
    problem: str = ""

    @property
    def totals(self) -> dict[Verdict, int]:
        found = [finding.verdict for step in self.steps for finding in step.findings.values()]
        return {verdict: found.count(verdict) for verdict in Verdict}

    @property
    def left_out(self) -> frozenset[int]:
        """The lines of the steps without a result."""
        return frozenset(step.line for step in self.steps if step.problem)

    def completed_by(self, other: "Certificate", lines: frozenset[int]) -> "Certificate":
        """With the results of another certificate for these lines, where it has some."""
        more = {
            step.line: step for step in other.steps if step.line in lines and not step.problem and not other.problem
        }
        steps = tuple(more.get(step.line, step) for step in self.steps)
        return replace(self, steps=steps, runs=self.runs + other.runs)

    @property
    def is_complete(self) -> bool:
        """True if every step was tried, and every run ended."""
        return not self.problem and not any(step.problem for step in self.steps) and not self.totals[Verdict.UNKNOWN]

    @property
    def goes_wrong_in_silence(self) -> bool:
        return self.totals[Verdict.SILENT] > 0
