"""The spans of a session, made from its events: session, round, step, phase, and in it model calls and actions.

A span of a step's phase, and those inside it, begin when their end is reported, with the times that they had: the
event of a phase comes when it is over. Times are those of the events, in nanoseconds since 1970, and
never go back: a span lies inside its parent also if the clock of the machine was set.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanKind, StatusCode, Tracer, set_span_in_context

from deskhand.core.events import (
    ActionEvent,
    ActionFinished,
    ActionIntended,
    ErrorData,
    Event,
    ModelAnswered,
    ModelAsked,
    PhaseFinished,
    RoundFinished,
    RoundStarted,
    SessionFinished,
    SessionResumed,
    SessionStarted,
    StepFinished,
    StepStarted,
    SubtaskAssigned,
)
from deskhand.core.outcomes import Outcome
from deskhand.telemetry import names
from deskhand.telemetry.content import Content
from deskhand.telemetry.names import ours
from deskhand.telemetry.span_events import Attributes, note_of

_BY_THE_USER: Final = {Outcome.CANCELLED, Outcome.REJECTED}
"""Endings without success that are no error."""
_UNFINISHED: Final = ErrorData(type="Interrupted", message="the session ended first")


@dataclass(slots=True)
class _Open:
    """A span that has begun. `until`: the end of the last one inside it."""

    span: Span
    since: int
    until: int

    @property
    def context(self) -> Context:
        return set_span_in_context(self.span, Context())


@dataclass(frozen=True, slots=True)
class _Done:
    """A span that is over, and waits for the one it is in."""

    name: str
    since: int
    until: int
    attributes: Attributes
    kind: SpanKind = SpanKind.INTERNAL
    error: ErrorData | None = None


@dataclass(frozen=True, slots=True)
class _Note:
    """An event of a span."""

    name: str
    at: int
    attributes: Attributes


@dataclass(slots=True)
class _Phase:
    """Contents of the phase that a step is in; it gets its name when it is over."""

    since: int
    inside: list[_Done] = field(default_factory=list[_Done])
    notes: list[_Note] = field(default_factory=list[_Note])
    error: ErrorData | None = None


@dataclass(slots=True)
class _Totals:
    steps: int = 0
    subtasks: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class SpanTree:
    """Makes the spans of one session. Its root begins at once, and ends with `close`."""

    def __init__(
        self,
        tracer: Tracer,
        session_id: str,
        content: Content,
        now: float,
        *,
        parent: Context | None = None,
        links: Sequence[Link] = (),
    ) -> None:
        """`now`: seconds since 1970. `parent`: of the caller; `links`: to the trace of a process before."""
        self._tracer = tracer
        self._session_id = session_id
        self._content = content
        self._now = _ns(now)
        span = tracer.start_span(
            f"{names.INVOKE_WORKFLOW} {names.SCOPE}",
            context=parent,
            start_time=self._now,
            links=links,
            attributes={
                names.OPERATION: names.INVOKE_WORKFLOW,
                names.WORKFLOW: names.SCOPE,
                names.CONVERSATION: session_id,
            },
        )
        self._root = _Open(span, self._now, self._now)
        self._round: _Open | None = None
        self._step: _Open | None = None
        self._phase = _Phase(self._now)
        self._requests: list[str] = []
        self._asked: dict[str, tuple[int, ModelAsked]] = {}
        self._intended: dict[str, tuple[int, ActionIntended]] = {}
        self._totals = _Totals()
        self._has_outcome = False
        self._on: dict[type[Event], Callable[..., None]] = {
            SessionStarted: self._on_session_started,
            SessionResumed: self._on_session_resumed,
            RoundStarted: self._on_round_started,
            StepStarted: self._on_step_started,
            ModelAsked: self._on_model_asked,
            ModelAnswered: self._on_model_answered,
            ActionIntended: self._on_action_intended,
            ActionFinished: self._on_action_finished,
            PhaseFinished: self._on_phase_finished,
            StepFinished: self._on_step_finished,
            RoundFinished: self._on_round_finished,
            SessionFinished: self._on_session_finished,
        }

    @property
    def root(self) -> Span:
        return self._root.span

    def emit(self, event: Event) -> None:
        self._now = max(self._now, _ns(event.at))
        self._content.hear(event)
        if (take := self._on.get(type(event))) is not None:
            take(event)
            return
        self._totals.subtasks += isinstance(event, SubtaskAssigned)
        if (note := note_of(event, self._content)) is not None:
            self._add_note(*note)

    def close(self) -> None:
        """End all spans."""
        self._end_round()
        root = self._root
        if not self._has_outcome:  # its journal could not be written
            self._set_error(root.span, _UNFINISHED)
        if (requests := self._content.text("\n".join(self._requests))) is not None:
            root.span.set_attribute(ours("request"), requests)
        root.span.set_attributes(
            {
                ours("steps"): self._totals.steps,
                ours("cost_usd"): self._totals.cost_usd,
                names.INPUT_TOKENS: self._totals.input_tokens,
                names.OUTPUT_TOKENS: self._totals.output_tokens,
            }
        )
        root.span.end(max(self._now, root.until))

    def _on_session_started(self, event: SessionStarted) -> None:
        facts = {"version": event.version, "mode": event.mode, "model": event.model, "desktop": event.desktop}
        self._root.span.set_attributes({ours(name): value for name, value in facts.items() if value})

    def _on_session_resumed(self, event: SessionResumed) -> None:
        self._totals.steps = event.step
        facts = {"version": event.version, "model": event.model, "desktop": event.desktop}
        self._root.span.set_attributes({ours(name): value for name, value in facts.items() if value})
        self._add_note("resumed", {ours("step"): event.step})

    def _on_session_finished(self, event: SessionFinished) -> None:
        self._end_round()
        span = self._root.span
        span.set_attribute(ours("outcome"), event.outcome)
        self._set_outcome(span, event.outcome, event.error)
        self._has_outcome = True

    def _on_round_started(self, event: RoundStarted) -> None:
        self._requests.append(event.request)
        self._begin_round(event.round)

    def _begin_round(self, number: int) -> None:
        self._end_round()
        self._round = self._begin(self._root, ours("round"), {ours("round"): number})

    def _on_round_finished(self, event: RoundFinished) -> None:
        self._end_step(_UNFINISHED)
        if self._round is not None:
            self._round.span.set_attribute(ours("outcome"), event.outcome)
            self._set_outcome(self._round.span, event.outcome)
        self._end_round()

    def _end_round(self) -> None:
        self._end_step(_UNFINISHED)
        self._end_unfinished()
        if self._round is not None:
            self._end(self._round, self._root)
        self._round = None

    def _on_step_started(self, event: StepStarted) -> None:
        self._end_step(_UNFINISHED)
        if self._round is None:  # of a session that another process began
            self._begin_round(event.round)
        self._totals.steps = event.step
        facts: dict[str, str | int] = {
            names.OPERATION: names.INVOKE_AGENT,
            names.AGENT: event.agent,
            names.CONVERSATION: self._session_id,
            ours("step"): event.step,
            ours("round"): event.round,
            ours("state"): event.state,
            ours("subtask"): self._totals.subtasks,
        }
        if event.application:
            facts[ours("application")] = event.application
        self._step = self._begin(self._inner, f"{names.INVOKE_AGENT} {event.agent}", facts)
        self._phase = _Phase(self._now)

    def _on_phase_finished(self, event: PhaseFinished) -> None:
        parent, phase = self._inner, self._phase
        since = max(phase.since if self._step else parent.since, self._now - _ns(event.seconds))
        since = min([since, *(done.since for done in phase.inside)])
        span = self._begin(parent, ours(event.phase), {ours("phase"): event.phase, ours("step"): event.step}, since)
        self._fill(span, phase)
        self._set_error(span.span, event.error)
        self._end(span, parent)
        self._phase = _Phase(self._now, error=phase.error or event.error)

    def _on_step_finished(self, event: StepFinished) -> None:
        self._totals.cost_usd += event.cost_usd or 0.0
        if self._step is None:
            return
        span = self._step.span
        span.set_attribute(ours("status"), event.status)
        span.set_attribute(ours("ok"), event.ok)
        if event.cost_usd is not None:
            span.set_attribute(ours("cost_usd"), event.cost_usd)
        error = None if event.ok else self._phase.error or ErrorData(type="StepFailed", message=event.problem)
        self._end_step(error)

    def _end_step(self, error: ErrorData | None) -> None:
        """End the step, if it is open, with the contents of a phase that was not finished."""
        if self._step is None:
            return
        self._end_unfinished()
        self._fill(self._step, self._phase)
        self._set_error(self._step.span, error)
        self._end(self._step, self._round or self._root)
        self._step = None
        self._phase = _Phase(self._now)

    def _on_model_asked(self, event: ModelAsked) -> None:
        self._asked[event.agent] = (self._now, event)

    def _on_model_answered(self, event: ModelAnswered) -> None:
        since, asked = self._asked.pop(event.agent, (self._now - _ns(event.seconds), None))
        tokens = (event.input_tokens, event.output_tokens)
        self._totals.input_tokens += tokens[0]
        self._totals.output_tokens += tokens[1]
        model = asked.model if asked else event.model
        facts = self._call_facts(model, event.agent, event.attempt)
        if names.is_language_model(model):
            facts[names.RESPONSE_MODEL] = names.model_of(event.model)
            used = {names.INPUT_TOKENS: tokens[0], names.OUTPUT_TOKENS: tokens[1]} if any(tokens) else {}
            facts |= used
            if event.cached_tokens:
                facts[names.CACHED_TOKENS] = event.cached_tokens
        if event.cost_usd is not None:
            facts[ours("cost_usd")] = event.cost_usd
        self._add_call(model, since, facts, event.error)

    def _call_facts(self, model: str, agent: str, attempt: int) -> dict[str, str | bool | int | float]:
        facts = {names.AGENT: agent, names.CONVERSATION: self._session_id, ours("attempt"): attempt}
        if not names.is_language_model(model):
            return {**facts, ours("model"): model}
        conventional = {
            names.OPERATION: names.CHAT,
            names.PROVIDER: names.provider_of(model),
            names.REQUEST_MODEL: names.model_of(model),
        }
        return {**facts, **conventional}

    def _add_call(self, model: str, since: int, facts: Attributes, error: ErrorData | None) -> None:
        is_language = names.is_language_model(model)
        name = f"{names.CHAT} {names.model_of(model)}" if is_language else ours("reply")
        kind = SpanKind.CLIENT if is_language else SpanKind.INTERNAL
        self._add(_Done(name, since, self._now, facts, kind, error))

    def _on_action_intended(self, event: ActionIntended) -> None:
        self._intended[event.call_id] = (self._now, event)

    def _on_action_finished(self, event: ActionFinished) -> None:
        since, _ = self._intended.pop(event.call_id, (self._now - _ns(event.seconds), None))
        facts = self._action_facts(event)
        for name in ("status", "effect", "route", "part_of"):
            if value := cast("str", getattr(event, name)):
                facts[ours(name)] = value
        facts[ours("delivered")] = event.delivered
        if event.status == "skipped":
            self._add_note("action_skipped", facts)
        else:
            self._add_action(event, since, facts, event.error)

    def _action_facts(self, event: ActionEvent) -> dict[str, str | bool | int | float]:
        facts: dict[str, str | bool | int | float] = {
            names.OPERATION: names.EXECUTE_TOOL,
            names.TOOL: event.tool,
            names.TOOL_CALL: event.call_id,
            names.TOOL_TYPE: "function",
            names.AGENT: event.agent,
            names.CONVERSATION: self._session_id,
            ours("step"): event.step,
        }
        if event.target is not None and event.target.role:
            facts[ours("target.role")] = event.target.role
        if event.target is not None and (name := self._content.text(event.target.name)) is not None:
            facts[ours("target.name")] = name
        if (arguments := self._content.arguments(event)) is not None:
            facts[names.TOOL_ARGUMENTS] = arguments
        return facts

    def _add_action(self, event: ActionEvent, since: int, facts: Attributes, error: ErrorData | None) -> None:
        self._add(_Done(f"{names.EXECUTE_TOOL} {event.tool}", since, self._now, facts, error=error))

    def _end_unfinished(self) -> None:
        """Add calls and actions without a result, of a session that was stopped or met an error."""
        for since, asked in self._asked.values():
            facts = self._call_facts(asked.model, asked.agent, asked.attempt)
            self._add_call(asked.model, since, facts, _UNFINISHED)
        for since, intended in self._intended.values():
            self._add_action(intended, since, self._action_facts(intended), _UNFINISHED)
        self._asked.clear()
        self._intended.clear()

    @property
    def _inner(self) -> _Open:
        return self._step or self._round or self._root

    def _add(self, done: _Done) -> None:
        """Add a span to the phase of the open step; outside of a step, to the round or the session."""
        if self._step is not None:
            self._phase.inside.append(done)
        else:
            self._write(self._inner, done)

    def _add_note(self, name: str, attributes: Attributes) -> None:
        if self._step is not None:
            self._phase.notes.append(_Note(name, self._now, _encodable(attributes)))
        else:
            self._inner.span.add_event(name, _encodable(attributes), self._now)

    def _fill(self, parent: _Open, phase: _Phase) -> None:
        for done in phase.inside:
            self._write(parent, done)
        for note in phase.notes:
            parent.span.add_event(note.name, note.attributes, max(note.at, parent.since))

    def _write(self, parent: _Open, done: _Done) -> None:
        span = self._begin(parent, done.name, done.attributes, done.since, done.kind)
        self._set_error(span.span, done.error, done.until)
        span.until = max(span.since, done.until)
        self._end(span, parent, span.until)

    def _begin(
        self,
        parent: _Open,
        name: str,
        attributes: Attributes,
        since: int | None = None,
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> _Open:
        start = max(parent.since, self._now if since is None else since)
        span = self._tracer.start_span(
            _text(name), context=parent.context, kind=kind, attributes=_encodable(attributes), start_time=start
        )
        return _Open(span, start, start)

    def _end(self, open_span: _Open, parent: _Open, at: int | None = None) -> None:
        end = max(open_span.until, self._now if at is None else at)
        open_span.span.end(end)
        parent.until = max(parent.until, end)

    def _set_outcome(self, span: Span, outcome: str, error: ErrorData | None = None) -> None:
        if outcome == Outcome.SUCCESS or outcome in _BY_THE_USER:
            return
        if error is not None:
            self._set_error(span, error)
        else:
            span.set_attribute(names.ERROR_TYPE, outcome)
            span.set_status(StatusCode.ERROR, outcome)

    def _set_error(self, span: Span, error: ErrorData | None, at: int | None = None) -> None:
        """Set the status, and an event as of an exception; its message can contain any text of the screen."""
        if error is None:
            return
        facts: dict[str, str] = {names.EXCEPTION_TYPE: error.type}
        if (message := self._content.text(error.message)) is not None:
            facts[names.EXCEPTION_MESSAGE] = message
        span.set_attribute(names.ERROR_TYPE, error.type)
        span.set_status(StatusCode.ERROR, error.type)
        span.add_event(names.EXCEPTION, facts, self._now if at is None else at)


def _encodable(attributes: Attributes) -> Attributes:
    return {name: _text(value) if isinstance(value, str) else value for name, value in attributes.items()}


def _text(text: str) -> str:
    """Replace lone surrogates, as in the name of a program's file: one of them would lose the whole batch."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def _ns(seconds: float) -> int:
    return int(seconds * 1_000_000_000)
