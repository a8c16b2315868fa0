"""Launch of an application, until its window can be observed."""

import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from re import search
from shlex import join
from time import monotonic
from typing import Final, Protocol

from anyio import to_thread

from deskhand.core.errors import ApplicationUnresponsive, LaunchFailed, NotAccessible
from deskhand.core.patterns import in_title
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.runtime.handover import HandedOver
from deskhand.desktop.linux.runtime.launch_progress import Begun, Rest
from deskhand.desktop.linux.runtime.process_table import is_stopped, running_as
from deskhand.desktop.notifier import Pulse
from deskhand.desktop.protocols.windows import Application

_TAIL: Final = 2000
"""Characters of a program's last words in an error."""
_ASKS_AFTER_S: Final = 2.0
_ASKS_STILL_S: Final = 2.0
"""Reads of a window other than the expected one: one that asks the same question at the second read waits for an
answer, and is the result of the launch.
"""
_ENDED: Final = "ended with exit code 0 and showed no new window"
_ASKING: Final = frozenset({Role.BUTTON, Role.PASSWORD, Role.TEXTBOX})
_TELLS_NOTHING_S: Final = 8.0
_TELLS_NOTHING_AT_REST_S: Final = 3.0
"""Seconds after which a window that exposes nothing will not do so later: the second is for an application that hardly
works meanwhile.
"""
_STOPPED_S: Final = 1.0
_NOTHING_TO_COME_S: Final = 3.5
"""Seconds without any work after which a stopped or ended program is not expected to open a window."""


class Programs(Protocol):
    """Starts programs on a desktop and knows how they ended."""

    async def spawn(
        self, argv: Sequence[str], environment: Mapping[str, str] | None = None, log_name: str | None = None
    ) -> int:
        """The pid. `environment` adds to the desktop's own. Raises: LaunchFailed (it cannot be executed)."""
        ...

    def exited(self, pid: int) -> int | None:
        """Return its exit code, or minus the signal; None while it runs."""
        ...

    def log(self, log_name: str) -> Path:
        """Path of its output."""
        ...


