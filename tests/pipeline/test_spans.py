"""Steps are spans for whoever has set OpenTelemetry up, and nothing is imported for anybody else."""

import subprocess
import sys
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from notes import APP, Notes
from stage import assign, say, stage


@pytest.mark.requires("pipeline.spans")
async def test_every_step_is_a_span_that_says_what_it_was(tmp_path: Path) -> None:
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    notes = Notes()
    replies = {"HostAgent": [assign("Notes", "Save it"), say("FINISH")], APP: [say("FINISH", "invoke", "Save")]}
    await stage(notes.desktop, replies, log_path=tmp_path).run()
    told = [(dict(span.attributes or {}), [event.name for event in span.events]) for span in spans.get_finished_spans()]
    assert [(facts["deskhand.agent"], facts["deskhand.status"]) for facts, _ in told] == [
        ("HostAgent", "ASSIGN"),
        (APP, "FINISH"),
        ("HostAgent", "FINISH"),
    ]
    assert told[1][0]["deskhand.subtask"] == "Save it"
    phases = ["data_collection", "llm_interaction", "action_execution", "memory_update"]
    assert all(events == phases for _, events in told)


@pytest.mark.requires("pipeline.spans")
def test_nobody_pays_for_spans_that_nobody_wants() -> None:
    program = (
        "import sys; import deskhand.agents; from deskhand.pipeline.spans import step_spans;"
        "print(len(step_spans()), 'opentelemetry' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "0 False\n"
