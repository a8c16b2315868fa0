"""Phases, strategies and the check of their chain (contract 3.1)."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, TypeAlias, TypeVar

from deskhand.core.errors import DeskhandError, PipelineError, ProcessingError
from deskhand.pipeline.context import ProcessingContext


class ProcessingPhase(StrEnum):
    """The phases of a step, in their order."""

    DATA_COLLECTION = "data_collection"
    LLM_INTERACTION = "llm_interaction"
    ACTION_EXECUTION = "action_execution"
    MEMORY_UPDATE = "memory_update"


@dataclass(slots=True)
class ProcessingResult:
    """The result of a strategy, a phase or a step. `error`: the exception it raised; `execution_time` in seconds."""

    success: bool
    data: Mapping[str, object] = field(default_factory=dict[str, object])
    error: Exception | None = None
    phase: ProcessingPhase | None = None
    execution_time: float = 0.0


T = TypeVar("T", bound=type["BaseProcessingStrategy"])


def depends_on(*names: str) -> Callable[[T], T]:
    """Class decorator: the fields of the processing context that a strategy reads."""

    def mark(strategy: T) -> T:
        _require_fields("depends_on", strategy, names)
        strategy.declared_needs = names
        return strategy

    return mark


def provides(*names: str) -> Callable[[T], T]:
    """Class decorator: the fields of the processing context that a strategy returns, each of them always."""

    def mark(strategy: T) -> T:
        _require_fields("provides", strategy, names)
        strategy.declared_gives = names
        return strategy

    return mark


def _require_fields(decorator: str, strategy: object, names: Sequence[object]) -> None:
    """Raises: PipelineError for anything but a class of a strategy and names of fields, each once."""
    if not isinstance(strategy, type) or not issubclass(strategy, BaseProcessingStrategy):
        raise PipelineError(f"{decorator} is above {strategy!r}", fix="derive a class from BaseProcessingStrategy")
    wrong = [name for name in names if not isinstance(name, str) or names.count(name) > 1]
    if wrong or not names:
        what = f"names {wrong[0]!r} of no or of one field twice" if wrong else "names no field"
        raise PipelineError(f"{decorator} of {strategy.__name__} {what}", fix=f'write @{decorator}("field", …)')


class BaseProcessingStrategy(ABC):
    """One piece of work in a phase.

    `fail_fast`: a failure skips every phase up to MEMORY_UPDATE; otherwise it is recorded and the next phase runs.
    """

    declared_needs: ClassVar[tuple[str, ...]] = ()
    declared_gives: ClassVar[tuple[str, ...]] = ()

    def __init__(self, name: str = "", *, fail_fast: bool = True) -> None:
        self.name = name or type(self).__name__
        self.fail_fast = fail_fast

    @property
    def needs(self) -> tuple[str, ...]:
        return self.declared_needs

    @property
    def gives(self) -> tuple[str, ...]:
        return self.declared_gives

    @property
    def children(self) -> Sequence["BaseProcessingStrategy"]:
        return ()

    def unchanged(self, context: ProcessingContext) -> dict[str, object]:
        """Return the fields it provides with their present values."""
        return {name: context.get_local(name) for name in self.gives}

    @abstractmethod
    async def execute(self, agent: Any, context: Any) -> ProcessingResult:  # Any: each agent has its own types
        """Do the work on the agent's processing context and return the provided fields."""


Strategies: TypeAlias = Mapping[ProcessingPhase, BaseProcessingStrategy]
"""An agent's strategies, one for each phase."""
ChangeStrategies: TypeAlias = Callable[[Strategies], Strategies]
"""Returns the strategies to use instead of an agent's own, which it gets; each may be a `ComposedStrategy`."""


