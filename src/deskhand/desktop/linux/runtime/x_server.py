"""A new X server, seen from us: who may use it, and when its windows are managed. Imported while the server starts."""

import os
from typing import Final

import anyio
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError
from Xlib.protocol import rq
from Xlib.xobject.drawable import Window

from deskhand.core.errors import LaunchFailed
from deskhand.desktop.linux.x11.properties import read_numbers
from deskhand.desktop.linux.x11.server_connection import connect

_SERVER_INTERPRETED: Final = 5
_EVERY_LOCAL_USER: Final = 252
_ASKED_AGAIN_S: Final = 0.003


class _ChangeHosts(rq.Request):
    """The core request; the library's own refuses the family of every local user."""

    _request = rq.Struct(
        rq.Opcode(109),
        rq.Card8("mode"),
        rq.RequestLength(),
        rq.Card8("family"),
        rq.Pad(1),
        rq.LengthOf("host", 2),
        rq.String8("host"),
    )


def open_screen(display: str) -> Display:
    """A connection that hears of changes of the root window's properties. Raises: LaunchFailed.

    Without a cookie an X server lets every local user in, to look and to type; from now on it takes our user alone.
    """
    try:
        connection = connect(display)
    except DisplayError as error:
        raise LaunchFailed(f"the X server {display} does not answer: {error}") from error
    us = b"localuser\0#%d" % os.getuid()
    try:
        for mode, family, host in ((X.HostInsert, _SERVER_INTERPRETED, us), (X.HostDelete, _EVERY_LOCAL_USER, b"")):
            _ChangeHosts(connection.display, mode=mode, family=family, host=host)
        connection.screen().root.change_attributes(event_mask=X.PropertyChangeMask)
        connection.flush()
    except ConnectionClosedError as error:
        raise LaunchFailed(f"the X server {display} hung up: {error}") from error
    return connection


async def is_managed(connection: Display) -> bool:
    """True as soon as a window manager takes windows; False when the X server is gone."""
    root = connection.screen().root
    try:
        check = connection.intern_atom("_NET_SUPPORTING_WM_CHECK")
        while not read_numbers(root, check):
            await _hears(connection)
        await _takes_windows(connection, root)
    except ConnectionClosedError:
        return False
    return True


async def _takes_windows(connection: Display, root: Window) -> None:
    """Returns once a window of ours was shown, and is gone again.

    Openbox announces itself some 20 ms before it takes windows, and forgets those that ask to be shown in between.
    """
    kind, notification, listed = (
        connection.intern_atom(name)
        for name in ("_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_NOTIFICATION", "_NET_CLIENT_LIST")
    )
    probe = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    probe.change_property(kind, Xatom.ATOM, 32, [notification])  # of the kind that takes no keyboard
    while probe.get_attributes().map_state != X.IsViewable:
        probe.map()
        connection.flush()
        with anyio.move_on_after(_ASKED_AGAIN_S):
            await _hears(connection)
    probe.destroy()
    while probe.id in read_numbers(root, listed):
        await _hears(connection)


async def _hears(connection: Display) -> None:
    """Return when something came from the server; events that came with an answer are taken from the socket already."""
    if not connection.pending_events():
        await anyio.wait_readable(connection.fileno())
    while connection.pending_events():
        connection.next_event()
