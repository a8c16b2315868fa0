"""A row that holds a button in its middle is pressed where it is its own; the title says what was pressed.

A row that holds nothing but a button is called as that is, which stands for it.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from support import ROOT

pytestmark = [pytest.mark.desktop, pytest.mark.requires("act.pressed-itself")]

PATIENCE_S = 10.0


@asynccontextmanager
async def rows_of(gtk: str, folder: Path) -> AsyncGenerator[tuple[LinuxDesktop, TargetInfo]]:
    argv = ("/usr/bin/python3", str(ROOT / "tests/apps/held_gtk.py"), gtk)
    async with linux_desktop(folder) as desktop:
        yield desktop, await desktop.launch(Application("rows", argv, window="^Pressed:"))


async def click(desktop: LinuxDesktop, window: TargetInfo, role: Role, name: str) -> None:
    async def look() -> TargetInfo | None:
        seen = await desktop.observe(window, picture=False)
        return next((each for each in seen.controls if each.type is role and each.name.startswith(name)), None)

    found = await desktop.wait_until(look, deadline_s=PATIENCE_S)
    assert found is not None, name
    now = await desktop.resolve(found)
    await desktop.click(await desktop.aim(window, now.rect, now))


async def pressed(desktop: LinuxDesktop, count: int) -> list[str]:
    """What was pressed, once it was so much."""

    async def told() -> list[str] | None:
        names = [window.name.partition("Pressed:")[2].split() for window in await desktop.windows()]
        return names[0] if names and len(names[0]) >= count else None

    return await desktop.wait_until(told, deadline_s=PATIENCE_S) or []


@pytest.mark.parametrize("gtk", ["3", "4"])
async def test_a_row_is_pressed_and_not_the_button_in_its_middle(gtk: str, tmp_path: Path) -> None:
    async with rows_of(gtk, tmp_path) as (desktop, window):
        await click(desktop, window, Role.LISTITEM, "One")
        await click(desktop, window, Role.LISTITEM, "Two")
        await click(desktop, window, Role.BUTTON, "Erase Two")
        await click(desktop, window, Role.LISTITEM, "All of it")
        assert await pressed(desktop, 4) == ["row0", "row1", "EraseTwo", "Allofit"]
