"""While a menu of one program is open no key goes to it that was meant for another program."""

from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import launch_fixture, linux_desktop
from support import ROOT

QT = ("/usr/bin/python3", str(ROOT / "tests/apps/menus_qt.py"))


async def text_of(desktop: LinuxDesktop, window: TargetInfo, role: Role) -> str:
    seen = await desktop.observe(window, picture=False)
    return next(control.value for control in seen.controls if control.type is role)


@pytest.mark.desktop
@pytest.mark.requires("act.foreign-menu")
async def test_keys_for_a_window_are_refused_while_a_menu_of_another_program_is_open(tmp_path: Path) -> None:
    """A menu of Qt closes when its window is left; one of GTK 3 does not."""
    async with linux_desktop(tmp_path) as desktop:
        keeping = (await launch_fixture(desktop, tmp_path / "state.json")).window
        other = await desktop.launch(Application("menus", (*QT, str(tmp_path / "opened")), window="^Menus$"))
        tools = Tools(desktop)
        held = await tools.run(keeping, "click_input", await tools.find(keeping, "File", Role.MENU))
        assert held.effect is Effect.CONFIRMED, held

        refused = await tools.run(other, "keyboard_input", None, keys="o{DOWN}{ENTER}")
        assert refused.error is not None, refused
        assert 'a menu of "Fixture" has it' in refused.error.message
        names = [window.name for window in await desktop.windows()]
        assert sorted(names) == ["Fixture", "Menus"], "a key chose the item of the menu that opens a dialog"

        closed = await tools.run(keeping, "keyboard_input", None, keys="{ESC}")
        assert closed.error is None, closed
        typed = await tools.run(other, "keyboard_input", await tools.find(other, "", Role.TEXTBOX), keys="ok")
        assert typed.effect is Effect.CONFIRMED, typed
        assert await text_of(desktop, other, Role.TEXTBOX) == "ok"
