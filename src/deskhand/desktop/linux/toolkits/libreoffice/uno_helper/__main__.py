"""The process: `python3 -m uno_helper PID WINDOW`."""

import os
import queue
import sys
import threading
from importlib import import_module

from .answers import answer, error


def main(pid: int, window: int) -> None:
    """Answer requests until the input ends."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()
    reader = threading.Thread(target=_read_input, args=(lines,), daemon=True)
    reader.start()
    try:
        session = import_module(".session", __package__)
    except ModuleNotFoundError:
        answer(error("absent", "Python's module uno is not installed", "install python3-uno"))
    else:
        session.serve(pid, window, lines)
    reader.join()


def _read_input(lines: "queue.SimpleQueue[str]") -> None:
    """Pass lines on; at the end of the input end the process, also in the middle of a request."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
