"""A command line that the resident server of a desktop carries out.

The client sends one line of JSON. The server answers `accepted`, `instead REASON` where the command is for the
client's own process, or `ending REASON` where another server is to follow. Once accepted, the client sends three
streams with an empty line; earlier, a server that hangs would keep them open. In the end the server sends `exit CODE`.
A line `stop` of the client, and the end of its connection, stop the work.
"""

import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable, Sequence

from deskhand.client.place import Place

CODE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""Folder of the package that runs: a server of another one is not used."""
_ANSWER_S = 5.0
_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Call:
    """A command line that a server accepted. The methods raise OSError if the server is gone."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection

    def begin(self, streams: Sequence[int]) -> None:
        """Have it carried out with these descriptors as stdin, stdout and stderr."""
        socket.send_fds(self.connection, [b"\n"], list(streams))
        self.connection.settimeout(None)

    def stop(self) -> None:
        """Have the work stopped; its exit code still comes."""
        self.connection.sendall(b"stop\n")

    def exit_code(self) -> int | None:
        """Wait for the exit code; None if the server ended before."""
        try:
            answer, _, code = _line(self.connection).partition(" ")
        except OSError:
            return None
        return int(code) if answer == "exit" else None


def ask(place: Place, arguments: Sequence[str]) -> Call | str | None:
    """Offer a command line to the server of a desktop.

    Return the call if it is accepted, the reason if it is not, and None where there is no server.
    """
    try:
        folder = os.getcwd()
    except OSError:  # deleted, which the command reports
        return None
    connection = _connected(place)
    if connection is None:
        return None
    request = {
        "code": CODE,
        "arguments": list(arguments),
        "folder": folder,
        "umask": _umask(),
        "environment": {name: value for name, value in os.environ.items() if _is_sent(name)},
        "encodings": [sys.stdin.encoding, sys.stdout.encoding, sys.stderr.encoding],
    }
    try:
        connection.sendall(json.dumps(request).encode() + b"\n")
        answer, _, reason = _line(connection).partition(" ")
        if answer == "accepted":
            return Call(connection)
        if answer == "ending":
            sys.stderr.write(f"deskhand: {reason}\n")
            reason = ""
    except ConnectionError:  # it ended
        reason = ""
    except OSError as error:
        reason = f"the server of desktop {place.name!r} does not answer ({error})"
    connection.close()
    return reason or None


def stop_by_signals(stop: Callable[[], None]) -> None:
    """Have the first signal stop the work, whose result still comes; the second ends this process."""

    def handle(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        try:
            stop()
        except OSError:
            return

    for number in _STOPS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handle)


def restore_signals() -> None:
    """Undo `stop_by_signals`."""
    for number in _STOPS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def _connected(place: Place) -> socket.socket | None:
    """Return a connection to the server, which is of our user; None where none answers."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(_ANSWER_S)
    try:
        connection.connect(place.socket)
        if _user_of(connection) == os.getuid():
            return connection
    except OSError:
        pass
    connection.close()
    return None


def _user_of(connection: socket.socket) -> int:
    size = struct.calcsize("3i")
    return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))[1]


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _is_sent(variable: str) -> bool:
    return variable == "HOME" or variable.startswith(("DESKHAND_", "XDG_"))


def _line(connection: socket.socket) -> str:
    """Read one short line; the server sends nothing after it before we do. Empty at the end. Raises: OSError."""
    heard = b""
    while not heard.endswith(b"\n") and (data := connection.recv(1 << 12)):
        heard += data
    return heard.decode(errors="replace").strip()
