"""Wait for a quiet user interface, by its events, pixels and the application's main thread (contract 4.5)."""

import asyncio
import os
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from deskhand.core.errors import DesktopGone
from deskhand.core.geometry import Rect
from deskhand.desktop.linux.atspi.events import Heard
from deskhand.desktop.linux.idle.activity import WORKS_ON_S, Ledger
from deskhand.desktop.linux.runtime.process_table import renderers_of
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.protocols.windows import Quiet, Settled

_SLICES: Final = 5
_BUSY_SHARE: Final = 0.05
"""More than this share of a slice on the application's main thread is work whose result is not seen yet."""

_STARVED_SHARE: Final = 0.5
"""One that would work for more than this share of a slice, and gets no processor, is not quiet either."""

_LITTLE_SHARE: Final = 0.3
_LITTLE_OVER_S: Final = 0.1
_LITTLE_AFTER_S: Final = 0.3
"""Work below this share of the last `_LITTLE_OVER_S` is ignored once nothing came of it for this long: it is that of a
program that polls.
"""

_ANSWER_S: Final = 0.002
"""So much work an application may have with answering us."""

_USER_TICKS: Final = 10
"""Index in /proc/PID/stat of a process's user time, counted from behind its state; kernel time is next to it."""

_TOLD: Final = 3
_WHY_HABIT: Final = "the same again and again"
_WHY_WORK: Final = "it works for the repeated changes"
_WHY_LITTLE: Final = "a little work repeatedly, without an effect"


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a wait, and how to probe it.

    `pid`: its process; None: all. `answers`: returns who did not answer within a number of seconds, empty: all did, and
    earlier changes are known. `owner`: returns the process of a window, None where it is not known.
    """

    pid: int | None
    answers: Callable[[float], Awaitable[str]]
    owner: Callable[[int], Awaitable[int | None]]
    unseen: str = ""


class Activity:
    """Activity of the desktop, as it is reported."""

    def __init__(self, pulse: Pulse, clock: Callable[[], float] | None = None) -> None:
        """`clock`: by default that of the running loop; reports come outside of any task, where anyio knows no loop."""
        self.pulse = pulse
        self._clock = clock or asyncio.get_running_loop().time
        self._since = self._clock()
        self._lost = anyio.Event()
        self._answered: tuple[int | None, float] = (None, self._since)
        self.sees_pixels = False
        self.ledger = Ledger(self._since)

    # reports

    def event(self, heard: Heard) -> None:
        self.ledger.event(self._clock(), heard)
        self.pulse.beat()

    def repaint(self, surface: int, corner: tuple[int, int], rects: Sequence[Rect]) -> None:
        self.ledger.repaint(self._clock(), surface, corner, rects)

    def window(self, surface: int, what: str) -> None:
        self.ledger.window(self._clock(), surface, what)

    def created(self, surface: int) -> None:
        self.ledger.created(surface)

    def changed(self) -> None:
        self.pulse.beat()

    def hung_up(self) -> None:
        self._lost.set()
        self.pulse.beat()

    def answered(self, pid: int | None, asked_at: float) -> None:
        """A process and the display server answered what they were asked then: all that came before is known."""
        self._answered = pid, asked_at

    def acted(self) -> None:
        """An action of ours begins or ends."""
        self.ledger.acted(self._clock())

    # queries

    def quiet_s(self, pid: int | None) -> float:
        """Return the seconds since the last change of a process that counts; nothing before our start is known."""
        return self._clock() - max(self._since, self.ledger.acted_at, self.ledger.last(pid)[0])

    def unchanged_since(self, pid: int | None, at: float) -> bool:
        """True if no event or repaint of a process came since then, and no action was made."""
        if pid is None or not self.sees_pixels:
            return False
        return max(self._since, self.ledger.acted_at, self.ledger.latest(pid)) < at

    def painted_since(self, pid: int | None, at: float) -> tuple[Rect, ...] | None:
        """Return the regions of the screen that a process repainted since then; None where that is not known."""
        if pid is None or not self.sees_pixels or at < self._since:
            return None
        return self.ledger.painted(pid, at)

    def answered_since(self, pid: int | None, at: float) -> bool:
        """True if the last process that answered was this one, and it was asked later than that."""
        return pid is not None and self._answered[0] == pid and self._answered[1] >= at

    def touched_at(self) -> float:
        """Return the time until which an action of ours may still have had effects."""
        return max(self._since, self.ledger.acted_at + WORKS_ON_S)

    def is_calm(self, pid: int | None) -> bool:
        """True if nothing of a process changes by itself all the time; False where that is not known."""
        return pid is not None and self.sees_pixels and self.ledger.is_calm(pid, self._clock())

    def restless(self, pid: int | None) -> tuple[Rect, ...] | None:
        """Return places of the screen that a process repaints by itself; None: too many to be known."""
        return self.ledger.restless(pid, self._clock()) if pid is not None else ()

    def now(self) -> float:
        """Return the time on the clock of all times here."""
        return self._clock()

    def chosen(self, bus: str, within_s: float) -> str:
        """Return the path of the object selected or focused last in an application, within a time; empty: none."""
        return self.ledger.chosen(bus, self._clock() - within_s)

    async def quiet(self, subject: Subject, start: float, *, quiet_s: float, deadline_s: float) -> Settled:
        """Returns when nothing that counts happened for `quiet_s` and everybody answers, or at the deadline.

        Both are counted from `start`.

        Raises: DesktopGone.
        """
        watch = _Watch(start, subject.pid, quiet_s, deadline_s)
        while True:
            await self._learn_owners(subject, watch.left(self._clock()))
            now = self._clock()
            in_habit = self.ledger.in_habit(subject.pid, now)
            news_at = max(watch.start, self.ledger.last(subject.pid)[0])
            last = max(news_at, watch.look(now, in_habit=in_habit, news_at=news_at))
            if watch.gone and now - last >= quiet_s:
                return self._settled(subject, watch, Quiet.GONE)
            if now - last >= quiet_s and watch.answered_at > last and not watch.meets_others(now):
                return self._settled(subject, watch, Quiet.UNSEEN if subject.unseen else Quiet.SETTLED)
            if now >= watch.end:
                return self._settled(subject, watch, Quiet.DEADLINE)
            if watch.may_ask(now, last):
                watch.asked_at = now
                watch.silent = await subject.answers(watch.left(now))
                if not watch.silent:
                    watch.answered_at = now
                    self.answered(subject.pid, now)
                continue
            await self._pause(min(watch.slice_s, max(last + quiet_s - now, watch.least_s), watch.end - now))

    async def _learn_owners(self, subject: Subject, left_s: float) -> None:
        with anyio.move_on_after(left_s):
            for window in self.ledger.strangers():
                self.ledger.belongs(window, await subject.owner(window))

    async def _pause(self, seconds: float) -> None:
        """Waits for the end of the screen only: no beat can make it quiet sooner, and a flood of them wakes nobody."""
        with anyio.move_on_after(seconds):
            await self._lost.wait()
            raise DesktopGone("The display server hung up.", fix="Start the desktop again.")

    def _settled(self, subject: Subject, watch: "_Watch", reason: Quiet) -> Settled:
        now = self._clock()
        last, busy = "", [subject.unseen] if reason is Quiet.UNSEEN else []
        if reason is Quiet.DEADLINE:
            busy = self._busy(subject, watch, now)
        else:
            last = self._last(subject, watch)
        return Settled(reason, now - watch.start, last, tuple(busy), tuple(self._ignored(subject, watch)))

    def _last(self, subject: Subject, watch: "_Watch") -> str:
        at, told = self.ledger.last(subject.pid)
        if watch.busiest.busy_at > max(at, watch.start):
            return watch.busiest.told
        return told if at > watch.start else ""

    def _busy(self, subject: Subject, watch: "_Watch", now: float) -> list[str]:
        since = now - watch.quiet_s
        busy = [thread.told for thread in watch.threads if thread.busy_at > since or thread.stopped]
        busy += self.ledger.since(subject.pid, since)[:_TOLD]
        busy += [watch.silent] if watch.silent else []
        return busy or [f"it was not quiet for {watch.quiet_s:g} s"]

    def _ignored(self, subject: Subject, watch: "_Watch") -> list[str]:
        habits = [f"{told}: {_WHY_HABIT}" for told in self.ledger.habits(subject.pid, watch.start)[:_TOLD]]
        excused = [f"{thread.told}: {_WHY_WORK}" for thread in watch.threads if thread.excused]
        little = [f"{thread.told}: {_WHY_LITTLE}" for thread in watch.threads if thread.does_little]
        return habits + (excused if habits and excused else little)


class _Watch:
    """One wait for quiet. `threads`: the main thread of the process, and those of its renderers."""

    def __init__(self, start: float, pid: int | None, quiet_s: float, deadline_s: float) -> None:
        self.start = start
        self.quiet_s = quiet_s
        self.end = start + deadline_s
        self.slice_s = quiet_s / _SLICES
        self.least_s = self.slice_s / _SLICES
        self.answered_at = float("-inf")
        self.silent = ""
        self.asked_at = float("-inf")
        self.looked_at = start
        self._pid = pid
        self.threads = [MainThread(pid)]
        self.threads[0].begin(start, self.slice_s)
        self.meets_others(start)

    @property
    def gone(self) -> bool:
        return self.threads[0].gone

    @property
    def busiest(self) -> "MainThread":
        """That which was at work last."""
        return max(self.threads, key=lambda thread: thread.busy_at)

    def meets_others(self, now: float) -> bool:
        """Start to watch renderers that are new; True if there were any."""
        met = {thread.pid for thread in self.threads}
        others = renderers_of(self._pid) - met if self._pid is not None else ()
        for pid in others:
            self.threads.append(MainThread(pid))
            self.threads[-1].begin(now, self.slice_s)
        return bool(others)

    def look(self, now: float, *, in_habit: bool, news_at: float) -> float:
        """Record the work of all threads since the last call; return when one of them was at work last."""
        asked = self.asked_at >= self.looked_at
        for thread in self.threads:
            thread.look(now, in_habit=in_habit, asked=asked, news_at=news_at)
        self.looked_at = now
        return self.busiest.busy_at

    def left(self, now: float) -> float:
        return max(self.end - now, 0.0)

    def may_ask(self, now: float, last: float) -> bool:
        """True if it is time to probe: a slice before it would be quiet."""
        runs = not (self.threads[0].stopped or self.gone)
        return (
            runs
            and self.answered_at <= last
            and now - self.asked_at >= self.slice_s
            and now - last >= self.quiet_s - self.slice_s
        )


class MainThread:
    """Main thread of a process: how much it works, and whether it runs at all. None: no thread.

    `processes`: folder of the kernel's process files.
    """

    def __init__(self, pid: int | None, processes: Path = Path("/proc")) -> None:
        self.pid = pid
        self._processes = processes
        self._ran_s, self._waited_s = 0.0, 0.0
        self._looked_at = 0.0
        self._least_s = 0.0
        self.busy_at = float("-inf")
        self.excused = False
        self.does_little = False
        self._lately: deque[tuple[float, float]] = deque()
        self.stopped = False
        self.gone = False

    @property
    def told(self) -> str:
        return f"process {self.pid} is stopped" if self.stopped else f"the main thread of process {self.pid} at work"

    def begin(self, now: float, least_s: float) -> None:
        (self._ran_s, self._waited_s), self._looked_at, self._least_s = self._read(), now, least_s

    def look(self, now: float, *, in_habit: bool, asked: bool, news_at: float) -> None:
        """Record the work since the last call, except that of a habit or of our probe.

        A little work does not count either, where nothing has come of it since `news_at`, a while ago.
        """
        slice_s = max(now - self._looked_at, self._least_s)
        ran_s, waited_s = self._read()
        free_s = _BUSY_SHARE * slice_s + (_ANSWER_S if asked else 0.0)
        starved = waited_s - self._waited_s > _STARVED_SHARE * slice_s
        busy = starved or ran_s - self._ran_s > free_s
        little = not starved and now - news_at >= _LITTLE_AFTER_S and self._share(now, ran_s) < _LITTLE_SHARE
        self._ran_s, self._waited_s, self._looked_at = ran_s, waited_s, now
        if self.stopped or (busy and not in_habit and not little):
            self.busy_at = now
        elif busy:
            self.excused |= in_habit
            self.does_little |= not in_habit

    def _share(self, now: float, ran_s: float) -> float:
        """Return the share of the last `_LITTLE_OVER_S` that it worked; 1 before it was watched for that long."""
        self._lately.append((now, ran_s))
        while len(self._lately) > 1 and now - self._lately[1][0] >= _LITTLE_OVER_S:
            self._lately.popleft()
        since, had_run_s = self._lately[0]
        return (ran_s - had_run_s) / (now - since) if now - since >= _LITTLE_OVER_S else 1.0

    def _read(self) -> tuple[float, float]:
        """Return seconds on a processor, and seconds of waiting for one; the last ones where the process is gone.

        A kernel that does not count these for threads has the first in hundredths, and 0 for the second.
        """
        if self.pid is None:
            return 0.0, 0.0
        task = self._processes / f"{self.pid}/task/{self.pid}"
        try:
            state, *fields = (task / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            self.stopped, self.gone = state in {"T", "t"}, state in {"Z", "X"}
            user, system = int(fields[_USER_TICKS]), int(fields[_USER_TICKS + 1])
        except (OSError, IndexError, ValueError):
            self.stopped, self.gone = False, True
            return self._ran_s, self._waited_s
        try:
            ran, waited, turns = map(int, (task / "schedstat").read_text(encoding="ascii").split())
        except (OSError, ValueError):
            ran = waited = turns = 0
        if not turns:  # it had at least one: this kernel does not count them
            return (user + system) / os.sysconf("SC_CLK_TCK"), 0.0
        return ran / 1e9, waited / 1e9
