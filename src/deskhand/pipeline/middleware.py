"""Hooks around a step: they log and emit events, and change nothing (contract 3.1)."""

import logging
from collections.abc import Callable

from deskhand.core.context import Context
from deskhand.core.errors import PluginError
from deskhand.core.events import ErrorData, ProblemMet, StepFinished, StepStarted
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.framework import ProcessingPhase, ProcessingResult
from deskhand.pipeline.services import PipelineAgent, ProcessorMiddleware

__all__ = ["ProcessorMiddleware", "StepLoggingMiddleware", "TolerantMiddleware"]

log = logging.getLogger(__name__)


class StepLoggingMiddleware:
    """Writes the start and the end of a step to the journal: subtask, application, seconds per phase, cost."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def before_process(self, agent: PipelineAgent, local: ProcessingContext) -> None:
        self._context.events.emit(
            StepStarted(
                step=local.session_step,
                agent=agent.name,
                round=self._context.current_round_id,
                state=local.state,
                subtask=local.subtask,
                application=agent.application,
            )
        )

    def after_process(self, agent: PipelineAgent, local: ProcessingContext, result: ProcessingResult) -> None:
        verdict = local.verdict
        self._context.events.emit(
            StepFinished(
                step=local.session_step,
                agent=agent.name,
                status=verdict.status if verdict else "",
                ok=result.success,
                seconds=result.execution_time,
                phase_seconds=dict(local.phase_seconds),
                cost_usd=local.llm_cost,
                problem="" if result.error is None else str(result.error),
            )
        )

    def on_error(
        self, agent: PipelineAgent, local: ProcessingContext, phase: ProcessingPhase, error: Exception
    ) -> None:
        log.info("step %d of %s: %s failed: %s", local.session_step, agent.name, phase, error, exc_info=error)


class TolerantMiddleware:
    """Middleware of the caller's own: after an error of it, which is reported, it is not called again."""

    def __init__(self, own: ProcessorMiddleware) -> None:
        self._own: ProcessorMiddleware | None = own

    def before_process(self, agent: PipelineAgent, local: ProcessingContext) -> None:
        self._call(local, lambda own: own.before_process(agent, local))

    def after_process(self, agent: PipelineAgent, local: ProcessingContext, result: ProcessingResult) -> None:
        self._call(local, lambda own: own.after_process(agent, local, result))

    def on_error(
        self, agent: PipelineAgent, local: ProcessingContext, phase: ProcessingPhase, error: Exception
    ) -> None:
        self._call(local, lambda own: own.on_error(agent, local, phase, error))

    def _call(self, local: ProcessingContext, hook: Callable[[ProcessorMiddleware], None]) -> None:
        if self._own is None:
            return
        try:
            hook(self._own)
        except Exception as error:  # noqa: BLE001 - the code of the caller, which changes nothing
            name, self._own = type(self._own).__name__, None
            problem = PluginError(f"{name} raised {type(error).__name__}: {error}", fix="correct it")
            local.shared.events.emit(ProblemMet(where=f"the middleware {name}", error=ErrorData.of(problem)))
