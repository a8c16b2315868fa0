"""Whatever happens to a window between seeing and acting: nothing else is acted on, and no effect is confirmed that the
application denies."""

from pathlib import Path
from typing import Final

import pytest

from desktop.linux.adversity import FIXTURES, run_trials
from desktop.linux.fixture import linux_desktop
from support import FULL, need

SAMPLES: Final = {"GTK 3": (0, 10), "GTK 4": (100, 4), "Qt 5": (200, 4), "Chromium": (300, 3)}
"""Each toolkit has a sample of its own: its first number, and how many."""


@pytest.mark.full("other toolkits take the same way", but=["GTK 3"])
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("act.no-wrong-target")
@pytest.mark.parametrize("toolkit", FIXTURES if FULL else SAMPLES)
async def test_nothing_else_is_acted_on_and_nothing_is_confirmed_that_is_not_so(toolkit: str, tmp_path: Path) -> None:
    need(FIXTURES[toolkit][1])
    first, count = (0, 1000) if FULL else SAMPLES[toolkit]
    async with linux_desktop(tmp_path) as desktop:
        tally = await run_trials(desktop, toolkit, tmp_path, range(first, first + count))
    assert tally.of("WRONG") == []
    assert tally.of("LIED") == []
    assert tally.of("done") or count < 10, "a product that refuses everything is never wrong"
