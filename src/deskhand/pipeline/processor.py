"""The runner of one step: its four phases, with their errors contained (contract 3.1)."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Generic, TypeVar, cast

from deskhand.core.context import Context
from deskhand.core.errors import ErrorInfo, PipelineError
from deskhand.core.events import ErrorData, PhaseFinished
from deskhand.core.statuses import StepVerdict
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.framework import (
    ChangeStrategies,
    ProcessingPhase,
    ProcessingResult,
    Strategies,
    changed,
    run_strategy,
)
from deskhand.pipeline.middleware import StepLoggingMiddleware
from deskhand.pipeline.services import PipelineAgent, ProcessorMiddleware
from deskhand.pipeline.step_status import after_failure

_INSTEAD: Final[Mapping[str, str]] = {
    "_setup_strategies": "write a classmethod build_strategies(cls) that returns {phase: strategy}",
    "_setup_middleware": "write build_middleware(self) that returns (*super().build_middleware(), …)",
}
ContextT = TypeVar("ContextT", bound=ProcessingContext)


class ProcessorTemplate(ABC, Generic[ContextT]):
    """Runs the strategies of one agent. Built once for each agent; every `process` has its own processing context.

    Raises on building: PipelineError where the strategies do not fit together.
    """

    processor_context_class: ClassVar[type[ProcessingContext]]

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Raises: PipelineError for methods that nothing would call."""
        super().__init_subclass__(**kwargs)
        for name, instead in _INSTEAD.items():
            if name in cls.__dict__:
                raise PipelineError(f"nothing calls {name} of {cls.__name__}", fix=instead)
        if not isinstance(inspect.getattr_static(cls, "build_strategies"), classmethod):
            raise PipelineError(f"build_strategies of {cls.__name__} needs an object", fix="make it a classmethod")

    @classmethod
    def require_usable(cls, change: ChangeStrategies | None = None) -> None:
        """Raises: PipelineError where the strategies do not fit together, or none sets the status of the step.

        `change`: changes them before.
        """
        strategies = changed(cls.build_strategies(), change, cls.processor_context_class)
        if not any("verdict" in strategy.gives for strategy in strategies.values()):
            raise PipelineError(
                f"no strategy of {cls.__name__} provides 'verdict', so that its steps would have no status",
                fix="add the ACTION_EXECUTION of another processor, or @provides('verdict', 'status')",
            )

    def __init__(self, agent: PipelineAgent, context: Context) -> None:
        self.agent = agent
        self.context = context
        services = agent.services
        self.strategies: Strategies = changed(
            self.build_strategies(), services.strategies.get(agent.kind), self.processor_context_class
        )
        self.middleware_chain: Sequence[ProcessorMiddleware] = (*self.build_middleware(), *services.middleware)
        self._local: ContextT | None = None

    @classmethod
    @abstractmethod
    def build_strategies(cls) -> Strategies:
        """Map each phase to its strategy; several strategies of one phase form a `ComposedStrategy`."""

    def new_context(self, *, fresh: bool) -> ContextT:
        """Return the processing context of the next step, with the fields that count as provided."""
        agent, shared = self.agent, self.context
        made = self.processor_context_class(
            shared=shared,
            app_root=agent.root,
            log_path=shared.log_path,
            session_step=shared.session_step,
            request=shared.request,
            subtask=shared.subtask,
            plan=agent.plan,
            host_message=() if agent.answers_request else shared.host_message,
            previous_subtasks=tuple(shared.previous_subtasks),
            fresh=fresh,
            state=agent.state_name,
        )
        return cast("ContextT", made)  # a class variable cannot be generic

    def build_middleware(self) -> Sequence[ProcessorMiddleware]:
        return (StepLoggingMiddleware(self.context),)

    @property
    def processing_context(self) -> ContextT:
        """The fields of the present or last step. Raises: PipelineError before the first step."""
        if self._local is None:
            raise PipelineError(f"{type(self).__name__} has not run a step yet")
        return self._local

    async def process(self, *, fresh: bool = False) -> ProcessingResult:
        """Run one step; it succeeds only if every phase did. `processing_context.verdict` is its verdict."""
        started = self.context.clock.monotonic()
        self._local = self.new_context(fresh=fresh)
        self.context.step_cost_usd = 0.0
        for middleware in self.middleware_chain:
            middleware.before_process(self.agent, self._local)
        failed = await self._run_until_memory()
        verdict = None if failed else self._local.verdict
        if verdict is None:
            failed = failed or PipelineError("the step ended without a status")
            verdict = self._verdict_after(failed)
        self._local.verdict, self._local.status = verdict, verdict.status
        if self._local.llm_cost is None:  # no usable reply: the attempts have a cost all the same
            self._local.llm_cost = self.context.step_cost_usd
        remembered = await self.execute_phase(ProcessingPhase.MEMORY_UPDATE)
        error = failed or remembered.error
        result = ProcessingResult(error is None, error=error, execution_time=self.context.clock.monotonic() - started)
        for middleware in reversed(self.middleware_chain):
            middleware.after_process(self.agent, self._local, result)
        return result

    async def execute_phase(self, phase: ProcessingPhase) -> ProcessingResult:
        """Run one phase on the present processing context, or on a new one where there is none."""
        if self._local is None:
            self._local = self.new_context(fresh=False)
        strategy = self.strategies.get(phase)
        if strategy is None:
            return ProcessingResult(success=True, phase=phase)
        result = await run_strategy(strategy, self.agent, self._local)
        result.phase = phase
        self._local.phase_seconds[phase.value] = result.execution_time
        error = ErrorInfo.of(result.error) if result.error else None
        self.context.events.emit(
            PhaseFinished(
                step=self._local.session_step,
                agent=self.agent.name,
                phase=phase.value,
                seconds=result.execution_time,
                ok=result.success,
                error=ErrorData.of(error) if error else None,
            )
        )
        if result.error is not None:
            for middleware in self.middleware_chain:
                middleware.on_error(self.agent, self._local, phase, result.error)
        return result

    async def _run_until_memory(self) -> Exception | None:
        """Return the first error that decides the step, or None."""
        decided: Exception | None = None
        for phase in (
            ProcessingPhase.DATA_COLLECTION,
            ProcessingPhase.LLM_INTERACTION,
            ProcessingPhase.ACTION_EXECUTION,
        ):
            result = await self.execute_phase(phase)
            if result.success:
                continue
            decided = decided or result.error
            if self.strategies[phase].fail_fast:
                break
        return decided

    def _verdict_after(self, failed: Exception) -> StepVerdict:
        self.agent.failed_steps += 1
        allowed = self.agent.services.settings.max_failed_steps
        return after_failure(ErrorInfo.of(failed), self.agent.kind, self.agent.failed_steps, allowed)
