"""When is the user interface quiet? Events, pixels and the application's own thread say so together (SPEC 4.5)."""

from pathlib import Path
from time import monotonic
from typing import Final

from deskhand.desktop.base import Quiet, Settled
from deskhand.desktop.linux.pulse import Pulse

_SLICES: Final = 5
_BUSY_SHARE: Final = 0.05
"""More than this share of a slice on the application's main thread is work whose result is not seen yet."""


class Activity:
    """When something last happened: per application (by bus name), and on the screen."""

    def __init__(self, pulse: Pulse) -> None:
        self._pulse = pulse
        self._last_event: dict[str, float] = {}
        self._last_change = 0.0

    def event(self, bus: str) -> None:
        self._last_event[bus] = monotonic()
        self._pulse.beat()

    def screen(self) -> None:
        self._last_change = monotonic()
        self._pulse.beat()

    def last(self, buses: frozenset[str] | None) -> float:
        """The monotonic time of the last sign of life of these applications (of all with None) or of the screen."""
        times = [at for bus, at in self._last_event.items() if buses is None or bus in buses]
        return max(self._last_change, *times, 0.0)

    def forget(self, buses: frozenset[str]) -> None:
        """Drops applications that are gone."""
        for bus in buses & self._last_event.keys():
            del self._last_event[bus]

    async def quiet(
        self, buses: frozenset[str] | None, pid: int | None, *, quiet_s: float, deadline_s: float
    ) -> Settled:
        """Returns when nothing happened for `quiet_s`, or at the deadline."""
        start = last_busy = sampled = monotonic()
        cpu = _main_thread_s(pid)
        while True:
            now = monotonic()
            spent = _main_thread_s(pid) - cpu
            if spent > _BUSY_SHARE * max(now - sampled, quiet_s / _SLICES):
                last_busy = now
            cpu, sampled = cpu + spent, now
            last = max(start, last_busy, self.last(buses))
            if now - last >= quiet_s:
                return Settled(Quiet.SETTLED, now - start)
            if now - start >= deadline_s:
                return Settled(Quiet.DEADLINE, now - start)
            left = min(last + quiet_s - now, quiet_s / _SLICES, start + deadline_s - now)
            await self._pulse.after(self._pulse.count, max(left, 0.0))


def _main_thread_s(pid: int | None) -> float:
    """Seconds of processor time the main thread has used; 0 where there is no such process."""
    if pid is None:
        return 0.0
    try:
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
