"""The folders of sessions, and how a command finds the one that its user names."""

import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import platformdirs

from deskhand.core.errors import StoreError, UsageError
from deskhand.store.atomic_files import store_error
from deskhand.store.journal import JOURNAL_NAME, JOURNAL_STEM, held, is_journal

_LISTED = 5
_LOG: Final = "log"
"""The folder of a session in that of `--out`."""


def sessions_folder() -> Path:
    """Return the folder of sessions without a given one: `$XDG_STATE_HOME/deskhand/sessions`."""
    return platformdirs.user_state_path("deskhand") / "sessions"


def session_folders() -> list[Path]:
    """The folders in `sessions_folder` that have a journal, the newest id first. Raises: StoreError."""
    parent = sessions_folder()
    try:
        folders = [folder for folder in parent.iterdir() if _has_journal(folder) and not folder.is_symlink()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise store_error("list", parent, error) from error
    return sorted(folders, key=lambda folder: folder.name, reverse=True)


def find_session(name: str) -> Path:
    """The folder of a session: `name` is that folder, the folder given with `--out`, an id, or a part of one.

    Raises: UsageError if there is none, or there are several; StoreError.
    """
    given = Path(name)
    for folder in (given, given / _LOG):
        if name and _has_journal(folder):
            return folder
    if any(map(_was_to_be_a_session, (given, given / _LOG))):
        raise UsageError(f"the session in {name} was interrupted before it began", fix="run its request again")
    if not name or "/" in name or _is_folder(given):
        raise UsageError(
            f"{name or 'the empty name'} has no journal",
            fix="give a session's folder, or an id of deskhand sessions list",
        )
    return _by_id(name)


def folder_named(session_dir: Path) -> Path:
    """The folder that the user knows a session by: that of `--out`, if there was one."""
    return session_dir.parent if session_dir.name == _LOG else session_dir


def remove_session(folder: Path) -> None:
    """Remove the folder of a session with all that is in it; links are removed, not followed. Its journal goes last, so
    that what an error leaves is still a session.

    Raises: StoreError if it is no session's, runs, or cannot be removed; StoreBusy if it runs.
    """
    check_session(folder)
    with held(folder):
        try:
            for path in sorted(folder.iterdir(), key=lambda path: path.name.startswith(JOURNAL_STEM)):
                _remove(path)
            folder.rmdir()
        except OSError as error:
            raise store_error("remove", Path(error.filename or folder), error) from error


def check_session(folder: Path) -> None:
    """Raises: StoreError if the folder is no session's, and would not be removed."""
    if folder.is_symlink() or not is_journal(folder):
        raise StoreError(
            f"{folder} is not a session of Deskhand that can be read; it was left.", fix="Remove it by hand if it is."
        )


def _remove(path: Path) -> None:
    """Raises: OSError."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _by_id(name: str) -> Path:
    """Raises: UsageError, StoreError."""
    folders = session_folders()
    exact = [folder for folder in folders if folder.name == name]
    found = exact or [folder for folder in folders if name in folder.name]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{len(found)} sessions have {name!r} in their ids", fix=f"name one: {_names(found)}")
    known = f"the newest are {_names(folders)}" if folders else "there is none yet"
    raise UsageError(
        f"no session has the id {name!r}",
        fix=f"give the session's folder, or an id of deskhand sessions list; {known}",
    )


def _has_journal(folder: Path) -> bool:
    with suppress(OSError):  # a name too long, or a folder of another user
        return (folder / JOURNAL_NAME).is_file()
    return False


def _was_to_be_a_session(path: Path) -> bool:
    """Return whether a process was killed here right before it made the journal."""
    with suppress(OSError, ValueError):  # a name may have anything
        return any(file.name.startswith(JOURNAL_STEM) for file in path.iterdir())
    return False


def _is_folder(path: Path) -> bool:
    with suppress(OSError):
        return path.is_dir()
    return False


def _names(folders: Iterable[Path]) -> str:
    names = [folder.name for folder in folders]
    return ", ".join(names[:_LISTED]) + (", …" if len(names) > _LISTED else "")
