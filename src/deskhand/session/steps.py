"""Several steps in one call, for callers other than agents, each under the same policy as a single action.

As in a playbook, a step that ran without a confirmed effect is followed by the next one unless its expectation says
otherwise; a refusal, a failure, and an expectation that does not hold, or is not known to, end the list.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn, Protocol

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.expectations import as_expected, expected_of_result, files_before, verified
from deskhand.commands.tools.replacement_window import APPEARS_S, NextWindow, Succession, next_window
from deskhand.core.command import Command, Result, ResultStatus, ToolSpec, ToolType
from deskhand.core.errors import (
    AmbiguousTarget,
    ApplicationGone,
    CommandFailed,
    DeskhandError,
    ElementNotFound,
    ErrorInfo,
)
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.ports import AskedLater, CheckResult, Satisfaction, satisfaction
from deskhand.core.replies import OF_RESULT, Expectation, Selector
from deskhand.core.target import TargetInfo, same_window
from deskhand.core.type_checks import json_of
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.models.form_values import has_selectors, with_ids
from deskhand.models.selectors import Mismatch, find
from deskhand.session.single_action import (
    Hand,
    NotAllowed,
    listed_control,
    of_desktop,
    refusal,
    result_json,
    windowless,
)
from deskhand.session.step_list import GivenStep, first_id
from deskhand.session.window_names import chosen_window

_OBSERVE: Final = "observe_window"
_NEXT_WINDOW: Final = "next_window"
_NARROW: Final = "add value, within or nth to the selector"
_APART: Final = ErrorInfo(
    "NotAllowed",
    "it needs an approval, which this client gets between calls only",
    "call again with the steps from this one on: those before it are done",
)


class View(Protocol):
    """The observations of one caller: ids in steps are those of the latest one of a window."""

    async def first(self) -> TargetInfo:
        """Return the window of a first step that names none. Raises: UsageError."""
        ...

    async def holder(self, label: JsonValue) -> TargetInfo | None:
        """Return the window of the control of this id; None if the latest observations have none."""
        ...

    def seen(self, window: TargetInfo) -> Observation | None:
        """Return the latest observation of a window, or of a dialog in front of it."""
        ...

    async def label(self, window: TargetInfo, observation: Observation, /) -> tuple[TargetInfo, ...]:
        """Give the controls of a new observation their ids, and make it the latest of the window."""
        ...


@dataclass(frozen=True, slots=True)
class StepDone:
    """One step and its result; its status is `skipped` where it was not run. `checks`: those of its expectation."""

    number: int
    tool: str
    result: Result
    checks: tuple[CheckResult, ...] = ()
    has_effect: bool = True

    @property
    def expected(self) -> Satisfaction | None:
        return satisfaction(self.checks) if self.checks else None

    @property
    def surprise(self) -> str:
        """The reason why nothing may follow; empty where the next step may."""
        result = self.result
        if result.status in {ResultStatus.FAILURE, ResultStatus.SKIPPED}:
            return (result.error.message if result.error else "") or result.evidence or f"effect {result.effect}"
        if self.expected in {None, Satisfaction.SATISFIED}:
            return ""
        unmet = (f"{check.name} is {check.verdict}: {check.detail}" for check in self.checks if not check.ok)
        return f"its expectation is {self.expected}: {'; '.join(unmet)}"

    @property
    def proven(self) -> bool:
        """True if its effect was confirmed, its expectation holds, or it is of a kind that only has to succeed."""
        return not self.surprise and (self.result.ok or not self.has_effect or self.expected is not None)

    def to_json(self) -> JsonObject:
        """Return the object of contract 6, with number, tool and expectation."""
        checks: list[JsonValue] = [
            {"name": check.name, "verdict": check.verdict.value, "detail": check.detail} for check in self.checks
        ]
        expected: JsonValue = {"verdict": self.expected.value, "checks": checks} if self.expected else None
        return {"step": self.number, "tool": self.tool, **result_json(self.result), "expect": expected}


@dataclass(frozen=True, slots=True)
class StepsDone:
    """All steps in order, those included that were not run. `observation`: of the window of the last step, afterwards;
    None: why it could not be taken is in `unseen`. `not_begun`: why not even the first step could be tried.
    """

    steps: tuple[StepDone, ...]
    observation: Observation | None = None
    unseen: str = ""
    not_begun: ErrorInfo | None = None

    @property
    def stopped(self) -> StepDone | None:
        """The step that did not go as expected; no step ran after it."""
        tried = (step for step in self.steps if step.result.status is not ResultStatus.SKIPPED)
        return next((step for step in tried if step.surprise), None)

    @property
    def status(self) -> ResultStatus:
        """`none`: all steps ran, and the effect of one is not known."""
        if self.error is not None:
            return ResultStatus.FAILURE
        return ResultStatus.SUCCESS if all(step.proven for step in self.steps) else ResultStatus.NONE

    @property
    def error(self) -> ErrorInfo | None:
        """The surprise as an error; None where there was none."""
        if (stopped := self.stopped) is None:
            return self.not_begun
        known = stopped.result.error or ErrorInfo("StepFailed", "", "observe the window before you go on")
        return replace(known, message=f"step {stopped.number} ({stopped.tool}): {stopped.surprise}")


@dataclass(frozen=True, slots=True)
class _Aim:
    """The call of a step, its control, its window, and the observation that its ids belong to."""

    arguments: JsonObject
    target: TargetInfo | None = None
    window: TargetInfo | None = None
    seen: Observation | None = None


class StepRunner:
    """Runs one list of steps. `outcome` is what was done so far, also after the run was cancelled.

    `how_to_approve`: the advice where a rule demands an approval that was not given.
    """

    def __init__(
        self, desktop: Desktop, hand: Hand, view: View, steps: Sequence[GivenStep], *, how_to_approve: str
    ) -> None:
        self._desktop = desktop
        self._hand = hand
        self._view = view
        self._steps = steps
        self._how_to_approve = how_to_approve
        self._done: list[StepDone] = []
        self._sent: Result | None = None
        """The result of the action of the step that runs, until its expectation was checked."""
        self._window: TargetInfo | None = None
        self._known = frozenset[str]()
        """Handles of the windows that were open before the latest step."""

    async def run(self) -> StepsDone:
        """Run the steps up to the first surprise, then observe. Raises: AskedLater, before anything was sent."""
        for step in self._steps:
            self._done.append(await self._run(step))
            self._sent = None
            if self._done[-1].surprise:
                break
        return await self._observed_at_the_end()

    def outcome(self, interrupted: Result | None = None) -> StepsDone:
        """Return what was done so far. `interrupted`: the result of a step that was cut short in its action."""
        done = list(self._done)
        is_over = len(done) == len(self._steps) or any(step.surprise for step in done)
        if interrupted is not None and not is_over:
            cut_short = (
                replace(self._sent, status=ResultStatus.FAILURE, error=interrupted.error) if self._sent else None
            )
            done.append(self._step_done(cut_short or interrupted))
        last = next((step for step in done if step.surprise), None)
        why = f"not run: step {last.number} did not go as expected" if last else "not run"
        return StepsDone((*done, *_skipped(self._steps, len(done), why)))

    def _step_done(self, result: Result, checks: Iterable[CheckResult] = ()) -> StepDone:
        number = len(self._done) + 1
        tool = self._steps[number - 1].tool
        return StepDone(number, tool, result, tuple(checks), has_effect=self._hand.offered(tool).has_effect)

    async def _run(self, step: GivenStep) -> StepDone:
        """Raises: AskedLater."""
        spec = self._hand.offered(step.tool)
        files = files_before(step.expect)
        try:
            aim = await self._aim(spec, step)
            self._known = frozenset(window.handle for window in await self._desktop.windows())
            result = await self._hand.act(step.tool, aim.arguments, target=aim.target, window=aim.window, seen=aim.seen)
        except NotAllowed as error:
            return self._step_done(refusal(error.told(self._how_to_approve)))
        except AskedLater:
            if not self._done:
                raise
            return self._step_done(refusal(_APART))  # with the answer the call would come again from its first step
        except DeskhandError as error:
            return self._step_done(refusal(ErrorInfo.of(error)))
        try:
            self._sent = result
            await self._follow(spec, aim, result)
            return await self._checked(step.expect, result, files)
        except DeskhandError as error:  # it was done, and what it led to is not known
            info = ErrorInfo.of(error)
            return self._step_done(replace(result, status=ResultStatus.FAILURE, error=result.error or info))

    async def _aim(self, spec: ToolSpec, step: GivenStep) -> _Aim:
        """Find the window and the control of a step, as they are now. Raises: DeskhandError."""
        arguments = dict(step.args)
        if of_desktop(spec, arguments):
            return await self._aim_at_window(spec, step, arguments)
        if not step.window and self._window is None and await windowless(spec, self._desktop):
            return _Aim(arguments)
        window = await self._window_of(step)
        if step.on is None and not has_selectors(arguments):
            seen = self._view.seen(window)
            by_id = spec.takes_target and arguments.get("id")
            return _Aim(arguments, listed_control(seen, str(by_id)) if by_id else None, window, seen)
        seen = await self._observe(window)
        arguments = with_ids(arguments, lambda selector: _found(selector, seen))
        if step.on is None:
            return _Aim(arguments, None, window, seen)
        target = _found(step.on, seen)
        return _Aim({**arguments, "id": target.id, "name": target.name}, target, window, seen)

    async def _aim_at_window(self, spec: ToolSpec, step: GivenStep, arguments: JsonObject) -> _Aim:
        """Find the window that a tool of the desktop chooses. Raises: DeskhandError."""
        if step.on is not None:
            found = find(step.on, await self._desktop.windows())
            if isinstance(found, Mismatch):
                _mismatch(found, ())
            return _Aim({**arguments, "id": found.handle}, found)
        by_id = arguments.get("id")
        return _Aim(arguments, await chosen_window(self._desktop, str(by_id)) if spec.takes_target and by_id else None)

    async def _window_of(self, step: GivenStep) -> TargetInfo:
        """Raises: UsageError, ApplicationGone."""
        if step.window:
            return await chosen_window(self._desktop, step.window)
        if (holder := await self._view.holder(first_id(step.args))) is not None:
            return holder
        if self._window is None:
            return await self._view.first()
        return await self._present(self._window)

    async def _present(self, window: TargetInfo, *, wait_s: float = APPEARS_S) -> TargetInfo:
        """Return a window, or the one that replaced it in its program. Raises: ApplicationGone."""
        windows = await self._desktop.windows()
        there = next((each for each in windows if same_window(each, window)), None)
        if there is not None:
            return there
        found = await self._succession(window, wait_s)
        if found.window is None:
            raise ApplicationGone(
                f'the window "{window.name}" is gone, and no window of its program clearly replaces it',
                fix="name the window of this step",
            )
        return found.window

    async def _succession(self, gone: TargetInfo, wait_s: float) -> Succession:
        call = Call(Command(_NEXT_WINDOW, {}, ToolType.DATA_COLLECTION, window=gone), None, gone)
        answer = await next_window(ToolContext(self._desktop), call, NextWindow(known=[*self._known], wait_s=wait_s))
        if not isinstance(answer.data, Succession):
            raise TypeError(f"{_NEXT_WINDOW} gave {answer.data!r}")
        return answer.data

    async def _follow(self, spec: ToolSpec, aim: _Aim, result: Result) -> None:
        """Note the window of the next step: that of this one, or the one that it brought to the front."""
        if aim.window is not None:
            self._window = aim.window
        elif spec.tool_type is ToolType.ACTION and result.delivered:
            self._window = next((each for each in await self._desktop.windows() if "active" in each.states), None)

    async def _observe(self, window: TargetInfo) -> Observation:
        """Observe a window, or the dialog in front of it, once it is quiet. Raises: DeskhandError."""
        result = await self._hand.act(_OBSERVE, {"picture": False}, window=window)
        if not isinstance(result.result, Observation):
            raise CommandFailed(result.error or ErrorInfo("CommandFailed", "the window could not be observed"))
        return replace(result.result, controls=await self._view.label(window, result.result))

    async def _checked(self, expect: Expectation | None, result: Result, files: JsonObject) -> StepDone:
        """Check the expectation of a step that was done. Raises: DeskhandError."""
        data = json_of(result.result)
        result = as_expected(expect, result, data)
        if expect is None or result.status is ResultStatus.FAILURE:
            return self._step_done(result)
        checks = expected_of_result(expect, result, data)
        parts = expect.model_dump(exclude=set(OF_RESULT), exclude_defaults=True)
        if parts:
            window = self._window
            if window is not None and (expect.shows or expect.like):
                found = await self._succession(window, APPEARS_S)
                window = found.window or window
            answer = await self._hand.act("verify", {"expect": parts, **files}, window=window)
            checks += verified(answer, tuple(parts))
        return self._step_done(result, checks)

    async def _observed_at_the_end(self) -> StepsDone:
        done = self.outcome()
        try:
            observation = await self._observe(await self._window_at_the_end())
        except DeskhandError as error:
            return replace(done, unseen=error.message)
        return replace(done, observation=observation)

    async def _window_at_the_end(self) -> TargetInfo:
        """Raises: UsageError if no window is open."""
        if self._window is not None:
            windows = await self._desktop.windows()
            there = next((each for each in windows if same_window(each, self._window)), None)
            of_program = [each for each in windows if each.pid is not None and each.pid == self._window.pid]
            if there or of_program:
                return there or of_program[0]
        return await chosen_window(self._desktop, "")


def not_begun(steps: Sequence[GivenStep], why: ErrorInfo) -> StepsDone:
    """Return the results of a list of which not even the first step could be tried."""
    return StepsDone(tuple(_skipped(steps, 0, "not run")), not_begun=why)


def _skipped(steps: Sequence[GivenStep], done: int, why: str) -> list[StepDone]:
    skipped = Result(ResultStatus.SKIPPED, "", evidence=why)
    return [StepDone(number, step.tool, skipped) for number, step in enumerate(steps[done:], done + 1)]


def _found(selector: Selector, seen: Observation) -> TargetInfo:
    """Raises: ElementNotFound, AmbiguousTarget."""
    found = find(selector, seen.controls, seen.window)
    if isinstance(found, Mismatch):
        _mismatch(found, seen.reservations)
    return found


def _mismatch(found: Mismatch, reservations: Sequence[str]) -> NoReturn:
    """Raises: ElementNotFound, AmbiguousTarget."""
    message = "; ".join((found.message, *reservations))
    if found.found:
        raise AmbiguousTarget(message, found.candidates, fix=_NARROW)
    raise ElementNotFound(message, fix="observe the window; wait_for waits for a control that comes late")
