"""The listener of a session: a thread of its own makes spans and metrics of its events, and sends them.

An exporter that is slow, hangs or fails therefore never delays the session. At the end it has `LAST_S` seconds.
"""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Event as Flag
from threading import Thread
from typing import Final, Protocol

from anyio import CancelScope, to_thread
from opentelemetry.context import Context
from opentelemetry.metrics import Meter
from opentelemetry.trace import Link, SpanContext, TraceFlags, Tracer

from deskhand.core.events import Event, TraceStarted
from deskhand.telemetry.content import Content
from deskhand.telemetry.meters import Meters
from deskhand.telemetry.session import RecordedSession
from deskhand.telemetry.spans import SpanTree

MOST_WAITING: Final = 10_000
"""Events that wait for the thread; with more, they are left out and counted."""
LAST_S: Final = 2.0


class Sending(Protocol):
    """The way out of spans and metrics."""

    def finish(self) -> None:
        """Send the last part, which can take long."""
        ...

    def give_up(self) -> None:
        """Try no further."""
        ...

    def problem(self, *, late: bool) -> str:
        """Return the losses and their reason; empty without one. `late`: the end was not reached in time."""
        ...


class Recorder:
    """Implements `core.ports.EventSink`."""

    def __init__(self, spans: SpanTree, meters: Meters, sending: Sending) -> None:
        self._spans = spans
        self._meters = meters
        self._sending = sending
        self._queue = SimpleQueue[Event | None]()
        self._left_out = 0
        self._broke = ""
        self._done = Flag()
        Thread(target=self._work, name="deskhand-telemetry", daemon=True).start()

    @property
    def trace(self) -> TraceStarted | None:
        """The ids of the trace and of its root; None if the trace is not recorded, as its sampler decides."""
        place = self._spans.root.get_span_context()
        if not place.trace_flags.sampled:
            return None
        return TraceStarted(trace_id=f"{place.trace_id:032x}", span_id=f"{place.span_id:016x}")

    def emit(self, event: Event) -> None:
        if self._queue.qsize() < MOST_WAITING:
            self._queue.put(event)
        else:
            self._left_out += 1

    async def close(self) -> str:
        """End the spans and wait for the last of them to be sent. Returns the problem; empty without one."""
        self._queue.put(None)
        with CancelScope(shield=True):
            await to_thread.run_sync(self._done.wait, LAST_S)
        late = not self._done.is_set()
        if late:
            self._sending.give_up()
        problems = [
            self._broke,
            f"{self._left_out} events were left out" if self._left_out else "",
            self._sending.problem(late=late),
        ]
        return "; ".join(filter(None, problems))

    def _work(self) -> None:
        steps: tuple[Callable[[], None], ...] = (self._take_all, self._spans.close, self._sending.finish)
        for step in steps:
            try:
                step()
            except Exception as error:  # noqa: BLE001 - processors and exporters of the process can raise anything
                self._broke = self._broke or f"{type(error).__name__}: {error}"
        self._done.set()

    def _take_all(self) -> None:
        while (event := self._queue.get()) is not None:
            self._spans.emit(event)
            self._meters.emit(event)


def begin(
    session: RecordedSession, tracer: Tracer, meter: Meter, sending: Sending, *, parent: Context | None = None
) -> Recorder:
    """Begin the trace of a session, linked to those of the processes that carried it out before."""
    content = Content(session.secrets, wanted=session.content)
    links = [Link(_context(trace)) for trace in session.before]
    spans = SpanTree(tracer, session.session_id, content, session.now, parent=parent, links=links)
    return Recorder(spans, Meters(meter), sending)


def _context(trace: TraceStarted) -> SpanContext:
    flags = TraceFlags(TraceFlags.SAMPLED)
    return SpanContext(int(trace.trace_id, 16), int(trace.span_id, 16), is_remote=True, trace_flags=flags)
