"""Checks before anything starts: the machine, paths and files."""

import os
import shutil
import stat
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from deskhand.core.errors import MissingRequirement, UsageError
from deskhand.desktop.backends import requirements
from deskhand.store.atomic_files import store_error
from deskhand.store.journal import JOURNAL_NAME, is_held, is_strange

REPORT_NAME: Final = "report.html"
LOG_NAME: Final = "log"
"""The folder of the journal, in a folder that was given for a session."""
_LONGEST: Final = 480
"""Bytes; the journal's library takes paths of 512 including the names it appends."""
_LONGEST_NAME: Final = 255


def check_machine(*, office: bool = True) -> None:
    """Raises: MissingRequirement for the first requirement of a private desktop that this machine lacks.

    `office`: LibreOffice is required too.
    """
    for requirement in requirements():
        if requirement.required and not requirement.ok and (office or not requirement.id.startswith("libreoffice")):
            raise MissingRequirement(requirement.detail, fix=requirement.fix)


def check_path(path: Path, *, option: str) -> None:
    """Raises: UsageError for a path that is too long, or that a report cannot print."""
    if len(os.fsencode(path)) > _LONGEST or any(len(os.fsencode(part)) > _LONGEST_NAME for part in path.parts):
        raise UsageError(f"the path {path} is too long", fix=f"give a shorter one with {option}")
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the path {os.fsencode(path)!r} is not valid text (UTF-8)", fix=f"rename it, or give another {option}"
        ) from error


def readable_file(path: Path, *, option: str = "--file", folders: bool = False) -> Path:
    """The absolute path. Raises: UsageError if it is not a readable file or, with `folders`, a readable folder.

    A special file is not even opened: a pipe would block until it has a writer.
    """
    check_path(path, option=option)
    try:
        if stat.S_ISDIR(kind := path.stat().st_mode):
            if folders:
                with os.scandir(path):
                    return path.absolute()
            problem = "it is a folder"
        elif not stat.S_ISREG(kind):
            problem = "it is a pipe or a device, not a file"
        else:
            with path.open("rb"):
                return path.absolute()
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror or error}", fix="give the path of a readable file"
        ) from error
    raise UsageError(f"cannot read {path}: {problem}", fix="give the path of a readable file")


def is_within(path: Path, folder: Path) -> bool:
    """True if a path leads to a folder or into it, through any links and `..`."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def check_folder(out: Path, outputs: Sequence[Path], *, inputs: Sequence[Path], force: bool) -> None:
    """Raises: as `make_room`, without removing anything."""
    try:
        _check_folder(out, outputs, inputs, force=force)
    except OSError as error:
        raise store_error("read", out, error) from error


def clear_folder(out: Path, outputs: Sequence[Path], *, inputs: Sequence[Path], force: bool) -> None:
    """With `force`, remove the `outputs` and the log of an earlier run; its report is overwritten later.

    `kept` are files the run needs; none of them is removed.
    Raises: UsageError without `force`, if a session still runs there, if something else is in the way, or if nothing
    can be written there; StoreError if something cannot be removed.
    """
    check_folder(out, outputs, inputs=inputs, force=force)
    for output in outputs:
        _remove(output, partial(Path.unlink, missing_ok=True))
    log = out / LOG_NAME
    if (log / JOURNAL_NAME).exists():
        _remove(log, shutil.rmtree)


def _check_folder(out: Path, outputs: Sequence[Path], inputs: Sequence[Path], *, force: bool) -> None:
    log, page = out / LOG_NAME, out / REPORT_NAME
    check_path(log / JOURNAL_NAME, option="--out")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is not a folder", fix="give a folder with --out")
    if is_held(log):
        raise UsageError(f"another session is running in {out}", fix="wait until it has ended, or give another --out")
    folder = next((path for path in outputs if path.is_dir()), None)
    if folder is not None:
        raise UsageError(f"{folder} is a folder", fix="give another folder with --out, or move this one")
    if is_strange(log):
        raise UsageError(
            f"{log} exists and is not a session's log", fix="give another folder with --out, or move this one"
        )
    if (written_over := next((path for path in inputs if is_within(path, page)), None)) is not None:
        raise UsageError(f"{written_over} is the file of the report", fix="name another file, or give another --out")
    left = [path for path in (*outputs, log / JOURNAL_NAME, page) if path.exists()]
    if left and not force:
        raise UsageError(
            f"{left[0]} exists already", fix="give another folder with --out, or --force to replace its files"
        )
    if left:
        _check_log(log, inputs)


def _check_log(log: Path, inputs: Sequence[Path]) -> None:
    """Raises: UsageError if a log that is to be replaced cannot be, or contains a file the run needs."""
    if log.is_symlink():
        raise UsageError(f"{log} is a symbolic link", fix="give another folder with --out, or remove the link")
    inside = next((path for path in inputs if is_within(path, log)), None)
    if inside is not None:
        raise UsageError(
            f"{inside} is in the log of an earlier run, which is to be replaced",
            fix="give another folder with --out, or move that file",
        )


def _remove(path: Path, remove: Callable[[Path], None]) -> None:
    try:
        remove(path)
    except OSError as error:
        raise store_error("remove", path, error) from error
