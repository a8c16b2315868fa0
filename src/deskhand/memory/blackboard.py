"""The agents' shared data in a session: complete here and in the journal, bounded in a prompt."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import SubtaskRecord
from deskhand.core.text import cut_json, json_line, one_line
from deskhand.memory.bounded_lists import Section, fitted, row_of

_LONGEST: Final = 1500
_SUBTASK: Final = "subtask"
_TEXT: Final = 400


@dataclass(frozen=True, slots=True)
class ImageNote:
    """A picture on the blackboard: its file and description."""

    path: str
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])

    def told(self) -> str:
        """Return `step 3 of calc: the finished chart`, with the further metadata."""
        known = dict(self.metadata)
        step, application, reason = (known.pop(name, "") for name in ("step", "application", "reason"))
        of = " of ".join(filter(None, (f"step {step}" if step else "", application))) or Path(self.path).name
        return "; ".join([f"{of}: {reason}" if reason else of, *(f"{name} {value}" for name, value in known.items())])


@dataclass(frozen=True, slots=True)
class SavedData:
    """Data of an action, with its application and step; `shown` is the part for a prompt."""

    value: JsonValue
    application: str
    step: int
    shown: str = field(default="", compare=False, repr=False)


@dataclass(slots=True)
class Blackboard:
    """Questions and answers, requests, trajectories, pictures, subtask results, saved data and arrived events.

    `history_keys` are the fields of a memory item that trajectories have.
    """

    history_keys: tuple[str, ...] = ()
    questions: dict[str, str] = field(default_factory=dict[str, str])
    requests: list[str] = field(default_factory=list[str])
    trajectories: list[JsonObject] = field(default_factory=list[JsonObject])
    screenshots: list[ImageNote] = field(default_factory=list[ImageNote])
    subtasks: list[SubtaskRecord] = field(default_factory=list[SubtaskRecord])
    arrivals: list[str] = field(default_factory=list[str])
    data: dict[str, SavedData] = field(default_factory=dict[str, SavedData])
    _steps: list[int] = field(default_factory=list[int], repr=False)

    def add_answers(self, answers: Mapping[str, str]) -> None:
        """Store the answers; an empty answer is none (contract 2.4)."""
        self.questions.update({question: answer for question, answer in answers.items() if answer.strip()})

    def add_trajectories(self, values: Mapping[str, JsonValue]) -> None:
        """Store one step's fields, only those named in `history_keys`, in place of an earlier record of the step."""
        kept = {key: values[key] for key in self.history_keys if key in values}
        step = values.get("session_step")
        number = step if isinstance(step, int) else 0
        if number and number in self._steps[-100:]:
            self.trajectories[len(self._steps) - 1 - self._steps[::-1].index(number)] = kept
            return
        self.trajectories.append(kept)
        self._steps.append(number)

    def add_image(self, path: str, metadata: Mapping[str, str]) -> None:
        self.screenshots.append(ImageNote(path, dict(metadata)))

    def save(self, name: str, value: JsonValue, *, application: str, step: int) -> None:
        """Save an action's data under the name from the reply."""
        text = json_line(value)
        shown = cut_json(text, _LONGEST)
        if len(shown) < len(text):
            shown += f"… (cut: {len(shown)} of {len(text)} characters of JSON, all of them saved)"
        self.data.pop(name, None)  # data that is saved again becomes the newest
        self.data[name] = SavedData(value, application, step, shown)

    def values(self) -> dict[str, JsonValue]:
        """Return the saved data, by name."""
        return {name: saved.value for name, saved in self.data.items()}

    def blackboard_to_prompt(
        self,
        budget_bytes: int = 6000,
        *,
        leave_out: Collection[str] = (),
        steps_told: Collection[int] = (),
        request: str = "",
    ) -> str:
        """Return the blackboard as text for a prompt, in at most `budget_bytes` of UTF-8.

        Each section has its newest entries, the number of entries left out, and a mark where one is shortened; unused
        room goes to the other sections. `leave_out` names sections that the prompt has elsewhere, `steps_told` such
        steps and `request` such a request.
        """
        ended = (_ended(subtask) for subtask in reversed(self.subtasks))
        answers = (f"{question} → {answer}" for question, answer in reversed(self.questions.items()))
        data = (f"{one_line(name, 100)}: {saved.shown}" for name, saved in reversed(self.data.items()))
        asked = self.requests[:-1] if self.requests and self.requests[-1] == request else self.requests
        sections = [
            _section("Requests", len(asked), reversed(asked)),
            _section("Answers", len(self.questions), answers),
            _section("Events", len(self.arrivals), reversed(self.arrivals)),
            _section("Ended subtasks", len(self.subtasks), ended),
            Section("Data", len(self.data), data),
            _section("Pictures", len(self.screenshots), (note.told() for note in reversed(self.screenshots))),
            self._steps_but(frozenset(steps_told)),
        ]
        return fitted([section for section in sections if section.title not in leave_out], budget_bytes)

    def _steps_but(self, told: frozenset[int]) -> Section:
        """Return the steps that the prompt does not have elsewhere, a row each under the names of their fields."""
        kept = [at for at, number in enumerate(self._steps) if number not in told]
        rows = (row_of(self.trajectories[at], self.history_keys, _TEXT) for at in reversed(kept))
        title = f"Steps ({' | '.join(one_line(key, 40) for key in self.history_keys[:20])})"
        column = self.history_keys.index(_SUBTASK) if _SUBTASK in self.history_keys else None
        return Section(title, len(kept) if self.history_keys else 0, rows, unrepeated=column)


def _section(title: str, count: int, entries: Iterable[str]) -> Section:
    return Section(title, count, (one_line(entry, _TEXT) for entry in entries))


def _ended(record: SubtaskRecord) -> str:
    """Return the result of a subtask; for a failed one also the finished part and the reason."""
    told = "; ".join(filter(None, (record.result, record.error, record.note)))
    return f"{record.subtask}: {record.outcome} {told}".strip()
