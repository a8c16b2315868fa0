"""Providers of OpenTelemetry that send by OTLP over HTTP, made for one session and ended with it."""

import logging
import uuid
from collections.abc import Callable, Sequence
from typing import Any, Final, cast

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Meter, NoOpMeter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import NoOpTracer, Tracer

from deskhand.core.text import cut
from deskhand.telemetry.destination import Receiver, Signal
from deskhand.telemetry.names import SCOPE
from deskhand.telemetry.recorder import Recorder, begin
from deskhand.telemetry.session import RecordedSession

_EVERY_MS: Final = 1000
"""Time until a span that ended is sent: those that a killed process loses."""
_LONGEST_REASON: Final = 400
_LOGGER: Final = logging.getLogger("opentelemetry")


def export(session: RecordedSession, to: Receiver) -> Recorder:
    """Begin to record a session, and to send it to a receiver."""
    way = Exporting(to, session.version)
    return begin(session, way.tracer, way.meter, way)


class Losses(logging.Handler):
    """Counts the parts that were lost, with the first reason that OpenTelemetry logged since one arrived.

    Without a handler Python would print the log to stderr.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._lost: dict[str, int] = {}
        self._reason = ""

    def emit(self, record: logging.LogRecord) -> None:
        self._reason = self._reason or cut(" ".join(record.getMessage().split()), _LONGEST_REASON)

    def count(self, kind: str, count: int, *, taken: bool) -> None:
        if taken:
            self._reason = ""
        else:
            self._lost[kind] = self._lost.get(kind, 0) + count

    def problem(self, *, late: bool) -> str:
        lost = [f"{count} {kind} were not taken" for kind, count in self._lost.items()]
        if late:
            lost.append("the last part was not taken in time")
        return f"{', '.join(lost)}{self._reason and ': '}{self._reason}" if lost else ""


class _SpanExporter(OTLPSpanExporter):
    def __init__(self, losses: Losses, **options: Any) -> None:  # Any: of the exporter
        super().__init__(**options)
        self._losses = losses

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = super().export(spans)
        self._losses.count("spans", len(spans), taken=result is SpanExportResult.SUCCESS)
        return result


class _MetricExporter(OTLPMetricExporter):
    def __init__(self, losses: Losses, **options: Any) -> None:  # Any: of the exporter
        super().__init__(**options)
        self._losses = losses

    def export(
        self,
        metrics_data: MetricsData,
        timeout_millis: float | None = 10_000,
        **kwargs: Any,  # Any: of the exporter
    ) -> MetricExportResult:
        send = cast("Callable[..., MetricExportResult]", super().export)  # its options have no types
        result = send(metrics_data, timeout_millis, **kwargs)
        self._losses.count("reports of metrics", 1, taken=result is MetricExportResult.SUCCESS)
        return result


class Exporting:
    """Implements `recorder.Sending`. Nothing is set in the process: neither a provider nor a hook at its end.

    Each session is an instance of the service, since its counters begin at zero.
    """

    def __init__(self, to: Receiver, version: str) -> None:
        facts = {SERVICE_NAME: to.service, SERVICE_VERSION: version, SERVICE_INSTANCE_ID: str(uuid.uuid4())}
        resource = Resource.create({name: value for name, value in facts.items() if value})
        self._losses = Losses()
        _LOGGER.addHandler(self._losses)
        self._ends: list[Callable[[], None]] = []
        self._traces: TracerProvider | None = None
        self._metrics: MeterProvider | None = None
        if Signal.TRACES in to.signals:
            spans = _SpanExporter(self._losses, **_options(to, Signal.TRACES))
            self._ends.append(spans.shutdown)
            self._traces = TracerProvider(resource=resource, shutdown_on_exit=False)
            self._traces.add_span_processor(BatchSpanProcessor(spans, schedule_delay_millis=_EVERY_MS))
        if Signal.METRICS in to.signals:
            metrics = _MetricExporter(self._losses, **_options(to, Signal.METRICS))
            self._ends.append(cast("Callable[[], None]", metrics.shutdown))  # as above
            reader = PeriodicExportingMetricReader(metrics)
            self._metrics = MeterProvider([reader], resource=resource, shutdown_on_exit=False)

    @property
    def tracer(self) -> Tracer:
        return self._traces.get_tracer(SCOPE) if self._traces else NoOpTracer()

    @property
    def meter(self) -> Meter:
        return self._metrics.get_meter(SCOPE) if self._metrics else NoOpMeter(SCOPE)

    def finish(self) -> None:
        """Send the last part. Blocks, in the worst case for the timeouts of both exporters."""
        if self._traces:
            self._traces.shutdown()
        if self._metrics:
            self._metrics.shutdown()
        _LOGGER.removeHandler(self._losses)

    def give_up(self) -> None:
        """Try no further: a wait for the next attempt ends at once, and `finish` soon."""
        for end in self._ends:
            end()

    def problem(self, *, late: bool) -> str:
        return self._losses.problem(late=late)


def _options(to: Receiver, signal: Signal) -> dict[str, Any]:  # Any: of two kinds of exporters
    return {"endpoint": f"{to.endpoint.rstrip('/')}/v1/{signal}", "headers": {**to.headers}} if to.endpoint else {}
