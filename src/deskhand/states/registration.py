"""The check of a state where it is registered: a fault of a later session is reported there, with the remedy.

A fault that its source does not show for certain, as where a function may redirect the agent, is left to the session.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from deskhand.core.errors import StateError
from deskhand.core.statuses import Cause, normalise_status
from deskhand.states.table import Edge

Function: TypeAlias = Callable[..., object]

_TAKES: Final[Mapping[str, int]] = {
    "handle": 2,
    "leads_to": 1,
    "next_state": 1,
    "next_agent": 1,
    "is_subtask_end": 0,
    "is_round_end": 0,
}
"""The methods of a state, with the number of their arguments: the agent, then the context."""
_AWAITED: Final = ("process", "process_asker", "process_confirmation", "process_resume", "create_subagent")
"""The methods of an agent that are coroutines."""
_OWN: Final = __name__.partition(".")[0]
_REDIRECT: Final = "write redirect(agent, STATUS, Cause.SYSTEM, reason) in handle"
_FOLLOWS: Final = "define leads_to(self, agent): the Move that follows, or None, which ends the round"
_KEEP: Final = 'keep it in the context: context.set("mine", value), and context.get("mine")'
_VERDICT: Final = "write verdict = await agent.process(context), then redirect(agent, verdict.status, …)"
_CLASS: Final = "write it above a class that derives from AppAgentState or HostAgentState"


def require_class(state: object, base: type) -> None:
    """Raises: StateError for anything but a class with a name that derives from `base`."""
    if not isinstance(state, type) or not issubclass(state, base):
        raise StateError(f"{state!r} is no class of a state", fix=f"register is a decorator: {_CLASS}")
    try:
        inspect.signature(_function(state, "name")).bind()
    except TypeError as error:
        raise StateError(f"name of {state.__name__} needs an instance", fix="make it a classmethod") from error


def require_usable(state: type, base: type) -> None:
    """Raises: StateError for a class that would fail in a session."""
    _require_methods(state)
    try:
        state()
    except Exception as error:
        fix = f"define handle; {_KEEP}"
        raise StateError(f"{state.__name__} cannot be made: {error}", fix=fix) from error
    for name in _TAKES:
        if not _is_packaged(function := _function(state, name)):
            _require_no_data(state, name, function)
    is_left_by_status = all(_function(state, name).__module__ == base.__module__ for name in ("leads_to", "next_state"))
    is_entered = bool(_function(state, "name")()) and not getattr(state, "terminal", False)
    if is_left_by_status and is_entered and not _is_packaged(handle := _function(state, "handle")):
        _require_status(state, handle)


def require_instance(state: object, base: type) -> None:
    """Raises: StateError for anything but an object of a state."""
    if not isinstance(state, base):
        raise StateError(f"{state!r} is no state", fix="give an object, not its class or its name")


def require_claimable(name: str, rows: Iterable[Edge]) -> None:
    """Raises: StateError for a status that no model can claim, as it is read as another one."""
    if any(row.to == name and row.cause is Cause.LLM for row in rows) and normalise_status(name) != name:
        read = normalise_status(name)
        raise StateError(f"a model's {name!r} is read as {read!r}", fix=f"name it {name.strip().upper()}, or otherwise")


def _is_packaged(function: Function) -> bool:
    return function.__module__.partition(".")[0] == _OWN


def _require_methods(state: type) -> None:
    for name, count in _TAKES.items():
        function = _function(state, name)
        try:
            inspect.signature(function).bind(None, *[None] * count)
        except TypeError as error:
            takes = ", ".join(("self", "agent", "context")[: count + 1])
            raise StateError(f"{name} of {state.__name__} cannot be called: {error}", fix=f"write {takes}") from error
        if inspect.iscoroutinefunction(function) is not (name == "handle"):
            raise StateError(
                f"{name} of {state.__name__} is {'not async' if name == 'handle' else 'async'}",
                fix="write async def handle(self, agent, context); the other methods are not async",
            )


def _function(state: type, name: str) -> Function:
    """Raises: StateError where it is none."""
    found: object = getattr(state, name)
    if not callable(found):
        raise StateError(f"{name} of {state.__name__} is no method", fix=f"define {name}")
    return found


def _definition(function: Function) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the source of a method; None where it cannot be read."""
    try:
        found = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError):
        return None
    return found if isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef) else None


def _names(definition: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, str]:
    """Return the names of its first two parameters: self and the agent."""
    given = [parameter.arg for parameter in (*definition.args.posonlyargs, *definition.args.args)]
    return given[0] if given else "", given[1] if len(given) > 1 else ""


def _require_no_data(state: type, name: str, function: Function) -> None:
    """Raises: StateError for a method that sets an attribute of the state, or the agent's status."""
    definition = _definition(function)
    if definition is None:
        return
    me, agent = _names(definition)
    for owner, attribute in _set_attributes(definition):
        if owner == me:
            raise StateError(f"{name} of {state.__name__} keeps data in self.{attribute}", fix=_KEEP)
        if owner == agent and attribute == "status":
            raise StateError(f"{name} of {state.__name__} assigns {agent}.status", fix=_REDIRECT)
    if any(_is_of(part, agent, "processor", "process") for part in ast.walk(definition)):
        raise StateError(f"{name} of {state.__name__} calls {agent}.processor.process", fix=_VERDICT)
    for call in _statements(definition):
        if method := next((each for each in _AWAITED if _is_of(call.func, agent, each)), ""):
            fix = f"write await {agent}.{method}(context)"
            raise StateError(f"{name} of {state.__name__} calls {agent}.{method} without await", fix=fix)


def _statements(definition: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls whose results are dropped."""
    for part in ast.walk(definition):
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            yield part.value


def _set_attributes(definition: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield owner and name of each attribute of a variable that is assigned."""
    for part in ast.walk(definition):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and isinstance(part.value, ast.Name):
            yield part.value.id, part.attr


def _is_of(part: ast.AST, variable: str, *attributes: str) -> bool:
    """Return whether it is `variable.first.second`."""
    for attribute in reversed(attributes):
        if not isinstance(part, ast.Attribute) or part.attr != attribute:
            return False
        part = part.value
    return isinstance(part, ast.Name) and part.id == variable


def _require_status(state: type, handle: Function) -> None:
    """Raises: StateError for a handle that certainly sets no status: it passes the agent to nothing."""
    definition = _definition(handle)
    if definition is None:
        return
    _, agent = _names(definition)
    owners = {id(part.value) for part in ast.walk(definition) if isinstance(part, ast.Attribute)}
    passed = any(
        isinstance(part, ast.Name) and part.id == agent and id(part) not in owners for part in ast.walk(definition)
    )
    parts = list(ast.walk(definition))
    if passed or any(isinstance(part, ast.Raise) or _is_of(part, agent, "accept_redirection") for part in parts):
        return
    runs = any(_is_of(part, agent, "process") for part in parts)
    made: object = state()
    ends = any(_function(state, name)(made) for name in ("is_subtask_end", "is_round_end"))
    fix = _VERDICT if runs else _FOLLOWS if ends else _REDIRECT
    raise StateError(f"handle of {state.__name__} sets no status", fix=fix)
