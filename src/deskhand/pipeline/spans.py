"""Steps as OpenTelemetry spans, where OpenTelemetry is set up in this process (contract 3.1)."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.framework import ProcessingPhase, ProcessingResult
from deskhand.pipeline.services import PipelineAgent

if TYPE_CHECKING:
    from opentelemetry.trace import Span


def step_spans() -> Sequence["SpanMiddleware"]:
    """Return one middleware where OpenTelemetry is in use, otherwise none.

    A process that uses spans has imported `opentelemetry.trace` to configure their destination
    (`opentelemetry-instrument` does). Importing it here would slow down every start.
    """
    return (SpanMiddleware(),) if "opentelemetry.trace" in sys.modules else ()


class SpanMiddleware:
    """Emits a span `deskhand.step` for each step, with an event for each phase and its errors."""

    def __init__(self) -> None:
        self._span: Span | None = None

    def before_process(self, agent: PipelineAgent, local: ProcessingContext) -> None:
        from opentelemetry import trace  # noqa: PLC0415 - only where it is in use already

        self._span = trace.get_tracer("deskhand").start_span(
            "deskhand.step",
            attributes={
                "deskhand.session": local.shared.session_id,
                "deskhand.step": local.session_step,
                "deskhand.agent": agent.name,
                "deskhand.state": local.state,
                "deskhand.subtask": local.subtask,
                "deskhand.application": agent.application,
            },
        )

    def after_process(self, agent: PipelineAgent, local: ProcessingContext, result: ProcessingResult) -> None:  # noqa: ARG002
        if self._span is None:
            return
        for phase, seconds in local.phase_seconds.items():
            self._span.add_event(phase, {"seconds": seconds})
        self._span.set_attribute("deskhand.status", local.verdict.status if local.verdict else "")
        self._span.set_attribute("deskhand.ok", result.success)
        if local.llm_cost is not None:
            self._span.set_attribute("deskhand.cost_usd", local.llm_cost)
        self._span.end()
        self._span = None

    def on_error(
        self,
        agent: PipelineAgent,  # noqa: ARG002
        local: ProcessingContext,  # noqa: ARG002
        phase: ProcessingPhase,
        error: Exception,
    ) -> None:
        if self._span is not None:
            self._span.record_exception(error, {"phase": phase.value})
