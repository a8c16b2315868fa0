"""Tools from plain functions of other programs: `@deskhand.tool`."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeAlias, overload

from anyio import to_thread
from pydantic import create_model

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, Tool, ToolFunction, action, data
from deskhand.core.command import PLUGIN, Effect, EffectClass, Route
from deskhand.core.errors import DeskhandError, ToolFailed, UsageError
from deskhand.core.model import AgentKind
from deskhand.core.type_checks import json_of

Function: TypeAlias = Callable[..., object]
"""Returns JSON data or a `ToolOutcome`, at once or awaited."""

_CHANGES: Final = "the tool reports that it succeeded; its effect cannot be checked"
_GIVEN: Final[Mapping[object, str]] = {ToolContext: "tools", Call: "call"}
"""Types of parameters that the caller of the tool does not give."""
_NAMED: Final = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}


@overload
def tool(function: Function) -> Tool: ...
@overload
def tool(
    *,
    effect_class: str = EffectClass.NONE,
    agents: Iterable[str] = (AgentKind.APP,),
    applications: Iterable[str] = (),
    deadline_s: float = 20.0,
) -> Callable[[Function], Tool]: ...
def tool(
    function: Function | None = None,
    *,
    effect_class: str = EffectClass.NONE,
    agents: Iterable[str] = (AgentKind.APP,),
    applications: Iterable[str] = (),
    deadline_s: float = 20.0,
) -> Tool | Callable[[Function], Tool]:
    """Make a tool of a function: its name, its docstring and its annotated parameters are shown to models.

    `effect_class`: the change that it makes (`edit`, `send`, `delete` …), by which rules judge it; `none`: it only
    reads. A tool that changes something and returns no `ToolOutcome` is reported as unverifiable. A function that is
    not `async` runs in a thread, which is left behind when it is cancelled. Parameters of the types `ToolContext` and
    `Call` get the desktop, and the control and window of the call; all others are arguments.
    `agents`: the kinds that are offered it (`app`, `host`); `applications`: the only ones in whose windows it is.

    Raises: UsageError for a function without docstring, or with a parameter without type.
    """

    def make(function: Function) -> Tool:
        return _made(function, effect_class, frozenset(agents), frozenset(applications), deadline_s)

    return make if function is None else make(function)


def _made(
    function: Function, effect_class: str, audience: frozenset[str], applications: frozenset[str], deadline_s: float
) -> Tool:
    name = function.__name__
    if not inspect.getdoc(function):
        raise UsageError(f"the tool {name} has no docstring", fix="write what it does: models choose by it")
    kind = _effect_class(name, effect_class)
    arguments, given = _arguments(name, function)
    run = _runner(function, given, reads=kind is EffectClass.NONE)
    if kind is EffectClass.NONE:
        made = data(arguments, run, audience=audience, deadline_s=deadline_s)
    else:
        made = action(arguments, run, effect_class=kind, audience=audience, deadline_s=deadline_s)
    return replace(made, spec=replace(made.spec, namespace=PLUGIN, applications=applications))


def _effect_class(name: str, given: str) -> EffectClass:
    try:
        return EffectClass(given)
    except ValueError as error:
        known = ", ".join(EffectClass)
        raise UsageError(f"the tool {name} has the effect class {given!r}", fix=f"give one of: {known}") from error


def _arguments(name: str, function: Function) -> tuple[type[Arguments], dict[str, str]]:
    """Return the model of a function's arguments, and the parameters that are given by the program, by their names."""
    fields: dict[str, Any] = {}  # Any: type and default, as pydantic takes them
    given: dict[str, str] = {}
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        if parameter.kind not in _NAMED or parameter.annotation is inspect.Parameter.empty:
            raise UsageError(f"the tool {name} has the parameter {parameter}", fix="give it a name and a type")
        if parameter.annotation in _GIVEN:
            given[parameter.name] = _GIVEN[parameter.annotation]
            continue
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (parameter.annotation, default)
    return create_model(name, __base__=Arguments, **fields), given


async def _returned(bound: partial[Any]) -> object:  # Any: what the function returns
    if inspect.iscoroutinefunction(bound.func):
        return await bound()
    return await to_thread.run_sync(bound, abandon_on_cancel=True)


def _runner(function: Function, given: Mapping[str, str], *, reads: bool) -> ToolFunction:
    async def run(tools: ToolContext, call: Call, arguments: Arguments) -> ToolOutcome:
        parts = {"tools": tools, "call": call}
        values = {name: getattr(arguments, name) for name in type(arguments).model_fields}
        bound = partial(function, **values, **{name: parts[part] for name, part in given.items()})
        tools.delivered = not reads
        try:
            returned = await _returned(bound)
        except DeskhandError:
            raise
        except Exception as error:
            name = call.command.tool_name
            raise ToolFailed(f"{name} raised {type(error).__name__}: {error}", fix="correct the tool") from error
        if isinstance(returned, ToolOutcome):
            return returned
        told = json_of(returned)
        if reads:
            return ToolOutcome(told)
        return ToolOutcome(told, Effect.UNVERIFIABLE, Route.APPLICATION_API, _CHANGES, retry_safe=False)

    run.__name__, run.__doc__ = function.__name__, inspect.getdoc(function)
    return run
