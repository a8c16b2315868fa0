"""The control socket of a running session: other processes of its user look, answer, take the desktop over, stop it."""

import asyncio
import os
import socket
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import anyio
from pydantic import ValidationError

from deskhand.core.context import Context
from deskhand.core.errors import DeskhandError
from deskhand.core.events import ErrorData, ProblemMet
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.session.control_messages import (
    MOST_BYTES,
    REQUESTS,
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
from deskhand.session.shared_questions import SharedQuestions
from deskhand.session.take_over import TakeOver

_BACKLOG: Final = 16


class Control:
    """Answers the requests of other processes of the user. `questions`: the session's, which may be answered here."""

    def __init__(self, desktop: Desktop, context: Context, questions: SharedQuestions) -> None:
        self._desktop = desktop
        self._context = context
        self._questions = questions
        self._take_over = TakeOver(desktop, context)
        self._clients = set[asyncio.Task[None]]()

    async def serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client until it goes. Raises nothing."""
        task = asyncio.current_task()
        if task is not None:
            self._clients.add(task)
        attends: list[str] = []
        try:
            if user_of(writer) == os.getuid():
                # It is gone, or sends no line; cancelled by `end`, of which asyncio would print a traceback.
                with suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.CancelledError):
                    while line := await reader.readline():
                        reply = await self._reply(line, attends)
                        writer.write(reply.model_dump_json().encode() + b"\n")
                        await writer.drain()
        finally:
            self._questions.attending -= len(attends)
            if task is not None:
                self._clients.discard(task)
            writer.close()

    async def end(self) -> None:
        """Let go of all clients."""
        clients = tuple(self._clients)
        for client in clients:
            client.cancel()
        await asyncio.gather(*clients, return_exceptions=True)

    async def _reply(self, line: bytes, attends: list[str]) -> Reply:
        try:
            request = REQUESTS.validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            told = f"no request: {'.'.join(map(str, first['loc']))}: {first['msg']}"
            return Reply(error=ErrorData(type="UsageError", message=told, fix="use the same version of Deskhand"))
        try:
            await self._carry_out(request, attends)
        except DeskhandError as error:
            return Reply(state=self._state(), error=ErrorData.of(error))
        return Reply(state=self._state())

    async def _carry_out(self, request: Request, attends: list[str]) -> None:
        match request:
            case Look():
                pass
            case Attend():
                attends.append(request.who)
                self._questions.attending += 1
            case Take():
                await self._take_over.take(request.who)
            case HandBack():
                await self._take_over.hand_back(request.who, request.note)
            case Answer():
                self._questions.answer(request.number, request.answers, request.who)
            case Decide():
                self._questions.decide(request.number, request.who, approve=request.approve)
            case Stop():
                self._desktop.guard.stop(f"{request.who} stopped it")

    def _state(self) -> State:
        guard = self._desktop.guard
        return State(
            session=self._context.session_id,
            session_dir=str(Path(self._context.log_path).absolute()),
            desktop=self._desktop.name,
            display=self._desktop.environment.get("DISPLAY", ""),
            held_by=guard.held_by,
            waits=self._questions.number,
            attended=self._questions.attending > 0,
            stopping=bool(guard.stopped),
        )


@asynccontextmanager
async def controlled(desktop: Desktop, context: Context, questions: SharedQuestions) -> AsyncGenerator[None]:
    """Serve the control socket of a session for the duration; where it cannot be made, the journal says why."""
    control = Control(desktop, context, questions)
    try:
        listener = _listening(context.log_path)
    except OSError as error:
        problem = ErrorData(type="NotControlled", message=f"no other process can control the session: {error}")
        context.events.emit(ProblemMet(where="the control socket", error=problem))
        yield
        return
    server = await asyncio.start_unix_server(control.serve_client, sock=listener, limit=MOST_BYTES)
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            server.close()
            await control.end()


def _listening(session_dir: Path) -> socket.socket:
    """Raises: OSError."""
    if sys.platform == "win32":
        raise OSError("Windows has no sockets of a user's own")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(socket_name(session_dir))
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    listener.setblocking(False)
    return listener
