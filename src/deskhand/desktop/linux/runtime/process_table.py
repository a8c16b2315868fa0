"""Work, threads and children of processes, as the kernel exposes them in /proc."""

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from deskhand.desktop.processes import ENDED, STARTED, STATE, stat_fields, state_and_start

_SESSION, _WORKED = 3, slice(11, 13)
"""Indexes into `stat_fields`."""

_STOPPED: Final = frozenset({b"T", b"t"})

_RENDERER: Final = b"--type=renderer"
"""Argument of the processes for pages of Chromium, Electron and Qt's browser."""

_FOR_MESSAGES: Final = frozenset({b"Chrome_IOThread", b"Chrome_ChildIOT"})
"""Names of their threads for messages from other processes, and of those of a process for pages."""

_MUCH: Final = 65536
"""Bytes above the size of any kernel file that is read whole."""


_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")

_UNCOUNTED: Final = [b"0"] * 3
"""Counts of a thread in a kernel that does not count the work of threads."""

Work: TypeAlias = frozenset[tuple[str, bytes]]
"""Counts of each thread by its number: how long it ran and waited, and how often."""


def is_stopped(pid: int) -> bool:
    """True if a process was stopped by a signal or a debugger, and does nothing until it is continued."""
    stat = state_and_start(pid)
    return stat is not None and stat[0] in _STOPPED


def work_of(pid: int, processes: str = "/proc") -> Work:
    """Return the work of each thread of a process up to now; equal results: none of them has run in between.

    Empty: it is not known, or one of them runs now, whose present turn the kernel counts when it is over. `processes`:
    folder of the kernel's process files.
    """
    return work_in([f"{processes}/{pid}/task/{name}" for name in _threads_in(f"{processes}/{pid}")])


def work_in(threads: Iterable[str]) -> Work:
    """As `work_of`, of these threads, each a folder of the kernel's process files; empty also where one is gone."""
    found: set[tuple[str, bytes]] = set()
    for thread in threads:
        spent, stat = _told(f"{thread}/schedstat"), _told(f"{thread}/stat")
        if not spent or not stat or spent.split() == _UNCOUNTED or stat_fields(stat)[STATE] == b"R":
            return frozenset()
        found.add((thread, spent))
    return frozenset(found)


def is_there(thread: str) -> bool:
    """True if it has not ended yet; a thread as for `work_in`."""
    return bool(_told(f"{thread}/stat"))


def worked_s(threads: Iterable[str]) -> float:
    """For how long these threads, as for `work_in`, have been on a processor so far, all in all."""
    told = [_told(f"{thread}/schedstat").split() for thread in threads]
    return sum(int(spent[0]) for spent in told if spent) / 1e9


def renderers_of(pid: int, processes: str = "/proc") -> frozenset[int]:
    """Return the processes in which a browser, or a program made as one, lays out its pages and runs their scripts.

    Empty for all others, and where the kernel does not report parents. `processes`: folder of the kernel's process
    files.
    """
    found, unread = set[int](), [pid]
    while unread:
        started = _started_by(f"{processes}/{unread.pop()}")
        unread += started
        found.update(child for child in started if _is_renderer(f"{processes}/{child}"))
    return frozenset(found)


def page_threads_of(pid: int, processes: str = "/proc") -> tuple[str, ...]:
    """Return the threads of a browser that handle requests to a page: one for messages in each process, and those that
    work on pages. Each is a folder of the kernel's process files. Empty for other programs, and where the kernel does
    not count the work of threads.
    """
    renderers = renderers_of(pid, processes)
    found: list[str] = []
    for each in (pid, *renderers) if renderers else ():
        for name in _threads_in(f"{processes}/{each}"):
            thread = f"{processes}/{each}/task/{name}"
            main_of_page = each != pid and name == str(each)
            takes_part = main_of_page or _told(f"{thread}/comm").strip() in _FOR_MESSAGES
            if takes_part and _told(f"{thread}/schedstat").split() not in ([], _UNCOUNTED):
                found.append(thread)
    return tuple(found)


def _started_by(process: str) -> list[int]:
    """By any of its threads, as far as these are still there."""
    told = [_told(f"{process}/task/{name}/children") for name in _threads_in(process)]
    return [int(child) for each in told for child in each.split()]


def _is_renderer(process: str) -> bool:
    return _RENDERER in _told(f"{process}/cmdline").replace(b"\0", b" ").split(b" ")  # Chromium's own have spaces


def _threads_in(process: str) -> list[str]:
    try:
        return os.listdir(f"{process}/task")  # noqa: PTH208 - a `Path` takes three times as long
    except OSError:
        return []


def _told(path: str) -> bytes:
    """Return the start of a kernel file, empty where it cannot be read. (A `Path` takes three times as long.)"""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, _MUCH)
    except OSError:
        return b""  # it ended meanwhile
    finally:
        os.close(file)


@dataclass(frozen=True, slots=True)
class Running:
    """A process as it is now: its session, when it started (clock ticks since boot), and how long it has worked."""

    pid: int
    session: int
    started: int
    worked_s: float
    stopped: bool

    def busy_s(self) -> float:
        """For how long it has worked, or its main thread has waited for a processor."""
        spent = _told(f"/proc/{self.pid}/schedstat").split()
        return self.worked_s + (int(spent[1]) / 1e9 if spent else 0.0)


def running() -> tuple[Running, ...]:
    """Every process of this machine but zombies."""
    pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return tuple(filter(None, map(running_as, pids)))


def running_as(pid: int) -> Running | None:
    """The process that has this pid now; None where there is none, or a zombie."""
    try:
        fields = stat_fields(Path(f"/proc/{pid}/stat").read_bytes())
    except OSError:
        return None
    state = fields[STATE]
    if state in ENDED:
        return None
    worked = sum(map(int, fields[_WORKED]))
    return Running(pid, int(fields[_SESSION]), int(fields[STARTED]), worked / _TICKS_PER_S, state in _STOPPED)


def now_in_ticks() -> int:
    """Return the time on the clock of process start times."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS_PER_S)


def is_on(pid: int, display: str) -> bool:
    """True if a process was started for this X display, as far as its environment shows."""
    try:
        return f"DISPLAY={display}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False  # it is gone, or another user's
