"""Messages to a program of the user's choice: JSON on its stdin, the essentials in variables."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

import anyio
from anyio.abc import Process

from deskhand.core.errors import NotificationFailed
from deskhand.notify.message import Message

MOST_BYTES: Final = 65536
"""Errors that the program may print; it is ended at more."""
_SHOWN: Final = 200
"""Characters of its errors that are reported."""


class Program:
    """Starts the program for each message; implements `Channel`. Nothing of it goes on after its deadline."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str], deadline_s: float) -> None:
        self._argv = tuple(argv)
        self._environment = environment
        self._deadline_s = deadline_s

    @property
    def name(self) -> str:
        return f"the command {self._argv[0]}"

    async def send(self, message: Message) -> None:
        errors = bytearray()
        try:
            with anyio.fail_after(self._deadline_s):
                code = await self._run(message, errors)
        except TimeoutError as error:
            raise self._failed(f"did not end within {self._deadline_s:g} s and was ended", errors) from error
        except (OSError, ValueError) as error:  # ValueError: an argument or variable that no program can get
            raise self._failed(f"could not be started: {error}", errors) from error
        if len(errors) > MOST_BYTES:
            raise self._failed(f"printed more than {MOST_BYTES} bytes of errors and was ended", errors)
        if code:
            raise self._failed(f"ended with exit code {code}" if code > 0 else f"was ended by signal {-code}", errors)

    async def close(self) -> None:
        return

    async def _run(self, message: Message, errors: bytearray) -> int:
        process = await anyio.open_process(
            self._argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**self._environment, **_variables(message)},
            start_new_session=True,
        )
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_read, process, errors)
                await _write(process, message.as_json + b"\n")
                await process.wait()
                group.cancel_scope.cancel()  # a program that it left running may have its stderr
        finally:
            with anyio.CancelScope(shield=True):
                _end(process)
                await process.aclose()
        return process.returncode or 0

    def _failed(self, event: str, errors: bytearray) -> NotificationFailed:
        printed = errors.decode(errors="replace").strip()[-_SHOWN:]
        return NotificationFailed(
            f"{self.name} {event}{f': {printed}' if printed else ''}",
            fix="run it by hand with a line of JSON on its stdin, or correct notify.command",
        )


def _variables(message: Message) -> dict[str, str]:
    return {
        "DESKHAND_EVENT": message.kind,
        "DESKHAND_SESSION": message.session,
        "DESKHAND_TITLE": message.title,
        "DESKHAND_TEXT": message.text,
    }


async def _write(process: Process, data: bytes) -> None:
    """Give the program its input; it need not read it."""
    if process.stdin is not None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await process.stdin.send(data)
        await process.stdin.aclose()


async def _read(process: Process, errors: bytearray) -> None:
    """Read errors up to the limit, at which the program is ended."""
    if process.stderr is None:
        return
    async for piece in process.stderr:
        errors += piece
        if len(errors) > MOST_BYTES:
            _end(process)
            return


def _end(process: Process) -> None:
    """End the program, unless it has ended, and those that it started."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
