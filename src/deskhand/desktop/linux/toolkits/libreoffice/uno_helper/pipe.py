"""The pipe on which LibreOffice is asked to accept a connection, and to stop that again.

LibreOffice listens on a socket of its own for a second `soffice`, which hands its arguments over: these are sent here
without starting one, which would become a new LibreOffice where the first has just ended.
"""

import os
import socket
from contextlib import suppress
from pathlib import Path

_HAND_OVER = "SingleOfficeIPC"
_LISTENS = "00010000"
"""The flag of a listening socket in /proc/net/unix."""
_GREETING = b"InternalIPC::SendArguments\0"
_DONE = b"InternalIPC::ProcessingDone\0"
_SPECIAL = str.maketrans({"\\": "\\\\", ",": "\\,"})


def office_socket(pid: int) -> str:
    """Path of the socket on which the process, a LibreOffice, takes arguments; empty if there is none."""
    own: set[str] = set()
    try:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # it was closed meanwhile
                own.add(str(descriptor.readlink()))
        lines = [line.split(None, 7) for line in Path("/proc/net/unix").read_text(errors="replace").splitlines()]
    except OSError:
        return ""
    sockets = (fields for fields in lines if len(fields) == 8 and fields[3] == _LISTENS)
    found = (fields[7].strip() for fields in sockets if f"socket:[{fields[6]}]" in own)
    return next((path for path in found if _HAND_OVER in path), "")


def accept(office: str, pipe: str, *, timeout_s: float) -> None:
    """Let LibreOffice accept connections on the pipe. Raises: OSError (TimeoutError: it does not answer)."""
    _hand_over(office, f"--accept={url_of(pipe)}", timeout_s)


def withdraw(office: str, pipe: str, *, timeout_s: float) -> None:
    """Let it accept none any more, which ends those that there are; remove the pipe of one that has ended.

    Raises: OSError (TimeoutError: it does not answer).
    """
    try:
        _hand_over(office, f"--unaccept={url_of(pipe)}", timeout_s)
    except (ConnectionError, FileNotFoundError):
        Path(file_of(pipe)).unlink(missing_ok=True)


def url_of(pipe: str) -> str:
    """The connection as LibreOffice's options and addresses name it."""
    return f"pipe,name={pipe};urp"


def file_of(pipe: str) -> str:
    """Path of the pipe's socket, for programs of the same user alone."""
    return f"/tmp/OSL_PIPE_{os.getuid()}_{pipe}"  # noqa: S108 - not ours to choose


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
