"""What is checked before anything starts."""

import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deskhand.core.errors import MissingRequirement, UsageError
from deskhand.desktop.registry import requirements
from deskhand.store.journal import JOURNAL_NAME, is_held

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


def readable_file(path: Path, *, option: str = "--file") -> Path:
    """The path made absolute. Raises: UsageError where it is no file that can be read.

    What is no ordinary file is not even opened: a pipe would keep us waiting for its writer.
    """
    check_path(path, option=option)
    try:
        if stat.S_ISDIR(kind := path.stat().st_mode):
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


def make_room(out: Path, outputs: Sequence[Path], *, force: bool) -> None:
    """Removes what an earlier run left, where `force` says so.

    Raises: UsageError where it is off, where a session still runs there, or where nothing can be put there.
    """
    log = out / "log"
    check_path(log / JOURNAL_NAME, option="--out")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is no folder", fix="give a folder with --out")
    if is_held(log):
        raise UsageError(f"another session is running in {out}", fix="wait until it has ended, or give another --out")
    left = [path for path in (*outputs, log / JOURNAL_NAME) if path.exists()]
    if not left:
        return
    if not force:
        raise UsageError(
            f"{left[0]} is already there", fix="give another folder with --out, or --force to replace what is there"
        )
    for output in outputs:
        output.unlink(missing_ok=True)
    shutil.rmtree(log, ignore_errors=True)
