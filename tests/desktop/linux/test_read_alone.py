"""One object that is read by itself, without its window."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from deskhand.core.geometry import Point, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.atspi.applications import Applications, Toplevel
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.nodes import Node
from deskhand.desktop.linux.atspi.places import Outline
from deskhand.desktop.linux.atspi.roles import FRAME, SHOWING
from deskhand.desktop.linux.atspi.surfaces import Popups
from deskhand.desktop.linux.atspi.toolkits import Toolkit, Toolkits
from deskhand.desktop.linux.atspi.transport import BusTransport
from deskhand.desktop.linux.atspi.tree import TreeReader
from deskhand.desktop.linux.ledger import Ledger
from deskhand.desktop.linux.looker import Looker
from deskhand.desktop.linux.pulse import Pulse
from deskhand.desktop.linux.settle import Activity
from deskhand.desktop.linux.writer.copying import TableCopier
from deskhand.desktop.linux.writer.reader import DocumentReader
from deskhand.desktop.linux.writer.tables import DocumentTables
from deskhand.desktop.linux.x11.connection import XConnection

BUTTON = Ref(":1.7", "/button")
BARE = TargetInfo(TargetKind.WINDOW, "Bare", Role.WINDOW, Rect(40, 30, 240, 130), handle="x11:0x1")


def reader_over(bus: BusTransport) -> DocumentReader:
    pulse = Pulse()
    return DocumentReader(TreeReader(bus, Toolkits(bus)), DocumentTables(bus, pulse, TableCopier(":0", pulse)))


@pytest.mark.anyio
@pytest.mark.requires("desktop.geometry")
@pytest.mark.parametrize("toolkit", [Toolkit("gtk", "3.24.38"), Toolkit("GTK", "4.8.3")], ids=["GTK 3", "GTK 4"])
async def test_what_is_gone_has_no_place_in_a_window_of_which_nobody_knows_whose_it_is(
    toolkit: Toolkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, bus, popups_given = XConnection(":0"), BusTransport(), list[object]()
    applications, reader = Applications(bus, Ledger().belongs), reader_over(bus)
    looker = Looker(connection, applications, reader, Activity(Pulse()))

    async def nobody(*_: object, **__: object) -> int | None:
        return None

    async def read(ref: Ref, *, popups: Popups, **_: object) -> Node:
        popups_given.extend(popups.places)
        return Node(ref, None, SHOWING, rect=Rect(50, 40, 60, 50))

    async def toplevels(*_: object, **__: object) -> Sequence[Toplevel]:
        return (Toplevel(Ref(":1.9", "/frame"), "Bare", FRAME, SHOWING, Rect(0, 0, 100, 50)),)

    async def windows(*_: object) -> tuple[TargetInfo, ...]:
        return (BARE,)

    async def popups(*_: object) -> Popups:
        return Popups((BARE.rect,))

    async def run(*_: object) -> None:
        pytest.fail("nothing of another's window is asked for")

    monkeypatch.setattr(applications, "pid_of", nobody)
    monkeypatch.setattr(applications, "toplevels", toplevels)
    monkeypatch.setattr(reader, "read", read)
    monkeypatch.setattr(looker, "windows", windows)
    monkeypatch.setattr(looker, "_shown_popups", popups)
    monkeypatch.setattr(connection, "run", run)
    assert await looker.read_alone(BUTTON, toolkit) is None
    assert popups_given == []


@pytest.mark.anyio
async def test_how_applications_tell_places_is_kept_of_the_last_ones_and_not_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connection, bus, window = XConnection(":0"), BusTransport(), replace(BARE, pid=7)
    applications, reader = Applications(bus, Ledger().belongs), reader_over(bus)
    looker = Looker(connection, applications, reader, Activity(Pulse()))

    async def pid_of(*_: object, **__: object) -> int:
        return 7

    async def read(ref: Ref, **_: object) -> Node:
        return Node(ref, None, SHOWING, rect=Rect(5, 5, 6, 6))

    async def toplevels(*_: object, **__: object) -> Sequence[Toplevel]:
        return (Toplevel(Ref(":1.9", "/frame"), "Bare", FRAME, SHOWING, Rect(20, 15, 120, 65)),)

    async def windows(*_: object) -> tuple[TargetInfo, ...]:
        return (window,)

    async def run(*_: object) -> Outline:
        return Outline(window.rect, window.rect)

    monkeypatch.setattr(applications, "pid_of", pid_of)
    monkeypatch.setattr(applications, "toplevels", toplevels)
    monkeypatch.setattr(reader, "read", read)
    monkeypatch.setattr(looker, "windows", windows)
    monkeypatch.setattr(connection, "run", run)
    for number in range(1000):
        await looker.read_alone(Ref(f":1.{number}", "/button"), Toolkit("gtk", "3.24.38"))
    assert looker.as_told(":1.999", Point(60, 60)) == Point(30, 30)
    assert looker.as_told(":1.0", Point(60, 60)) == Point(60, 60)
