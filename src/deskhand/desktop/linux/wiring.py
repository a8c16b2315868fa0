"""Opening the connections of a desktop, in the order they need one another."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from typing import Final, Protocol

from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.atspi.actions import Actor
from deskhand.desktop.linux.atspi.application_registry import Applications
from deskhand.desktop.linux.atspi.client import BusTransport, Transport
from deskhand.desktop.linux.atspi.events import listen
from deskhand.desktop.linux.atspi.hit_test import Hits
from deskhand.desktop.linux.atspi.late_pages import Telling
from deskhand.desktop.linux.atspi.tables import Tables
from deskhand.desktop.linux.atspi.toolkit import Toolkit, Toolkits
from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER
from deskhand.desktop.linux.display_server import Clipboard, DisplayServer
from deskhand.desktop.linux.idle.probes import Probes
from deskhand.desktop.linux.idle.rest import Rest
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.observe.observer import Observer
from deskhand.desktop.linux.observe.resolver import Resolver
from deskhand.desktop.linux.observe.whole_tables import WholeTables
from deskhand.desktop.linux.observe.window_reader import WindowReader
from deskhand.desktop.linux.runtime.launcher import Launcher, Programs
from deskhand.desktop.linux.runtime.program_exits import ProgramExits
from deskhand.desktop.linux.toolkits.chromium.hooks import Chromium
from deskhand.desktop.linux.toolkits.gecko.hooks import Gecko
from deskhand.desktop.linux.toolkits.gtk2.hooks import Gtk2
from deskhand.desktop.linux.toolkits.gtk3.hooks import Gtk3
from deskhand.desktop.linux.toolkits.gtk4.hooks import Gtk4
from deskhand.desktop.linux.toolkits.libreoffice.hooks import LibreOffice
from deskhand.desktop.linux.toolkits.libreoffice.uno_client import Alone, open_office_interface
from deskhand.desktop.linux.toolkits.libreoffice.used_area import UsedArea
from deskhand.desktop.linux.toolkits.libreoffice.writer.clipboard_copy import TableCopier
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_reader import DocumentReader
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_tables import DocumentTables
from deskhand.desktop.linux.toolkits.qt.hooks import Qt
from deskhand.desktop.linux.toolkits.swing.hooks import Swing
from deskhand.desktop.linux.toolkits.win32.hooks import Win32
from deskhand.desktop.linux.wine.processes import speaks_for
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.picture_text.reader import PictureTexts
from deskhand.desktop.protocols.application_interface import ApplicationInterface
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.user_guard import Guard

OWNERS: Final = (LibreOffice, Gtk2, Gtk3, Gtk4, Qt, Swing, Chromium, Gecko, Win32)
"""The toolkits that differ from the specification; LibreOffice reports GTK 3 as its toolkit."""

_OPEN_DEADLINE_S: Final = 5.0


class Place(Protocol):
    """A desktop's X display (":1"), its accessibility bus, and the environment of programs that are to appear on it."""

    @property
    def name(self) -> str: ...

    @property
    def display(self) -> str: ...

    @property
    def environment(self) -> Mapping[str, str]: ...

    @property
    def a11y_address(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of an opened desktop."""

    server: DisplayServer
    clipboard: Clipboard
    applications: Applications
    window_reader: WindowReader
    observer: Observer
    resolver: Resolver
    tables: WholeTables
    actor: Actor
    launcher: Launcher
    program_exits: ProgramExits
    pulse: Pulse
    activity: Activity
    rest: Rest
    probes: Probes
    clock: Callable[[], float]
    application_interface: Callable[[TargetInfo, Alone], AbstractAsyncContextManager[ApplicationInterface]]


async def open_parts(
    place: Place,
    programs: Programs,
    clock: Callable[[], float],
    stack: AsyncExitStack,
    toolkits: Sequence[type[Toolkit]] = (),
) -> Parts:
    """Open every connection; `stack` closes them. `toolkits`: asked before `OWNERS`.

    Raises: DesktopGone, CaptureFailed.
    """
    activity = Activity(Pulse())
    transport = await BusTransport.connect(place.a11y_address)
    stack.push_async_callback(transport.close)
    server = await DISPLAY_SERVER.open(place.display, Guard(), activity, stack)
    await listen(transport, activity.event, deadline_s=_OPEN_DEADLINE_S)
    parts = parts_of(place, server, transport, activity, programs, clock, toolkits)
    stack.callback(parts.observer.close)
    return parts


def parts_of(  # noqa: PLR0913, PLR0917 - the connections of a desktop
    place: Place,
    server: DisplayServer,
    transport: Transport,
    activity: Activity,
    programs: Programs,
    clock: Callable[[], float],
    toolkits: Sequence[type[Toolkit]] = (),
) -> Parts:
    """Put the parts of a desktop together over its connections."""
    activity.sees_pixels = not server.changes.unseen
    pulse, connection = activity.pulse, server.connection
    applications = Applications(transport, activity.ledger.belongs, speaks_for=speaks_for)

    async def escape() -> None:
        await connection.run(lambda screen: screen.input.press(screen.input.prepare([Chord("esc")])))

    documents = DocumentTables(transport, pulse, TableCopier(server.clipboard(), pulse, escape))
    owners = Toolkits(transport, (*toolkits, *OWNERS))
    telling = Telling(transport)
    reader = DocumentReader(transport, owners, telling, documents)
    window_reader = WindowReader(connection, applications, reader, activity, server.camera)
    observer = Observer(connection, window_reader, server.camera, clock, activity, PictureTexts())
    return Parts(
        server=server,
        clipboard=server.clipboard(),
        applications=applications,
        window_reader=window_reader,
        observer=observer,
        resolver=Resolver(connection, applications, reader, window_reader, Hits(transport, telling)),
        tables=WholeTables(Tables(transport, owners), documents, UsedArea(transport)),
        actor=Actor(transport, owners, pulse),
        launcher=Launcher(
            programs, pulse, window_reader.windows, observer.is_ready, observer.controls, display=place.display
        ),
        program_exits=ProgramExits(programs, pulse),
        pulse=pulse,
        activity=activity,
        rest=Rest(activity),
        probes=Probes(server, transport, activity),
        clock=clock,
        application_interface=open_office_interface,
    )
