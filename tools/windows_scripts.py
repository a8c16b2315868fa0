"""Commands of fixture applications that run in the user's Python of Windows."""

import sys
from pathlib import Path
from typing import Final

from deskhand.desktop.linux.runtime.wine_folder import FOLDER_VARIABLE, wine_folder

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = wine_folder()
"""Of the user; read before a test has a home of its own."""

_PIPED: Final = (
    "bash",
    "-c",
    '[ ! -p "${@: -1}" ] || exec < <(exec cat <>"${@: -1}"); exec "$0" "$@"',
)
"""In Wine 8 Python of Windows finds nothing in a named pipe: one that is the last argument becomes its input."""


def windows_script(name: str) -> tuple[str, ...]:
    """Return the command of `tests/apps/NAME` in Python of Windows, but for its arguments."""
    found = ("env", f"{FOLDER_VARIABLE}={FOLDER.path}", f"PYTHONPATH={ROOT / 'src'}")
    run = (sys.executable, "-P", "-m", "deskhand.desktop.linux.wine.run")
    return (*found, *_PIPED, *run, str(FOLDER.python.with_name("pythonw.exe")), str(ROOT / "tests/apps" / name))