class ComposedStrategy(BaseProcessingStrategy):
    """Several strategies of one phase, in order; each reads the fields of those before it."""

    def __init__(self, strategies: Sequence[BaseProcessingStrategy], name: str = "", *, fail_fast: bool = True) -> None:
        super().__init__(name, fail_fast=fail_fast)
        self.strategies = tuple(strategies)

    @property
    def children(self) -> Sequence[BaseProcessingStrategy]:
        return self.strategies

    @property
    def needs(self) -> tuple[str, ...]:
        given: set[str] = set()
        needed: list[str] = []
        for child in self.strategies:
            needed += [name for name in child.needs if name not in given]
            given.update(child.gives)
        return tuple(dict.fromkeys(needed))

    @property
    def gives(self) -> tuple[str, ...]:
        return tuple(name for child in self.strategies for name in child.gives)

    async def execute(self, agent: Any, context: ProcessingContext) -> ProcessingResult:  # Any: as above
        started = context.shared.clock.monotonic()
        data: dict[str, object] = {}
        failed: Exception | None = None
        for child in self.strategies:
            result = await run_strategy(child, agent, context)
            data.update(result.data)
            if not result.success:
                failed = failed or result.error
                if child.fail_fast:
                    break
        return ProcessingResult(failed is None, data, failed, execution_time=context.shared.clock.monotonic() - started)


async def run_strategy(strategy: BaseProcessingStrategy, agent: Any, context: ProcessingContext) -> ProcessingResult:
    """Run a strategy and put its fields into the context; the one place that catches every exception."""
    started = context.shared.clock.monotonic()
    try:
        result = _usable(strategy, await strategy.execute(agent, context))
    except DeskhandError as error:
        result = ProcessingResult(success=False, error=error)
    except Exception as error:  # noqa: BLE001 - whatever a strategy raises fails its step, never the session
        wrapped = ProcessingError(f"{strategy.name} raised {type(error).__name__}: {error}", error)
        wrapped.__cause__ = error
        result = ProcessingResult(success=False, error=wrapped)
    if (defect := _defect(strategy, result, context)) is not None:
        result = ProcessingResult(success=False, error=result.error or defect)
    context.update(result.data)
    result.execution_time = context.shared.clock.monotonic() - started
    return result


def _usable(strategy: BaseProcessingStrategy, returned: object) -> ProcessingResult:
    """Return a result with an exception as its error. Raises: PipelineError for anything else than a result."""
    if not isinstance(returned, ProcessingResult):
        fix = "return ProcessingResult(success=True, data={…})"
        raise PipelineError(f"{strategy.name} returned a {type(returned).__name__}", fix=fix)
    if returned.error is not None and not _is_exception(returned.error):
        return ProcessingResult(success=False, error=ProcessingError(f"{strategy.name} failed: {returned.error}"))
    return returned


def _is_exception(value: object) -> bool:
    return isinstance(value, Exception)


def _defect(
    strategy: BaseProcessingStrategy, result: ProcessingResult, context: ProcessingContext
) -> DeskhandError | None:
    """Return the defect of a result: missing or unknown fields, a failure without an error."""
    if not result.success and result.error is None:
        return ProcessingError(f"{strategy.name} failed without an error")
    if unknown := [name for name in result.data if name not in context.field_names()]:
        return PipelineError(f"{strategy.name} returned {', '.join(unknown)}, which {type(context).__name__} lacks")
    declared = strategy.gives
    if undeclared := [name for name in result.data if name not in declared]:
        return PipelineError(
            f"{strategy.name} returned {', '.join(undeclared)} but does not declare it",
            fix=f"write @provides({', '.join(map(repr, (*declared, *undeclared)))}) above it",
        )
    if result.success and (missing := [name for name in declared if name not in result.data]):
        return PipelineError(f"{strategy.name} declared {', '.join(missing)} but did not return it")
    return None


