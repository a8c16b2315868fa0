"""Accepts clients of one desktop, and carries out their command lines, each in a thread with the client's streams."""

import os
import socket
import struct
import traceback
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final, TextIO, TypeVar

import anyio
from anyio import CancelScope, CapacityLimiter, Lock, from_thread, to_thread
from pydantic import BaseModel, ConfigDict, ValidationError

from deskhand.cli.app import run
from deskhand.cli.invocation import Invocation, invoked
from deskhand.cli.work import Work
from deskhand.client.start import folders_of
from deskhand.config.load import Sources, load
from deskhand.core.errors import DeskhandError, DesktopGone
from deskhand.core.ports import Interactor
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.resident.foreground import in_foreground
from deskhand.resident.input_turns import AskedOutsideTurn, InputTurns, Turn
from deskhand.resident.loaded_code import LoadedCode
from deskhand.session.running_sessions import announced
from deskhand.session.user_guard_rules import guard_rules

T = TypeVar("T")

_REQUEST_S: Final = 5.0
"""Longest wait for the request of a client."""
_PING_S: Final = 3.0
_CLOSE_S: Final = 1.0
"""Longest wait for output that nobody takes, of a client that was stopped."""
_MOST_BYTES: Final = 64 * 1024 * 1024
_MOST_CALLS: Final = 256
"""Number of command lines carried out at once; more wait."""
_PIECE: Final = 65536


class _Request(BaseModel):
    """The first line of a client. `encodings` of its stdin, stdout and stderr."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code: str
    arguments: tuple[str, ...]
    folder: Path
    umask: int
    environment: dict[str, str]
    encodings: tuple[str, str, str]


class ResidentServer:
    """Serves until its code has changed, its desktop is gone, or it is cancelled."""

    def __init__(self, desktop: Desktop, display: str, code: LoadedCode) -> None:
        self.desktop = desktop
        self.turns = InputTurns(display)
        self._code = code
        self._threads = CapacityLimiter(_MOST_CALLS)
        self._accepting = CancelScope()
        self.keepers = set[Call]()
        """The calls that keep other processes off."""

    async def serve(self, listener: AbstractContextManager[socket.socket]) -> None:
        """Return when the server is to end; clients that were accepted have their answers then.

        The listener is left before: another server may follow while long calls go on.
        """
        async with anyio.create_task_group() as group:
            with listener as door, self._accepting:
                while True:
                    await anyio.wait_readable(door)
                    with suppress(BlockingIOError, ConnectionError):
                        connection, _ = door.accept()
                        group.start_soon(self._serve_client, connection)
            await self._leave_keepers()

    async def _leave_keepers(self) -> None:
        """End the calls that keep other processes off, between two actions: their relays attach to the next server."""
        async with self.turns.lock:
            for call in self.keepers:
                call.leave()

    def end(self) -> None:
        """Accept no more clients."""
        self._accepting.cancel()

    async def _serve_client(self, connection: socket.socket) -> None:
        """Raises nothing: a client that is gone or sends nonsense is none, and no other has to suffer for a fault."""
        connection.setblocking(False)
        try:
            with connection, suppress(OSError, ValidationError, TimeoutError):
                await self._serve_user(connection)
        except Exception:  # noqa: BLE001 - into the log
            traceback.print_exc()

    async def _serve_user(self, connection: socket.socket) -> None:
        """Raises: OSError, ValidationError, TimeoutError."""
        pid, user = _peer(connection)
        if user != os.getuid():
            return
        with anyio.fail_after(_REQUEST_S):
            request = await _received(connection)
        if why := self._outdated(request) or await self._lost():
            self.end()
            await _send(connection, f"ending {why}")
            return
        if why := self._declined(request):
            await _send(connection, f"instead {why}")
            return
        await _send(connection, "accepted")
        with anyio.fail_after(_REQUEST_S):
            streams = await _streams(connection, request.encodings)
        try:
            call = Call(self, pid)
            by = Invocation(request.environment, request.folder, *streams, server=call, umask=request.umask)
            code = await self._carried_out(connection, call, by, request.arguments)
        finally:
            with anyio.move_on_after(_CLOSE_S):
                await to_thread.run_sync(_close, streams, abandon_on_cancel=True)
        if not call.is_left:
            await _send(connection, f"exit {code}")

    async def _carried_out(
        self, connection: socket.socket, call: "Call", by: Invocation, arguments: tuple[str, ...]
    ) -> int:
        codes: list[int] = []
        async with anyio.create_task_group() as group:
            group.start_soon(_stop_on_demand, connection, call)
            codes.append(await to_thread.run_sync(_carry_out, by, arguments, limiter=self._threads))
            group.cancel_scope.cancel()
        return codes[0]

    async def _lost(self) -> str:
        """Return why the server cannot serve any more; empty: its desktop answers."""
        try:
            with anyio.fail_after(_PING_S):
                await self.desktop.windows()
        except (DeskhandError, TimeoutError):
            return "the desktop's server has lost its desktop and ends now"
        return ""

    def _outdated(self, request: _Request) -> str:
        """Return why another server is needed; empty: it is not."""
        is_ours = request.code == self._code.folder and not self._code.has_changed
        return "" if is_ours else "the desktop's server runs another build of Deskhand and ends now"

    def _declined(self, request: _Request) -> str:
        """Return why a command line is for the client's own process; empty: it is ours. Raises: OSError."""
        if folders_of(request.environment) != folders_of(os.environ):
            return "the desktop's server has other user folders"
        try:
            settings = load(Sources(request.environment, request.folder))
        except DeskhandError:
            return ""  # the command reports it
        if guard_rules(settings.system, shared=self.desktop.shared).watches:
            return "the desktop's server does not watch for its user, which a setting demands"
        with_viewer = guard_rules(settings.system, shared=self.desktop.shared, has_viewer=True)
        if self.desktop.guard.has_viewer and with_viewer != self.desktop.guard.rules:
            return "the desktop's server watches for its user by other settings"
        if settings.grounding.read_texts != self.desktop.reads_pictures:
            return "the desktop's server has another setting read_texts"
        return ""


