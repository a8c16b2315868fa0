"""The agents' memory, read back from the journal: none of it exists only in the process."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from deskhand.core.events import (
    DataSaved,
    Event,
    EventArrived,
    ImageKept,
    QuestionsAnswered,
    RoundStarted,
    StepRemembered,
    SubtaskArchived,
    SubtaskAssigned,
)
from deskhand.core.json import JsonObject
from deskhand.core.model import StepRecord, SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.memory.blackboard import Blackboard
from deskhand.memory.steps import Memory, MemoryItem

_RECORDS: Final[TypeAdapter[StepRecord]] = TypeAdapter(StepRecord)


@dataclass(slots=True)
class Recalled:
    """The blackboard, and by agent: its memory, and its steps since the last assignment (host: of the round)."""

    blackboard: Blackboard
    memories: dict[str, Memory] = field(default_factory=dict[str, Memory])
    steps: dict[str, list[StepRecord]] = field(default_factory=dict[str, list[StepRecord]])


def record_data(record: StepRecord) -> JsonObject:
    """Return a step's record in the form of the journal; ids are numbered anew when it is read."""
    return _RECORDS.dump_python(record, mode="json", exclude_defaults=True, exclude={"numbering"})


def record_of(event: StepRemembered) -> StepRecord:
    """Return the record of a remembered step."""
    return _RECORDS.validate_python(event.record)


def subtask_of(event: SubtaskArchived) -> SubtaskRecord:
    """Return the record of an archived subtask."""
    told: Mapping[str, str] = {
        name: getattr(event, name) for name in ("subtask", "status", "application", "agent", "window", "note")
    }
    return SubtaskRecord(
        **told, outcome=Outcome(event.outcome), result=event.result, actions=tuple(event.actions), error=event.error
    )


def recall(events: Iterable[Event], session_dir: Path, history_keys: Sequence[str]) -> Recalled:
    """Return the memory as of the last of these events. Pictures are files only."""
    board = Blackboard(history_keys=tuple(history_keys))
    recalled = Recalled(board)
    items: dict[int, MemoryItem] = {}
    for event in events:
        match event:
            case RoundStarted():
                board.requests.append(event.request)
                recalled.steps.clear()
            case SubtaskAssigned():
                recalled.steps.pop(event.agent, None)
            case QuestionsAnswered() if event.how != "event":
                board.add_answers(event.answers)
            case EventArrived():
                board.arrivals.append(f"{event.what}: {event.detail}")
            case DataSaved():
                board.save(event.name, event.data, application=event.application, step=event.step)
            case ImageKept():
                board.add_image(str(session_dir / event.path), event.metadata)
            case SubtaskArchived():
                board.subtasks.append(subtask_of(event))
            case StepRemembered():
                _remember(recalled, items, event)
            case _:
                pass
    return recalled


def _remember(recalled: Recalled, items: dict[int, MemoryItem], event: StepRemembered) -> None:
    recalled.blackboard.add_trajectories(event.item)
    record = record_of(event)
    steps = recalled.steps.setdefault(event.agent, [])
    if event.step in items:
        items[event.step].values = dict(event.item)
        steps[:] = [record if step.step == event.step else step for step in steps]
        return
    items[event.step] = MemoryItem(dict(event.item))
    recalled.memories.setdefault(event.agent, Memory()).add(items[event.step])
    steps.append(record)
