"""Clicks stay apart: two single ones are no double click, and one that is meant is."""

from pathlib import Path
from typing import Final

import pytest

from deskhand.core.errors import TargetCovered
from deskhand.core.geometry import Point, Rect
from deskhand.core.roles import Role
from deskhand.desktop.multi_click import DOUBLE_CLICK_S, Presses
from deskhand.desktop.protocols.input import MouseButton
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import SCREEN, page
from desktop.linux.test_geometry import EFFECT_S, launched

PAGE: Final = """<!doctype html><meta charset=utf-8><title>Twice 0</title><button>Twice</button><script>
let twice = 0
document.querySelector("button").addEventListener("dblclick", () => document.title = `Twice ${++twice}`)
</script>"""
HERE = Point(100, 100)
LEFT, RIGHT = MouseButton.LEFT, MouseButton.RIGHT


@pytest.mark.requires("desktop.clicks-apart")
@pytest.mark.parametrize(
    ("point", "button", "apart_at_s"),
    [
        (HERE, LEFT, 7.0 + DOUBLE_CLICK_S),
        (Point(116, 84), LEFT, 7.0 + DOUBLE_CLICK_S),
        (Point(117, 100), LEFT, None),
        (Point(100, 83), LEFT, None),
        (HERE, RIGHT, None),
    ],
)
def test_only_the_same_button_near_the_last_press_is_waited_for(
    point: Point, button: MouseButton, apart_at_s: float | None
) -> None:
    presses = Presses()
    assert presses.apart_at_s(point, button) is None
    presses.note(Point(500, 500), LEFT, 1.0)
    presses.note(HERE, LEFT, 7.0)
    assert presses.apart_at_s(point, button) == apart_at_s


@pytest.mark.desktop
@pytest.mark.requires("desktop.clicks-apart")
async def test_two_clicks_at_one_place_are_two_and_a_double_click_is_one(tmp_path: Path) -> None:
    """Qt counts only what it takes for a first press."""
    async with launched("Qt 5", tmp_path, {}) as (pointing, _):
        desktop = pointing.desktop
        await desktop.activate(pointing.window)
        point = (await pointing.found())["cell"].rect.center

        async def presses(count: int) -> bool | None:
            return True if pointing.truth().clicked == ("cell",) * count else None

        assert not await desktop.wait_out_double_click(point)
        await desktop.click(point)
        await desktop.click(point)
        assert await desktop.wait_until(lambda: presses(2), deadline_s=EFFECT_S), pointing.truth().clicked
        assert await desktop.wait_out_double_click(point)
        assert not await desktop.wait_out_double_click(point)
        await desktop.click(point, count=2)
        assert await desktop.wait_until(lambda: presses(3), deadline_s=EFFECT_S), pointing.truth().clicked
        assert await desktop.wait_out_double_click(point)
        assert pointing.truth().clicked == ("cell",) * 3


@pytest.mark.desktop
@pytest.mark.requires("desktop.clicks-apart")
async def test_a_click_or_a_drag_that_is_refused_is_no_press_and_is_not_waited_for(tmp_path: Path) -> None:
    async with launched("GTK 3", tmp_path, {}) as (pointing, moving):
        desktop = pointing.desktop
        await desktop.activate(pointing.window)
        window = await desktop.resolve(pointing.window)
        aim = await desktop.aim(window, (await pointing.found())["cell"].rect)
        with moving.cover(Rect(0, 0, *SCREEN)):
            for refused in (desktop.click(aim), desktop.drag(aim, Point(1, 1))):
                with pytest.raises(TargetCovered):
                    await refused
        assert not await desktop.wait_out_double_click(aim.point)


@pytest.mark.full("double clicks in pages are rare; those of Qt are tried")
@pytest.mark.desktop
@pytest.mark.requires("desktop.clicks-apart")
async def test_each_double_click_in_a_page_is_one(tmp_path: Path) -> None:
    """Of two clicks of one time Chromium makes two single ones."""
    async with page(tmp_path, PAGE, "^Twice") as (desktop, window):
        tools = Tools(desktop)
        for number in range(1, 9):
            button = await tools.find(window, "Twice", Role.BUTTON)
            result = await tools.run(window, "click_input", button, double=True)
            assert f"Twice {number}" in result.evidence, result
