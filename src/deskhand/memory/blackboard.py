"""The agents' shared data in a session: complete here and in the journal, bounded in a prompt."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Final

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import SubtaskRecord
from deskhand.core.text import cut_json, json_line, one_line
from deskhand.memory.bounded_lists import Section, fitted, row_of

_LONGEST: Final = 1500
_BEGINNING: Final = 160
_MOST_KEYS: Final = 8
_SUBTASK: Final = "subtask"
_RESULT: Final = "result"
_WHICH: Final = frozenset({"session_step", _SUBTASK})
_TITLES: Final[Mapping[str, str]] = {"session_step": "step", "action_representation": "actions"}
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
    """Data of an action, with its application and step; `shown` is the part for a prompt, `kind` its kind and size."""

    value: JsonValue
    application: str
    step: int
    shown: str = field(default="", compare=False, repr=False)
    kind: str = field(default="", compare=False, repr=False)

    def told(self, *, is_in_step: bool) -> str:
        """Return it for a prompt. `is_in_step`: the prompt has it in the record of its step."""
        return f"{self.kind}, shown in step {self.step}" if is_in_step else self.shown


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
        """Save an action's data under the name from the reply, or under `own_name`, of which less is shown."""
        text, kind = json_line(value), kind_of(value)
        shown = cut_json(text, _BEGINNING if name.endswith(f"_{step}") else _LONGEST)
        if len(shown) < len(text):
            shown = f"{kind}; it begins {shown}…"
        self.data.pop(name, None)  # data that is saved again becomes the newest
        self.data[name] = SavedData(value, application, step, shown, kind)

    def own_name(self, tool: str, step: int) -> str:
        """Return an unused name for the data of a tool for which the reply has none: `texts_5`."""
        names = (f"{tool}{f'_{number}' if number else ''}_{step}" for number in count())
        return next(name for name in names if name not in self.data)

    def values(self) -> dict[str, JsonValue]:
        """Return the saved data, by name."""
        return {name: saved.value for name, saved in self.data.items()}

    def blackboard_to_prompt(
        self,
        budget_bytes: int = 6000,
        *,
        leave_out: Collection[str] = (),
        steps_told: Collection[int] = (),
        outputs_told: Collection[tuple[str, int]] = (),
        request: str = "",
    ) -> str:
        """Return the blackboard as text for a prompt, in at most `budget_bytes` of UTF-8.

        Each section has its newest entries, the number of entries left out, and a mark where one is shortened; unused
        room goes to the other sections. `leave_out` names sections that the prompt has elsewhere, `steps_told` such
        steps, `outputs_told` name and step of such data, and `request` such a request.
        """
        ended = (_ended(subtask) for subtask in reversed(self.subtasks))
        answers = (f"{question} → {answer}" for question, answer in reversed(self.questions.items()))
        data = (
            f"{one_line(name, 100)}: {saved.told(is_in_step=(name, saved.step) in outputs_told)}"
            for name, saved in reversed(self.data.items())
        )
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
        results = {subtask.result for subtask in self.subtasks}
        others = (self.trajectories[at] for at, number in enumerate(self._steps) if number not in told)
        kept = [step for step in others if _has_news(step, results)]
        rows = (row_of(_news(step, results), self.history_keys, _TEXT) for step in reversed(kept))
        title = f"Steps ({' | '.join(_TITLES.get(key, one_line(key, 40)) for key in self.history_keys[:20])})"
        column = self.history_keys.index(_SUBTASK) if _SUBTASK in self.history_keys else None
        return Section(title, len(kept) if self.history_keys else 0, rows, unrepeated=column)


def kind_of(value: JsonValue) -> str:
    """Return kind and size of data: `table of 4 rows`, `text of 12000 characters`, `object of rows, cells`."""
    if isinstance(value, dict):
        cells, text = value.get("cells"), value.get("text")
        if isinstance(cells, list):
            return f"table of {len(cells)} rows"
        return kind_of(text) if isinstance(text, str) else f"object of {', '.join(list(value)[:_MOST_KEYS])}"
    if isinstance(value, str):
        return f"text of {len(value)} characters"
    return f"list of {len(value)}" if isinstance(value, list) else "value"


def _has_news(step: JsonObject, results: Collection[str]) -> bool:
    """True if a step has more than its number and what ended subtasks report.

    One of the host has none: the host has it among its own steps, and no other agent needs it. All steps of a session
    are looked at for each prompt.
    """
    if _SUBTASK in step and not step[_SUBTASK]:
        return False
    return any(
        value and key not in _WHICH and not (key == _RESULT and _is_in(value, results)) for key, value in step.items()
    )


def _news(step: JsonObject, results: Collection[str]) -> JsonObject:
    """Return the fields of a step that no ended subtask reports."""
    return {key: value for key, value in step.items() if key != _RESULT or not _is_in(value, results)}


def _is_in(result: JsonValue, results: Collection[str]) -> bool:
    return isinstance(result, str) and result in results


def _section(title: str, count: int, entries: Iterable[str]) -> Section:
    return Section(title, count, (one_line(entry, _TEXT) for entry in entries))


def _ended(record: SubtaskRecord) -> str:
    """Return the result of a subtask; for a failed one also the finished part and the reason."""
    told = "; ".join(filter(None, (record.result, record.error, record.note)))
    return f"{record.subtask}: {record.outcome} {told}".strip()
