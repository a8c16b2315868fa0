"""Starting an application, and knowing when its window is ready to be looked at."""

import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from re import search
from time import monotonic
from typing import Final, Protocol

from anyio import to_thread

from deskhand.core.errors import LaunchFailed, NotAccessible
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Application
from deskhand.desktop.linux.handover import HandedOver
from deskhand.desktop.linux.pulse import Pulse

_TAIL: Final = 2000
"""Characters of a program's last words in an error."""
_ASKS_AFTER_S: Final = 2.0
_ASKS_STILL_S: Final = 2.0
"""A window other than the expected one is looked at after the first time; asking the same after the second, it waits
for an answer that nobody here gives."""
_ASKING: Final = frozenset({Role.BUTTON, Role.PASSWORD, Role.TEXTBOX})
_QUESTION: Final = 300
_TELLS_NOTHING_S: Final = 8.0
"""A window whose application tells nothing of what it shows for so long will not do so later."""


class Programs(Protocol):
    """Starts programs on a desktop and knows how they ended."""

    async def spawn(
        self, argv: Sequence[str], environment: Mapping[str, str] | None = None, log_name: str | None = None
    ) -> int:
        """The pid. `environment` adds to the desktop's own. Raises: LaunchFailed (it cannot be executed)."""
        ...

    def exited(self, pid: int) -> int | None:
        """How it ended: its exit code, or minus the signal; None while it runs."""
        ...

    def log(self, log_name: str) -> Path:
        """Where its output goes."""
        ...


class LocalPrograms:
    """Children of this process, for a desktop that somebody else started; they outlive us."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._children: dict[int, subprocess.Popen[bytes]] = {}
        self._logs = Path(tempfile.mkdtemp(prefix="deskhand-"))

    async def spawn(
        self, argv: Sequence[str], environment: Mapping[str, str] | None = None, log_name: str | None = None
    ) -> int:
        child = await to_thread.run_sync(partial(self._start, argv, environment or {}, log_name or Path(argv[0]).name))
        self._children[child.pid] = child
        return child.pid

    def exited(self, pid: int) -> int | None:
        child = self._children.get(pid)
        return child.poll() if child else None

    def log(self, log_name: str) -> Path:
        return self._logs / f"{log_name}.log"

    def _start(self, argv: Sequence[str], environment: Mapping[str, str], log_name: str) -> subprocess.Popen[bytes]:
        try:
            with self.log(log_name).open("ab") as output:
                return subprocess.Popen(
                    list(argv),
                    env={**self._environment, **environment},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                )
        except OSError as error:
            raise LaunchFailed(f"{argv[0]} cannot be started: {error}", fix="Check that it is installed.") from error


class Launcher:
    """Starts applications and waits for their windows.

    `windows` lists the windows as they are; `is_ready` says whether a window can be observed with its content;
    `controls` lists what a window shows.
    """

    def __init__(
        self,
        programs: Programs,
        pulse: Pulse,
        windows: Callable[[], Awaitable[tuple[TargetInfo, ...]]],
        is_ready: Callable[[TargetInfo], Awaitable[bool]],
        controls: Callable[[TargetInfo], Awaitable[Sequence[TargetInfo]]],
    ) -> None:
        self._programs = programs
        self._pulse = pulse
        self._windows = windows
        self._is_ready = is_ready
        self._controls = controls

    async def launch(self, application: Application, file: Path | None, *, deadline_s: float) -> TargetInfo:
        """The new window, ready, or the one in which a process that ran already shows what it was handed.

        Raises: LaunchFailed with the last words of the program, DesktopGone.
        """
        start = monotonic()
        earlier = await self._windows()
        before = {window.handle: window.name for window in earlier}
        handed_over = HandedOver(_argv(application, file), earlier)
        asking = _Asking("", start + _ASKS_AFTER_S)
        silent: dict[str, float] = {}
        log_name = application.name or Path(application.argv[0]).name
        output = _Output(self._programs.log(log_name))
        pid = await self._programs.spawn(_argv(application, file), application.environment, log_name)

        async def ready_window() -> TargetInfo | None:
            windows = await self._windows()
            code = self._programs.exited(pid)
            found = [window for window in windows if _is_new(window, before, application, file)]
            if code == 0:  # it handed over to a process that runs already
                shown = handed_over.shown_in([window for window in windows if _is_titled(window, application)])
                found += [shown] if shown else []
            for window in found:
                if await self._is_ready_or_silent(window, silent):
                    return await self._as_it_is(window)
            if code:
                raise self._failed(application, f"ended with {_how(code)}", output)
            if monotonic() >= asking.look_at:
                question = await self._question(before)
                if question and question == asking.question:
                    raise _asked(application, question)
                asking.question, asking.look_at = question, monotonic() + _ASKS_STILL_S
            return None

        window = await self._pulse.until(_unless_launch_failed(ready_window), deadline_s)
        if isinstance(window, LaunchFailed):
            raise window
        if window is None:
            new = (other for other in await self._windows() if _is_new(other, before, application, file))
            has_ended = self._programs.exited(pid) == 0
            what = "handed over to a process that runs already, and showed no new window" if has_ended else ""
            what = next(
                (f'shows "{other.name}", and does not let it be read' for other in new), what or "showed no window"
            )
            raise self._failed(application, f"{what} within {monotonic() - start:.0f} s", output)
        return window

    async def _as_it_is(self, window: TargetInfo) -> TargetInfo | None:
        """It may have been listed before the window manager gave it its place; None where it has vanished since."""
        return next((now for now in await self._windows() if now.handle == window.handle), None)

    async def _is_ready_or_silent(self, window: TargetInfo, silent: dict[str, float]) -> bool:
        """`silent`: since when windows are there and tell nothing."""
        try:
            return await self._is_ready(window)
        except NotAccessible:
            return monotonic() - silent.setdefault(window.handle, monotonic()) >= _TELLS_NOTHING_S

    async def _question(self, before: Mapping[str, str]) -> str:
        """What a new window asks, with the keyboard on the answer; empty where none does."""
        for window in await self._windows():
            if window.handle in before:
                continue
            controls = await self._controls(window)
            if any("focused" in control.states and control.type in _ASKING for control in controls):
                texts = [control.name for control in controls if control.name]
                return f'"{window.name}": {" | ".join(" ".join(text.split()) for text in texts)}'[:_QUESTION]
        return ""

    @staticmethod
    def _failed(application: Application, what: str, output: "_Output") -> LaunchFailed:
        return LaunchFailed(
            f"{application.name} {what}. It said: {output.tail or '(nothing)'}",
            fix=f"Start it by hand to see why: {' '.join(application.argv)}",
        )


class _Output:
    """What one program says from now on; others of its name may have written into the same file before."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._begin = len(self._read())

    @property
    def tail(self) -> str:
        return _distinct(self._read()[self._begin :].decode(errors="replace"))[-_TAIL:]

    def _read(self) -> bytes:
        try:
            return self._log.read_bytes()
        except OSError:
            return b""


