"""Progress of a session on stderr, one line per action and transition, made from its events.

A line fits the terminal. On a narrow one the agent is printed above its lines instead of in each.
"""

import os
import sys
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Protocol, TextIO

import typer

from deskhand.cli.console import printable
from deskhand.core.events import (
    ActionFinished,
    ActionsHeld,
    AnsweredFrom,
    CheckRun,
    Event,
    HandedBack,
    ModelAnswered,
    ObservationTaken,
    PauseBegan,
    PauseEnded,
    PhaseFinished,
    ProblemMet,
    ReplyAccepted,
    RoundFinished,
    RoundStarted,
    SessionFinished,
    SessionResumed,
    StepFinished,
    StepStarted,
    TakenOver,
    TransitionTaken,
    WindowFollowed,
)
from deskhand.report.formatting import priced
from deskhand.report.live import action_words

_GOOD: Final = {"confirmed", "success", "ok"}
_BAD: Final = {"failure", "refused", "partial", "failed", "error", "rejected"}
_MOST_CHANGES: Final = 5
"""Differences after a hand-back that are printed."""
_PAUSE_ENDS: Final = {
    "quiet": "continuing",
    "handed_back": "continuing",
    "timeout": "the user is still active",
    "stopped": "stopped",
}
_INFORMS: Final = (ActionsHeld, HandedBack, SessionResumed, WindowFollowed)
"""Events whose remarks are no problems."""
_WIDE: Final = 132
_ROOMY: Final = 100
_AGENT: Final = 27
_RESULT: Final = 21
_LEAST: Final = 24


class Detail(StrEnum):
    """Lines that are printed: problems and pauses alone; actions and transitions too; phases and model calls too."""

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


class Output(Protocol):
    """A place for lines, such as a stream."""

    def write(self, text: str, /) -> object: ...

    def flush(self) -> object: ...


class Progress:
    """Implements `core.ports.EventSink`. Lines have `width` characters, except problems, which are printed in full.

    `rounds`: the session may have several; print the start and the outcome of each.
    """

    def __init__(
        self,
        stream: Output,
        *,
        colour: bool,
        width: int = _WIDE,
        rounds: bool = False,
        detail: Detail = Detail.NORMAL,
    ) -> None:
        self._rounds = rounds
        self._stream: Output | None = stream
        self._colour = colour
        self._detail = detail
        self._started = time.monotonic()
        self._shown_agent = ""
        self._states: dict[str, str] = {}
        self._acted = False
        self.fit(width)

    def fit(self, width: int) -> None:
        """Let the next lines have this width."""
        self._agent_width = _AGENT if width >= _ROOMY else 0
        self._text_width = max(_LEAST, width - len(self._start("", "")) - _RESULT - 1)

    def emit(self, event: Event) -> None:
        if self._detail is not Detail.QUIET:
            self._lines(event)
        if self._detail is Detail.VERBOSE:
            self._details(event)
        if (remark := _remark(event)) and (self._detail is not Detail.QUIET or not isinstance(event, _INFORMS)):
            self._row("", "", f"! {remark}", "", "", whole=True)

    def _details(self, event: Event) -> None:
        match event:
            case PhaseFinished():
                name, result = event.phase.replace("_", " "), "" if event.ok else "failed"
                self._row("", event.agent, f"  phase {name}", result, f"{event.seconds:.2f} s")
            case ObservationTaken():
                seen = f'  observed {event.controls} controls of "{event.window}"'
                self._row("", event.agent, seen, "", f"{event.seconds:.2f} s")
            case ModelAnswered():
                cached = f" ({event.cached_tokens} cached)" if event.cached_tokens else ""
                tokens = (
                    f": {event.input_tokens} tokens in{cached}, {event.output_tokens} out, {priced(event.cost_usd)}"
                )
                called = f"  {event.model}{tokens if event.input_tokens else ''}"
                self._row("", event.agent, called, "failed" if event.error else "", f"{event.seconds:.2f} s")
            case _:
                pass

    def _lines(self, event: Event) -> None:
        match event:
            case StepStarted():
                self._states[event.agent] = event.state
                self._acted = False
                self._announce(event.agent)
            case ActionFinished():
                self._acted = True
                self._step(event.step, event.agent, action_words(event), event.effect or event.status, event.seconds)
            case StepFinished() if not self._acted:
                self._step(event.step, event.agent, f"status {event.status}", "", event.seconds)
            case TransitionTaken() if event.to != event.source:
                self._row("", event.agent, f"{event.source} → {event.to} ({event.cause})", "", "")
            case CheckRun():
                self._row("", "", f"check {event.name}: {event.detail}", "ok" if event.ok else "failed", "")
            case RoundStarted() if self._rounds:
                self._row("", "", f"round {event.round}: {event.request}", "", "")
            case RoundFinished() if self._rounds:
                self._row("", "", f"round {event.round} ended", event.outcome, "")
            case SessionFinished():
                self._row("", "", "session ended", event.outcome, "")
            case _:
                pass

    def _step(self, step: int, agent: str, what: str, effect: str, seconds: float) -> None:
        self._row(str(step), agent, f"{self._states.get(agent, ''):<10} {what}", effect, f"{seconds:.2f} s")

    def _row(self, step: str, agent: str, what: str, effect: str, end: str, *, whole: bool = False) -> None:
        self._announce(agent)
        start = self._start(step, agent)
        below = "\n" + " " * len(start)
        text = below.join(map(printable, what.splitlines())) if whole else _shortened(what, self._text_width)
        result = f"{self._tinted(effect)}{end:>{max(0, _RESULT - len(effect))}}"
        self._write(f"{start}{text:<{self._text_width}} {result}".rstrip())

    def _announce(self, agent: str) -> None:
        """On a narrow terminal, print the agent of the next lines."""
        if not self._agent_width and agent not in {"", self._shown_agent}:
            self._write(agent)
            self._shown_agent = agent

    def _start(self, step: str, agent: str) -> str:
        named = f"{agent:<{_AGENT}} " if self._agent_width else ""
        return f"{time.monotonic() - self._started:6.2f} {step:>3}  {named}"

    def _tinted(self, word: str) -> str:
        if not self._colour or word not in _GOOD | _BAD:
            return word
        return typer.style(word, fg="green" if word in _GOOD else "red")

    def _write(self, line: str) -> None:
        """Write a line; a closed stream does not stop the session."""
        if self._stream is None:
            return
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            self._stream = None


