"""Items out of view and seldom controls of a Windows program, by an agent's tools; the program's own state judges."""

import json
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.core.type_checks import pairs_of
from deskhand.desktop.protocols.windows import Application
from desktop.linux.acting import Agent, reason
from desktop.linux.fixture import linux_desktop
from tools.windows_scripts import windows_script
from windows_programs import build_program, need_wine, use_installed

ROWS = 300
SOON_S = 8.0
OPENS_S = 60.0


@pytest.mark.desktop
@pytest.mark.requires("wine.items")
async def test_a_long_table_is_read_whole_and_items_out_of_view_are_selected_and_seldom_controls_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_installed(monkeypatch)
    program, state_file = build_program("win32_items", tmp_path), tmp_path / "state.json"
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("items", (str(program), str(state_file)), window="^Items$"))
        agent = Agent(desktop)

        async def is_exposed() -> bool:
            return bool((await desktop.observe(window, picture=False, texts=False)).controls)

        assert await desktop.wait_until(is_exposed, deadline_s=OPENS_S)

        async def does(tool: str, name: str, role: Role, **given: str | bool) -> str:
            seen, target = await agent.see(window, name, role)
            result = await agent.act(tool, seen, target, **given)
            return "" if result.effect is Effect.CONFIRMED else f"{reason(result)} {result.evidence}"

        async def rows_of(name: str, area: str) -> object:
            seen, table = await agent.see(window, name, Role.TABLE)
            result = await agent.act("read_table", seen, table, range=area)
            return dict(pairs_of(result.result)).get("cells", reason(result))

        whole = [[f"Order {row:03}", f"Customer {row * 7 % 31}", f"{row * 3}.50"] for row in range(ROWS)]
        assert await rows_of("Orders", "") == whole
        assert await rows_of("Orders", "B299:C300") == [row[1:] for row in whole[298:]]
        assert await rows_of("Orders", "A300:A301") == "ActionRefused"
        assert await rows_of("Endless", "") == "ActionRefused"
        assert await rows_of("Endless", "A1000000:B1000000") == [["Number 999999", "Twice 1999998"]]

        assert await does("select_item", "Orders", Role.TABLE, item="Order 250") == ""
        assert await does("select_item", "Names", Role.LIST, item="Name 222") == ""
        assert await does("select_item", "Places", Role.TREE, item="Place 03") == ""
        missing = await does("select_item", "Names", Role.LIST, item="Nobody")
        assert missing.startswith("ElementNotFound"), missing
        assert await does("set_value", "Place 03", Role.TREEITEM, value=True) == ""
        assert await does("set_value", "Iron", Role.ROW, value=True) == ""
        assert await does("set_edit_text", "Day", Role.TEXTBOX, text="2027-04-01") == ""

        async def as_done() -> bool | None:
            now = json.loads(state_file.read_text())
            lists = [now["order"], now["name"], now["place"], now["done"], now["visited"]]
            return True if [*lists, now["day"]] == [250, 222, "Place 03", [0, 1, 0], [3], "2027-04-01"] else None

        assert await desktop.wait_until(as_done, deadline_s=SOON_S), state_file.read_text()


@pytest.mark.full("texts of gigabytes are rare")
@pytest.mark.desktop
@pytest.mark.requires("wine.items")
async def test_a_window_of_which_a_part_is_not_read_says_so_and_why(tmp_path: Path) -> None:
    need_wine()
    async with linux_desktop(tmp_path) as desktop:
        program = Application("liar", (*windows_script("lying_win32.py"), "gigabytes"), window=r"^Lie gigabytes\.$")
        window = await desktop.launch(program, deadline_s=OPENS_S)
        await desktop.settle(window)
        truncated = (await desktop.observe(window, picture=False)).truncated
    assert truncated is not None
    assert "has a text of 2147483647 characters, which is not read" in truncated.reason
