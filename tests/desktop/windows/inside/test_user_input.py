"""Input of others on the desktop of the user, told apart from that of this process."""

import ctypes
from collections.abc import Sequence

import anyio
import pytest

from deskhand.core.errors import PersonActs
from deskhand.core.geometry import Point
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.user_guard import GuardRules, PersonMode
from deskhand.desktop.windows import synthetic, system
from deskhand.desktop.windows.desktop import open_windows

_COMES_S = 5.0


def send_as_user(events: Sequence[system.InputEvent]) -> None:
    """Send events that do not have the mark of this process."""
    for event in events:
        event.either.key.extra = 0
    block = (system.InputEvent * len(events))(*events)
    assert system.send_input(len(events), ctypes.addressof(block), ctypes.sizeof(system.InputEvent)) == len(events)


def press_as_user(chord: Chord) -> None:
    send_as_user([*synthetic.keys_down(chord), *synthetic.keys_up(chord)])


@pytest.mark.requires("windows.user-input")
async def test_keys_of_the_user_pause_those_of_the_agent_do_not_and_the_stop_key_ends_the_work() -> None:
    async with open_windows() as desktop:
        rules = GuardRules(person=PersonMode.PAUSE, quiet_s=60.0, stop_key="ctrl+alt+shift+escape")
        assert await desktop.watch(rules) == ()
        await desktop.press([Chord("a")])
        await desktop.click(Point(300, 300))
        await desktop.press([Chord("b")])
        assert desktop.guard.paused == ""

        press_as_user(Chord("c"))
        assert await desktop.wait_until(lambda: _is(desktop.guard.paused), deadline_s=_COMES_S)
        assert desktop.guard.paused == "the user released a key"
        with pytest.raises(PersonActs, match="the user released a key"):
            await desktop.press([Chord("d")])

        desktop.guard.hand_back()
        await desktop.press([Chord("e")])
        stopped = anyio.Event()
        desktop.guard.on_stop = stopped.set
        press_as_user(Chord("esc", ("ctrl", "alt", "shift")))
        with anyio.fail_after(_COMES_S):
            await stopped.wait()
        assert desktop.guard.stopped == "the user pressed ctrl+alt+shift+escape"


async def _is(text: str) -> bool:
    return bool(text)
