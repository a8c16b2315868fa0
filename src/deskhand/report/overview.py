"""Recorded sessions in short: one entry for a list, and a session as an outline of its rounds, steps and actions."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from deskhand.commands.secret_texts import Hiding, redacted_events
from deskhand.core.errors import StoreError
from deskhand.core.events import Event, RoundFinished, RoundStarted, SessionFinished, SessionStarted, StepStarted
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.text import cut, one_line
from deskhand.report.costs import Spent, spending
from deskhand.report.formatting import moment, seconds, spent
from deskhand.report.summary import SessionSummary, Tokens, summarise_events
from deskhand.report.timeline import Action, Step, build_timeline
from deskhand.store.journal import is_held, read_events

_KINDS: Final = frozenset(
    {
        *("session_started", "session_finished", "round_started", "step_started"),
        *("model_asked", "model_answered", "subtask_assigned", "subtask_archived"),
        *("verdict_given", "action_intended", "action_finished"),
    }
)
"""The kinds of events that an entry is made of; those of actions have the secret texts, which are hidden."""
_MOST_EVIDENCE: Final = 120


class State(StrEnum):
    """`interrupted`: it does not run, and never recorded its end. `damaged`: its journal cannot be read."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    DAMAGED = "damaged"


class SessionEntry(BaseModel):
    """A session of a list. Times are in seconds since 1970; `size` in bytes, of the whole folder; `cost_usd` None:
    unknown. Of a damaged one only id, folder and size are known, and the `problem`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str
    state: State
    began: float = 0.0
    ended: float = 0.0
    request: str = ""
    outcome: str | None = None
    steps: int = 0
    seconds: float = 0.0
    cost_usd: float | None = None
    size: int = 0
    session_dir: str = ""
    problem: str = ""


def entry_of(session_dir: Path) -> SessionEntry:
    """The entry of a session; never raises for its journal."""
    size = size_of(session_dir)
    try:
        running = is_held(session_dir)
        events = list(read_events(session_dir, kinds=_KINDS))
    except StoreError as error:
        return SessionEntry(
            id=session_dir.name, state=State.DAMAGED, size=size, session_dir=str(session_dir), problem=error.message
        )
    return _entry(session_dir, events, running=running, size=size)


def _entry(session_dir: Path, events: Sequence[Event], *, running: bool, size: int) -> SessionEntry:
    started = next((event for event in events if isinstance(event, SessionStarted)), None)
    last = events[-1] if events else None
    end = last if isinstance(last, SessionFinished) else None
    began, ended = (events[0].at, events[-1].at) if events else (0.0, 0.0)
    rest = State.RUNNING if running else State.INTERRUPTED
    return SessionEntry(
        id=started.session_id if started else session_dir.name,
        state=State.FINISHED if end else rest,
        began=began,
        ended=ended,
        request=Hiding(events).hide(started.request) if started else "",
        outcome=end.outcome if end else None,
        steps=sum(isinstance(event, StepStarted) for event in events),
        seconds=end.seconds if end else max(0.0, ended - began),
        cost_usd=spending(events).session.cost_usd,
        size=size,
        session_dir=str(session_dir),
    )


def size_of(folder: Path) -> int:
    """Bytes of the files below a folder; those that cannot be read, or vanish meanwhile, do not count."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118 - a Path for each file is slow
    return total


def outline(session_dir: Path) -> tuple[JsonObject, list[str]]:
    """A session for a reader, as an object and as lines, without its secret texts. Raises: StoreError."""
    entry = entry_of(session_dir)
    events = redacted_events(session_dir)
    summary = summarise_events(events, session_dir)
    timeline = build_timeline(events)
    ends = {event.round: event for event in events if isinstance(event, RoundFinished)}
    lines = list(_head(summary, entry))
    for part in timeline.entries:
        if isinstance(part, RoundStarted):
            end = ends.get(part.round)
            lines.append(f"round {part.round} {end.outcome if end else 'did not end'}: {part.request}")
        elif isinstance(part, Step):
            lines += _step(part)
    steps: list[JsonValue] = [_object(step) for step in timeline.steps]
    shown: JsonObject = {**summary.to_json(), "state": entry.state.value, "size": entry.size, "trajectory": steps}
    return shown, lines


def _head(summary: SessionSummary, entry: SessionEntry) -> Iterator[str]:
    calls = Spent(summary.model_calls, summary.tokens.input, summary.tokens.output, summary.cost_usd)
    rows = [
        ("session", summary.session_id),
        ("replays", summary.replays),
        ("request", summary.request),
        ("outcome", summary.outcome if entry.outcome else f"none, {entry.state.value}"),
        ("reason", summary.reason),
        ("began", f"{moment(entry.began)}, took {seconds(entry.seconds)}, {_count(summary.steps, 'step')}"),
        ("spent", spent(calls) if summary.tokens != Tokens() or summary.cost_usd != 0 else ""),
        *(("document", document.told) for document in summary.documents),
        *(("output", output) for output in summary.outputs),
        ("folder", f"{summary.session_dir} ({size_in_words(entry.size)})"),
    ]
    return (f"{name:<8} {value}" for name, value in rows if value)


def _step(step: Step) -> Iterator[str]:
    does = step.started.subtask and f": {step.started.subtask}"
    led = step.finished.status if step.finished else "did not end"
    shown = f" → {led}" if led else ""
    yield f"  {step.number} {step.started.agent} {step.started.state}{shown}, {seconds(step.seconds)}{does}"
    for action in step.actions.values():
        evidence = _evidence(action)
        yield f"      {_named(action)}: {effect_of(action)}{f' ({evidence})' if evidence else ''}"
    for check in step.checks:
        detail = f" ({one_line(check.detail, _MOST_EVIDENCE)})" if check.detail else ""
        yield f"      {check.name}: {'ok' if check.ok else 'failed'}{detail}"


def _object(step: Step) -> JsonObject:
    return {
        "step": step.number,
        "round": step.started.round,
        "agent": step.started.agent,
        "state": step.started.state,
        "status": step.finished.status if step.finished else None,
        "seconds": step.seconds,
        "actions": [
            {
                "tool": action.tool,
                "target": target.model_dump() if (target := action.target) else None,
                "effect": effect_of(action),
                "evidence": _evidence(action),
            }
            for action in step.actions.values()
        ],
    }


def _named(action: Action) -> str:
    target = action.target
    return f'{action.tool} {target.role} "{target.name}"' if target else action.tool


def effect_of(action: Action) -> str:
    """Effect of an action, its status if it has none, or the verdict if it was not sent."""
    if action.unknown:
        return "unknown"
    if action.finished is None:
        return action.verdict.decision if action.verdict else "unknown"
    return action.finished.effect or action.finished.status


def _evidence(action: Action) -> str:
    done = action.finished
    evidence = done.evidence or (done.error.message if done.error else "") if done else ""
    return cut(evidence, _MOST_EVIDENCE)


def size_in_words(size: int) -> str:
    """Bytes: `512 B`, `34.1 kB`, `3.4 MB`."""
    if size < 1000:
        return f"{size} B"
    value, unit = size / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
