"""Our end of a guardian: start it, ask it to start programs, hear of their ends."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import anyio
from pydantic import BaseModel, ConfigDict

from deskhand.core.errors import DesktopGone, LaunchFailed
from deskhand.desktop.linux.runtime.guardian import remove
from deskhand.desktop.processes import INHERITED_BY_ALL, ProcessId, end_marked, identify, reap, wait_until_gone

_GUARDIAN: Final = Path(__file__).with_name("guardian.py")
_REPLY_S: Final = 10.0
_TEARDOWN_S: Final = 15.0


class _Message(BaseModel):
    """A reply (`id`) or an event."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: int | None = None
    event: str = ""
    pid: int | None = None
    line: str = ""
    code: int | None = None
    error: str | None = None


class Control:
    """A connection to a guardian. Several tasks may use it at once."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._connection = connection
        self._buffer = b""
        self._last_id = 0
        self._replies: dict[int, _Message] = {}
        self._lines: dict[int, str] = {}
        self._exits: dict[int, int] = {}
        self._guardian = 0
        self._ended = False
        self._sending = anyio.Lock()
        self._reading = False
        self._arrived = anyio.Event()

    async def ready(self) -> int:
        """The guardian's pid, once it serves. Raises: DesktopGone."""
        await self._wait(lambda: bool(self._guardian))
        return self._guardian

    async def environment(self, environment: Mapping[str, str]) -> None:
        """Set the environment that programs start with. Raises: DesktopGone."""
        await self._request({"op": "environment", "environment": dict(environment)})

    async def spawn(  # noqa: PLR0913 - the fields of the request
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
        log: Path | None = None,
        announce: bool = False,
        mild: bool = False,
        again: tuple[int, Path] | None = None,
    ) -> int:
        """Starts a program (`environment` adds to the desktop's own) and returns its pid.

        With `announce`, `{fd}` in an argument becomes a descriptor whose first line `line` returns. With `mild` it may
        clean up when the guardian is killed. With `again` it is started again when it ends, so often, and each of its
        ends is a line in that file.
        Raises: LaunchFailed (it cannot be executed), DesktopGone.
        """
        reply = await self._request(
            {
                "op": "spawn",
                "argv": list(argv),
                "environment": dict(environment or {}),
                "directory": str(directory or "/"),
                "log": str(log or os.devnull),
                "announce": announce,
                "mild": mild,
                **({"again": again[0], "notices": str(again[1])} if again else {}),
            }
        )
        if reply.pid is None:
            raise LaunchFailed(
                f"{argv[0]} was not started: {reply.error}", fix="Check that the program is installed and executable."
            )
        return reply.pid

    async def line(self, pid: int) -> str:
        """Return the first line of an announcing program; empty when it ended without one. Raises: DesktopGone."""
        await self._wait(lambda: pid in self._lines)
        return self._lines[pid]

    async def ended(self, pid: int) -> int:
        """Waits for the end of a started program; as `exited`. Raises: DesktopGone."""
        await self._wait(lambda: pid in self._exits)
        return self._exits[pid]

    async def listen(self, path: Path) -> None:
        """Opens a door for other processes to connect to. Raises: DesktopGone."""
        reply = await self._request({"op": "listen", "path": str(path)})
        if reply.error is not None:
            raise DesktopGone(f"the guardian cannot listen on {path}: {reply.error}")

    async def when_lost(self, argv: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        """Have a program started when this connection ends, however that happens; none withdraws it.

        Raises: DesktopGone.
        """
        await self._request({"op": "when_lost", "argv": list(argv), "environment": dict(environment or {})})

    async def detach(self) -> None:
        """From now on the desktop outlives us. Raises: DesktopGone."""
        await self._request({"op": "detach"})

    def exited(self, pid: int) -> int | None:
        """Return the exit code of a started program, or minus the signal; None while it runs."""
        while not self._reading and pid not in self._exits and self._receive():
            pass  # where a task waits for an event, taking it here would leave that task waiting
        return self._exits.get(pid)

    def close(self) -> None:
        """Close the connection. Unless detached, this ends the desktop."""
        self._connection.close()

    async def _request(self, request: dict[str, object]) -> _Message:
        self._last_id += 1
        number = self._last_id
        text = json.dumps({**request, "id": number}).encode() + b"\n"
        try:
            with anyio.fail_after(_REPLY_S):
                async with self._sending:
                    await self._send(text)
                await self._wait(lambda: number in self._replies)
        except TimeoutError as error:
            raise DesktopGone(f"the guardian of the desktop did not answer within {_REPLY_S:g} s") from error
        return self._replies.pop(number)

    async def _send(self, data: bytes) -> None:
        while data:
            try:
                data = data[self._connection.send(data) :]
            except BlockingIOError:
                await anyio.wait_writable(self._connection)
            except OSError as error:
                raise DesktopGone(f"the guardian of the desktop is gone: {error}") from error

    async def _wait(self, condition: Callable[[], bool]) -> None:
        """Read for all waiting tasks, as the first of them; the others are woken by the events."""
        while not condition():
            if self._reading:
                await self._arrived.wait()
                continue
            self._reading = True
            try:
                if self._ended:
                    raise DesktopGone("the guardian of the desktop is gone")
                await anyio.wait_readable(self._connection)
                self._receive()
            finally:
                self._reading = False
                self._arrived.set()
                self._arrived = anyio.Event()

    def _receive(self) -> bool:
        """Take pending events; False when there were none."""
        try:
            data = self._connection.recv(1 << 16)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        self._ended = not data
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._take(_Message.model_validate_json(line))
        return bool(data)

    def _take(self, message: _Message) -> None:
        if message.id is not None:
            self._replies[message.id] = message
            if message.pid is not None:  # the number may have been that of a program that ended
                self._exits.pop(message.pid, None)
                self._lines.pop(message.pid, None)
        elif message.pid is None:
            return
        elif message.event == "ready":
            self._guardian = message.pid
        elif message.event == "line":
            self._lines[message.pid] = message.line
        elif message.event == "exit" and message.code is not None:
            self._exits[message.pid] = message.code


class Keeper:
    """The two processes that keep one desktop: `watcher`, and `guardian` below it (known once `ready`)."""

    def __init__(self, control: Control, watcher: ProcessId | None, mark: str, paths: Sequence[Path]) -> None:
        self.control = control
        self.mark = mark
        self.paths = paths
        self.guardian: ProcessId | None = None
        self.watcher = watcher

    async def ready(self) -> None:
        """Returns when programs can be started. Raises: DesktopGone."""
        self.guardian = identify(await self.control.ready())

    async def close(self) -> None:
        """Ends the desktop; when this returns nothing of it runs and its paths are gone."""
        self.control.close()
        await end_desktop(self.mark, self.paths, [self.guardian, self.watcher])


async def end_desktop(mark: str, paths: Sequence[Path], keepers: Sequence[ProcessId | None]) -> None:
    """Make the keepers (guardian first) end their desktop, and wait; do their work where they are gone."""
    with anyio.CancelScope(shield=True):
        if keepers and keepers[0]:
            keepers[0].send(signal.SIGTERM)
        for process in filter(None, keepers):
            with anyio.move_on_after(_TEARDOWN_S):
                await wait_until_gone(process)
            reap(process)
        await anyio.to_thread.run_sync(_clean_up, mark, paths)


def _clean_up(mark: str, paths: Sequence[Path]) -> None:
    end_marked(mark)
    remove([str(path) for path in paths])


def start_keeper(name: str, mark: str, paths: Sequence[Path]) -> Keeper:
    """Starts a guardian that removes `paths` in the end. It gets none of our other descriptors."""
    ours, theirs = socket.socketpair()
    arguments = (str(theirs.fileno()), str(os.getpid()), name, *map(str, paths))
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_GUARDIAN), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            cwd="/",
            env={variable: os.environ[variable] for variable in INHERITED_BY_ALL if variable in os.environ},
        )
    watcher = identify(process.pid)
    process.returncode = 0  # it may outlive us, so `reap` collects it; Popen must not warn that it still runs
    return Keeper(Control(ours), watcher, mark, paths)


def attach(path: Path) -> Control:
    """Connects to the door of a detached desktop. Raises: DesktopGone."""
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
    except OSError as error:
        connection.close()
        raise DesktopGone(f"no desktop answers at {path}: {error}") from error
    return Control(connection)
