"""Changes that the X server reports: repainted pixels of windows (DAMAGE), and windows that open, close and move."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Self

import anyio
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, XError
from Xlib.ext import damage
from Xlib.protocol import event
from Xlib.protocol.rq import Event
from Xlib.xobject.drawable import Window

from deskhand.core.geometry import Rect
from deskhand.desktop.linux.display_server import ScreenWatcher
from deskhand.desktop.linux.x11.blocking_worker import Device
from deskhand.desktop.linux.x11.connection import display_device, x_server_gone
from deskhand.desktop.linux.x11.viewers import report_viewers, viewer_reported

_OPEN_S: Final = 5.0
_READ_EVERY_S: Final = 0.008
"""Seconds between two reads of changes: a busy screen costs no more than that many reads."""

_NO_PIXELS: Final = "pixels: the X server has no DAMAGE extension"

_MANY: Final = 32
"""More rectangles of one window in one read than this: from then on only their bounds are asked for."""


class XScreenChanges:
    """A connection of its own, read in the event loop whenever its socket has something; nothing here blocks.

    Only opening and closing it is left to the device's thread.
    """

    def __init__(
        self,
        device: Device[Display],
        subscription: "_Subscription",
        watcher: ScreenWatcher,
        viewer: Callable[[bool], None],
    ) -> None:
        self._device = device
        self._display = display = subscription.display
        self._fence_window = subscription.fence_window
        self._repainted = subscription.repainted
        self._watcher = watcher
        self._viewer = viewer
        self._open = True
        self._damages: dict[int, int] = {}
        self._fences: dict[int, anyio.Event] = {}
        self._fences_asked = self._fences_answered = 0
        self._root: Window = display.screen().root
        self.unseen = "" if subscription.repainted is not None else _NO_PIXELS
        self._loop = asyncio.get_running_loop()
        self._again: asyncio.TimerHandle | None = None
        self._socket = display.fileno()  # a closed connection no longer tells

    @classmethod
    async def watch(
        cls,
        name: str,
        watcher: ScreenWatcher,
        viewer: Callable[[bool], None] = lambda _: None,
        *,
        whole_screen: bool = False,
    ) -> Self:
        """`viewer` takes whether a viewer is open through which a user may act, now and on each change.

        `whole_screen`: report the repainted parts of the screen, and of no window. Raises: DesktopGone.
        """
        device = display_device(name)
        try:
            subscription = await device.run(partial(_subscribe, whole_screen=whole_screen), deadline_s=_OPEN_S)
        except (TimeoutError, ConnectionClosedError, XError, OSError) as error:
            await device.close()
            raise x_server_gone(name) from error
        changes = cls(device, subscription, watcher, viewer)
        viewer(subscription.has_viewer)
        changes._begin(subscription.windows)
        return changes

    async def close(self) -> None:
        self._stop()
        await self._device.close()

    async def fence(self) -> bool:
        """Return once everything that the server did before is reported; False where it hung up."""
        if not self._open:
            return False
        self._fences_asked += 1
        number = self._fences_asked
        passed = self._fences[number] = anyio.Event()
        try:
            self._fence_window.change_property(Xatom.WM_NAME, Xatom.STRING, 8, b"", X.PropModeAppend)
            self._end_rest()
            self._send()
            await passed.wait()
        finally:
            del self._fences[number]
        return self._open

    def _begin(self, windows: Sequence[int]) -> None:
        for window in windows:
            self._watch_pixels(window)
        self._loop.add_reader(self._socket, self._read)
        self._send()

    def _read(self) -> None:
        try:
            events = [self._display.next_event() for _ in range(self._display.pending_events())]
            if events:
                self._take(events)
                if not self._fences:
                    self._rest()
                self._display.flush()
        except (ConnectionClosedError, OSError):
            self._stop()
            self._watcher.hung_up()

    def _rest(self) -> None:
        """Read the next events a moment later: until then the server merges its reports."""
        self._loop.remove_reader(self._socket)
        self._again = self._loop.call_later(_READ_EVERY_S, self._wake)

    def _wake(self) -> None:
        self._again = None
        if self._open:
            self._loop.add_reader(self._socket, self._read)
            self._read()

    def _end_rest(self) -> None:
        """Read again from now on: somebody waits for what the server says next."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
            self._loop.add_reader(self._socket, self._read)

    def _take(self, events: Sequence[Event]) -> None:
        painted: dict[int, list[Rect]] = {}
        corners: dict[int, tuple[int, int]] = {}
        is_change = False
        for one in events:
            if self._is_fence(one):
                self._pass_fence()
                continue
            if (is_open := viewer_reported(one)) is not None:
                self._viewer(is_open)
                continue
            is_change = True
            if one.type == self._repainted:
                area, window = one.area, one.drawable.id
                rect = Rect.from_extents(area.x, area.y, area.width, area.height)
                painted.setdefault(window, []).append(rect)
                corners[window] = (one.drawable_geometry.x, one.drawable_geometry.y)
            else:
                self._take_window_event(one)
        for window, rects in painted.items():
            if (known := self._damages.get(window)) is not None:
                damage.damage_subtract(self._display, known)
                if len(rects) > _MANY:
                    self._watch_pixels(window, damage.DamageReportBoundingBox)
            self._watcher.repaint(window, corners[window], rects)
        if is_change:
            self._watcher.changed()

    def _is_fence(self, one: Event) -> bool:
        return isinstance(one, event.PropertyNotify) and one.window.id == self._fence_window.id

    def _pass_fence(self) -> None:
        """Let pass who waits for the next fence; there is one for each that was asked for, also where nobody waits."""
        self._fences_answered += 1
        if self._fences_answered in self._fences:
            self._fences[self._fences_answered].set()

    def _take_window_event(self, one: Event) -> None:
        if isinstance(one, event.CreateNotify):
            self._watcher.created(one.window.id)
            self._watch_pixels(one.window.id)
        elif isinstance(one, event.DestroyNotify):
            self._damages.pop(one.window.id, None)
            self._watcher.window(one.window.id, "a window that closed")
        elif isinstance(one, event.ReparentNotify):
            if one.parent.id == self._root.id:
                self._watch_pixels(one.window.id)
            else:
                self._forget_pixels(one.window.id)
        elif isinstance(one, event.MapNotify):
            self._watcher.window(one.window.id, "a window that opened")
        elif isinstance(one, event.UnmapNotify | event.ConfigureNotify):
            self._watcher.window(one.window.id, "a window that moved or closed")

    def _watch_pixels(self, window: int, level: int = damage.DamageReportDeltaRectangles) -> None:
        self._forget_pixels(window)
        if not self.unseen:
            drawable: Window = self._display.create_resource_object("window", window)
            self._damages[window] = damage.damage_create(drawable, level)

    def _forget_pixels(self, window: int) -> None:
        known = self._damages.pop(window, None)
        if known is not None:
            damage.damage_destroy(self._display, known)

    def _send(self) -> None:
        """Flush pending requests, then read: flushing took events that came in meanwhile from the socket."""
        try:
            self._display.flush()
        except (ConnectionClosedError, OSError):
            self._stop()
            self._watcher.hung_up()
        else:
            if self._again is None:
                self._read()

    def _stop(self) -> None:
        if self._open:
            self._open = False
            if self._again is not None:
                self._again.cancel()
            self._loop.remove_reader(self._socket)
            for fence in self._fences.values():
                fence.set()


@dataclass(frozen=True, slots=True)
class _Subscription:
    """Events subscribed to, and the present windows. `repainted` is the number of the event of repaints."""

    display: Display
    windows: tuple[int, ...]
    fence_window: Window
    repainted: int | None
    has_viewer: bool


def _subscribe(display: Display, *, whole_screen: bool) -> _Subscription:
    display.set_error_handler(_forgive)
    repainted: int | None = None
    if display.has_extension(damage.extname):
        damage.query_version(display)
        repainted = display.extension_event.DamageNotify
    root: Window = display.screen().root
    fence = root.create_window(-1, -1, 1, 1, 0, 0, X.InputOnly, event_mask=X.PropertyChangeMask, override_redirect=1)
    if whole_screen:  # its damage is that of all windows, as they are seen
        return _Subscription(display, (root.id,), fence, repainted, report_viewers(display))
    root.change_attributes(event_mask=X.PropertyChangeMask | X.SubstructureNotifyMask)
    windows = tuple(child.id for child in root.query_tree().children if child.id != fence.id)
    return _Subscription(display, windows, fence, repainted, report_viewers(display))


def _forgive(error: XError, request: object) -> None:
    """A window may be gone before its pixels are watched, and some have none."""
