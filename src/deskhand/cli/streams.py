"""Standard streams of the process that asked for a command line: it shares them with others, who may let it wait."""

import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
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


async def read_piece() -> bytes:
    """Return what stdin has next, empty at its end. Raises: OSError.

    Another process may take what has come, as a shell does that shares the terminal: a blocking read would then hold up
    the event loop, and all clients of a server with it.
    """
    if sys.platform == "win32":  # its consoles and pipes cannot be waited for in an event loop
        return await to_thread.run_sync(os.read, invocation().stdin.fileno(), _PIECE, abandon_on_cancel=True)
    while True:
        await wait_for_input()
        with suppress(BlockingIOError):
            return _read_now(invocation().stdin.fileno())


def _read_now(descriptor: int) -> bytes:
    """Raises: BlockingIOError if nothing is there any more."""
    if not os.isatty(descriptor):
        if not select.select([descriptor], [], [], 0)[0]:
            raise BlockingIOError
        return os.read(descriptor, _PIECE)
    # Opened anew: whoever shares the terminal would find the old one not blocking, too.
    terminal = os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        return os.read(terminal, _PIECE)
    finally:
        os.close(terminal)


def discard_typed_input() -> None:
    """Discard what was typed at the terminal and not read."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - of Windows alone

        while msvcrt.kbhit():
            msvcrt.getwch()
    else:
        import termios  # noqa: PLC0415 - Windows has none

        termios.tcflush(invocation().stdin.fileno(), termios.TCIFLUSH)


async def read_all() -> bytes:
    """Return stdin up to its end; a wait for it can be cancelled, unlike that of a thread. Raises: OSError."""
    read = bytearray()
    while piece := await read_piece():
        read += piece
    return bytes(read)


async def printed(do: Callable[[*Ts], None], *arguments: *Ts) -> None:
    """Print by `do`; in a server, work of other command lines goes on where the reader takes nothing."""
    if invocation().server is None:
        do(*arguments)
    else:
        await to_thread.run_sync(do, *arguments, abandon_on_cancel=True)
