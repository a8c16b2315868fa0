"""Buttons are called what a person reads on them, or is told of them."""

from pathlib import Path

import pytest

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from desktop.linux.somebody import Somebody
from support import QT6, ROOT, need

APPS = ROOT / "tests/apps"
PROGRAM = ("/usr/bin/python3", str(APPS / "named_gtk4.py"))


@pytest.mark.desktop
@pytest.mark.requires("observe.gtk4")
async def test_a_button_of_gtk_4_is_called_what_stands_on_it_or_in_its_tooltip(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("named", PROGRAM, window="^Named$"))
        seen = (await desktop.observe(window, picture=False)).controls
        buttons = [control for control in seen if control.type is Role.BUTTON]
        words = ["Save", "7 7", "a_b", "7", "Plain", "Go Go", "Child", "In a box", "Copy it", "Keep", "Press", "More"]
        assert [button.name for button in buttons] == words
        assert [(await desktop.resolve(button)).name for button in buttons] == words


@pytest.mark.desktop
@pytest.mark.requires("observe.gtk4", "effect.about")
async def test_a_tooltip_of_gtk_4_is_one_and_is_told_where_it_is_seen(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("named", PROGRAM, window="^Named$"))
        seen = (await desktop.observe(window, picture=False)).controls
        button = next(control for control in seen if control.name == "Copy it")
        person, (x, y) = Somebody(desktop.environment["DISPLAY"]), (button.rect.center.x, button.rect.center.y)
        person.move(x, y)
        person.nudge(1, 0)
        person.close()

        async def told() -> list[TargetInfo] | None:
            controls = (await desktop.observe(window, picture=False)).controls
            tips = [control for control in controls if control.type is Role.TOOLTIP]
            return [*tips, *(each for tip in tips for each in controls if each.parent == tip.handle)] or None

        found = await desktop.wait_until(told, deadline_s=10)
        assert found is not None, "no tooltip came"
        tip, label = found
        assert label.name == "Copy it"

        async def painted() -> bool | None:
            picture = await desktop.screenshot(label.rect.intersection(tip.rect))
            dark = sum(level < 64 for level in picture.pixels[::4])
            return True if dark > len(picture.pixels) // 8 else None

        assert await desktop.wait_until(painted, deadline_s=10), "white on black"


@pytest.mark.desktop
@pytest.mark.requires("observe.tips")
@pytest.mark.parametrize("toolkit", ["GTK 3", "GTK 4"])
async def test_a_field_without_a_name_is_called_by_what_stands_in_it_while_it_is_empty(
    toolkit: str, tmp_path: Path
) -> None:
    file, title = ("tipped_gtk3.py", "Tipped") if toolkit == "GTK 3" else ("named_gtk4.py", "Named")
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(
            Application("fields", ("/usr/bin/python3", str(APPS / file)), window=f"^{title}$")
        )
        seen = (await desktop.observe(window, picture=False)).controls
        field = next(control for control in seen if control.type is Role.TEXTBOX)
        assert (field.name, field.value) == ("Replace with", "")
        await desktop.set_text(field, "other")
        assert ((now := await desktop.resolve(field)).name, now.value) == ("Replace with", "other")


@pytest.mark.full("other toolkits take the same way", but=["GTK 3", "Qt 6"])
@pytest.mark.desktop
@pytest.mark.requires("observe.tips")
@pytest.mark.parametrize("toolkit", ["GTK 3", "Qt 5", "Qt 6"])
async def test_a_control_without_a_name_is_called_by_its_tooltip(toolkit: str, tmp_path: Path) -> None:
    python = QT6 if toolkit == "Qt 6" else Path("/usr/bin/python3")
    need(python)
    file = APPS / ("tipped_gtk3.py" if toolkit == "GTK 3" else "tipped_qt.py")
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("tipped", (str(python), str(file)), window="^Tipped$"))
        seen = (await desktop.observe(window, picture=False)).controls
        roles = {Role.BUTTON, Role.CHECKBOX, Role.SPINBUTTON, Role.SLIDER, Role.CANVAS}
        named = [control for control in seen if control.type in roles]
        names = ["Copy it", "Stay up", "Match case", "Plain", "How many"]
        names += ["", "Red"] if toolkit == "GTK 3" else ["How loud"]
        assert [control.name for control in named] == names
        assert [(await desktop.resolve(control)).name for control in named] == names
