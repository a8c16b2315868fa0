"""A copy of the document of a window, written by its application and read by us: the state that would be saved."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from deskhand.commands.effects.sheet_copy import SheetCopy, read_sheet
from deskhand.desktop.protocols.application_interface import ApplicationInterface

_COPY_S: Final = 20.0


@asynccontextmanager
async def copied(interface: ApplicationInterface) -> AsyncGenerator[Path]:
    """The file with the copy; it is removed afterwards. Raises: as `ApplicationInterface.change`."""
    with TemporaryDirectory(prefix="deskhand-copy-") as folder:
        file = Path(folder, "copy")
        await interface.change("copy", path=str(file), deadline_s=_COPY_S)
        yield file


async def copied_sheet(interface: ApplicationInterface, name: str, rows: range, columns: range) -> SheetCopy:
    """An area of a sheet. Raises: ActionRefused; as `ApplicationInterface.change`."""
    async with copied(interface) as file:
        return read_sheet(file, name, rows, columns)
