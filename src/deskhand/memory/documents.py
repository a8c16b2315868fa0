"""The user's files that a session has open, and their windows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from re import Pattern

from deskhand.core.events import DocumentOpened
from deskhand.core.file_stamp import Stamp, digest_of, stamp_of, stamps_of
from deskhand.core.model import Document
from deskhand.core.patterns import in_title
from deskhand.core.target import TargetInfo, same_window


@dataclass(slots=True)
class _Entry:
    document: Document
    name: Pattern[str]
    stamp: Stamp | None
    digest: str | None


def _unknown(window: TargetInfo) -> Path | None:  # noqa: ARG001 - a session without a desktop
    return None


class Documents:
    """The user's files of one session. `folder`: the place of new files; empty where the session has no folder.

    `shown` has the files with their windows as of the last `update`; `file_of` is the file that a window certainly
    shows.
    """

    def __init__(self, folder: str = "", file_of: Callable[[TargetInfo], Path | None] = _unknown) -> None:
        self.folder = folder
        self._file_of = file_of
        self._entries: list[_Entry] = []

    @property
    def shown(self) -> tuple[Document, ...]:
        return tuple(entry.document for entry in self._entries)

    def add(self, path: Path, copy: Path, window: TargetInfo | None = None) -> Document:
        """Add a file that is about to be opened, or that `window` shows; an earlier entry gets the window."""
        named = str(copy.absolute())
        known = next((entry for entry in self._entries if entry.document.copy == named), None)
        if known is None:
            document = Document(str(path.absolute()), named, window)
            known = _Entry(document, in_title(copy.name), stamp_of(copy), digest_of(copy))
            self._entries.append(known)
        elif window is not None:
            known.document = Document(known.document.path, named, window)
        return known.document

    def opened(self, document: Document) -> DocumentOpened:
        """Return the event of a file that was added, with its state at that time."""
        entry = next(entry for entry in self._entries if entry.document.copy == document.copy)
        stamp = entry.stamp
        return DocumentOpened(
            path=document.path,
            copy_path=document.copy,
            digest=entry.digest or "",
            stamp=stamp.to_list() if stamp else [],
        )

    def add_again(self, opened: DocumentOpened) -> None:
        """Add a file that this session opened in an earlier process, with its state at that time."""
        document = self.add(Path(opened.path), Path(opened.copy_path))
        entry = next(entry for entry in self._entries if entry.document.copy == document.copy)
        entry.stamp = Stamp(*opened.stamp) if opened.stamp else None
        entry.digest = opened.digest or None

    def update(self, windows: Sequence[TargetInfo]) -> None:
        """Find the window of each file again: one that certainly shows it, otherwise the open one whose title names it
        and that does not show another file, otherwise its own.
        """
        files = {window.handle: self._file_of(window) for window in windows}
        for entry in self._entries:
            document = entry.document
            own = document.window and next((each for each in windows if same_window(each, document.window)), None)
            named = [window for window in windows if files[window.handle] == Path(document.copy)]
            others = (window for window in windows if files[window.handle] is None)
            named = named or [window for window in others if entry.name.search(window.name)]
            if own is None or (named and own not in named):
                own = named[0] if len(named) == 1 else None
            entry.document = Document(document.path, document.copy, own)

    def stamps(self) -> dict[str, list[int] | None]:
        """Return the open files as they are now; not a folder, whose stamp does not cover its files."""
        found = stamps_of(entry.document.copy for entry in self._entries)
        return {path: stamp for path, stamp in found.items() if stamp}

    def follow(self, gone: TargetInfo, window: TargetInfo) -> None:
        """Move the files of a window to the one that replaced it."""
        for entry in self._entries:
            shown = entry.document.window
            if shown is not None and same_window(shown, gone):
                entry.document = Document(entry.document.path, entry.document.copy, window)

    def has_changed(self, document: Document) -> bool | None:
        """Return whether the open file has another content than when it was added; None where it could not be read,
        then or now, and for a folder, whose stamp does not cover its files. Of a large file the stamp alone counts.
        """
        entry = next(entry for entry in self._entries if entry.document.copy == document.copy)
        now = stamp_of(Path(document.copy))
        if now is None or entry.stamp is None:
            return None
        return now != entry.stamp and (entry.digest is None or digest_of(Path(document.copy)) != entry.digest)
