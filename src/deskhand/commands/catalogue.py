"""The catalogue: the tools, their arguments, and the functions behind them (contract 4.1)."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskhand.commands.call import ANY_CHANGE, Call, Expects, ToolContext, ToolOutcome
from deskhand.core.command import EffectClass, Needed, ToolSpec, ToolType
from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject
from deskhand.core.model import AgentKind
from deskhand.core.target import TargetInfo


class Arguments(BaseModel):
    """A tool's arguments: unknown names are refused. `rare`: those that no prompt lists; `decided`: those that a model
    decides itself, so that saved data is no value of them.
    """

    rare: ClassVar[frozenset[str]] = frozenset()
    decided: ClassVar[frozenset[str]] = frozenset()
    model_config = ConfigDict(extra="forbid", frozen=True)


class TargetArguments(Arguments):
    """`id` is the label of a control in the caller's latest observation; `name`, its name, catches a wrong label."""

    id: str = Field(min_length=1, description="label of the control in the latest observation")
    name: str = Field(default="", description="its name there; a control of another name is refused")


Region = tuple[
    Annotated[float, Field(title="left")],
    Annotated[float, Field(title="top")],
    Annotated[float, Field(title="right")],
    Annotated[float, Field(title="bottom")],
]
"""A part of a window, as 0..1 of it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the calls that a compound tool stands for: `target` is its control as the caller observed it."""

    tool: str
    arguments: JsonObject
    target: TargetInfo


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)
ToolFunction = Callable[[ToolContext, Call, Any], Awaitable[ToolOutcome]]  # Any: each tool's own Arguments
ControlOf = Callable[[str, str], TargetInfo]
"""Finds a control by its id and, if given, its name. Raises: ReplyDefect, ElementNotFound."""
Divide = Callable[[Any, ControlOf], tuple[Part, ...]]  # Any: each tool's own Arguments


@dataclass(frozen=True, slots=True)
class Tool:
    """A catalogue entry with its function. `divide`: it is compound, and stands for calls of other tools."""

    spec: ToolSpec
    arguments: type[Arguments]
    run: ToolFunction = field(repr=False)
    expects: Expects = ANY_CHANGE
    divide: Divide | None = field(default=None, repr=False)

    def read(self, arguments: JsonObject) -> Arguments:
        """Return its arguments, validated. Raises: ReplyDefect with one precise sentence."""
        try:
            return self.arguments.model_validate(arguments)
        except ValidationError as error:
            problems = error.errors()
            # An unknown argument first: it may be a misspelt required one.
            first = next((problem for problem in problems if problem["type"] == "extra_forbidden"), problems[0])
            where = ".".join(str(part) for part in first["loc"]) or "arguments"
            message = first["msg"].removeprefix("Value error, ")
            raise ReplyDefect(f"{self.spec.name}: {where}: {message}") from error


HOST: Final[frozenset[str]] = frozenset({AgentKind.HOST})
APP: Final[frozenset[str]] = frozenset({AgentKind.APP})
PROGRAM: Final[frozenset[str]] = frozenset()


def action(  # noqa: PLR0913 - everything but the first two is named
    arguments: type[Arguments],
    run: ToolFunction,
    *,
    effect_class: EffectClass,
    audience: frozenset[str] = APP,
    has_effect: bool = True,
    expects: Expects = ANY_CHANGE,
    deadline_s: float = 20.0,
    needs: Needed | None = None,
    in_prompts: bool = True,
) -> Tool:
    """Make an action tool: its name is the function's, its description for the model the function's docstring.

    It is cancelled at its deadline and with the session, and must end then: blocking calls run in a thread that is
    abandoned on cancellation (`anyio.to_thread.run_sync(…, abandon_on_cancel=True)`). `effect_class` is for the policy.
    `has_effect`: the function must report how far its effect was confirmed; False for tools that need only succeed.
    `expects`: the rules for its effect. `needs`, `in_prompts`: as in `ToolSpec`.
    """
    tool = _tool(arguments, run, ToolType.ACTION, effect_class, audience, has_effect, deadline_s)
    return replace(tool, spec=replace(tool.spec, needs=needs, in_prompts=in_prompts), expects=expects)