def changed(
    strategies: Strategies, change: ChangeStrategies | None, context_class: type[ProcessingContext]
) -> Strategies:
    """Return the strategies, changed by the caller, and checked. Raises: PipelineError, also where `change` fails."""
    if change is not None:
        name = getattr(change, "__name__", type(change).__name__)
        try:
            strategies = dict(change(dict(strategies)))
        except Exception as error:
            raise PipelineError(f"{name}, which changes strategies, raised {type(error).__name__}: {error}") from error
        for phase, strategy in strategies.items():
            if phase not in tuple(ProcessingPhase) or not _is_strategy(strategy):
                raise PipelineError(
                    f"{name} returned {strategy!r} for {phase!r}", fix="return a strategy for each ProcessingPhase"
                )
    check_chain(strategies, context_class)
    return strategies


def _is_strategy(value: object) -> bool:
    return isinstance(value, BaseProcessingStrategy)


def check_chain(strategies: Strategies, context_class: type[ProcessingContext]) -> None:
    """Check that every input is known and provided, and that every output has one provider.

    Raises: PipelineError naming the strategy and the field.
    """
    known = context_class.field_names()
    given = set(context_class.given_by_processor())
    provider: dict[str, str] = {}
    leaves = tuple(_leaves(strategies[phase] for phase in ProcessingPhase if phase in strategies))
    for strategy in leaves:
        _require_execute(strategy)
        for name in (*strategy.needs, *strategy.gives):
            if name not in known:
                raise PipelineError(
                    f"{strategy.name} names {name!r}, which {context_class.__name__} does not have",
                    fix=f"derive a dataclass from {context_class.__name__}, and name it as processor_context_class",
                )
        for name in strategy.needs:
            if name not in given:
                raise _unmet(strategy, name, leaves)
        for name in strategy.gives:
            if name in provider:
                raise PipelineError(
                    f"{strategy.name} and {provider[name]} both provide {name!r}", fix="leave it to one of them"
                )
            provider[name] = strategy.name
            given.add(name)


def _require_execute(strategy: BaseProcessingStrategy) -> None:
    """Raises: PipelineError where it cannot be awaited with the agent and the processing context."""
    try:
        inspect.signature(strategy.execute).bind(None, None)
        is_awaited = inspect.iscoroutinefunction(strategy.execute)
    except TypeError:
        is_awaited = False
    if not is_awaited:
        fix = "write async def execute(self, agent, context)"
        raise PipelineError(f"execute of {strategy.name} cannot be awaited with agent and context", fix=fix)


def _unmet(strategy: BaseProcessingStrategy, name: str, leaves: Sequence[BaseProcessingStrategy]) -> PipelineError:
    """Return the error of an input that no strategy before provides: its provider comes later, in a cycle, or not."""
    message = f"{strategy.name} needs {name!r}, which nothing before it provides"
    later = next((other for other in leaves if name in other.gives), None)
    if later is None:
        return PipelineError(message, fix=f"add a strategy before it with @provides({name!r})")
    if later is strategy:
        return PipelineError(f"{message}: it provides that itself", fix=f"take {name!r} out of its depends_on")
    back = next((other for other in _needed_by(later, leaves) if other is strategy), None)
    if back is not None:
        fix = f"split {strategy.name}, so that the part that {later.name} needs comes first"
        return PipelineError(f"{message}: {later.name} does, and needs {strategy.name} itself: a cycle", fix=fix)
    return PipelineError(f"{message}: {later.name} comes after it", fix=f"put {later.name} before {strategy.name}")


def _needed_by(
    strategy: BaseProcessingStrategy, leaves: Sequence[BaseProcessingStrategy]
) -> Iterable[BaseProcessingStrategy]:
    """Return all strategies whose fields a strategy needs, directly or not."""
    found: dict[int, BaseProcessingStrategy] = {}
    waiting = [strategy]
    while waiting:
        needs = waiting.pop().needs
        more = [other for other in leaves if set(other.gives) & set(needs) and id(other) not in found]
        found.update((id(other), other) for other in more)
        waiting += more
    return found.values()


def _leaves(strategies: Iterable[BaseProcessingStrategy]) -> Iterable[BaseProcessingStrategy]:
    for strategy in strategies:
        if strategy.children:
            yield from _leaves(strategy.children)
        else:
            yield strategy
