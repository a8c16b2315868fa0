"""Checks of a machine: whether Windows programs run, and can be read."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from deskhand.desktop.linux.runtime.wine_folder import PYTHON_VERSION, wine_folder
from deskhand.desktop.linux.wine.install import COMPILER
from deskhand.desktop.linux.wine.installation import INSTALL, PACKAGES, find_wine

_COMPILER_PACKAGE: Final = "gcc-mingw-w64-x86-64"


@dataclass(frozen=True, slots=True)
class Check:
    """The state of one part; what brings it, where it is missing: system `packages`, or a command."""

    id: str
    detail: str
    packages: str = ""
    fix: str = ""


def checks() -> Iterator[Check]:
    """Yield the check of programs, and of their menus where there are programs."""
    wine, folder = find_wine(), wine_folder()
    if wine is None:
        yield Check("windows_programs", "Windows programs do not run without Wine", PACKAGES)
        return
    if not folder.python.is_file():
        yield Check("windows_programs", "the windows of Windows programs cannot be read yet", fix=INSTALL)
        return
    yield Check("windows_programs", f"{wine.version() or wine.loader} runs them, Python {PYTHON_VERSION} reads them")
    yield _menus(has_hook=folder.hook.is_file())


def _menus(*, has_hook: bool) -> Check:
    if has_hook:
        return Check("windows_menus", "menus of Windows programs are read with their states")
    detail = "menus of Windows programs are read from their files alone, without states"
    if shutil.which(COMPILER) is None:
        return Check("windows_menus", f"{detail}; then {INSTALL}", _COMPILER_PACKAGE)
    return Check("windows_menus", detail, fix=INSTALL)
