"""Items of Swing's menus, and rows on pages behind tabs, are where they are drawn; the title says which was chosen."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import BRIDGE, JAVA, linux_desktop
from support import ROOT, need

DEBIANS = ("sh", "-c", 'exec "$JAVA_CMD" "$@"', "sh")


@asynccontextmanager
async def program(
    folder: Path, title: str, *more: str, java: Sequence[str] = JAVA
) -> AsyncGenerator[tuple[LinuxDesktop, TargetInfo]]:
    """The program of that title in its window."""
    need(BRIDGE)
    async with linux_desktop(folder) as desktop:
        argv = (*java, str(ROOT / f"tests/apps/{title}Swing.java"), *more)
        yield desktop, await desktop.launch(Application(title.lower(), argv, window=f"^{title}"))


@pytest.mark.desktop
@pytest.mark.requires("observe.swing", "act.tools")
async def test_an_item_of_a_menu_that_swing_draws_into_its_window_is_the_one_that_is_clicked(tmp_path: Path) -> None:
    async with program(tmp_path, "Menus") as (desktop, window):
        tools = Tools(desktop)

        async def click(name: str) -> None:
            async def shown() -> TargetInfo | None:
                await desktop.settle(window)  # while a menu opens, Swing says of its items where they are not yet
                seen = await desktop.observe(window, picture=False)
                return next((each for each in seen.controls if each.name == name), None)

            item = await desktop.wait_until(shown, deadline_s=10)
            assert item is not None, name
            assert (await desktop.resolve(item)).rect == item.rect
            clicked = await tools.run(window, "click_input", item)
            assert (clicked.effect, clicked.error) == (Effect.CONFIRMED, None), clicked

        async def chosen(title: str) -> bool | None:
            return True if title in {each.name for each in await desktop.windows()} else None

        for way in (("Open",), ("Wrap",), ("Size", "Large"), ("Quit",), ("Size", "Small")):
            for name in ("File", *way):
                await click(name)
            assert await desktop.wait_until(lambda name=way[-1]: chosen(f"Menus {name}"), deadline_s=10), way


@pytest.mark.full("40 s; a tree in a frame takes nearly the same way", but=["frame"])
@pytest.mark.desktop
@pytest.mark.requires("observe.swing", "desktop.viewport")
@pytest.mark.parametrize(
    ("more", "java"), [((), JAVA), (("dialog",), DEBIANS)], ids=["frame", "dialog started as Debian's programs are"]
)
async def test_a_tree_on_a_page_is_not_cut_at_its_tab_or_where_its_dialog_says_to_be(
    tmp_path: Path, more: tuple[str, ...], java: tuple[str, ...]
) -> None:
    async with program(tmp_path, "Tabs", *more, java=java) as (desktop, window):
        await desktop.settle(window)
        seen = (await desktop.observe(window, picture=False)).controls
        tree, rows = next(c for c in seen if c.type is Role.TREE), [c for c in seen if c.type is Role.TREEITEM]
        assert [row.name for row in rows] == ["Root", "Branch 1", "Branch 2", "Branch 3"]
        assert rows[0].rect.left == tree.rect.left < rows[1].rect.left < tree.rect.left + 40
        for row in rows:
            clicked = await Tools(desktop).run(window, "click_input", row)
            assert (clicked.effect, clicked.error) == (Effect.CONFIRMED, None), clicked
            assert f"Tabs {row.name}" in {each.name for each in await desktop.windows()}
