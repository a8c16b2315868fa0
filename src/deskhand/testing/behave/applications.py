"""The applications of a run, by the names that its steps give them."""

import os
import shlex
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import Final

import anyio

from deskhand.core.errors import UsageError
from deskhand.scripting import Desktop, Window
from deskhand.scripting.results import ExpectationFailed, Unmet

_ENDS_S: Final = 5.0
"""Time that a program has to end by itself after it was asked to."""


@dataclass(slots=True)
class _Started:
    """Applications and processes of the windows of one name."""

    applications: set[str] = field(default_factory=set[str])
    pids: set[int] = field(default_factory=set[int])


class Applications:
    """Starts and ends applications. `commands`: those that start by a command of the tester's, by name."""

    def __init__(self, desktop: Desktop, commands: Mapping[str, str]) -> None:
        self._desktop = desktop
        self._commands = commands
        self._started: dict[str, _Started] = {}
        self._latest = ""

    async def start(self, name: str, command: str = "", environment: Mapping[str, str] | None = None) -> Window:
        """Start an application, by the tester's command for this name or the machine's if none is given.

        With variables of its own the name is a command too.
        Raises: ActionFailed (with the names that the machine has), LaunchFailed (with the program's output), UsageError
        for a wrong command.
        """
        argv = _argv(command or self._commands.get(name, "" if environment is None else name))
        window = await self._desktop.launch("" if argv else name, argv=argv, environment=environment)
        started = self._started.setdefault(name, _Started())
        started.applications.add(window.info.application)
        if window.info.pid is not None:
            started.pids.add(window.info.pid)
        self._latest = name
        return window

    async def windows(self, name: str = "") -> tuple[Window, ...]:
        """Return the windows of an application, the front one first; without a name, of the one that was started last.

        One that no step started is known by its own name, as `deskhand windows` prints it. Before any was started,
        no name is all of them. Raises: DesktopGone.
        """
        name = name or self._latest
        return tuple(window for window in await self._desktop.windows() if not name or self._is_of(name, window))

    async def require_windows(self, name: str = "") -> tuple[Window, ...]:
        """Return its windows, as soon as it has one. Raises: ExpectationFailed, DesktopGone."""

        async def some() -> bool:
            return bool(await self.windows(name))

        await expect_until(self._desktop, some, self._shown(name), "to have a window", self._open_now)
        return await self.windows(name)

    async def require_ended(self, name: str) -> None:
        """Wait until it has no window and none of its programs runs. Raises: ExpectationFailed, DesktopGone."""

        async def ended() -> bool:
            return await self._has_ended(name)

        async def state() -> str:
            windows = ", ".join(f'"{window.title}"' for window in await self.windows(name))
            return f"it has the windows {windows}" if windows else "its program runs, without a window"

        await expect_until(self._desktop, ended, self._shown(name), "to have ended", state)

    async def end(self, name: str, *, at_once: bool = False) -> None:
        """End its programs: they are asked to first, unless `at_once`. Raises: ExpectationFailed if one stays."""
        if not at_once:
            await self._signal(name, SIGTERM)
            if await self._desktop.wait_until(partial(self._has_ended, name), timeout_s=_ENDS_S):
                return
        await self._signal(name, SIGKILL)
        await self.require_ended(name)

    async def _has_ended(self, name: str) -> bool:
        return not await self.windows(name) and not any(map(_runs, self._of(name).pids))

    async def _signal(self, name: str, number: int) -> None:
        shown = {window.info.pid for window in await self.windows(name) if window.info.pid is not None}
        for pid in shown | self._of(name).pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _of(self, name: str) -> _Started:
        return self._started.get(name, _Started())

    def _is_of(self, name: str, window: Window) -> bool:
        started = self._of(name)
        application = window.info.application
        return (
            window.info.pid in started.pids
            or application in started.applications
            or application.casefold() == name.casefold()
        )

    def _shown(self, name: str) -> str:
        return name or self._latest or "the desktop"

    async def _open_now(self) -> str:
        windows = [f'"{window.title}" of {window.info.application}' for window in await self._desktop.windows()]
        return f"open are {', '.join(windows)}" if windows else "no window is open on the desktop"


async def expect_until(
    desktop: Desktop,
    holds: Callable[[], Awaitable[bool]],
    subject: str,
    expected: str,
    actual: Callable[[], Awaitable[str]],
) -> None:
    """Wait until a condition holds. Raises: ExpectationFailed with these phrases, as of `Unmet`; DesktopGone."""
    began = anyio.current_time()
    if not await desktop.wait_until(holds):
        raise ExpectationFailed(Unmet(subject, expected, await actual(), waited_s=anyio.current_time() - began))


def environment_in(text: str) -> dict[str, str]:
    """Return the variables of `NAME=value OTHER='two words'`. Raises: UsageError for another form."""
    pairs = [each.partition("=") for each in _argv(text)]
    if not all(name and equals for name, equals, _ in pairs):
        raise UsageError(f'"{text}" are no variables', fix="write them as NAME=value, with spaces between them")
    return {name: value for name, _, value in pairs}


def _argv(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(f'"{command}" is no command: {error}', fix="close its quotes") from error


def _runs(pid: int) -> bool:
    """Return whether a process runs; one that ended and was not collected by its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}
