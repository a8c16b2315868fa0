"""Applications that lie: nothing is confirmed that they themselves take for untrue."""

import logging
import os
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect
from desktop.linux.deceiving import FIXTURES, run
from desktop.linux.fixture import linux_desktop

FULL: Final = os.environ.get("DESKHAND_TRIALS") == "full"
SEEDS: Final = {"GTK 3": 346, "Qt 5": 12, "Qt 6": 13, "Chromium": 539}
SAMPLE: Final = {"GTK 3": 8, "Qt 5": 4, "Qt 6": 0, "Chromium": 4}
"""So many actions where there is little time: of most lies one."""

TRIALS: Final = 250
NEEDS: Final = {"Qt 6": Path(FIXTURES["Qt 6"][0]), "Chromium": Path("/usr/bin/chromium")}


@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("effect.no-lie", "effect.about", "effect.lasts", "effect.painted")
@pytest.mark.parametrize("toolkit", FIXTURES)
async def test_nothing_is_confirmed_that_the_application_denies(toolkit: str, tmp_path: Path) -> None:
    count = TRIALS if FULL else SAMPLE[toolkit]
    if not count or (toolkit in NEEDS and not NEEDS[toolkit].exists()):
        pytest.skip("not run: only in long trials, or what it needs is missing")
    async with linux_desktop(tmp_path / "desktop") as desktop:
        tally = await run(desktop, toolkit, tmp_path, SEEDS[toolkit], count)
    logging.getLogger(__name__).info("%s", tally)
    assert tally.denied == []
    assert len(tally.trials) == count
    refused = [str(trial) for trial in tally.of("late") if trial.result.effect is Effect.REFUSED]
    assert refused == []
    honest = tally.of("honest")
    confirmed = [trial for trial in honest if trial.result.effect is Effect.CONFIRMED]
    assert len(confirmed) >= 0.95 * len(honest), [str(trial) for trial in honest if trial not in confirmed]
