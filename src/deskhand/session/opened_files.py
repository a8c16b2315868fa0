"""The files and applications that a session opens before its agents begin, and the state of the files at the end."""

import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Final, cast

from deskhand.core.document_lock import lock_of
from deskhand.core.errors import DeskhandError, LaunchFailed, StoreError, UsageError
from deskhand.core.events import DocumentLeft, DocumentOpened, ErrorData, ProblemMet
from deskhand.core.file_stamp import digest_of
from deskhand.core.ports import EventSink
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.applications import KnownApplication
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.memory import Documents
from deskhand.session.applications import Opening
from deskhand.store.atomic_files import make_folder

_MOST_FILES: Final = 10_000
_MOST_BYTES: Final = 1 << 30
"""The largest number of entries of a folder that is copied; a larger one can only be opened in its own place."""
_IN_PLACE: Final = "open the folder itself and not a copy, with --in-place"


@dataclass(frozen=True, slots=True)
class DocumentOpener:
    """Opens files and applications on a desktop and reports the files to the journal.

    Files are opened as copies in the folder of `documents`, with `in_place` themselves.
    """

    desktop: Desktop
    events: EventSink
    documents: Documents
    in_place: bool

    async def open_all(self, opening: Opening, *, object_last: bool) -> tuple[TargetInfo, ...]:
        """Open everything and return the new windows; with `object_last` the last file is opened last of all.

        A file that cannot be opened while an earlier one shows a dialog is left to the agents and reported. Raises:
        LaunchFailed, UsageError (a folder that cannot be copied, a locked file in place), DesktopGone.
        """
        files = list(opening.files)
        last = [files.pop()] if object_last and files else []
        opened: list[TargetInfo] = []
        for file, application in files:
            try:
                opened.append(await self.open(file, application))
            except LaunchFailed as error:
                if all(window.type is not Role.DIALOG for window in opened):
                    raise
                self._report(f"opening {file}", error)
        opened += [await self.desktop.launch(each.application) for each in opening.applications]
        opened += [await self.open(file, application) for file, application in last]
        return tuple(opened)

    async def close(self, window: TargetInfo) -> None:
        """Ask a window to close. A window that stays, or cannot be asked, is reported and changes no outcome."""
        try:
            if await self.desktop.ask_to_close(window):
                return
        except DeskhandError as error:
            self._report("closing the object", error)
        else:
            problem = ErrorData(
                type="WindowStays",
                message=f'the window "{window.name}" did not close when it was asked to',
                fix="it may contain unsaved work: check it",
            )
            self.events.emit(ProblemMet(where="closing the object", error=problem))

    async def open_again(self, opened: DocumentOpened, application: KnownApplication) -> None:
        """Open a file that an earlier process of this session had opened, and that no window shows.

        A lock that was left beside the session's own copy is removed. Raises: StoreError (the file is gone), UsageError
        (it is no copy, and is locked), LaunchFailed, DesktopGone.
        """
        file = _left_open(opened)
        window = await self.desktop.launch(application.application, file)
        self.documents.add(Path(opened.path), file, window)

    async def open(self, file: Path, application: KnownApplication) -> TargetInfo:
        """Open a file, by default a copy, and report it. Raises: as `open_all`."""
        self._check_lock(file)
        opened = file if self.in_place else copy_to(file, Path(self.documents.folder))
        document = self.documents.add(file, opened)
        self.events.emit(self.documents.opened(document))
        window = await self.desktop.launch(application.application, opened)
        self.documents.add(file, opened, window)
        return window

    def _check_lock(self, file: Path) -> None:
        """Report that another user has a file open. Raises: UsageError if it would be changed in place."""
        lock = lock_of(file)
        if lock is None:
            return
        message = f"{file.name} is locked: {lock.holder} has it open"
        if self.in_place:
            raise UsageError(message, fix=f"work on a copy, without --in-place, or {lock.fix}")
        fix = "the session works on a copy of the saved file; changes made there since are not in it"
        self.events.emit(
            ProblemMet(where=f"opening {file}", error=ErrorData(type="DocumentLocked", message=message, fix=fix))
        )

    def _report(self, where: str, error: DeskhandError) -> None:
        self.events.emit(ProblemMet(where=where, error=ErrorData.of(error)))


def _left_open(opened: DocumentOpened) -> Path:
    """Return a file that was left open; the lock beside a copy is removed. Raises: StoreError, UsageError."""
    file = Path(opened.copy_path)
    if not file.exists():
        raise StoreError(
            f"The session cannot go on: its document {file} is gone.",
            fix="put the file back there, or run the request again",
        )
    if (lock := lock_of(file)) is not None:
        if opened.path == opened.copy_path:
            raise UsageError(f"{file} is locked: {lock.holder} has it open", fix=lock.fix)
        lock.file.unlink(missing_ok=True)
    return file


def working_folder(session_dir: Path, files: Sequence[Path], *, in_place: bool) -> Path:
    """Return the folder for new files: that of the open documents."""
    return files[0].absolute().parent if in_place and files else session_dir.absolute() / "documents"


@contextmanager
def documents_reported(documents: Documents, events: EventSink) -> Generator[None]:
    """Set the folder for new files; at the end write the state of the user's files to the journal."""
    folder = Path(documents.folder)
    is_ours = not folder.exists()
    make_folder(folder)
    try:
        yield
    finally:
        for document in documents.shown:
            events.emit(
                DocumentLeft(
                    path=document.path,
                    copy_path=document.copy,
                    window=document.window.handle if document.window else "",
                    title=document.window.name if document.window else "",
                    changed=documents.has_changed(document),
                    digest=digest_of(Path(document.copy)) or "",
                )
            )
        if is_ours:
            with suppress(OSError):  # it is not empty
                folder.rmdir()


def copy_to(file: Path, folder: Path) -> Path:
    """Copy a file, under another name where that name exists already: it may be open. Raises: UsageError."""
    folder.mkdir(parents=True, exist_ok=True)
    names = chain([file.name], (f"{file.stem} ({number}){file.suffix}" for number in count(2)))
    copy = next(folder / name for name in names if not (folder / name).exists())
    if not file.is_dir():
        return Path(shutil.copy2(file, copy))
    _check_size(file)
    try:
        return Path(shutil.copytree(file, copy, symlinks=True))
    except shutil.Error as error:
        [(_, _, told), *_] = cast("list[tuple[str, str, str]]", error.args[0])  # as copytree documents it
        raise UsageError(f"the folder {file} cannot be copied: {told}", fix=_IN_PLACE) from error


def _check_size(folder: Path) -> None:
    """Check the size of a folder. Raises: UsageError where it is too large to be copied for a session."""
    files, size = 0, 0
    for place, _, names in os.walk(folder):
        files += len(names)
        size += sum(Path(place, name).lstat().st_size for name in names)
        if files > _MOST_FILES or size > _MOST_BYTES:
            raise UsageError(
                f"the folder {folder} has more than {_MOST_FILES} files or {_MOST_BYTES >> 20} MiB", fix=_IN_PLACE
            )
