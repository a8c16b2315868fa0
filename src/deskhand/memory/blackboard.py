"""What the agents of one session share: complete here, bounded where it is rendered into a prompt."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import SubtaskRecord


@dataclass(frozen=True, slots=True)
class ImageNote:
    """A picture put on the blackboard: where it is, and what it is of."""

    path: str
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class SavedData:
    """Data an action yielded, with the application and step it came from."""

    value: JsonValue
    application: str
    step: int


@dataclass(slots=True)
class Blackboard:
    """Questions and answers, requests, trajectories, pictures, subtask results, saved data and what arrived.

    `history_keys` are the fields of a memory item that trajectories keep.
    """

    history_keys: tuple[str, ...] = ()
    questions: dict[str, str] = field(default_factory=dict[str, str])
    requests: list[str] = field(default_factory=list[str])
    trajectories: list[JsonObject] = field(default_factory=list[JsonObject])
    screenshots: list[ImageNote] = field(default_factory=list[ImageNote])
    subtasks: list[SubtaskRecord] = field(default_factory=list[SubtaskRecord])
    arrivals: list[str] = field(default_factory=list[str])
    data: dict[str, SavedData] = field(default_factory=dict[str, SavedData])

    def add_answers(self, answers: Mapping[str, str]) -> None:
        """Keeps the answers that say something; an empty answer is none (SPEC 2.4)."""
        self.questions.update({question: answer for question, answer in answers.items() if answer.strip()})

    def add_trajectories(self, values: Mapping[str, JsonValue]) -> None:
        """Keeps one step's fields, only those named in `history_keys`."""
        self.trajectories.append({key: values[key] for key in self.history_keys if key in values})

    def add_image(self, path: str, metadata: Mapping[str, str]) -> None:
        self.screenshots.append(ImageNote(path, dict(metadata)))

    def save(self, name: str, value: JsonValue, *, application: str, step: int) -> None:
        """Keeps an action's data under the name the reply gave it."""
        self.data[name] = SavedData(value, application, step)

    def values(self) -> dict[str, JsonValue]:
        """The saved data, by name."""
        return {name: saved.value for name, saved in self.data.items()}

    def blackboard_to_prompt(self, budget_bytes: int = 6000, *, leave_out: Collection[str] = ()) -> str:
        """The blackboard as text for a prompt, newest first kept, at most about `budget_bytes` of UTF-8.

        `leave_out` names sections that the prompt has elsewhere.
        """
        sections: list[tuple[str, Sequence[str]]] = [
            ("Requests", self.requests),
            ("Answers", [f"{question} → {answer}" for question, answer in self.questions.items()]),
            ("Events", self.arrivals),
            ("Ended subtasks", [_ended(subtask) for subtask in self.subtasks]),
            ("Data", [f"{name}: {json.dumps(saved.value, ensure_ascii=False)}" for name, saved in self.data.items()]),
            ("Steps", [json.dumps(step, ensure_ascii=False) for step in self.trajectories]),
        ]
        lines: list[str] = []
        left = budget_bytes
        for title, entries in sections:
            if title in leave_out or not entries:
                continue
            kept: list[str] = []
            for entry in reversed(entries):
                shown = entry if len(entry) <= 1500 else entry[:1500] + " … (more in the log)"
                if (cost := len(shown.encode()) + 3) > left:
                    kept.append(f"… {len(entries) - len(kept)} older left out")
                    break
                left -= cost
                kept.append(shown)
            lines += [f"{title}:", *(f"- {entry}" for entry in reversed(kept))]
        return "\n".join(lines)


def _ended(record: SubtaskRecord) -> str:
    """What came of a subtask; where it failed, what it got done all the same and why it failed."""
    told = "; ".join(filter(None, (record.result, record.error)))
    return f"{record.subtask}: {record.outcome} {told}".strip()
