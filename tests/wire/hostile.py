"""Servers that answer with anything but an answer: bytes as a test gives them, to whoever asks."""

import ssl
import subprocess
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from socket import SHUT_RDWR, socket
from socketserver import BaseRequestHandler, ThreadingTCPServer

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"
Bytes = Callable[[threading.Event], Iterable[bytes]]
"""What is sent, piece by piece; the event is set when the test is over."""


class _Server(ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True
    answer: Bytes
    gone: threading.Event
    tls: ssl.SSLContext | None = None

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is what is tested."""


class _Handler(BaseRequestHandler):
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride] - it is only ever made with this one

    def handle(self) -> None:
        line: socket = self.request
        if self.server.tls is not None:
            line = self.server.tls.wrap_socket(line, server_side=True)
        line.settimeout(10)
        heard = b""
        while b"\r\n\r\n" not in heard:
            heard += line.recv(65536)
        with suppress(OSError):
            for piece in self.server.answer(self.server.gone):
                line.sendall(piece)
            line.shutdown(SHUT_RDWR)


@contextmanager
def hostile(answer: Bytes, *, tls: ssl.SSLContext | None = None) -> Generator[str]:
    """The address of a server that answers so."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.answer, server.gone, server.tls = answer, threading.Event(), tls
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.gone.set()
        server.shutdown()
        thread.join()
        server.server_close()


def nobodys_certificate(folder: Path) -> ssl.SSLContext:
    """A certificate that nobody but its owner vouches for."""
    key, certificate = folder / "key.pem", folder / "cert.pem"
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    subprocess.run(
        [*make, "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
        timeout=30,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context
