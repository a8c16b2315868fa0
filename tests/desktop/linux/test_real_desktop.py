"""What only a real X server and real accessibility bus can show."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from Xlib.display import Display

from deskhand.core.errors import ActionRefused, ApplicationGone, DesktopGone, ElementStale
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import BUS, BUS_PATH, BusTransport, Call
from deskhand.desktop.linux.desktop import attach
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.windows import Quiet
from desktop.conformance import find
from desktop.linux.fixture import LinuxUnderTest, a11y_address, launch_fixture, linux_desktop

pytestmark = pytest.mark.desktop

LARGE = os.urandom(3_000_000)


@pytest.fixture(scope="module")
async def under_test(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxUnderTest]:
    folder = tmp_path_factory.mktemp("desktop")
    async with linux_desktop(folder) as desktop:
        yield await launch_fixture(desktop, folder / "state.json")


@asynccontextmanager
async def _transport(under_test: LinuxUnderTest) -> AsyncGenerator[BusTransport]:
    transport = await BusTransport.connect(await a11y_address(under_test.desktop.environment))
    try:
        yield transport
    finally:
        await transport.close()


def _application(under_test: LinuxUnderTest, handle: str) -> Ref:
    ref = calls.parse_handle(handle)
    assert ref is not None
    return ref


# Calls


async def test_thousands_of_calls_at_once_are_all_answered(under_test: LinuxUnderTest) -> None:
    button = _application(under_test, (await find(under_test, "Press me", Role.BUTTON)).handle)
    async with _transport(under_test) as transport:
        replies = await transport.batch([calls.get_name(button)] * 3000, deadline_s=20)
        assert {calls.text_in(reply) for reply in replies} == {"Press me"}


async def test_each_kind_of_failure_has_its_own_error(under_test: LinuxUnderTest) -> None:
    button = _application(under_test, (await find(under_test, "Press me", Role.BUTTON)).handle)
    async with _transport(under_test) as transport:
        with pytest.raises(ApplicationGone):
            await transport.call(calls.get_name(Ref(":1.9999", button.path)), deadline_s=5)
        with pytest.raises(ElementStale):
            await transport.call(calls.get_role(Ref(button.bus, "/org/a11y/atspi/accessible/987654321")), deadline_s=5)
        with pytest.raises(ActionRefused):
            await transport.call(calls.get_text(button), deadline_s=5)
        assert calls.text_in(await transport.call(calls.get_name(button), deadline_s=5)) == "Press me"


async def test_a_closed_bus_fails_calls_at_once(under_test: LinuxUnderTest) -> None:
    async with _transport(under_test) as transport:
        await transport.close()
        with pytest.raises(DesktopGone), anyio.fail_after(5):
            await transport.call(Call(BUS, BUS_PATH, BUS, "GetId"), deadline_s=60)


# Windows and popups


async def test_a_context_menu_is_seen_with_its_window_and_its_items_act(under_test: LinuxUnderTest) -> None:
    desktop = under_test.desktop
    await desktop.activate(under_test.window)
    box = await find(under_test, "Name", Role.TEXTBOX)
    await desktop.set_text(box, "selected")
    await desktop.click(box.rect.center, button=MouseButton.RIGHT)
    assert "enabled" in (await find(under_test, "Select All", Role.MENUITEM)).states
    await desktop.click((await find(under_test, "Select All", Role.MENUITEM)).rect.center)
    await desktop.press([Chord("x", ("ctrl",))])
    await under_test.eventually(lambda state: state.name == "")
    assert await desktop.read_clipboard() == b"selected"


async def test_an_open_menu_is_part_of_its_window(under_test: LinuxUnderTest) -> None:
    desktop = under_test.desktop
    await desktop.activate(under_test.window)
    await desktop.click((await find(under_test, "File", Role.MENU)).rect.center)
    item = await find(under_test, "Open dialog...", Role.MENUITEM)
    assert not item.rect.empty
    await desktop.press([Chord("esc")])
    await desktop.settle(under_test.window)
    seen = await desktop.observe(under_test.window, picture=False)
    assert "Open dialog..." not in [c.name for c in seen.controls]


async def test_activating_brings_a_covered_window_to_the_front(under_test: LinuxUnderTest, tmp_path: Path) -> None:
    desktop = under_test.desktop
    other = await launch_fixture(desktop, tmp_path / "other.json")
    for wanted in (under_test.window, other.window, under_test.window):
        await desktop.activate(wanted)
        assert (await desktop.windows())[0].handle == wanted.handle
    await other.kill()


async def test_a_title_that_two_processes_share_is_no_mix_up(under_test: LinuxUnderTest, tmp_path: Path) -> None:
    other = await launch_fixture(under_test.desktop, tmp_path / "other.json")
    assert other.window.name == under_test.window.name
    mine = await under_test.desktop.observe(under_test.window, picture=False)
    theirs = await under_test.desktop.observe(other.window, picture=False)
    assert not {c.handle for c in mine.controls} & {c.handle for c in theirs.controls}
    await other.kill()


# Clipboard


@pytest.mark.parametrize("data", [b"", b"short", LARGE], ids=["empty", "short", "large"])
async def test_other_programs_get_what_was_offered(under_test: LinuxUnderTest, data: bytes) -> None:
    visitor = await attach(await under_test.place())
    await under_test.desktop.offer_clipboard({"application/x-one": data, "UTF8_STRING": b"two"})
    assert await visitor.read_clipboard("application/x-one", deadline_s=10) == data
    assert await visitor.read_clipboard() == b"two"
    targets = (await visitor.read_clipboard("TARGETS") or b"").decode().splitlines()
    assert {"application/x-one", "UTF8_STRING", "TARGETS"} <= set(targets)
    await visitor.close()


async def test_a_new_owner_takes_the_clipboard_over(under_test: LinuxUnderTest) -> None:
    visitor = await attach(await under_test.place())
    await under_test.desktop.offer_clipboard({"UTF8_STRING": b"old"})
    await visitor.offer_clipboard({"UTF8_STRING": b"new"})
    assert await under_test.desktop.read_clipboard() == b"new"
    await visitor.close()
    assert await under_test.desktop.read_clipboard(deadline_s=0.5) == b""


# Pictures


async def test_a_picture_shows_what_is_on_the_screen(under_test: LinuxUnderTest) -> None:
    corner = Rect(1200, 700, 1210, 710)
    before = await under_test.desktop.screenshot(corner)
    display = Display(under_test.desktop.environment["DISPLAY"])
    red = display.screen().root.create_window(1190, 690, 40, 40, 0, 24, background_pixel=0xFF0000, override_redirect=1)
    red.map()
    display.sync()

    async def is_red() -> bool | None:
        shot = await under_test.desktop.screenshot(corner)
        return True if shot.rgb == bytes((255, 0, 0)) * 100 else None

    assert before.rgb != bytes((255, 0, 0)) * 100
    assert await under_test.desktop.wait_until(is_red, deadline_s=5)
    display.close()


# Waiting


@pytest.mark.requires("desktop.settle")
async def test_an_application_settles_when_its_work_ends_and_not_before(under_test: LinuxUnderTest) -> None:
    desktop = under_test.desktop
    box = await find(under_test, "Name", Role.TEXTBOX)
    settled: list[Quiet] = []

    async def write_on() -> None:
        while True:
            for text in ("one", "another"):
                await desktop.set_text(box, text)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write_on)
        settled.append((await desktop.settle(under_test.window, deadline_s=0.5)).reason)
        tasks.cancel_scope.cancel()
    settled.append((await desktop.settle(under_test.window, deadline_s=20)).reason)
    assert settled == [Quiet.DEADLINE, Quiet.SETTLED]


async def test_settling_ends_after_an_action(under_test: LinuxUnderTest) -> None:
    button = await find(under_test, "Press me", Role.BUTTON)
    pressed = under_test.state().pressed
    await under_test.desktop.do_action(button)
    assert (await under_test.desktop.settle(under_test.window, deadline_s=20)).reason is Quiet.SETTLED
    assert under_test.state().pressed == pressed + 1
