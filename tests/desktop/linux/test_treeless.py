"""Windows of which nothing is told but that they are there, and windows that are put away."""

import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deskhand.core.errors import ActionRefused, CaptureFailed
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonValue
from deskhand.core.ports import CheckResult
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.core.type_checks import items_of
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import PROGRAM, linux_desktop
from desktop.linux.moving import mover
from support import ROOT

pytestmark = pytest.mark.desktop

BARE = ROOT / "tests/apps/bare_x11.py"
PATIENCE_S = 20.0


def _bare(title: str, place: Rect) -> Application:
    numbers = (place.left, place.top, place.width, place.height)
    return Application("bare", (sys.executable, str(BARE), title, *map(str, numbers)))


@asynccontextmanager
async def _with_fixture(root: Path) -> AsyncGenerator[tuple[LinuxDesktop, TargetInfo]]:
    """A window full of controls."""
    async with linux_desktop(root) as desktop:
        fixture = Application("fixture", ("/usr/bin/python3", str(PROGRAM), str(root / "state.json")))
        yield desktop, await desktop.launch(fixture)


@pytest.mark.requires("observe.treeless")
async def test_a_window_that_tells_nothing_has_a_picture_and_says_why_it_has_no_controls(tmp_path: Path) -> None:
    async with _with_fixture(tmp_path) as (desktop, fixture):
        bare = await desktop.launch(_bare(fixture.name, fixture.rect))  # same title, same place, no process id
        assert bare.application == "bare"
        assert bare.pid not in {None, fixture.pid}
        seen = await desktop.observe(bare)
        assert seen.controls == ()
        assert seen.truncated is not None
        assert "exposes nothing to accessibility: it draws its content itself" in seen.truncated.reason
        assert seen.picture is not None
        assert seen.picture.rect == bare.rect.intersection(Rect(0, 0, 1280, 800))
        assert (await desktop.observe(fixture, picture=False)).controls


@pytest.mark.requires("observe.minimized")
async def test_what_is_minimized_has_no_picture_and_is_acted_on_where_it_is_then(tmp_path: Path) -> None:
    async with _with_fixture(tmp_path) as (desktop, window):
        button = next(c for c in (await desktop.observe(window, picture=False)).controls if c.actions)
        with mover(desktop.environment) as moving:
            moving.minimize(window)

            async def put_away() -> bool | None:
                return True if MINIMIZED in (await desktop.resolve(window)).states else None

            assert await desktop.wait_until(put_away, deadline_s=PATIENCE_S)
            with pytest.raises(CaptureFailed, match="minimized"):
                await desktop.observe(window)
            with pytest.raises(ActionRefused, match="minimized"):
                await desktop.aim(window, button.rect)
            expected: list[dict[str, JsonValue]] = [{"shows": {"name": button.name}}, {"gone": {"name": button.name}}]
            for expect in expected:
                looked = await Tools(desktop).run(window, "verify", None, expect=expect, wait_s=0)
                (check,) = items_of(looked.result, CheckResult)
                assert (check.known, check.detail.endswith("nothing of it is on the screen")) == (False, True)
            await desktop.activate(window)
            now = await desktop.resolve(button)
            assert (await desktop.resolve(window)).rect.contains((await desktop.aim(window, now.rect)).point)
