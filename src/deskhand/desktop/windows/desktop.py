"""The user's own desktop of Windows: the parts of the protocols together."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

import anyio
from anyio import to_thread

from deskhand.core.errors import DesktopError, InterfaceAbsent
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.application_interface import ApplicationInterface
from deskhand.desktop.user_guard import GuardRules
from deskhand.desktop.windows.accessibility_methods import AccessibilityMethods
from deskhand.desktop.windows.clipboard_methods import ClipboardMethods
from deskhand.desktop.windows.input_methods import InputMethods
from deskhand.desktop.windows.user_input import UserInput

_UNWATCHED = "the system does not report the user's input: it pauses nothing, and no key stops the work"


class WindowsDesktop(AccessibilityMethods, InputMethods, ClipboardMethods):
    """A `Desktop`: that of the user who runs this process."""

    def __init__(self) -> None:
        super().__init__()
        self._user_input: UserInput | None = None

    @property
    def environment(self) -> Mapping[str, str]:
        return {}

    @property
    def shared(self) -> bool:
        return True

    async def watch(self, rules: GuardRules, with_viewer: GuardRules | None = None) -> tuple[str, ...]:
        self._end_watch()
        self.guard.set_rules(rules, with_viewer or rules)
        if not rules.watches:
            return ()
        self._user_input = UserInput(self.guard)
        await to_thread.run_sync(self._user_input.start)
        return () if self._user_input.works else (_UNWATCHED,)

    def _end_watch(self) -> None:
        if self._user_input is not None:
            self._user_input.close()
            self._user_input = None

    @asynccontextmanager
    async def _no_interface(self, window: TargetInfo) -> AsyncGenerator[ApplicationInterface]:
        raise InterfaceAbsent(f'the program of "{window.name}" has no interface of its own')
        yield  # pragma: no cover - makes it a generator

    def application_interface(self, window: TargetInfo) -> AbstractAsyncContextManager[ApplicationInterface]:
        return self._no_interface(window)

    async def close(self) -> None:
        if self._closed:
            return
        with anyio.CancelScope(shield=True):
            with suppress(DesktopError):  # the system takes no input now: nothing is down there
                await self._release()
        self._end_watch()
        self._closed = True
        self._processes.close()


@asynccontextmanager
async def open_windows() -> AsyncGenerator[WindowsDesktop]:
    """Open the desktop of the user of this process; leaving closes nothing on it."""
    desktop = WindowsDesktop()
    try:
        yield desktop
    finally:
        await desktop.close()
