"""Since when a program has been at rest as a wait for quiet begins, from the work of its main thread between reads."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from deskhand.desktop.linux.idle.wait import Activity, MainThread
from deskhand.desktop.linux.runtime.process_table import renderers_of

_SLICE_S: Final = 0.01


class Rest:
    """Watches the main thread of the program that was read last, but for the reads themselves: it answers us then."""

    def __init__(self, activity: Activity, processes: Path = Path("/proc")) -> None:
        """`processes`: folder of the kernel's process files."""
        self._activity = activity
        self._processes = processes
        self._thread = MainThread(None, processes)
        self._since_s = 0.0

    @contextmanager
    def reading(self, pid: int | None) -> Generator[None]:
        """The window of a process is read now."""
        self._look(pid)
        try:
            yield
        finally:
            self._thread.begin(self._activity.now(), _SLICE_S)

    def since_s(self, pid: int | None) -> float:
        """Since when, on the clock of activity, a process has not worked, and no action was made; now where it is not
        known, as for one with other processes that draw its pages.
        """
        now = self._activity.now()
        if pid is None or pid != self._thread.pid or renderers_of(pid, str(self._processes)):
            return now
        self._look(pid)
        return max(self._since_s, self._activity.ledger.acted_at)

    def _look(self, pid: int | None) -> None:
        now = self._activity.now()
        if pid != self._thread.pid:
            self._thread, self._since_s = MainThread(pid, self._processes), now
            self._thread.begin(now, _SLICE_S)
            return
        self._thread.look(now, in_habit=False, asked=False, news_at=now)
        if self._thread.stopped or self._thread.gone or self._thread.busy_at >= now:
            self._since_s = now
