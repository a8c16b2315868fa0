"""Nothing that happens to a window between seeing and acting makes the product act on another control."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from desktop.linux.fixture import BRIDGE, linux_desktop
from desktop.linux.mutating import FIXTURES, QT6, Tally, run_trials
from support import FULL, need
from windows_programs import WIN32, need_wine

TRIALS: Final = 1000 if FULL else 5
SLOW: Final[Mapping[str, int]] = {} if FULL else {"Chromium": 3, "Swing": 3, WIN32: 2}
FIRST: Final = {"GTK 3": 0, "GTK 4": 100, "Qt 5": 200, "Qt 6": 300, "Chromium": 406, "Swing": 504, WIN32: 714}
"""Each toolkit has a sample of its own."""


async def _tally(toolkit: str, folder: Path) -> Tally:
    first = FIRST[toolkit]
    async with linux_desktop(folder) as desktop:
        return await run_trials(desktop, toolkit, folder, range(first, first + SLOW.get(toolkit, TRIALS)))


@pytest.mark.full("other toolkits take the same way", but=["GTK 3", "Chromium"])
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("identity.no-wrong-target", "identity.ids-stay", "identity.told-late")
@pytest.mark.parametrize("toolkit", FIXTURES)
async def test_what_was_seen_is_acted_on_or_nothing_is(toolkit: str, tmp_path: Path) -> None:
    if toolkit == WIN32:
        need_wine()
    need(*{"Qt 6": (QT6,), "Swing": (BRIDGE,)}.get(toolkit, ()))
    tally = await _tally(toolkit, tmp_path)
    assert tally.of("WRONG") == []
    assert tally.of("LOST") == []
    assert len(tally.over_refused) <= 0.05 * len(tally.tellable), tally.over_refused
    assert tally.tellable, "no trial in which something had to be acted on"
    assert tally.ids.moved == []
    assert tally.ids.lost == []
