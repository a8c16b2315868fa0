"""Process of a Windows program: makes the prefix of its desktop, starts the bridge, then becomes the program.

    python -P -m deskhand.desktop.linux.wine.run PROGRAM ARGUMENT…

PROGRAM is a name, a path of Linux or one of Windows; the path of a file among the arguments becomes one of Windows.
"""

import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deskhand.core.errors import DeskhandError, LaunchFailed
from deskhand.desktop.linux.runtime.wine_folder import wine_folder
from deskhand.desktop.linux.wine.bridge_start import BRIDGE, ensure_bridge
from deskhand.desktop.linux.wine.installation import Wine, need_python, need_wine, wine_environment
from deskhand.desktop.linux.wine.paths import program_file, windows_path
from deskhand.desktop.linux.wine.prefix import make_prefix
from deskhand.desktop.mark import MARK

BRIDGE_VARIABLE: Final = "DESKHAND_WINE_BRIDGE"
"""Variable with the command line of another bridge."""

_HEADER: Final = 4096
_BEGIN: Final = slice(0x3C, 0x40)
"""Place of the offset of the header with the processor of a program."""
_OF_32_BITS: Final = b"PE\0\0\x4c\x01"


def main(words: Sequence[str]) -> None:
    """Become the program, or end with exit code 1 and the reason on stderr."""
    try:
        argv, environment = _prepared(words)
        for output in (sys.stdout, sys.stderr):
            _pipe(output.fileno())
        os.execve(argv[0], argv, environment)  # noqa: S606 - an argument vector
    except DeskhandError as error:
        _give_up(error.message, error.fix)
    except OSError as error:
        _give_up(f"{words[0]} was not started: {error}", "check that your home folder has 1 GB of space")


def _pipe(output: int) -> None:
    """Put a pipe before a file that is the program's output: in Wine 8 Python of Windows does not start with a file."""
    if not stat.S_ISREG(os.fstat(output).st_mode):
        return
    copier = subprocess.Popen(("cat",), stdin=subprocess.PIPE, stdout=output)
    if copier.stdin is not None:
        os.dup2(copier.stdin.fileno(), output)


def _prepared(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Return the command and its environment, once the bridge is ready. Raises: DeskhandError, OSError."""
    wine, folder = need_wine(), wine_folder()
    need_python(folder)
    home, given = Path(os.environ["HOME"]), os.environ.get("WINEPREFIX")
    prefix = Path(given) if given else home / ".wine"
    environment = wine_environment(prefix, os.environ)
    if MARK in os.environ and not given:  # one that is the user's is made by Wine itself, where it is missing
        make_prefix(wine, folder, prefix, home)
    prefix.mkdir(exist_ok=True)
    bridge = shlex.split(os.environ.get(BRIDGE_VARIABLE, "")) or BRIDGE
    ensure_bridge(prefix, {**environment, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}, bridge)
    return command(wine, prefix, words), environment


def command(wine: Wine, prefix: Path, words: Sequence[str]) -> list[str]:
    """Return the command of Linux that runs a program; any other file is opened as by a double click.

    Raises: LaunchFailed for a program of 32 bits where Wine does not run such.
    """
    file = program_file(words[0], prefix)
    arguments = [_argument(word, prefix) for word in words[1:]]
    if file is None:
        return [str(wine.loader), "start", "/wait", words[0], *arguments]
    if file.suffix.lower() == ".exe":
        _check_bits(file, wine)
        return [str(wine.loader), str(file), *arguments]
    return [str(wine.loader), "start", "/wait", "/unix", str(file), *arguments]


def _argument(word: str, prefix: Path) -> str:
    if not word.startswith("/") or not Path(word).exists():
        return word
    return windows_path(Path(word), prefix) or word


def _check_bits(file: Path, wine: Wine) -> None:
    """Raises: LaunchFailed."""
    with file.open("rb") as program:
        header = program.read(_HEADER)
    begin = int.from_bytes(header[_BEGIN], "little")
    if header[begin : begin + len(_OF_32_BITS)] == _OF_32_BITS and not (wine.libraries.parent / "i386-unix").is_dir():
        raise LaunchFailed(
            f"{file.name} is a program of 32 bits, which this Wine does not run",
            fix="take its version of 64 bits, or install Wine for 32 bits (on Debian: wine32:i386)",
        )


def _give_up(message: str, fix: str) -> None:
    sys.stderr.write(f"{message}\n{fix}\n")
    sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
