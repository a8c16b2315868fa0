"""A table of Swing with a column of check boxes can be looked at again and again, and acted on."""

from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.desktop.base import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import BRIDGE, JAVA, linux_desktop
from support import ROOT

PROGRAM = (*JAVA, str(ROOT / "tests/apps/ChecksSwing.java"))
TIMES = 2


@pytest.mark.requires("desktop.viewport.checks")
async def test_a_table_with_check_boxes_is_seen_and_acted_on_again_and_again(tmp_path: Path) -> None:
    if not BRIDGE.exists():
        pytest.skip(f"not run: {BRIDGE} is missing")
    told = tmp_path / "row"
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("checks", (*PROGRAM, str(told)), window="^Checks$"))
        tools = Tools(desktop)
        for number in range(TIMES):
            await desktop.settle(window)
            seen = await desktop.observe(window, picture=False)
            rows = [c for c in seen.controls if c.name.startswith("row ")]
            assert [c.name for c in rows] == [f"row {row}" for row in range(len(rows))]
            boxes = [c for c in seen.controls if c.type is Role.CHECKBOX]
            assert ["checked" in c.states for c in boxes] == [row % 3 == 0 for row in range(len(rows))]
            target = await tools.find(window, f"row {2 + number}", rows[0].type)
            result = await tools.run(window, "click_input", target)
            assert result.effect is Effect.CONFIRMED, result
            assert told.read_text(encoding="utf-8") == str(2 + number)
