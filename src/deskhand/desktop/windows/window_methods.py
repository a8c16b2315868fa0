"""Windows, their programs, and waiting."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path, PureWindowsPath
from time import monotonic
from typing import Final

import anyio

from deskhand.core.errors import ActionDeadline, ApplicationGone, LaunchFailed
from deskhand.core.geometry import Rect
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.windows import Application, ProgramStatus, Quiet, Settled, Until
from deskhand.desktop.shown_files import ShownFile, ShownFiles
from deskhand.desktop.windows import system
from deskhand.desktop.windows.base import Base, pause
from deskhand.desktop.windows.programs import Processes, Started
from deskhand.desktop.windows.win32 import dlls
from deskhand.desktop.windows.win32.failures import Gone
from deskhand.desktop.windows.win32.messages import post

_ACTIVE_S: Final = 3.0
_RESTORE: Final = 9
_CLOSE: Final = 0x0010  # WM_CLOSE
_AGAIN_S: Final = 0.02


class WindowMethods(Base):
    """The protocol `Windows`."""

    def __init__(self) -> None:
        super().__init__()
        self._processes = Processes()
        self._started: dict[int, Started] = {}
        self._files = ShownFiles(Path.home(), lambda _: (), lambda _: False)

    async def windows(self) -> tuple[TargetInfo, ...]:
        found = (await self._listing()).windows
        for window in found:
            self._processes.note(window.pid)
        return found

    async def launch(
        self, application: Application, file: Path | None = None, *, deadline_s: float = 30.0
    ) -> TargetInfo:
        async with self._alone():
            before = {window.handle for window in await self.windows()}
            start = partial(Started, argv_of(application, file), application.environment)
            started = await self._worker.run(start)
            self._started[started.pid] = started
            window = await self._new_window(application, started, before, deadline_s)
        if file is not None:
            self.note_file(window, file)
        return window

    async def _new_window(
        self, application: Application, started: Started, before: set[str], deadline_s: float
    ) -> TargetInfo:
        is_its = _its_window(application, started.pid)
        with anyio.move_on_after(deadline_s):
            while True:
                new = [window for window in await self.windows() if window.handle not in before and is_its(window)]
                if new:
                    return new[0]
                if how := started.failure:
                    raise LaunchFailed(
                        f"{application.name} showed no window and ended with {how}: {started.output or 'no output'}",
                        fix="Start it by hand to see what it lacks.",
                    )
                await pause()
        raise LaunchFailed(
            f"{application.name} showed no window within {deadline_s:g} s: {started.output or 'no output'}",
            fix="Start it by hand to see what it waits for.",
        )

    async def program(self, window: TargetInfo) -> ProgramStatus:
        self._require_open()
        return self._processes.status(window.pid)

    def outputs(self) -> Mapping[str, str]:
        """Return the output of each program that was started here, by its process."""
        return {str(pid): started.output for pid, started in self._started.items()}

    async def activate(self, window: TargetInfo) -> None:
        async with self._alone():
            await self._worker.run(partial(_bring_to_front, int(window.handle)), window)

            async def is_active() -> bool:
                return await self._worker.run(lambda: dlls.foreground() == int(window.handle))

            if not await self.wait_until(is_active, deadline_s=_ACTIVE_S):
                raise ActionDeadline(
                    f'"{window.name}" did not come to the front within {_ACTIVE_S:g} s.',
                    fix="Close the dialog that is in front of it.",
                )

    async def popups(self, window: TargetInfo) -> tuple[Rect, ...]:
        return tuple(Rect(*popup.rect) for popup in (await self._listing()).popups_of(window.pid))

    async def ask_to_close(self, window: TargetInfo, *, deadline_s: float = 3.0) -> bool:
        async with self._alone():
            try:
                await self._worker.run(partial(post, int(window.handle), _CLOSE), window)
            except ApplicationGone:
                return True

            async def is_gone() -> bool:
                return (await self._listing()).find(window.handle) is None

            return bool(await self.wait_until(is_gone, deadline_s=deadline_s))

    def note_file(self, window: TargetInfo, file: Path) -> None:
        self._files.note(window, file)

    def file_of(self, window: TargetInfo) -> ShownFile:
        return self._files.of(window)

    def is_writing(self, window: TargetInfo, file: Path) -> bool:  # noqa: ARG002 - the system does not say whose it is
        """True if any program has the file open for writing: nobody else may open it so then."""
        try:
            with file.open("r+b"):
                return False
        except PermissionError:
            return True
        except OSError:
            return False

    async def settle(
        self,
        window: TargetInfo | None = None,
        *,
        until: Until = Until.QUIET,
        quiet_s: float = 0.05,
        deadline_s: float = 3.0,
    ) -> Settled:
        self._require_open()
        began = monotonic()
        if until is not Until.QUIET:
            return Settled(Quiet.SETTLED, 0.0)  # these programs report no provisional state
        changed_at, last = began - quiet_s, ""
        await self._sample(window, pixels=True)
        with anyio.move_on_after(deadline_s):
            while True:
                sample = self._changes.last[window.handle if window else ""]
                if window and not sample.there:
                    return Settled(Quiet.GONE, monotonic() - began)
                await pause(min(_AGAIN_S, quiet_s))
                if await self._sample(window, pixels=True):
                    changed_at, last = monotonic(), "a change of its window"
                elif sample.answers and monotonic() - changed_at >= quiet_s:
                    return Settled(Quiet.SETTLED, monotonic() - began, last)
        return Settled(Quiet.DEADLINE, monotonic() - began, busy=(last or "the program does not answer",))


def argv_of(application: Application, file: Path | None) -> list[str]:
    """Return the argument vector that starts an application, with a document."""
    if file is None:
        return list(application.argv)
    argv = application.argv_with_file or (*application.argv, "{file}")
    return [part.replace("{file}", str(file)) for part in argv]


def _its_window(application: Application, pid: int) -> Callable[[TargetInfo], bool]:
    """True for a window of the process, or of another one that it handed over to, by its title."""
    title = re.compile(application.window) if application.window else None

    def is_its(window: TargetInfo) -> bool:
        if title is not None:
            return title.search(window.name) is not None
        return window.pid == pid or window.application == PureWindowsPath(application.name).stem.lower()

    return is_its


def _bring_to_front(handle: int) -> None:
    if not dlls.is_window(handle):
        raise Gone(f"the window {handle} is gone")
    if dlls.is_minimized(handle):
        system.show_window(handle, _RESTORE)
    dlls.set_foreground(handle)
