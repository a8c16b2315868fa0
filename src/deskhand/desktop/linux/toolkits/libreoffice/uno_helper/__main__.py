"""The process: `python3 -m uno_helper PIPE PID WINDOW`."""

import os
import queue
import sys
import threading
from importlib import import_module

from .answers import answer, error
from .pipe import office_socket, withdraw

_WITHDRAW_S = 1.0


def main(pipe: str, pid: int, window: int) -> None:
    """Answer requests until the input ends."""
    office = office_socket(pid)
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    reader = threading.Thread(target=_read_input, args=(lines, office, pipe), daemon=True)
    reader.start()
    try:
        session = import_module(".session", __package__)
    except ModuleNotFoundError:
        answer(error("absent", "Python's module uno is not installed", "install python3-uno"))
    else:
        session.serve(office, pipe, window, lines)
    reader.join()


def _read_input(lines: "queue.SimpleQueue[str]", office: str, pipe: str) -> None:
    """Pass lines on; at the end of the input end the process, also in the middle of a request."""
    for line in sys.stdin:
        lines.put(line)
    try:
        withdraw(office, pipe, timeout_s=_WITHDRAW_S)
    except OSError:
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
