"""A spreadsheet's cells are read again only when something happened, and then always."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import pytest

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Application, Chord
from deskhand.desktop.linux.atspi.transport import BusTransport
from deskhand.desktop.linux.desktop import LinuxDesktop, attach
from deskhand.desktop.linux.launch import LocalPrograms
from deskhand.desktop.linux.parts import open_parts
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
        seen = await self.desktop.observe(self.window, picture=False)
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
        transport = parts.answers.transport
        assert isinstance(transport, BusTransport)
        calls: list[int] = []
        looks: list[dict[str, TargetInfo]] = []
        for _ in range(3):
            before, _ = transport.traffic()
            seen = await parts.sight.observe(watched.window, picture=False, deadline_s=20)
            calls.append(transport.traffic()[0] - before)
            looks.append({control.handle: control for control in seen.controls})
    assert looks[0] == looks[1] == looks[2]
    assert sum(control.type is Role.CELL for control in looks[0].values()) > LEAST
    assert max(calls[1:]) < calls[0] / 2


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
