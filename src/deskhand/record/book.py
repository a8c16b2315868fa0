"""Recorded steps as the text of a playbook: sections by window, selectors, comments on brittle ones."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, chain, count
from typing import Final

import yaml

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.record.drafts import PASSWORD, Draft
from deskhand.report.playbook_step import Seen, selectors_of
from deskhand.report.script_plan import brittle
from deskhand.report.stable_names import StableNames

_WIDE: Final = 1_000_000
_HEAD: Final = "# Recorded from a user's work."


@dataclass(slots=True)
class _Section:
    """Steps in one window of a program, and in dialogs of it. `lines`: each step as text, with its comments."""

    window: TargetInfo
    name: str
    drafts: list[Draft] = field(default_factory=list[Draft])


@dataclass(slots=True)
class Book:
    """The recorded steps. `name`: of the playbook; `application`: launches the first window, empty: it is open.

    `command`: the program that shows the first window, for a comment.
    """

    name: str
    application: str = ""
    command: str = ""
    sections: list[_Section] = field(default_factory=list[_Section])
    names: StableNames = field(default_factory=StableNames)

    def add(self, draft: Draft) -> None:
        """Add a step, in the place of the last one if that is not needed any more; or the note of a missed input."""
        for window in draft.before.windows:
            self.names.titles.setdefault(window.handle, set()).add(window.name)
            self.names.applications[window.name] = window.application
        section = self._section(draft.window) if draft.tool or not self.sections else self.sections[-1]
        if section.drafts and draft.is_in_menu_of(section.drafts[-1]):
            section.drafts.pop()
        if section.drafts and draft.replaces(section.drafts[-1]):
            section.drafts[-1] = draft
        else:
            section.drafts.append(draft)

    @property
    def count(self) -> int:
        """Number of steps."""
        return sum(bool(draft.tool) for section in self.sections for draft in section.drafts)

    @property
    def doubts(self) -> tuple[str, ...]:
        """The steps whose target is in doubt, and the input that was not recorded, by the number of steps so far."""
        drafts = [draft for section in self.sections for draft in section.drafts]
        counts = accumulate(int(bool(draft.tool)) for draft in drafts)
        return tuple(_doubt(number, draft) for number, draft in zip(counts, drafts, strict=True) if draft.note)

    def text(self) -> str:
        """The playbook so far; empty without a step."""
        return "\n".join(self._lines()) + "\n" if self.sections else ""

    def _section(self, window: TargetInfo) -> _Section:
        """The section that the step belongs to: the last one also for a dialog of the same program."""
        last = self.sections[-1] if self.sections else None
        is_same = last is not None and last.window.handle == window.handle
        is_dialog = last is not None and window.type is Role.DIALOG and window.pid == last.window.pid
        if last is not None and (is_same or is_dialog):
            return last
        words = re.sub(r"\W+", "_", window.application) or "application"
        taken = [section.name for section in self.sections]
        names = chain([words], (f"{words}{number}" for number in count(2)))
        self.sections.append(_Section(window, next(name for name in names if name not in taken)))
        return self.sections[-1]

    def _lines(self) -> Iterator[str]:
        yield _HEAD
        if self.command:
            yield f"# The program of its first window: {self.command}"
        yield "playbook: 1"
        yield f"name: {_flow(self.name)}"
        if any(f"${{{PASSWORD}}}" in str(draft.args) for section in self.sections for draft in section.drafts):
            yield from ("params:", f"  {PASSWORD}: text")
        yield "host:"
        for number, section in enumerate(self.sections):
            yield f"  - {_flow(self._assignment(section, is_first=number == 0))}"
        yield f"  - {_flow({'status': 'FINISH', 'result': 'Done as recorded'})}"
        yield "agents:"
        for section in self.sections:
            yield f"  {_flow(section.name)}:"
            for draft in section.drafts:
                yield from self._step(draft)
            yield f"    - {_flow({'status': 'FINISH'})}"

    def _assignment(self, section: _Section, *, is_first: bool) -> JsonObject:
        """The host's step for a section."""
        told: JsonObject = {"status": "ASSIGN", "agent": section.name, "subtask": f"Steps in {section.name}"}
        if is_first and self.application:
            return {"app": self.application, **told}
        role = Role.DIALOG if section.window.type is Role.DIALOG else Role.WINDOW
        return {"on": {"role": role.value, "name": self.names.wanted_title(section.window.name)}, **told}

    def _step(self, draft: Draft) -> Iterator[str]:
        if not draft.tool:
            yield f"    # not recorded: {draft.note}"
            return
        step: JsonObject = {"tool": draft.tool}
        note = draft.note
        if draft.control is not None:
            best, second = self._selectors(draft, draft.control)
            if draft.menus:
                best, second = best.model_copy(update={"within": [*draft.menus], "nth": None}), None
            step["on"] = _written(best)
            if second is not None:
                step["or"] = _written(second)
            note = note or brittle(best)
        if draft.args:
            step["args"] = draft.args
        if note:
            yield f"    # brittle: {note}"
        yield f"    - {_flow(step)}"

    def _selectors(self, draft: Draft, control: TargetInfo) -> tuple[Selector, Selector | None]:
        seen = Seen(draft.window, draft.before.controls(draft.window.handle))
        same = (each for each in seen.controls if each.handle == control.handle and each.type == control.type)
        best, second = selectors_of(next(same, control), seen, self.names)
        return (second, None) if draft.is_renamed and second is not None else (best, second)


def _doubt(number: int, draft: Draft) -> str:
    place = f"step {number} is brittle" if draft.tool else f"not recorded after step {number}"
    return f"{place}: {draft.note}"


def _written(selector: Selector) -> JsonObject:
    written: JsonObject = selector.model_dump(mode="json", exclude_defaults=True)
    return {name: _plain(part) for name, part in written.items()}


def _plain(value: JsonValue) -> JsonValue:
    """A part of a selector without `${…}` to fill in."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return value.replace("${", "$${") if isinstance(value, str) else value


def _flow(value: JsonValue) -> str:
    """A value in one line of YAML."""
    match value:
        case dict():
            return f"{{{', '.join(f'{name}: {_flow(part)}' for name, part in value.items())}}}"
        case list():
            return f"[{', '.join(map(_flow, value))}]"
        case str() if "\n" in value or "\t" in value:
            return json.dumps(value, ensure_ascii=False)
        case _:
            text: str = yaml.safe_dump([value], default_flow_style=True, width=_WIDE, allow_unicode=True)
            return text.strip()[1:-1]
