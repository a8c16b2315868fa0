"""The healed playbook of a session, written beside the one that it used, for review."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from itertools import count
from pathlib import Path
from typing import Final

from deskhand.core.command import ResultStatus
from deskhand.core.errors import PlaybookInvalid, UsageError
from deskhand.core.events import Event, ModelAnswered, PlaybookHealed, StepHealed, StepRemembered
from deskhand.core.json import JsonObject
from deskhand.core.model import StepRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.replies import Selector
from deskhand.memory import record_of
from deskhand.models.healed_file import HealedStep, healed_text
from deskhand.models.healing import HealingModel, worked
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.step_phrases import phrase
from deskhand.models.steps import HOST, Condition, Playbook, Step

_SUFFIX: Final = re.compile(r"\.healed(-\d+)?$")
_NO_SUCCESS: Final = "the session did not succeed"
_NOTHING: Final = "none of the healed steps can be written"


def check_healable(playbook: Path) -> None:
    """Raises: UsageError if no healed playbook could be written beside this one."""
    if not os.access(playbook.absolute().parent, os.W_OK):
        raise UsageError(
            f"a healed playbook could not be written beside {playbook}",
            fix="copy the playbook into a folder that you may write in",
        )


def heal_playbook(model: HealingModel, events: Iterable[Event], outcome: Outcome) -> PlaybookHealed | None:
    """Write the healed playbook of a session that succeeded, and return the event about it; None if nothing was healed.

    An existing file is never replaced; a new name has a number.
    """
    healed = _healed_steps(events, model.name)
    if not healed:
        return None
    book = model.playbook
    told = PlaybookHealed(playbook=book.source, steps=[step.told(book) for step in healed])
    if outcome is not Outcome.SUCCESS:
        return told.model_copy(update={"reason": _NO_SUCCESS})
    changes = [change for step in healed if (change := step.change) is not None]
    if not changes:
        return told.model_copy(update={"reason": _NOTHING})
    new = healed_text(book.text, changes)
    try:
        parse_playbook(new, book.source)
        file = _written(Path(book.source), new)
    except PlaybookInvalid as error:
        return told.model_copy(update={"reason": f"it would not be valid: {error.message}"})
    except OSError as error:
        return told.model_copy(update={"reason": f"it cannot be written: {error.strerror or error}"})
    diff = unified_diff(book.text.splitlines(), new.splitlines(), book.source, str(file), lineterm="")
    return told.model_copy(update={"file": str(file), "diff": "\n".join(diff)})


def _written(playbook: Path, text: str) -> Path:
    """Raises: OSError."""
    stem = _SUFFIX.sub("", playbook.stem)
    for number in count(1):
        again = f"-{number}" if number > 1 else ""
        path = playbook.with_name(f"{stem}.healed{again}{playbook.suffix}")
        try:
            with path.open("x", encoding="utf-8", newline="") as file:
                file.write(text)
        except FileExistsError:
            continue
        return path
    raise AssertionError  # pragma: no cover - numbers do not end


@dataclass(slots=True)
class _Healed:
    """A step of the file, with all replies that stood for it."""

    section: str
    number: int
    why: str
    records: list[StepRecord] = field(default_factory=list[StepRecord])
    calls: int = 0
    cost_usd: float | None = 0.0

    def add(self, call: ModelAnswered) -> None:
        self.calls += 1
        self.cost_usd = None if self.cost_usd is None or call.cost_usd is None else self.cost_usd + call.cost_usd

    @property
    def change(self) -> HealedStep | None:
        """The change of the file; None if it cannot be written."""
        return None if self.unwritten else HealedStep(self.section, self.number, tuple(self._before), self._now)

    @property
    def unwritten(self) -> str:
        """The reason why the step is left as it was; empty if it can be written."""
        last = self._last_of_each_row()
        marks = [record.healing for record in (*self._on_the_way(), *last) if record.healing is not None]
        reasons = [mark.unwritten for mark in marks if not mark.written]
        if reasons:
            return reasons[0]
        done = [mark.written for mark in marks if mark.is_done]
        return "what does it differs from row to row" if any(each != done[0] for each in done) else ""

    @property
    def _before(self) -> list[JsonObject]:
        steps: list[JsonObject] = []
        for record in self._on_the_way():
            if record.healing is not None and record.healing.written not in steps:
                steps.append(record.healing.written)
        return steps

    @property
    def _now(self) -> JsonObject | None:
        last = self._last_of_each_row()
        return last[-1].healing.written if last and last[-1].healing is not None else None

    def _on_the_way(self) -> list[StepRecord]:
        """Actions that changed something before the step was done."""
        return [
            record
            for record in self.records
            if record.healing is not None and not record.healing.is_done and _changed_something(record)
        ]

    def _last_of_each_row(self) -> list[StepRecord]:
        """The replies that did the step: those before them at the same place did not."""
        done = (record for record in self.records if record.healing is not None and record.healing.is_done)
        return list({record.position: record for record in done if worked(record)}.values())

    def told(self, book: Playbook) -> StepHealed:
        steps = book.host if self.section == HOST else book.agents[self.section]
        step = steps[self.number - 1]
        unwritten = self.unwritten
        new = [*self._before, *([self._now] if self._now else [])] if not unwritten else []
        return StepHealed(
            line=step.line,
            was=phrase(step),
            now=", then ".join([*(phrase(_step(each)) for each in new), *([] if self._now else ["as before"])])
            if new
            else "",
            why=self.why,
            calls=self.calls,
            cost_usd=self.cost_usd,
            unwritten=unwritten,
        )


def _step(written: JsonObject) -> Step:
    when, on, args = written.get("when"), written.get("on"), written.get("args")
    shows = when.get("shows") if isinstance(when, dict) else None
    return Step(
        line=0,
        tool=str(written.get("tool", "")),
        status="CONTINUE",
        on=Selector.model_validate(on) if on else None,
        args=args if isinstance(args, dict) else None,
        when=Condition(0, shows=Selector.model_validate(shows)) if shows else None,
    )


def _changed_something(record: StepRecord) -> bool:
    ran = [action for action in record.actions if action.ran and action.effect is not None]
    return bool(ran) and all(action.status is not ResultStatus.FAILURE for action in ran)


def _healed_steps(events: Iterable[Event], playbook: str) -> Sequence[_Healed]:
    """The steps that were healed, in the order in which they were met."""
    records: dict[int, StepRecord] = {}
    calls: dict[int, list[ModelAnswered]] = {}
    for event in events:
        if isinstance(event, StepRemembered):
            records[event.step] = record_of(event)
        elif isinstance(event, ModelAnswered) and (event.model != playbook or event.input_tokens):
            calls.setdefault(event.step, []).append(event)
    found: dict[tuple[str, int], _Healed] = {}
    for step, record in records.items():
        mark = record.healing
        if mark is None:
            continue
        healed = found.setdefault((mark.section, mark.step), _Healed(mark.section, mark.step, mark.why))
        healed.records.append(record)
        for call in calls.get(step, ()):
            healed.add(call)
    return list(found.values())