def compound(
    arguments: type[Arguments], divide: Divide, *, effect_class: EffectClass, expects: Expects, needs: Needed | None
) -> Tool:
    """Make a tool that stands for calls of other tools, one control each; named and described as `action` does.

    Callers divide it (`Catalogue.parts`) before the policy judges: each part is judged, run and recorded by itself.
    """

    async def undivided(tools: ToolContext, call: Call, given: Arguments) -> ToolOutcome:  # noqa: ARG001
        raise ReplyDefect(f"{call.command.tool_name} was sent whole; its parts are sent one by one")

    undivided.__name__, undivided.__doc__ = divide.__name__, divide.__doc__
    tool = action(arguments, undivided, effect_class=effect_class, expects=expects, needs=needs)
    return replace(tool, divide=divide)


def data(
    arguments: type[Arguments],
    run: ToolFunction,
    *,
    audience: frozenset[str] = PROGRAM,
    deadline_s: float = 20.0,
) -> Tool:
    """Make a data collection tool: it reads and changes nothing."""
    return _tool(arguments, run, ToolType.DATA_COLLECTION, EffectClass.NONE, audience, False, deadline_s)


def _tool(  # noqa: PLR0913, PLR0917 - the two public makers name everything
    arguments: type[Arguments],
    run: ToolFunction,
    tool_type: ToolType,
    effect_class: EffectClass,
    audience: frozenset[str],
    has_effect: bool,
    deadline_s: float,
) -> Tool:
    spec = ToolSpec(
        name=run.__name__,
        description=" ".join((run.__doc__ or "").split()),
        parameters=arguments.model_json_schema(),
        tool_type=tool_type,
        effect_class=effect_class,
        audience=audience,
        has_effect=has_effect,
        takes_target="id" in arguments.model_fields,
        rare=arguments.rare,
        decided=arguments.decided,
        deadline_s=deadline_s,
    )
    return Tool(spec, arguments, run)


class Catalogue:
    """Tools by name. Immutable."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def get(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def spec(self, name: str) -> ToolSpec | None:
        """The entry of a tool; None if there is no such tool."""
        tool = self._tools.get(name)
        return tool.spec if tool else None

    def specs(self, kind: str, application: str = "") -> dict[str, ToolSpec]:
        """The tools offered to a kind of agent in an application, by name. `application`: as its windows report it."""
        return {
            tool.spec.name: tool.spec
            for tool in self
            if kind in tool.spec.audience and _is_for(tool.spec.applications, application)
        }

    def parts(self, name: str, arguments: JsonObject, control_of: ControlOf) -> tuple[Part, ...]:
        """Return the calls that a compound tool stands for, their arguments validated; none for any other tool.

        Raises: ReplyDefect, also for a value that does not fit its control; as `control_of`.
        """
        tool = self._tools.get(name)
        if tool is None or tool.divide is None:
            return ()
        parts = tool.divide(tool.arguments.model_validate(arguments), control_of)
        return tuple(replace(part, arguments=self.validate(part.tool, part.arguments)) for part in parts)

    def effect_class(self, name: str) -> EffectClass:
        """SYSTEM for an unknown tool, so that the policy is asked about it."""
        tool = self._tools.get(name)
        return tool.spec.effect_class if tool else EffectClass.SYSTEM

    def validate(self, name: str, arguments: JsonObject) -> JsonObject:
        """Return the arguments with the tool's defaults filled in. Raises: ReplyDefect with one precise sentence."""
        tool = self._tools.get(name)
        if tool is None:
            raise ReplyDefect(f"there is no tool {name!r}")
        return tool.read(arguments).model_dump(mode="json", by_alias=True)


def _is_for(applications: frozenset[str], application: str) -> bool:
    return not applications or application.casefold() in {name.casefold() for name in applications}
