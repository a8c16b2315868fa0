"""What is checked before anything starts."""

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
_LONGEST: Final = 480
"""Bytes; the journal's library takes paths of 512 with the names that it appends."""
_LONGEST_NAME: Final = 255


def check_machine(*, office: bool = True) -> None:
    """Raises: MissingRequirement for the first thing that a private desktop needs and this machine lacks.

    `office`: LibreOffice is needed too.
    """
    for requirement in requirements():
        if requirement.required and not requirement.ok and (office or not requirement.id.startswith("libreoffice")):
            raise MissingRequirement(requirement.detail, fix=requirement.fix)


def check_path(path: Path, *, option: str) -> None:
    """Raises: UsageError for a path that cannot be, or that no report could tell."""
    if len(os.fsencode(path)) > _LONGEST or any(len(os.fsencode(part)) > _LONGEST_NAME for part in path.parts):
        raise UsageError(f"the path {path} is too long", fix=f"give a shorter one with {option}")
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the path {os.fsencode(path)!r} is no valid text (UTF-8)", fix=f"rename it, or give another {option}"
        ) from error


def readable_file(path: Path, *, option: str = "--file", folders: bool = False) -> Path:
    """The path made absolute. Raises: UsageError where it is no file that can be read, nor, with `folders`, a folder.

    What is no ordinary file is not even opened: a pipe would keep us waiting for its writer.
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


def lies_in(path: Path, folder: Path) -> bool:
    """Whether a path leads into a folder, or to it, by whatever links and `..` it goes."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def check_room(out: Path, outputs: Sequence[Path], *, kept: Sequence[Path], force: bool) -> None:
    """What `make_room` raises, before it removes anything."""
    try:
        _check_room(out, outputs, kept, force=force)
    except OSError as error:
        raise store_error("look into", out, error) from error


def make_room(out: Path, outputs: Sequence[Path], *, kept: Sequence[Path], force: bool) -> None:
    """Removes what an earlier run left, where `force` says so: its `outputs` and its log; its page is written over.

    `kept` is what the run is told of: none of it may go.
    Raises: UsageError where `force` is off, where a session still runs there, where something else is in the way, or
    where nothing can be put there; StoreError where something cannot be removed.
    """
    check_room(out, outputs, kept=kept, force=force)
    for output in outputs:
        _remove(output, partial(Path.unlink, missing_ok=True))
    log = out / "log"
    if (log / JOURNAL_NAME).exists():
        _remove(log, shutil.rmtree)


def _check_room(out: Path, outputs: Sequence[Path], kept: Sequence[Path], *, force: bool) -> None:
    log, page = out / "log", out / REPORT_NAME
    check_path(log / JOURNAL_NAME, option="--out")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is no folder", fix="give a folder with --out")
    if is_held(log):
        raise UsageError(f"another session is running in {out}", fix="wait until it has ended, or give another --out")
    folder = next((path for path in outputs if path.is_dir()), None)
    if folder is not None:
        raise UsageError(f"{folder} is a folder", fix="give another folder with --out, or move what is there")
    if is_strange(log):
        raise UsageError(
            f"{log} is there and no session's", fix="give another folder with --out, or move what is there"
        )
    if (written_over := next((path for path in kept if lies_in(path, page)), None)) is not None:
        raise UsageError(f"{written_over} is where the report goes", fix="name another file, or give another --out")
    left = [path for path in (*outputs, log / JOURNAL_NAME, page) if path.exists()]
    if left and not force:
        raise UsageError(
            f"{left[0]} is already there", fix="give another folder with --out, or --force to replace what is there"
        )
    if left:
        _check_log(log, kept)


def _check_log(log: Path, kept: Sequence[Path]) -> None:
    """Raises: UsageError where a log that is to be replaced cannot be, or holds what is kept."""
    if log.is_symlink():
        raise UsageError(f"{log} is a link", fix="give another folder with --out, or remove the link")
    inside = next((path for path in kept if lies_in(path, log)), None)
    if inside is not None:
        raise UsageError(
            f"{inside} lies in the log of an earlier run, which is to be replaced",
            fix="give another folder with --out, or move that file",
        )


def _remove(path: Path, remove: Callable[[Path], None]) -> None:
    try:
        remove(path)
    except OSError as error:
        raise store_error("remove", path, error) from error
