"""No press is confirmed on a row that shows another record by the time of the press; the fixture counts its presses.

With `DESKHAND_TRIALS=full`, 1000 presses in each toolkit, or as many as `DESKHAND_PRESSES` has.
"""

import json
import os
import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect
from deskhand.core.errors import ClearanceMissing
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.acting import Agent
from desktop.linux.fixture import BRIDGE, JAVA, linux_desktop
from support import FULL, QT6, ROOT, need

pytestmark = pytest.mark.desktop

APPS: Final = ROOT / "tests/apps"
SYSTEM: Final = Path("/usr/bin/python3")
FIXTURES: Final[Mapping[str, tuple[tuple[str, ...], Path]]] = {
    "GTK 3": ((str(SYSTEM), str(APPS / "recycling_gtk3.py")), SYSTEM),
    "GTK 4": ((str(SYSTEM), str(APPS / "recycling_gtk4.py")), SYSTEM),
    "Qt 5": ((str(SYSTEM), str(APPS / "recycling_qt.py")), SYSTEM),
    "Qt 6": ((str(QT6), str(APPS / "recycling_qt.py")), QT6),
    "Chromium": ((str(SYSTEM), str(APPS / "recycling_chromium.py")), Path("/usr/bin/chromium")),
    "Swing": ((*JAVA, str(APPS / "RecyclingSwing.java")), BRIDGE),
}
PRESSES: Final = int(os.environ.get("DESKHAND_PRESSES", "1000")) if FULL else 4
PERIODS: Final = (0.25, 1.0, 4.0) if FULL else (0.25,)
TRIED: Final = [toolkit for toolkit in FIXTURES if FULL or toolkit != "Qt 6"]
ARRIVES_S: Final = 1.0
"""A press that was sent has been counted by then, or was not made."""


class Presses:
    """The presses of one fixture, by their verdict and by what they met: `right`, `another row`, `nothing`."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo, file: Path) -> None:
        self._agent = Agent(desktop)
        self._window = window
        self._file = file
        self.counts: Counter[tuple[str, str]] = Counter()
        self.evidence: list[str] = []

    def pressed(self) -> list[str]:
        return json.loads(self._file.read_text(encoding="utf-8"))["pressed"]

    async def press(self, number: int) -> None:
        rng = random.Random(number)  # noqa: S311 - trials are to be repeated
        desktop = self._agent.desktop
        seen = await desktop.observe(self._window, picture=False)
        buttons = [control for control in seen.controls if control.type is Role.BUTTON and control.name == "Edit"]
        target = rng.choice(buttons)
        assert target.fingerprint is not None
        record, before = target.fingerprint.record, len(self.pressed())
        assert record, target
        try:
            result = await self._agent.act(rng.choice(("invoke", "click_input")), seen, target)
        except ClearanceMissing:
            self.counts[str(Effect.REFUSED), "nothing"] += 1
            return

        async def counted() -> list[str] | None:
            return self.pressed()[before:] or None

        made = await desktop.wait_until(counted, deadline_s=ARRIVES_S) if result.delivered else None
        came = "nothing" if not made else "right" if made[1:] == [] and made[0] in record else "another row"
        self.counts[str(result.effect), came] += 1
        if (result.effect, came) == (Effect.CONFIRMED, "another row"):
            self.evidence.append(f"{number}: {record} meant, {made} pressed: {result.evidence}")


@pytest.mark.full("other toolkits take the same way", but=["Chromium"])
@pytest.mark.long
@pytest.mark.requires("effect.about")
@pytest.mark.parametrize("toolkit", TRIED)
async def test_no_press_is_confirmed_on_a_row_that_shows_another_record(toolkit: str, tmp_path: Path) -> None:
    argv, needed = FIXTURES[toolkit]
    need(needed)
    counts: Counter[tuple[str, str]] = Counter()
    async with linux_desktop(tmp_path) as desktop:
        for number, period in enumerate(PERIODS):
            file = tmp_path / f"state{number}.json"
            window = await desktop.launch(Application("fixture", (*argv, str(file), str(period)), window="^Recycling$"))
            presses = Presses(desktop, window, file)
            for press in range(PRESSES // len(PERIODS)):
                await presses.press(1000 * number + press)
            print(toolkit, period, dict(presses.counts))  # noqa: T201 - the figures of docs/limits.md
            counts += presses.counts
            assert presses.evidence == []
            await desktop.ask_to_close(window)
    assert sum(counts.values()) == PRESSES // len(PERIODS) * len(PERIODS)