@dataclass(slots=True)
class _Asking:
    """The question seen last, and when to look again."""

    question: str
    look_at: float


def _asked(application: Application, question: str) -> LaunchFailed:
    return LaunchFailed(
        f"{application.name} asks instead of showing its window. {question}",
        fix="Start it by hand, settle what it asks, and try again; a damaged or protected file has to be saved anew.",
    )


def _unless_launch_failed(
    condition: Callable[[], Awaitable[TargetInfo | None]],
) -> Callable[[], Awaitable[TargetInfo | LaunchFailed | None]]:
    """A failed launch ends the waiting, unlike other errors that may pass."""

    async def wrapped() -> TargetInfo | LaunchFailed | None:
        try:
            return await condition()
        except LaunchFailed as error:
            return error

    return wrapped


def _argv(application: Application, file: Path | None) -> list[str]:
    if file is None:
        return list(application.argv)
    argv = application.argv_with_file or (*application.argv, "{file}")
    return [part.replace("{file}", str(file)) for part in argv]


def _is_new(window: TargetInfo, before: Mapping[str, str], application: Application, file: Path | None) -> bool:
    """A window that was not there, or one that was and now shows the file."""
    if not _is_titled(window, application):
        return False
    if window.handle not in before:
        return True
    return file is not None and file.name in window.name and before[window.handle] != window.name


def _is_titled(window: TargetInfo, application: Application) -> bool:
    return not application.window or bool(search(application.window, window.name))


def _distinct(output: str) -> str:
    """Each line where it came last: toolkits say one thing many times."""
    lines = [line.strip() for line in reversed(output.splitlines())]
    return "\n".join(reversed(list(dict.fromkeys(filter(None, lines)))))


def _how(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
