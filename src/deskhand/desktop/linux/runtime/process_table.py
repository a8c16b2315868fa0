"""Processes by pid and start time, which together name one process of this boot and never another."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import anyio

MARK: Final = "DESKHAND_DESKTOP_ID"
"""The variable that every process of a private desktop inherits; its value is unique to that desktop."""

KEPT_BY_ALL: Final = ("DESKHAND_TEST_RUN",)
"""Variables of ours that every process started on our behalf inherits: a test run finds what it left behind by them."""

_STATE, _SESSION, _FLAGS, _WORKED, _STARTED, _CODE, _ENVIRONMENT = 0, 3, 6, slice(11, 13), 19, 23, slice(47, 49)
"""Where the kernel says these in what follows the name; where code and environment lie in the process's memory."""

_ENDED: Final = frozenset({b"Z", b"X"})
_STOPPED: Final = frozenset({b"T", b"t"})
_OF_KERNEL: Final = 0x00200000

_RENDERER: Final = b"--type=renderer"
"""How Chromium, Electron and Qt's browser call a process of theirs for pages."""

_FOR_MESSAGES: Final = frozenset({b"Chrome_IOThread", b"Chrome_ChildIOT"})
"""What they call the thread that takes messages from other processes, and one in a process for pages."""

_MUCH: Final = 65536
"""More than the kernel tells in any of the files that are read whole."""

_EXEC_S: Final = 1.0
"""Until a process that becomes another program has an environment again; it takes far less than a millisecond."""

_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")

_UNCOUNTED: Final = [b"0"] * 3
"""What a kernel that does not count the work of threads says of each."""

Work: TypeAlias = frozenset[tuple[str, bytes]]
"""Of each thread, by its number, what the kernel has counted of it: how long it ran and waited, and how often."""


@dataclass(frozen=True, slots=True)
class ProcessId:
    """One process: `started` is the kernel's start time in clock ticks since boot."""

    pid: int
    started: int

    @property
    def alive(self) -> bool:
        """Whether exactly this process runs; a zombie does not."""
        stat = _stat(self.pid)
        return stat is not None and stat[0] not in _ENDED and stat[1] == self.started

    def send(self, number: signal.Signals) -> bool:
        """Sends a signal; False when the process is gone. Raises: PermissionError."""
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


def identify(pid: int) -> ProcessId | None:
    """The process that has this pid now, None when there is none."""
    stat = _stat(pid)
    return None if stat is None else ProcessId(pid, stat[1])


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal or a debugger, and does nothing until it is let go on."""
    stat = _stat(pid)
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
        if not spent or not stat or spent.split() == _UNCOUNTED or _fields_in(stat)[_STATE] == b"R":
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
        fields = _fields_in(Path(f"/proc/{pid}/stat").read_bytes())
    except OSError:
        return None
    state = fields[_STATE]
    if state in _ENDED:
        return None
    worked = sum(map(int, fields[_WORKED]))
    return Running(pid, int(fields[_SESSION]), int(fields[_STARTED]), worked / _TICKS_PER_S, state in _STOPPED)


def now_in_ticks() -> int:
    """The present on the clock by which processes tell their start."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS_PER_S)


def is_on(pid: int, display: str) -> bool:
    """Whether a process was started for this X display, as far as its environment says."""
    try:
        return f"DISPLAY={display}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False  # it is gone, or another user's


def boot_id() -> str:
    """Changes with every boot of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


async def wait_until_gone(process: ProcessId) -> None:
    """Returns when the process has ended (it may still be a zombie). Callers bound it with a deadline."""
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
    """Collects a child of ours that ended; others are left to their own parents."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process.pid, os.WNOHANG)


def marked(mark: str) -> set[int]:
    """The live processes of this user whose environment carries the desktop's mark."""
    wanted = f"{MARK}={mark}".encode()
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        if wanted in _environment_of(int(entry.name)).split(b"\0"):
            found.add(int(entry.name))
    return found


def _environment_of(pid: int) -> bytes:
    """Empty for a process that is gone, or that belongs to somebody else.

    One that is just becoming another program has none for a moment, or what was opened is what it had before and gone
    by now; it is read again until that is over.
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
    """Whether it is a live process, none of the kernel's, that has an environment or has none yet. Raises: OSError."""
    return has_environment(Path(f"/proc/{pid}/stat").read_bytes())


def has_environment(stat: bytes) -> bool:
    """Whether a process has an environment, or has none only because it is just becoming another program.

    The kernel lays out the new program's environment, from its beginning to its end, before it says where the code is.
    """
    fields = _fields_in(stat)
    if fields[_STATE] in _ENDED or int(fields[_FLAGS]) & _OF_KERNEL:
        return False
    begin, end = (int(number) for number in fields[_ENVIRONMENT])
    return int(fields[_CODE]) == 0 or begin < end


def end_marked(mark: str, *, rounds: int = 50) -> None:
    """Kills what still carries the mark of a desktop whose guardian and watcher were both killed."""
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
    """A descriptor that becomes readable when the process has ended."""
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


def _stat(pid: int) -> tuple[bytes, int] | None:
    """(state letter, start time)."""
    try:
        fields = _fields_in(Path(f"/proc/{pid}/stat").read_bytes())
    except OSError:
        return None
    return fields[_STATE], int(fields[_STARTED])


def _fields_in(stat: bytes) -> list[bytes]:
    """What follows the name, which may hold anything."""
    return stat.rpartition(b")")[2].split()
