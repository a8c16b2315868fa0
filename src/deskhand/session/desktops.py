"""Which desktop a session works on: a private one, or one that is already up."""

import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from deskhand.desktop.base import Desktop

VIRTUAL = "virtual"


@asynccontextmanager
async def open_for_session(choice: str, session_id: str, root: Path) -> AsyncGenerator[Desktop]:
    """The desktop of `--desktop`, held for this session alone: `virtual`, a name, or a display.

    Raises: MissingRequirement, DesktopStartFailed, DesktopBusy, UsageError.
    """
    from deskhand.desktop.linux import named  # noqa: PLC0415 - only sessions on Linux need the backend
    from deskhand.desktop.linux.desktop import open_linux  # noqa: PLC0415 - as above
    from deskhand.desktop.linux.virtual import start_virtual  # noqa: PLC0415 - as above

    async with AsyncExitStack() as stack:
        if choice == VIRTUAL:
            stack.callback(_remove_empty, root)
            desktop: Desktop = await open_linux(await start_virtual(session_id, root=root))
            stack.push_async_callback(desktop.close)
        else:
            name = await _name_of(choice)
            stack.enter_context(named.hold(name.replace(":", "display-")))
            desktop = await stack.enter_async_context(open_running(name))
        yield desktop


@asynccontextmanager
async def open_running(choice: str) -> AsyncGenerator[Desktop]:
    """A desktop that is up, by its name or its display (`:N`); leaving lets go of it.

    Raises: UsageError (there is none), DesktopGone.
    """
    from deskhand.desktop.linux.desktop import attach  # noqa: PLC0415 - only Linux has this backend
    from deskhand.desktop.linux.named import open_named  # noqa: PLC0415 - as above
    from deskhand.desktop.linux.running import find_running  # noqa: PLC0415 - as above

    name = await _name_of(choice)
    if name.startswith(":"):
        desktop = await attach(await find_running(name, os.environ), shared=True)
    else:
        virtual = await open_named(name)
        desktop = await attach(virtual, programs=virtual, on_close=virtual.close)
    try:
        yield desktop
    finally:
        await desktop.close()


def _remove_empty(folder: Path) -> None:
    """The folder of private desktops, where none of them left anything."""
    with suppress(OSError):
        folder.rmdir()


async def _name_of(choice: str) -> str:
    """The name of the named desktop on a display, where it is one of those; else the choice as it is."""
    from deskhand.desktop.linux.named import list_named  # noqa: PLC0415 - only Linux has this backend

    if not choice.startswith(":"):
        return choice
    return next((desktop.name for desktop in await list_named() if desktop.display == choice), choice)
