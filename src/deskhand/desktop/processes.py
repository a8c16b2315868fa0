"""Processes identified by pid and start time, and the mark that every process of a private desktop carries."""

import contextlib
import os
import select
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio
from pydantic import BaseModel, ConfigDict

from deskhand.desktop.mark import MARK

INHERITED_BY_ALL: Final = ("DESKHAND_TEST_RUN",)
"""Variables of Deskhand that each process it starts inherits: a test run finds left-over processes by them."""

ENDED: Final = frozenset({b"Z", b"X"})

_OF_KERNEL: Final = 0x00200000

_EXEC_S: Final = 1.0
"""Timeout for a process that becomes another program to have an environment again: takes far less than 1 ms."""

STATE, PARENT, STARTED = 0, 1, 19
_FLAGS, _CODE, _ENVIRONMENT = 6, 23, slice(47, 49)
"""Indexes into `stat_fields`. The last two: addresses of the code and of the environment in the process's memory."""


@dataclass(frozen=True, slots=True)
class ProcessId:
    """One process: `started` is the kernel's start time in clock ticks since boot."""

    pid: int
    started: int

    @property
    def alive(self) -> bool:
        """True if exactly this process runs; a zombie does not."""
        stat = state_and_start(self.pid)
        return stat is not None and stat[0] not in ENDED and stat[1] == self.started

    def send(self, number: signal.Signals) -> bool:
        """Send a signal; False when the process is gone. Raises: PermissionError."""
        try:
            pidfd = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return False
        try:
            if not self.alive:
                return False
            signal.pidfd_send_signal(pidfd, number)
        except ProcessLookupError:
            return False
        finally:
            os.close(pidfd)
        return True


class Holder(BaseModel):
    """The process that holds a display's pointer and keyboard. `brief`: for one action only."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    pid: int = 0
    what: str = "another program"
    brief: bool = False

    @property
    def told(self) -> str:
        return f"{self.what} (process {self.pid})" if self.pid else self.what


def identify(pid: int) -> ProcessId | None:
    """Return the process that has this pid now, None when there is none."""
    stat = state_and_start(pid)
    return None if stat is None else ProcessId(pid, stat[1])


def boot_id() -> str:
    """Return the id of this boot; it changes with every boot of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


async def wait_until_gone(process: ProcessId) -> None:
    """Return when the process has ended (it may still be a zombie). Callers bound it with a deadline."""
    try:
        pidfd = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return
    try:
        if process.alive:
            await anyio.wait_readable(pidfd)
    finally:
        os.close(pidfd)


def reap(process: ProcessId) -> None:
    """Collect a child of ours that ended; others are left to their own parents."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process.pid, os.WNOHANG)


def marked(mark: str) -> set[int]:
    """Return the live processes of this user whose environment carries a desktop's mark."""
    wanted = f"{MARK}={mark}".encode()
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        if wanted in _environment_of(int(entry.name)).split(b"\0"):
            found.add(int(entry.name))
    return found


def _environment_of(pid: int) -> bytes:
    """Return a process's environment; empty for one that is gone or belongs to another user.

    A process that is becoming another program has none for a moment, or the opened file is that of the old program,
    gone by now: it is read again until that is over.
    """
    end = time.monotonic() + _EXEC_S
    try:
        while not (environment := Path(f"/proc/{pid}/environ").read_bytes()) and _should_have_one(pid):
            if time.monotonic() > end:
                break
            os.sched_yield()
    except OSError:
        return b""
    return environment


def _should_have_one(pid: int) -> bool:
    """True for a live process, not of the kernel, that has an environment or will have one. Raises: OSError."""
    return has_environment(Path(f"/proc/{pid}/stat").read_bytes())


def has_environment(stat: bytes) -> bool:
    """True if a process has an environment, or lacks it only because it is becoming another program.

    The kernel fills in the new program's environment, first to last, before it sets the address of the code.
    """
    fields = stat_fields(stat)
    if fields[STATE] in ENDED or int(fields[_FLAGS]) & _OF_KERNEL:
        return False
    begin, end = (int(number) for number in fields[_ENVIRONMENT])
    return int(fields[_CODE]) == 0 or begin < end


def end_marked(mark: str, *, rounds: int = 50) -> None:
    """Kill the processes that carry the mark of a desktop whose guardian and watcher were both killed."""
    for _ in range(rounds):
        left = marked(mark)
        if not left:
            return
        poll = select.poll()
        ends = [_kill(pid) for pid in left]
        for end in ends:
            if end is not None:
                poll.register(end, select.POLLIN)
        poll.poll(100)
        for end in ends:
            if end is not None:
                os.close(end)


def _kill(pid: int) -> int | None:
    """Kill a process; return a descriptor that becomes readable when it has ended."""
    try:
        pidfd = os.pidfd_open(pid)
    except ProcessLookupError:
        return None
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    except ProcessLookupError:
        os.close(pidfd)
        return None
    return pidfd


def state_and_start(pid: int) -> tuple[bytes, int] | None:
    """Return (state letter, start time), None for a process that is gone."""
    try:
        fields = stat_fields(Path(f"/proc/{pid}/stat").read_bytes())
    except OSError:
        return None
    return fields[STATE], int(fields[STARTED])


def stat_fields(stat: bytes) -> list[bytes]:
    """Return the fields after the name, which may contain any character."""
    return stat.rpartition(b")")[2].split()
