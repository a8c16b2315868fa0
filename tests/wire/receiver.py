"""A receiver of webhooks on the loopback: it keeps what it was sent, and answers as a test scripts."""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

from wire.serving import LoopbackServer, QuietHandler, serving

HANG = 0
"""In the place of a status: no answer until the client goes away."""


@dataclass(frozen=True)
class Delivery:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """`statuses` are given one after the other, the last one again and again."""

    address: str
    statuses: Sequence[int]
    came: list[Delivery] = field(default_factory=list[Delivery])
    gone: threading.Event = field(default_factory=threading.Event)

    def answer(self, delivery: Delivery) -> int:
        self.came.append(delivery)
        return self.statuses[min(len(self.came), len(self.statuses)) - 1]


class _Server(LoopbackServer):
    receiver: Receiver


class _Handler(QuietHandler):
    def do_POST(self) -> None:  # noqa: N802 - the name is the base class's
        receiver = cast("_Server", self.server).receiver  # whose handler this is
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        status = receiver.answer(Delivery(self.path, headers, body))
        if status == HANG:
            receiver.gone.wait(10.0)
            self.close_connection = True
            return
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("location", "/elsewhere")
        self.send_header("content-length", "0")
        self.end_headers()


@contextmanager
def receiving(*statuses: int) -> Generator[Receiver]:
    server = _Server(("127.0.0.1", 0), _Handler)
    server.receiver = Receiver(f"http://127.0.0.1:{server.server_port}", statuses or (204,))
    with serving(server, server.receiver.gone):
        yield server.receiver
