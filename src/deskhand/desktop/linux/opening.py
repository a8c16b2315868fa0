"""Open Linux desktops: a new virtual one, a named one, or the one on a display; lock their pointer and keyboard."""

import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from deskhand.core.errors import DesktopGone
from deskhand.desktop.linux.default_server import DISPLAY_SERVER
from deskhand.desktop.linux.desktop import LinuxDesktop, attach, open_linux
from deskhand.desktop.linux.runtime.attach import check_display, find_running
from deskhand.desktop.linux.runtime.named import list_named, open_named
from deskhand.desktop.linux.runtime.virtual import start_virtual
from deskhand.desktop.processes import Holder

_PATIENCE_S: Final = 10.0
"""Timeout for another holder's single actions to end."""


@asynccontextmanager
async def open_virtual(name: str, root: Path, size: tuple[int, int], holder: str) -> AsyncGenerator[LinuxDesktop]:
    """Start and open a private desktop; leaving ends it and removes `root` if that is empty.

    Raises: MissingRequirement, DesktopStartFailed, DesktopGone, DesktopBusy.
    """
    async with AsyncExitStack() as stack:
        stack.callback(_remove_empty, root)
        virtual = await start_virtual(name, root=root, size=size)
        try:
            await stack.enter_async_context(_locked(virtual.display, holder, brief=False))
        except BaseException:
            await virtual.close()
            raise
        desktop = await open_linux(virtual)
        stack.push_async_callback(desktop.close)
        yield desktop


@asynccontextmanager
async def open_running(choice: str, holder: str, *, brief: bool) -> AsyncGenerator[LinuxDesktop]:
    """Open a desktop that is up, by its name or its display (`:N`); leaving closes the connections and nothing else.

    Raises: UsageError (there is none), DesktopBusy, DesktopGone.
    """
    name = await _name_of(choice)
    async with AsyncExitStack() as stack:
        if holder and (display := await _display_of(name)):
            await stack.enter_async_context(_locked(display, holder, brief=brief))
        desktop = await (_open_display(name) if name.startswith(":") else _open_named(name))
        stack.push_async_callback(desktop.close)
        yield desktop


async def _open_display(display: str) -> LinuxDesktop:
    return await attach(await find_running(display, os.environ), shared=True)


async def _open_named(name: str) -> LinuxDesktop:
    virtual = await open_named(name)
    try:
        return await open_linux(virtual)
    except DesktopGone as error:
        raise DesktopGone(
            f"a part of desktop {name!r} is gone: {error.message}",
            fix=f"deskhand desktop stop {name}, which ends what runs on it, then deskhand desktop start {name}",
        ) from error


@asynccontextmanager
async def _locked(display: str, holder: str, *, brief: bool) -> AsyncGenerator[None]:
    """Hold a display's pointer and keyboard; without a `holder` nothing is locked."""
    if not holder:
        yield
        return
    async with DISPLAY_SERVER.hold(display, Holder(pid=os.getpid(), what=holder, brief=brief), patience_s=_PATIENCE_S):
        yield


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


async def _display_of(name: str) -> str:
    """Return the display of a desktop by its name or display; empty where there is none: opening it will raise.

    Raises: UsageError where no display of that form answers.
    """
    if name.startswith(":"):
        await check_display(name)
        return name
    return next((desktop.display for desktop in await list_named() if desktop.name == name), "")


async def _name_of(choice: str) -> str:
    """Return the name of the named desktop on a display, where it is one of those; else the choice unchanged."""
    if not choice.startswith(":"):
        return choice
    return next((desktop.name for desktop in await list_named() if desktop.display == choice), choice)
