"""The user's files that a session has open, and the windows that show them."""

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
    """The user's files of one session. `folder`: where new files go; empty where the session has none of its own.

    `shown` has them with their windows as of the last `update`.
    """

    def __init__(self, folder: str = "") -> None:
        self.folder = folder
        self._entries: list[_Entry] = []

    @property
    def shown(self) -> tuple[Document, ...]:
        return tuple(entry.document for entry in self._entries)

    def add(self, path: Path, copy: Path, window: TargetInfo | None = None) -> Document:
        """Keeps a file that is about to be opened, or that `window` shows; one that is kept already gets the window."""
        named = str(copy.absolute())
        known = next((entry for entry in self._entries if entry.document.copy == named), None)
        if known is None:
            known = _Entry(Document(str(path.absolute()), named, window), in_title(copy.name), stamp_of(copy))
            self._entries.append(known)
        elif window is not None:
            known.document = Document(known.document.path, named, window)
        return known.document

    def update(self, windows: Sequence[TargetInfo]) -> None:
        """Finds the window of each file again: of those that are open, the one whose title names it, else its own."""
        for entry in self._entries:
            document = entry.document
            own = document.window and next((each for each in windows if same_window(each, document.window)), None)
            named = [window for window in windows if entry.name.search(window.name)]
            if own is None or (named and own not in named):
                own = named[0] if len(named) == 1 else None
            entry.document = Document(document.path, document.copy, own)

    def follow(self, gone: TargetInfo, window: TargetInfo) -> None:
        """Gives what a window showed to the one that came in its place."""
        for entry in self._entries:
            shown = entry.document.window
            if shown is not None and same_window(shown, gone):
                entry.document = Document(entry.document.path, entry.document.copy, window)

    def has_changed(self, document: Document) -> bool | None:
        """Whether the open file was written since it was kept; None where it cannot be looked at, now or then, and of a
        folder, which does not show what is in its files.
        """
        entry = next(entry for entry in self._entries if entry.document.copy == document.copy)
        now = stamp_of(Path(document.copy))
        return None if now is None or entry.stamp is None else now != entry.stamp
