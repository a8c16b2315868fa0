"""Wine for tests: the folder of the user who runs them, with what `make test` installs there."""

import platform
from pathlib import Path

import pytest

from deskhand.desktop.linux.runtime.wine_folder import FOLDER_VARIABLE, wine_folder
from deskhand.desktop.linux.wine.installation import Wine, find_wine
from support import need

LOADER = Path("/usr/lib/wine/wine64")
FOLDER = wine_folder()
"""Read before a test has a home of its own."""


def need_wine() -> Wine:
    """Return Wine; skips where programs of Windows cannot run."""
    if platform.machine() != "x86_64":
        pytest.skip(f"not run: programs of Windows for x86-64 do not run on {platform.machine()}")
    wine = find_wine()
    need(LOADER, FOLDER.python)
    assert wine is not None
    return wine


def use_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test launch programs of Windows with what is installed."""
    need_wine()
    monkeypatch.setenv(FOLDER_VARIABLE, str(FOLDER.path))
