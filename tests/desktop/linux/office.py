"""One LibreOffice for the documents of many tests."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import anyio

from deskhand.core.errors import DesktopError
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from documents import Text, write_odt

_WRITER: Final = Application("writer", ("soffice", "--writer"), ("soffice", "--writer", "{file}"), "Writer$")
_PATIENCE_S: Final = 40.0
_CLOSING_S: Final = 1.0


@asynccontextmanager
async def office_desktop(folder: Path) -> AsyncGenerator[LinuxDesktop]:
    """A desktop with LibreOffice, which stays while one document is open that no test touches."""
    async with linux_desktop(folder / "desktop") as desktop:
        await desktop.launch(_WRITER, write_odt(folder / "stays open.odt", Text("")))
        yield desktop


@asynccontextmanager
async def opened(desktop: LinuxDesktop, program: Application, file: Path | None) -> AsyncGenerator[TargetInfo]:
    """The window of a document, closed afterwards."""
    async with left_as_found(desktop):
        yield await desktop.launch(program, file)


@asynccontextmanager
async def left_as_found(desktop: LinuxDesktop) -> AsyncGenerator[None]:
    """Afterwards all windows that opened meanwhile are closed; nothing is saved. Raises: TimeoutError (one stays)."""
    before = {window.handle for window in await desktop.windows()}
    try:
        yield
    finally:
        with anyio.fail_after(_PATIENCE_S):
            while left := [window for window in await desktop.windows() if window.handle not in before]:
                dialogs = [window for window in left if not _is_document(window)]
                with suppress(DesktopError):  # the window closed meanwhile, or is busy: the next look decides
                    await _leave(desktop, (dialogs or left)[0])


def _is_document(window: TargetInfo) -> bool:
    return " - LibreOffice" in window.name


async def _leave(desktop: LinuxDesktop, window: TargetInfo) -> None:
    """A document is asked to close; a dialog is left by the answer that saves nothing where it asks, else by Escape."""
    if _is_document(window):
        await desktop.ask_to_close(window, deadline_s=_CLOSING_S)
        return
    seen = await desktop.observe(window, picture=False)
    answer = next((each for each in seen.controls if each.name in {"Don't Save", "Don’t Save"}), None)
    if answer is not None:
        await desktop.do_action(answer)
    else:
        await desktop.activate(window)
        await desktop.press([Chord("esc")])
    await desktop.settle(window)
