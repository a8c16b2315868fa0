"""A spreadsheet's cells are read again only when something happened, and then always."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pytest

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.atspi.client import BusTransport
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from deskhand.desktop.linux.runtime.launcher import LocalPrograms
from deskhand.desktop.linux.wiring import open_parts
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import SomePlace, a11y_address, launch_fixture, linux_desktop
from spreadsheets import Sheet, write_ods

pytestmark = [pytest.mark.desktop, pytest.mark.requires("desktop.kept-cells")]

CALC = Application("calc", ("soffice", "--calc"), ("soffice", "--calc", "{file}"), "Calc$")
LEAST = 400
"""Cells that are in view at the least."""


@dataclass(frozen=True)
class Watched:
    """Calc, who looks at it, and where somebody else can come to."""

    desktop: LinuxDesktop
    window: TargetInfo
    place: SomePlace
    folder: Path

    async def cells(self) -> dict[str, TargetInfo]:
        await self.desktop.settle(self.window)
        return await self._cells_by(self.desktop)

    async def fresh_cells(self) -> dict[str, TargetInfo]:
        """As somebody sees them who has looked at nothing before."""
        visitor = await attach(self.place)
        try:
            return await self._cells_by(visitor)
        finally:
            await visitor.close()

    async def _cells_by(self, desktop: LinuxDesktop) -> dict[str, TargetInfo]:
        seen = await desktop.observe(self.window, picture=False)
        return {control.name: control for control in seen.controls if control.type is Role.CELL}


@pytest.fixture(scope="module")
async def watched(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Watched]:
    folder = tmp_path_factory.mktemp("kept")
    async with linux_desktop(folder) as desktop:
        window = await desktop.launch(CALC, write_ods(folder / "cells.ods", Sheet()))
        place = SomePlace(
            "visitor", desktop.environment["DISPLAY"], desktop.environment, await a11y_address(desktop.environment)
        )
        yield Watched(desktop, window, place, folder)


async def test_cells_are_not_asked_for_again_while_nothing_happens(watched: Watched) -> None:
    async with AsyncExitStack() as stack:
        parts = await open_parts(watched.place, LocalPrograms(watched.place.environment), monotonic, stack)
        await watched.desktop.settle(watched.window, quiet_s=0.7)
        transport = parts.probes.transport
        assert isinstance(transport, BusTransport)
        calls: list[int] = []
        looks: list[dict[str, TargetInfo]] = []
        for _ in range(3):
            before, _ = transport.traffic()
            seen = await parts.observer.observe(watched.window, picture=False, deadline_s=20)
            calls.append(transport.traffic()[0] - before)
            looks.append({control.handle: control for control in seen.controls})
    assert looks[0] == looks[1] == looks[2]
    assert sum(control.type is Role.CELL for control in looks[0].values()) > LEAST
    assert max(calls[1:]) < calls[0] / 2


@pytest.mark.full("cells under another window are tried")
async def test_beside_a_menu_that_opens_and_closes_cells_are_not_asked_for_again(watched: Watched) -> None:
    async with AsyncExitStack() as stack:
        parts = await open_parts(watched.place, LocalPrograms(watched.place.environment), monotonic, stack)
        transport = parts.probes.transport
        assert isinstance(transport, BusTransport)

        async def look() -> tuple[int, dict[str, TargetInfo]]:
            await watched.desktop.settle(watched.window, quiet_s=0.7)
            before, _ = transport.traffic()
            seen = await parts.observer.observe(watched.window, picture=False, deadline_s=20)
            cells = {control.name: control for control in seen.controls if control.type is Role.CELL}
            return transport.traffic()[0] - before, cells

        await watched.desktop.activate(watched.window)
        whole, before = await look()
        await watched.desktop.press([Chord("i", ("alt",))])
        opened, during = await look()
        menus = [c.rect for c in (await watched.desktop.observe(watched.window, picture=False)).controls if _is_menu(c)]
        below = next(cell for cell in before.values() if any(menu.contains(cell.rect.center) for menu in menus))
        beside = next(cell for cell in before.values() if not any(_meet(menu, cell) for menu in menus))
        visitor = await attach(watched.place)
        try:  # what is below the menu is not painted
            await visitor.set_value(below, 815)
            await visitor.set_value(beside, 816)
        finally:
            await visitor.close()
        _, changed = await look()
        await watched.desktop.press([Chord("esc"), Chord("esc")])
        closed, after = await look()
    assert during == before
    assert (changed[below.name].value, changed[beside.name].value) == ("815", "816")
    assert after == changed == await watched.fresh_cells()
    assert len(before) > LEAST
    assert max(opened, closed) < whole - LEAST  # of a cell that is read anew two are asked, of one that is checked four


def _is_menu(control: TargetInfo) -> bool:
    return control.type is Role.MENUITEM and not control.rect.empty


def _meet(place: Rect, cell: TargetInfo) -> bool:
    return not place.intersection(cell.rect).empty


async def test_what_somebody_else_types_is_seen(watched: Watched) -> None:
    before = await watched.cells()
    visitor = await attach(watched.place)
    try:
        await visitor.activate(watched.window)
        await visitor.click(before["B4"].rect.center)
        await visitor.settle(watched.window)  # keys that come while it takes the click are lost
        await visitor.press([Chord("4"), Chord("2"), Chord("enter")])
        await visitor.settle(watched.window)
    finally:
        await visitor.close()
    after = await watched.cells()
    assert after["B4"].value == "42"
    assert after["C4"].value == before["C4"].value


async def test_what_happens_under_another_window_is_seen(watched: Watched) -> None:
    over = await launch_fixture(watched.desktop, watched.folder / "state.json")
    below = await watched.cells()
    hidden = next(cell for cell in below.values() if over.window.rect.contains(cell.rect.center))
    visitor = await attach(watched.place)
    try:
        await visitor.set_value(hidden, 4711)
        await visitor.settle(watched.window)
    finally:
        await visitor.close()
    assert (await watched.cells())[hidden.name].value == "4711"
