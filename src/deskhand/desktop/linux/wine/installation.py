"""Wine on this machine, and the user's folder with all that Windows programs need beside it."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.core.errors import MissingRequirement
from deskhand.desktop.linux.runtime.wine_folder import WineFolder

INSTALL: Final = "deskhand wine install"
PACKAGES: Final = "wine64 wine fonts-wine"
_LOADER: Final = "/usr/lib/wine/wine64"
"""Place of the loader on Debian, where the command `wine` is a script that may choose another one."""
_LIBRARIES: Final = ("/usr/lib/x86_64-linux-gnu/wine/x86_64-windows",)
_BESIDE_LOADER: Final = ("lib64/wine/x86_64-windows", "lib/wine/x86_64-windows")
_OPTIONS: Final[Mapping[str, str]] = {
    "WINEARCH": "win64",
    "WINEDEBUG": "-all",
    "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe,winedbg.exe=",
}
"""No question about Mono and Gecko, no desktop entries in HOME, and no debugger that waits for a user after a crash."""
_VERSION_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Wine:
    """The programs `loader` and `server`, and the folder of Windows' own `libraries`."""

    loader: Path
    server: Path
    libraries: Path

    @property
    def identity(self) -> str:
        """A digest that changes with an update of Wine."""
        stats = [path.stat() for path in (self.loader, self.server, self.libraries / "kernel32.dll")]
        facts = [(str(self.libraries), *((stat.st_size, stat.st_mtime_ns) for stat in stats))]
        return hashlib.sha256(repr(facts).encode()).hexdigest()[:12]

    def version(self) -> str:
        """Ask Wine for its version; empty where it does not answer. Blocking: 10 ms."""
        try:
            asked = subprocess.run(
                (self.loader, "--version"), capture_output=True, text=True, check=False, timeout=_VERSION_S
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return asked.stdout.strip()


def find_wine(search_path: str | None = None) -> Wine | None:
    """Return the Wine of this machine that runs 64-bit programs. `search_path`: of programs, by default `$PATH`."""
    return next(_found(search_path), None)


def need_wine() -> Wine:
    """Return the Wine of this machine. Raises: MissingRequirement."""
    wine = find_wine()
    if wine is None:
        sudo = "" if os.geteuid() == 0 else "sudo "
        apt = f"{sudo}apt-get install --yes --no-install-recommends {PACKAGES}"
        raise MissingRequirement("a Windows program needs Wine, which is not installed", fix=f"{apt}; then {INSTALL}")
    return wine


def need_python(folder: WineFolder) -> None:
    """Raises: MissingRequirement where the Python that reads windows is missing."""
    if not folder.python.is_file():
        raise MissingRequirement("the Python that reads the windows of Windows programs is not installed", fix=INSTALL)


def wine_environment(prefix: Path, given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of programs in a prefix, with the usual options but those that are `given`."""
    left = {name: value for name, value in given.items() if name != "PYTHONPATH"}  # its folders are none of Windows
    return {**_OPTIONS, **left, "WINEPREFIX": str(prefix)}


def _found(search_path: str | None) -> Iterator[Wine]:
    on_path = [shutil.which(name, path=search_path) for name in ("wine64", "wine")]
    debian = _LOADER if search_path is None else None
    for loader in map(Path, filter(None, (debian, *on_path))):
        servers = (loader.with_name("wineserver64"), loader.with_name("wineserver"))
        libraries = (*map(Path, _LIBRARIES), *(loader.resolve().parents[1] / folder for folder in _BESIDE_LOADER))
        server = next((path for path in servers if os.access(path, os.X_OK)), None)
        library = next((path for path in libraries if (path / "kernel32.dll").is_file()), None)
        if server and library and os.access(loader, os.X_OK):
            yield Wine(loader, server, library)
