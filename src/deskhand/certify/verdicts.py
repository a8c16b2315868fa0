"""The verdicts on a playbook, from the effects of its runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.certify.advice import advice_for
from deskhand.certify.certificate import Certificate, FaultKind, Finding, StepResult, Verdict
from deskhand.certify.effects import difference, is_prefix
from deskhand.certify.plan import Plan, PlannedStep
from deskhand.certify.trial import Run
from deskhand.models.step_phrases import phrase
from deskhand.models.steps import Playbook

_ORDER: Final = tuple(Verdict)
_HIDES: Final = frozenset({FaultKind.RENAME, FaultKind.DELAY})
"""Faults that a condition cannot see: its control is not shown."""


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
        if planned.tool and planned.is_of_file:
            groups.setdefault(id(planned.step), []).append(planned)
    steps = [
        _result(number, group, base, [trial for trial in trials if trial.step in group], carried_out)
        for number, group in enumerate(groups.values(), start=1)
    ]
    return Certificate(plan.playbook.name, tuple(steps), len(trials) + 1)


def without_certificate(playbook: Playbook, plan: Plan | None, problem: str) -> Certificate:
    """A certificate that cannot be given."""
    planned = {id(step.step): step for step in plan.steps if step.tool and step.is_of_file} if plan is not None else {}
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
