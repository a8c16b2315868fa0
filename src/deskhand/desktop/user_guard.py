"""Guard of a desktop that a user shares with an agent. Knows no backend: watchers report to it, input and sessions ask
it.
"""

import math
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic

import anyio

from deskhand.core.errors import DesktopBusy, PersonActs, PersonStays


class PersonMode(StrEnum):
    """Reaction to a user at the desktop: the agent waits, ends, or continues all the same."""

    PAUSE = "pause"
    STOP = "stop"
    IGNORE = "ignore"


class PauseEnd(StrEnum):
    """End of a wait for the user: quiet, handed back, the user still acted at the timeout, or stopped."""

    QUIET = "quiet"
    HANDED_BACK = "handed_back"
    TIMEOUT = "timeout"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class GuardRules:
    """`quiet_s`: seconds without input before the agent continues. `patience_s`: timeout of that wait, 0 for none.
    `stop_key`: a chord such as `ctrl+alt+shift+escape` that stops the agent; empty: none.
    """

    person: PersonMode = PersonMode.IGNORE
    quiet_s: float = 3.0
    patience_s: float = 300.0
    stop_key: str = ""

    @property
    def watches(self) -> bool:
        return self.person is not PersonMode.IGNORE or bool(self.stop_key)


class Guard:
    """Guard of one desktop, opened once. `paused`, `stopped` and `check` are for any thread, all else for the event
    loop.

    A user may also take the desktop over by name, whatever the rules are: until it is handed back, no action begins.

    `on_pause` gets the reason when a wait begins, as a sentence, `on_resume` how it ended and its seconds, `on_stop` is
    called when the user stops the work; callers that set one return fast, and set it back. `held_by`: the user who has
    taken the desktop over; empty: nobody. `has_viewer`: a viewer that may send a user's input is open at the desktop.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self.rules = self._usual = self._with_viewer = GuardRules()
        self.has_viewer = False
        self.stopped = ""
        self.on_pause: Callable[[str], None] = _nothing
        self.on_resume: Callable[[PauseEnd, float], None] = _nothing
        self.on_stop: Callable[[], None] = _nothing
        self.held_by = ""
        self._cuts_short = False
        self._acting = self._hand_backs = 0
        self._what = ""
        self._last_s = -math.inf
        self._holding = False
        self._gave_up = False
        self._news = anyio.Event()

    def set_rules(self, usual: GuardRules, with_viewer: GuardRules) -> None:
        """Guard by `usual`, and while there is a viewer by `with_viewer`."""
        self._usual, self._with_viewer = usual, with_viewer
        self.rules = with_viewer if self.has_viewer else usual

    def viewer(self, *, is_open: bool) -> None:
        """Record whether a viewer that may send input is open."""
        self.has_viewer = is_open
        self.rules = self._with_viewer if is_open else self._usual

    def let_go(self) -> None:
        """Record that what the user held is released, as where a viewer's client is gone."""
        self._holding = False
        self._wake()

    @property
    def paused(self) -> str:
        """Why no action begins now, as a sentence; empty where one may."""
        if self.held_by:
            return f"{self.held_by} has the desktop"
        return f"the user {self._what}" if self._left_s() > 0 else ""

    def hold(self, who: str) -> None:
        """Let no action begin until `hand_back`; one that runs goes on. Raises: DesktopBusy if another user has it."""
        if self.held_by and self.held_by != who:
            raise DesktopBusy(
                f"{self.held_by} has the desktop already", fix="Wait until it is handed back: deskhand hand-back."
            )
        self.held_by = who
        self._wake()

    async def cut_short(self) -> None:
        """End the running action at its next key or click, for the user who has the desktop; return when it ended."""
        self._cuts_short = True
        try:
            await self.idle()
        finally:
            self._cuts_short = False

    def hand_back(self) -> None:
        """Let actions begin again at once."""
        self.held_by = ""
        self._hand_backs += 1
        self._last_s, self._holding = -math.inf, False
        self._wake()

    @asynccontextmanager
    async def acting(self) -> AsyncGenerator[None]:
        """Begin an action once nobody keeps it off; `idle` waits for its end.

        Raises: PersonStays, as `free`; PersonActs where a user had taken the desktop over meanwhile: the action was
        decided before.
        """
        before = self._hand_backs
        await self.free()
        if self._hand_backs != before:
            raise PersonActs("Nothing was sent: a user had the desktop meanwhile.", fix="Observe the desktop again.")
        self._acting += 1
        try:
            yield
        finally:
            self._acting -= 1
            self._wake()

    async def idle(self) -> None:
        """Return when no action runs."""
        while self._acting:
            await self._news.wait()

    def person(self, what: str, *, holding: bool = False) -> None:
        """Record input of the user. `holding`: a key or button of theirs is down, so that they are not quiet."""
        if self.rules.person is PersonMode.IGNORE:
            return
        self._what, self._last_s, self._holding = what, self._clock(), holding
        if self.rules.person is PersonMode.STOP:
            self.stop(f"the user {what}")
        self._wake()

    def stop(self, why: str) -> None:
        """Stop the work for the user; reported once."""
        if not self.stopped:
            self.stopped = why
            self.on_stop()

    def check(self, sent: tuple[str, ...] = ()) -> None:
        """Raise PersonActs where nothing may be sent now; `sent`: the part of the action that was."""
        if what := self.stopped or ("" if self.held_by and not self._cuts_short else self.paused):
            told = f"{'; '.join(sent)} had been sent" if sent else "Nothing was sent"
            raise PersonActs(
                f"{told}: {what}.",
                fix="Wait until they have finished, and observe the desktop again.",
                sent=sent,
            )

    async def free(self) -> None:
        """Returns once nobody has acted for `rules.quiet_s`, and a desktop that was taken over is handed back.

        Raises: PersonStays after `rules.patience_s` of input, and from then on at once until somebody was quiet.
        """
        if not self.paused:
            self._gave_up = False
            return
        if self._gave_up and not self.held_by:
            raise self._stays()
        end, began = PauseEnd.STOPPED, self._clock()
        self.on_pause(self.paused)
        try:
            end = await self._quiet(began + (self.rules.patience_s or math.inf))
        finally:
            self.on_resume(end, self._clock() - began)
        if end is PauseEnd.TIMEOUT:
            self._gave_up = True
            raise self._stays()

    async def _quiet(self, until_s: float) -> PauseEnd:
        end = PauseEnd.QUIET
        while self.held_by or self._left_s():
            if self.held_by:
                end = PauseEnd.HANDED_BACK
                await self._news.wait()
                until_s = self._clock() + (self.rules.patience_s or math.inf)
                continue
            patience_s = until_s - self._clock()
            if patience_s <= 0:
                return PauseEnd.TIMEOUT
            with anyio.move_on_after(min(self._left_s(), patience_s)):
                await self._news.wait()
        return end

    def _left_s(self) -> float:
        """Seconds without input until it counts as quiet; 0: it is."""
        return math.inf if self._holding else max(0.0, self._last_s + self.rules.quiet_s - self._clock())

    def _wake(self) -> None:
        self._news.set()
        self._news = anyio.Event()

    def _stays(self) -> PersonStays:
        return PersonStays(
            f"The user has used the desktop for {self.rules.patience_s:g} s without a pause of "
            f"{self.rules.quiet_s:g} s: nothing was sent.",
            fix="Try again when it is not in use; system.person_timeout and system.person_quiet_s set the times.",
        )


def _nothing(*_: object) -> None:
    return
