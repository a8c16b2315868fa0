"""States of LibreOffice's controls are provisional where something happened before the look, or while it lasted."""

import pytest

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.atspi.application_registry import Applications
from deskhand.desktop.linux.atspi.client import BusTransport
from deskhand.desktop.linux.atspi.late_pages import Telling
from deskhand.desktop.linux.atspi.node import Walk
from deskhand.desktop.linux.atspi.toolkit import Toolkits
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.observe.observer import FINAL_S, Observer
from deskhand.desktop.linux.observe.window_reader import WindowReader
from deskhand.desktop.linux.toolkits.libreoffice.writer.clipboard_copy import TableCopier
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_reader import DocumentReader
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_tables import DocumentTables
from deskhand.desktop.linux.wiring import OWNERS
from deskhand.desktop.linux.x11.capture import XCamera
from deskhand.desktop.linux.x11.clipboard import XClipboard
from deskhand.desktop.linux.x11.connection import XConnection
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.picture_text.reader import PictureTexts

pytestmark = [pytest.mark.anyio, pytest.mark.requires("desktop.states-final")]

WRITER = TargetInfo(
    TargetKind.WINDOW, "Letter", Role.WINDOW, Rect(0, 0, 9, 9), handle="x11:1", application="libreoffice-writer", pid=7
)


class Clock:
    """Seconds, as they are set."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("before_s", "happens", "provisional"),
    [(FINAL_S * 2, False, False), (FINAL_S / 2, False, True), (FINAL_S * 2, True, True)],
    ids=["quiet", "something before", "something meanwhile"],
)
async def test_what_happens_before_a_look_or_meanwhile_makes_states_provisional(
    before_s: float, happens: bool, provisional: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, pulse, bus, connection = Clock(), Pulse(), BusTransport(), XConnection(":0")
    activity = Activity(pulse, clock)
    activity.acted()
    clock.now += before_s

    async def window(*_: object) -> TargetInfo:
        return WRITER

    async def look(*_: object, **__: object) -> tuple[Walk, tuple[TargetInfo, ...]]:
        if happens:
            activity.acted()
        return Walk(), ()

    monkeypatch.setattr(connection, "run", window)
    reader = DocumentReader(
        bus, Toolkits(bus, OWNERS), Telling(bus), DocumentTables(bus, pulse, TableCopier(XClipboard(":0"), pulse))
    )
    window_reader = WindowReader(
        connection, Applications(bus, activity.ledger.belongs), reader, activity, XCamera(":0", 1)
    )
    monkeypatch.setattr(window_reader, "read", look)
    observer = Observer(connection, window_reader, XCamera(":0", 1), clock, activity, PictureTexts())
    assert (await observer.observe(WRITER, picture=False, deadline_s=1)).provisional is provisional
