"""The user's files that a session has open, and their windows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from re import Pattern

from deskhand.core.file_stamp import Stamp, stamp_of
from deskhand.core.model import Document
from deskhand.core.patterns import in_title
from deskhand.core.target import TargetInfo, same_window


@dataclass(slots=True)
class _Entry:
    document: Document
    name: Pattern[str]
    stamp: Stamp | None


class Documents:
    """The user's files of one session. `folder`: the place of new files; empty where the session has no folder.

    `shown` has the files with their windows as of the last `update`.
    """

    def __init__(self, folder: str = "") -> None:
        self.folder = folder
        self._entries: list[_Entry] = []

    @property
    def shown(self) -> tuple[Document, ...]:
        return tuple(entry.document for entry in self._entries)

    def add(self, path: Path, copy: Path, window: TargetInfo | None = None) -> Document:
        """Add a file that is about to be opened, or that `window` shows; an earlier entry gets the window."""
        named = str(copy.absolute())
        known = next((entry for entry in self._entries if entry.document.copy == named), None)
        if known is None:
            known = _Entry(Document(str(path.absolute()), named, window), in_title(copy.name), stamp_of(copy))
            self._entries.append(known)
        elif window is not None:
            known.document = Document(known.document.path, named, window)
        return known.document

    def update(self, windows: Sequence[TargetInfo]) -> None:
        """Find the window of each file again: the open one whose title names the file, otherwise its own."""
        for entry in self._entries:
            document = entry.document
            own = document.window and next((each for each in windows if same_window(each, document.window)), None)
            named = [window for window in windows if entry.name.search(window.name)]
            if own is None or (named and own not in named):
                own = named[0] if len(named) == 1 else None
            entry.document = Document(document.path, document.copy, own)

    def follow(self, gone: TargetInfo, window: TargetInfo) -> None:
        """Move the files of a window to the one that replaced it."""
        for entry in self._entries:
            shown = entry.document.window
            if shown is not None and same_window(shown, gone):
                entry.document = Document(entry.document.path, entry.document.copy, window)

    def has_changed(self, document: Document) -> bool | None:
        """Return whether the open file was written since it was added; None where it could not be read, then or now,
        and for a folder, whose stamp does not cover its files.
        """
        entry = next(entry for entry in self._entries if entry.document.copy == document.copy)
        now = stamp_of(Path(document.copy))
        return None if now is None or entry.stamp is None else now != entry.stamp
