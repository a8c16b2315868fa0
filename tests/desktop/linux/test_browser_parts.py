"""What a window of Chromium shows beside its page: menus, its find bar, dialogs; the titles say what was done."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from deskhand.commands.key_syntax import parse_keys
from deskhand.core.command import Effect
from deskhand.core.errors import TargetCovered, TargetHidden
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.screen import Aim
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop

pytestmark = [pytest.mark.desktop, pytest.mark.requires("observe.chromium")]

PAGE: Final = """<!doctype html><title>Parts</title><button onclick="alert('Said')">Alert</button>
<button onclick="document.title = 'Pressed'">Press</button>
<button style="position:fixed;inset:40px 0 0 0;width:100%" onclick="document.title = 'Under'">Under</button>"""


@asynccontextmanager
async def browser(tmp_path: Path, *flags: str) -> AsyncGenerator[tuple[LinuxDesktop, TargetInfo]]:
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("chromium", ("chromium", *flags, page.as_uri()), window="Parts"))
        yield desktop, window


async def found(desktop: LinuxDesktop, window: TargetInfo, role: Role, name: str) -> TargetInfo:
    async def look() -> TargetInfo | None:
        seen = await desktop.observe(window, picture=False)
        controls = (each for each in seen.controls if each.type is role)
        return next((each for each in controls if each.name.startswith(name)), None)

    control = await desktop.wait_until(look, deadline_s=20)
    assert control is not None, f"no {role} {name!r} came"
    return control


async def comes_to_be_called(desktop: LinuxDesktop, window: TargetInfo, title: str, *, deadline_s: float = 20) -> bool:
    async def called() -> bool | None:
        names = [now.name for now in await desktop.windows() if now.handle == window.handle]
        return True if names and names[0].startswith(title) else None

    return bool(await desktop.wait_until(called, deadline_s=deadline_s))


@pytest.mark.full("menus of a browser are tried in another test")
async def test_what_is_scrolled_out_of_a_menu_of_a_browser_or_under_its_arrows_is_not_listed(
    tmp_path: Path,
) -> None:
    async with browser(tmp_path, "--force-device-scale-factor=2") as (desktop, window):
        tools = Tools(desktop)
        menu = await found(desktop, window, Role.BUTTON, "Chromium")
        assert (await tools.run(window, "click_input", menu)).effect is Effect.CONFIRMED
        first = await found(desktop, window, Role.MENUITEM, "New tab")
        assert "Settings" not in await items(desktop, window)
        under = first.rect
        await desktop.press(parse_keys("{END}"))
        settings = await found(desktop, window, Role.MENUITEM, "Settings")
        now = await items(desktop, window)
        assert "New tab" not in now
        assert all(item.rect.top >= under.top + under.height // 2 for item in now.values()), "an arrow is there"
        assert (await tools.run(window, "click_input", settings)).effect is Effect.CONFIRMED
        assert await comes_to_be_called(desktop, window, "Settings")


async def items(desktop: LinuxDesktop, window: TargetInfo) -> dict[str, TargetInfo]:
    seen = await desktop.observe(window, picture=False)
    return {each.name.split(" Ctrl")[0]: each for each in seen.controls if each.type is Role.MENUITEM}


@pytest.mark.full("the others take the same way", but=["1.5"])
@pytest.mark.parametrize("scale", [1, 1.5])
async def test_menus_of_a_browser_are_listed_and_their_items_clicked(scale: float, tmp_path: Path) -> None:
    async with browser(tmp_path, f"--force-device-scale-factor={scale}") as (desktop, window):
        tools = Tools(desktop)
        button = await found(desktop, window, Role.BUTTON, "Press")
        assert (await tools.run(window, "click_input", button, button="right")).effect is Effect.CONFIRMED
        assert (await found(desktop, window, Role.MENUITEM, "Reload")).rect.intersection(window.rect).area > 0
        await desktop.press(parse_keys("{ESC}"))

        menu = await found(desktop, window, Role.BUTTON, "Chromium")
        assert (await tools.run(window, "click_input", menu)).effect is Effect.CONFIRMED
        history = await found(desktop, window, Role.MENUITEM, "History")
        assert (await tools.run(window, "click_input", history)).effect is Effect.CONFIRMED
        page = await found(desktop, window, Role.MENUITEM, "Open history page")
        assert (await tools.run(window, "click_input", page)).effect is Effect.CONFIRMED
        assert await comes_to_be_called(desktop, window, "History")


@pytest.mark.full("the find bar is rare; test_messages has a dialog of a page")
async def test_the_page_is_listed_beside_the_find_bar_and_a_dialog_that_have_the_keyboard(tmp_path: Path) -> None:
    async with browser(tmp_path) as (desktop, window):
        tools = Tools(desktop)
        await found(desktop, window, Role.BUTTON, "Press")
        await desktop.activate(window)
        await desktop.press(parse_keys("{VK_CONTROL}f"))
        assert "focused" in (await found(desktop, window, Role.TEXTBOX, "Find")).states
        press = await found(desktop, window, Role.BUTTON, "Press")
        assert (await tools.run(window, "click_input", press)).effect is Effect.CONFIRMED
        assert await comes_to_be_called(desktop, window, "Pressed")

        alert = await found(desktop, window, Role.BUTTON, "Alert")
        assert (await tools.run(window, "click_input", alert)).effect is Effect.CONFIRMED
        assert "focused" in (await found(desktop, window, Role.BUTTON, "OK")).states
        seen = await desktop.observe(window, picture=False)
        assert {"Press", "Alert", "Reload", "OK"} <= {each.name for each in seen.controls if each.type is Role.BUTTON}


@pytest.mark.full("controls of another tab are rare")
async def test_what_stands_in_the_page_of_another_tab_is_refused(tmp_path: Path) -> None:
    async with browser(tmp_path) as (desktop, window):
        tools = Tools(desktop)
        press = await found(desktop, window, Role.BUTTON, "Press")
        await desktop.activate(window)
        await desktop.press(parse_keys("{VK_CONTROL}t"))
        assert await comes_to_be_called(desktop, window, "New Tab")
        assert not {"showing", "visible"} & (await desktop.resolve(press)).states
        for command in ("click_input", "invoke"):
            refused = await tools.run(window, command, press)
            assert refused.error is not None, refused.evidence
            assert refused.error.type == TargetHidden.__name__
        await desktop.press(parse_keys("{VK_CONTROL}1"))
        assert await comes_to_be_called(desktop, window, "Parts")
        assert (await tools.run(window, "click_input", press)).effect is Effect.CONFIRMED
        assert await comes_to_be_called(desktop, window, "Pressed")


@pytest.mark.full("bubbles of a browser are rare")
@pytest.mark.requires("act.pressed-itself")
@pytest.mark.parametrize("scale", [1.0, 1.5])
async def test_what_lies_under_a_bubble_or_a_dialog_of_the_browser_is_not_clicked(scale: float, tmp_path: Path) -> None:
    async with browser(tmp_path, f"--force-device-scale-factor={scale}") as (desktop, window):
        tools = Tools(desktop)
        under = await found(desktop, window, Role.BUTTON, "Under")
        await desktop.activate(window)
        await desktop.press(parse_keys("{VK_CONTROL}d"))
        bubble = (await found(desktop, window, Role.DIALOG, "Bookmark added")).rect
        with pytest.raises(TargetCovered, match='dialog "Bookmark added"'):
            await desktop.aim(window, Rect.from_extents(bubble.center.x, bubble.center.y, 2, 2), under)
        await desktop.press(parse_keys("{ESC}"))
        beside = Rect.from_extents(bubble.left - 40, bubble.bottom + 40, 2, 2)

        async def aimed() -> Aim | None:  # it may go on telling for a moment what was there before
            try:
                return await desktop.aim(window, beside, under)
            except TargetCovered:
                return None

        aim = await desktop.wait_until(aimed, deadline_s=20)
        assert aim is not None
        assert aim.point == beside.center
        await desktop.press(parse_keys("{VK_CONTROL}p"))
        await found(desktop, window, Role.WINDOW, "Print")
        refused = await tools.run(window, "click_input", under)
        assert refused.effect is Effect.REFUSED, refused
        assert not await comes_to_be_called(desktop, window, "Under", deadline_s=1)
