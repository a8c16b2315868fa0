"""Hand-made controls and requests for tests of models."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from deskhand.core.command import Effect, EffectClass, ResultStatus, ToolSpec, ToolType
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ActionRecord, AgentKind, ModelRequest, StepRecord, SubtaskRecord
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind

TOOLS = (
    "select_application_window",
    "launch_application",
    "read_table",
    "write_table",
    "set_edit_text",
    "keyboard_input",
    "invoke",
    "select_item",
    "choose_file",
    "find_controls",
)


def control(role: Role, name: str = "", *, id: str = "", parent: str = "", value: str = "") -> TargetInfo:  # noqa: A002
    """A control whose handle is `role:name`."""
    return TargetInfo(TargetKind.CONTROL, name, role, id=id, handle=f"{role}:{name}", parent=parent, value=value)


def window(name: str, *, id: str = "", role: Role = Role.WINDOW, application: str = "") -> TargetInfo:  # noqa: A002
    return TargetInfo(TargetKind.WINDOW, name, role, id=id, handle=f"w:{name}", application=application)


def labelled(controls: Sequence[TargetInfo]) -> tuple[TargetInfo, ...]:
    """The same controls with ids from 1."""
    return tuple(replace(item, id=str(number)) for number, item in enumerate(controls, 1))


def tool(name: str, effect_class: EffectClass = EffectClass.EDIT) -> ToolSpec:
    return ToolSpec(name, name, {}, ToolType.ACTION, effect_class, frozenset({AgentKind.APP, AgentKind.HOST}))


def ask(
    agent: AgentKind = AgentKind.APP,
    *,
    subtask: str = "",
    done: Sequence[StepRecord] = (),
    before: Sequence[SubtaskRecord] = (),
    window: TargetInfo | None = None,
    controls: Sequence[TargetInfo] = (),
    blackboard: Mapping[str, JsonValue] | None = None,
    problem: str = "",
) -> ModelRequest:
    """A request as the pipeline makes them."""
    return ModelRequest(
        agent=agent,
        agent_name=agent.value,
        messages=(),
        request="Chart the sales table",
        subtask=subtask,
        host_message=(),
        steps_done=tuple(done),
        previous_subtasks=tuple(before),
        window=window,
        controls=labelled(controls),
        blackboard=blackboard or {},
        tools=tuple(tool(name) for name in TOOLS),
        allowed_statuses=("CONTINUE", "FINISH", "FAIL"),
        problem=problem,
    )


def ran(
    function: str,
    *,
    status: ResultStatus = ResultStatus.SUCCESS,
    effect: Effect | None = Effect.CONFIRMED,
    problem: str = "",
    reply_status: str = "CONTINUE",
    message: str = "",
    unmet: str = "",
) -> StepRecord:
    """A step whose one action ran."""
    action = ActionRecord(function, {}, "", status, effect, ran=True, message=message, unmet=unmet)
    return StepRecord(1, "CONTINUE", (action,), problem, reply_status)


def refused(function: str, problem: str = "the button is disabled") -> StepRecord:
    """A step whose one action was refused before anything happened."""
    arguments: JsonObject = {}
    action = ActionRecord(function, arguments, "", ResultStatus.FAILURE, Effect.REFUSED, ran=False, message=problem)
    return StepRecord(1, "CONTINUE", (action,), problem, "CONTINUE")
