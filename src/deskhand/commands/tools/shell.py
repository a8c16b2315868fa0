"""Commands as argument vectors, never a shell line: in a sandbox, or each confirmed by the user (contract 2.2)."""

import os
import shutil
import uuid
from collections.abc import AsyncIterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from typing import Annotated, Final

import anyio
from anyio import to_thread
from anyio.abc import ByteSendStream, Process
from pydantic import AfterValidator, Field

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, Tool, action, data
from deskhand.commands.techniques.sandbox import PATH, Sandbox, find_sandbox
from deskhand.core.command import Effect, EffectClass
from deskhand.core.errors import ActionRefused
from deskhand.core.json import JsonObject
from deskhand.core.text import as_line
from deskhand.desktop.mark import MARK
from deskhand.desktop.processes import INHERITED_BY_ALL, end_marked

AUDIENCE: Final = "shell"
MAX_SECONDS: Final = 3600.0
OUTPUT_LIMIT_BYTES: Final = 64 * 1024
"""Bytes of each stream that are stored: half from its beginning, half from its end."""
_VIEW_LIMIT: Final = 8000
_FILES_SHOWN: Final = 50
_LAST_LINE: Final = 200


def _word(text: str) -> str:
    """Raises: ValueError for text that cannot be passed to a program."""
    if "\0" in text:
        raise ValueError("a command cannot contain a NUL character")
    text.encode()
    return text


Word = Annotated[str, AfterValidator(_word)]


class RunCommand(Arguments):
    """`argv`: the program, then its arguments; `cwd`: a folder, relative to the session's own."""

    argv: Annotated[list[Word], Field(min_length=1)]
    cwd: Word = "."
    stdin: Word = ""
    timeout_s: float = Field(default=60.0, gt=0, le=MAX_SECONDS)
    background: bool = False


@dataclass(slots=True)
class StreamExcerpt:
    """The beginning and the end of a stream; the bytes between are counted."""

    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)
    total: int = 0

    def add(self, piece: bytes) -> None:
        self.total += len(piece)
        half = OUTPUT_LIMIT_BYTES // 2
        room = half - len(self.head)
        self.head += piece[:room]
        self.tail += piece[room:]
        del self.tail[:-half]

    @property
    def left_out(self) -> int:
        return self.total - len(self.head) - len(self.tail)

    def text(self) -> str:
        if not self.left_out:
            return (self.head + self.tail).decode(errors="replace")
        middle = f"\n… {self.left_out} bytes left out …\n"
        return self.head.decode(errors="replace") + middle + self.tail.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a command. `exit_code` None: it was stopped at its time limit."""

    argv: Sequence[str]
    exit_code: int | None
    stdout: StreamExcerpt
    stderr: StreamExcerpt
    limit_s: float

    @property
    def message(self) -> str:
        if self.exit_code is None:
            return f"stopped after {self.limit_s:g} s"
        return f"exit code {self.exit_code}"

    @property
    def effect(self) -> Effect:
        """Confirmed by exit code 0 alone; any other is a failure, unless the caller expected it."""
        return Effect.CONFIRMED if self.exit_code == 0 else Effect.PARTIAL

    @property
    def evidence(self) -> str:
        """The exit code; of a command that failed, also the last line of its error output."""
        lines = self.stderr.text().split("\n") if self.exit_code else []
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{self.message}: {as_line(last, _LAST_LINE)}" if last else self.message

    def data(self) -> JsonObject:
        cut = bool(self.stdout.left_out or self.stderr.left_out)
        return {
            "exit_code": self.exit_code,
            "stdout": self.stdout.text(),
            "stderr": self.stderr.text(),
            "truncated": cut,
        }

    def view(self) -> str:
        parts = [f"Last command: {' '.join(map(repr, self.argv))}", self.message]
        for name, excerpt in (("stdout", self.stdout), ("stderr", self.stderr)):
            if excerpt.total:
                parts.append(f"{name}:\n{_shortened(excerpt.text(), _VIEW_LIMIT // 2)}")
        return "\n".join(parts)


class Shell:
    """The shell tools of one session. `folder` is made at the first command."""

    def __init__(self, folder: Path, sandbox: Sandbox | None) -> None:
        self._folder = folder
        self._sandbox = sandbox
        self._last: Ended | None = None
        self._jobs = 0

    @property
    def tools(self) -> Sequence[Tool]:
        """Outside a sandbox a command can do anything, so the policy asks the user about each."""
        effect_class = EffectClass.EDIT if self._sandbox else EffectClass.SHELL
        audience = frozenset({AUDIENCE})
        deadline_s = MAX_SECONDS + 30
        run = action(RunCommand, self.run_command, effect_class=effect_class, audience=audience, deadline_s=deadline_s)
        return (run, data(Arguments, self.look_at_shell))

    async def run_command(self, tools: ToolContext, call: Call, arguments: RunCommand) -> ToolOutcome:  # noqa: ARG002
        """Runs a program with arguments and waits for its end; in the background its end is announced instead."""
        cwd = self._place(arguments.cwd)
        _check_program(arguments.argv[0], cwd)
        tools.delivered = True
        if arguments.background:
            self._jobs += 1
            name = f"job {self._jobs} ({arguments.argv[0]})"
            tools.external.watch(name, lambda: self._job(arguments, cwd))
            message = f"{name} runs; its end will be announced, PENDING waits for it"
            return ToolOutcome({"job": name}, Effect.CONFIRMED, evidence=message, retry_safe=False)
        ended = await self._run(arguments, cwd)
        self._last = ended
        return ToolOutcome(ended.data(), ended.effect, evidence=ended.evidence, retry_safe=False)

    async def look_at_shell(self, tools: ToolContext, call: Call, arguments: Arguments) -> ToolOutcome:  # noqa: ARG002
        """The folder's files and what the last command printed, as text."""
        files = await to_thread.run_sync(_files, self._folder)
        parts = [f"Folder {self._folder}:", *files]
        if self._sandbox:
            parts += [f"Can be read: {path}" for path in self._sandbox.readable if path.is_dir()]
        return ToolOutcome("\n".join([*parts, self._last.view() if self._last else "No command ran yet."]))

    def _place(self, cwd: str) -> Path:
        """Raises: ActionRefused if it is no folder, or outside the sandbox."""
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            place = (self._folder / cwd).resolve()
            is_folder = place.is_dir()
        except (OSError, RuntimeError) as error:  # such as a circle of links
            why = getattr(error, "strerror", None) or error
            raise ActionRefused(f"there is no folder {cwd!r}: {why}", fix="use an existing folder") from error
        if self._sandbox:
            inside = (self._folder, *self._sandbox.readable)
            if not any(place.is_relative_to(folder.resolve()) for folder in inside):
                known = ", ".join(map(str, inside))
                raise ActionRefused(f"{place} is not a folder commands may work in", fix=f"use one below {known}")
        if not is_folder:
            raise ActionRefused(f"there is no folder {place}", fix="use an existing folder as cwd")
        return place

    async def _job(self, arguments: RunCommand, cwd: Path) -> str:
        try:
            ended = await self._run(arguments, cwd)
        except ActionRefused as error:
            return error.message
        self._last = ended
        printed = ended.stdout.text() or ended.stderr.text()
        return f"{ended.message}; it printed: {_shortened(printed, 500)}" if printed else ended.message

    async def _run(self, arguments: RunCommand, cwd: Path) -> Ended:
        """Raises: ActionRefused if it cannot be started."""
        mark = uuid.uuid4().hex
        environment = {"PATH": PATH, "HOME": str(self._folder), "LANG": "C.UTF-8", MARK: mark}
        environment |= {name: os.environ[name] for name in INHERITED_BY_ALL if name in os.environ}
        argv = ["setpriv", "--pdeathsig", "KILL", "--", *arguments.argv]
        if self._sandbox:
            argv = self._sandbox.wrap(arguments.argv, cwd, environment)
        stdout, stderr = StreamExcerpt(), StreamExcerpt()
        process = await _start(argv, cwd, environment)
        exit_code: int | None = None
        async with anyio.create_task_group() as streams:
            streams.start_soon(_feed, process.stdin, arguments.stdin.encode())
            streams.start_soon(_collect, process.stdout, stdout)
            streams.start_soon(_collect, process.stderr, stderr)
            try:
                with anyio.move_on_after(arguments.timeout_s):
                    exit_code = await process.wait()
            finally:
                with anyio.CancelScope(shield=True):
                    await _end(process, mark)
        return Ended(arguments.argv, exit_code, stdout, stderr, arguments.timeout_s)


