"""The process: `python3 -m uno_helper PID WINDOW`."""

import os
import sys
import threading
from contextlib import suppress
from importlib import import_module

from .answers import answer, error
from .lines import Lines

_LAST_S = 60.0
"""The longest that LibreOffice is waited for after the end of the input."""


def main(pid: int, window: int) -> None:
    """Answer requests until the input ends; the last one is finished, or undone."""
    lines = Lines()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    with suppress(BrokenPipeError):  # nobody waits for the answer
        _serve(pid, window, lines)
    os._exit(0)


def _serve(pid: int, window: int, lines: Lines) -> None:
    try:
        session = import_module(".session", __package__)
    except ModuleNotFoundError:
        answer(error("absent", "Python's module uno is not installed", "install python3-uno"))
    else:
        session.serve(pid, window, lines)


def _read(lines: Lines) -> None:
    """Pass lines on. End the process if it does not end after the input."""
    lines.read()
    threading.Event().wait(_LAST_S)
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
