"""What is checked before anything starts."""

import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from deskhand.core.errors import MissingRequirement, UsageError
from deskhand.desktop.registry import requirements
from deskhand.store.journal import JOURNAL_NAME


def check_machine(*, office: bool = True) -> None:
    """Raises: MissingRequirement for the first thing that a private desktop needs and this machine lacks.

    `office`: LibreOffice is needed too.
    """
    for requirement in requirements():
        if requirement.required and not requirement.ok and (office or not requirement.id.startswith("libreoffice")):
            raise MissingRequirement(requirement.detail, fix=requirement.fix)


def readable_file(path: Path) -> Path:
    """The path made absolute. Raises: UsageError where it is no file that can be read.

    What is no ordinary file is not even opened: a pipe would keep us waiting for its writer.
    """
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
    """Removes what an earlier run left, where `force` says so. Raises: UsageError where it is off."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is no folder", fix="give a folder with --out")
    log = out / "log"
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
