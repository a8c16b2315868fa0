"""Finding what a program leaves running, by ancestry: neither a new session nor an empty environment hides it."""

import ctypes
import os
import select
import signal
import time
from collections.abc import Container
from pathlib import Path
from typing import Final

PR_SET_CHILD_SUBREAPER: Final = 36


def adopt_orphans() -> None:
    """Makes this process the parent of every process below it whose own parent ends."""
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this process cannot adopt orphans")


def reap_until_done(pids: Container[int]) -> tuple[int, int]:
    """Waits for one of the children `pids`, reaping on the way the orphans that end. Returns its id and exit code."""
    while True:
        ended, status = os.waitpid(-1, 0)
        if ended in pids:
            return ended, os.waitstatus_to_exitcode(status)


def end_orphans(*, grace_s: float = 2.0) -> list[str]:
    """Kills the processes that outlived their parents, and those below them. Returns their ids and command lines.

    What is about to end has `grace_s` to do so and is then not counted.
    """
    deadline = time.monotonic() + grace_s
    left: list[str] = []
    while children := _children():
        for pid in children:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
            if not _ends_until(pid, deadline):
                os.kill(pid, signal.SIGKILL)
                left.append(f"{pid} {command}")
            os.waitpid(pid, 0)
    return left


def _ends_until(pid: int, deadline: float) -> bool:
    """Whether the child ends, or has ended, before the deadline."""
    handle = os.pidfd_open(pid)
    try:
        return bool(select.select([handle], [], [], max(0.0, deadline - time.monotonic()))[0])
    finally:
        os.close(handle)


def _children() -> list[int]:
    """Process ids whose parent is this process."""
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()  # the name before may hold anything
        except OSError:  # gone in the meantime
            continue
        if int(fields[1]) == os.getpid():
            found.append(int(stat.parent.name))
    return found
