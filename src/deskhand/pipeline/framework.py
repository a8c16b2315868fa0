"""Phases, strategies and the check of their chain (contract 3.1)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, TypeVar

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
        strategy.declared_needs = names
        return strategy

    return mark


def provides(*names: str) -> Callable[[T], T]:
    """Class decorator: the fields of the processing context that a strategy returns, each of them always."""

    def mark(strategy: T) -> T:
        strategy.declared_gives = names
        return strategy

    return mark


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
        result = await strategy.execute(agent, context)
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


def _defect(
    strategy: BaseProcessingStrategy, result: ProcessingResult, context: ProcessingContext
) -> DeskhandError | None:
    """Return the defect of a result: missing or unknown fields, a failure without an error."""
    if not result.success and result.error is None:
        return ProcessingError(f"{strategy.name} failed without an error")
    if unknown := [name for name in result.data if name not in context.field_names()]:
        return PipelineError(f"{strategy.name} returned {', '.join(unknown)}, which {type(context).__name__} lacks")
    if result.success and (missing := [name for name in strategy.gives if name not in result.data]):
        return PipelineError(f"{strategy.name} declared {', '.join(missing)} but did not return it")
    return None


def check_chain(
    strategies: Mapping[ProcessingPhase, BaseProcessingStrategy], context_class: type[ProcessingContext]
) -> None:
    """Check that every input is known and provided, and that every output has one provider.

    Raises: PipelineError naming the strategy and the field.
    """
    known = context_class.field_names()
    given = set(context_class.given_by_processor())
    provider: dict[str, str] = {}
    for strategy in _leaves(strategies[phase] for phase in ProcessingPhase if phase in strategies):
        for name in (*strategy.needs, *strategy.gives):
            if name not in known:
                raise PipelineError(f"{strategy.name} names {name!r}, which {context_class.__name__} does not have")
        for name in strategy.needs:
            if name not in given:
                raise PipelineError(f"{strategy.name} needs {name!r}, which nothing before it provides")
        for name in strategy.gives:
            if name in provider:
                raise PipelineError(f"{strategy.name} and {provider[name]} both provide {name!r}")
            provider[name] = strategy.name
            given.add(name)


def _leaves(strategies: Iterable[BaseProcessingStrategy]) -> Iterable[BaseProcessingStrategy]:
    for strategy in strategies:
        if strategy.children:
            yield from _leaves(strategy.children)
        else:
            yield strategy
