"""A model's reply as its type: a defect is one sentence; an optional part with a defect is left out (contract 3.2)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.observation import Observation
from deskhand.core.replies import AgentReply, Expectation, flat
from deskhand.core.target import TargetInfo
from deskhand.pipeline.actions import PlannedAction, PlanningGround, plan
from deskhand.pipeline.services import PipelineAgent

ModelT = TypeVar("ModelT", bound=BaseModel)
ReplyT = TypeVar("ReplyT", bound=AgentReply)

_BESIDE: Final = ("expect", "saveas")
"""Fields that belong to an action; in a reply without an action they have no meaning."""
_SPARED: Final = frozenset(
    {*_BESIDE, "observation", "thought", "plan", "comment", "savescreenshot", "controlreannotate"}
)
_KEYS: Final = ", ".join(Expectation.model_fields)


@dataclass(frozen=True, slots=True)
class UsableReply(Generic[ReplyT]):
    """A reply as its type, its planned actions, and the data that they were checked against."""

    reply: ReplyT
    planned: tuple[PlannedAction, ...]
    ground: PlanningGround

    def fields(self) -> dict[str, object]:
        """Return the fields of the processing context that every agent's reply fills."""
        reply = self.reply
        return {
            "parsed_response": reply,
            "planned_actions": self.planned,
            "planning_ground": self.ground,
            "thought": reply.thought,
            "observation_text": reply.observation,
            "plan": tuple(reply.plan),
            "comment": reply.comment,
            "questions": tuple(reply.questions),
            "result": reply.result,
        }


def planning_ground(
    agent: PipelineAgent,
    targets: Mapping[str, TargetInfo],
    seen: Observation | None = None,
    before: Observation | None = None,
) -> PlanningGround:
    """Return the data that the replies of this step are checked against.

    `before`: the observation of the last prompt, where its ids are not those of this one.
    """
    catalogue = agent.services.dispatcher.catalogue
    return PlanningGround(
        tools=catalogue.specs(agent.kind, agent.root.application if agent.root else ""),
        validate=catalogue.validate,
        targets=targets,
        data=agent.blackboard_data(),
        window=agent.root,
        seen=seen,
        before={control.id: control for control in before.controls} if before else {},
        parts=catalogue.parts,
    )


def usable(
    reply_type: type[ReplyT],
    request: ModelRequest,
    ground: PlanningGround,
    check: Callable[[ReplyT], None] | None = None,
) -> Callable[[ModelReply], UsableReply[ReplyT]]:
    """Return the parser for `ask`: the reply as its type, with a status and actions that are possible here.

    `check` raises ReplyDefect for further rules of the kind of agent.
    """

    def parse(reply: ModelReply) -> UsableReply[ReplyT]:
        parsed = parse_reply(reply_type, reply, request.allowed_statuses)
        planned = plan(parsed.ordered_actions(), ground)
        if check is not None:
            check(parsed)
        return UsableReply(parsed, planned, ground)

    return parse


def parse_reply(reply_type: type[ReplyT], reply: ModelReply, allowed: tuple[str, ...]) -> ReplyT:
    """Return the reply as its type, with a status that may be claimed here. Raises: ReplyDefect."""
    parsed = taken(reply_type, reply.content)
    if parsed.status not in allowed:
        raise ReplyDefect(f"status {parsed.status!r} cannot be claimed here; allowed: {', '.join(allowed)}")
    if parsed.status == "CONFIRM" and not parsed.ordered_actions():
        raise ReplyDefect("status CONFIRM needs the action that is to be confirmed")
    if parsed.status == "PENDING" and not parsed.questions:
        raise ReplyDefect("status PENDING needs at least one question")
    return parsed


def taken(reply_type: type[ReplyT], content: JsonObject) -> ReplyT:
    """Return the content of an agent's reply as its type. Raises: ReplyDefect, naming the first wrong field.

    A defect in an optional field costs no action: the field is left out, and `left_out` has the reason.
    """
    try:
        content = cast("JsonObject", flat(content))
    except ValueError as error:
        raise ReplyDefect(str(error)) from error
    content, left_out = _spared(reply_type, _without_null(content))
    return validated(reply_type, content).leaving_out(left_out)


