"""Which desktop a session works on: a private one, or one that is already up."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from deskhand.desktop.base import Desktop

VIRTUAL = "virtual"


@asynccontextmanager
async def open_for_session(choice: str, session_id: str, root: Path) -> AsyncGenerator[Desktop]:
    """The desktop of `--desktop`: `virtual`, or the name of one that is up, held for this session alone.

    Raises: MissingRequirement, DesktopStartFailed, DesktopBusy, UsageError.
    """
    from deskhand.desktop.linux import named  # noqa: PLC0415 - only sessions on Linux need the backend
    from deskhand.desktop.linux.desktop import attach, open_linux  # noqa: PLC0415 - as above
    from deskhand.desktop.linux.virtual import start_virtual  # noqa: PLC0415 - as above

    async with AsyncExitStack() as stack:
        if choice == VIRTUAL:
            desktop: Desktop = await open_linux(await start_virtual(session_id, root=root))
        else:
            stack.enter_context(named.hold(choice))
            virtual = await named.open_named(choice)
            desktop = await attach(virtual, programs=virtual, on_close=virtual.close)
        stack.push_async_callback(desktop.close)
        yield desktop
