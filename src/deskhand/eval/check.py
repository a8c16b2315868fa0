"""The command that checks a trial: it runs in the trial's folder, and its exit code and first line are the verdict.

Exit code 0: passed. Exit code 1 with a line on stdout: failed, the line is the reason. All else, such as a traceback of
Python on stderr, exit code 1 with nothing on stdout, another code, a signal or a timeout: the check is broken, which is
an error and never a pass.
"""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import anyio
from anyio.abc import ByteReceiveStream, Process

from deskhand.eval.suite import Judgement, Verdict

TASK_VARIABLE: Final = "DESKHAND_TASK"
SUMMARY_VARIABLE: Final = "DESKHAND_SUMMARY"
LIMIT_S: Final = 60.0
"""Longest time of a check."""
_MOST_BYTES: Final = 65_536
"""Output that is read of a check; the rest is dropped."""
_MOST_CHARACTERS: Final = 500
_TRACEBACK: Final = b"Traceback (most recent call last):"
_DRAIN_S: Final = 2.0
"""Time to read the rest of the output after the end; a process that left the group may hold it open."""


async def run_check(
    command: Sequence[str], task: Path, work: Path, summary: Path, *, limit_s: float = LIMIT_S
) -> Verdict:
    """Run a check in `work` for a task's folder and a session's summary, both absolute. Its process group is ended."""
    environment = {**os.environ, TASK_VARIABLE: str(task), SUMMARY_VARIABLE: str(summary)}
    try:
        process = await anyio.open_process(
            command, cwd=work, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
        )
    except (OSError, ValueError) as error:
        return _broken(f"it cannot be started: {error}")
    output, errors = bytearray(), bytearray()
    async with process:
        try:
            with anyio.move_on_after(limit_s) as limit:
                await _finish(process, output, errors)
        finally:
            if process.returncode is None:
                _end(process)
    if limit.cancelled_caught:
        return _broken(f"it did not end within {limit_s:g} s")
    return _verdict(process.returncode, bytes(output), bytes(errors))


async def _finish(process: Process, output: bytearray, errors: bytearray) -> None:
    """Wait for the end of a process, then end the processes that it left behind."""
    async with anyio.create_task_group() as readers:
        readers.start_soon(_read, process.stdout, output)
        readers.start_soon(_read, process.stderr, errors)
        await process.wait()
        _end(process)
        readers.cancel_scope.deadline = anyio.current_time() + _DRAIN_S


async def _read(stream: ByteReceiveStream | None, read: bytearray) -> None:
    """Read a stream to its end, and keep its beginning."""
    if stream is not None:
        async for part in stream:
            read += part[: max(0, _MOST_BYTES - len(read))]


def _end(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _verdict(code: int | None, output: bytes, errors: bytes) -> Verdict:
    said = _first_line(output)
    if code == 0:
        return Verdict(Judgement.PASSED)
    if code == 1 and said and _TRACEBACK not in errors:
        return Verdict(Judgement.FAILED, said)
    last = _lines(errors)[-1:]
    how = "it failed without a reason" if code == 1 else f"it ended with {_name(code)}"
    if _TRACEBACK in errors:
        how = "it raised an error"
    return _broken(": ".join((how, *last)))


def _name(code: int | None) -> str:
    """An exit code, or the signal that ended the process (a negative code)."""
    names = {-number: number.name for number in signal.Signals}
    return names.get(code or 0, f"exit code {code}")


def _broken(reason: str) -> Verdict:
    return Verdict(Judgement.ERROR, f"the check is broken: {reason}")


def _first_line(output: bytes) -> str:
    return next(iter(_lines(output)), "")


def _lines(output: bytes) -> list[str]:
    """Lines with text, shortened."""
    lines = output.decode("utf-8", "replace").splitlines()
    return [line.strip()[:_MOST_CHARACTERS] for line in lines if line.strip()]
