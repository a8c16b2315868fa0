"""Run the resident server of a desktop: `python -m deskhand.resident NAME`. Its guardian starts it, and ends it."""

import fcntl
import importlib
import os
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio

from deskhand.client.forward import FORWARDED
from deskhand.client.place import REGISTRY_VARIABLE, Place, find
from deskhand.core.errors import DeskhandError
from deskhand.desktop.backends import list_named, open_desktop
from deskhand.resident.loaded_code import LoadedCode
from deskhand.resident.server import ResidentServer

_BACKLOG: Final = 128


def main(name: str) -> None:
    """Serve the desktop of this name, unless another process does."""
    place = find(name, os.environ.get(REGISTRY_VARIABLE, ""))
    if place is None:
        sys.exit(f"desktop {name!r} is not in the registry")
    lock = os.open(place.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    try:
        anyio.run(_serve, place)
    except DeskhandError as error:
        sys.exit(error.message)


async def _serve(place: Place) -> None:
    """Raises: DesktopGone, UsageError (the desktop has ended)."""
    for verb in FORWARDED:
        importlib.import_module(f"deskhand.cli.{verb}")
    code = LoadedCode()
    display = next((each.display for each in await list_named() if each.name == place.name), "")
    async with open_desktop(place.name, releases=True) as desktop:
        with _listening(Path(place.socket)) as listener:
            await ResidentServer(desktop, display, code).serve(listener)


@contextmanager
def _listening(path: Path) -> Generator[socket.socket]:
    path.unlink(missing_ok=True)  # of a server that was killed
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
        try:
            yield listener
        finally:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    main(sys.argv[1])
