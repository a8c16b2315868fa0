"""Hand a command line to the resident server of its desktop, with our streams, and wait for its exit code.

The client sends one line of JSON. The server answers `accepted`, or `instead REASON` where the command is for the
client's own process. Then the client sends its three streams with an empty line; earlier, a server that hangs would
keep them open. In the end the server sends `exit CODE`. A line `stop` of the client, and the end of its connection,
stop the work.
"""

import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Sequence

from deskhand.client.place import Place, place_of
from deskhand.client.start import is_wanted, start

READS = frozenset({"windows", "observe", "verify", "screenshot"})
FORWARDED = READS | {"act", "launch"}
_OWN_OPTIONS = frozenset({"--help", "--config"})
"""Options of commands that are not forwarded: those read a file of settings that the server does not have."""
_ANSWER_S = 5.0
CODE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""Folder of the package that runs: a server of another one is not used."""


class ServerLost(Exception):
    """The server ended in the middle of a command that may have changed something."""


def forward(arguments: Sequence[str]) -> int | None:
    """Return the exit code of a command line that a server carried out; None where it is for this process.

    Where there is no server, one is started for the next command. Raises: ServerLost.
    """
    verb = next((argument for argument in arguments if not argument.startswith("-")), "")
    if verb not in FORWARDED or not is_wanted(os.environ) or not _has_streams():
        return None
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if any(argument.partition("=")[0] in _OWN_OPTIONS for argument in own):
        return None
    place = place_of(arguments, os.environ)
    if place is None:
        return None
    connection = _connected(place)
    if connection is None:
        start(place)
        return None
    with connection:
        return _carried_out(connection, arguments, place, rerun=verb in READS and "--watch" not in own)


def _has_streams() -> bool:
    """False where one of our streams is closed."""
    try:
        return all(os.fstat(number) for number in (0, 1, 2))
    except OSError:
        return False


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


def _carried_out(connection: socket.socket, arguments: Sequence[str], place: Place, *, rerun: bool) -> int | None:
    """Raises: ServerLost."""
    request = {
        "code": CODE,
        "arguments": list(arguments),
        "folder": os.getcwd(),
        "environment": {name: value for name, value in os.environ.items() if _is_sent(name)},
        "encodings": [sys.stdin.encoding, sys.stdout.encoding, sys.stderr.encoding],
    }
    try:
        connection.sendall(json.dumps(request).encode() + b"\n")
        answers = connection.makefile("r", encoding="utf-8")
        answer, _, reason = answers.readline().rstrip("\n").partition(" ")
    except OSError as error:
        _note(f"the server of desktop {place.name!r} does not answer ({error}): done without it")
        return None
    if answer != "accepted":
        if reason:
            _note(f"{reason}: done without it")
        return None
    _stop_by_signals(connection)
    try:
        socket.send_fds(connection, [b"\n"], [0, 1, 2])
        connection.settimeout(None)
        answer, _, code = answers.readline().rstrip("\n").partition(" ")
    except OSError:
        answer = code = ""
    if answer == "exit":
        return int(code)
    for number in _STOPS:
        signal.signal(number, signal.SIG_DFL)
    if rerun:
        return None
    raise ServerLost


_STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _is_sent(variable: str) -> bool:
    return variable == "HOME" or variable.startswith(("DESKHAND_", "XDG_"))


def _stop_by_signals(connection: socket.socket) -> None:
    """Have the first signal stop the work, whose result still comes; the second ends this process."""

    def stop(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        try:
            connection.sendall(b"stop\n")
        except OSError:
            return

    for number in _STOPS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, stop)


def _note(what: str) -> None:
    sys.stderr.write(f"deskhand: {what}\n")
