"""What is kept between observations of a window is never seen where it no longer holds, in any toolkit."""

import os
from pathlib import Path
from typing import Final

import pytest

from deskhand.desktop.linux.atspi.roles import EDITABLE, states_of
from desktop.linux import changing_office
from desktop.linux.changing import FIXTURES, NEEDS, run

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


@pytest.mark.requires("desktop.reobservation")
def test_what_is_for_reading_only_is_not_editable() -> None:
    read_only = 1 << 43
    assert "editable" in states_of(EDITABLE)
    assert "editable" not in states_of(EDITABLE | read_only)
    assert "read_only" in states_of(EDITABLE | read_only)