def progress_on_stderr(
    environment: Mapping[str, str], *, rounds: bool = False, detail: Detail = Detail.NORMAL
) -> Progress:
    """Progress of one session. Coloured only on a terminal, and if NO_COLOR is not set."""
    colour = sys.stderr.isatty() and not environment.get("NO_COLOR")
    return Progress(sys.stderr, colour=colour, width=columns(sys.stderr), rounds=rounds, detail=detail)


def columns(stream: TextIO) -> int:
    """Width of the terminal, else of a line in a log."""
    try:
        return min(_WIDE, os.get_terminal_size(stream.fileno()).columns or _WIDE)
    except (OSError, ValueError):
        return _WIDE


def _of_user(event: PauseBegan | PauseEnded | TakenOver | HandedBack | AnsweredFrom) -> str:
    match event:
        case PauseBegan():
            return f"waiting: {event.reason}"
        case PauseEnded():
            return f"{_PAUSE_ENDS[event.how]} after {event.seconds:.1f} s"
        case AnsweredFrom():
            return f"the {event.what} was answered by {event.by}"
        case TakenOver():
            return f"{event.by} has the desktop; to go on: deskhand hand-back"
        case HandedBack():
            said = f": {event.note}" if event.note else ""
            more = (
                [f"… {len(event.changes) - _MOST_CHANGES} more in the report"] if event.changes[_MOST_CHANGES:] else []
            )
            return "\n".join((f"{event.by} handed the desktop back{said}", *event.changes[:_MOST_CHANGES], *more))


def _remark(event: Event) -> str:  # noqa: PLR0911 - one for each kind
    """A problem or pause to print in full; usually empty."""
    match event:
        case ActionFinished():
            return event.error.message if event.error else ""
        case ActionsHeld():
            return f"held for confirmation: {event.reason}"
        case ReplyAccepted() if event.status in {"FAIL", "ERROR"}:
            return event.comment or event.result
        case StepFinished():
            return event.problem
        case ProblemMet():
            return f"{event.where}: {event.error.message}"
        case PauseBegan() | PauseEnded() | TakenOver() | HandedBack() | AnsweredFrom():
            return _of_user(event)
        case SessionResumed():
            return "\n".join((f"resumed after step {event.step}", *event.windows, *event.unknown))
        case WindowFollowed():
            return f'"{event.closed}" closed; continuing in "{event.window}"'
        case _:
            return ""


def _shortened(text: str, width: int) -> str:
    one_line = printable(text)
    return one_line if len(one_line) <= width else f"{one_line[: width - 1]}…"
