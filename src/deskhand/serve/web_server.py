"""Places to listen at, and a web server that runs until it is cancelled and leaves signals to the program."""

import ipaddress
import secrets
import socket
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio
import uvicorn

from deskhand.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Generator

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


def listen(place: Place, *, option: str = "--http HOST:PORT") -> socket.socket:
    """Return a listening socket. `option` names its address on the command line. Raises: UsageError."""
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
            f"cannot listen at {place.host}:{place.port}: {error}", fix=f"name another {option}"
        ) from error
    listening.setblocking(False)
    return listening


class _Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> "Generator[None]":
        yield


async def serve_until_cancelled(config: uvicorn.Config, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve on a listening socket; `ready` is called when connections are accepted."""
    running = _Uvicorn(config)
    ended = anyio.Event()

    async def run() -> None:
        with anyio.CancelScope(shield=True):  # it gets a stop request and then ends by itself
            await running.serve(sockets=[listening])
        ended.set()

    async with anyio.create_task_group() as group:
        group.start_soon(run)
        try:
            ready()
            await ended.wait()
        finally:
            running.should_exit = True
            with anyio.move_on_after(_FAREWELL_S, shield=True):
                await ended.wait()
