"""Events of actions, in the journals of sessions and of scripts."""

from deskhand.core.command import Command, Result
from deskhand.core.events import ActionFinished, ErrorData, TargetData
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import json_of


def target_data(target: TargetInfo | None) -> TargetData | None:
    if target is None:
        return None
    return TargetData(id=target.id, role=target.type.value, name=target.name, rect=target.rect.to_list())


def action_finished(
    step: int, agent: str, command: Command, result: Result, *, may_be_password: bool, save_as: str = ""
) -> ActionFinished:
    """The event of a result. `may_be_password`, `save_as`: as of the event."""
    return ActionFinished(
        step=step,
        agent=agent,
        call_id=command.call_id,
        tool=command.tool_name,
        arguments=command.parameters,
        target=target_data(command.target),
        may_be_password=may_be_password,
        status=result.status.value,
        effect=result.effect.value if result.effect else "",
        route=result.route.value if result.route else "",
        evidence=result.evidence,
        delivered=result.delivered,
        retry_safe=result.retry_safe,
        seconds=result.seconds,
        error=ErrorData.of(result.error) if result.error else None,
        result=json_of(result.result),
        save_as=save_as,
        part_of=command.part_of,
    )
