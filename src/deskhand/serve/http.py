"""MCP over streamable HTTP, protected by a bearer token and by lists of allowed hosts and origins."""

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import anyio
import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse

from deskhand.core.errors import UsageError
from deskhand.serve.client_identity import marked

if TYPE_CHECKING:
    from collections.abc import Generator

    from starlette.types import ASGIApp, Receive, Scope, Send

PATH: Final = "/mcp"
MOST_BYTES: Final = 4 * 1024 * 1024
_LEAST_TOKEN: Final = 16
_FAREWELL_S: Final = 5.0
_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class Place:
    """Address to listen on; port 0: any free one. `names`: further host names of this machine for callers."""

    host: str = "127.0.0.1"
    port: int = 0
    names: tuple[str, ...] = ()

    @property
    def is_loopback(self) -> bool:
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def hosts(self) -> tuple[str, ...]:
        """Allowed Host values of a request, without port."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        return (*_LOOPBACK, *self.names) if self.is_loopback else (own, *self.names)


def new_token() -> str:
    return secrets.token_urlsafe(32)


def check_token(token: str) -> str:
    """Raises: UsageError for a token that could be guessed, or that no header can carry."""
    if len(token) < _LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"the token is too weak: use {_LEAST_TOKEN} or more letters, digits and signs without spaces",
            fix='python3 -c "import secrets; print(secrets.token_urlsafe(32))"',
        )
    return token


async def serve_http(server: Server[Any], place: Place, token: str, *, ready: Callable[[str], None]) -> None:
    """Serve until cancelled; `ready` gets the address when the server listens. Raises: UsageError."""
    listening = listen(place)
    shown = f"[{place.host}]" if ":" in place.host else place.host
    hosts = [f"{host}:*" for host in place.hosts]
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        host=place.host,
        max_request_body_size=MOST_BYTES,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[*hosts, *place.hosts],
            allowed_origins=[f"http://{host}" for host in (*hosts, *place.hosts)],
        ),
    )
    config = uvicorn.Config(
        _Guarded(app, token),
        log_config=None,
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    running = _Uvicorn(config)
    ended = anyio.Event()

    async def run() -> None:
        with anyio.CancelScope(shield=True):  # it gets a stop request and then ends by itself
            await running.serve(sockets=[listening])
        ended.set()

    async with anyio.create_task_group() as group:
        group.start_soon(run)
        try:
            ready(f"http://{shown}:{listening.getsockname()[1]}{PATH}")
            await ended.wait()
        finally:
            running.should_exit = True
            with anyio.move_on_after(_FAREWELL_S, shield=True):
                await ended.wait()


def listen(place: Place) -> socket.socket:
    """Return a listening socket. Raises: UsageError."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    # asyncio sets TCP_NODELAY only where the protocol is named; without it an answer in two parts takes 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((place.host, place.port))
        listening.listen(64)
    except (OSError, OverflowError, TypeError) as error:  # TypeError: an invalid host name
        listening.close()
        raise UsageError(
            f"cannot listen at {place.host}:{place.port}: {error}", fix="name another --http HOST:PORT"
        ) from error
    listening.setblocking(False)
    return listening


class _Uvicorn(uvicorn.Server):
    """Server that leaves signals to the program."""

    @contextmanager
    def capture_signals(self) -> "Generator[None]":
        yield


class _Guarded:
    """Middleware that rejects requests without the token before it examines anything else."""

    def __init__(self, app: "ASGIApp", token: str) -> None:
        self._app = app
        self._wanted = f"bearer {token}".encode()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "http" and not self._is_known(scope):
            refusal = PlainTextResponse(
                "a bearer token is needed: Authorization: Bearer TOKEN",
                status_code=401,
                headers={"www-authenticate": 'Bearer realm="deskhand"'},
            )
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, marked(scope, send, PATH) if scope["type"] == "http" else send)

    def _is_known(self, scope: "Scope") -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) != 1:
            return False
        kind, _, token = given[0].partition(b" ")
        return hmac.compare_digest(kind.lower() + b" " + token.strip(), self._wanted)