class LocalPrograms:
    """Children of this process, for a desktop that somebody else started; they outlive us."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)
        self._children: dict[int, subprocess.Popen[bytes]] = {}

    @cached_property
    def _logs(self) -> Path:
        """Made for the first program, for which it stays; who starts none leaves none."""
        return Path(tempfile.mkdtemp(prefix="deskhand-"))

    async def spawn(
        self, argv: Sequence[str], environment: Mapping[str, str] | None = None, log_name: str | None = None
    ) -> int:
        for earlier in self._children.values():
            earlier.poll()  # a program that ended and was not waited for stays a zombie until then
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

    `windows` lists the present windows; `is_ready` is true once a window can be observed with its content; `controls`
    lists its controls; `display` is their X display.
    """

    def __init__(
        self,
        programs: Programs,
        pulse: Pulse,
        windows: Callable[[], Awaitable[tuple[TargetInfo, ...]]],
        is_ready: Callable[[TargetInfo], Awaitable[bool]],
        controls: Callable[[TargetInfo], Awaitable[Sequence[TargetInfo]]],
        *,
        display: str = "",
    ) -> None:
        self._programs = programs
        self._pulse = pulse
        self._windows = windows
        self._is_ready = is_ready
        self._controls = controls
        self._display = display
        self._outputs: dict[str, _Output] = {}
        self._names: dict[int, str] = {}

    def outputs(self) -> dict[str, str]:
        """Return the output of each program since its first launch, by the name of its log."""
        return {name: output.text for name, output in self._outputs.items()}

    def output_of(self, pid: int) -> str:
        """Return the output of a program that was launched as this process; empty for another one."""
        name = self._names.get(pid)
        return self._outputs[name].text if name else ""

    def forget(self) -> None:
        """Forget all programs: they have ended, and their logs are gone."""
        self._outputs.clear()
        self._names.clear()

    async def launch(self, application: Application, file: Path | None, *, deadline_s: float) -> TargetInfo:
        """Return the new window, ready, or the one in which a running process shows the file that it was handed.

        A dialog in which the program asks something first, as how to import a file, is that window as well.

        Raises: LaunchFailed with the last output of the program, DesktopGone.
        """
        earlier = await self._windows()
        log_name = application.name or Path(application.argv[0]).name
        output = _Output(self._programs.log(log_name))
        launch = _Launch(application, file, earlier, self._display, output)
        pid = await self._programs.spawn(launch.argv, application.environment, log_name)
        self._outputs.setdefault(log_name, output)
        self._names[pid] = log_name
        window = await self._pulse.until(_unless_launch_failed(lambda: self._ready_window(launch, pid)), deadline_s)
        if isinstance(window, LaunchFailed):
            raise window
        if window is None:
            raise self._too_late(launch, pid, await self._windows())
        return window

    async def _ready_window(self, launch: "_Launch", pid: int) -> TargetInfo | None:
        """Return None as long as none is found. Raises: LaunchFailed where none will come, and the errors of reading a
        window.
        """
        windows = await self._windows()
        code = self._programs.exited(pid)
        launch.begun.look(pid)
        found = launch.found(windows, pid)
        if code == 0:  # it handed over to a process that runs already
            shown = launch.handed_over.shown_in([window for window in windows if launch.is_titled(window)])
            found += [shown] if shown else []
        if launch.has_ended_for_good(code):
            found += launch.strange(windows)
        for window in found:
            if await self._is_ready_or_silent(window, launch.silent):
                return await self._as_it_is(window)
        launch.check(code, found, windows)
        if monotonic() >= launch.look_for_question_at:
            question = await self._question(launch)
            if question is not None and question == launch.question:
                return await self._as_it_is(question.window)
            launch.question, launch.look_for_question_at = question, monotonic() + _ASKS_STILL_S
        return None

    def _too_late(self, launch: "_Launch", pid: int, windows: Sequence[TargetInfo]) -> LaunchFailed:
        runs = self._programs.exited(pid) is None
        what = next(
            (f'shows "{window.name}", and does not let it be read' for window in launch.found(windows, pid)),
            "showed no window" if runs else _ENDED,
        )
        left = f", and runs on as process {pid}" if runs else ""
        listed = "; ".join(f'{window.handle} "{window.name}"' for window in launch.strange(windows))
        others = f", while a program that ran before showed {listed}" if listed else ""
        return launch.failed(f"{what} within {monotonic() - launch.start:.0f} s{left}{others}")

    async def _as_it_is(self, window: TargetInfo) -> TargetInfo | None:
        """It may have been listed before the window manager gave it its place; None where it has vanished since."""
        return next((now for now in await self._windows() if now.handle == window.handle), None)

    async def _is_ready_or_silent(self, window: TargetInfo, silent: dict[str, "_Silence"]) -> bool:
        """`silent`: windows that exist and expose nothing."""
        try:
            return await self._is_ready(window)
        except ApplicationUnresponsive:
            return False
        except NotAccessible:
            return silent.setdefault(window.handle, _Silence()).is_for_good(window.pid)

    async def _question(self, launch: "_Launch") -> "_Question | None":
        """The new window that asks something, with the keyboard on the answer; None where none does."""
        for window in await self._windows():
            if window.handle in launch.before or launch.handed_over.is_strange(window):
                continue
            controls = await self._controls(window)
            if any("focused" in control.states and control.type in _ASKING for control in controls):
                return _Question(window, tuple(control.name for control in controls if control.name))
        return None


@dataclass(frozen=True, slots=True)
class _Question:
    """A window with a question, and its text."""

    window: TargetInfo = field(compare=False)
    texts: tuple[str, ...]


