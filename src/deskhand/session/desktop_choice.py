"""Which desktop a session works on: a private one, or one that is already up, and who has its pointer and keyboard."""

import os
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from deskhand.core.errors import DesktopGone
from deskhand.desktop.base import Desktop

VIRTUAL = "virtual"
_PATIENCE_S = 10.0
"""How long another one's single actions are waited for."""


@asynccontextmanager
async def open_for_session(choice: str, session_id: str, root: Path) -> AsyncGenerator[Desktop]:
    """The desktop of `--desktop`, held for this session alone: `virtual`, a name, or a display.

    Raises: MissingRequirement, DesktopStartFailed, DesktopBusy, UsageError.
    """
    if choice != VIRTUAL:
        async with open_held(choice, f"session {session_id}", brief=False) as held:
            yield held
        return
    from deskhand.desktop.linux.desktop import open_linux  # noqa: PLC0415 - only sessions on Linux need the backend
    from deskhand.desktop.linux.runtime.virtual import start_virtual  # noqa: PLC0415 - as above

    async with AsyncExitStack() as stack:
        stack.callback(_remove_empty, root)
        virtual = await start_virtual(session_id, root=root)
        try:
            await stack.enter_async_context(_held(virtual.display, f"session {session_id}", brief=False))
        except BaseException:
            await virtual.close()
            raise
        desktop = await open_linux(virtual)
        stack.push_async_callback(desktop.close)
        yield desktop


@asynccontextmanager
async def open_held(choice: str, who: str, *, brief: bool) -> AsyncGenerator[Desktop]:
    """A desktop that is up, its pointer and keyboard held by `who` alone. `brief`: for one action only.

    Raises: UsageError (there is none), DesktopBusy, DesktopGone.
    """
    name = await _name_of(choice)
    async with AsyncExitStack() as stack:
        if display := await _display_of(name):
            await stack.enter_async_context(_held(display, who, brief=brief))
        yield await stack.enter_async_context(open_running(name))


def _held(display: str, who: str, *, brief: bool) -> AbstractAsyncContextManager[None]:
    from deskhand.desktop.linux.x11.input_lock import Holder, hold_display  # noqa: PLC0415 - only Linux has this backend

    return hold_display(display, Holder(pid=os.getpid(), what=who, brief=brief), patience_s=_PATIENCE_S)


@asynccontextmanager
async def open_running(choice: str) -> AsyncGenerator[Desktop]:
    """A desktop that is up, by its name or its display (`:N`); leaving lets go of it.

    Raises: UsageError (there is none), DesktopGone.
    """
    from deskhand.desktop.linux.desktop import attach  # noqa: PLC0415 - only Linux has this backend
    from deskhand.desktop.linux.runtime.attach import find_running  # noqa: PLC0415 - as above
    from deskhand.desktop.linux.runtime.named import open_named  # noqa: PLC0415 - as above

    name = await _name_of(choice)
    if name.startswith(":"):
        desktop = await attach(await find_running(name, os.environ), shared=True)
    else:
        virtual = await open_named(name)
        try:
            desktop = await attach(virtual, programs=virtual, on_close=virtual.close)
        except DesktopGone as error:
            raise DesktopGone(
                f"a part of desktop {name!r} is gone: {error.message}",
                fix=f"deskhand desktop stop {name}, which ends what runs on it, then deskhand desktop start {name}",
            ) from error
    try:
        yield desktop
    finally:
        await desktop.close()


def _remove_empty(folder: Path) -> None:
    """The folder of private desktops, where none of them left anything."""
    with suppress(OSError):
        folder.rmdir()


async def _display_of(name: str) -> str:
    """The display of a desktop by its name or display; empty where nothing is there: opening it will say so."""
    from deskhand.desktop.linux.runtime.attach import check_display  # noqa: PLC0415 - as above
    from deskhand.desktop.linux.runtime.named import list_named  # noqa: PLC0415 - only Linux has this backend

    if name.startswith(":"):
        await check_display(name)
        return name
    return next((desktop.display for desktop in await list_named() if desktop.name == name), "")


async def _name_of(choice: str) -> str:
    """The name of the named desktop on a display, where it is one of those; else the choice as it is."""
    from deskhand.desktop.linux.runtime.named import list_named  # noqa: PLC0415 - only Linux has this backend

    if not choice.startswith(":"):
        return choice
    return next((desktop.name for desktop in await list_named() if desktop.display == choice), choice)
