"""A hint that a program shows as the pointer arrives at a control is no effect of the press."""

import json
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.roles import Role
from deskhand.desktop.protocols.windows import Application
from desktop.linux.changing import APPS, SYSTEM_PYTHON
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop

pytestmark = pytest.mark.desktop

FIXTURES = {"GTK 3": ("hints_gtk.py", "3.0"), "GTK 4": ("hints_gtk.py", "4.0"), "Qt 5": ("hints_qt.py",)}


@pytest.mark.full("other toolkits take the same way", but=["GTK 3"])
@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("toolkit", FIXTURES)
async def test_a_hint_of_the_status_bar_confirms_no_press(toolkit: str, tmp_path: Path) -> None:
    state_file = tmp_path / "state.json"
    program, *rest = FIXTURES[toolkit]
    async with linux_desktop(tmp_path / "desktop") as desktop:
        argv = (SYSTEM_PYTHON, str(APPS / program), *rest, str(state_file))
        window = await desktop.launch(Application("hints", argv, window="^Hints$"))
        tools = Tools(desktop)
        counting, dead = [await tools.find(window, name, Role.BUTTON) for name in ("Count", "Dead")]
        middle = dead.rect.center
        x, y = (
            (middle.x - window.rect.left) / window.rect.width,
            (middle.y - window.rect.top) / window.rect.height,
        )
        results = [
            await tools.run(window, "click_input", dead),
            await tools.run(window, "click_input", counting),
            await tools.run(window, "wheel_mouse_input", dead, wheel_dist=1),
            await tools.run(window, "click_input", counting),
            await tools.run(window, "click_on_coordinates", None, x=x, y=y),
        ]
        presses = json.loads(state_file.read_text(encoding="utf-8"))
    effects = [result.effect for result in results]
    evidence = [str(result.evidence) for result in results]
    assert presses == {"Count": 2, "Dead": 2}
    assert Effect.CONFIRMED not in (effects[0], effects[2], effects[4]), evidence
    assert [effects[1], effects[3]] == [Effect.CONFIRMED] * 2, evidence
    assert "2 times" in evidence[3], evidence
