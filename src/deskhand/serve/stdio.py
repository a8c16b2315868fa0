"""MCP over stdin and stdout, without a thread that could delay the end.

The library's own transport reads in a thread that ends only at the end of the input, so that a signal would wait for
the client; it also costs two thread switches per message.
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from typing import Any, Final

import anyio
import mcp_types as types
from anyio import to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from deskhand.core.errors import UsageError

MOST_BYTES: Final = 16 * 1024 * 1024
"""Limit of one message of the client."""
_PIECE: Final = 65536
_SMALL: Final = 4096
"""Bytes that a writable pipe takes without blocking (PIPE_BUF)."""
_FAREWELL_S: Final = 2.0


async def serve_stdio(server: Server[Any], wire: tuple[int, int] | None = None) -> None:
    """Serve the client until it closes stdin or stops reading.

    `wire`: the descriptors of the messages from and to the client; None: those of this process. Then descriptor 0 is
    empty meanwhile and 1 leads to stderr, so that only protocol messages reach the client.
    Raises: UsageError (a message of more than 16 MiB).
    """
    with nullcontext(wire) if wire else _wire() as (source, sink):
        to_server, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        said, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        written = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(_read, source, to_server)
            group.start_soon(_write, sink, from_server, written, group.cancel_scope)
            await server.run(heard, said, server.create_initialization_options())
            with anyio.move_on_after(_FAREWELL_S):
                await written.wait()
            group.cancel_scope.cancel()


@contextmanager
def _wire() -> Generator[tuple[int, int]]:
    """Separate descriptors for the messages from and to the client."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        yield source, sink
    finally:
        sys.stdout.flush()  # output printed meanwhile goes to stderr
        os.dup2(source, 0)
        os.dup2(sink, 1)
        for descriptor in (nothing, source, sink):
            os.close(descriptor)


async def _read(source: int, to_server: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    """Read messages, one per line, until the end of the input."""
    heard = bytearray()
    async with to_server:
        while piece := await _piece(source):
            *lines, rest = (heard + piece).split(b"\n") if b"\n" in piece else [heard + piece]
            heard = bytearray(rest)
            for line in lines:
                if line.strip():
                    await to_server.send(_message(line))
            if len(heard) > MOST_BYTES:
                raise UsageError(
                    f"the client sent a message of more than {MOST_BYTES // 2**20} MiB", fix="send smaller messages"
                )


async def _piece(source: int) -> bytes:
    try:
        await anyio.wait_readable(source)
    except PermissionError:  # a file, which never blocks
        await anyio.lowlevel.checkpoint()
    return os.read(source, _PIECE)


def _message(line: bytes | bytearray) -> SessionMessage | Exception:
    """A message, or the error of an unreadable one, which the server answers."""
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(bytes(line), by_name=False))
    except ValidationError as error:
        return error


async def _write(
    sink: int,
    from_server: MemoryObjectReceiveStream[SessionMessage],
    written: anyio.Event,
    all_of_it: anyio.CancelScope,
) -> None:
    try:
        async with from_server:
            async for said in from_server:
                await _send(sink, said.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
    except BrokenPipeError:
        all_of_it.cancel()  # the client reads no more
    finally:
        written.set()


async def _send(sink: int, data: bytes) -> None:
    """Write all bytes. A write that may block runs in a thread, which is abandoned if the server must end."""
    if len(data) <= _SMALL:
        try:
            await anyio.wait_writable(sink)
        except PermissionError:
            await anyio.lowlevel.checkpoint()
        os.write(sink, data)
        return
    left = memoryview(data)
    while left:
        left = left[await to_thread.run_sync(os.write, sink, left, abandon_on_cancel=True) :]
