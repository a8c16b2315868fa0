"""What the servers of tests have in common: a thread of their own, and silence."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class LoopbackServer(ThreadingHTTPServer):
    daemon_threads = True


class QuietHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Tests print nothing."""


@contextmanager
def serving(server: LoopbackServer, gone: threading.Event) -> Generator[None]:
    """Serves while it lasts; `gone` is set before it waits for the end, for those who hang."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        gone.set()
        server.shutdown()
        thread.join()
        server.server_close()
