"""The metrics of sessions, made from their events."""

from typing import Final

from opentelemetry.metrics import Meter

from deskhand.core.events import (
    ActionFinished,
    ConfirmationDecided,
    Event,
    ModelAnswered,
    ModelAsked,
    PauseEnded,
    QuestionsAnswered,
    QuestionsAsked,
    SessionFinished,
    StepFinished,
)
from deskhand.telemetry import names
from deskhand.telemetry.names import ours

_CALL_S: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
_TOKENS: Final = tuple(4**power for power in range(14))
"""Both as the conventions advise."""
_WAIT_S: Final = (1, 5, 15, 60, 300, 900, 3600)


class Meters:
    """Adds the events of one session to the instruments."""

    def __init__(self, meter: Meter) -> None:
        self._calls = meter.create_histogram(
            names.CALL_DURATION, "s", "Duration of a model call", explicit_bucket_boundaries_advisory=_CALL_S
        )
        self._tokens = meter.create_histogram(
            names.USAGE, "{token}", "Tokens of a model call", explicit_bucket_boundaries_advisory=_TOKENS
        )
        self._waits = meter.create_histogram(
            ours("person.wait"), "s", "Time waited for a person", explicit_bucket_boundaries_advisory=_WAIT_S
        )
        self._actions = meter.create_counter(ours("actions"), "{action}", "Actions, by their effect")
        self._steps = meter.create_counter(ours("steps"), "{step}", "Steps of agents")
        self._sessions = meter.create_counter(ours("sessions"), "{session}", "Sessions that ended, by their outcome")
        self._cost = meter.create_counter(ours("cost"), "USD", "Cost of model calls")
        self._asked_at: float | None = None
        self._model: dict[str, str] = {}

    def emit(self, event: Event) -> None:
        match event:
            case ModelAsked():
                self._model[event.agent] = event.model
            case ModelAnswered():
                self._count_call(event)
            case ActionFinished():
                self._actions.add(1, {names.TOOL: event.tool, ours("effect"): event.effect or event.status})
            case StepFinished():
                facts = {names.AGENT: event.agent, ours("status"): event.status, ours("ok"): event.ok}
                self._steps.add(1, facts)
            case SessionFinished():
                self._sessions.add(1, {ours("outcome"): event.outcome})
            case _:
                self._count_wait(event)

    def _count_call(self, event: ModelAnswered) -> None:
        model = self._model.pop(event.agent, event.model)
        if not names.is_language_model(model):
            return
        facts = {
            names.OPERATION: names.CHAT,
            names.PROVIDER: names.provider_of(model),
            names.REQUEST_MODEL: names.model_of(model),
        }
        self._calls.record(event.seconds, {**facts, names.ERROR_TYPE: event.error.type} if event.error else facts)
        for kind, count in (("input", event.input_tokens), ("output", event.output_tokens)):
            if count:
                self._tokens.record(count, {**facts, names.COUNTED: kind})
        if event.cost_usd:
            self._cost.add(event.cost_usd, facts)

    def _count_wait(self, event: Event) -> None:
        match event:
            case QuestionsAsked():
                self._asked_at = event.at
            case QuestionsAnswered() if self._asked_at is not None:
                if event.how in {"person", "timeout"}:
                    self._wait(event.at - self._asked_at, "question")
                self._asked_at = None
            case ConfirmationDecided() if event.decision != "off":
                self._wait(event.seconds, "confirmation")
            case PauseEnded():
                self._wait(event.seconds, "pause")
            case _:
                pass

    def _wait(self, seconds: float, kind: str) -> None:
        self._waits.record(max(0.0, seconds), {ours("wait"): kind})
