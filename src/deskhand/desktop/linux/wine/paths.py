"""Paths of files as Windows programs and as Linux name them, by the drives of a prefix."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

WINDOWS_PATH: Final = re.compile(r"[A-Za-z]:[\\/]|.*\\")
_SYSTEM: Final = ("drive_c/windows/system32", "drive_c/windows")
_INSTALLED: Final = ("drive_c/Program Files", "drive_c/Program Files (x86)")


def windows_path(file: Path, prefix: Path) -> str | None:
    """Return the path of an absolute `file` for Windows programs, on the drive that is nearest; None on no drive."""
    drives = [(folder, letter) for letter, folder in _drives(prefix) if file.is_relative_to(folder)]
    if not drives:
        return None
    folder, letter = max(drives, key=lambda drive: len(drive[0].parts))
    return f"{letter.upper()}\\" + "\\".join(file.relative_to(folder).parts)


def linux_path(name: str, prefix: Path) -> Path | None:
    """Return the file of an absolute Windows path; None where there is none."""
    letter, *parts = re.split(r"[\\/]+", name)
    found = dict(_drives(prefix)).get(letter.lower())
    for part in filter(None, parts):
        found = None if found is None else _entry(found, part)
    return found


def program_file(name: str, prefix: Path) -> Path | None:
    """Return the absolute file of a program; None where there is none.

    `name`: a path of Windows or of Linux, or a name in the present folder, a folder of the system, or Program Files.
    """
    if WINDOWS_PATH.match(name):
        return linux_path(name, prefix)
    if (file := Path(name)).is_file():
        return file.absolute()
    if "/" in name:
        return None
    found = next(filter(None, (_entry(prefix / folder, name) for folder in _SYSTEM)), None)
    return found or next(_below([prefix / folder for folder in _INSTALLED], name), None)


def _below(folders: Iterable[Path], name: str) -> Iterator[Path]:
    for top in folders:
        for folder, _, files in os.walk(top):
            yield from (Path(folder, file) for file in files if file.lower() == name.lower())


def _drives(prefix: Path) -> Iterator[tuple[str, Path]]:
    """Yield the letter of each drive, with its colon, and its folder."""
    for link in (prefix / "dosdevices").glob("?:"):
        yield link.name.lower(), Path(os.path.realpath(link))


def _entry(folder: Path, name: str) -> Path | None:
    """Return the entry of a folder of this name, in any case."""
    if (exact := folder / name).exists():
        return exact
    try:
        return next((entry for entry in folder.iterdir() if entry.name.lower() == name.lower()), None)
    except OSError:
        return None
