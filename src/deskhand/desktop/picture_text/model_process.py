"""The models in a process of their own, which ends when no picture was read for a while: they take up to 300 MB.

A request and its answer are each a line of JSON; the pixels follow a request. Requests know nothing of each other.
"""

import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from threading import Thread
from typing import TYPE_CHECKING, BinaryIO, Final

from pydantic import BaseModel, ConfigDict

from deskhand.core.errors import MissingRequirement, TextsUnread
from deskhand.core.geometry import Rect
from deskhand.desktop.picture_text.models import FIX, Models, ReadLine, TextModels, is_installed

if TYPE_CHECKING:
    from deskhand.desktop.picture_text.models import Pixels

IDLE_S: Final = 60.0
"""The process ends when it was asked nothing for this long; to begin anew takes half a second."""
_ANSWER_S: Final = 10.0
_MODULE: Final = "deskhand.desktop.picture_text.model_process"
_BYTES: Final = 3


class _Request(BaseModel):
    """`task`: find the lines of a picture, or read the one that the picture is of. `shape`: rows and columns."""

    model_config = ConfigDict(frozen=True)

    task: str
    shape: tuple[int, int]


class _Answer(BaseModel):
    """The rectangles of lines, and their texts and scores where they were read; `problem`: a requirement is missing."""

    model_config = ConfigDict(frozen=True)

    places: tuple[tuple[int, int, int, int], ...] = ()
    texts: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    problem: str = ""


class ModelProcess:
    """The models, as `TextModels`, in a process that is started when there is none. Used by one thread at a time."""

    def __init__(self, argv: tuple[str, ...] = (sys.executable, "-P", "-m", _MODULE)) -> None:
        """Raises: MissingRequirement if the extra `vision` is not installed."""
        if not is_installed():
            raise MissingRequirement("texts of pictures cannot be read: the extra `vision` is not installed", fix=FIX)
        self._argv = argv
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The process; None where there is none, or it has ended."""
        return self._process.pid if self._process and self._process.returncode is None else None

    def find(self, pixels: "Pixels") -> list[Rect]:
        """As `TextModels.find`. Raises: MissingRequirement, TextsUnread."""
        return [Rect(*place) for place in self._asked("find", pixels).places]

    def read(self, pixels: "Pixels", place: Rect) -> ReadLine:
        """As `TextModels.read`. Raises: MissingRequirement, TextsUnread."""
        told = self._asked("read", pixels[place.top : place.bottom, place.left : place.right])
        return ReadLine(told.texts[0], Rect(*told.places[0]).moved(place.left, place.top), told.scores[0])

    def close(self) -> None:
        """End the process, and start no other."""
        self._is_closed = True
        self._end()

    def _end(self) -> None:
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.kill()
        self._socket = self._process = None

    def _asked(self, task: str, pixels: "Pixels") -> _Answer:
        """Ask the process, and a new one where it ended meanwhile. Raises: MissingRequirement, TextsUnread."""
        asked = _Request(task=task, shape=pixels.shape[:2]).model_dump_json().encode() + b"\n"
        answer = b""
        try:
            was_there = self._socket is not None
            answer = self._exchanged(asked, pixels.tobytes())
            if not answer and was_there:
                answer = self._exchanged(asked, pixels.tobytes())
        except TimeoutError:
            self._end()
        if not answer:
            raise TextsUnread("the process that reads pictures does not answer", fix="observe it again")
        told = _Answer.model_validate_json(answer)
        if told.problem:
            raise MissingRequirement(told.problem, fix=FIX)
        return told

    def _exchanged(self, asked: bytes, pixels: bytes) -> bytes:
        """The answer; empty if the process is gone. Raises: TimeoutError."""
        channel, answer = self._socket or self._started(), b""
        try:
            channel.sendall(asked)
            channel.sendall(pixels)
            while not answer.endswith(b"\n") and (data := channel.recv(1 << 16)):
                answer += data
        except TimeoutError:
            raise
        except OSError:  # it ended, or was closed
            answer = b""
        if answer.endswith(b"\n"):
            return answer
        self._end()
        return b""

    def _started(self) -> socket.socket:
        """Raises: TextsUnread after the end."""
        if self._is_closed:
            raise TextsUnread("the desktop was closed")
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(_ANSWER_S)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with theirs:
            self._process = subprocess.Popen(
                self._argv,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                cwd="/",
                env=environment,
                start_new_session=True,
            )
        Thread(target=self._process.wait, daemon=True).start()  # it may end at any time: nothing of it stays
        return self._socket


def serve(requests: FileIO, answers: BinaryIO, load: Callable[[], Models] = TextModels, idle_s: float = IDLE_S) -> None:
    """Answer requests until there are no more, or none comes for a while."""
    import numpy as np  # noqa: PLC0415 - an extra

    models: Models | None = None
    while select.select([requests], [], [], idle_s)[0] and (line := requests.readline()):
        request = _Request.model_validate_json(line)
        height, width = request.shape
        pixels = np.frombuffer(_read(requests, height * width * _BYTES), np.uint8).reshape(height, width, _BYTES)
        try:
            models = models or load()
            told = _answered(models, request.task, pixels)
        except (ImportError, MissingRequirement) as error:
            told = _Answer(problem=f"the extra `vision` cannot be loaded: {error}")
        answers.write(told.model_dump_json().encode() + b"\n")
        answers.flush()


def _answered(models: Models, task: str, pixels: "Pixels") -> _Answer:
    if task == "find":
        return _Answer(places=tuple(_edges(place) for place in models.find(pixels)))
    line = models.read(pixels, Rect(0, 0, pixels.shape[1], pixels.shape[0]))
    return _Answer(places=(_edges(line.rect),), texts=(line.text,), scores=(line.score,))


def _edges(place: Rect) -> tuple[int, int, int, int]:
    return place.left, place.top, place.right, place.bottom


def _read(requests: FileIO, count: int) -> bytes:
    """Raises: EOFError."""
    data = bytearray()
    while len(data) < count:
        piece = requests.read(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


if __name__ == "__main__":
    with suppress(EOFError, BrokenPipeError, ConnectionError):
        serve(FileIO(0, closefd=False), sys.stdout.buffer)
