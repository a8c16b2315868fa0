"""What is kept between observations of a window is never seen where it no longer holds, in any toolkit."""

import os
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi.roles import EDITABLE, states_of
from desktop.linux import changing_office
from desktop.linux.changing import FIXTURES, NEEDS, Tally, fixture_of, judged, run
from desktop.linux.fixture import BRIDGE

FULL: Final = os.environ.get("DESKHAND_TRIALS") == "full"
CHANGES: Final = 500 if FULL else 8
OFFICE_CHANGES: Final = 100 if FULL else 6
SEED: Final = 7


@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize("toolkit", FIXTURES)
async def test_what_is_kept_is_what_a_fresh_look_sees_and_what_is_true(toolkit: str, tmp_path: Path) -> None:
    needed = NEEDS.get(toolkit)
    if needed and not needed.exists():
        pytest.skip(f"not run: {needed} is missing")
    tally = await run(toolkit, SEED, CHANGES, tmp_path)
    assert tally.differences == []
    assert tally.changes == tally.looks == CHANGES


@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize("program", changing_office.PROGRAMS)
async def test_a_document_is_seen_as_it_is_whatever_is_kept_of_it(program: str, tmp_path: Path) -> None:
    tally = await changing_office.run(program, SEED, OFFICE_CHANGES, tmp_path)
    assert tally.differences == []
    assert tally.changes == tally.looks == OFFICE_CHANGES


@pytest.mark.desktop
async def test_a_menu_of_swing_in_a_window_of_its_own_is_where_it_is(tmp_path: Path) -> None:
    """It has one where it would lie over another window of its program; that window tells a wrong place."""
    if not BRIDGE.exists():
        pytest.skip(f"not run: {BRIDGE} is missing")
    async with fixture_of("Swing", tmp_path, Tally("Swing", SEED)) as fixture:
        for order, seed in (("ask", 1), ("shift", 2), ("popup", 6)):
            await fixture.order(order, seed)
        truth = await fixture.at_rest()
        seen = await fixture.look(fixture.desktop)
        assert judged(seen, truth) == []
        controls = seen["Changing"].controls
        menu = next(control for control in controls if control.type is Role.MENU)
        assert [control.rect for control in controls if control.type is Role.WINDOW] == [menu.rect]
        items = [control for control in controls if control.type is Role.MENUITEM]
        assert items
        assert [(await fixture.desktop.resolve(item)).rect for item in items] == [item.rect for item in items]


@pytest.mark.requires("desktop.reobservation")
def test_what_is_for_reading_only_is_not_editable() -> None:
    read_only = 1 << 43
    assert "editable" in states_of(EDITABLE)
    assert "editable" not in states_of(EDITABLE | read_only)
    assert "read_only" in states_of(EDITABLE | read_only)
