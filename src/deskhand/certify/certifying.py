"""Runs a playbook once without a fault, then once for each fault at each step."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import anyio

from deskhand.certify.certificate import Certificate, FaultKind
from deskhand.certify.faults import Strike, strikes_of
from deskhand.certify.made_up_values import other_parameters
from deskhand.certify.passwords import hiding, without_passwords
from deskhand.certify.plan import Plan, PlannedStep, plan_of
from deskhand.certify.trial import Fault, Run, run_trial
from deskhand.certify.verdicts import Trial, certificate_of, without_certificate
from deskhand.certify.virtual_time import VirtualTimeLoop
from deskhand.models.steps import Playbook

_AT_ONCE: Final = 16


def certify(
    playbook: Playbook, given: Mapping[str, object], faults: tuple[FaultKind, ...] = tuple(FaultKind)
) -> Certificate:
    """As `certificate_for`; blocking, with an event loop of its own."""
    return anyio.run(certificate_for, playbook, given, faults, backend_options={"loop_factory": VirtualTimeLoop})


async def certificate_for(
    playbook: Playbook, given: Mapping[str, object], faults: tuple[FaultKind, ...] = tuple(FaultKind)
) -> Certificate:
    """Certify a playbook, best on a `VirtualTimeLoop`. Raises: UsageError for a parameter.

    Steps that a condition leaves out are tried with another value of its parameter, unless that was given.
    """
    found = await _certificate(playbook, given, faults)
    for values in other_parameters(playbook, given, found.left_out):
        left = found.left_out
        if left and not found.problem:
            found = found.completed_by(await _certificate(playbook, {**given, **values}, faults, left), left)
    return found


async def _certificate(
    playbook: Playbook,
    given: Mapping[str, object],
    faults: tuple[FaultKind, ...],
    lines: frozenset[int] | None = None,
) -> Certificate:
    """The certificate for these parameters; `lines`: those of the only steps to try."""
    plan = plan_of(playbook, given, Path("/certified"))
    found = await _of_plan(plan, playbook, given, faults, lines)
    return without_passwords(found, hiding(plan))


async def _of_plan(
    plan: Plan,
    playbook: Playbook,
    given: Mapping[str, object],
    faults: tuple[FaultKind, ...],
    lines: frozenset[int] | None,
) -> Certificate:
    unfit = next((step for step in plan.steps if step.problem), None)
    if plan.problem or unfit is not None:
        line = f"line {unfit.step.line}: {unfit.problem}" if unfit is not None else plan.problem
        return without_certificate(playbook, plan, line)
    base = await run_trial(playbook, given)
    if not base.success:
        return without_certificate(playbook, plan, f"the run without a fault did not succeed: {base.reason}")
    return certificate_of(plan, base, await _trials(plan, playbook, given, base, faults, lines))


async def _trials(
    plan: Plan,
    playbook: Playbook,
    given: Mapping[str, object],
    base: Run,
    faults: tuple[FaultKind, ...],
    lines: frozenset[int] | None,
) -> list[Trial]:
    found: list[Trial] = []
    limiter = anyio.CapacityLimiter(_AT_ONCE)

    async def attempt(step: PlannedStep, after: int, kind: FaultKind, strike: Strike) -> None:
        async with limiter:
            found.append(Trial(step, kind, await run_trial(playbook, given, Fault(step.key, after, strike))))

    async with anyio.create_task_group() as tasks:
        for after, key in enumerate(base.finished):
            step = plan.by_key[key]
            is_tried = step.is_of_file and (lines is None or step.step.line in lines)
            for kind in faults if is_tried else ():
                for strike in strikes_of(kind, step):
                    tasks.start_soon(attempt, step, after, kind, strike)
    return found
