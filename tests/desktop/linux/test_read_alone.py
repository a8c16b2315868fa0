"""One object that is read by itself, without its window."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from deskhand.core.errors import ApplicationGone
from deskhand.core.geometry import Point, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.atspi.application_registry import Applications, Toplevel
from deskhand.desktop.linux.atspi.calls import REGISTRY, Ref
from deskhand.desktop.linux.atspi.client import BUS, BusTransport, Call, Reply
from deskhand.desktop.linux.atspi.coordinates import Outline
from deskhand.desktop.linux.atspi.late_pages import Telling
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import FRAME, PUSH_BUTTON, SHOWING
from deskhand.desktop.linux.atspi.toolkit import Toolkit, Toolkits
from deskhand.desktop.linux.idle.activity import Ledger
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.observe.window_reader import WindowReader
from deskhand.desktop.linux.toolkits.gtk3.hooks import Gtk3
from deskhand.desktop.linux.toolkits.gtk4.hooks import Gtk4
from deskhand.desktop.linux.toolkits.libreoffice.writer.clipboard_copy import TableCopier
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_reader import DocumentReader
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_tables import DocumentTables
from deskhand.desktop.linux.wiring import OWNERS
from deskhand.desktop.linux.x11.capture import XCamera
from deskhand.desktop.linux.x11.clipboard import XClipboard
from deskhand.desktop.linux.x11.connection import XConnection
from deskhand.desktop.notifier import Pulse
from desktop.linux.test_tree import ROOT, FakeApplication, FakeObject

BARE = TargetInfo(TargetKind.WINDOW, "Bare", Role.WINDOW, Rect(40, 30, 240, 130), handle="x11:0x1")


def reader_over(bus: BusTransport) -> DocumentReader:
    pulse = Pulse()
    return DocumentReader(
        bus, Toolkits(bus, OWNERS), Telling(bus), DocumentTables(bus, pulse, TableCopier(XClipboard(":0"), pulse))
    )


@pytest.mark.anyio
async def test_how_applications_tell_places_is_kept_of_the_last_ones_and_not_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connection, bus, window = XConnection(":0"), BusTransport(), replace(BARE, pid=7)
    applications, reader = Applications(bus, Ledger().belongs), reader_over(bus)
    window_reader = WindowReader(connection, applications, reader, Activity(Pulse()), XCamera(":0", 1))

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
    monkeypatch.setattr(window_reader, "windows", windows)
    monkeypatch.setattr(connection, "run", run)
    for number in range(1000):
        await window_reader.read_control(Ref(f":1.{number}", "/button"), Gtk3("gtk", "3.24.38"))
    assert window_reader.as_told(":1.999", Point(60, 60)) == Point(30, 30)
    assert window_reader.as_told(":1.0", Point(60, 60)) == Point(60, 60)


class Ending(FakeApplication):
    """It answers, and has left the bus by then."""

    async def _answer(self, call: Call) -> Reply:
        if call.destination in {BUS, REGISTRY}:
            self.asked.append(call)
            return ApplicationGone("nobody owns it")
        return await super()._answer(call)


@pytest.mark.requires("desktop.lying")
@pytest.mark.parametrize("toolkit", [Gtk4("GTK", "4.8.3"), Gtk3("gtk", "3.24.38")])
async def test_a_control_whose_application_has_left_has_no_other_application_asked(
    toolkit: Toolkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, pulse, connection = Ending({"/save": FakeObject(PUSH_BUTTON, "Save")}), Pulse(), XConnection(":0")

    async def nothing(*_: object) -> tuple[()]:
        return ()

    monkeypatch.setattr(connection, "run", nothing)
    activity = Activity(pulse, lambda: 0.0)
    reader = DocumentReader(
        app, Toolkits(app, OWNERS), Telling(app), DocumentTables(app, pulse, TableCopier(XClipboard(":0"), pulse))
    )
    window_reader = WindowReader(
        connection, Applications(app, activity.ledger.belongs), reader, activity, XCamera(":0", 1)
    )
    with pytest.raises(ApplicationGone):
        await window_reader.read_control(Ref(ROOT.bus, "/save"), toolkit)
    assert REGISTRY not in {call.destination for call in app.asked}
