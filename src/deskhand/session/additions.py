"""Checks of a caller's additions to a session, before anything starts."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeGuard

from deskhand.agents import ThirdPartyAgent
from deskhand.config.sections import Configuration
from deskhand.core.errors import UsageError
from deskhand.core.model import AgentKind
from deskhand.core.ports import ConnectedModel
from deskhand.pipeline.app.strategies import AppAgentProcessor
from deskhand.pipeline.host.strategies import HostAgentProcessor
from deskhand.session.build import SessionPlan
from deskhand.session.plugins import load_agents
from deskhand.states.base import SessionState

_HOOKS: Final = ("before_process", "after_process", "on_error")
_AS_STATE: Final = "give AppAgentStateManager.for_session(MyState, like=…)"
_AS_MIDDLEWARE: Final = "derive it from deskhand.ProcessorMiddleware, whose methods are not async, and make an object"
_AS_RETRIEVER: Final = "give an object with async def retrieve(self, query, application, limit)"
_AS_CHECKER: Final = "give an object with async def check(self, data)"
_AS_INTERACTOR: Final = "give an object with reaches_person, async def ask(self, …) and async def confirm(self, …)"
_AS_POLICY: Final = "give a function that takes the facts, and is not async"


def check_arguments(**given: object) -> None:
    """Check the arguments of `deskhand.run` by name, whose types a caller without a type checker may have missed.

    Raises: UsageError.
    """
    for name, value in given.items():
        holds, fix = _ARGUMENTS.get(name, (_is_several, "give a list, also of one"))
        if not holds(value):
            raise UsageError(f"{name} is {value!r}", fix=fix)


def _is_several(value: object) -> TypeGuard[Iterable[object]]:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _is_request(value: object) -> bool:
    return isinstance(value, str) or (_is_several(value) and all(isinstance(one, str) for one in value))


def _is_configuration(value: object) -> bool:
    return value is None or isinstance(value, Configuration)


def _is_mapping(value: object) -> bool:
    return value is None or isinstance(value, Mapping)


def _is_model(model: object) -> bool:
    if isinstance(model, str) or inspect.isclass(model):
        return isinstance(model, str)
    acts = callable(getattr(model, "respond", None)) or isinstance(model, ConnectedModel)
    return acts and isinstance(getattr(model, "name", None), str)


_ARGUMENTS: Final[Mapping[str, tuple[Callable[[object], bool], str]]] = {
    "request": (_is_request, "give a text, or a list of texts"),
    "model": (_is_model, 'give "provider:name", or an object with async def respond(self, request) and a name'),
    "heal": (_is_model, 'give "provider:name", or an object with async def respond(self, request) and a name'),
    "configuration": (_is_configuration, "give a deskhand.Configuration, or leave it out"),
    "opens": (callable, "give a function that opens a desktop, or leave it out"),
    "strategies": (_is_mapping, "give a dict"),
    "parameters": (_is_mapping, "give a dict"),
}
"""The check of each argument, with the remedy; all others are lists."""


def check_additions(plan: SessionPlan) -> None:
    """Raises: UsageError for one of the wrong kind, PipelineError for strategies that do not fit together."""
    for agent in plan.third_party:
        _require(_is_agent(agent), agent, "agent for subtasks", "give a deskhand.agents.ThirdPartyAgent")
    kinds = [*AgentKind, *(agent.kind for agent in plan.third_party)]
    if twice := next((kind for kind in kinds if kinds.count(kind) > 1), ""):
        raise UsageError(f"there is an agent of the kind {str(twice)!r} already", fix="give it another kind")
    for state in plan.states:
        _require(_is_state(state), state, "state of a session", _AS_STATE)
    for one in plan.middleware:
        _require(all(_is_plain(one, hook) for hook in _HOOKS), one, "middleware", _AS_MIDDLEWARE)
    for one in plan.retrievers:
        _require(inspect.iscoroutinefunction(getattr(one, "retrieve", None)), one, "retriever", _AS_RETRIEVER)
    for one in plan.policies:
        _require(callable(one) and not _is_async(one), one, "policy", _AS_POLICY)
    for one in plan.checkers:
        _require(inspect.iscoroutinefunction(getattr(one, "check", None)), one, "checker", _AS_CHECKER)
    asks = all(inspect.iscoroutinefunction(getattr(plan.interactor, name, None)) for name in ("ask", "confirm"))
    _require(asks and hasattr(plan.interactor, "reaches_person"), plan.interactor, "interactor", _AS_INTERACTOR)
    _check_strategies(plan)


def _require(holds: bool, value: object, what: str, fix: str) -> None:
    if not holds or inspect.isclass(value):
        raise UsageError(f"{value!r} is no {what}", fix=fix)


def _is_state(value: object) -> bool:
    return isinstance(value, SessionState)


def _is_agent(value: object) -> bool:
    return isinstance(value, ThirdPartyAgent)


def _is_plain(value: object, hook: str) -> bool:
    found = getattr(value, hook, None)
    return callable(found) and not _is_async(found)


def _is_async(function: object) -> bool:
    call = getattr(type(function), "__call__", None)  # noqa: B004 - of an object with `async def __call__`
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _check_strategies(plan: SessionPlan) -> None:
    given = (AgentKind.HOST, AgentKind.APP, *(agent.kind for agent in plan.third_party))
    for kind, change in plan.strategies.items():
        kinds = given if kind in given else (*given, *(agent.kind for agent in load_agents(given, lambda _: None)))
        if kind not in kinds or not callable(change):
            fix = f"give functions, for: {', '.join(kinds)}"
            raise UsageError(f"no strategies are changed by {kind!r}: {change!r}", fix=fix)
    HostAgentProcessor.require_usable(plan.strategies.get(AgentKind.HOST))
    AppAgentProcessor.require_usable(plan.strategies.get(AgentKind.APP))
