"""Open Linux desktops: a new virtual one, a named one, or the one on a display; lock their pointer and keyboard."""

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from deskhand.core.errors import DesktopGone
from deskhand.desktop.linux.atspi.toolkit import Toolkit
from deskhand.desktop.linux.default_display_server import DISPLAY_SERVER
from deskhand.desktop.linux.desktop import LinuxDesktop, attach, open_linux
from deskhand.desktop.linux.runtime.attach import check_display, find_running
from deskhand.desktop.linux.runtime.named_desktop import list_named, open_named
from deskhand.desktop.linux.runtime.virtual_desktop import start_virtual
from deskhand.desktop.processes import Holder

_PATIENCE_S: Final = 10.0
"""Timeout for another holder's single actions to end."""
RELEASE: Final = ("-m", "deskhand.desktop.linux.release")
"""Command of Python; the display is added."""


@asynccontextmanager
async def open_virtual(
    name: str, root: Path, size: tuple[int, int], holder: str, toolkits: Sequence[type[Toolkit]] = ()
) -> AsyncGenerator[LinuxDesktop]:
    """Start and open a private desktop; leaving ends it and removes `root` if that is empty.

    `toolkits`: asked for applications before ours.

    Raises: MissingRequirement, DesktopStartFailed, DesktopGone, DesktopBusy.
    """
    async with AsyncExitStack() as stack:
        stack.callback(_remove_empty, root)
        virtual = await start_virtual(name, root=root, size=size)
        try:
            await stack.enter_async_context(locked(virtual.display, holder, brief=False))
        except BaseException:
            await virtual.close()
            raise
        desktop = await open_linux(virtual, toolkits=toolkits)
        stack.push_async_callback(desktop.close)
        yield desktop


@asynccontextmanager
async def open_running(
    choice: str, holder: str, toolkits: Sequence[type[Toolkit]] = (), *, brief: bool, releases: bool
) -> AsyncGenerator[LinuxDesktop]:
    """Open a desktop that is up, by its name or its display (`:N`); leaving closes the connections and nothing else.

    `releases`: what this process has pressed is released if it is killed.
    Raises: UsageError (there is none), DesktopBusy, DesktopGone.
    """
    named = next((each for each in await list_named() if choice in {each.name, each.display}), None)
    on_display = named is None and choice.startswith(":")
    async with AsyncExitStack() as stack:
        if holder and on_display:
            await check_display(choice)
        if named or on_display:
            await stack.enter_async_context(locked(named.display if named else choice, holder, brief=brief))
        desktop = await (
            _open_display(choice, toolkits)
            if on_display
            else _open_named(named.name if named else choice, toolkits, release=releases)
        )
        stack.push_async_callback(desktop.close)
        yield desktop


async def _open_display(display: str, toolkits: Sequence[type[Toolkit]]) -> LinuxDesktop:
    return await attach(await find_running(display, os.environ), shared=True, toolkits=toolkits)


async def _open_named(name: str, toolkits: Sequence[type[Toolkit]], *, release: bool) -> LinuxDesktop:
    """`release`: if this process is killed, the desktop's guardian has keys and buttons released that it left down."""
    virtual = await open_named(name, when_lost=RELEASE if release else ())
    try:
        return await open_linux(virtual, toolkits=toolkits)
    except DesktopGone as error:
        raise DesktopGone(
            f"a part of desktop {name!r} is gone: {error.message}",
            fix=f"deskhand desktop stop {name}, which ends its programs, then deskhand desktop start {name}",
        ) from error


@asynccontextmanager
async def locked(display: str, holder: str, *, brief: bool, pid: int | None = None) -> AsyncGenerator[None]:
    """Hold a display's pointer and keyboard; without a `holder` nothing is locked. `pid`: the process to be stopped by
    others who want them, by default this one.
    """
    if not holder:
        yield
        return
    named = Holder(pid=pid or os.getpid(), what=holder, brief=brief)
    async with DISPLAY_SERVER.hold(display, named, patience_s=_PATIENCE_S):
        yield


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
