"""Two monitors, one lower than the other: a window on the second, on both, and where neither is."""

from pathlib import Path

import pytest

from deskhand.core.geometry import Rect
from desktop.linux.test_geometry import CASES, launched_on
from desktop.linux.test_secrets import screen_shows_mark, shows_mark
from desktop.linux.test_toolkits import FIXTURES
from desktop.linux.two_screens import SCREENS, skip_without_two_screens, two_screens
from support import need

FIRST, SECOND = SCREENS
WHOLE = Rect(0, 0, SECOND.right, SECOND.bottom)
CORNERS = (
    (SECOND.left + 90, SECOND.top + 40),
    (SECOND.left - 120, 30),
    (FIRST.right - 60, FIRST.bottom - 90),
    (SECOND.left + 300, SECOND.top - 90),
)


@pytest.mark.full("other toolkits take the same way", but=["GTK 3", "Qt 6, one and a half"])
@pytest.mark.desktop
@pytest.mark.requires("desktop.geometry", "desktop.screens", "observe.secrets")
@pytest.mark.parametrize("case", ["GTK 3", "GTK 4, twice", "Qt 6, one and a half"])
async def test_clicks_land_and_pictures_are_right_on_two_monitors(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without_two_screens()
    name, settings = CASES[case]
    need(*FIXTURES[name].needs)
    seen = 0
    async with (
        two_screens(tmp_path, monkeypatch) as desktop,
        launched_on(desktop, name, tmp_path, settings) as (pointing, moving),
    ):
        assert [(screen.rect, screen.primary) for screen in await desktop.screens()] == [(FIRST, True), (SECOND, False)]
        for corner in CORNERS:
            moving.move(pointing.window, *corner)
            await pointing.point_at_all()
            now = await desktop.resolve(pointing.window)
            seen += await screen_shows_mark(desktop.environment)
            for region in (now.rect, None):
                picture = await desktop.screenshot(region)
                assert picture.rect == (region or WHOLE).intersection(WHOLE)
                assert not shows_mark(picture)
    assert pointing.count.missed == ()
    assert pointing.count.pointed > len(CORNERS)
    assert seen > 1
