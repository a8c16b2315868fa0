"""The destination of spans and metrics, and sessions that do not care whether they arrive."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Generator
from pathlib import Path

import anyio
import pytest
from anyio import to_thread
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from deskhand.config.load import Sources, load
from deskhand.config.sections import Configuration
from deskhand.core.errors import ConfigurationError, MissingRequirement
from deskhand.core.events import (
    ProblemMet,
    RoundStarted,
    SessionFinished,
    SessionStarted,
    StepFinished,
    StepStarted,
    TraceStarted,
)
from deskhand.core.outcomes import Outcome
from deskhand.session.resume import resume_session
from deskhand.store.journal import read_events
from deskhand.telemetry import destination, recorder
from deskhand.telemetry.exporting import export
from deskhand.telemetry.session import RecordedSession
from notes import APP, Notes
from session.test_resume import cut_off
from stage import assign, say
from telemetry.recorded import Priced, planned, run, telemetry
from wire.collector import Collector, collector

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Threads take time that passes."""
    return "asyncio"


@pytest.fixture(name="receives")
def one_collector() -> Generator[Collector]:
    with collector() as made:
        yield made


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a session waits for a fraction of a second."""
    monkeypatch.setattr(recorder, "LAST_S", 0.3)


async def saves(folder: Path, configuration: Configuration) -> list[str]:
    """Run a session that succeeds, and return its warnings about telemetry."""
    notes = Notes()
    replies = {"HostAgent": [assign("Notes", "Save it"), say("FINISH")], APP: [say("FINISH", "invoke", "Save")]}
    ending = await run(planned(notes.desktop, folder, Priced(replies), configuration))
    assert (ending.outcome, notes.log) == (Outcome.SUCCESS, ["Save"])
    met = [event for event in read_events(folder) if isinstance(event, ProblemMet)]
    assert [event.where for event in met] in ([], ["telemetry"])
    return [event.error.message for event in met]


def closed_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.mark.requires("telemetry.never-in-the-way")
@pytest.mark.usefixtures("soon")
async def test_a_dead_collector_changes_nothing_and_is_warned_about_once(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    [warning] = await saves(tmp_path, telemetry(f"http://127.0.0.1:{closed_port()}"))
    assert "refused" in warning
    assert capfd.readouterr().err == "", "OpenTelemetry's own log is not printed"


@pytest.mark.requires("telemetry.never-in-the-way")
@pytest.mark.usefixtures("soon")
async def test_a_collector_that_never_answers_changes_nothing(tmp_path: Path) -> None:
    with collector(hangs=True) as silent:
        [warning] = await saves(tmp_path, telemetry(silent.url))
    assert warning == "the last part was not taken in time"


@pytest.mark.requires("telemetry.never-in-the-way")
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(("answer", "told"), [(500, "Internal Server Error"), (429, "Too Many Requests")])
async def test_a_collector_that_refuses_changes_nothing(answer: int, told: str, tmp_path: Path) -> None:
    with collector(answer) as refuses:
        [warning] = await saves(tmp_path, telemetry(refuses.url))
    assert told in warning


class Hangs(SpanExporter):
    """An exporter of the process that does not return until it may."""

    def __init__(self) -> None:
        self.may = threading.Event()

    def export(self, spans: object) -> SpanExportResult:
        self.may.wait(30)
        return SpanExportResult.SUCCESS


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> TracerProvider:
    """The provider of the process, as `trace.set_tracer_provider` sets it."""
    made = TracerProvider(shutdown_on_exit=False)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", made)
    return made


@pytest.mark.requires("telemetry.own-provider")
async def test_a_process_with_a_provider_gets_the_spans_inside_its_own(
    provider: TracerProvider, tmp_path: Path, receives: Collector
) -> None:
    spans = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    with trace.get_tracer("mine").start_as_current_span("my job") as mine:
        assert await saves(tmp_path, telemetry(receives.url)) == []
    [root] = [span for span in spans.get_finished_spans() if span.name == "invoke_workflow deskhand"]
    assert root.parent is not None
    assert root.parent.span_id == mine.get_span_context().span_id
    assert receives.spans == [], "and the setting sends nothing a second time"
    spans.clear()
    with provider.get_tracer("mine").start_as_current_span("later"):
        pass
    assert len(spans.get_finished_spans()) == 1, "the provider is not shut down"


@pytest.mark.requires("telemetry.own-provider", "telemetry.never-in-the-way")
@pytest.mark.usefixtures("soon")
async def test_an_exporter_of_the_process_that_hangs_delays_no_step(provider: TracerProvider, tmp_path: Path) -> None:
    hangs = Hangs()
    provider.add_span_processor(SimpleSpanProcessor(hangs))
    [warning] = await saves(tmp_path, telemetry())
    hangs.may.set()
    assert warning == "the span processors of this process did not take the last part in time"


@pytest.mark.requires("telemetry.off")
async def test_the_standard_variables_name_the_receiver(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, receives: Collector
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{receives.url}/v1/traces")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "night shift")
    assert await saves(tmp_path, telemetry()) == []
    assert receives.root.resource["service.name"] == "night shift"
    assert receives.metrics == {}, "no endpoint of metrics is named"


@pytest.mark.requires("telemetry.off")
@pytest.mark.parametrize(
    ("name", "value"), [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none"), ("OTHER", "1")]
)
async def test_nothing_is_sent_where_the_variables_say_so(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, receives: Collector
) -> None:
    if name != "OTHER":
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", f"{receives.url}/v1/traces")
    monkeypatch.setenv(name, value)
    assert await saves(tmp_path, telemetry()) == []
    assert receives.raw == []
    assert not any(isinstance(event, TraceStarted) for event in read_events(tmp_path))


@pytest.mark.requires("telemetry.off")
def test_a_process_that_records_nothing_does_not_import_opentelemetry() -> None:
    program = "import sys; import deskhand.session.build; print('opentelemetry' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"


@pytest.mark.requires("telemetry.settings")
async def test_headers_are_taken_from_variables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, receives: Collector
) -> None:
    monkeypatch.setenv("COLLECTOR_KEY", "Bearer 7")
    await saves(tmp_path, telemetry(receives.url, headers={"Authorization": "COLLECTOR_KEY"}, service_name="till"))
    assert {headers["authorization"] for headers in receives.headers} == {"Bearer 7"}
    assert receives.root.resource["service.name"] == "till"


@pytest.mark.requires("telemetry.settings")
async def test_a_header_without_its_variable_is_an_error_before_the_session(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="takes X-Key from the variable COLLECTOR_KEY, which is not set"):
        await saves(tmp_path / "log", telemetry("http://127.0.0.1:9", headers={"X-Key": "COLLECTOR_KEY"}))
    assert not (tmp_path / "log").exists()


@pytest.mark.requires("telemetry.settings")
async def test_a_setting_without_the_extra_is_an_error_before_the_session_and_a_variable_is_ignored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(destination, "find_spec", dict[str, object]().get)
    with pytest.raises(MissingRequirement) as raised:
        await saves(tmp_path / "log", telemetry("http://127.0.0.1:9"))
    assert 'pip install "deskhand[otel]"' in raised.value.fix
    assert not (tmp_path / "log").exists()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    assert await saves(tmp_path / "other", telemetry()) == []


@pytest.mark.requires("telemetry.settings", "config.project-tightens")
@pytest.mark.parametrize("setting", ["endpoint: 'http://127.0.0.1:9'", "content: true", "headers: {A: HOME}"])
def test_the_file_of_a_project_sends_nothing_anywhere(setting: str, tmp_path: Path) -> None:
    (tmp_path / "deskhand.yaml").write_text(f"telemetry: {{{setting}}}")
    with pytest.raises(ConfigurationError, match="to a server of its choice"):
        load(Sources(os.environ, tmp_path))


@pytest.mark.requires("telemetry.resumed")
async def test_a_resumed_session_is_linked_to_the_trace_before(tmp_path: Path, receives: Collector) -> None:
    notes = Notes()
    replies = {"HostAgent": [assign("Notes", "Save it"), say("FINISH")], APP: [say("FINISH", "invoke", "Save")]}
    plan = planned(notes.desktop, tmp_path, Priced(replies), telemetry(receives.url))
    await cut_off(plan, StepStarted, 2)
    before, [started] = receives.root, [e for e in read_events(tmp_path) if isinstance(e, TraceStarted)]
    assert (before.trace, before.id) == (started.trace_id, started.span_id)
    receives.spans.clear()
    then = {"HostAgent": [say("FINISH")], APP: [say("FINISH", "invoke", "Save")]}
    with anyio.fail_after(30):
        ending = await resume_session(planned(notes.desktop, tmp_path, Priced(then), telemetry(receives.url)))
    assert ending.outcome is Outcome.SUCCESS
    assert receives.root.links == ((started.trace_id, started.span_id),)
    assert receives.root.trace != before.trace
    assert receives.root.facts["gen_ai.conversation.id"] == before.facts["gen_ai.conversation.id"] == "s1"
    assert [span.facts["deskhand.round"] for span in receives.inside(receives.root)] == [1]


@pytest.mark.requires("telemetry.spans")
async def test_a_name_that_no_utf8_has_loses_nothing(receives: Collector) -> None:
    to = destination.receiver(telemetry(receives.url), {})
    assert to is not None
    recording = export(RecordedSession("s1", "", 1.0), to)
    recording.emit(StepStarted(at=1.0, step=1, agent="App\udcff", round=1, state="CONTINUE", application="App\udcff"))
    recording.emit(SessionFinished(at=2.0, outcome="cancelled", reason="", seconds=1.0))
    assert await recording.close() == ""
    [step] = receives.named("invoke_agent App?")
    assert (step.facts["gen_ai.agent.name"], step.facts["deskhand.application"]) == ("App?", "App?")
    assert step.is_error, "it was open at the end"
    assert not receives.root.is_error, "the user's wish is none"


@pytest.mark.requires("telemetry.killed")
async def test_a_step_is_sent_when_it_ends_and_not_at_the_end_of_the_session(receives: Collector) -> None:
    to = destination.receiver(telemetry(receives.url), {})
    assert to is not None
    recording = export(RecordedSession("s1", "", 1.0), to)
    recording.emit(SessionStarted(at=1.0, session_id="s1", version="", request="", model="", desktop=""))
    recording.emit(RoundStarted(at=1.0, round=1, request=""))
    recording.emit(StepStarted(at=1.0, step=1, agent="A", round=1, state="CONTINUE"))
    recording.emit(StepFinished(at=2.0, step=1, agent="A", status="FINISH", ok=True, seconds=1.0))
    await to_thread.run_sync(receives.came.wait, 30)
    assert [span.name for span in receives.spans] == ["invoke_agent A"]
    assert await recording.close() == ""
    assert receives.tree() == ["invoke_workflow deskhand", "  deskhand.round", "    invoke_agent A"]