def shell_tools(session_dir: Path) -> Sequence[Tool]:
    """The tools of a session's shell, which works in its folder `shell` and can read its folder `documents`."""
    folder = session_dir / "shell"
    return Shell(folder, find_sandbox(folder, [session_dir / "documents"])).tools


async def _start(argv: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> Process:
    """Start a process; shielded from cancellation, after which nothing would end it. Raises: ActionRefused."""
    opening = anyio.open_process(
        argv, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=cwd, env=environment, start_new_session=True
    )
    started: list[Process] = []
    try:
        with anyio.CancelScope(shield=True):
            started.append(await opening)
    except OSError as error:
        raise ActionRefused(f"{argv[0]} cannot be started: {error}", fix="take another way") from error
    return started[0]


async def _end(process: Process, mark: str) -> None:
    """End a command and all its children, so that its streams end too."""
    if process.returncode is None:
        process.kill()
    await process.wait()
    await to_thread.run_sync(end_marked, mark)


async def _feed(stream: ByteSendStream | None, text: bytes) -> None:
    if stream is None:
        return
    try:
        await stream.send(text)
        await stream.aclose()
    except anyio.BrokenResourceError:
        return  # it ended without reading all its input


async def _collect(stream: AsyncIterable[bytes] | None, excerpt: StreamExcerpt) -> None:
    if stream is None:
        return
    async for piece in stream:
        excerpt.add(piece)


def _check_program(program: str, cwd: Path) -> None:
    """Raises: ActionRefused if there is no such program."""
    try:
        found = (cwd / program).is_file() if "/" in program else shutil.which(program, path=PATH)
    except OSError:  # such as a name that is too long
        found = None
    if not found:
        raise ActionRefused(f"there is no program {program!r}", fix="use one that is installed, or its whole path")


def _files(folder: Path) -> list[str]:
    if not folder.is_dir():
        return ["(empty)"]
    entries = sorted(folder.iterdir())
    lines = [_listed(entry) for entry in entries[:_FILES_SHOWN]]
    more = [f"… {len(entries) - _FILES_SHOWN} more"] if len(entries) > _FILES_SHOWN else []
    return [*lines, *more] or ["(empty)"]


def _listed(entry: Path) -> str:
    try:
        return f"{entry.name}/" if entry.is_dir() else f"{entry.name} ({entry.lstat().st_size} bytes)"
    except OSError as error:  # a running command may remove it
        return f"{entry.name} ({error.strerror})"


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
