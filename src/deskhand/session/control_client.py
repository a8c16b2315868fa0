"""The other end of a session's control socket."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import anyio

from deskhand.core import errors
from deskhand.core.errors import DeskhandError, UsageError
from deskhand.core.events import ErrorData
from deskhand.session.control_messages import (
    MOST_BYTES,
    Answer,
    Attend,
    Decide,
    HandBack,
    Look,
    Reply,
    Request,
    State,
    Stop,
    Take,
    socket_name,
    user_of,
)
from deskhand.session.running_sessions import running

_OPENS_S: Final = 60.0
"""Time in which a session that has begun opens its desktop."""
_AGAIN_S: Final = 0.1


class RunningSession:
    """A session that another process, or another task of this one, carries out. `who`: the user, in its journal.

    Each method returns the state after it. Raises: UsageError if the session has ended, or the request does not fit.
    """

    def __init__(self, session_dir: Path, who: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.session_dir = session_dir
        self.who = who
        self._reader = reader
        self._writer = writer
        self._one_at_a_time = asyncio.Lock()

    def by(self, who: str) -> "RunningSession":
        """The same connection, for another user."""
        other = RunningSession(self.session_dir, who, self._reader, self._writer)
        other._one_at_a_time = self._one_at_a_time
        return other

    async def state(self) -> State:
        """Look at the session."""
        return await self._ask(Look())

    async def attend(self) -> State:
        """Let questions and confirmations wait for this user, as long as the connection is open."""
        return await self._ask(Attend(who=self.who))

    async def pause(self) -> State:
        """Take the desktop over: return when the agent sends nothing any more, and nothing of its is pressed.

        Raises: DesktopBusy (another user has it).
        """
        return await self._ask(Take(who=self.who))

    async def hand_back(self, note: str = "") -> State:
        """Let the agent go on. It observes anew, and is told of the time, the number of differences, and the note."""
        return await self._ask(HandBack(who=self.who, note=note))

    async def answer(self, number: int, answers: dict[str, str]) -> State:
        """Answer questions by their text. `number`: `State.waits`."""
        return await self._ask(Answer(who=self.who, number=number, answers=answers))

    async def decide(self, number: int, *, approve: bool) -> State:
        """Approve or reject the actions that wait. `number`: `State.waits`."""
        return await self._ask(Decide(who=self.who, number=number, approve=approve))

    async def stop(self) -> State:
        """End the session with outcome `cancelled`."""
        return await self._ask(Stop(who=self.who))

    async def _ask(self, request: Request) -> State:
        async with self._one_at_a_time:
            try:
                self._writer.write(request.model_dump_json().encode() + b"\n")
                await self._writer.drain()
                line = await self._reader.readline()
            except OSError as error:
                raise _ended(self.session_dir) from error
        if not line:
            raise _ended(self.session_dir)
        reply = Reply.model_validate_json(line)
        if reply.error is not None:
            raise _error(reply.error)
        if reply.state is None:
            raise _ended(self.session_dir)
        return reply.state


@asynccontextmanager
async def running_session(session_dir: Path, who: str) -> AsyncGenerator[RunningSession]:
    """Connect to the running session of this folder, of the same user and machine. `who`: the user, for its journal.

    One of a command that has not opened its desktop yet is waited for. Raises: UsageError (it does not run).
    """
    reader, writer = await _connected(session_dir)
    try:
        if user_of(writer) != os.getuid():
            raise UsageError(f"the session in {session_dir} belongs to another user", fix="ask its user")
        yield RunningSession(session_dir, who, reader, writer)
    finally:
        writer.close()


async def _connected(session_dir: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Raises: UsageError."""
    name = socket_name(session_dir)
    with anyio.move_on_after(_OPENS_S):
        while True:
            with suppress(OSError):
                return await asyncio.open_unix_connection(name, limit=MOST_BYTES)
            if not _begins(session_dir):
                break
            with anyio.move_on_after(_AGAIN_S):
                await anyio.sleep_forever()
    raise UsageError(
        f"the session in {session_dir} does not run here: it has ended, or was killed",
        fix=f"deskhand report {session_dir} shows how it ended",
    )


def _begins(session_dir: Path) -> bool:
    """True while the process of a session that a command runs lives."""
    return any(entry.folder == str(session_dir.absolute()) for entry in running())


def _ended(session_dir: Path) -> UsageError:
    return UsageError(f"the session in {session_dir} has ended", fix="its report, or deskhand sessions show, tells how")


def _error(data: ErrorData) -> DeskhandError:
    kind = getattr(errors, data.type, DeskhandError)
    if not (isinstance(kind, type) and issubclass(kind, DeskhandError)):
        kind = DeskhandError
    return kind(data.message, fix=data.fix)
