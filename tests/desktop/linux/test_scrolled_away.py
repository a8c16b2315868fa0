"""What is scrolled out of view is not seen, wherever its program says that it is."""

from pathlib import Path
from typing import Final

import pytest
from pydantic import BaseModel

from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import BRIDGE, JAVA, SCREEN, linux_desktop
from support import QT6, ROOT, need

pytestmark = [pytest.mark.desktop, pytest.mark.requires("observe.scrolled-away")]

APPS: Final = ROOT / "tests/apps"
PROGRAMS: Final = {
    "Qt 5": ("/usr/bin/python3", str(APPS / "scrolled_qt.py")),
    "Qt 6": (str(QT6), str(APPS / "scrolled_qt.py")),
    "Swing": (*JAVA, str(APPS / "ScrolledSwing.java")),
}


class Told(BaseModel):
    """What a program says: how far it is scrolled, and which buttons show there."""

    at: int = -1
    seen: list[str] = []


def read(file: Path) -> Told:
    return Told.model_validate_json(file.read_text("utf-8")) if file.exists() else Told()


def require(toolkit: str) -> tuple[str, ...]:
    """What starts its program."""
    argv = PROGRAMS[toolkit]
    need(Path(argv[0]), *([BRIDGE] if toolkit == "Swing" else []))
    return argv


def rows(seen: Observation) -> list[TargetInfo]:
    return [control for control in seen.controls if control.name.startswith("Row")]


async def until_told(desktop: LinuxDesktop, file: Path, at: int) -> list[str]:
    """Which rows are seen, once the program says that it has scrolled to there."""

    async def told() -> list[str] | None:
        found = read(file)
        return found.seen if found.at == at and found.seen != [""] else None

    seen = await desktop.wait_until(told, deadline_s=20)
    assert seen
    return seen


@pytest.mark.full("other toolkits take the same way", but=["Qt 6"])
@pytest.mark.parametrize("toolkit", PROGRAMS)
async def test_buttons_of_a_pane_are_seen_in_it_alone_and_have_no_place_once_they_are_scrolled_away(
    toolkit: str, tmp_path: Path
) -> None:
    argv, file = require(toolkit), tmp_path / "seen.json"
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("scrolled", (*argv, str(file)), window="^Scrolled$"), deadline_s=60)
        there = await until_told(desktop, file, 0)
        await desktop.settle(window)
        before = await desktop.observe(window)
        assert [row.name for row in rows(before)] == there
        above = next(control for control in before.controls if control.name == "Above")
        await desktop.do_action(above)
        there = await until_told(desktop, file, 60)
        await desktop.settle(window)
        after = await desktop.observe(window)
        assert [row.name for row in rows(after)] == there
        assert all(row.rect.intersection(above.rect).empty for row in rows(after))
        first = rows(before)[0]
        assert first.name not in there
        assert (await desktop.resolve(first)).rect.empty
        tabs = [control for control in after.controls if control.type is Role.TAB]
        assert all(tab.rect.right <= above.rect.left + 200 for tab in tabs)
        assert (len(tabs) > 1) is (toolkit != "Swing")


async def test_items_of_a_menu_that_is_higher_than_the_screen_are_seen_on_it_alone(tmp_path: Path) -> None:
    program = ("/usr/bin/python3", str(APPS / "long_menu_gtk3.py"))
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("long", program, window="^Long menu$"))
        for opens, item, all_of_them in (("File", "Item", 60), ("Choice 40", "Choice", 80)):
            seen = await desktop.observe(window)
            opener = next(control for control in seen.controls if control.name == opens)
            await desktop.click(await desktop.aim(window, opener.rect))
            await desktop.settle(window)
            shown = [c for c in (await desktop.observe(window)).controls if c.name.startswith(f"{item} ")]
            items = [control for control in shown if control.type is Role.MENUITEM]
            assert 10 < len(items) < all_of_them
            assert all(0 <= control.rect.top < control.rect.bottom <= SCREEN[1] for control in items)
            await desktop.press([Chord("esc")])
            await desktop.settle(window)


async def test_what_an_item_of_a_buttons_menu_opens_is_seen_whole(tmp_path: Path) -> None:
    program = ("/usr/bin/python3", str(APPS / "long_menu_gtk3.py"))
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("long", program, window="^Long menu$"))
        for name in ("Button", "More"):
            opener = next(each for each in (await desktop.observe(window)).controls if each.name == name)
            await desktop.click(await desktop.aim(window, opener.rect, opener))
            await desktop.settle(window)
        seen = {each.name: each for each in (await desktop.observe(window)).controls}
        deep = [seen[f"Deep {number}"] for number in range(3)]
        assert all(item.rect.width > 40 and item.rect.left >= seen["More"].rect.right - 10 for item in deep)
        assert {item.rect.height for item in deep} == {seen["More"].rect.height}
