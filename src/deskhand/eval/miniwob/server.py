"""A server of MiniWoB++ pages on the loopback, and the episodes that it serves."""

import json
import secrets
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from mimetypes import guess_type
from socket import socket
from socketserver import BaseServer
from typing import Annotated, Final, Literal

from anyio import to_thread
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from deskhand.core.errors import UsageError
from deskhand.eval.miniwob.pages import Pages

LIMIT_S: Final = 24 * 3600
"""Time that a page gives an episode: a trial has a budget of its own."""

_MODE: Final = "train"
"""The part of a page's data that the package uses if nothing else is asked for."""
_HEAD: Final = "<head>"
_MOST_BYTES: Final = 65_536
_REPORT: Final = "report"
_STARTS_S: Final = 20.0


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Start(_Message):
    kind: Literal["start"]
    utterance: str


class _End(_Message):
    kind: Literal["end"]
    reward: float | int
    reason: str


class _Fault(_Message):
    kind: Literal["fault"]
    text: str


_MESSAGE: Final[TypeAdapter[_Start | _End | _Fault]] = TypeAdapter(
    Annotated[_Start | _End | _Fault, Field(discriminator="kind")]
)


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of an episode. `reward`: of the page, from -1 to 1, no time subtracted."""

    reward: float
    reason: str

    @property
    def passed(self) -> bool:
        return self.reward >= 1


@dataclass(slots=True)
class Episode:
    """One run of a task's page. Its first ending counts: a page that is loaded again starts the same problem.

    `faults`: errors of the page's scripts, and files that it misses.
    """

    task: str
    seed: str
    url: str
    ending: Ending | None = None
    faults: list[str] = field(default_factory=list[str])
    _utterance: str = ""
    _started: threading.Event = field(default_factory=threading.Event)
    _over: threading.Event = field(default_factory=threading.Event)

    async def utterance(self, timeout_s: float = _STARTS_S) -> str:
        """Wait until the page is open in a browser, and return its request. Raises: UsageError."""
        if not await _set(self._started, timeout_s):
            raise UsageError(f"the page of {self.task} did not start: {self.reason}", fix=f"open {self.url}")
        return self._utterance

    async def ended(self, timeout_s: float) -> Ending | None:
        """Wait for the page to end the episode; None if it has not by then."""
        await _set(self._over, timeout_s)
        return self.ending

    @property
    def is_open(self) -> bool:
        """True once the page was open in a browser."""
        return self._started.is_set()

    @property
    def reward(self) -> float | None:
        """The page's own reward; None as long as it gave none."""
        return self.ending.reward if self.ending else None

    @property
    def reason(self) -> str:
        """The page's verdict in a sentence."""
        if self.faults:
            return f"the page failed: {self.faults[0]}"
        if self.ending is None:
            return "the page did not end the episode" if self.is_open else "the page was not opened"
        return f"the page's reward is {self.ending.reward:g}" + (
            f": {self.ending.reason}" if self.ending.reason else ""
        )

    def note(self, message: bytes) -> None:
        """Take in a report of the page. Raises: ValidationError for anything else."""
        match _MESSAGE.validate_json(message):
            case _Start(utterance=utterance):
                self._utterance = utterance
                self._started.set()
            case _End(reward=reward, reason=reason) if self.ending is None:
                self.ending = Ending(float(reward), reason)
                self._over.set()
            case _Fault(text=text):
                self.faults.append(text)
            case _End():  # of an episode that began after the first one
                pass


async def _set(event: threading.Event, timeout_s: float) -> bool:
    return await to_thread.run_sync(event.wait, timeout_s, abandon_on_cancel=True)


class Server(ThreadingHTTPServer):
    """Serves each episode below a path of its own, so that no other page can report for it."""

    daemon_threads = True

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        self.episodes: dict[str, Episode] = {}
        super().__init__(("127.0.0.1", 0), partial(_Handler, self))

    def episode(self, task: str, seed: str | int) -> Episode:
        """Return a new episode, served from now on. The same seed makes the same problem. Raises: UsageError."""
        self.pages.require([task])
        token = secrets.token_hex(8)
        url = f"http://127.0.0.1:{self.server_port}/{token}/{self.pages.path(task)}"
        self.episodes[token] = episode = Episode(task, str(seed), url)
        return episode

    def drop(self, episode: Episode) -> None:
        """Serve an episode no longer."""
        self.episodes = {token: each for token, each in self.episodes.items() if each is not episode}


@contextmanager
def serving(pages: Pages) -> Generator[Server]:
    """Serve pages as long as the context lasts, on a free port of the loopback."""
    with Server(pages) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    timeout = 60.0

    def __init__(self, own: Server, request: socket, client: tuple[str, int], server: BaseServer) -> None:
        self._own = own  # the base class handles the request as it is made
        super().__init__(request, client, server)

    def do_GET(self) -> None:
        token, _, path = self.path.partition("?")[0].removeprefix("/").partition("/")
        episode = self._own.episodes.get(token)
        file = self._own.pages.file(path) if episode else None
        if episode is None or file is None:
            self._answer(HTTPStatus.NOT_FOUND, b"", "text/plain")
            return
        content = file.read_bytes()
        if file.suffix == ".html" and path == self._own.pages.path(episode.task):
            content = _with_script(content, episode.seed, f"/{token}/{_REPORT}")
        kind = guess_type(file.name)[0] or "application/octet-stream"
        self._answer(HTTPStatus.OK, content, f"{kind}; charset=utf-8" if kind.startswith("text/") else kind)

    def do_POST(self) -> None:
        token, _, path = self.path.removeprefix("/").partition("/")
        episode = self._own.episodes.get(token)
        length = int(self.headers.get("Content-Length") or 0)
        if episode is None or path != _REPORT or length > _MOST_BYTES:
            self._answer(HTTPStatus.NOT_FOUND, b"", "text/plain")
            return
        try:
            episode.note(self.rfile.read(length))
        except ValidationError:
            self._answer(HTTPStatus.BAD_REQUEST, b"", "text/plain")
        else:
            self._answer(HTTPStatus.OK, b"", "text/plain")

    def _answer(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Print nothing."""


def _with_script(page: bytes, seed: str, report: str) -> bytes:
    """Return a page with our script as its first; the rest is unchanged."""
    script = files("deskhand.eval.miniwob").joinpath("episode.js").read_text(encoding="utf-8")
    given = json.dumps({"seed": seed, "mode": _MODE, "limit": LIMIT_S * 1000, "report": report})
    tag = f'{_HEAD}<script data-episode="{escape(given)}">{script}</script>'
    return page.replace(_HEAD.encode(), tag.encode(), 1)
