"""Links within labels of GTK 3 are told by their words, at their place, and are opened by a click there."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pydantic import BaseModel

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from support import ROOT

pytestmark = [pytest.mark.desktop, pytest.mark.requires("observe.links")]


class Told(BaseModel):
    opened: list[str] = []


class Fixture:
    def __init__(self, desktop: LinuxDesktop, window: TargetInfo, file: Path) -> None:
        self.desktop = desktop
        self._window = window
        self._file = file

    async def links(self) -> dict[str, TargetInfo]:
        await self.desktop.settle(self._window)
        seen = await self.desktop.observe(self._window, picture=False)
        return {control.name: control for control in seen.controls if control.type is Role.LINK}

    async def focused(self) -> list[str]:
        await self.desktop.settle(self._window)
        seen = await self.desktop.observe(self._window, picture=False)
        return [control.name for control in seen.controls if "focused" in control.states]

    async def opened_by(self, link: TargetInfo) -> list[str]:
        """What was opened once a click on a link has been."""
        now, before = await self.desktop.resolve(link), self._told()
        await self.desktop.click(await self.desktop.aim(self._window, now.rect, now))

        async def told() -> list[str] | None:
            return found if (found := self._told()) != before else None

        return (await self.desktop.wait_until(told, deadline_s=20) or before)[len(before) :]

    def _told(self) -> list[str]:
        return Told.model_validate_json(self._file.read_text("utf-8")).opened


@pytest.fixture
async def fixture(tmp_path: Path) -> AsyncGenerator[Fixture]:
    file = tmp_path / "told.json"
    async with linux_desktop(tmp_path / "desktop") as desktop:
        argv = ("/usr/bin/python3", str(ROOT / "tests/apps/links_gtk3.py"), str(file))
        window = await desktop.launch(Application("links", argv, window="^Links$"))
        yield Fixture(desktop, window, file)


async def test_links_have_their_words_and_are_opened_where_they_are(fixture: Fixture) -> None:
    links = await fixture.links()
    assert list(links) == ["the manual", "terms & rules", "link begins near its end and goes on"]
    found = [await fixture.opened_by(link) for link in links.values()]
    assert found == [["manual"], ["terms"], ["long"]]


async def test_a_link_has_the_keyboard_only_while_its_label_has_it(fixture: Fixture) -> None:
    found = [await fixture.focused()]
    for keys in (("tab",), ("tab",), ("tab", "tab")):
        await fixture.desktop.press([Chord(key) for key in keys])
        found.append(await fixture.focused())
    assert found == [["Field"], ["the manual"], ["terms & rules"], ["Field"]]
