"""`deskhand act --batch`: several actions in one command."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from deskhand.cli.act_outcomes import APPROVE, CANCELLED, CODES
from deskhand.cli.console import print_error, print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import asked_in_turn, held_desktop
from deskhand.cli.id_cache import cached_observation, cached_window, label
from deskhand.cli.invocation import invocation
from deskhand.cli.plugin_tools import plugin_tools
from deskhand.cli.signals import run_and_conclude, run_async
from deskhand.cli.streams import read_all
from deskhand.cli.work import Stopped, Work
from deskhand.commands import Tool
from deskhand.config.sections import Configuration
from deskhand.config.yaml_values import Source
from deskhand.core.command import Effect, Result, ResultStatus
from deskhand.core.errors import (
    EXIT_FAILED,
    ErrorInfo,
    StepsInvalid,
    StoppedByPerson,
    UsageError,
)
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.ports import Interactor
from deskhand.core.target import TargetInfo
from deskhand.core.text import json_line
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.perception.compact import compact
from deskhand.perception.delta import Delta, delta
from deskhand.session.single_action import Caller, Hand, caller_tools, offered_by
from deskhand.session.step_list import GivenStep, read_steps
from deskhand.session.steps import StepDone, StepRunner, StepsDone, not_begun
from deskhand.session.window_names import chosen_window, control_json, window_json

_INPUT: Final = "-"


class _Ids:
    """The ids of `observe`, on disk, for the steps of one command."""

    def __init__(self, desktop: Desktop, window: str) -> None:
        self._desktop = desktop
        self._choice = window
        self._before: dict[str, Observation | None] = {}

    async def first(self) -> TargetInfo:
        """Return the window of `--window`. Raises: UsageError."""
        return await chosen_window(self._desktop, self._choice)

    async def holder(self, label: JsonValue) -> TargetInfo | None:
        return cached_window(self._desktop, str(label), await self._desktop.windows()) if label else None

    def seen(self, window: TargetInfo) -> Observation | None:
        return cached_observation(self._desktop, window)

    async def label(self, window: TargetInfo, observation: Observation, /) -> tuple[TargetInfo, ...]:  # noqa: ARG002 - ids belong to the observed window
        """Raises: StoreError."""
        self.before(observation.window)
        return await label(self._desktop, observation)

    def before(self, window: TargetInfo) -> Observation | None:
        """Return the observation of a window that was the latest when the command began."""
        if window.handle not in self._before:
            self._before[window.handle] = cached_observation(self._desktop, window)
        return self._before[window.handle]


@dataclass(slots=True)
class _Batch:
    """One command, from opening its desktop to closing it."""

    steps: tuple[GivenStep, ...]
    tools: tuple[Tool, ...]
    desktop: str
    window: str
    configuration: Configuration
    interactor: Interactor
    ids: _Ids | None = None
    hand: Hand | None = None
    runner: StepRunner | None = None
    done: StepsDone | None = None

    async def do(self) -> StepsDone:
        """Raises: UsageError, DesktopGone, DesktopBusy, StoppedByPerson."""
        async with held_desktop(self.desktop, self.configuration, "deskhand act") as desktop:
            self.ids = _Ids(desktop, self.window)
            caller = Caller("deskhand act", label=self.ids.label, tools=self.tools)
            self.hand = Hand(desktop, self.configuration, asked_in_turn(self.interactor), caller)
            self.runner = StepRunner(desktop, self.hand, self.ids, self.steps, how_to_approve=APPROVE)
            try:
                self.done = await self.runner.run()
            finally:
                await self.hand.release()
        return self.done

    def stopped(self, why: ErrorInfo | None = None) -> StepsDone:
        """Results so far, where `why`, else a signal, interrupted it; its own results if it had finished by then."""
        if self.done is not None:
            return self.done
        if self.runner is None:
            return not_begun(self.steps, why or CANCELLED)
        nothing = Result(ResultStatus.FAILURE, "", error=CANCELLED, effect=Effect.REFUSED, evidence="nothing was sent")
        cut_off = (self.hand.cut_off if self.hand else None) or nothing
        return self.runner.outcome(replace(cut_off, error=why or cut_off.error))


def run_batch(
    file: str, desktop: str, window: str, configuration: Configuration, interactor: Interactor, as_json: bool
) -> int:
    """Carry out the steps of a file, print the results and return the exit code. `file`: `-`: standard input.

    Raises: StepsInvalid (nothing was done), UsageError, DesktopGone, DesktopBusy.
    """
    tools = plugin_tools()
    catalogue = caller_tools(tools)
    steps = read_steps(_read(file), offered_by(catalogue), catalogue.validate)
    batch = _Batch(tuple(map(_with_whole_path, steps)), tools, desktop, window, configuration, interactor)
    return run_and_conclude(batch.do, lambda work: _conclude(batch, work, as_json=as_json))


def _conclude(batch: _Batch, work: Work[StepsDone], *, as_json: bool) -> int:
    """Print the results and return the exit code. Raises: errors before the first step."""
    try:
        done = work.result()
    except Stopped:
        done = batch.stopped()
    except StoppedByPerson as error:
        done = batch.stopped(ErrorInfo.of(error))
    before = batch.ids.before(done.observation.window) if batch.ids and done.observation else None
    change = delta(before.controls, done.observation.controls) if before and done.observation else None
    if as_json:
        print_json(_json(done, change))
    else:
        _print(done, change)
    invocation().stdout.flush()
    if done.status is ResultStatus.SUCCESS:
        return 0
    return CODES.get(done.error.type, EXIT_FAILED) if done.error else EXIT_FAILED


def _with_whole_path(step: GivenStep) -> GivenStep:
    """The step, whose expected file is in the folder of the command line."""
    if step.expect is None or not step.expect.file:
        return step
    file = str(invocation().path(Path(step.expect.file)))
    return step.model_copy(update={"expect": step.expect.model_copy(update={"file": file})})


def _read(file: str) -> JsonValue:
    """Raises: UsageError (unreadable), StepsInvalid (not YAML)."""
    name = "standard input" if file == _INPUT else file
    try:
        by = invocation()
        text = _read_input() if file == _INPUT else by.path(Path(file)).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {name}: {error}", fix="give a file with a YAML list of steps") from error
    source = Source(name)
    root = source.parse(text)
    if source.problems:
        raise StepsInvalid("\n".join(source.problems), fix=f"correct the listed lines of {name}")
    return root.plain() if root is not None else None


def _read_input() -> str:
    """Raises: OSError, UnicodeDecodeError."""
    by = invocation()
    return by.stdin.read() if by.server is None else run_async(read_all).decode()


def _json(done: StepsDone, change: Delta | None) -> JsonObject:
    error = done.error
    steps: list[JsonValue] = [step.to_json() for step in done.steps]
    return {
        "status": done.status.value,
        "stopped_at": done.stopped.number if done.stopped else None,
        "steps": steps,
        "observation": _observation_json(done, change),
        "error": {"type": error.type, "message": error.message, "candidates": [*error.candidates], "fix": error.fix}
        if error
        else None,
    }


def none_known(error: ErrorInfo) -> JsonObject:
    """JSON object of a command that ended before it reported a step."""
    told: JsonObject = {"type": error.type, "message": error.message, "candidates": [], "fix": error.fix}
    return {"status": ResultStatus.FAILURE.value, "stopped_at": None, "steps": [], "observation": None, "error": told}


def _observation_json(done: StepsDone, change: Delta | None) -> JsonObject | None:
    """The window afterwards: what changed since the latest `observe`, or all controls where there was none."""
    seen = done.observation
    if seen is None:
        return None
    ids = {control.handle: control.id for control in seen.controls}

    def listed(controls: tuple[TargetInfo, ...]) -> JsonValue:
        return [control_json(control, ids) for control in controls]

    first: JsonObject = {"window": window_json(seen.window), "reservations": [*seen.reservations]}
    if change is None:
        return {**first, "controls": listed(seen.controls)}
    return {
        **first,
        "added": listed(change.added),
        "removed": [control.id for control in change.removed],
        "changed": listed(tuple(after for _, after in (*change.changed, *change.moved))),
    }


def _print(done: StepsDone, change: Delta | None) -> None:
    for step in done.steps:
        _print_step(step)
    if (seen := done.observation) is not None:
        text = compact(seen.controls).text if change is None else change.text or "(nothing changed)"
        print_line(f"\nwindow {seen.window.handle} {json_line(seen.window.name)}")
        print_line(text)
        for note in seen.reservations:
            print_note(f"({printable(note)})")
    elif done.unseen:
        print_note(f"(the window could not be observed: {printable(done.unseen)})")
    if done.error is not None:
        print_error(printable(done.error.message), printable(done.error.fix))


def _print_step(step: StepDone) -> None:
    result = step.result
    if result.status is ResultStatus.SKIPPED:
        print_line(f"{step.number} {step.tool}: not run")
        return
    told = step.to_json()
    route = f" by {told['route']}" if told["route"] else ""
    evidence = f": {told['evidence']}" if told["evidence"] else ""
    print_line(printable(f"{step.number} {step.tool}: {told['effect'] or told['status']}{route}{evidence}"))
    for check in step.checks:
        print_line(printable(f"  expect {check.name}: {check.verdict.value}: {check.detail}"))
    if told["result"] is not None:
        print_line(json_line(told["result"]))