class Call:
    """One command line that is carried out for the process `pid`."""

    def __init__(self, server: ResidentServer, pid: int) -> None:
        self._server = server
        self._pid = pid
        self._work: Work[Any] | None = None
        self._stopped = False
        self.is_left = False
        self._turn: Turn | None = None

    @property
    def desktop(self) -> Desktop:
        return self._server.desktop

    def run(self, work: Work[T]) -> None:
        """Run it in the event loop of the desktop; called in another thread."""
        from_thread.run(self._run, work)

    async def _run(self, work: Work[T]) -> None:
        self._work = work
        if self._stopped:
            work.cancel()
        await work.run()
        if isinstance(work.error, DesktopGone):
            self._server.end()

    def leave(self) -> None:
        """Stop the work, and send no exit code: the client goes on with another server."""
        self.is_left = True
        self.stop()

    def stop(self) -> None:
        """Stop the work of the call, now or as soon as it begins."""
        self._stopped = True
        if self._work is not None:
            self._work.cancel()

    @asynccontextmanager
    async def held_desktop(self, who: str) -> AsyncGenerator[Desktop]:
        """Raises: DesktopBusy, DesktopGone."""
        with announced(who, str(self._pid), self.desktop.name, pid=self._pid):
            async with self._server.turns.turn(who, self._pid) as self._turn:
                yield self.desktop

    @asynccontextmanager
    async def kept_desktop(self, who: str) -> AsyncGenerator[Desktop]:
        """Its keys and buttons are released when the client leaves. Raises: DesktopBusy, DesktopGone."""
        with announced(who, str(self._pid), self.desktop.name, pid=self._pid):
            async with self._server.turns.kept(who, self._pid):
                try:
                    self._server.keepers.add(self)
                    yield self.desktop
                finally:
                    self._server.keepers.discard(self)
                    with CancelScope(shield=True), suppress(DeskhandError):
                        await self.desktop.let_go()

    @property
    def turn(self) -> Lock:
        return self._server.turns.lock

    @property
    def is_alone(self) -> bool:
        return self._server.turns.keepers <= 1

    @property
    def in_foreground(self) -> bool:
        return in_foreground(self._pid)

    def asked(self, interactor: Interactor) -> Interactor:
        """Return an interactor that lets other clients act while it waits for the user."""
        return AskedOutsideTurn(interactor, self._turn) if self._turn else interactor


def _carry_out(by: Invocation, arguments: tuple[str, ...]) -> int:
    with invoked(by):
        return run(arguments)


async def _stop_on_demand(connection: socket.socket, call: Call) -> None:
    """Stop a call when its client asks for that, or is gone."""
    await anyio.wait_readable(connection)
    call.stop()


def _peer(connection: socket.socket) -> tuple[int, int]:
    """Process and user at the other end."""
    size = struct.calcsize("3i")
    pid, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return pid, user


async def _received(connection: socket.socket) -> _Request:
    """Raises: ValidationError, OSError (the client is gone)."""
    text = bytearray()
    while not text.endswith(b"\n"):
        await anyio.wait_readable(connection)
        piece = connection.recv(_PIECE)
        text += piece
        if not piece or len(text) > _MOST_BYTES:
            raise ConnectionAbortedError
    return _Request.model_validate_json(bytes(text))


async def _streams(connection: socket.socket, encodings: tuple[str, str, str]) -> tuple[TextIO, TextIO, TextIO]:
    """Return the client's stdin, stdout and stderr. Raises: OSError (the client is gone, or sent none)."""
    await anyio.wait_readable(connection)
    _, descriptors, _, _ = socket.recv_fds(connection, 1, 3)
    if len(descriptors) != len(encodings):
        for descriptor in descriptors:
            os.close(descriptor)
        raise ConnectionAbortedError
    given, out, err = descriptors
    return (
        os.fdopen(given, encoding=encodings[0], errors="replace"),
        os.fdopen(out, "w", encoding=encodings[1], errors="backslashreplace", buffering=1),
        os.fdopen(err, "w", encoding=encodings[2], errors="backslashreplace", buffering=1),
    )


def _close(streams: tuple[TextIO, ...]) -> None:
    for stream in streams:
        with suppress(OSError):  # a full disk, a reader that is gone: reported before
            stream.close()


async def _send(connection: socket.socket, line: str) -> None:
    """Send a short line. Raises: OSError if the client is gone."""
    await anyio.wait_writable(connection)
    connection.send(line.encode() + b"\n")
