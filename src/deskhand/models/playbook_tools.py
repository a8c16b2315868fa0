"""Check of a playbook's steps against the catalogue of tools."""

from collections.abc import Callable, Iterator, Mapping
from itertools import count

from deskhand.config.yaml_values import suggestion
from deskhand.core.command import ToolSpec
from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import AgentKind
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.models.form_values import with_ids
from deskhand.models.placeholders import references
from deskhand.models.steps import HOST, Playbook, Step

_OF_THE_TARGET = ("id", "name")


Validate = Callable[[str, JsonObject], JsonObject]
"""A tool's name and arguments to the arguments with its defaults. Raises: ReplyDefect in one precise sentence."""


def tool_problems(playbook: Playbook, tools: Mapping[str, ToolSpec], validate: Validate) -> list[str]:
    """All problems with the tools of a playbook, as `source:line: message`, by line.

    `tools` are all tools by name, including those of agent plug-ins. Values that are only available at run time are not
    checked.
    """
    found: list[tuple[int, str]] = []
    for section, steps in ((HOST, playbook.host), *playbook.agents.items()):
        offered = {name: spec for name, spec in tools.items() if _is_offered(spec, is_host=section == HOST)}
        for step in steps:
            if step.tool:
                problems = [*call_problems(step, offered, "the host has" if section == HOST else "an agent has")]
                problems = problems or ([] if any(references(dict(step.args or {}))) else wrong_values(step, validate))
                found += [(step.line, problem) for problem in problems]
    return [f"{playbook.source}:{line}: {message}" for line, message in sorted(set(found))]


def wrong_values(step: Step, validate: Validate) -> list[str]:
    """The problem with the values of a step whose tool and names of arguments are right; none or one."""
    arguments = dict(step.args or {})
    if step.on is not None:
        arguments["id"] = "1"
    numbers = count(1)
    try:
        validate(step.tool, with_ids(arguments, lambda _: _any_control(str(next(numbers)))))
    except ReplyDefect as defect:
        return [defect.message]
    return []


def _any_control(label: str) -> TargetInfo:
    return TargetInfo(TargetKind.CONTROL, "", Role.UNKNOWN, id=label)


def call_problems(step: Step, offered: Mapping[str, ToolSpec], whose: str) -> Iterator[str]:
    """The problems with the tool of a step and the names of its arguments. `whose`: as in "an agent has no tool"."""
    spec = offered.get(step.tool)
    if spec is None:
        yield f"{whose} no tool {step.tool!r}{suggestion(step.tool, offered)}"
        return
    known, required = _arguments(spec)
    given = set(step.args or {})
    aimed = set(_OF_THE_TARGET) if step.on is not None and spec.takes_target else set[str]()
    if step.on is not None and not spec.takes_target:
        yield f"{step.tool} takes no control; leave out 'on'"
    for name in sorted(given - known):
        yield f"{step.tool} has no argument {name!r}{suggestion(name, known - aimed)}"
    for name in sorted(given & aimed):
        yield f"{step.tool} gets {name!r} from 'on' already"
    for name in sorted(required - given - aimed):
        yield f"{step.tool} needs {'on' if name == 'id' else f'the argument {name!r}'}"


def _is_offered(spec: ToolSpec, *, is_host: bool) -> bool:
    return AgentKind.HOST in spec.audience if is_host else bool(spec.audience - {AgentKind.HOST})


def _arguments(spec: ToolSpec) -> tuple[set[str], set[str]]:
    """All arguments of a tool, and those without a default."""
    properties, required = spec.parameters.get("properties"), spec.parameters.get("required")
    return set(properties) if isinstance(properties, dict) else set(), _texts(required)


def _texts(value: JsonValue) -> set[str]:
    return {item for item in value if isinstance(item, str)} if isinstance(value, list) else set()
