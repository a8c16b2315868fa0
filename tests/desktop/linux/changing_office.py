"""What is kept of a LibreOffice window, held against looks that keep nothing, while it is worked by wheel and keys.

What is true of it is told by no file here; that the two looks agree says that nothing kept is out of date.
"""

import random
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Final

from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Chord
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from deskhand.session.applications import BUILT_IN
from desktop.linux.changing import AGREES_S, LOOK_S, Tally, differing
from desktop.linux.fixture import SomePlace, a11y_address, linux_desktop

PROGRAMS: Final = {"Writer": BUILT_IN[0], "Calc": BUILT_IN[1]}
REFRESHED_S: Final = 0.35
"""LibreOffice refreshes the buttons of its toolbars that long after anything else."""

WORK: Final = (
    *("a", "Z", "7", "enter", "tab", "backspace", "up", "down", "pagedown", "pageup", "home", "end"),
    *("ctrl+b", "ctrl+i", "ctrl+z", "ctrl+a", "ctrl+1", "ctrl+0", "shift+down", "ctrl+home", "ctrl+end"),
    *("alt+f", "alt+e", "alt+i", "esc", "esc", "esc", "ctrl+f", "f11", "ctrl+f12", "wheel", "wheel"),
)


async def run(program: str, seed: int, count: int, folder: Path) -> Tally:
    """One program through `count` changes."""
    tally, began = Tally(program, seed), monotonic()
    async with linux_desktop(folder / "desktop") as desktop:
        window = await desktop.launch(PROGRAMS[program], deadline_s=60)
        environment = desktop.environment
        place = SomePlace("visitor", environment["DISPLAY"], environment, await a11y_address(environment))
        for number in range(count):
            rng = random.Random(f"{seed}/{number}")  # noqa: S311 - trials are to be repeated
            tally.changes += 1
            tally.by_hand += 1
            tally.history.append(await _work(desktop, window, rng))
            before = ", ".join(tally.history[-6:])
            found = await _compare(desktop, place, window, tally, kept_first=rng.random() < 0.5)
            tally.differences += [f"after [{before}], number {number}: {line}" for line in found]
    tally.seconds = monotonic() - began
    return tally


async def _work(desktop: LinuxDesktop, window: TargetInfo, rng: random.Random) -> str:
    what = rng.choice(WORK)
    if what == "wheel":
        await desktop.scroll(window.rect.center, rng.choice((-3, 2, 5)))
    else:
        *modifiers, key = what.split("+")
        await desktop.press([Chord(key, tuple(modifiers))])
    return what


async def _look(desktop: LinuxDesktop, pid: int | None) -> Mapping[str, Observation]:
    windows = [window for window in await desktop.windows() if window.pid == pid]
    return {window.handle: await desktop.observe(window, picture=False, deadline_s=LOOK_S) for window in windows}


async def _compare(
    desktop: LinuxDesktop, place: SomePlace, window: TargetInfo, tally: Tally, *, kept_first: bool
) -> list[str]:
    """As with the fixtures: a difference counts where two fresh looks agree with each other."""
    end = monotonic() + AGREES_S
    while True:
        await desktop.settle(window, quiet_s=REFRESHED_S)
        kept: Mapping[str, Observation] = await _look(desktop, window.pid) if kept_first else {}
        fresh = await _fresh(place, window.pid)
        kept = kept or await _look(desktop, window.pid)
        # cut short by a deadline of its own that says nothing of what is kept: Writer looks for tables for a second
        found = [line for line in differing(kept, fresh) if " is cut: " not in line]
        if not found or monotonic() > end or not differing(fresh, await _fresh(place, window.pid)):
            tally.looks += 1
            tally.controls += sum(len(seen.controls) for seen in fresh.values())
            return found
        tally.late += 1


async def _fresh(place: SomePlace, pid: int | None) -> Mapping[str, Observation]:
    desktop = await attach(place)
    try:
        return await _look(desktop, pid)
    finally:
        await desktop.close()
