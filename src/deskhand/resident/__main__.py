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

from deskhand.client.forward import SERVED
from deskhand.client.place import REGISTRY_VARIABLE, Place, find
from deskhand.config.sections import SystemSection
from deskhand.core.errors import DeskhandError
from deskhand.desktop.backends import list_named, open_desktop
from deskhand.resident.loaded_code import LoadedCode
from deskhand.resident.server import ResidentServer
from deskhand.session.user_guard_rules import watch_user

_BACKLOG: Final = 128


def main(name: str, announcing: int) -> None:
    """Serve the desktop of this name, unless another process does; write a line to `announcing` when it answers."""
    place = find(name, os.environ.get(REGISTRY_VARIABLE, ""))
    if place is None:
        sys.exit(f"desktop {name!r} is not in the registry")
    lock = os.open(place.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    try:
        anyio.run(_serve, place, lock, announcing)
    except DeskhandError as error:
        sys.exit(error.message)


async def _serve(place: Place, lock: int, announcing: int) -> None:
    """Raises: DesktopGone, UsageError (the desktop has ended)."""
    for verb in SERVED:
        importlib.import_module(f"deskhand.cli.{verb}")
    code = LoadedCode()
    display = next((each.display for each in await list_named() if each.name == place.name), "")
    async with open_desktop(place.name, releases=True) as desktop:
        await watch_user(desktop, SystemSection())  # in a viewer; clients that want anything else are declined
        await ResidentServer(desktop, display, code).serve(_listening(Path(place.socket), lock, announcing))


@contextmanager
def _listening(path: Path, lock: int, announcing: int) -> Generator[socket.socket]:
    """Listen at a socket; the end of that releases the lock, too."""
    path.unlink(missing_ok=True)  # of a server that was killed
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
        os.write(announcing, b"ready\n")
        os.close(announcing)
        try:
            yield listener
        finally:
            path.unlink(missing_ok=True)
            os.close(lock)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
