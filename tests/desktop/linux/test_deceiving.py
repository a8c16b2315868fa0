"""Applications that lie: nothing is confirmed that they themselves take for untrue."""

import logging
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect
from desktop.linux.deceiving import APART, FIXTURES, Tally, run, run_apart
from desktop.linux.fixture import linux_desktop
from support import FULL, QT6, need

SEEDS: Final = {"GTK 3": 346, "GTK 4": 1, "Qt 5": 12, "Qt 6": 13, "Chromium": 539, "Firefox": 7}
SAMPLE: Final = {"GTK 3": 8, "GTK 4": 6, "Qt 5": 4, "Qt 6": 0, "Chromium": 4, "Firefox": 4}
"""So many actions where there is little time: of most lies one."""

PRESSES: Final = {"GTK 3": 6, "GTK 4": 3, "Qt 5": 0, "Qt 6": 0, "Chromium": 0, "Firefox": 0}
"""The same of buttons beside what changes by itself."""

TRIALS: Final = 250
PRESSES_FULL: Final = 60


@pytest.mark.full("other toolkits take the same way", but=["GTK 3", "Chromium"])
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("effect.no-lie", "effect.about", "effect.lasts", "effect.painted")
@pytest.mark.parametrize("toolkit", [toolkit for toolkit in FIXTURES if FULL or SAMPLE[toolkit]])
async def test_nothing_is_confirmed_that_the_application_denies(toolkit: str, tmp_path: Path) -> None:
    tally = await tried(toolkit, tmp_path, TRIALS if FULL else SAMPLE[toolkit], restless=False)
    assert tally.denied == []
    refused = [str(trial) for trial in tally.of("late") if trial.result.effect is Effect.REFUSED]
    assert refused == []
    assert_honest_is_confirmed(tally)


@pytest.mark.full("test_background_changes has the same on a desktop in memory")
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("effect.restless", "effect.no-lie")
@pytest.mark.parametrize("toolkit", [toolkit for toolkit in FIXTURES if FULL or PRESSES[toolkit]])
async def test_no_dead_button_is_confirmed_by_what_changes_by_itself(toolkit: str, tmp_path: Path) -> None:
    tally = await tried(toolkit, tmp_path, PRESSES_FULL if FULL else PRESSES[toolkit], restless=True)
    assert tally.denied == []
    dead = tally.of("noop")
    assert [str(trial) for trial in dead if trial.result.effect is not Effect.UNVERIFIABLE] == []
    assert dead
    assert_honest_is_confirmed(tally)


@pytest.mark.full("each of these tools is tried in a test of its own")
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("effect.no-lie", "tool.fill", "tool.wait-for", "act.every-move")
@pytest.mark.parametrize("toolkit", [toolkit for toolkit in FIXTURES if FULL or toolkit == "GTK 3"])
async def test_tools_of_several_steps_confirm_nothing_that_the_application_denies(toolkit: str, tmp_path: Path) -> None:
    need(*([QT6] if toolkit == "Qt 6" else []))
    async with linux_desktop(tmp_path / "desktop") as desktop:
        tally = await run_apart(desktop, toolkit, tmp_path, few=not FULL)
    logging.getLogger(__name__).info("%s", tally)
    untrue = [str(trial) for trial in tally.trials if trial.result.ok and not trial.true]
    assert untrue == []
    honest = [str(trial) for trial in tally.of("honest") if trial.true and not trial.result.ok]
    assert honest == []
    assert {trial.tool for trial in tally.trials} == {*APART}


async def tried(toolkit: str, folder: Path, count: int, *, restless: bool) -> Tally:
    need(*([QT6] if toolkit == "Qt 6" else []))
    async with linux_desktop(folder / "desktop") as desktop:
        tally = await run(desktop, toolkit, folder, SEEDS[toolkit], count, restless=restless)
    logging.getLogger(__name__).info("%s", tally)
    assert len(tally.trials) == count
    return tally


def assert_honest_is_confirmed(tally: Tally) -> None:
    honest = tally.of("honest")
    confirmed = [trial for trial in honest if trial.result.effect is Effect.CONFIRMED]
    assert len(confirmed) >= 0.95 * len(honest), [str(trial) for trial in honest if trial not in confirmed]
