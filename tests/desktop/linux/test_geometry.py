"""Where things are on the screen: fixtures of every toolkit, scaled, moved, cut off and covered.

What judges is the fixture: it writes where its widgets are in pixels of the screen, and which of them was pressed.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

import pytest

from deskhand.core.errors import ActionRefused
from deskhand.core.geometry import Point, Rect
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import SCREEN, linux_desktop
from desktop.linux.moving import Mover, mover
from desktop.linux.test_toolkits import FIXTURES
from desktop.linux.toolkits import Told, Trial, Truth, control_meant
from support import FULL, need

TRIALS: Final = 60 if FULL else 6
CLICKED: Final = Trial().clicked
EFFECT_S: Final = 15.0
"""How long a click is waited for."""
POINTED: Final = len(CLICKED) if FULL else 2
"""Controls that are pointed at in one trial."""

EDGE: Final = 20
EDGE_SHARE: Final = 0.3
LAID_OUT_S: Final = 30.0
GDK: Final = {"GDK_SCALE": "2"}
CASES: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "GTK 3": ("GTK 3", {}),
    "GTK 3, twice": ("GTK 3", GDK),
    "GTK 4": ("GTK 4", {}),
    "GTK 4, twice": ("GTK 4", GDK),
    "Qt 5, twice": ("Qt 5", {"QT_SCALE_FACTOR": "2"}),
    "Qt 5, one and a half": ("Qt 5", {"QT_SCALE_FACTOR": "1.5"}),
    "Qt 6, twice": ("Qt 6", {"QT_SCALE_FACTOR": "2"}),
    "Qt 6, one and a half": ("Qt 6", {"QT_SCALE_FACTOR": "1.5"}),
    "Swing, twice": ("Swing", GDK),
}


@dataclass
class Count:
    """How often it was pointed, how often that landed where it should, and what was not pointed at."""

    pointed: int = 0
    refused: int = 0
    missed: tuple[str, ...] = ()

    def miss(self, what: str) -> None:
        self.missed = (*self.missed, what)


class Pointing:
    """Points at the controls of one fixture and looks what it says of that."""

    def __init__(self, desktop: LinuxDesktop, window: TargetInfo, state_file: Path, screens: tuple[Rect, ...]) -> None:
        self.desktop = desktop
        self.window = window
        self._state_file = state_file
        self._screens = screens
        self._random = Random(str(window.name))  # noqa: S311 - the same ones every time
        self.count = Count()

    def truth(self) -> Truth:
        return Truth.model_validate_json(self._state_file.read_text(encoding="utf-8"))

    async def found(self) -> Mapping[str, TargetInfo]:
        """The controls once all are seen where they are. Raises: AssertionError with the first that never is."""
        wrong = ["nothing was seen"]

        async def look() -> Mapping[str, TargetInfo] | None:
            if not self._state_file.exists():
                return None
            seen = (await self.desktop.observe(self.window, picture=False)).controls
            truth = self.truth()
            meant = {key: control_meant(truth.controls[key], seen) for key in CLICKED}
            wrong[:] = [
                f"{key} at {control.rect if control else None} for {place_of(truth.controls[key])}"
                for key, control in meant.items()
                if control is None or not _agrees(control.rect, place_of(truth.controls[key]))
            ]
            return None if wrong else {key: control for key, control in meant.items() if control}

        await self.desktop.settle(self.window, deadline_s=0.5)
        found = await self.desktop.wait_until(look, deadline_s=LAID_OUT_S)
        assert found is not None, wrong
        return found

    async def point_at_all(self, covers: tuple[Rect, ...] = ()) -> None:
        """Clicks what can be seen of each; what is refused must not be in sight."""
        await self.desktop.activate(self.window)
        found = await self.found()
        for key in self._random.sample(CLICKED, POINTED):
            control = found[key]
            again = await self.desktop.resolve(control)
            if again.rect != control.rect:
                self.count.miss(f"{key} found again at {again.rect} for {control.rect}")
            try:
                point = (await self.desktop.aim(self.window, again.rect)).point
            except ActionRefused as refused:
                self.count.refused += 1
                if self._in_sight(control.rect, covers):
                    self.count.miss(f"{key}: {refused}")
                continue
            await self._press(key, point, control.rect)

    async def _press(self, key: str, point: Point, rect: Rect) -> None:
        before = self.truth().clicked
        await self.desktop.click(point)

        async def heard() -> Truth | None:
            truth = self.truth()
            return truth if truth.clicked != before else None

        after = await self.desktop.wait_until(heard, deadline_s=EFFECT_S)
        self.count.pointed += 1
        clicked = after.clicked[len(before) :] if after else ()
        if set(clicked) != {key}:
            self.count.miss(f"{key} of {rect} pressed at {point}: {clicked}")

    def _in_sight(self, rect: Rect, covers: tuple[Rect, ...]) -> bool:
        """Whether some spot inside its edge is on a screen and under nothing.

        The edge of a control need not react, and where it does differs: with GTK 3 a click within 9 pixels of the side
        of a text box goes to nobody.
        """
        edge = min(EDGE, int(min(rect.width, rect.height) * EDGE_SHARE))
        for x in range(rect.left + edge + 1, rect.right - edge - 1):
            for y in range(rect.top + edge + 1, rect.bottom - edge - 1):
                spot = Rect(x - 1, y - 1, x + 2, y + 2)
                on_screen = any(spot.intersection(screen) == spot for screen in self._screens)
                if on_screen and all(cover.intersection(spot).empty for cover in covers):
                    return True
        return False


def place_of(told: Told) -> Rect:
    """These fixtures tell every place."""
    assert told.place is not None
    return told.place


def _agrees(seen: Rect, told: Rect) -> bool:
    """Seen where it is told, or in the middle of that: toolkits leave out borders."""
    off = max(abs(seen.center.x - told.center.x), abs(seen.center.y - told.center.y))
    return off <= 2 and not seen.empty and seen.width <= told.width + 4 and seen.height <= told.height + 4


@asynccontextmanager
async def launched(name: str, folder: Path, settings: Mapping[str, str]) -> AsyncGenerator[tuple[Pointing, Mover]]:
    """A fixture on a desktop of its own."""
    need(*FIXTURES[name].needs)
    async with linux_desktop(folder) as desktop, launched_on(desktop, name, folder, settings) as both:
        yield both


@asynccontextmanager
async def launched_on(
    desktop: LinuxDesktop, name: str, folder: Path, settings: Mapping[str, str]
) -> AsyncGenerator[tuple[Pointing, Mover]]:
    """A fixture on a desktop."""
    state_file = folder / "state.json"
    argv = (*FIXTURES[name].argv, str(state_file))
    window = await desktop.launch(Application("fixture", argv, window="^Fixture$", environment=settings))
    screens = tuple(screen.rect for screen in await desktop.screens())
    with mover(desktop.environment) as moving:
        yield Pointing(desktop, window, state_file, screens), moving


def _around(random: Random) -> tuple[int, int]:
    """A corner such that the window is whole, or cut off at any side."""
    return random.randrange(-200, SCREEN[0] - 150), random.randrange(-200, SCREEN[1] - 150)


@pytest.mark.full(
    "other toolkits take the same way",
    but=["GTK 4, twice", "Qt 6, one and a half"],
)
@pytest.mark.desktop
@pytest.mark.requires("desktop.geometry")
@pytest.mark.parametrize("case", CASES)
async def test_a_click_lands_in_its_control_wherever_the_window_is(case: str, tmp_path: Path) -> None:
    name, settings = CASES[case]
    random = Random(case)  # noqa: S311 - the same places every time
    async with launched(name, tmp_path, settings) as (pointing, moving):
        window = pointing.window
        for trial in range(TRIALS):
            with ExitStack() as above:
                covers: tuple[Rect, ...] = ()
                match trial % 6:
                    case 1:
                        moving.maximise(window, on=True)
                    case 3:
                        moving.undecorate(window)
                    case 4 | 5:
                        moving.move(window, *_around(random))
                        covers = (_over(random, (await pointing.found())),)
                        above.enter_context(moving.cover(covers[0]))
                    case _:
                        moving.move(window, *_around(random))
                await pointing.point_at_all(covers)
                if trial % 6 == 1:
                    moving.maximise(window, on=False)
    assert pointing.count.missed == ()
    assert pointing.count.pointed >= TRIALS


def _over(random: Random, found: Mapping[str, TargetInfo]) -> Rect:
    """A place over part of the controls."""
    first, second = (random.choice(list(found.values())).rect for _ in range(2))
    left, top = first.left + random.randrange(-20, 40), min(first.top, second.top) + random.randrange(-5, 15)
    return Rect(left, top, left + random.randrange(60, 400), top + random.randrange(20, 250))
