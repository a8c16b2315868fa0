"""Connects a client of the Model Context Protocol, at our stdin and stdout, with the resident server of its desktop.

If the server ends, the relay attaches to the next one: it repeats the messages that began the session, and answers
the calls that were open, or that come while there is no server, with an error.
"""

import json
import os
import re
import select
import socket
import sys
from collections.abc import Sequence

from deskhand.client.call import Call, ask, stop_by_signals
from deskhand.client.place import place_of
from deskhand.client.start import start

_PIECE = 1 << 16
_START_S = 10.0
_ID = re.compile(rb'"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)')
_HEAD = 400
"""The first bytes of an answer, which have its id; a picture makes an answer long."""
_BEGINNING = ("initialize", "notifications/initialized")
_WITHDRAWN = "notifications/cancelled"
_ERROR = -32603
"""The protocol's number of an internal error."""
_LOST = "ServerLost: the desktop's server ended during this call: its effect is unknown; observe the window first"
_NONE = (
    "DesktopGone: no server of the desktop can be reached, nothing was sent; deskhand desktop list shows the desktops"
)


class _Server:
    """The server that is attached to: the call of `mcp`, and the stream of its messages."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.stream, theirs = socket.socketpair()
        with theirs:
            call.begin((theirs.fileno(), theirs.fileno(), 2))
        self._rest = b""

    def messages(self) -> list[bytes]:
        """Return the whole lines that have come; none at the end. Raises: OSError."""
        while data := self.stream.recv(_PIECE):
            *lines, self._rest = (self._rest + data).split(b"\n")
            if lines:
                return lines
        return []

    def close(self) -> None:
        self.stream.close()
        self.call.connection.close()


def relay(arguments: Sequence[str]) -> int | None:
    """Serve until the client closes its end; return the exit code, or None where this process is to serve by itself."""
    server = _attached(arguments, wait_s=_START_S)
    return _Relay(arguments, server).run() if server else None


class _Relay:
    """`_open` are the calls without an answer: id → method, as JSON. `_earlier`: number of servers that were lost.

    Each server counts its questions anew: the answer to a question of a lost one would approve another action.
    """

    def __init__(self, arguments: Sequence[str], server: _Server) -> None:
        self._arguments = arguments
        self._server: _Server | None = server
        self._beginning: list[bytes] = []
        self._open: dict[bytes, str] = {}
        self._hidden = b""
        self._earlier = 0
        self._rest = b""
        self._code: int | None = None

    def run(self) -> int:
        stop_by_signals(self._stop)
        try:
            self._pass_on()
        except BrokenPipeError:  # the client reads no more
            if self._server is not None:
                self._server.stream.close()
                self._code = self._server.call.exit_code()
        if self._server is not None:
            self._server.close()
        return self._code or 0

    def _pass_on(self) -> None:
        """Raises: BrokenPipeError."""
        while self._code is None:
            poll = select.poll()
            poll.register(0, select.POLLIN)
            poll.register(1, 0)  # reports that the client reads no more
            if self._server is not None:
                poll.register(self._server.stream, select.POLLIN)
            self._take({descriptor for descriptor, _ in poll.poll()})

    def _take(self, ready: set[int]) -> None:
        """Raises: BrokenPipeError."""
        if self._server is not None and self._server.stream.fileno() in ready:
            self._take_answers(self._server)
        elif 0 in ready:
            self._take_calls()
        else:
            raise BrokenPipeError

    def _take_answers(self, server: _Server) -> None:
        try:
            messages = server.messages()
        except OSError:
            messages = []
        for message in messages:
            number = _id_of(message)
            self._open.pop(number, None)
            if number and number == self._hidden:
                self._hidden = b""
            else:
                _write(self._with_own_id(message))
        if not messages:
            self._code = server.call.exit_code()
            if self._code is None:
                self._lose(_LOST)

    def _take_calls(self) -> None:
        data = os.read(0, _PIECE)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in filter(bytes.strip, lines):
            self._note(line)
            if (own := self._as_asked(line)) is not None:
                self._send(own)
        if data:
            return
        if self._server is None:
            self._code = 0
        else:
            self._server.stream.shutdown(socket.SHUT_WR)
            self._drain(self._server)

    def _drain(self, server: _Server) -> None:
        """Pass on the last answers of the server to a client that asks no more."""
        while self._code is None and self._server is server:
            self._take_answers(server)

    def _send(self, line: bytes) -> None:
        try:
            if self._server is None:
                self._attach_again(line)
            if self._server is not None:
                self._server.stream.sendall(line + b"\n")
        except OSError:
            self._code = self._server.call.exit_code() if self._server is not None else None
            if self._code is None:  # else it refused to go on, as after a message that is too long
                self._lose(_LOST)

    def _attach_again(self, line: bytes) -> None:
        """Raises: OSError."""
        self._server = _attached(self._arguments, wait_s=_START_S)
        if self._server is None:
            self._lose(_NONE)
            return
        beginning = [each for each in self._beginning if each != line]
        self._hidden = _as_json(json.loads(beginning[0]).get("id")) if beginning else b""
        for each in beginning:
            self._server.stream.sendall(each + b"\n")

    def _with_own_id(self, message: bytes) -> bytes:
        """Return a message; the id of a question is made one that no question of an earlier server had."""
        if not self._earlier or b'"method"' not in message[:_HEAD]:
            return message
        asked = json.loads(message)
        if "id" in asked:
            asked["id"] = self._prefix + json.dumps(asked["id"])
        elif asked.get("method") == _WITHDRAWN:
            asked["params"]["requestId"] = self._prefix + json.dumps(asked["params"]["requestId"])
        return json.dumps(asked).encode()

    def _as_asked(self, line: bytes) -> bytes | None:
        """Return a message of the client; an answer with the server's own id, None if an earlier server asked."""
        if not self._earlier:
            return line
        try:
            message = json.loads(line)
            number, is_answer = str(message.get("id")), "method" not in message
        except (ValueError, AttributeError):
            return line  # the server answers it with an error
        if not is_answer:
            return line
        if not number.startswith(self._prefix):
            return None
        return json.dumps({**message, "id": json.loads(number.removeprefix(self._prefix))}).encode()

    @property
    def _prefix(self) -> str:
        return f"server {self._earlier + 1}: "

    def _note(self, line: bytes) -> None:
        """Store the messages that began the session, and the open calls."""
        try:
            message = json.loads(line)
            method, number = message.get("method"), message.get("id")
        except (ValueError, AttributeError):
            return  # the server answers it with an error
        if method in _BEGINNING:
            self._beginning = [*([] if method == _BEGINNING[0] else self._beginning), line]
        if method and number is not None:
            self._open[_as_json(number)] = method

    def _lose(self, why: str) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
            self._earlier += 1
        for number, method in self._open.items():
            _write(b'{"jsonrpc":"2.0","id":%s,%s}' % (number, json.dumps(_failed(method, why)).encode()[1:-1]))
        self._open = {}

    def _stop(self) -> None:
        if self._server is None:
            sys.exit(0)
        self._server.call.stop()


def _failed(method: str, why: str) -> dict[str, object]:
    if method == "tools/call":
        return {"result": {"content": [{"type": "text", "text": why}], "isError": True, "resultType": "complete"}}
    return {"error": {"code": _ERROR, "message": why}}


def _id_of(message: bytes) -> bytes:
    """The id of a message as JSON; empty for a request of the server, and without one."""
    head = message[:_HEAD]
    found = _ID.search(head)
    return _as_json(json.loads(found[1])) if found and b'"method"' not in head else b""


def _as_json(number: object) -> bytes:
    return json.dumps(number).encode()


def _write(message: bytes) -> None:
    data = memoryview(message + b"\n")
    while data:
        data = data[os.write(1, data) :]


def _attached(arguments: Sequence[str], *, wait_s: float) -> _Server | None:
    """Attach to the server of a desktop that is up, which is started if there is none; None without one."""
    place = place_of(arguments, os.environ)
    if place is None:
        return None
    call = ask(place, arguments)
    if call is None and start(place, wait_s=wait_s):
        call = ask(place, arguments)
    if isinstance(call, str):
        sys.stderr.write(f"deskhand: {call}: done without it\n")
    try:
        return _Server(call) if isinstance(call, Call) else None
    except OSError:
        return None
