"""Programs for Windows that tests build from C."""

import subprocess
from pathlib import Path
from typing import Final

from support import ROOT, need

COMPILER: Final = Path("/usr/bin/x86_64-w64-mingw32-gcc")
_BUILD_S: Final = 60.0


def build_program(name: str, folder: Path) -> Path:
    """Build `tests/apps/NAME.c` into a folder; return the .exe. Skips the test where the compiler is missing."""
    need(COMPILER)
    program = folder / f"{name}.exe"
    source = str(ROOT / "tests/apps" / f"{name}.c")
    command = [COMPILER, "-O1", "-municode", "-mwindows", "-o", str(program), source, "-lcomctl32", "-lcomdlg32"]
    subprocess.run(command, check=True, timeout=_BUILD_S, capture_output=True)
    return program
