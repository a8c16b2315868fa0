"""What keeps an agent off a desktop that a person uses."""

from collections.abc import Callable

import anyio
import pytest

from deskhand.core.errors import DesktopBusy, PersonActs, PersonStays
from deskhand.desktop.user_guard import Guard, GuardRules, PauseEnd, PersonMode

pytestmark = pytest.mark.requires("guard.person")

QUIET_S = 0.05


class Told:
    """A guard, what it told, and what happens when it begins to wait."""

    def __init__(self, person: PersonMode = PersonMode.PAUSE, *, patience_s: float = 5.0) -> None:
        self.began = anyio.current_time()
        self.guard = Guard(self._time)
        self.guard.rules = GuardRules(person, QUIET_S, patience_s)
        self.waits: list[str] = []
        self.ends: list[tuple[PauseEnd, float]] = []
        self.stops = 0
        self.then: Callable[[], None] = lambda: None
        self.guard.on_pause = self._paused
        self.guard.on_resume = lambda how, seconds: self.ends.append((how, seconds))
        self.guard.on_stop = self._stopped

    def _time(self) -> float:
        """No time passes before the first wait: on a busy machine the user would be quiet by then."""
        return anyio.current_time() if self.waits else self.began

    def _paused(self, what: str) -> None:
        self.waits.append(what)
        self.then()

    def _stopped(self) -> None:
        self.stops += 1


async def test_nothing_is_kept_off_where_nobody_acts() -> None:
    it = Told()
    it.guard.check()
    await it.guard.free()
    assert (it.waits, it.ends) == ([], [])


async def test_it_goes_on_when_they_were_quiet_long_enough_and_no_sooner() -> None:
    it = Told()
    began = it.began
    it.guard.person("moved the pointer")
    with pytest.raises(PersonActs, match="the user moved the pointer"):
        it.guard.check()
    with anyio.fail_after(5):
        await it.guard.free()
    it.guard.check()
    ((how, seconds),) = it.ends
    assert anyio.current_time() - began >= QUIET_S
    assert it.waits == ["the user moved the pointer"]
    assert how is PauseEnd.QUIET
    assert 0 < seconds <= anyio.current_time() - began


async def test_whoever_holds_a_button_is_not_quiet() -> None:
    it = Told(patience_s=4 * QUIET_S)
    it.guard.person("pressed a mouse button", holding=True)
    with pytest.raises(PersonStays), anyio.fail_after(5):
        await it.guard.free()
    it.guard.person("released a mouse button")
    assert it.ends[0][0] is PauseEnd.TIMEOUT


async def test_after_as_long_as_is_waited_it_gives_up_and_waits_anew_only_when_they_were_quiet() -> None:
    it = Told(patience_s=QUIET_S)
    it.guard.person("typed", holding=True)
    for _ in range(3):
        with pytest.raises(PersonStays), anyio.fail_after(5):
            await it.guard.free()
    assert it.waits == ["the user typed"]
    it.guard.rules = GuardRules(PersonMode.PAUSE, 0.0)
    it.guard.person("released a key")
    await it.guard.free()
    it.guard.rules = GuardRules(PersonMode.PAUSE, QUIET_S, 5.0)
    it.guard.person("typed again")
    with anyio.fail_after(5):
        await it.guard.free()
    assert it.waits == ["the user typed", "the user typed again"]


async def test_who_is_ignored_keeps_nothing_off() -> None:
    it = Told(PersonMode.IGNORE)
    it.guard.person("moved the pointer")
    it.guard.check()
    assert it.stops == 0


async def test_where_a_person_means_the_end_they_stop_it_once() -> None:
    it = Told(PersonMode.STOP)
    it.guard.person("moved the pointer")
    it.guard.person("pressed a key")
    assert (it.stops, it.guard.stopped) == (1, "the user moved the pointer")
    with pytest.raises(PersonActs):
        it.guard.check()


async def test_what_was_sent_is_told() -> None:
    it = Told()
    it.guard.person("pressed a key")
    with pytest.raises(PersonActs) as raised:
        it.guard.check(("3 of 9 keys",))
    assert raised.value.sent == ("3 of 9 keys",)
    assert "3 of 9 keys had been sent" in raised.value.message


async def test_a_wait_that_is_cancelled_is_told_as_stopped() -> None:
    it = Told()
    it.guard.person("pressed a key", holding=True)
    with anyio.CancelScope() as scope:
        it.then = scope.cancel
        await it.guard.free()
    assert [how for how, _ in it.ends] == [PauseEnd.STOPPED]


async def test_while_a_viewer_is_open_the_rules_for_it_hold_and_no_longer() -> None:
    it = Told()
    it.guard.set_rules(GuardRules(), GuardRules(PersonMode.PAUSE, QUIET_S))
    it.guard.person("moved the pointer")
    it.guard.check()
    it.guard.viewer(is_open=True)
    it.guard.person("moved the pointer")
    with pytest.raises(PersonActs):
        it.guard.check()
    it.guard.viewer(is_open=False)
    await it.guard.free()
    it.guard.person("moved the pointer")
    it.guard.check()


async def test_what_they_held_in_a_viewer_that_is_gone_is_waited_for_no_longer() -> None:
    it = Told()
    it.guard.person("pressed a mouse button", holding=True)
    it.then = it.guard.let_go
    with anyio.fail_after(5):
        await it.guard.free()
    it.guard.check()


@pytest.mark.requires("control.take-over")
async def test_an_action_that_waits_while_a_user_has_the_desktop_is_not_sent_after_it() -> None:
    guard = Guard()
    sent: list[str] = []

    async def act() -> None:
        with pytest.raises(PersonActs, match="a user had the desktop meanwhile"):
            async with guard.acting():
                sent.append("stale")

    guard.hold("Ada")
    async with anyio.create_task_group() as group:
        group.start_soon(act)
        await anyio.wait_all_tasks_blocked()
        guard.hand_back()
    assert sent == []


@pytest.mark.requires("control.take-over")
async def test_one_user_has_the_desktop_and_a_running_action_ends_by_itself_or_is_cut_short() -> None:
    guard = Guard()
    async with guard.acting():
        guard.hold("Ada")
        with pytest.raises(DesktopBusy, match="Ada has the desktop"):
            guard.hold("Grace")
        guard.check()
        async with anyio.create_task_group() as group:
            group.start_soon(guard.cut_short)
            await anyio.wait_all_tasks_blocked()
            with pytest.raises(PersonActs, match="Ada has the desktop"):
                guard.check()
            group.cancel_scope.cancel()
