"""The certificate of a playbook: the outcome of each step under each fault."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from deskhand.certify.advice import advice_for
from deskhand.certify.effects import difference, is_prefix
from deskhand.certify.faults import FaultKind
from deskhand.certify.plan import Plan, PlannedStep
from deskhand.certify.trial import Run
from deskhand.models.step_phrases import phrase
from deskhand.models.steps import Playbook


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


_ORDER: Final = tuple(Verdict)
_HIDES: Final = frozenset({FaultKind.RENAME, FaultKind.DELAY})
"""Faults that a condition cannot see: its control is not shown."""


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
    def is_complete(self) -> bool:
        """True if every step was tried, and every run ended."""
        return not self.problem and not any(step.problem for step in self.steps) and not self.totals[Verdict.UNKNOWN]

    @property
    def goes_wrong_in_silence(self) -> bool:
        return self.totals[Verdict.SILENT] > 0


@dataclass(frozen=True, slots=True)
class Trial:
    """One run with a fault."""

    step: PlannedStep
    fault: FaultKind
    run: Run


def certificate_of(plan: Plan, base: Run, trials: Sequence[Trial]) -> Certificate:
    """The certificate from the run without a fault and those with one."""
    carried_out = set(base.finished)
    groups: dict[int, list[PlannedStep]] = {}
    for planned in plan.steps:
        if planned.tool:
            groups.setdefault(id(planned.step), []).append(planned)
    steps = [
        _result(number, group, base, [trial for trial in trials if trial.step in group], carried_out)
        for number, group in enumerate(groups.values(), start=1)
    ]
    return Certificate(plan.playbook.name, tuple(steps), len(trials) + 1)


def without_certificate(playbook: Playbook, plan: Plan | None, problem: str) -> Certificate:
    """A certificate that cannot be given."""
    planned = {id(step.step): step for step in plan.steps if step.tool} if plan is not None else {}
    steps = (
        StepResult(number, step.key[0], step.step.line, phrase(step.step), problem=step.problem)
        for number, step in enumerate(planned.values(), start=1)
    )
    return Certificate(playbook.name, tuple(steps), problem=problem)


def _result(
    number: int,
    group: Sequence[PlannedStep],
    base: Run,
    trials: Iterable[Trial],
    carried_out: set[tuple[str, int, int]],
) -> StepResult:
    first = group[0]
    does = phrase(first.step, first.targets[0] if isinstance(first.step.on, str) and first.targets else None)
    problem = (
        "" if any(each.key in carried_out for each in group) else "it was not carried out: its condition was false"
    )
    worst: dict[FaultKind, Finding] = {}
    for trial in trials:
        verdict = verdict_of(base, trial)
        known = worst.get(trial.fault)
        if known is None or _ORDER.index(verdict) > _ORDER.index(known.verdict):
            worst[trial.fault] = _finding(trial, verdict, base)
    return StepResult(number, first.key[0], first.step.line, does, worst, problem)


def verdict_of(base: Run, trial: Trial) -> Verdict:
    run, when = trial.run, trial.step.step.when
    if not run.ended:
        return Verdict.UNKNOWN
    if not run.success:
        return Verdict.STOPS if is_prefix(run.effects, base.effects) else Verdict.WRONG
    if run.effects == base.effects:
        return Verdict.HEALS
    is_optional = when is not None and when.shows is not None and trial.fault in _HIDES
    return Verdict.SKIPS if is_optional and run.effects == base.without(trial.step.key) else Verdict.SILENT


def _finding(trial: Trial, verdict: Verdict, base: Run) -> Finding:
    advice = advice_for(trial.fault, trial.step) if verdict is Verdict.SILENT else ""
    reason = difference(base.effects, trial.run.effects) if verdict in {Verdict.SILENT, Verdict.WRONG} else ""
    return Finding(trial.fault, verdict, reason or trial.run.reason, advice, trial.step.place.row)
