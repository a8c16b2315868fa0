"""Programs of Windows in tests: Wine, prefixes and what runs in them, with what `make test` installs for the user."""

import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from deskhand.desktop.linux.runtime.wine_folder import FOLDER_VARIABLE
from deskhand.desktop.linux.wine.installation import Wine, find_wine, wine_environment
from deskhand.desktop.linux.wine.prefix import end_prefix, make_prefix
from support import ROOT, need
from tools.windows_scripts import FOLDER

WIN32: Final = "Win32 under Wine"
"""Name of the toolkit, beside the others that a test is for."""

COMPILER: Final = Path("/usr/bin/x86_64-w64-mingw32-gcc")
_LOADER: Final = Path("/usr/lib/wine/wine64")
_BUILD_S: Final = 60.0
_RUN_S: Final = 60.0
_END_S: Final = 30.0


def need_wine() -> Wine:
    """Return Wine; skips where programs of Windows cannot run."""
    if platform.machine() != "x86_64":
        pytest.skip(f"not run: programs of Windows for x86-64 do not run on {platform.machine()}")
    wine = find_wine()
    need(_LOADER, FOLDER.python)
    assert wine is not None
    return wine


def use_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test launch programs of Windows with what is installed."""
    need_wine()
    monkeypatch.setenv(FOLDER_VARIABLE, str(FOLDER.path))


def build_program(name: str, folder: Path) -> Path:
    """Build `tests/apps/NAME.c` into a folder; return the .exe. Skips the test where the compiler is missing."""
    need(COMPILER)
    program = folder / f"{name}.exe"
    source = str(ROOT / "tests/apps" / f"{name}.c")
    command = [COMPILER, "-O1", "-municode", "-mwindows", "-o", str(program), source, "-lcomctl32", "-lcomdlg32"]
    subprocess.run(command, check=True, timeout=_BUILD_S, capture_output=True)
    return program


@dataclass
class Prefix:
    """A prefix of Wine, and the environment of programs in it. Make one with `new_prefix`, and `end` it."""

    wine: Wine
    path: Path
    environment: Mapping[str, str]
    started: list["subprocess.Popen[bytes]"] = field(default_factory=list["subprocess.Popen[bytes]"])

    def start(self, *words: str, stdin: int = subprocess.DEVNULL, **more: str) -> "subprocess.Popen[bytes]":
        """Start a Windows program, with `more` in its environment."""
        program = subprocess.Popen(
            [self.wine.loader, *words],
            stdin=stdin,
            stdout=subprocess.PIPE,  # Python for Windows does not start with a file there
            stderr=subprocess.DEVNULL,
            env={**self.environment, **more},
        )
        self.started.append(program)
        return program

    def run(self, *words: str) -> str:
        """Run a Windows program to its end; return its output."""
        done = subprocess.run(
            (self.wine.loader, *words),
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=_RUN_S,
        )
        return done.stdout.decode(errors="replace")

    def end(self) -> None:
        """End all of its programs; what they did is in its files then."""
        end_prefix(self.wine, self.environment)
        subprocess.run((self.wine.server, "-w"), env=dict(self.environment), check=False, timeout=_END_S)
        for program in self.started:
            program.wait(_END_S)
            for pipe in (program.stdin, program.stdout):
                if pipe is not None:
                    pipe.close()
        self.started.clear()


def new_prefix(path: Path, environment: Mapping[str, str]) -> Prefix:
    """Make a prefix like that of a desktop; the home of its user is that of the environment. Skips without Wine."""
    wine = need_wine()
    make_prefix(wine, FOLDER, path, Path(environment["HOME"]))
    ours = {name: value for name, value in os.environ.items() if name.startswith("DESKHAND_TEST")}
    return Prefix(wine, path, wine_environment(path, {**environment, **ours}))
