"""Experiences: what a successful session did, told from its journal alone."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deskhand.commands.secret_texts import redacted_events
from deskhand.core.errors import UsageError
from deskhand.core.events import (
    ActionFinished,
    Event,
    RoundStarted,
    SessionFinished,
    SessionStarted,
    SubtaskArchived,
    SubtaskAssigned,
)
from deskhand.core.json import JsonValue
from deskhand.core.outcomes import Outcome
from deskhand.knowledge.passages import Document, Piece, Section, cut
from deskhand.knowledge.scopes import HOST
from deskhand.knowledge.store import Source

KIND: Final = "experience"
_LONGEST_VALUE: Final = 60
_MOST_STEPS: Final = 40
_SAYS_NOTHING: Final = frozenset({"id", "name"})


@dataclass(slots=True)
class _Subtask:
    application: str
    subtask: str
    result: str
    steps: list[str] = field(default_factory=list[str])


def experiences(session_dir: Path) -> list[tuple[Source, tuple[Piece, ...]]]:
    """Experiences of a session by application: the subtasks that succeeded, and for the host their order.

    Raises: UsageError if the session did not succeed, StoreError if its journal cannot be read.
    """
    events = redacted_events(session_dir)  # learned texts are shown to models of later sessions
    started = next((event for event in events if isinstance(event, SessionStarted)), None)
    ended = next((event for event in reversed(events) if isinstance(event, SessionFinished)), None)
    outcome = ended.outcome if ended else "cut off"
    if started is None or outcome != Outcome.SUCCESS:
        raise UsageError(
            f"the session in {session_dir} did not succeed ({outcome}): nothing is learned from it",
            fix="give the folder of a session that succeeded",
        )
    done = list(_subtasks(events))
    requests = [event.request for event in events if isinstance(event, RoundStarted)] or [started.request]
    location = f"session:{started.session_id}"
    sections: dict[str, list[Section]] = {}
    for subtask in done:
        sections.setdefault(subtask.application, []).append(Section((subtask.subtask,), _told(subtask)))
    if len(done) > 1:
        followed = [f'{number}. in {one.application}: "{one.subtask}"' for number, one in enumerate(done, start=1)]
        sections[HOST] = [Section((), "\n".join(["Carried out as:", *followed]))]
    title = "; ".join(requests)
    return [
        (Source(location, KIND, application), cut(Document(title, tuple(found))))
        for application, found in sections.items()
    ]


def _subtasks(events: Sequence[Event]) -> Iterator[_Subtask]:
    """Subtasks that succeeded, each with the actions that worked."""
    steps: dict[str, list[str]] = {}
    for event in events:
        match event:
            case SubtaskAssigned():
                steps[event.agent] = []
            case ActionFinished(status="success"):
                steps.setdefault(event.agent, []).append(_step(event))
            case SubtaskArchived():
                worked = steps.pop(event.agent, [])
                if event.outcome == Outcome.SUCCESS:
                    yield _Subtask(event.application, event.subtask, event.result, worked)
            case _:
                pass


def _step(action: ActionFinished) -> str:
    target = action.target
    on = f' {target.role} "{target.name}"' if target and (target.role or target.name) else ""
    told = {name: value for name, value in action.arguments.items() if not target or name not in _SAYS_NOTHING}
    arguments = ", ".join(f"{name} {_short(value)}" for name, value in told.items())
    return f"{action.tool}{on}{f' ({arguments})' if arguments else ''}"


def _told(subtask: _Subtask) -> str:
    steps = [f"{number}. {step}" for number, step in enumerate(subtask.steps[:_MOST_STEPS], start=1)]
    more = len(subtask.steps) - _MOST_STEPS
    lines = ["What worked:", *steps, *([f"and {more} more"] if more > 0 else [])]
    return "\n".join([*lines, f"Result: {subtask.result}"] if subtask.result else lines)


def _short(value: JsonValue) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
