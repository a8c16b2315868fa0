"""Names of windows and controls in a form that finds them again beside another document.

A title such as "report.odt - LibreOffice Writer" holds the name of a document; a playbook names the program alone, as
`/LibreOffice Writer$/`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from deskhand.core.events import (
    ActionFinished,
    DocumentLeft,
    DocumentOpened,
    Event,
    OutputWritten,
    SubtaskAssigned,
    WindowChosen,
    WindowFollowed,
)
from deskhand.core.patterns import literal_name, matches_name
from deskhand.core.target import UNSAVED_MARKS, comparable_name

_BETWEEN: Final = re.compile(r"\s+[-\u2013\u2014|\u00b7]\s+|:\s+")
"""Separators of the parts of a title."""
_EDGE: Final = f" \t-\u2013\u2014|\u00b7:{UNSAVED_MARKS}"
_SPECIAL: Final = re.compile(r"([.^$*+?{}\[\]\\|()])")
_SHORTEST: Final = 3
"""Letters of a word that can identify a program."""


@dataclass(frozen=True, slots=True)
class StableNames:
    """The names of a session's documents, and the titles of each of its windows with the application's name."""

    documents: tuple[str, ...] = ()
    titles: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    applications: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, events: Iterable[Event]) -> "StableNames":
        """The names that occur in a session."""
        names = cls()
        documents: set[str] = set()
        for event in events:
            documents.update(Path(path).name for path in _paths(event))
            names._take(event)
        return cls(tuple(sorted(documents - {""}, key=len, reverse=True)), names.titles, names.applications)

    def _take(self, event: Event) -> None:
        match event:
            case WindowChosen() | SubtaskAssigned() if not event.is_agent:
                self.titles.setdefault(event.handle, set()).add(event.window)
                self.applications[event.window] = event.application
            case WindowFollowed():
                self.titles.setdefault(event.handle, set()).add(event.window)
            case DocumentLeft() if event.window:
                self.titles.setdefault(event.window, set()).add(event.title)
            case _:
                pass

    def wanted(self, name: str) -> str:
        """A control's name as a selector has it: without a document's name in it; empty if nothing else is left."""
        name = comparable_name(name)
        document = next((each for each in self.documents if each in name), None)
        if document is None:
            return literal_name(name)
        before, _, after = name.partition(document)
        before, after = before.strip(_EDGE + "([\u201c\"'"), after.strip(_EDGE + ")]\u201d\"'")
        if not before and not after:
            return ""
        return f"/{_escaped(after)}$/" if len(after) >= len(before) else f"/^{_escaped(before)}/"

    def wanted_title(self, title: str) -> str:
        """A window's title as a selector has it: the program's part, where it has one and no other window has it."""
        name = comparable_name(title)
        parts = _BETWEEN.split(name)
        last = parts[-1].strip(f" {UNSAVED_MARKS}")
        held = [document for document in self.documents if document in name]
        if len(parts) > 1 and last and (held or self._names_program(title, last)) and not any(d in last for d in held):
            return self._unless_of_another(f"/{_escaped(last)}{'$' if name.endswith(last) else ''}/", title)
        return self._unless_of_another(self.wanted(title), title)

    def _names_program(self, title: str, part: str) -> bool:
        words = {word for word in re.findall(r"\w+", part.casefold()) if len(word) >= _SHORTEST}
        return bool(words & {*re.findall(r"[^\W_]+", self.applications.get(title, "").casefold())})

    def _unless_of_another(self, wanted: str, title: str) -> str:
        """The wanted title, or the exact one if another window of the session matches it."""
        others = (each for titles in self.titles.values() if title not in titles for each in titles)
        if not wanted or any(matches_name(wanted, other) for other in others):
            return literal_name(title)
        return wanted


def _paths(event: Event) -> Iterator[str]:
    """The documents that an event names."""
    match event:
        case DocumentOpened() | DocumentLeft():
            yield from (event.path, event.copy_path)
        case OutputWritten():
            yield event.path
        case ActionFinished():
            yield from (path for path in map(event.arguments.get, ("path", "file")) if isinstance(path, str) and path)
        case _:
            pass


def _escaped(text: str) -> str:
    """A text in a regular expression; `re.escape` would escape blanks too."""
    return _SPECIAL.sub(r"\\\1", text)
