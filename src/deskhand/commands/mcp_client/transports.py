"""Transports to a server: a program's stdin and stdout, or HTTP, each with a limit on the size of a message.

The library's own transport to programs buffers any amount without a line end.
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

from deskhand.commands.mcp_client.configured_servers import ToolServer
from deskhand.core.errors import ToolServerUnavailable

MOST_BYTES: Final = 4 * 1024 * 1024
"""Of one message of a server."""
_WAITING: Final = 64
_PATIENCE_S: Final = 1.0
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def program(server: ToolServer) -> AsyncGenerator[Streams]:
    """Start a server's program, with its own environment only; end it with all its children.

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
    to_us, received = anyio.create_memory_object_stream[SessionMessage | Exception](_WAITING)
    sent, from_us = anyio.create_memory_object_stream[SessionMessage](_WAITING)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_read, process, to_us)
            group.start_soon(_write, process, from_us)
            yield received, sent
            group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
        for stream in (to_us, received, sent, from_us):
            stream.close()


async def _read(process: Process, to_us: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    """Forward messages, one a line. A line that is too long ends the connection; an invalid one is forwarded as its
    error.
    """
    assert process.stdout is not None  # noqa: S101 - a pipe was asked for
    received = bytearray()
    with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream):
        async with to_us:
            while len(received) <= MOST_BYTES:
                piece = await process.stdout.receive()
                *lines, rest = (received + piece).split(b"\n") if b"\n" in piece else [received]
                received = bytearray(rest) if lines else received + piece
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
    """Close its stdin, then end it and its children if that is not enough; bounded in time."""
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
    """Connect over streamable HTTP. Redirects to other hosts are not followed."""
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
    """True for this machine, for which the environment's proxies do not count."""
    return httpx2.URL(address).host in {"localhost", "127.0.0.1", "::1"}


async def _bound(response: httpx2.Response) -> None:
    """Limit an answer that is no event stream; a stream has a limit for each event."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        stream = response.stream
        assert isinstance(stream, httpx2.AsyncByteStream)  # noqa: S101 - the client is asynchronous
        response.stream = _Bounded(stream)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        received = 0
        async for piece in self._stream:
            received += len(piece)
            if received > MOST_BYTES:
                raise httpx2.ReadError(f"an answer of more than {MOST_BYTES // 2**20} MiB")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()
