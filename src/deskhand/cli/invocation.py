"""One run of a command line: the process that asked for it, its streams, and the desktops it works on.

By default these are our own. The resident server of a desktop carries out command lines of other processes.
"""

import os
import sys
from collections.abc import Generator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TextIO, TypeVar

if TYPE_CHECKING:
    from anyio import Lock

    from deskhand.cli.work import Work
    from deskhand.core.ports import Interactor
    from deskhand.desktop.protocols.desktop import Desktop

T = TypeVar("T")


class Server(Protocol):
    """A resident server, as the command lines see it that it carries out."""

    def run(self, work: "Work[T]") -> None:
        """Return when the work has ended, or the process that asked for it has stopped it. Raises nothing."""
        ...

    @property
    def desktop(self) -> "Desktop":
        """Return the server's desktop, for reading."""
        ...

    def held_desktop(self, who: str) -> "AbstractAsyncContextManager[Desktop]":
        """Return the server's desktop with pointer and keyboard, for one action. Raises: DesktopBusy, DesktopGone."""
        ...

    def kept_desktop(self, who: str) -> "AbstractAsyncContextManager[Desktop]":
        """Return the server's desktop, and keep other processes off its pointer and keyboard. Raises: as above."""
        ...

    @property
    def turn(self) -> "Lock":
        """Held by the client that acts."""
        ...

    @property
    def is_alone(self) -> bool:
        """True if no other client keeps the desktop."""
        ...

    @property
    def in_foreground(self) -> bool:
        """False if the process that asked is stopped, or in the background of its terminal."""
        ...

    def asked(self, interactor: "Interactor") -> "Interactor":
        """Return an interactor that lets other clients act while it waits for the user."""
        ...


@dataclass(frozen=True, slots=True)
class Invocation:
    """`environment`, `folder` and `umask` are those of the process that asked; `server` is None in that process itself,
    and so is `umask`.
    """

    environment: Mapping[str, str]
    folder: Path
    stdin: TextIO
    stdout: TextIO
    stderr: TextIO
    server: Server | None = None
    umask: int | None = None

    def path(self, path: Path) -> Path:
        """Return a path of the command line, which may be relative, as absolute."""
        return self.folder / path


_CURRENT: Final[ContextVar[Invocation | None]] = ContextVar("invocation", default=None)


def invocation() -> Invocation:
    """Return the current run of a command line."""
    return _CURRENT.get() or Invocation(os.environ, _here(), sys.stdin, sys.stdout, sys.stderr)


def _here() -> Path:
    """Return our folder, also if it was deleted: then it is empty."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(os.environ.get("PWD", "/"))


@contextmanager
def invoked(by: Invocation) -> Generator[None]:
    """Run the code inside for another process."""
    token = _CURRENT.set(by)
    try:
        yield
    finally:
        _CURRENT.reset(token)
