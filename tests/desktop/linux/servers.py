"""X servers with nothing on them."""

import os
import subprocess
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def server(program: str, *options: str) -> Generator[str]:
    """An X server of our own, with nothing on it; its display."""
    read, write = os.pipe()
    started = subprocess.Popen(
        [program, "-displayfd", str(write), *options, "-nolisten", "tcp", "-noreset"],
        pass_fds=(write,),
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    try:
        assert number, "the server did not start"
        yield f":{number}"
    finally:
        started.terminate()
        started.wait(10)
