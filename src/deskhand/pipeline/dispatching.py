"""The gate and the dispatch of a reply's actions: all are judged, then run one by one (contract 2.4, 3.2)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from deskhand.commands.expectations import as_expected, expected_of_result, files_before, verified
from deskhand.commands.secret_texts import keys_may_leave_target, may_be_password
from deskhand.core.command import Command, Effect, EffectClass, Result, ResultStatus, ToolType
from deskhand.core.context import Context
from deskhand.core.errors import ActionRefused, ClearanceMissing, DeskhandError, ErrorInfo, PersonStays
from deskhand.core.events import (
    ActionIntended,
    CheckRun,
    ControlState,
    DataSaved,
    OutputWritten,
    VerdictGiven,
)
from deskhand.core.file_stamp import stamps_of
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.ports import ActionFacts, CheckResult, Decision, Verdict
from deskhand.core.replies import OF_RESULT, Expectation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.core.type_checks import items_of, json_of
from deskhand.pipeline.action_events import action_finished, target_data
from deskhand.pipeline.actions import ActionCommandInfo, ActionInfo, HeldAction, PlannedAction, failure_result, unmet_of
from deskhand.pipeline.actions import skipped_result as skipped
from deskhand.pipeline.closed_window import window_to_look_in
from deskhand.pipeline.observing import reads_prompts
from deskhand.pipeline.services import PipelineAgent

TAKEN_OVER: Final = "a user had the desktop since it was observed"
_LEAST_S: Final = 0.01
_LONGEST_VALUE: Final = 4000
"""Characters of a value that the journal takes for a comparison."""
_STATES: Final = frozenset({"checked", "selected", "expanded", "pressed"})
"""The states that an action sets."""


class Gate(StrEnum):
    """The decision on a whole list of actions, from the policy and the user's earlier decisions."""

    OPEN = "open"
    HELD = "held"
    DENIED = "denied"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The gate of a list, the verdict on each action, and the reasons of those that are refused."""

    gate: Gate
    verdicts: tuple[Verdict, ...]
    refusals: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """The reason for holding the list."""
        return "; ".join(verdict.reason for verdict in self.verdicts if verdict.decision is Decision.CONFIRM)


class ActionExecutor:
    """Runs the actions of one step and writes the journal: the intent before dispatch, the result after it."""

    def __init__(self, agent: PipelineAgent, context: Context, step: int) -> None:
        self._agent = agent
        self._context = context
        self._step = step
        self._services = agent.services
        self.follows_script = False
        """The reply is a step of a script: it was not made from the observation alone."""
        self._met_password = set[str]()
        """Ids of the calls whose keys may reach a password field, as found right before dispatch."""

    def judge(self, planned: Sequence[PlannedAction]) -> Judgement:
        """Judge the whole list: with one `deny` none of it runs, with one `confirm` all of it is held.

        An action that the user rejected in this round is refused without asking again, whatever its rule (contract
        2.2).
        """
        verdicts = tuple(self._judge(item.command, item.command.target) for item in planned)
        refusals = tuple(self._refusal(verdict) for verdict in verdicts)
        decisions = {verdict.decision for verdict in verdicts}
        if Decision.DENY in decisions:
            gate = Gate.DENIED
        elif any(refusals):
            gate = Gate.REJECTED
        else:
            gate = Gate.HELD if Decision.CONFIRM in decisions else Gate.OPEN
        return Judgement(gate, verdicts, refusals)

    def _refusal(self, verdict: Verdict) -> str:
        """Return why an action is refused without asking the user; empty where it is not."""
        if verdict.decision is Decision.DENY:
            return f"denied by rule {verdict.rule}: {verdict.reason}"
        if verdict.facts.fingerprint in self._context.rejected_actions:
            return "the user rejected this action in this round"
        return ""

    async def run(
        self, planned: Sequence[PlannedAction], approved: Mapping[str, ActionFacts] | None = None
    ) -> ActionInfo:
        """Run a list in order; the first unexpected result stops it, and the rest are `skipped`. The next part of a
        compound tool runs only after a confirmed one. What a user had done meanwhile stops it too: the list was made
        from an older observation.

        `approved`: the facts that the user approved, by call id; they approved it as it is.
        """
        done = ActionInfo()
        await self._handed_back()
        for item in planned:
            await self._handed_back()
            if approved is None and self.is_out_of_date:
                done.actions.append(self._skip(item, f"skipped: {TAKEN_OVER}"))
                continue
            surprise = next((earlier for earlier in done if _is_surprise(earlier, item)), None)
            if surprise is not None:
                info = self._skip(item, f"skipped: {surprise.function} before it did not go as expected")
            else:
                info = await self._run_one(item, (approved or {}).get(item.command.call_id), first=not done.actions)
            done.actions.append(info)
        return done

    @property
    def is_out_of_date(self) -> bool:
        """A user had the desktop since the step's observation."""
        return self._context.was_taken_over

    async def _handed_back(self) -> None:
        """Wait for a user who has taken the desktop over."""
        with suppress(PersonStays):  # the action itself reports it
            await self._context.presence.free()

    def skip_all(self, planned: Sequence[PlannedAction], why: str) -> ActionInfo:
        """Record actions that do not run."""
        return ActionInfo([self._skip(item, why) for item in planned])

    def refuse_all(self, planned: Sequence[PlannedAction], judgement: Judgement) -> ActionInfo:
        """Record a list of which nothing may run: the refused actions as refused, the rest as skipped."""
        done = ActionInfo()
        for item, refusal in zip(planned, judgement.refusals, strict=True):
            if refusal:
                error = ActionRefused(refusal, fix="use another action")
                result = failure_result(item.command, error, Effect.REFUSED)
                done.actions.append(replace(self._finish(item, result, ()), denied=refusal))
            else:
                done.actions.append(self._skip(item, "skipped: another action of the same reply was refused"))
        return done

    def hold(self, planned: Sequence[PlannedAction], judgement: Judgement) -> tuple[HeldAction, ...]:
        """Return the list as it waits for the user's approval."""
        return tuple(HeldAction(item, verdict) for item, verdict in zip(planned, judgement.verdicts, strict=True))

    def _judge(self, command: Command, target: TargetInfo | None) -> Verdict:
        verdict = self._services.policy.judge(command, target)
        self._emit(
            VerdictGiven(
                step=self._step,
                agent=self._agent.name,
                call_id=command.call_id,
                tool=command.tool_name,
                arguments=command.parameters,
                target=target_data(command.target),
                may_be_password=may_be_password(command),
                decision=verdict.decision.value,
                rule=verdict.rule,
                reason=verdict.reason,
                fingerprint=verdict.facts.fingerprint,
            )
        )
        return verdict

    def _emit(self, event: VerdictGiven | ActionIntended) -> None:
        if event.is_secret:
            self._context.secret_actions.append(event)
        self._context.events.emit(event)

    def _skip(self, item: PlannedAction, why: str) -> ActionCommandInfo:
        return self._finish(item, skipped(item.command, why), ())

    async def _run_one(self, item: PlannedAction, approved: ActionFacts | None, *, first: bool) -> ActionCommandInfo:
        files = files_before(item.action.expect)
        if item.spec.tool_type is ToolType.DATA_COLLECTION:
            command = self._within_budget(item)
            result = (await self._services.dispatcher.execute_commands([command]))[0]
            return await self._after(item, result, files)
        try:
            target = await self._services.dispatcher.resolve(item.command)
            now = await self._services.dispatcher.in_present_windows(item.command)
            verdict = self._still_allowed(now, target, approved, item.command if not first else now)
        except DeskhandError as error:
            refused = Effect.REFUSED if error.recoverable else None
            return self._finish(item, failure_result(item.command, error, refused), ())
        if await self._meets_password(item.command, fresh=first and approved is None):
            self._met_password.add(item.command.call_id)
        clearance = self._services.policy.clear(verdict, approved=approved is not None)
        self._emit(
            ActionIntended(
                step=self._step,
                agent=self._agent.name,
                call_id=item.command.call_id,
                tool=item.command.tool_name,
                arguments=item.command.parameters,
                target=target_data(target),
                may_be_password=self._may_be_password(item.command),
                before=_state_of(target),
                expect=item.action.expect.model_dump(mode="json", exclude_defaults=True) if item.action.expect else {},
                files=self._stamps(item.action.expect),
                save_as=item.action.save_as,
                part_of=item.command.part_of,
            )
        )
        clearances = {item.command.call_id: clearance}
        try:
            result = (await self._services.dispatcher.execute_commands([item.command], clearances))[0]
        except ClearanceMissing as error:  # the target changed since it was cleared, and nothing was sent
            result = failure_result(item.command, error, Effect.REFUSED)
        except Exception as error:  # an error in a tool ends the step; the recorded intent still gets its result
            failed = failure_result(item.command, ErrorInfo.of(error), Effect.UNVERIFIABLE)
            self._finish(item, replace(failed, delivered=True, retry_safe=False), ())
            raise
        return await self._after(item, result, files)

    def _stamps(self, expect: Expectation | None) -> dict[str, list[int] | None]:
        """Return the stamps of the session's documents, and of the file that is expected to be written."""
        return self._services.documents.stamps() | (stamps_of([expect.file]) if expect and expect.file else {})

    def _within_budget(self, item: PlannedAction) -> Command:
        """Return the command of a tool that only reads or waits, cut off when the session's time is used up."""
        left_s = self._context.allowance.left_s()
        if left_s is None or left_s >= item.spec.deadline_s:
            return item.command
        return replace(item.command, deadline_s=max(left_s, _LEAST_S))

    async def _meets_password(self, command: Command, *, fresh: bool) -> bool:
        """Return whether keys that may move the focus find a password field in the window, or the check failed.

        `fresh`: nothing was done since the window was observed; otherwise an earlier action may have opened a dialog.
        """
        if fresh or not keys_may_leave_target(command) or may_be_password(command):
            return False
        look = Command("find_controls", {"role": Role.PASSWORD}, ToolType.DATA_COLLECTION, window=command.window)
        answer = (await self._services.dispatcher.execute_commands([look]))[0]
        return not answer.ok or bool(items_of(answer.result, object))

    def _may_be_password(self, command: Command) -> bool:
        return may_be_password(command) or command.call_id in self._met_password

    def _still_allowed(
        self, now: Command, target: TargetInfo | None, approved: ActionFacts | None, as_asked: Command
    ) -> Verdict:
        """Judge the action on its target and in its window as they are `now`.

        `as_asked`: the command to compare with the approved facts; an earlier action of the list may have changed the
        title of its window. Raises: ActionRefused, also where the rules allow an action that is no longer the approved
        one, or demand an approval for another reason.
        """
        verdict = self._services.policy.judge(now, target)
        unchanged, confirmed = True, False
        if approved is not None:
            asked = self._services.policy.judge(as_asked, target)
            unchanged = asked.facts == approved
            confirmed = verdict.decision is Decision.CONFIRM and verdict.rule == asked.rule
        if unchanged and (verdict.decision is Decision.ALLOW or confirmed):
            return verdict
        why = f"rule {verdict.rule}: {verdict.reason}" if unchanged else "it changed since it was approved"
        raise ActionRefused(f"{now.tool_name} was refused right before dispatch: {why}")

    async def _after(self, item: PlannedAction, result: Result, files: JsonObject) -> ActionCommandInfo:
        data, expect = json_of(result.result), item.action.expect
        result = as_expected(expect, result, data)
        checks = await self.check(expect, result, data, files) if result.status is not ResultStatus.FAILURE else ()
        info = self._finish(item, result, checks)
        if info.good:  # data of an action that did not meet its expectation is not saved
            self._save(item, info, data)
        if (written := _written(item, result)) is not None:
            self._context.events.emit(OutputWritten(path=written))
        return info

    def _save(self, item: PlannedAction, info: ActionCommandInfo, data: JsonValue) -> None:
        """Save data under the name from the reply; content that was read for a model also without one."""
        board, application = self._services.blackboard, self._agent.application
        own = "" if item.action.save_as or not (info.is_content and reads_prompts(self._agent)) else item.spec.name
        name = item.action.save_as or (board.own_name(own, self._step) if own else "")
        if not name:
            return
        info.saved_as = name
        board.save(name, data, application=application, step=self._step)
        self._context.events.emit(
            DataSaved(step=self._step, agent=self._agent.name, name=name, data=data, application=application)
        )

    async def check(
        self,
        expect: Expectation | None,
        result: Result | None,
        data: JsonValue,
        files: Mapping[str, JsonValue] = MappingProxyType({}),
    ) -> tuple[CheckResult, ...]:
        """Check the expectation of an action, part by part.

        `files`: the state of an expected file before the action, so that it must be written since; without an action it
        must exist. The agent gets the parts that do not hold.
        """
        if expect is None:
            return ()
        checks = list(expected_of_result(expect, result, data))
        looked_at = expect.model_dump(exclude=set(OF_RESULT), exclude_defaults=True)
        if looked_at:
            window = await window_to_look_in(self._agent) if expect.shows or expect.like else self._agent.root
            command = Command("verify", {"expect": looked_at, **files}, ToolType.DATA_COLLECTION, window=window)
            answer = (await self._services.dispatcher.execute_commands([command]))[0]
            checks += verified(answer, tuple(looked_at))
        for check in checks:
            self._context.events.emit(
                CheckRun(step=self._step, agent=self._agent.name, name=check.name, ok=check.ok, detail=check.detail)
            )
        self._agent.unmet = unmet_of(checks)
        return tuple(checks)

    def _finish(self, item: PlannedAction, result: Result, checks: tuple[CheckResult, ...]) -> ActionCommandInfo:
        command = item.command
        self._context.events.emit(
            action_finished(
                self._step,
                self._agent.name,
                command,
                result,
                may_be_password=self._may_be_password(command),
                save_as=item.action.save_as,
            )
        )
        return ActionCommandInfo(
            command.tool_name,
            command.parameters,
            command.target,
            result,
            checks,
            has_effect=item.spec.has_effect,
            part_of=command.part_of,
        )


def _is_surprise(earlier: ActionCommandInfo, item: PlannedAction) -> bool:
    """Return whether the result of an earlier action keeps this one from running."""
    are_parts = bool(earlier.part_of) and earlier.part_of == item.command.part_of
    return not earlier.good or (are_parts and not earlier.proven)


def _written(item: PlannedAction, result: Result) -> str | None:
    """Return the file that an action made; None where it made none."""
    given = item.command.parameters
    made = (
        item.spec.effect_class is EffectClass.CREATE_FILE
        and True in (given.get("create"), given.get("overwrite"))
        and result.ok
    )
    path = given.get("path")
    return path if made and isinstance(path, str) else None


def _state_of(target: TargetInfo | None) -> ControlState | None:
    """Return what another process compares the target with; not the value of a password, or a long one."""
    if target is None or target.kind is not TargetKind.CONTROL:
        return None
    is_told = target.type is not Role.PASSWORD and len(target.value) <= _LONGEST_VALUE
    return ControlState(
        handle=target.handle, value=target.value if is_told else None, states=sorted(target.states & _STATES)
    )


def as_object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}
