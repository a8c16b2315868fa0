"""Launches of Windows programs: which commands are such, and the command that runs one."""

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from deskhand.desktop.applications import WITH_CORE
from deskhand.desktop.freedesktop.command_line import without_env
from deskhand.desktop.linux.runtime.wine_folder import FOLDER_VARIABLE, wine_folder
from deskhand.desktop.linux.wine.installation import need_python, need_wine
from deskhand.desktop.program_names import is_windows_program
from deskhand.desktop.protocols.windows import Application

_RUN: Final = (sys.executable, "-P", "-m", "deskhand.desktop.linux.wine.run")

_WINDOWS: Final = b"MZ"
"""First bytes of a program of Windows."""


def under_wine(application: Application) -> Application:
    """Return an application as it is started on Linux: where its program is one of Windows, by Wine.

    Raises: MissingRequirement for such a program where Wine, or the Python that reads its windows, is missing.
    """
    at = _program_at(application.argv)
    if at is None:
        return application
    need_wine()
    folder = wine_folder()
    need_python(folder)
    ours = {FOLDER_VARIABLE: str(folder.path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return replace(
        application,
        argv=_run(application.argv),
        argv_with_file=_run(application.argv_with_file),
        environment={**ours, **application.environment},
    )


def _run(argv: Sequence[str]) -> tuple[str, ...]:
    at = _program_at(argv)
    return tuple(argv) if at is None else (*argv[:at], *_RUN, *argv[at:])


def _program_at(argv: Sequence[str]) -> int | None:
    """Return the index of the program in a command if it is one of Windows, not of Linux in spite of its name."""
    begin = len(WITH_CORE) if tuple(argv[: len(WITH_CORE)]) == WITH_CORE else 0
    words = without_env(argv[begin:])
    at = len(argv) - len(words)
    return at if words and is_windows_program(words[0]) and not _is_of_linux(words[0]) else None


def _is_of_linux(program: str) -> bool:
    """True for a file that Linux executes itself, by its path or on PATH."""
    found = shutil.which(program)
    if found is None:
        return False
    with Path(found).open("rb") as file:
        return file.read(len(_WINDOWS)) != _WINDOWS
