"""Controls found by the ids that their developers gave them, in real toolkits."""

from pathlib import Path

import pytest

import deskhand
from deskhand.core.errors import AmbiguousTarget, ElementNotFound, UsageError
from deskhand.desktop.protocols.windows import Application
from deskhand.scripting import on_open_desktop
from desktop.linux.fixture import linux_desktop
from support import QT6, ROOT

pytestmark = [pytest.mark.desktop, pytest.mark.requires("python.ids")]

APPS = ROOT / "tests/apps"
PAGE = "<!doctype html><title>Ids</title><button id=keep>Save</button><button id=store>Save</button>"
PROGRAMS = {
    "GTK 3": ("/usr/bin/python3", str(APPS / "ids_gtk3.py")),
    "Qt 6": (str(QT6), str(APPS / "ids_qt.py")),
    "Chromium": ("chromium", "--app={page}"),
}


@pytest.mark.parametrize("toolkit", PROGRAMS)
async def test_one_of_two_buttons_of_the_same_name_is_found_by_its_id(toolkit: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    argv = tuple(part.format(page=page.as_uri()) for part in PROGRAMS[toolkit])
    async with linux_desktop(tmp_path) as opened:
        await opened.launch(Application("it", argv, window="Ids"))
        window = await on_open_desktop(opened).window("Ids")
        with pytest.raises(AmbiguousTarget):
            await window.button("Save").find()
        both = sorted(await window.button("Save").all(), key=lambda each: each.rect.left)
        stored = await window.locator("button", accessible_id="store").find()
        assert stored.rect == both[1].rect
        with pytest.raises(ElementNotFound):
            await window.locator("button", accessible_id="stor").find(timeout_s=0)


async def test_a_toolkit_that_exposes_no_ids_says_so(tmp_path: Path) -> None:
    async with linux_desktop(tmp_path) as opened:
        argv = ("/usr/bin/python3", str(APPS / "ids_qt.py"), "qt5")
        await opened.launch(Application("it", argv, window="Ids"))
        store = (await on_open_desktop(opened).window("Ids")).locator("button", accessible_id="store")
        with pytest.raises(UsageError, match="exposes no ids"):
            await deskhand.expect(store).to_be_gone()
