"""A table of Swing with a column of check boxes can be looked at again and again."""

import subprocess
from pathlib import Path

import pytest

from deskhand.core.roles import Role
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import BRIDGE, JAVA, linux_desktop
from support import ROOT, need

PROGRAM = (*JAVA, str(ROOT / "tests/apps/ChecksSwing.java"))
LOOKS = 4
MADE_BY_BRIDGE = 20 * 3
SHOWN = 20 * 3


@pytest.mark.desktop
@pytest.mark.requires("desktop.viewport.checks")
async def test_a_table_with_check_boxes_is_seen_again_and_again(tmp_path: Path) -> None:
    need(BRIDGE)
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(Application("checks", PROGRAM, window="^Checks$"))
        for _ in range(LOOKS):
            await desktop.settle(window)
            seen = await desktop.observe(window, picture=False)
            rows = [c.name for c in seen.controls if c.name.startswith("row ")]
            assert rows
            assert rows == [f"row {row}" for row in range(len(rows))]
            boxes = [c for c in seen.controls if c.type is Role.CHECKBOX]
            assert ["checked" in c.states for c in boxes] == [row % 3 == 0 for row in range(len(rows))]
            assert seen.truncated is None
        assert window.pid is not None
        assert objects_of_cells(window.pid) < MADE_BY_BRIDGE + LOOKS * SHOWN


def objects_of_cells(pid: int) -> int:
    """How many objects of cells were made and are not let go of."""
    told = subprocess.run(["jcmd", str(pid), "GC.class_histogram", "-all"], capture_output=True, text=True, check=True)
    line = next(line for line in told.stdout.splitlines() if "AccessibleJTableCell" in line)
    return int(line.split()[1])