def validated(reply_type: type[ModelT], content: JsonObject) -> ModelT:
    """Return the content of a reply as its type. Raises: ReplyDefect, naming the first wrong field."""
    try:
        return reply_type.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        raise ReplyDefect(_sentence(first)) from error


def _spared(reply_type: type[BaseModel], content: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    """Return the content without the optional fields that are wrong, and the defect of each."""
    content, left_out = _without_beside(reply_type, content)
    try:
        reply_type.model_validate(content)
    except ValidationError as error:
        for problem in error.errors():
            path = [_plain(part) for part in problem["loc"]]
            if len(path) > 2 and path[0] == "actions" and path[2] in _SPARED:
                content = _without_of_action(content, int(path[1]), path[2])
                left_out.setdefault(".".join(map(str, problem["loc"][:3])), _sentence(problem))
            elif path and path[0] in _SPARED and (path[0] not in _BESIDE or _acts(content)):
                content = _without_field(content, path[0])
                left_out.setdefault(str(problem["loc"][0]), _sentence(problem))
    return content, left_out


def _without_beside(reply_type: type[BaseModel], content: JsonObject) -> tuple[JsonObject, dict[str, str]]:
    """Return the content without the fields of an action that are given beside an ordered list of actions."""
    several = any(_plain(name) == "actions" and value for name, value in content.items())
    if not several or "actions" not in reply_type.model_fields:
        return content, {}
    beside = [name for name, value in content.items() if _plain(name) in _BESIDE and value]
    why = "it was given beside actions; put it into the action it belongs to"
    return {name: value for name, value in content.items() if name not in beside}, dict.fromkeys(beside, why)


def _acts(content: JsonObject) -> bool:
    return any(_plain(name) in {"function", "actions"} and value for name, value in content.items())


def _without_field(content: JsonObject, field: str) -> JsonObject:
    return {name: value for name, value in content.items() if _plain(name) != field}


def _without_of_action(content: JsonObject, index: int, field: str) -> JsonObject:
    """Return the content without a field of one of its actions."""

    def part(name: str, value: JsonValue) -> JsonValue:
        if _plain(name) != "actions" or not isinstance(value, list):
            return value
        return [
            _without_field(action, field) if at == index and isinstance(action, dict) else action
            for at, action in enumerate(value)
        ]

    return {name: part(name, value) for name, value in content.items()}


def _without_null(content: JsonObject) -> JsonObject:
    """Return the content, and the objects in it, without fields that are null: they mean nothing, as if left out.

    Of a tool's arguments only those that are null themselves are left out: inside, null may be a value.
    """
    told: JsonObject = {}
    for name, value in content.items():
        if isinstance(value, dict):
            is_args = _plain(name) == "args"
            told[name] = (
                {key: part for key, part in value.items() if part is not None} if is_args else _without_null(value)
            )
        elif isinstance(value, list):
            told[name] = [_without_null(item) if isinstance(item, dict) else item for item in value]
        elif value is not None or _plain(name) == "status":
            told[name] = value
    return told


def _plain(name: object) -> str:
    """Return a field's name independent of its form: `save_as`, `SaveAs`."""
    return str(name).replace("_", "").lower()


def _path(problem: ErrorDetails) -> str:
    return ".".join(str(part) for part in problem["loc"])


def _sentence(problem: ErrorDetails) -> str:
    """Return the defect, or the expected type: `plan: a list of texts`."""
    names = [_plain(part) for part in problem["loc"]]
    field = names[-1] if names else ""
    kind = problem["type"]
    if kind == "extra_forbidden":
        told = "there is no such field"
    elif kind == "list_type":
        told = "a list of actions" if field == "actions" else "a list of texts"
    elif kind in {"model_type", "dict_type"}:
        told = f"an object of {_KEYS}" if field == "expect" else "an object"
    else:
        told = problem["msg"].removeprefix("Value error, ")
    said = f"{_path(problem) or 'reply'}: {told}"
    return said if "expect" not in names or _KEYS in told else f"{said}; expect is an object of {_KEYS}"
