"""Wine for tests: the folder of the user who runs them, with what `make test` installs there."""

import platform
import sys
from pathlib import Path

import pytest

from deskhand.desktop.linux.runtime.wine_folder import FOLDER_VARIABLE, wine_folder
from deskhand.desktop.linux.wine.installation import Wine, find_wine
from support import ROOT, need

LOADER = Path("/usr/lib/wine/wine64")
FOLDER = wine_folder()
"""Read before a test has a home of its own."""

NAME = "Win32 under Wine"
"""Of the toolkit, beside the others that a test is for."""
_QUIET = ("/bin/sh", "-c", 'exec "$0" "$@" >/dev/null 2>&1')
"""Python of Windows does not start with a file as its output, in Wine 8."""


def need_wine() -> Wine:
    """Return Wine; skips where programs of Windows cannot run."""
    if platform.machine() != "x86_64":
        pytest.skip(f"not run: programs of Windows for x86-64 do not run on {platform.machine()}")
    wine = find_wine()
    need(LOADER, FOLDER.python)
    assert wine is not None
    return wine


def windows_script(name: str) -> tuple[str, ...]:
    """Return the command of a fixture application `tests/apps/NAME` in Python of Windows, but for its arguments."""
    found = ("env", f"{FOLDER_VARIABLE}={FOLDER.path}", f"PYTHONPATH={ROOT / 'src'}")
    run = (sys.executable, "-P", "-m", "deskhand.desktop.linux.wine.run")
    return (*found, *_QUIET, *run, str(FOLDER.python.with_name("pythonw.exe")), str(ROOT / "tests/apps" / name))


def use_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test launch programs of Windows with what is installed."""
    need_wine()
    monkeypatch.setenv(FOLDER_VARIABLE, str(FOLDER.path))
