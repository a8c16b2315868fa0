"""The record of a step that an interruption broke, made from its journal and its visible effects (ADR 0119)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from deskhand.core.command import Effect, Result, ResultStatus, Route, ToolSpec
from deskhand.core.errors import ErrorInfo
from deskhand.core.events import ActionEvent, ActionFinished, ActionIntended, CheckRun, ErrorData, VerdictData
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import StepRecord
from deskhand.core.ports import CheckResult
from deskhand.core.roles import Role
from deskhand.core.statuses import AgentStatus, Cause, HostAgentStatus
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.pipeline.actions import ActionCommandInfo, ActionInfo
from deskhand.pipeline.recording import action_fields
from deskhand.session.interrupted import BrokenStep
from deskhand.session.unknown_actions import Judged

ERROR_TYPE: Final = "ActionInterrupted"
_SELECT: Final = "select_application_window"
_NOT_HELD: Final = "The session was interrupted before the user decided about this step; nothing of it was carried out."
_WENT_ON: Final = "The session was interrupted in this step and continues in another process."


@dataclass(frozen=True, slots=True)
class Settled:
    """The events that complete a broken step. `unclear`: a sentence on an action that may have happened, or not.

    `verdict`: the edge that its agent takes; None: its state begins another step. `data`: by name, that of actions
    which returned it and were interrupted before it was saved.
    """

    item: JsonObject
    record: StepRecord
    verdict: VerdictData | None = None
    finished: ActionFinished | None = None
    data: tuple[tuple[str, JsonValue], ...] = ()
    unclear: str = ""


def settled(
    broken: BrokenStep, judged: Judged | None, spec: Callable[[str], ToolSpec | None], *, has_window: bool
) -> Settled | None:
    """Complete a step; None where nothing was sent in it, so that its state simply begins another one.

    `judged`: its unfinished action as it looks now. `has_window`: a window was chosen for the host's next subtask, in
    this step or before.
    """
    if not broken.finished and broken.unfinished is None:
        if broken.record is None:
            return None
        return Settled(broken.item, replace(broken.record, warning=_lines(broken.record.warning, _NOT_HELD)))
    finished = _result_of(broken.unfinished, judged) if broken.unfinished is not None and judged is not None else None
    unclear = finished.error.message if finished is not None and finished.error is not None else ""
    actions = _actions(broken, finished, spec)
    verdict = _assigns(broken, actions.actions) if has_window else None
    item = {**broken.item, **_said(broken), **action_fields(actions), "session_step": broken.step}
    return Settled(
        item, _record(broken, actions, unclear, verdict), verdict, finished, _data(broken, finished), unclear
    )


def _actions(broken: BrokenStep, finished: ActionFinished | None, spec: Callable[[str], ToolSpec | None]) -> ActionInfo:
    """Return the actions of the step; `finished`: that of the unfinished one."""
    done = [
        _info(event, checks, spec, is_known=broken.has_chosen or event.tool != _SELECT)
        for event, checks in zip(broken.finished, broken.checks, strict=True)
    ]
    if finished is not None:
        done.append(_info(finished, (), spec))
    return ActionInfo(done)


def _data(broken: BrokenStep, finished: ActionFinished | None) -> tuple[tuple[str, JsonValue], ...]:
    """Return the data, by name, that was not saved yet."""
    return tuple(
        (event.save_as, event.result)
        for event in (*broken.finished, *([finished] if finished else []))
        if event.save_as and event.save_as not in broken.saved and event.result is not None
    )


def _record(broken: BrokenStep, actions: ActionInfo, unclear: str, verdict: VerdictData | None) -> StepRecord:
    reply = broken.reply
    before = broken.record or StepRecord(
        step=broken.step,
        status=AgentStatus.CONTINUE,
        reply_status=reply.status if reply else "",
        position=reply.position if reply else None,
        healing=reply.healing if reply else None,
    )
    return replace(
        before,
        status=verdict.status if verdict else AgentStatus.CONTINUE,
        actions=tuple(action.to_record() for action in actions),
        problem=unclear,
        warning=_lines(before.warning, _WENT_ON),
    )


def _assigns(broken: BrokenStep, done: list[ActionCommandInfo]) -> VerdictData | None:
    """Return the verdict of a host's step that assigns, where all of its actions are done."""
    reply = broken.reply
    if reply is None or reply.status != HostAgentStatus.ASSIGN or len(done) < len(broken.planned):
        return None
    if not all(action.good and action.ran for action in done):
        return None
    return VerdictData(status=reply.status, cause=Cause.LLM.value, trigger="reply", reason=reply.comment)


