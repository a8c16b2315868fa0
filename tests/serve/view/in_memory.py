"""A live desktop in memory, served as `deskhand view` serves one, and pages of it without a browser."""

import json
import re
import struct
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import anyio
import httpx2
from pydantic import TypeAdapter
from websockets.asyncio.client import ClientConnection, connect

from deskhand.core.errors import ActionRefused, DesktopBusy
from deskhand.core.geometry import Point, Rect
from deskhand.core.json import JsonObject
from deskhand.core.observation import Picture, PixelOrder
from deskhand.desktop.protocols.live import LiveEvent, Look
from deskhand.serve.view.app import serve_view
from deskhand.serve.view.hands import DesktopHands
from deskhand.serve.view.session import SessionPanel
from deskhand.serve.view.view import Commands, View, no_session

TOKEN: Final = "a-token-that-cannot-be-guessed"  # noqa: S105 - of these tests
PATIENCE_S: Final = 10.0
SCREEN: Final = Rect(0, 0, 320, 200)


class LiveInMemory:
    """Implements `LiveDesktop`: a screen of one colour, and a list of all that is sent to it."""

    name = "memory"

    def __init__(self) -> None:
        self.on_change: Callable[[Sequence[Rect]], None] = lambda _: None
        self.ended = anyio.Event()
        self.colour: tuple[int, int, int] = (10, 20, 30)
        self.pointer = Point(1, 2)
        self.sent: list[LiveEvent | str] = []
        self.taken: list[Rect] = []
        self.held_by = ""
        self.refuses = False

    async def look(self) -> Look:
        return Look(self.pointer, SCREEN)

    async def picture(self, region: Rect) -> Picture:
        self.taken.append(region)
        return Picture(bytes((*self.colour[::-1], 0)) * region.area, region, PixelOrder.BGRX)

    async def send(self, event: LiveEvent) -> None:
        if self.refuses:
            raise ActionRefused("No key of this keyboard layout is alt.", fix="Set another layout.")
        self.sent.append(event)

    async def release(self) -> None:
        self.sent.append("release")

    @asynccontextmanager
    async def hold(self, who: str) -> AsyncGenerator[None]:
        if self.held_by:
            raise DesktopBusy(f"the pointer and keyboard of memory are held by {self.held_by}", fix="wait")
        self.held_by = who
        try:
            yield
        finally:
            self.held_by = ""

    def paint(self, *rects: Rect) -> None:
        self.on_change(rects)


@dataclass
class Frame:
    sequence: int
    rect: Rect
    data: bytes


@dataclass
class Page:
    """A page: the latest message of each kind, and the frames that came."""

    socket: ClientConnection
    latest: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])
    frames: list[Frame] = field(default_factory=list[Frame])
    shows: bool = True

    async def send(self, kind: str, **fields: object) -> None:
        await self.socket.send(json.dumps({"kind": kind, **fields}))

    async def until(self, holds: Callable[["Page"], object]) -> None:
        """Take in messages until this is true of them. Raises: TimeoutError, ConnectionClosed."""
        with anyio.fail_after(PATIENCE_S):
            while not holds(self):
                await self._take_in(await self.socket.recv())

    async def hands(self, state: str) -> str:
        """Wait until the hands are in this state; return who has them."""
        await self.until(lambda page: page.latest.get("hands", {}).get("state") == state)
        return str(self.latest["hands"]["holder"])

    async def notice(self) -> str:
        self.latest.pop("notice", None)
        await self.until(lambda page: "notice" in page.latest)
        return str(self.latest["notice"]["text"])

    async def _take_in(self, message: str | bytes) -> None:
        if isinstance(message, str):
            read = TypeAdapter(JsonObject).validate_json(message)
            self.latest[str(read["kind"])] = read
            return
        number, left, top, width, height = struct.unpack_from(">IHHHH", message)
        self.frames.append(Frame(number, Rect.from_extents(left, top, width, height), message[12:]))
        if self.shows:
            await self.send("shown", sequence=number)


@dataclass
class Served:
    desktop: LiveInMemory
    view: View
    address: str
    ended: anyio.Event

    @property
    def host(self) -> str:
        found = re.match(r"http://([^/]+)/", self.address)
        assert found
        return found[1]

    @property
    def cookie(self) -> str:
        return f"deskhand-view-{self.host.rpartition(':')[2]}={TOKEN}"

    @asynccontextmanager
    async def page(self, browser: str = "Firefox/150.0") -> AsyncGenerator[Page]:
        connection = connect(
            f"ws://{self.host}/live", additional_headers={"Cookie": self.cookie}, user_agent_header=browser
        )
        async with connection as socket:
            yield Page(socket)

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        async with httpx2.AsyncClient() as client:
            return await client.get(f"http://{self.host}{path}", headers=headers)


@asynccontextmanager
async def serving(commands: Commands = no_session, panel: SessionPanel | None = None) -> AsyncGenerator[Served]:
    """`panel`: of the session on the desktop."""
    desktop = LiveInMemory()
    view = View(desktop, DesktopHands(desktop), commands)
    if panel is not None:
        view = View(desktop, panel, panel.command, title="s1", farewell=panel.farewell)
    send, receive = anyio.create_memory_object_stream[str](1)
    ended = anyio.Event()

    async def serve() -> None:
        await serve_view(view, 0, TOKEN, ready=send.send_nowait)
        ended.set()

    async with anyio.create_task_group() as group, send, receive:
        group.start_soon(serve)
        if panel is not None:
            group.start_soon(panel.follow, view)
        with anyio.fail_after(PATIENCE_S):
            address = await receive.receive()
        yield Served(desktop, view, address, ended)
        group.cancel_scope.cancel()


async def wait_for(holds: Callable[[], object]) -> None:
    """Wait until this is true of a server in this process. Raises: TimeoutError."""
    with anyio.fail_after(PATIENCE_S):
        while not holds():
            await anyio.lowlevel.checkpoint()
