"""Standard streams of the process that asked for a command line: it shares them with others, who may let it wait."""

import os
from collections.abc import Callable
from typing import Final, TypeVarTuple

import anyio
from anyio import to_thread

from deskhand.cli.console import print_note
from deskhand.cli.invocation import invocation

Ts = TypeVarTuple("Ts")

_ASK_AGAIN_S: Final = 0.2
_PIECE: Final = 65536


async def wait_for_foreground() -> None:
    """Return when typed input is meant for the process that asked: what is typed at a shell meanwhile is no answer.

    Without a server the kernel stops a background process that reads.
    """
    server = invocation().server
    if server is None or server.in_foreground:
        return
    print_note("(waits until it is in the foreground to ask you: fg)")
    while True:
        await anyio.sleep(_ASK_AGAIN_S)
        if server.in_foreground:
            return


async def wait_for_input() -> None:
    """Return when stdin can be read without blocking."""
    while True:
        try:
            await anyio.wait_readable(invocation().stdin.fileno())
        except PermissionError:  # a file, which never blocks
            return
        server = invocation().server
        if server is None or server.in_foreground:
            return
        await anyio.sleep(_ASK_AGAIN_S)


async def read_all() -> bytes:
    """Return stdin up to its end; a wait for it can be cancelled, unlike that of a thread. Raises: OSError."""
    read = bytearray()
    while True:
        await wait_for_input()
        if not (piece := os.read(invocation().stdin.fileno(), _PIECE)):
            return bytes(read)
        read += piece


async def printed(do: Callable[[*Ts], None], *arguments: *Ts) -> None:
    """Print by `do`; in a server, work of other command lines goes on where the reader takes nothing."""
    if invocation().server is None:
        do(*arguments)
    else:
        await to_thread.run_sync(do, *arguments, abandon_on_cancel=True)
