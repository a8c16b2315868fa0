"""The catalogue: what tools there are, what they take, and the functions behind them (contract 4.1)."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskhand.commands.expectation import ANY_CHANGE, Expects
from deskhand.core.command import Command, Effect, EffectClass, Route, ToolSpec, ToolType
from deskhand.core.errors import ReplyDefect
from deskhand.core.external import ExternalEvents
from deskhand.core.json import JsonObject
from deskhand.core.model import AgentKind
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.applications import Applications
from deskhand.desktop.protocols.desktop import Desktop


class Arguments(BaseModel):
    """A tool's arguments: strict about names, plain about values."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TargetArguments(Arguments):
    """`id` is the label of a control in what the agent was shown, `name` its name, to catch a wrong label."""

    id: str = Field(min_length=1, description="label of the control in the latest observation")
    name: str = Field(default="", description="its name there; a control of another name is refused")


Label = Callable[[TargetInfo, Observation], Awaitable[tuple[TargetInfo, ...]]]
"""The controls of an observation with their ids; the window is the one that was asked for. Raises: StoreError."""


@dataclass(slots=True)
class ToolContext:
    """What a tool may use.

    `delivered` is set by a tool right before it sends something to an application; `notes` are told however the call
    ends; `external` is where it announces what will happen later. `effect_hold_s`: an effect that is gone after less
    than this is none; 0: it need not last. `folders`: files below these may be looked into; None: all that the user
    may read. `label` gives what is seen in front of a window its ids, which hold from then on; None: they are those of
    what the caller was shown.
    """

    desktop: Desktop
    applications: Applications = field(default_factory=Applications)
    delivered: bool = False
    notes: list[str] = field(default_factory=list[str])
    effect_hold_s: float = 0.12
    external: ExternalEvents = field(default_factory=ExternalEvents)
    folders: tuple[Path, ...] | None = None
    label: Label | None = None

    def fresh(self) -> "ToolContext":
        """The same for one call."""
        return replace(self, delivered=False, notes=[])


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool function returns; `effect` None for tools without one."""

    data: object = None
    effect: Effect | None = None
    route: Route | None = None
    evidence: str = ""
    retry_safe: bool = True


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: the command, its target as it is now, the root window it is for, and the tool's rules."""

    command: Command
    target: TargetInfo | None
    window: TargetInfo | None
    expects: Expects = ANY_CHANGE

    def need_target(self) -> TargetInfo:
        """Raises: ReplyDefect where the command names no control."""
        if self.target is None:
            raise ReplyDefect(f"{self.command.tool_name} needs the id of a control")
        return self.target

    def need_window(self) -> TargetInfo:
        """Raises: ReplyDefect where the command is for no window."""
        if self.window is None:
            raise ReplyDefect(f"{self.command.tool_name} needs a window; none is selected")
        return self.window


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)
ToolFunction = Callable[[ToolContext, Call, Any], Awaitable[ToolOutcome]]  # Any: each tool's own Arguments


@dataclass(frozen=True, slots=True)
class Tool:
    """A catalogue entry with the function behind it."""

    spec: ToolSpec
    arguments: type[Arguments]
    run: ToolFunction = field(repr=False)
    expects: Expects = ANY_CHANGE


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
) -> Tool:
    """An action tool: its name is the function's, its description for the model the function's docstring.

    It is cancelled at its deadline and with the session, and must end then: what blocks runs in a thread that is
    left alone when that happens (`anyio.to_thread.run_sync(…, abandon_on_cancel=True)`).
    `effect_class` is for the policy. `has_effect`: the function must return whether the effect was confirmed; False
    for tools that need only succeed. `expects`: the rules for its effect.
    """
    tool = _tool(arguments, run, ToolType.ACTION, effect_class, audience, has_effect, deadline_s)
    return replace(tool, expects=expects)


def data(
    arguments: type[Arguments],
    run: ToolFunction,
    *,
    audience: frozenset[str] = PROGRAM,
    deadline_s: float = 20.0,
) -> Tool:
    """A data collection tool: it looks and changes nothing."""
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
        """What is known of a tool; None of one that is not there."""
        tool = self._tools.get(name)
        return tool.spec if tool else None

    def specs(self, kind: str, application: str = "") -> dict[str, ToolSpec]:
        """What a kind of agent is offered in an application, as windows report it, by name."""
        return {
            tool.spec.name: tool.spec
            for tool in self
            if kind in tool.spec.audience and _is_for(tool.spec.applications, application)
        }

    def effect_class(self, name: str) -> EffectClass:
        """Of an unknown tool: SYSTEM, so that a policy is asked about it."""
        tool = self._tools.get(name)
        return tool.spec.effect_class if tool else EffectClass.SYSTEM

    def validate(self, name: str, arguments: JsonObject) -> JsonObject:
        """The arguments with the tool's defaults filled in. Raises: ReplyDefect with one precise sentence."""
        tool = self._tools.get(name)
        if tool is None:
            raise ReplyDefect(f"there is no tool {name!r}")
        try:
            return tool.arguments.model_validate(arguments).model_dump(mode="json", by_alias=True)
        except ValidationError as error:
            problems = error.errors()
            # An unknown one first: what is required and was not given may be what it should have been called.
            first = next((problem for problem in problems if problem["type"] == "extra_forbidden"), problems[0])
            where = ".".join(str(part) for part in first["loc"]) or "arguments"
            raise ReplyDefect(f"{name}: {where}: {first['msg'].removeprefix('Value error, ')}") from error


def _is_for(applications: frozenset[str], application: str) -> bool:
    return not applications or application.casefold() in {name.casefold() for name in applications}
