"""The user's folder with all that Windows programs need beside Wine."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

import platformdirs

FOLDER_VARIABLE: Final = "DESKHAND_WINE"
"""Variable with the path of the folder, for programs on a desktop: their HOME is not the one it was started from."""
PYTHON_VERSION: Final = "3.13.2"
HOOK_SOURCE: Final = Path(__file__).parents[2] / "windows" / "win32" / "hook.c"


@dataclass(frozen=True, slots=True)
class WineFolder:
    """The folder of a user: `python` reads windows from inside Windows, `hook` is the library that reads menus."""

    path: Path

    @property
    def python(self) -> Path:
        return self.path / f"python-{PYTHON_VERSION}" / "python.exe"

    @property
    def hook(self) -> Path:
        """The library of this version of its source: one of another version is not used."""
        return self.path / f"hook-{_digest_of_hook()}.dll"


@cache
def _digest_of_hook() -> str:
    try:
        return sha256(HOOK_SOURCE.read_bytes()).hexdigest()[:12]
    except FileNotFoundError:
        return "unknown"


def wine_folder(environment: Mapping[str, str] = os.environ) -> WineFolder:
    """Return the folder of this user, or the one that the environment names."""
    given = environment.get(FOLDER_VARIABLE)
    return WineFolder(Path(given) if given else platformdirs.user_data_path("deskhand", appauthor=False) / "wine")
