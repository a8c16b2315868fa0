"""What a program over MCP is told with a picture."""

from dataclasses import replace

import pytest

from deskhand.config.sections import Configuration
from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.desktop.fake import FakeDesktop
from deskhand.serve.desk import Desk
from deskhand.session.interactors import AutoInteractor
from notes import Notes

TOLD = 'passwords of "Login" could not be asked for and may show'


class Busy(FakeDesktop):
    """One with a window that could not be asked."""

    async def screenshot(self, region: Rect | None = None) -> Picture:
        return replace(await super().screenshot(region), unchecked=("Login",))


@pytest.mark.requires("observe.secrets", "mcp.picture")
@pytest.mark.parametrize("tool", ["capture_desktop_screenshot", "capture_window_screenshot"])
async def test_that_a_picture_may_show_a_password_is_told_with_it(tool: str) -> None:
    for desktop, told in ((Busy(), True), (FakeDesktop(), False)):
        answer = await Desk(Notes(desktop=desktop).desktop, Configuration(), AutoInteractor()).call(tool, {})
        assert answer.picture is not None
        assert (TOLD in answer.text) is told
