"""The web application of a view: its page, and the connection over which the page sees and acts."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import anyio
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from deskhand.serve.view.door import Door, with_headers
from deskhand.serve.view.messages import MOST_BYTES
from deskhand.serve.view.view import View
from deskhand.serve.web_server import Place, listen, serve_until_cancelled

_FOLDER: Final = Path(__file__).parent / "page"
_FILES: Final = {
    "/": ("view.html", "text/html"),
    "/view.css": ("view.css", "text/css"),
    "/view.js": ("view.js", "text/javascript"),
    "/session.js": ("session.js", "text/javascript"),
    "/session.css": ("session.css", "text/css"),
}
_PING_S: Final = 5.0
"""Interval of the questions whether a page is still there, and timeout of the answers."""
_ENDED: Final = 4001
"""Code of a close after which the page does not connect again."""
_BROWSERS: Final = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""Marks of the user agents of browsers, those first that others carry too."""


class _Connection:
    """Implements `view.Connection`."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._is_gone = False

    async def send_text(self, data: str) -> None:
        await self._sent(self._socket.send_text(data))

    async def send_bytes(self, data: bytes) -> None:
        await self._sent(self._socket.send_bytes(data))

    async def receive_text(self) -> str | None:
        message = await self._socket.receive()
        self._is_gone = message["type"] == "websocket.disconnect"
        return None if self._is_gone else message.get("text") or ""

    async def close(self) -> None:
        if not self._is_gone:
            await self._sent(self._socket.close(_ENDED))

    async def _sent(self, sending: Awaitable[None]) -> None:
        """Ignore that a page is gone: `receive_text` reports it."""
        try:
            await sending
        except (WebSocketDisconnect, RuntimeError):  # RuntimeError: closed by ourselves before
            self._is_gone = True


async def serve_view(view: View, port: int, token: str, *, ready: Callable[[str], None]) -> None:
    """Serve a view on the loopback until its desktop ends; `ready` gets the address. Raises: UsageError."""
    listening = listen(Place(port=port), option="--port")
    number = listening.getsockname()[1]
    config = uvicorn.Config(
        Door(_app(view), token, number),
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=1,
        ws="websockets-sansio",
        ws_max_size=MOST_BYTES,
        ws_ping_interval=_PING_S,
        ws_ping_timeout=_PING_S,
        ws_per_message_deflate=False,
    )

    def ready_there() -> None:
        ready(f"http://127.0.0.1:{number}/?token={token}")

    async with anyio.create_task_group() as group:
        group.start_soon(serve_until_cancelled, config, listening, ready_there)
        await view.run()
        group.cancel_scope.cancel()


def _app(view: View) -> Starlette:
    async def page(request: Request) -> Response:
        name, kind = _FILES[request.url.path]
        return with_headers(Response(await anyio.Path(_FOLDER / name).read_bytes(), media_type=kind))

    async def attend(socket: WebSocket) -> None:
        await socket.accept()
        connection = _Connection(socket)
        await view.attend(connection, _browser(socket.headers.get("user-agent", "")))
        await connection.close()

    return Starlette(routes=[*(Route(path, page) for path in _FILES), WebSocketRoute("/live", attend)])


def _browser(agent: str) -> str:
    return next((name for mark, name in _BROWSERS if mark in agent), "a browser")
