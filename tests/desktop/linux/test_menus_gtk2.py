"""Menus of GTK 2, whose items never report that they are visible."""

from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.changing import APPS, SYSTEM_PYTHON
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop

pytestmark = [pytest.mark.desktop, pytest.mark.requires("observe.popups")]

ITEMS = {Role.MENUITEM, Role.MENU}


async def shown(desktop: LinuxDesktop, window: TargetInfo) -> list[str]:
    """The names of all menus and items, and of the label with the item chosen last."""
    seen = (await desktop.observe(window, picture=False)).controls
    return [control.name for control in seen if control.type in ITEMS or control.name.startswith("Chosen")]


@pytest.mark.full("few programs are left that use GTK 2")
async def test_open_menus_are_observed_and_their_items_chosen(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        argv = (SYSTEM_PYTHON, str(APPS / "menus_gtk2.py"))
        window = await desktop.launch(Application("menus", argv, window="^Menus of GTK 2$"))
        tools = Tools(desktop)
        assert await shown(desktop, window) == ["File", "Edit", "Chosen: nothing"]
        assert await tools.find(window, "Copy it", Role.BUTTON), "named by its tooltip"

        for tool in ("invoke", "click_input"):
            opened = await tools.run(window, tool, await tools.find(window, "File", Role.MENU))
            assert opened.effect is Effect.CONFIRMED, opened
            assert await shown(desktop, window) == ["File", "Open", "Recent", "Edit", await chosen(desktop, window)]
            inner = await tools.run(window, tool, await tools.find(window, "Recent", Role.MENU))
            assert inner.effect is Effect.CONFIRMED, inner
            name = "Deep one" if tool == "invoke" else "Deep two"
            done = await tools.run(window, tool, await tools.find(window, name, Role.MENUITEM))
            assert (done.effect, await chosen(desktop, window)) == (Effect.CONFIRMED, f"Chosen: {name}"), done
            assert await shown(desktop, window) == ["File", "Edit", f"Chosen: {name}"]

        await tools.run(window, "invoke", await tools.find(window, "File", Role.MENU))
        assert "Deep one" not in await shown(desktop, window), "of a menu that was open before"
        done = await tools.run(window, "click_input", await tools.find(window, "Open", Role.MENUITEM))
        assert (done.effect, await chosen(desktop, window)) == (Effect.CONFIRMED, "Chosen: Open"), done

        box = await tools.find(window, "Red", Role.COMBOBOX)
        assert (await tools.run(window, "select_item", box, item="Green")).effect is Effect.CONFIRMED
        assert await tools.find(window, "Green", Role.COMBOBOX)
        await names_the_missing_package(desktop)


async def chosen(desktop: LinuxDesktop, window: TargetInfo) -> str:
    return (await shown(desktop, window))[-1]


async def names_the_missing_package(desktop: LinuxDesktop) -> None:
    argv = (SYSTEM_PYTHON, str(APPS / "menus_gtk2.py"), "bare")
    bare = await desktop.launch(Application("bare", argv, window="^Menus of GTK 2$"))
    seen = await desktop.observe(bare, picture=False)
    assert all(Trait.READ_FROM_PICTURE in control.traits for control in seen.controls)
    assert seen.truncated is not None
    assert ": GTK 2 without its bridge; install libatk-adaptor and start it again" in seen.truncated.reason
