"""What the X server says of changes: pixels (DAMAGE) and properties of the root window."""

import asyncio
from collections.abc import Callable
from typing import Final, Self

from Xlib import X
from Xlib.display import Display
from Xlib.error import ConnectionClosedError
from Xlib.ext import damage

from deskhand.core.errors import DesktopGone
from deskhand.desktop.linux.x11.connection import display_device
from deskhand.desktop.linux.x11.device import Device

_OPEN_S: Final = 5.0


class ScreenChanges:
    """A connection of its own, read in the event loop whenever its socket has something; nothing here blocks.

    Only opening and closing it is left to the device's thread.
    """

    def __init__(self, device: Device[Display], display: Display, damage_id: int, changed: Callable[[], None]) -> None:
        self._device = device
        self._display = display
        self._damage_id = damage_id
        self._changed = changed
        self._open = True
        self._loop = asyncio.get_running_loop()
        self._socket = display.fileno()  # a closed connection no longer tells
        self._loop.add_reader(self._socket, self._read)
        self._read()

    @classmethod
    async def watch(cls, name: str, changed: Callable[[], None]) -> Self:
        """`changed` is called in the event loop when pixels or the window list changed. Raises: DesktopGone."""
        device = display_device(name)
        try:
            display, damage_id = await device.run(_subscribe, deadline_s=_OPEN_S)
        except TimeoutError as error:
            raise DesktopGone(f"The X server of {name} does not answer.", fix="Start the desktop again.") from error
        return cls(device, display, damage_id, changed)

    async def close(self) -> None:
        self._stop()
        await self._device.close()

    def _read(self) -> None:
        try:
            events = [self._display.next_event() for _ in range(self._display.pending_events())]
            if events:
                # One report stands for all damage since the last one, so that a busy screen costs nothing.
                damage.damage_subtract(self._display, self._damage_id)
                self._display.flush()
                self._changed()
        except (ConnectionClosedError, OSError):
            self._stop()
            self._changed()

    def _stop(self) -> None:
        if self._open:
            self._open = False
            self._loop.remove_reader(self._socket)


def _subscribe(display: Display) -> tuple[Display, int]:
    damage.query_version(display)
    root = display.screen().root
    root.change_attributes(event_mask=X.PropertyChangeMask)
    damage_id = damage.damage_create(root, damage.DamageReportNonEmpty)
    display.sync()
    return display, damage_id
