"""LibreOffice's own interface: a process of the system's Python for each use, and the requests to it.

Which document is meant is decided by the X window alone. LibreOffice listens on a pipe of an unguessable name, for
programs of this user, from the first use on.
"""

import json
import subprocess
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import anyio
from anyio import to_thread
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from deskhand.core.command import Route
from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    ChangeRefused,
    InterfaceAbsent,
)
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.toolkits.libreoffice.uno_helper.pipe import office_socket
from deskhand.desktop.protocols.application_interface import ApplicationInterface, Document, DocumentKind

_PYTHON: Final = "/usr/bin/python3"
HELPER: Final = (_PYTHON, "-E", "-s", "-B", "-m", "uno_helper")
_FOLDER: Final = Path(__file__).parent
_OPEN_S: Final = 8.0
_END_S: Final = 5.0
"""Longer than most requests: a change that was begun is finished, or undone, before the process ends."""
_MOST_BYTES: Final = 64 << 20
_X_WINDOW: Final = "x11:"

Alone = Callable[[], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def open_office_interface(window: TargetInfo, alone: Alone) -> AsyncGenerator[ApplicationInterface]:
    """See `ApplicationInterfaces.application_interface`. `alone`: one action at a time."""
    if window.pid is None or not await to_thread.run_sync(office_socket, window.pid):
        raise InterfaceAbsent(f'the program of "{window.name}" has no interface of its own')
    number = str(int(window.handle.removeprefix(_X_WINDOW), 16))
    process = await _start(str(window.pid), number)
    try:
        yield await _Connection(process, window, alone).begin()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)


async def _start(*arguments: str) -> Process:
    """Raises: InterfaceAbsent."""
    try:
        return await anyio.open_process(
            [*HELPER, *arguments], cwd=_FOLDER, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except OSError as error:
        raise InterfaceAbsent(f"{_PYTHON} cannot be started: {error}") from error


async def _end(process: Process) -> None:
    """End the process by the end of its input."""
    if process.stdin is not None:
        await process.stdin.aclose()
    with anyio.move_on_after(_END_S):
        await process.wait()
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    await process.aclose()


class _Connection:
    """Implements `ApplicationInterface` over the process."""

    route = Route.APPLICATION_API

    def __init__(self, process: Process, window: TargetInfo, alone: Alone) -> None:
        self._input = process.stdin
        self._lines = BufferedByteReceiveStream(process.stdout) if process.stdout is not None else None
        self._window = window
        self._alone = alone
        self._document = Document(DocumentKind.TEXT, None)

    @property
    def document(self) -> Document:
        return self._document

    async def begin(self) -> "_Connection":
        """Wait until it is connected. Raises: InterfaceAbsent, ApplicationUnresponsive."""
        try:
            told = await self._answer("", _OPEN_S)
        except ApplicationGone as error:
            raise InterfaceAbsent(f"{_PYTHON} ended before it was connected to {self._window.describe}") from error
        kind, path = str(told["kind"]), str(told["path"])
        if kind not in set(DocumentKind):
            raise InterfaceAbsent(f'"{self._window.name}" shows a document of a kind that is not known')
        self._document = Document(
            DocumentKind(kind),
            Path(path) if path else None,
            read_only=told["readonly"] is True,
            modified=told["modified"] is True,
            windows=int(str(told["windows"])),
        )
        return self

    async def read(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        return await self._answer(json.dumps({"request": request, **arguments}), deadline_s)

    async def change(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        async with self._alone():
            return await self._answer(json.dumps({"request": request, **arguments}), deadline_s)

    async def _answer(self, request: str, deadline_s: float) -> JsonObject:
        if self._input is None or self._lines is None:  # both are opened with the process
            raise _gone(self._window)
        try:
            with anyio.fail_after(deadline_s):
                if request:
                    await self._input.send(request.encode() + b"\n")
                answer = json.loads(await self._lines.receive_until(b"\n", _MOST_BYTES))
        except TimeoutError as error:
            raise ApplicationUnresponsive(
                f'the program of "{self._window.name}" did not answer within {deadline_s:g} s',
                fix="look whether a dialog is in the way, or wait",
            ) from error
        except (anyio.EndOfStream, anyio.IncompleteRead, anyio.BrokenResourceError, anyio.ClosedResourceError) as error:
            raise _gone(self._window) from error
        if (problem := answer.get("error")) is not None:
            raise self._error(problem["type"], problem["message"], problem["fix"])
        return answer["result"]

    def _error(self, kind: str, message: str, fix: str) -> Exception:
        match kind:
            case "absent":
                return InterfaceAbsent(message, fix=fix)
            case "unresponsive":
                return ApplicationUnresponsive(message, fix="look whether a dialog is in the way, or wait")
            case "gone":
                return _gone(self._window)
            case "refused":
                return ChangeRefused(message, fix=fix)
            case _:
                return ActionRefused(f"LibreOffice reports an error: {message}", fix="find its reason in the document")


def _gone(window: TargetInfo) -> ApplicationGone:
    return ApplicationGone(
        f'"{window.name}" closed, or its program ended, while it was asked', fix="list the windows, and open it again"
    )
