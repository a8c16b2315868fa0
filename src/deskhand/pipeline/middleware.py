"""Hooks around a step: they log and emit events, and change nothing (contract 3.1)."""

import logging
from typing import Protocol

from deskhand.core.context import Context
from deskhand.core.events import StepFinished, StepStarted
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.framework import ProcessingPhase, ProcessingResult
from deskhand.pipeline.services import PipelineAgent

log = logging.getLogger(__name__)


class ProcessorMiddleware(Protocol):
    """Hooks around one step."""

    def before_process(self, agent: PipelineAgent, local: ProcessingContext) -> None: ...
    def after_process(self, agent: PipelineAgent, local: ProcessingContext, result: ProcessingResult) -> None: ...
    def on_error(
        self, agent: PipelineAgent, local: ProcessingContext, phase: ProcessingPhase, error: Exception
    ) -> None: ...


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
