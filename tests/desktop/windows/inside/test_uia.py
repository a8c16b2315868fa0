"""The backend with controls of UI Automation, which are in memory here: Wine 8 has none, and Windows was not tried."""

import ctypes
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from deskhand.core.errors import (
    ActionRefused,
    ApplicationUnresponsive,
    ElementStale,
    MissingRequirement,
    NotOffered,
    TargetDisabled,
)
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.accessibility import Caret
from deskhand.desktop.protocols.windows import Application
from deskhand.desktop.windows.controls import Controls
from deskhand.desktop.windows.desktop import WindowsDesktop, open_windows
from deskhand.desktop.windows.uia.controls import UiaControls
from deskhand.desktop.windows.uia.numbers import Result
from desktop.conformance import PATIENCE_S
from desktop.windows.uia.fake_automation import FakeAutomation
from desktop.windows.uia.fake_controls import Control
from desktop.windows.uia.programs import dialog


@dataclass
class Opened:
    """The fixture's window, and the program that UI Automation exposes for it."""

    desktop: WindowsDesktop
    window: TargetInfo
    root: Control

    async def control(self, name: str, role: Role) -> TargetInfo:
        found = (await self.desktop.observe(self.window, picture=False)).controls
        return next(each for each in found if (each.name, each.type) == (name, role))


@pytest.fixture
async def opened(tmp_path: Path) -> AsyncIterator[Opened]:
    async with open_windows() as desktop:
        fixture = Application(
            "fixture", (os.environ["DESKHAND_FIXTURE"], str(tmp_path / "state.json")), window="^Fixture$"
        )
        window = await desktop.launch(fixture)
        root = dialog()
        root.handle = int(window.handle)
        left, top = window.rect.left, window.rect.top
        for each in (root, *root.descendants()):
            x, y, right, bottom = each.rect
            each.rect = (x + left, y + top, right + left, bottom + top)
        desktop.controls = Controls(UiaControls(FakeAutomation(root).connection))
        desktop.controls.sources = ("uia",)
        yield Opened(desktop, window, root)
        with anyio.fail_after(PATIENCE_S):
            await anyio.run_process(["taskkill", "/f", "/im", "fixture.exe"], check=False)


async def test_controls_are_observed_and_read(opened: Opened) -> None:
    desktop = opened.desktop
    name = await opened.control("Name", Role.TEXTBOX)
    assert await desktop.read_text(name) == "Ada\nLovelace"
    assert await desktop.read_text(await opened.control("Password", Role.PASSWORD)) == ""
    assert await desktop.read_table(await opened.control("Costs", Role.TABLE)) == (("Rent", "900"), ("Heating", "120"))
    assert await desktop.selected_count(await opened.control("Size", Role.LIST)) == 1
    assert await desktop.number_limits(await opened.control("Quality", Role.SLIDER)) == (0.0, 100.0)
    assert await desktop.description(await opened.control("Bold", Role.BUTTON)) == "Bold text"
    document = await opened.control("", Role.TEXTBOX)
    assert await desktop.caret(document) == Caret(19, 5, 8)
    with pytest.raises(ActionRefused, match="no caret"):
        await desktop.caret(name)
    assert (await desktop.resolve(name)).handle == name.handle


async def test_controls_are_operated(opened: Opened) -> None:
    desktop, root = opened.desktop, opened.root
    pressed: list[str] = []
    root.find("Print").on_invoke = lambda: pressed.append("Print")
    await desktop.do_action(await opened.control("Print", Role.BUTTON))
    await desktop.do_action(await opened.control("Colour", Role.CHECKBOX), "press")
    await desktop.select(await opened.control("A5", Role.LISTITEM))
    await desktop.set_value(await opened.control("Quality", Role.SLIDER), 12.5)
    await desktop.put_caret(await opened.control("", Role.TEXTBOX), 0, 4)
    name = await opened.control("Name", Role.TEXTBOX)
    await desktop.set_text(name, "Grace")
    assert await desktop.focus(name)
    assert (pressed, root.find("Colour").toggled, root.find("A5").selected) == (["Print"], 0, True)
    assert (root.find("Quality").number or (0,))[0] == 12.5
    assert (root.find("").selection, (await opened.control("Name", Role.TEXTBOX)).value) == ((0, 4), "Grace")


async def test_failures_are_those_of_the_contract(opened: Opened) -> None:
    desktop, root = opened.desktop, opened.root
    with pytest.raises(TargetDisabled):
        await desktop.do_action(await opened.control("Delete", Role.BUTTON))
    size = await opened.control("A3", Role.LISTITEM)
    with pytest.raises(NotOffered):
        await desktop.do_action(size, "fly")
    root.find("A3").failure = Result.UIA_E_ELEMENTNOTENABLED
    with pytest.raises(TargetDisabled):
        await desktop.select(size)
    root.find("Size").children.pop(0)
    with pytest.raises(ElementStale):
        await desktop.select(size)
    root.failure = Result.UIA_E_TIMEOUT
    with pytest.raises(ApplicationUnresponsive):
        await desktop.observe(opened.window, picture=False)


async def test_a_password_is_painted_over(opened: Opened) -> None:
    place = (await opened.control("Password", Role.PASSWORD)).rect
    picture = await opened.desktop.screenshot(place)
    assert {picture.pixels[at : at + 4] for at in range(0, len(picture.pixels), 4)} == {b"\xc0\xc0\xc0\x00"}


async def test_of_both_sources_the_messages_of_win32_serve_a_window_that_has_its_controls(opened: Opened) -> None:
    opened.desktop.controls.sources = ("win32", "uia")
    found = (await opened.desktop.observe(opened.window, picture=False)).controls
    assert "Costs" not in {each.name for each in found}
    assert len(found) > 5


async def test_asking_for_what_is_not_there_is_an_error_that_says_what_to_do() -> None:
    if not hasattr(ctypes.windll.ntdll, "wine_get_version"):
        pytest.skip("not run: this Windows has UI Automation")
    async with open_windows() as desktop:
        desktop.controls.sources = ("uia",)
        window = await desktop.launch(Application("notepad", ("notepad.exe",)))
        with pytest.raises(MissingRequirement, match="UI Automation is not there") as raised:
            await desktop.observe(window)
        assert "system.control_backend" in raised.value.fix
        with anyio.fail_after(PATIENCE_S):
            await anyio.run_process(["taskkill", "/f", "/im", "notepad.exe"], check=False)
