"""The recording of one session: begun before its first event, ended after its last one (ADR 0132)."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from deskhand.config.sections import Configuration
from deskhand.core.errors import StoreError
from deskhand.core.events import ErrorData, ProblemMet
from deskhand.core.ports import EventSink
from deskhand.telemetry.destination import has_providers, receiver
from deskhand.telemetry.session import RecordedSession

if TYPE_CHECKING:
    from deskhand.telemetry.recorder import Recorder

_FIX: Final = "look whether the receiver of telemetry.endpoint, or of OTEL_EXPORTER_OTLP_ENDPOINT, runs"


def check_telemetry(configuration: Configuration) -> None:
    """Raises: MissingRequirement, ConfigurationError if the settings of telemetry cannot be followed."""
    if not has_providers():
        receiver(configuration, os.environ)


@asynccontextmanager
async def recorded(
    configuration: Configuration, session: RecordedSession, events: EventSink
) -> AsyncGenerator["Recorder | None"]:
    """Return the listener that records a session; None where nobody asked for it.

    The providers that this process has set up are used, if there are any. On leaving, the last spans are sent, for two
    seconds at most; losses are reported in `events`, and change nothing. Raises: as `check_telemetry`.
    """
    recorder = _recorder(configuration, session)
    try:
        yield recorder
    finally:
        problem = await recorder.close() if recorder else ""
        if problem:
            met = ProblemMet(where="telemetry", error=ErrorData(type="TelemetryLost", message=problem, fix=_FIX))
            with suppress(StoreError):  # by which the session ended
                events.emit(met)


def _recorder(configuration: Configuration, session: RecordedSession) -> "Recorder | None":
    """Import OpenTelemetry only if it is used: that takes longer than a short command."""
    if has_providers():
        from deskhand.telemetry.process_providers import record

        return record(session)
    if (to := receiver(configuration, os.environ)) is None:
        return None
    from deskhand.telemetry.exporting import export

    return export(session, to)
