"""Viewers through which a user may act on a display: whether one is open, and the watch for its user.

Who serves a display to viewers owns a selection on it. The server reports a change of its owner, also the end of a
process that was killed; it costs the others nothing.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import anyio
from Xlib import X
from Xlib.display import Display
from Xlib.ext import xfixes, xtest
from Xlib.protocol.rq import Event
from Xlib.xobject.drawable import Window

from deskhand.core.errors import DesktopBusy, DesktopGone
from deskhand.desktop.linux.x11.connection import XConnection, XScreen, display_device
from deskhand.desktop.linux.x11.input_lock import VIEWER, asked, hold_display, name_plate, owner, report_changes, take
from deskhand.desktop.linux.x11.user_activity import XUserWatch
from deskhand.desktop.processes import Holder
from deskhand.desktop.user_guard import Guard


@asynccontextmanager
async def open_to_viewers(name: str, holder: Holder) -> AsyncGenerator[Callable[[], Awaitable[None]]]:
    """Have everybody know of a viewer at a display until left, or until this process dies.

    Yield a function that releases keys and buttons of a client that went: those who watch release those of their user,
    as only they can distinguish them from their own; where nobody has the display, all are released.
    Raises: DesktopBusy (there is one), DesktopGone.
    """
    device = display_device(name)
    ours: list[Window] = []

    def open_it(display: Display) -> Holder | None:
        ours.append(name_plate(display, holder))
        return take(display, ours[0], VIEWER)

    def open_again(display: Display) -> None:
        ours[0].set_selection_owner(display.intern_atom(VIEWER), X.CurrentTime)
        display.sync()

    async def release() -> None:
        await asked(device, name, open_again)
        with suppress(DesktopBusy):
            async with hold_display(name, holder, patience_s=0.0, of_viewers=True):
                pass

    try:
        other = await asked(device, name, open_it)
        if other is not None:
            raise DesktopBusy(
                f"{name} is already open to viewers, by {other.told}",
                fix="connect the viewer to that, or end it; with --view-only there can be several",
            )
        yield release
    finally:
        await device.close()


def report_viewers(display: Display) -> bool:
    """Have the server report viewers; True if there is one."""
    if not display.has_extension(xfixes.extname):
        return False
    report_changes(display, VIEWER)
    return owner(display, VIEWER) is not None


def viewer_reported(event: Event) -> bool | None:
    """Return whether there is a viewer from now on; None for an event of another kind."""
    if not hasattr(event, "selection") or not hasattr(event, "owner"):
        return None
    return bool(getattr(event.owner, "id", event.owner))


class UserWatching:
    """Watches for the user of a display while the rules of its guard demand it."""

    def __init__(self, connection: XConnection, guard: Guard) -> None:
        """`connection`: that by which this process sends input."""
        self._connection = connection
        self._guard = guard
        self._watch: XUserWatch | None = None
        self._began = False
        self._turn = anyio.Lock()
        self._changes = set[asyncio.Task[None]]()

    async def begin(self) -> tuple[str, ...]:
        """Return the problems, see `XUserWatch`. Raises: DesktopGone."""
        self._began = True
        await self._follow()
        return self._watch.problems if self._watch else ()

    def viewer(self, is_open: bool) -> None:
        """Take the report of a viewer that comes or goes, or has lost a client. It comes outside of any task."""
        self._guard.viewer(is_open=is_open)
        if self._began:
            left = self._watch.let_go() if self._watch else ()
            change = asyncio.get_running_loop().create_task(self._follow_report(left))
            self._changes.add(change)
            change.add_done_callback(self._changes.discard)

    async def close(self) -> None:
        """Stop watching."""
        self._began = False
        for change in tuple(self._changes):
            change.cancel()
        watch, self._watch = self._watch, None
        if watch is not None:
            await watch.close()

    def _record_sent(self) -> None:
        self._connection.sent.watched = True

    async def _follow_report(self, left: Sequence[tuple[int, int]]) -> None:
        with suppress(DesktopGone):  # the next action reports it
            if left:
                await self._connection.run(lambda screen: self._release(screen, left))
            await self._follow()

    def _release(self, screen: XScreen, left: Sequence[tuple[int, int]]) -> None:
        for kind, code in left:
            self._connection.sent.note(kind, code)
            xtest.fake_input(screen.display, kind, code)
        screen.display.sync()

    async def _follow(self) -> None:
        """Watch, or cease to, as the rules demand. Raises: DesktopGone."""
        async with self._turn:
            if self._guard.rules.watches and self._watch is None:
                await self._connection.run(lambda _: self._record_sent())  # between two calls: no half is recorded
                self._watch = await XUserWatch.begin(self._connection.name, self._connection.sent, self._guard)
            elif not self._guard.rules.watches and self._watch is not None:
                watch, self._watch = self._watch, None
                await watch.close()
