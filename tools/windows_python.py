"""Make a Python of Windows with the requirements of Deskhand, in `.tools/windows-python`, that Wine runs.

`python -m tools.windows_python`. It has pytest too; Deskhand itself is read from this checkout. What is there for the
same requirements is left alone.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from deskhand.desktop.linux.runtime.wine_folder import PYTHON_VERSION, WineFolder, wine_folder
from tools.bootstrap import UV_ENVIRONMENT

ROOT: Final = Path(__file__).resolve().parent.parent
HOME: Final = ROOT / ".tools" / "windows-python"
PROGRAM: Final = HOME / "cp313" / "python.exe"
_STAMP: Final = HOME / ".deskhand-stamp"
_COMPILER: Final = "x86_64-w64-mingw32-gcc"
_RANDOM: Final = """#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE out, SIZE_T size) { return RtlGenRandom(out, (ULONG)size); }
"""
"""Source of bcryptprimitives.dll, which Windows has and Wine 8 lacks; extension modules written in Rust need it."""


def main() -> int:
    """Make it, unless it is there. Return the exit code."""
    folder = wine_folder()
    if not folder.python.is_file() or not folder.hook.is_file():
        sys.exit("the Python of Windows, or the hook for menus, is missing; `deskhand wine install` brings them")
    wanted = _fingerprint(folder.hook)
    if not _STAMP.is_file() or _STAMP.read_text() != wanted:
        _make(folder)
        _STAMP.write_text(wanted)
    return 0


def _fingerprint(hook: Path) -> str:
    """A digest of everything that determines it."""
    digest = hashlib.sha256(f"{ROOT}\0{PYTHON_VERSION}\0".encode())
    for file in (ROOT / "requirements.lock", ROOT / "pyproject.toml", Path(__file__), hook):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _make(folder: WineFolder) -> None:
    uv = _found("uv", ROOT / ".tools" / "uv" / "bin" / "uv")
    shutil.rmtree(HOME, ignore_errors=True)
    shutil.copytree(folder.python.parent, PROGRAM.parent)
    shutil.copy(folder.hook, HOME / "hook.dll")
    wheels = ("--python-platform", "windows", "--python-version", "3.13", "--only-binary", ":all:")
    locked = ("-c", str(ROOT / "requirements.lock"), "-r", str(ROOT / "pyproject.toml"), "pytest")
    install = (uv, "pip", "install", "-q", "--target", str(HOME / "site"))
    _run(*install, *wheels, *locked)
    _run(*install, "--no-deps", *wheels[:4], str(ROOT))  # for its version; its code is read from src
    for library in (HOME / "site" / "pywin32_system32").glob("*.dll"):
        shutil.copy(library, HOME / "site" / "win32")
    _write_path()
    _build(PROGRAM.parent / "bcryptprimitives.dll", _RANDOM, "-ladvapi32")


def _write_path() -> None:
    """Write the search path of the interpreter, which looks nowhere else."""
    site = HOME / "site"
    folders = (ROOT / "src", ROOT / "tests", site, site / "win32", site / "win32" / "lib")
    drive = (f"Z:{folder}".replace("/", "\\") for folder in folders)  # the drive on which Wine has the root
    (PROGRAM.parent / "python313._pth").write_text("\n".join(["python313.zip", ".", *drive, ""]))


def _build(library: Path, source: str, *libraries: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "library.c")
        file.write_text(source)
        _run(_found(_COMPILER), "-O2", "-s", "-shared", "-o", str(library), str(file), *libraries)


def _found(program: str, *places: Path) -> str:
    found = next((str(place) for place in places if place.is_file()), shutil.which(program))
    if found is None:
        sys.exit(f"{program} is missing")
    return found


def _run(*command: str) -> None:
    subprocess.run(command, check=True, env={**os.environ, **UV_ENVIRONMENT})


if __name__ == "__main__":
    sys.exit(main())
