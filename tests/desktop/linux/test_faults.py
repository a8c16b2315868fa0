"""What goes wrong outside ends in the error that names it, and in time."""

import os
import signal
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from time import monotonic

import anyio
import pytest
from Xlib.display import Display

from deskhand.core.errors import (
    ActionDeadline,
    ActionRefused,
    ApplicationUnresponsive,
    CaptureFailed,
    DesktopGone,
    LaunchFailed,
)
from deskhand.core.roles import Role
from deskhand.desktop.linux.desktop import attach
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application, Quiet
from desktop.conformance import find
from desktop.linux.fixture import LinuxUnderTest, launch_fixture, linux_desktop

pytestmark = pytest.mark.desktop


@pytest.fixture
async def under_test(tmp_path: Path) -> AsyncGenerator[LinuxUnderTest]:
    async with linux_desktop(tmp_path) as desktop:
        yield await launch_fixture(desktop, tmp_path / "state.json")


def _stop(under_test: LinuxUnderTest) -> None:
    assert under_test.window.pid is not None
    os.kill(under_test.window.pid, signal.SIGSTOP)


def _go_on(under_test: LinuxUnderTest) -> None:
    assert under_test.window.pid is not None
    os.kill(under_test.window.pid, signal.SIGCONT)


@pytest.mark.requires("desktop.deadlines")
async def test_a_stopped_application_delays_an_observation_by_its_deadline_at_most(under_test: LinuxUnderTest) -> None:
    before = await under_test.desktop.observe(under_test.window, picture=False)
    _stop(under_test)
    start = monotonic()
    with pytest.raises(ApplicationUnresponsive):
        await under_test.desktop.observe(under_test.window, deadline_s=0.5)
    assert monotonic() - start < 4.0, "less than without a deadline of its own"
    _go_on(under_test)
    after = await under_test.desktop.observe(under_test.window, picture=False)
    assert [c.handle for c in after.controls] == [c.handle for c in before.controls]


async def test_a_stopped_application_leaves_others_alone(under_test: LinuxUnderTest, tmp_path: Path) -> None:
    other = await launch_fixture(under_test.desktop, tmp_path / "other.json")
    _stop(under_test)
    seen = await under_test.desktop.observe(other.window, picture=False)
    assert seen.truncated is None
    assert len(await under_test.desktop.windows()) == 2
    _go_on(under_test)


async def test_acting_on_a_stopped_application_says_that_it_does_not_answer(under_test: LinuxUnderTest) -> None:
    box = await find(under_test, "Name", Role.TEXTBOX)
    _stop(under_test)
    with pytest.raises((ActionDeadline, ApplicationUnresponsive)), anyio.fail_after(10):
        await under_test.desktop.set_text(box, "late")
    _go_on(under_test)


async def test_settling_of_a_stopped_application_ends(under_test: LinuxUnderTest) -> None:
    _stop(under_test)
    settled = await under_test.desktop.settle(under_test.window, deadline_s=0.5)
    assert settled.reason is Quiet.DEADLINE
    _go_on(under_test)


async def test_a_program_that_fails_is_reported_with_its_last_words(under_test: LinuxUnderTest) -> None:
    program = Application("grumpy", ("sh", "-c", "echo out of luck >&2; exit 3"))
    start = monotonic()
    with pytest.raises(LaunchFailed, match=r"exit code 3(.|\n)*out of luck"):
        await under_test.desktop.launch(program, deadline_s=20)
    assert monotonic() - start < 10


async def test_what_a_program_says_again_and_again_is_told_once(under_test: LinuxUnderTest) -> None:
    program = Application("chatty", ("sh", "-c", "echo oh; echo no; echo oh; echo; echo no; exit 3"))
    with pytest.raises(LaunchFailed, match=r"Its output: oh\nno\n(?!oh)"):
        await under_test.desktop.launch(program, deadline_s=20)


async def test_a_program_that_hands_over_and_opens_nothing_is_told_as_such(under_test: LinuxUnderTest) -> None:
    with pytest.raises(LaunchFailed, match="ended with exit code 0 and showed no new window"):
        await under_test.desktop.launch(Application("shy", ("true",)), deadline_s=1)


async def test_a_program_without_a_window_fails_at_the_deadline(under_test: LinuxUnderTest) -> None:
    with pytest.raises(LaunchFailed, match="no window"):
        await under_test.desktop.launch(Application("shy", ("sleep", "60")), deadline_s=0.3)


async def test_an_unknown_key_is_refused_before_any_key_goes_down(under_test: LinuxUnderTest) -> None:
    await under_test.desktop.activate(under_test.window)
    await under_test.desktop.focus(await find(under_test, "Name", Role.TEXTBOX))
    with pytest.raises(ActionRefused):
        await under_test.desktop.press([Chord("a"), Chord("nonsense")])
    with pytest.raises(ActionRefused):
        await under_test.desktop.press([Chord("a", ("hyper",))])
    await under_test.desktop.settle(under_test.window)
    assert under_test.state().name == ""


async def test_no_key_stays_down_when_pressing_is_cancelled(under_test: LinuxUnderTest) -> None:
    display = under_test.desktop.environment["DISPLAY"]
    chords = [Chord("x", ("ctrl", "shift")), Chord("é", ("alt",))] * 100
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(under_test.desktop.press, chords)
            await anyio.lowlevel.checkpoint()
            scope.cancel()
    assert _keys_down(display) == 0


@pytest.mark.requires("desktop.typed-text")
async def test_characters_without_a_key_are_typed_and_the_keyboard_is_left_as_it_was(
    under_test: LinuxUnderTest,
) -> None:
    before = _keymap(under_test.desktop.environment["DISPLAY"])
    observer = await attach(await under_test.place())
    await under_test.desktop.activate(under_test.window)
    await under_test.desktop.focus(await find(under_test, "Name", Role.TEXTBOX))
    await observer.press([Chord(character) for character in "aé漢Ω字Ж"])
    assert (await under_test.eventually(lambda state: len(state.name) == 6)).name == "aé漢Ω字Ж"
    await observer.close()
    assert _keymap(under_test.desktop.environment["DISPLAY"]) == before


@pytest.mark.requires("desktop.display-gone")
async def test_a_dead_accessibility_bus_is_a_dead_desktop(under_test: LinuxUnderTest) -> None:
    second = await attach(await under_test.place())
    await second.screenshot()
    await under_test.desktop.close()
    with anyio.fail_after(10):
        with pytest.raises(DesktopGone):
            await second.observe(under_test.window)
        with pytest.raises(DesktopGone):
            await second.windows()
        with pytest.raises(CaptureFailed):
            await second.screenshot()
        await second.close()


async def test_nobody_answers_at_an_address_without_a_desktop(tmp_path: Path, under_test: LinuxUnderTest) -> None:
    with pytest.raises(DesktopGone):
        await attach(replace(await under_test.place(), a11y_address=f"unix:path={tmp_path}/nothing"))


def _keys_down(display: str) -> int:
    connection = Display(display)
    try:
        return sum(bytes(connection.query_keymap()))
    finally:
        connection.close()


def _keymap(display: str) -> list[tuple[int, ...]]:
    connection = Display(display)
    try:
        info = connection.display.info
        rows = connection.get_keyboard_mapping(info.min_keycode, info.max_keycode - info.min_keycode + 1)
        return [tuple(row) for row in rows]
    finally:
        connection.close()
