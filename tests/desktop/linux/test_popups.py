"""Menus, lists and popovers that applications show in windows of their own: all of it is seen, where it is."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.windows import Application
from desktop.linux.acting import Agent
from desktop.linux.fixture import linux_desktop
from support import QT6, ROOT, need

pytestmark = [pytest.mark.desktop, pytest.mark.requires("observe.popups")]

PATIENCE_S = 8.0
SYSTEM = "/usr/bin/python3"
GTK4_APP, QT_APP = ROOT / "tests/apps/popups_gtk4.py", ROOT / "tests/apps/popups_qt.py"


class Popups:
    """A fixture, and a pointer that goes where its controls are said to be."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo) -> None:
        self.desktop = desktop
        self.window = window

    async def click(self, name: str, role: Role, button: MouseButton = MouseButton.LEFT) -> None:
        async def look() -> TargetInfo | None:
            seen = await self.desktop.observe(self.window, picture=False)
            found = [c for c in seen.controls if c.type is role and name in {c.name, c.value} and not c.rect.empty]
            return found[0] if found else None

        control = await self.desktop.wait_until(look, deadline_s=PATIENCE_S)
        assert control is not None, f"no {role} {name!r}"
        await self.desktop.settle(self.window, deadline_s=1.0)
        control = await self.desktop.resolve(control)
        await self.desktop.click(await self.desktop.aim(self.window, control.rect), button=button)

    async def choose(self, *path: tuple[str, Role]) -> None:
        """One click after the other; the last one's name is the title then."""
        for name, role in path:
            await self.click(name, role)
        title = f"Popups {path[-1][0]}"

        async def chosen() -> bool | None:
            return True if (await self.desktop.resolve(self.window)).name == title else None

        assert await self.desktop.wait_until(chosen, deadline_s=PATIENCE_S), title


async def _shown(desktop: LinuxDesktop, argv: tuple[str, ...], environment: Mapping[str, str]) -> Popups:
    window = await desktop.launch(Application("popups", argv, window="^Popups", environment=environment))
    await desktop.activate(window)
    await desktop.settle(window, deadline_s=1.0)
    return Popups(desktop, window)


@pytest.mark.full("both scales take the same way", but=["2"])
@pytest.mark.parametrize("scale", ["1", "2"])
async def test_what_gtk_4_shows_in_popovers_is_clicked_where_it_is_said_to_be(tmp_path: Path, scale: str) -> None:
    async with linux_desktop(tmp_path) as desktop:
        fixture = await _shown(desktop, (SYSTEM, str(GTK4_APP)), {"GDK_SCALE": scale})
        await fixture.choose(("Places", Role.MENUITEM), ("Second", Role.MENUITEM))
        await fixture.choose(("Places", Role.MENUITEM), ("More", Role.MENUITEM), ("Inner", Role.MENUITEM))
        await fixture.choose(("Open", Role.BUTTON), ("Inside", Role.BUTTON))
        await desktop.press([Chord("esc")])  # GTK 4.18 calls the button "Open Inside" as long as the popover is open
        await fixture.choose(("Red", Role.BUTTON), ("Blue", Role.LISTITEM))


@pytest.mark.full("other toolkits take the same way", but=["Qt 6"])
@pytest.mark.parametrize("python", [SYSTEM, str(QT6)], ids=["Qt 5", "Qt 6"])
async def test_menus_that_qt_leaves_out_of_its_tree_are_seen(tmp_path: Path, python: str) -> None:
    need(Path(python))
    async with linux_desktop(tmp_path) as desktop:
        fixture = await _shown(desktop, (python, str(QT_APP)), {})
        await fixture.choose(("Open", Role.BUTTON), ("Second", Role.MENUITEM))
        await fixture.choose(("Open", Role.BUTTON), ("More", Role.MENUITEM), ("Inner", Role.MENUITEM))
        await fixture.click("Words", Role.TEXTBOX, MouseButton.RIGHT)
        await fixture.choose(("Here", Role.MENUITEM))
        seen = await desktop.observe(fixture.window, picture=False)
        assert not [control.name for control in seen.controls if control.type in {Role.MENU, Role.MENUITEM}]


@pytest.mark.full("other toolkits take the same way", but=["Qt 6-click_input"])
@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("tool", ["invoke", "click_input"])
@pytest.mark.parametrize("python", [SYSTEM, str(QT6)], ids=["Qt 5", "Qt 6"])
async def test_that_a_menu_of_a_menu_bar_opens_is_confirmed_in_qt(tmp_path: Path, python: str, tool: str) -> None:
    """Its item says that it has the keyboard, and nothing else."""
    need(Path(python))
    truth = tmp_path / "opened"
    async with linux_desktop(tmp_path) as desktop:
        argv = (python, str(ROOT / "tests/apps/menus_qt.py"), str(truth))
        window = await desktop.launch(Application("menus", argv, window="^Menus"))
        agent = Agent(desktop)
        for name in ("File", "Recent"):
            result = await agent.act(tool, *await agent.see(window, name, Role.MENUITEM))
            assert truth.read_text().split()[-1:] == [name]
            assert result.effect is Effect.CONFIRMED, (name, result)


@pytest.mark.full("other toolkits take the same way", but=["Qt 6"])
@pytest.mark.parametrize("python", [SYSTEM, str(QT6)], ids=["Qt 5", "Qt 6"])
async def test_a_menu_of_qt_of_which_nothing_is_told_is_told_to_be_there(python: str, tmp_path: Path) -> None:
    """Qt tells an item that two menus share in the one that it was asked for first."""
    need(Path(python))
    async with linux_desktop(tmp_path) as desktop:
        popups = await _shown(desktop, (python, str(ROOT / "tests/apps/shared_menu_qt.py")), {})
        await popups.choose(("Edit", Role.MENUITEM), ("Shared", Role.MENUITEM))
        await popups.click("Here", Role.BUTTON, MouseButton.RIGHT)

        async def told() -> str | None:
            seen = await desktop.observe(popups.window, picture=False)
            if seen.truncated is not None:
                return seen.truncated.reason
            return next((control.name for control in seen.controls if control.name == "Shared"), None)

        found = await desktop.wait_until(told, deadline_s=PATIENCE_S)
        assert found is not None
        if found != "Shared":
            assert "the program exposes nothing of its popup at" in found
