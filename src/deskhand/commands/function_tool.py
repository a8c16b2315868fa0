"""Tools from plain functions of other programs: `@deskhand.tool`."""

import asyncio
import inspect
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import Any, Final, TypeAlias, cast, overload

import anyio
from pydantic import PydanticUserError, create_model
from pydantic_core import to_jsonable_python

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, Tool, ToolFunction, action, data
from deskhand.core.command import PLUGIN, Effect, EffectClass, Route
from deskhand.core.errors import DeskhandError, ToolFailed, UsageError
from deskhand.core.model import AgentKind
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import items_of, pairs_of

Function: TypeAlias = Callable[..., object]
"""Returns data or a `ToolOutcome`, at once or awaited."""

_CHANGES: Final = "the tool reports that it succeeded; its effect cannot be checked"
_GIVEN: Final[Mapping[object, str]] = {ToolContext: "tools", Call: "call"}
"""Types of parameters that the caller of the tool does not give."""
_NAME: Final = re.compile("[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
"""Names of tools that all providers of models take."""
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

    Raises: UsageError for what models could not use: no docstring, a parameter without type, an odd name.
    """
    if isinstance(agents, str) or isinstance(applications, str):
        raise UsageError("agents and applications are several names", fix="give a list")
    if deadline_s <= 0:
        raise UsageError(f"the deadline of a tool is {deadline_s:g} s", fix="give the seconds that it may take")

    def make(function: Function) -> Tool:
        return _made(function, effect_class, frozenset(agents), frozenset(applications), deadline_s)

    return make if function is None else make(function)


def _made(
    function: Function, effect_class: str, audience: frozenset[str], applications: frozenset[str], deadline_s: float
) -> Tool:
    name = str(getattr(function, "__name__", function))
    if not _NAME.fullmatch(name):
        raise UsageError(f"models cannot call a tool named {name}", fix="use a function with a name of ASCII letters")
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
    try:
        parameters = inspect.signature(function, eval_str=True).parameters.values()
    except (NameError, TypeError, ValueError) as error:
        raise UsageError(
            f"the types of the tool {name} cannot be read: {error}", fix="define them before it"
        ) from error
    for parameter in parameters:
        if parameter.kind not in _NAMED or parameter.annotation is inspect.Parameter.empty:
            raise UsageError(f"the tool {name} has the parameter {parameter}", fix="give it a name and a type")
        if parameter.annotation in _GIVEN:
            given[parameter.name] = _GIVEN[parameter.annotation]
            continue
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (parameter.annotation, default)
    try:
        return create_model(name, __base__=Arguments, **fields), given
    except (NameError, TypeError, ValueError, PydanticUserError) as error:
        raise UsageError(f"the parameters of the tool {name} cannot be used: {error}", fix="rename them") from error


async def _returned(bound: partial[Any]) -> object:  # Any: what the function returns
    if inspect.iscoroutinefunction(bound.func):
        return await bound()
    return await _in_thread(bound)


async def _in_thread(work: Callable[[], object]) -> object:
    """Call it in a thread of its own; one that never returns does not keep the program from ending."""
    loop, context, ended = asyncio.get_running_loop(), copy_context(), anyio.Event()
    results: list[object] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(context.run(work))
        except BaseException as error:  # noqa: BLE001 - raised below, for whoever waits
            errors.append(error)
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=call, name="deskhand-tool", daemon=True).start()
    await ended.wait()
    if errors:
        raise errors[0]
    return results[0]


def _data(name: str, returned: object) -> object:
    """Return dates, models, dataclasses, sets and others as JSON; controls stay, to get ids. Raises: ToolFailed."""
    try:
        return _plain(returned)
    except (ValueError, RecursionError) as error:
        raise ToolFailed(f"{name} returned what is no JSON: {error}", fix="return texts, numbers, lists") from error


def _plain(value: object) -> object:
    if isinstance(value, TargetInfo):
        return value
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in pairs_of(cast("object", value))}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in items_of(cast("object", value), object)]
    return to_jsonable_python(value)


def _runner(function: Function, given: Mapping[str, str], *, reads: bool) -> ToolFunction:
    async def run(tools: ToolContext, call: Call, arguments: Arguments) -> ToolOutcome:
        parts = {"tools": tools, "call": call}
        values = {name: getattr(arguments, name) for name in type(arguments).model_fields}
        bound = partial(function, **values, **{name: parts[part] for name, part in given.items()})
        tools.delivered = not reads
        name = call.command.tool_name
        try:
            returned = await _returned(bound)
        except DeskhandError:
            raise
        except (Exception, SystemExit) as error:
            raise ToolFailed(f"{name} raised {type(error).__name__}: {error}", fix="correct the tool") from error
        outcome = returned if isinstance(returned, ToolOutcome) else ToolOutcome(returned)
        outcome = replace(outcome, data=_data(name, outcome.data))
        if reads or outcome.effect is not None:
            return outcome
        return replace(
            outcome, effect=Effect.UNVERIFIABLE, route=Route.APPLICATION_API, evidence=_CHANGES, retry_safe=False
        )

    run.__name__, run.__doc__ = function.__name__, inspect.getdoc(function)
    return run
