"""One viewer of a desktop: the messages and frames sent to its page, a few at a time."""

import json
import struct
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Final, Protocol

import anyio
from anyio import to_thread

from deskhand.core.errors import CaptureFailed
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonObject
from deskhand.core.observation import Picture
from deskhand.serve.view.changes import Changes
from deskhand.store.frame_picture import encode_frame

_IN_FLIGHT: Final = 2
"""Frames that the page has not shown yet; more are not sent."""
_BETWEEN_S: Final = 1 / 30
"""A screen that changes all the time is sent so often."""
_AGAIN_S: Final = 0.5
"""Time after which a picture that failed is taken again."""
_HEADER: Final = struct.Struct(">IHHHH")
"""Of a frame: its number, and left, top, width and height of its part of the screen."""


class Page(Protocol):
    """The other end of a viewer's connection."""

    async def send_text(self, data: str) -> None: ...

    async def send_bytes(self, data: bytes) -> None: ...


class Viewer:
    """Of each kind of message only the latest waits, and of changed pixels their union."""

    def __init__(self, number: int, browser: str) -> None:
        self.label = f"viewer {number} · {browser}"
        self._texts: dict[str, JsonObject] = {}
        self._changes = Changes()
        self._screen = Rect(0, 0, 0, 0)
        self._shown = self._sent = self._failures = 0
        self._round, self._next_round = 0, 0.0
        self._woken = anyio.Event()
        self._ending = anyio.Event()

    def post(self, message: JsonObject) -> None:
        """Have a message sent; one of the same `kind` that was not sent yet is dropped."""
        self._texts[str(message["kind"])] = message
        self._woken.set()

    def change(self, rects: Sequence[Rect]) -> None:
        """Have parts of the screen sent as they are then."""
        self._changes.add(rects, self._screen)
        self._woken.set()

    def resize(self, screen: Rect) -> None:
        """Have the whole screen sent, which is so large now."""
        self._screen, self._changes = screen, Changes()
        self.post({"kind": "screen", "width": screen.width, "height": screen.height})
        self.change([screen])

    def shown(self, sequence: int) -> None:
        """The page has drawn all frames up to this one."""
        self._shown = max(self._shown, min(sequence, self._sent))
        self._woken.set()

    def end(self) -> None:
        """Have `send` return once everything that was posted is sent."""
        self._ending.set()
        self._woken.set()

    async def send(self, page: Page, picture: Callable[[Rect], Awaitable[Picture]]) -> None:
        """Send messages and frames to the page as they come. Raises: errors of the page and of `picture`."""
        while True:
            self._woken = anyio.Event()
            while self._texts:
                await page.send_text(json.dumps(self._texts.pop(next(iter(self._texts)))))
            if self._ending.is_set():
                return
            if self._changes and self._sent - self._shown < _IN_FLIGHT:
                await self._send_frame(page, picture)
            else:
                await self._woken.wait()

    async def _send_frame(self, page: Page, picture: Callable[[Rect], Awaitable[Picture]]) -> None:
        if self._round == 0:  # parts that changed together are sent without a pause between them
            with anyio.move_on_after(self._next_round - monotonic()):
                await self._ending.wait()
            self._round, self._next_round = len(self._changes), monotonic() + _BETWEEN_S
        self._round -= 1
        part = self._changes.take()
        try:
            taken = await picture(part)
        except CaptureFailed as error:
            self._failures += 1
            if self._failures > 1:  # a desktop that ends is reported otherwise
                self.post({"kind": "notice", "text": error.message})
            self._changes.add([part], self._screen)  # it is still to be shown
            self._next_round = monotonic() + _AGAIN_S
            self._round = 0
            return
        self._failures = 0
        part, data = taken.rect, await to_thread.run_sync(encode_frame, taken)
        self._sent += 1
        header = _HEADER.pack(self._sent % 2**32, part.left, part.top, part.width, part.height)
        await page.send_bytes(header + data)
