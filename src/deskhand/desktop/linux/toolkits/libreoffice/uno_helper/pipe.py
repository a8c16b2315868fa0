"""The pipe on which LibreOffice is asked to accept connections.

LibreOffice listens on a socket of its own for a second `soffice`, which hands its arguments over: these are sent here
without starting one, which would become a new LibreOffice where the first has just ended.

A pipe stays as long as LibreOffice does, and is used again: to withdraw one (`--unaccept`) makes LibreOffice wait for
its own threads while it holds the lock that they want, where an object has just been released.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

_HAND_OVER = "SingleOfficeIPC"
_LISTENS = "00010000"
"""The flag of a listening socket in /proc/net/unix."""
_GREETING = b"InternalIPC::SendArguments\0"
_DONE = b"InternalIPC::ProcessingDone\0"
_SPECIAL = str.maketrans({"\\": "\\\\", ",": "\\,"})


def office_socket(pid: int) -> str:
    """Path of the socket on which the process, a LibreOffice, takes arguments; empty if there is none."""
    return next((path for path in _listening(pid) if _HAND_OVER in path), "")


def open_pipe(pid: int, office: str, *, timeout_s: float) -> str:
    """Name of a pipe on which the process accepts connections: its own from before, else a new one.

    It may take a moment until a new one is there. Raises: OSError (TimeoutError: it does not answer).
    """
    prefix = _file_of(f"deskhand-{pid}-")
    if (file := next((path for path in _listening(pid) if path.startswith(prefix)), "")) and Path(file).exists():
        return file.removeprefix(_file_of(""))
    pipe = f"deskhand-{pid}-{token_hex(16)}"
    _hand_over(office, f"--accept={url_of(pipe)}", timeout_s)
    return pipe


def keep_to_oneself(pipe: str) -> None:
    """Only programs of the same user may connect."""
    Path(_file_of(pipe)).chmod(0o600)


def remove_left() -> None:
    """Remove the pipes of processes that were killed."""
    for file in Path(_file_of("")).parent.glob(f"{Path(_file_of('deskhand-')).name}*"):
        pid = file.name.rsplit("-", 2)[1]
        if not Path("/proc", pid).exists():
            file.unlink(missing_ok=True)


def url_of(pipe: str) -> str:
    """The connection as LibreOffice's options and addresses name it."""
    return f"pipe,name={pipe};urp"


def _file_of(pipe: str) -> str:
    return f"/tmp/OSL_PIPE_{os.getuid()}_{pipe}"  # noqa: S108 - not ours to choose


def _listening(pid: int) -> Iterator[str]:
    """Paths of the sockets on which the process listens; none if it has ended."""
    own: set[str] = set()
    try:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # it was closed meanwhile
                own.add(str(descriptor.readlink()))
        lines = [line.split(None, 7) for line in Path("/proc/net/unix").read_text(errors="replace").splitlines()]
    except OSError:
        return iter(())
    sockets = (fields for fields in lines if len(fields) == 8 and fields[3] == _LISTENS)
    return (fields[7].strip() for fields in sockets if f"socket:[{fields[6]}]" in own)


def _hand_over(office: str, argument: str, timeout_s: float) -> None:
    """`--nodefault`: it opens no window for it."""
    words = ("--nodefault", argument)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout_s)
        connection.connect(office)
        _receive(connection, _GREETING)
        message = "InternalIPC::Arguments0" + "".join("," + word.translate(_SPECIAL) for word in words)
        connection.sendall(message.encode() + b"\0")
        _receive(connection, _DONE)


def _receive(connection: socket.socket, expected: bytes) -> None:
    received = b""
    while not received.endswith(b"\0"):
        part = connection.recv(len(expected))
        if not part:
            raise ConnectionAbortedError(f"{expected!r} was expected, and {received!r} came")
        received += part
    if received != expected:
        raise ConnectionAbortedError(f"{expected!r} was expected, and {received!r} came")
