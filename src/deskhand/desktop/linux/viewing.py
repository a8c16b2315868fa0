"""A named desktop that is served to VNC viewers, whose users count as users of the desktop."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from anyio import CancelScope, create_task_group, move_on_after

from deskhand.core.errors import DesktopGone, LaunchFailed
from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER
from deskhand.desktop.linux.opening import RELEASE
from deskhand.desktop.linux.runtime.named_desktop import open_named
from deskhand.desktop.linux.runtime.vnc_server import (
    ServedDisplay,
    ViewerOptions,
    check_viewer_programs,
    serve_display,
)
from deskhand.desktop.processes import Holder

__all__ = ["Viewer", "ViewerOptions", "open_viewer"]

_RELEASE_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class Viewer:
    """A desktop that is served to viewers. `served` has the address, the password and the URL."""

    desktop: str
    served: ServedDisplay
    _display: str
    _release: Callable[[], Awaitable[None]] | None

    async def until_end(self) -> None:
        """Release what clients held that went, until the desktop ends.

        Raises: DesktopGone (it has), LaunchFailed (a program that serves it has).
        """
        reasons: list[str] = []
        async with create_task_group() as group:
            group.start_soon(self._release_left)
            reasons.append(await self.served.ended())
            group.cancel_scope.cancel()
        try:
            await DISPLAY_SERVER.check(self._display)
        except DesktopGone as error:
            fix = f"deskhand desktop start {self.desktop}"
            raise DesktopGone(f"desktop {self.desktop!r} has ended, and its viewer with it", fix=fix) from error
        raise LaunchFailed(f"the viewer of {self.desktop!r} has ended: {reasons[0]}", fix="Start it again.")

    async def _release_left(self) -> None:
        while self._release is not None:
            await self.served.client_gone()
            with suppress(DesktopGone):  # as its server ends
                await self._release()


@asynccontextmanager
async def open_viewer(name: str, options: ViewerOptions) -> AsyncGenerator[Viewer]:
    """Serve a named desktop to VNC viewers on loopback, until left or until this process dies.

    Everybody who acts there takes the input of its viewers for a user's, unless it is for viewing alone.
    Raises: UsageError (it is not up; the port is taken), MissingRequirement, DesktopBusy, DesktopGone, LaunchFailed.
    """
    check_viewer_programs(web=options.web)
    async with AsyncExitStack() as stack:
        desktop = await open_named(name, when_lost=() if options.view_only else RELEASE)
        stack.push_async_callback(desktop.close)
        release = None
        if not options.view_only:
            us = Holder(pid=os.getpid(), what=f"deskhand desktop vnc {name}", brief=True)
            release = await stack.enter_async_context(DISPLAY_SERVER.open_to_viewers(desktop.display, us))
            stack.push_async_callback(_released, release)
        served = await stack.enter_async_context(serve_display(desktop.display, desktop.environment, options))
        yield Viewer(name, served, desktop.display, release)


async def _released(release: Callable[[], Awaitable[None]]) -> None:
    with CancelScope(shield=True), move_on_after(_RELEASE_S), suppress(DesktopGone):
        await release()
