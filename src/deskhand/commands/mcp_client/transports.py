"""How a server is spoken to: a program's stdin and stdout, or HTTP, each with a bound on what it can send.

The library's own transport to programs keeps what comes without a line end, however much it is.
"""

import os
import signal
import subprocess
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import anyio
import httpx2
import mcp_types as types
from anyio.abc import Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from deskhand.commands.mcp_client.choices import ToolServer
from deskhand.core.errors import ToolServerUnavailable

MOST_BYTES: Final = 4 * 1024 * 1024
"""Of one message of a server."""
_WAITING: Final = 64
_PATIENCE_S: Final = 1.0
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def program(server: ToolServer) -> AsyncGenerator[Streams]:
    """Starts a server's program, with its environment and nothing of ours; ends it with all that it started.

    Raises: ToolServerUnavailable (it cannot be started).
    """
    environment = {**get_default_environment(), **server.environment}
    try:
        process = await anyio.open_process(
            [*server.entry.command],
            env=environment,
            cwd=Path.home(),
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolServerUnavailable(f"its program cannot be started: {error}") from error
    to_us, heard = anyio.create_memory_object_stream[SessionMessage | Exception](_WAITING)
    said, from_us = anyio.create_memory_object_stream[SessionMessage](_WAITING)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_read, process, to_us)
            group.start_soon(_write, process, from_us)
            yield heard, said
            group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
        for stream in (to_us, heard, said, from_us):
            stream.close()


async def _read(process: Process, to_us: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    """Messages, one a line. What is too long ends the connection; what is none is handed on as the error it is."""
    assert process.stdout is not None  # noqa: S101 - a pipe was asked for
    heard = bytearray()
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream):
        async with to_us:
            while len(heard) <= MOST_BYTES:
                piece = await process.stdout.receive()
                *lines, rest = (heard + piece).split(b"\n") if b"\n" in piece else [heard]
                heard = bytearray(rest) if lines else heard + piece
                for line in lines:
                    await to_us.send(_message(line))


def _message(line: bytes | bytearray) -> SessionMessage | Exception:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(bytes(line), by_name=False))
    except ValidationError as error:
        return error


async def _write(process: Process, from_us: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None  # noqa: S101 - as above
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        async for message in from_us:
            text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            await process.stdin.send(text.encode() + b"\n")


async def _end(process: Process) -> None:
    """Closes its stdin, and ends it and what it started where that is not enough; bounded."""
    with suppress(OSError, anyio.ClosedResourceError, anyio.BrokenResourceError), anyio.move_on_after(_PATIENCE_S):
        if process.stdin is not None:
            await process.stdin.aclose()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
        with anyio.move_on_after(_PATIENCE_S):
            await process.wait()
        if process.returncode is not None and number is not None:
            break
    with suppress(OSError, anyio.ClosedResourceError, anyio.BrokenResourceError), anyio.move_on_after(_PATIENCE_S):
        await process.aclose()


@asynccontextmanager
async def http(server: ToolServer) -> AsyncGenerator[Any]:  # Any: the library's own streams
    """A connection over streamable HTTP. Redirects to elsewhere are not followed."""
    client = httpx2.AsyncClient(
        headers=dict(server.headers),
        timeout=httpx2.Timeout(server.entry.deadline_s + 1, connect=server.entry.connect_s),
        trust_env=not _is_here(server.entry.address),
        event_hooks={"response": [_bound]},
    )
    async with client, streamable_http_client(server.entry.address, http_client=client) as streams:
        yield streams


def transport(server: ToolServer) -> AbstractAsyncContextManager[Any]:  # Any: as above
    return program(server) if server.entry.command else http(server)


def _is_here(address: str) -> bool:
    """What the environment says of proxies is for what is not on this machine."""
    return httpx2.URL(address).host in {"localhost", "127.0.0.1", "::1"}


async def _bound(response: httpx2.Response) -> None:
    """A stream of events has a bound for each event; an answer in one piece gets one here."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        stream = response.stream
        assert isinstance(stream, httpx2.AsyncByteStream)  # noqa: S101 - the client is asynchronous
        response.stream = _Bounded(stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        heard = 0
        async for piece in self._stream:
            heard += len(piece)
            if heard > MOST_BYTES:
                raise httpx2.ReadError(f"an answer of more than {MOST_BYTES // 2**20} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
