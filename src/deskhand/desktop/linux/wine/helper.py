"""Helper inside a prefix of Wine: it reads and operates the windows of Windows programs, over its stdin and stdout."""

import asyncio
import json
import os
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final, Self

import deskhand.desktop
from deskhand.core.errors import DesktopGone
from deskhand.desktop.linux.runtime.wine_folder import wine_folder
from deskhand.desktop.linux.wine.installation import need_python, need_wine
from deskhand.desktop.linux.wine.paths import windows_path
from deskhand.desktop.linux.wine.window_tree import Json

_PACKAGE: Final = Path(deskhand.desktop.__file__).parent / "windows"
"""Folder in which the helper's package `win32` is."""

_START_S: Final = 60.0
"""The first program of a new prefix starts its services, which takes seconds on a busy machine."""

_TAIL: Final = 2000
"""Bytes of its errors that are kept."""

_LINE_BYTES: Final = 1 << 25
"""Longest answer that is read: a text of 8 million characters fits."""


class HelperRefusal(Exception):
    """The helper did not do it. `reason`: "gone" (the control or program), "hung" (it does not answer) or "refused"."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Helper:
    """Use `start`. Requests are answered in their order; `on_event` gets what happens meanwhile."""

    def __init__(self, process: Process, requests: asyncio.WriteTransport, on_event: Callable[[Json], None]) -> None:
        self._process = process
        self._requests = requests
        self._on_event = on_event
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}  # an answer is JSON
        self.ready: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._last_words = b""
        self._reading_errors = asyncio.ensure_future(self._read_errors())
        self.ended = asyncio.ensure_future(self._listen())

    @classmethod
    async def start(cls, argv: Sequence[str], environment: Mapping[str, str], on_event: Callable[[Json], None]) -> Self:
        """Start it and wait until it is ready. Raises: DesktopGone (it ended, or is not ready in time), OSError."""
        # In Wine 8 Windows Python neither starts with a file as stdin, stdout or stderr, nor reads from a socket, which
        # PIPE would be as stdin.
        theirs, ours = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *argv, stdin=theirs, stdout=PIPE, stderr=PIPE, env=dict(environment), limit=_LINE_BYTES
            )
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        loop = asyncio.get_running_loop()
        requests, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(ours, "wb"))
        helper = cls(process, requests, on_event)
        try:
            async with asyncio.timeout(_START_S):
                await helper.ready
        except TimeoutError as error:
            helper.close()
            raise DesktopGone(
                f"The helper in the prefix of Wine was not ready within {_START_S:g} s.", fix="Start the desktop again."
            ) from error
        return helper

    async def ask(self, do: str, **arguments: object) -> Any:  # an answer is JSON
        """Return the answer to a request. Raises: HelperRefusal, DesktopGone (the helper ended)."""
        number = next(self._numbers)
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        line = json.dumps({"id": number, "do": do, **arguments}, ensure_ascii=True)
        if self._requests.is_closing() or self.ended.done():
            raise self._gone()
        self._requests.write(line.encode() + b"\n")
        try:
            return await waiting
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        """End it. May be called twice."""
        if self._process.returncode is None:
            self._process.terminate()
        self._requests.close()
        self.ended.cancel()
        self._reading_errors.cancel()

    async def _listen(self) -> None:
        """Returns at the end of the helper."""
        pipe = self._process.stdout
        while pipe is not None and (line := await pipe.readline()):
            self._take(json.loads(line))
        await self._reading_errors
        for waiting in (self.ready, *self._waiting.values()):
            if not waiting.done():
                waiting.set_exception(self._gone())

    async def _read_errors(self) -> None:
        """Keep the end of its errors; a full pipe would stop it."""
        pipe = self._process.stderr
        while pipe is not None and (words := await pipe.read(_TAIL)):
            self._last_words = (self._last_words + words)[-_TAIL:]

    def _take(self, told: Json) -> None:
        if "event" in told:
            self._on_event(told)
        elif "ready" in told:
            self.ready.set_result(told)
        else:
            waiting = self._waiting.get(told["id"])
            if waiting is None or waiting.done():
                return
            if "error" in told:
                waiting.set_exception(HelperRefusal(str(told["error"]), str(told.get("message", ""))))
            else:
                waiting.set_result(told["ok"])

    def _gone(self) -> DesktopGone:
        said = self._last_words.decode(errors="replace").strip() or "(nothing)"
        return DesktopGone(
            f"The helper in the prefix of Wine ended. Its output: {said}", fix="Start the desktop again."
        )


def helper_command(environment: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the command of the helper and its environment. Raises: MissingRequirement."""
    wine, folder = need_wine(), wine_folder(environment)
    need_python(folder)
    prefix = Path(environment["WINEPREFIX"])
    command = [str(wine.loader), str(folder.python), "-u", "-m", "win32.serve"]
    if folder.hook.is_file():
        command.append(windows_path(folder.hook, prefix) or "")
    return command, {**environment, "PYTHONPATH": windows_path(_PACKAGE, prefix) or "", "PYTHONDONTWRITEBYTECODE": "1"}
