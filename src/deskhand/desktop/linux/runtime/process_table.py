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
"""How Chromium, Electron and Qt's browser call a process of theirs for pages."""

_FOR_MESSAGES: Final = frozenset({b"Chrome_IOThread", b"Chrome_ChildIOT"})
"""What they call the thread that takes messages from other processes, and one in a process for pages."""

_MUCH: Final = 65536
"""More than the kernel tells in any of the files that are read whole."""


_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")

_UNCOUNTED: Final = [b"0"] * 3
"""What a kernel that does not count the work of threads says of each."""

Work: TypeAlias = frozenset[tuple[str, bytes]]
"""Of each thread, by its number, what the kernel has counted of it: how long it ran and waited, and how often."""


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal or a debugger, and does nothing until it is let go on."""
    stat = state_and_start(pid)
    return stat is not None and stat[0] in _STOPPED


def work_of(pid: int, processes: str = "/proc") -> Work:
    """What each thread of a process has done so far; the same as before: none of them has run since.

    Empty: nobody knows, or one of them runs now, of which the kernel counts the present turn when it is over.
    `processes`: where the kernel tells of them.
    """
    return work_in([f"{processes}/{pid}/task/{name}" for name in _threads_in(f"{processes}/{pid}")])


def work_in(threads: Iterable[str]) -> Work:
    """As `work_of`, of these threads, each being where the kernel tells of it; empty also where one is gone."""
    found: set[tuple[str, bytes]] = set()
    for thread in threads:
        spent, stat = _told(f"{thread}/schedstat"), _told(f"{thread}/stat")
        if not spent or not stat or spent.split() == _UNCOUNTED or stat_fields(stat)[STATE] == b"R":
            return frozenset()
        found.add((thread, spent))
    return frozenset(found)


def is_there(thread: str) -> bool:
    """Whether it has not ended yet; a thread as for `work_in`."""
    return bool(_told(f"{thread}/stat"))


def worked_s(threads: Iterable[str]) -> float:
    """For how long these threads, as for `work_in`, have been on a processor so far, all in all."""
    told = [_told(f"{thread}/schedstat").split() for thread in threads]
    return sum(int(spent[0]) for spent in told if spent) / 1e9


def renderers_of(pid: int, processes: str = "/proc") -> frozenset[int]:
    """The processes in which a browser, or a program made as one, lays out its pages and runs their scripts.

    Empty for all others, and where the kernel does not tell who started whom. `processes`: where it tells that.
    """
    found, unread = set[int](), [pid]
    while unread:
        started = _started_by(f"{processes}/{unread.pop()}")
        unread += started
        found.update(child for child in started if _is_renderer(f"{processes}/{child}"))
    return frozenset(found)


def page_threads_of(pid: int, processes: str = "/proc") -> tuple[str, ...]:
    """The threads of a browser by which a page comes to know what it is asked, and to answer: one for messages in each
    process, and those that work on pages. Each is where the kernel tells of it. Empty for other programs, and where
    it does not count the work of threads.
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
    """What the kernel tells there, the first of it; empty: nothing. (A `Path` takes three times as long.)"""
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
    """The present on the clock by which processes tell their start."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS_PER_S)


def is_on(pid: int, display: str) -> bool:
    """Whether a process was started for this X display, as far as its environment says."""
    try:
        return f"DISPLAY={display}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False  # it is gone, or another user's
