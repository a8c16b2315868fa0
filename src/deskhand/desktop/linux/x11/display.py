"""X11 as a display server: a display with all its connections."""

from contextlib import AsyncExitStack
from typing import Final

from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError

from deskhand.core.errors import DesktopGone
from deskhand.desktop.linux.display_server import ScreenWatcher
from deskhand.desktop.linux.x11.blocking_worker import Device
from deskhand.desktop.linux.x11.capture import XCamera
from deskhand.desktop.linux.x11.clipboard import XClipboard
from deskhand.desktop.linux.x11.connection import XConnection, x_server_gone
from deskhand.desktop.linux.x11.damage import XScreenChanges
from deskhand.desktop.linux.x11.input_lock import hold_display, holder_of
from deskhand.desktop.linux.x11.input_record import recorded_input
from deskhand.desktop.linux.x11.ping import Pinger
from deskhand.desktop.linux.x11.server_connection import connect
from deskhand.desktop.linux.x11.viewers import UserWatching, open_to_viewers
from deskhand.desktop.user_guard import Guard

_CHECK_S: Final = 5.0
_LATE_S: Final = 3.0
"""Time beyond the deadline of a ping for the X server to answer."""


class X11Display:
    """Implements `display_server.DisplayServer`."""

    def __init__(
        self,
        guard: Guard,
        connection: XConnection,
        camera: XCamera,
        changes: XScreenChanges,
        watching: UserWatching,
        stack: AsyncExitStack,
    ) -> None:
        self.guard = guard
        self._name = connection.name
        self.label = f"the X server of {connection.name}"
        self.connection = connection
        self.camera = camera
        self.changes = changes
        self._watching = watching
        self._stack = stack
        self._pinger = Device(lambda _: Pinger(connection.name), Pinger.close, Pinger.cut, grace_s=0.0)
        stack.push_async_callback(self._pinger.close)

    def clipboard(self) -> XClipboard:
        clipboard = XClipboard(self._name)
        self._stack.push_async_callback(clipboard.close)
        return clipboard

    async def has_handled_keys(self, deadline_s: float) -> bool | None:
        try:
            return await self._pinger.run(lambda pinger: pinger.ask(deadline_s), deadline_s=deadline_s + _LATE_S)
        except (ConnectionClosedError, OSError) as error:  # TimeoutError is an OSError
            raise self.gone() from error

    async def watch_user(self) -> tuple[str, ...]:
        return await self._watching.begin()

    def gone(self) -> DesktopGone:
        return x_server_gone(self._name)


class X11:
    """Implements `display_server.DisplayServerKind`."""

    async def check(self, name: str) -> None:
        server = Device(lambda _: connect(name), Display.close)
        try:
            await server.run(lambda _: None, deadline_s=_CHECK_S)
        except (DisplayError, OSError) as error:  # TimeoutError is an OSError
            raise DesktopGone(f"no X server answers at {name}: {error}") from error
        finally:
            await server.close()

    async def open(
        self, name: str, guard: Guard, watcher: ScreenWatcher, stack: AsyncExitStack, *, whole_screen: bool = False
    ) -> X11Display:
        connection = await XConnection.open(name, guard.check)
        stack.push_async_callback(connection.close)
        camera = await XCamera.open(name)
        stack.push_async_callback(camera.close)
        watching = UserWatching(connection, guard)
        stack.push_async_callback(watching.close)
        changes = await XScreenChanges.watch(name, watcher, watching.viewer, whole_screen=whole_screen)
        stack.push_async_callback(changes.close)
        return X11Display(guard, connection, camera, changes, watching, stack)

    open_to_viewers = staticmethod(open_to_viewers)
    hold = staticmethod(hold_display)
    holder_of = staticmethod(holder_of)
    recorded_input = staticmethod(recorded_input)
