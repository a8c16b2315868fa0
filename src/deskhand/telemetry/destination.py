"""The decision whether sessions are recorded, and where their spans and metrics go, without OpenTelemetry itself."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from deskhand.config.load import Sources
from deskhand.config.secrets import model_keys
from deskhand.config.sections import Configuration
from deskhand.core.errors import ConfigurationError, MissingRequirement

FIX: Final = 'python -m pip install "deskhand[otel]"'
_EXPORTER: Final = "opentelemetry.exporter.otlp.proto.http"


class Signal(StrEnum):
    TRACES = "traces"
    METRICS = "metrics"


@dataclass(frozen=True, slots=True)
class Receiver:
    """A collector. Without `endpoint` the variables `OTEL_EXPORTER_OTLP_…` name it, and its headers.

    `service`: the name; empty: that of `OTEL_SERVICE_NAME`.
    """

    endpoint: str
    headers: Mapping[str, str]
    service: str
    signals: Sequence[Signal]


def has_providers() -> bool:
    """Return whether this process has set up OpenTelemetry: `opentelemetry-instrument` does, and so may a caller."""
    traces, metrics = sys.modules.get("opentelemetry.trace"), sys.modules.get("opentelemetry.metrics")
    providers = [traces and traces.get_tracer_provider(), metrics and metrics.get_meter_provider()]
    return any(provider is not None and "Proxy" not in type(provider).__name__ for provider in providers)


def receiver(configuration: Configuration, environment: Mapping[str, str]) -> Receiver | None:
    """Return the receiver that the settings name, else the standard variables; None without one.

    The variables are meant for every program: without the extra they are ignored, as by any that lacks OpenTelemetry.
    Raises: MissingRequirement, ConfigurationError if the settings cannot be followed.
    """
    section = configuration.telemetry
    signals = tuple(signal for signal in Signal if section.endpoint or _names_endpoint(environment, signal))
    if not signals or environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    if not _is_installed():
        if not section.endpoint:
            return None
        raise MissingRequirement(
            "telemetry.endpoint is set, and the extra `otel` is not installed", fix=f"{FIX} (or leave the setting out)"
        )
    service = section.service_name or ("" if environment.get("OTEL_SERVICE_NAME") else "deskhand")
    return Receiver(section.endpoint, _headers(configuration, environment), service, signals)


def _names_endpoint(environment: Mapping[str, str], signal: Signal) -> bool:
    name = signal.value.upper()
    if environment.get(f"OTEL_{name}_EXPORTER", "").strip().lower() == "none":
        return False
    return any(environment.get(f"OTEL_EXPORTER_OTLP_{part}ENDPOINT") for part in ("", f"{name}_"))


def _is_installed() -> bool:
    try:
        return find_spec(_EXPORTER) is not None
    except ModuleNotFoundError:  # not even its parent is
        return False


def _headers(configuration: Configuration, environment: Mapping[str, str]) -> dict[str, str]:
    wanted = configuration.telemetry.headers
    known = model_keys(Sources(environment, Path.cwd()), configuration.models) if wanted else {}
    for header, name in wanted.items():
        if not known.get(name):
            raise ConfigurationError(
                f"telemetry.headers takes {header} from the variable {name}, which is not set",
                fix=f"set {name} in the environment, or in the file of secrets",
            )
    return {header: known[name] for header, name in wanted.items()}
