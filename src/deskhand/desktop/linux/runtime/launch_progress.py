"""Progress of a launch: whether any of its processes runs, is stopped, or works, so that no wait is in vain."""

from collections.abc import Collection, Iterable, Mapping
from time import monotonic
from typing import Final

from deskhand.desktop.linux.runtime.process_table import Running, is_on, now_in_ticks, running

_LOOK_S: Final = 0.25
_FREE_S: Final = 0.02
_FREE_SHARE: Final = 0.05
"""So much work, and so much of the time, is no sign that anything is still to come: timers, and answers to us."""


class Rest:
    """For how long some processes have hardly worked, and none of them has come or gone."""

    def __init__(self) -> None:
        self._since = monotonic()
        self._worked_s: dict[int, float] = {}

    @property
    def lasts_s(self) -> float:
        return monotonic() - self._since

    def look(self, worked_s: Mapping[int, float]) -> None:
        """`worked_s`: how long each of them, by its pid, has worked so far, or waited for a processor."""
        now = monotonic()
        more_s = sum(worked - self._worked_s.get(pid, 0.0) for pid, worked in worked_s.items())
        if worked_s.keys() != self._worked_s.keys() or more_s > _FREE_S + _FREE_SHARE * (now - self._since):
            self._worked_s, self._since = dict(worked_s), now


class Begun:
    """The processes that a launch may yet show a window by: those of its own session, those that came up on its display
    since, as services do, and those `owners` that ran already and it may hand over to. As they were at the last look.

    `runs`: some of its own session do, stopped or not. `stopped`, `stopped_owner`: one that is.
    """

    def __init__(self, display: str, owners: Collection[int]) -> None:
        self._display = display
        self._owners = frozenset(owners)
        self._since = now_in_ticks()
        self._looked_at = float("-inf")
        self.rest = Rest()
        self.runs = True
        self.stopped: int | None = None
        self.stopped_owner: int | None = None

    def look(self, session: int) -> None:
        """Update, unless it did just now; `session`: the pid of the started process."""
        if monotonic() - self._looked_at < _LOOK_S:
            return
        self._looked_at = monotonic()
        processes = running()
        own = [process for process in processes if process.session == session]
        others = [process for process in processes if process.session != session and self._concerns(process)]
        self.runs = bool(own)
        self.stopped = _stopped(own)
        self.stopped_owner = _stopped(process for process in others if process.pid in self._owners)
        self.rest.look({process.pid: process.busy_s() for process in (*own, *others)})

    def _concerns(self, process: Running) -> bool:
        if process.pid in self._owners:
            return True
        return process.started >= self._since and is_on(process.pid, self._display)


def _stopped(processes: Iterable[Running]) -> int | None:
    return next((process.pid for process in processes if process.stopped), None)
