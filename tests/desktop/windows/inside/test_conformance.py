"""The conformance suite on Windows itself, or in Windows CPython under Wine; see `../test_inside.py`.

DESKHAND_FIXTURE names the program of `tests/apps/win32_fixture.c`. DESKHAND_CONTROLS names the source of controls:
win32, or uia, which needs Windows.
"""

import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.windows import Application
from deskhand.desktop.windows.capture import screen_rect
from deskhand.desktop.windows.desktop import WindowsDesktop, open_windows
from desktop.conformance import PATIENCE_S, DesktopConformance, FixtureState, find


class WindowsUnderTest:
    """The fixture on the user's own desktop."""

    def __init__(self, desktop: WindowsDesktop, window: TargetInfo, state_file: Path) -> None:
        self.desktop = desktop
        self.screen: Rect = screen_rect()
        self.window = window
        self._state_file = state_file

    def state(self) -> FixtureState:
        return FixtureState(**json.loads(self._state_file.read_text(encoding="utf-8")))

    async def eventually(self, holds: Callable[[FixtureState], bool]) -> FixtureState:
        async def look() -> FixtureState | None:
            with suppress(PermissionError):  # the program is replacing the file
                state = self.state()
                return state if holds(state) else None
            return None

        state = await self.desktop.wait_until(look, deadline_s=PATIENCE_S)
        if state is None:
            raise TimeoutError(f"the application still says {self.state()}")
        return state

    async def kill(self) -> None:
        with anyio.fail_after(PATIENCE_S):
            await anyio.run_process(["taskkill", "/f", "/pid", str(self.window.pid)])


@pytest.fixture
async def under_test(tmp_path: Path) -> AsyncIterator[WindowsUnderTest]:
    """The backend with a freshly launched fixture application."""
    state_file = tmp_path / "state.json"
    async with open_windows() as desktop:
        desktop.controls.sources = (os.environ.get("DESKHAND_CONTROLS", "win32"),)
        fixture = Application("fixture", (os.environ["DESKHAND_FIXTURE"], str(state_file)), window="^Fixture$")
        under_test = WindowsUnderTest(desktop, await desktop.launch(fixture), state_file)

        async def has_state() -> bool:
            return state_file.exists()

        assert await desktop.wait_until(has_state, deadline_s=PATIENCE_S)
        yield under_test
        with anyio.fail_after(PATIENCE_S):
            await anyio.run_process(["taskkill", "/f", "/im", "fixture.exe"], check=False)


class TestDesktop(DesktopConformance):
    """Every behaviour of the contract that controls of Win32 can show: none of them is a row that holds controls."""

    test_a_button_belongs_to_its_row_whatever_object_draws_it = None  # pyright: ignore - as above
    test_a_living_button_of_another_row_is_stale = None  # pyright: ignore - as above


async def test_a_list_finds_its_item_by_name_and_reports_that_it_has_none(under_test: WindowsUnderTest) -> None:
    fruit = await find(under_test, "Fruit", Role.LIST)
    assert await under_test.desktop.show_named(fruit, "Plum")
    assert not await under_test.desktop.show_named(fruit, "Melon")
