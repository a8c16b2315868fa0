"""A receiver of OTLP over HTTP on the loopback, that keeps what it gets; as a program it prints each trace as a tree.

`python -m wire.collector PORT` (4318 is the usual one).
"""

import sys
import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from wire.serving import LoopbackServer, QuietHandler, serving

Value = str | bool | int | float | None


@dataclass(frozen=True)
class Moment:
    """An event of a span. `at` in nanoseconds since 1970."""

    name: str
    at: int
    facts: Mapping[str, Value]


@dataclass(frozen=True)
class Received:
    """A span. `since` and `until` in nanoseconds since 1970."""

    id: str
    parent: str
    trace: str
    name: str
    kind: str
    since: int
    until: int
    facts: Mapping[str, Value]
    moments: tuple[Moment, ...]
    links: tuple[tuple[str, str], ...]
    is_error: bool
    resource: Mapping[str, Value]


@dataclass(frozen=True)
class Point:
    """A point of a metric: the sum of what was recorded with these facts."""

    facts: Mapping[str, Value]
    total: float
    count: int


@dataclass
class Collector:
    """`answers` is the HTTP status of each answer; `hangs`: none is ever given. `headers` are those of the requests, in
    small letters. `came`: something has."""

    answers: int = 200
    hangs: bool = False
    port: int = 0
    spans: list[Received] = field(default_factory=list[Received])
    metrics: dict[str, list[Point]] = field(default_factory=dict[str, list[Point]])
    raw: list[bytes] = field(default_factory=list[bytes])
    headers: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    came: threading.Event = field(default_factory=threading.Event)
    gone: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def root(self) -> Received:
        (root,) = (span for span in self.spans if not span.parent)
        return root

    def inside(self, parent: Received) -> list[Received]:
        """The spans in a span, in the order of their begin."""
        return sorted((s for s in self.spans if s.parent == parent.id), key=lambda s: (s.since, s.until))

    def named(self, name: str) -> list[Received]:
        return [span for span in self.spans if span.name == name]

    def tree(self, at: Received | None = None, depth: int = 0) -> list[str]:
        """The names of the spans, indented."""
        span = at or self.root
        return ["  " * depth + span.name, *(line for s in self.inside(span) for line in self.tree(s, depth + 1))]

    def total(self, metric: str, facts: Mapping[str, Value] = MappingProxyType({})) -> float:
        """The sum of the points with these facts."""
        return sum(point.total for point in self.metrics.get(metric, []) if facts.items() <= point.facts.items())

    def take(self, path: str, body: bytes) -> None:
        self.raw.append(body)
        if path.endswith("/v1/traces"):
            self.spans += spans_of(ExportTraceServiceRequest.FromString(body))
        elif path.endswith("/v1/metrics"):
            for name, points in metrics_of(ExportMetricsServiceRequest.FromString(body)):
                self.metrics[name] = points
        self.came.set()


@contextmanager
def collector(answers: int = 200, *, hangs: bool = False, port: int = 0) -> Generator[Collector]:
    made = Collector(answers, hangs)

    class Handler(QuietHandler):
        def do_POST(self) -> None:  # noqa: N802 - the name is the base class's
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if made.hangs:
                made.gone.wait()
                return
            made.headers.append({name.lower(): value for name, value in self.headers.items()})
            if made.answers == 200:
                made.take(self.path, body)
            self.send_response(made.answers)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = LoopbackServer(("127.0.0.1", port), Handler)
    made.port = server.server_address[1]
    with serving(server, made.gone):
        yield made


def spans_of(request: ExportTraceServiceRequest) -> Iterable[Received]:
    for part in request.resource_spans:
        resource = _facts(part.resource.attributes)
        for scope in part.scope_spans:
            for span in scope.spans:
                yield Received(
                    id=span.span_id.hex(),
                    parent=span.parent_span_id.hex(),
                    trace=span.trace_id.hex(),
                    name=span.name,
                    kind=Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_").lower(),
                    since=span.start_time_unix_nano,
                    until=span.end_time_unix_nano,
                    facts=_facts(span.attributes),
                    moments=tuple(Moment(e.name, e.time_unix_nano, _facts(e.attributes)) for e in span.events),
                    links=tuple((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
                    is_error=span.status.code == Status.STATUS_CODE_ERROR,
                    resource=resource,
                )


def metrics_of(request: ExportMetricsServiceRequest) -> Iterable[tuple[str, list[Point]]]:
    for part in request.resource_metrics:
        for scope in part.scope_metrics:
            for metric in scope.metrics:
                yield metric.name, _points(metric)


def _points(metric: Metric) -> list[Point]:
    if metric.HasField("histogram"):
        return [Point(_facts(p.attributes), p.sum, p.count) for p in metric.histogram.data_points]
    return [Point(_facts(p.attributes), p.as_double or p.as_int, 1) for p in metric.sum.data_points]


def _facts(attributes: Iterable[KeyValue]) -> dict[str, Value]:
    return {each.key: _value(each.value) for each in attributes}


def _value(value: AnyValue) -> Value:
    match value.WhichOneof("value"):
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "int_value":
            return value.int_value
        case "double_value":
            return value.double_value
        case _:
            return None


def _print(made: Collector) -> None:
    known = {span.id for span in made.spans}
    roots = [span for span in made.spans if span.parent not in known]  # those of a killed session have no parent
    for root in roots:
        for span, depth in _walk(made, root, 0):
            facts = " ".join(f"{name.rpartition('.')[2]}={value}" for name, value in span.facts.items())
            print(f"{(span.until - span.since) / 1e6:9.1f} ms  {'  ' * depth}{span.name}  {facts}")  # noqa: T201
            for moment in span.moments:
                told = " ".join(f"{name.rpartition('.')[2]}={value}" for name, value in moment.facts.items())
                print(f"{'':12}  {'  ' * depth}  · {moment.name} {told}")  # noqa: T201
    for name, points in made.metrics.items():
        for point in points:
            print(f"{name} {point.total:g} {dict(point.facts)}")  # noqa: T201


def _walk(made: Collector, span: Received, depth: int) -> Iterable[tuple[Received, int]]:
    yield span, depth
    for inner in made.inside(span):
        yield from _walk(made, inner, depth + 1)


if __name__ == "__main__":
    with collector(port=int(sys.argv[1])) as running:
        sys.stdin.read()
        _print(running)