class _Launch:
    """One launch from its beginning; `earlier`: the windows that were there before."""

    def __init__(
        self,
        application: Application,
        file: Path | None,
        earlier: Sequence[TargetInfo],
        display: str,
        output: "_Output",
    ) -> None:
        self.start = monotonic()
        self.application = application
        self.argv = _argv(application, file)
        self.before = {window.handle: window.name for window in earlier}
        self.handed_over = HandedOver(self.argv, earlier)
        self.begun = Begun(display, self.handed_over.owners)
        self.silent: dict[str, _Silence] = {}
        self.question: _Question | None = None
        """The question of the last look, and when to look again."""
        self.look_for_question_at = self.start + _ASKS_AFTER_S
        self._file = in_title(file.name) if file is not None else None
        self._output = output

    def found(self, windows: Sequence[TargetInfo], session: int) -> list[TargetInfo]:
        """Return the new windows that may be the one, first those of the started program, by its `session` or as the
        same program: the process of a window may be one that ran before or that another started.
        """

        def is_known(window: TargetInfo) -> bool:
            process = running_as(window.pid) if window.pid is not None else None
            return process is not None and (process.session == session or self.handed_over.belongs(window))

        new = [window for window in windows if self._is_new(window) and not self._is_strange(window)]
        return sorted(new, key=is_known, reverse=True) if len(new) > 1 else new

    def strange(self, windows: Sequence[TargetInfo]) -> list[TargetInfo]:
        """Return the new windows of other programs that ran before: a program that has ended for good may have opened
        its file in one of them, as `xdg-open` does.
        """
        return [window for window in windows if self._is_new(window) and self._is_strange(window)]

    def _is_new(self, window: TargetInfo) -> bool:
        """A window that was not there, or one that was and now shows the file."""
        if not self.is_titled(window):
            return False
        if window.handle not in self.before:
            return True
        named = self._file is not None and bool(self._file.search(window.name))
        return named and self.before[window.handle] != window.name

    def _is_strange(self, window: TargetInfo) -> bool:
        """True if another program owns it, and it was there before or nothing identifies it: neither an expected title
        nor the name of the file.
        """
        if not self.handed_over.is_strange(window):
            return False
        return window.handle in self.before or not (self.application.window or self.handed_over.is_named(window))

    def is_titled(self, window: TargetInfo) -> bool:
        return not self.application.window or bool(search(self.application.window, window.name))

    def has_ended_for_good(self, code: int | None) -> bool:
        """True if it ended well, none of its processes runs, and no other one works on a window."""
        return code == 0 and not self.begun.runs and self.begun.rest.lasts_s >= _NOTHING_TO_COME_S

    def check(self, code: int | None, found: Sequence[TargetInfo], windows: Sequence[TargetInfo]) -> None:
        """Raises: LaunchFailed where no window will come that can be read; `found`: those that may be it."""
        if code:
            raise self.failed(f"ended with {how_it_ended(code)}")
        self._check_stopped(found)
        if self.has_ended_for_good(code) and not found and not self.strange(windows):
            raise self._ended(self.handed_over.own(windows))

    def _check_stopped(self, found: Sequence[TargetInfo]) -> None:
        """Raises: LaunchFailed where a process is stopped for a while and nothing else works on the launch."""
        begun = self.begun
        if begun.rest.lasts_s < _STOPPED_S:
            return
        if begun.stopped is not None:
            raise self._stopped(begun.stopped, "its process")
        pid = next((window.pid for window in found if window.pid is not None and is_stopped(window.pid)), None)
        if pid is not None:
            raise self._stopped(pid, "the process of its window")
        if begun.stopped_owner is not None and begun.rest.lasts_s >= _NOTHING_TO_COME_S:
            raise self._stopped(begun.stopped_owner, "the process that shows its windows already")

    def failed(self, what: str) -> LaunchFailed:
        """With the last words of the program."""
        return LaunchFailed(
            f"{self.application.name} {what}. Its output: {self._output.tail or '(nothing)'}",
            fix=f"Start it by hand to see why: {join(self.argv)}",
        )

    def _ended(self, shown: Sequence[TargetInfo]) -> LaunchFailed:
        """It ended well, has shown nothing, and nothing of it is left; `shown`: the windows of the same program."""
        error = self.failed(_ENDED)
        if not shown:
            return error
        listed = "; ".join(f'{window.handle} "{window.name}"' for window in shown)
        return LaunchFailed(
            f"{error.message}. It runs already, and may have left it to that",
            fix=f"Use the window that is there, or close it first: {listed}",
        )

    def _stopped(self, pid: int, what: str) -> LaunchFailed:
        return LaunchFailed(
            f"{self.application.name} shows no window that can be read: {what}, {pid}, is stopped.",
            fix=f"Let it go on: kill -CONT {pid}; or end it: kill -KILL {pid}",
        )


class _Output:
    """Output of one program from now on; others of its name may have written into the same file before."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._begin = len(self._read())

    @property
    def text(self) -> str:
        return self._read()[self._begin :].decode(errors="replace")

    @property
    def tail(self) -> str:
        return _distinct(self.text)[-_TAIL:]

    def _read(self) -> bytes:
        try:
            return self._log.read_bytes()
        except OSError:
            return b""


class _Silence:
    """A window that exposes nothing, since it was first read."""

    def __init__(self) -> None:
        self._begin = monotonic()
        self._rest = Rest()

    def is_for_good(self, pid: int | None) -> bool:
        """True if it has exposed nothing for too long; `pid` is its process."""
        process = running_as(pid) if pid is not None else None
        if process is not None:
            self._rest.look({process.pid: process.busy_s()})
            if self._rest.lasts_s >= _TELLS_NOTHING_AT_REST_S:
                return True
        return monotonic() - self._begin >= _TELLS_NOTHING_S


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


def _distinct(output: str) -> str:
    """Remove repeated lines but the last of each: toolkits print one message many times."""
    lines = [line.strip() for line in reversed(output.splitlines())]
    return "\n".join(reversed(list(dict.fromkeys(filter(None, lines)))))


def how_it_ended(code: int) -> str:
    """An exit code, or minus a signal, in words."""
    return f"signal {-code}" if code < 0 else f"exit code {code}"