def _result_of(intent: ActionIntended, judged: Judged) -> ActionFinished:
    """Return the result that takes the place of the one that was never written."""
    fields = intent.model_dump(exclude={"v", "at", "kind", "before", "expect", "files"})
    if judged.happened:
        evidence = f"it was done before the interruption: {judged.evidence}"
        told: JsonObject = {"status": "success", "effect": "confirmed", "evidence": evidence}
        opened = judged.window
        if opened is not None:
            keys = {"window": opened.name, "application": opened.application, "handle": opened.handle}
            told |= {"result": {**keys, "pid": opened.pid}}
        return ActionFinished.model_validate({**fields, **told, "delivered": True, "retry_safe": False})
    if judged.may_repeat:
        evidence = f"not carried out: the session was interrupted before it; {judged.evidence}"
        return ActionFinished.model_validate({**fields, "status": "skipped", "evidence": evidence})
    target = f' on {intent.target.role} "{intent.target.name}"' if intent.target else ""
    message = (
        f"The session was interrupted while {intent.tool}{target} was sent in step {intent.step}. "
        f"Whether it happened is unknown: {judged.evidence}"
    )
    error = ErrorData(type=ERROR_TYPE, message=message, fix=f"look at {judged.shown_by} before you repeat it")
    told = {"status": "failure", "effect": "unverifiable", "evidence": message, "error": error.model_dump()}
    return ActionFinished.model_validate({**fields, **told, "delivered": True, "retry_safe": False})


def _info(
    event: ActionFinished,
    checks: tuple[CheckRun, ...],
    spec: Callable[[str], ToolSpec | None],
    *,
    is_known: bool = True,
) -> ActionCommandInfo:
    """Return an action as its process had it. `is_known` False: its result was lost, and it is to be repeated."""
    known = spec(event.tool)
    error = event.error
    result = Result(
        ResultStatus(event.status) if is_known else ResultStatus.SKIPPED,
        event.call_id,
        result=event.result,
        error=ErrorInfo(error.type, error.message, error.fix, tuple(error.candidates), recoverable=True)
        if error
        else None,
        effect=Effect(event.effect) if event.effect else None,
        route=Route(event.route) if event.route else None,
        evidence=event.evidence,
        delivered=event.delivered,
        retry_safe=event.retry_safe,
    )
    return ActionCommandInfo(
        event.tool,
        event.arguments,
        _target(event),
        result,
        tuple(CheckResult(check.name, check.ok, check.detail) for check in checks),
        has_effect=known is None or known.has_effect,
        saved_as=event.save_as,
        part_of=event.part_of,
    )


def _target(event: ActionEvent) -> TargetInfo | None:
    if event.target is None:
        return None
    return TargetInfo(TargetKind.CONTROL, event.target.name, Role(event.target.role), id=event.target.id)


def _said(broken: BrokenStep) -> JsonObject:
    """Return the fields of a memory item that the reply has."""
    reply = broken.reply
    if reply is None:
        return {}
    names = ("observation", "thought", "comment", "status", "result")
    return {**{name: getattr(reply, name) for name in names}, "plan": list(reply.plan)}


def _lines(*texts: str) -> str:
    return "\n".join(filter(None, texts))
