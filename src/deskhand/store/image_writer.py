"""Writer of a step's pictures and other files on a thread of its own, so that no step waits for them."""

import asyncio
import hashlib
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeAlias

import anyio
from PIL import Image

from deskhand.core.errors import DeskhandError, StoreError
from deskhand.core.events import ErrorData, Event, FilesWritten, ProblemMet
from deskhand.core.observation import Picture
from deskhand.core.ports import EventSink
from deskhand.store.atomic_files import write_atomic
from deskhand.store.png import encode_png

_LOG = logging.getLogger(__name__)

MakePicture: TypeAlias = Callable[[], Picture | Image.Image]
MakeFile: TypeAlias = Callable[[], Picture | Image.Image | bytes]
"""A picture, or the bytes of another file."""
_WAITING_PICTURES: Final = 8  # a full-screen picture is 6 MB until it is encoded
_CLOSE_S: Final = 30.0
_HASHES_AT_ONCE: Final = 50


class ImageWriter:
    """Writes pictures as PNG files, and other files as they are, in the order of submission, with one worker thread and
    a bounded queue.

    A picture that fails (a full disk, a drawing that raises) becomes a `ProblemMet` event, emitted on the event loop;
    it never fails a step. The hashes of what was written to `folder` become `FilesWritten` events, the last one when it
    closes. Used as `async with ImageWriter(events) as images`.
    """

    def __init__(self, events: EventSink, *, folder: Path | None = None, waiting: int = _WAITING_PICTURES) -> None:
        self._events = events
        self._folder = folder
        self._hashes: dict[str, str] = {}
        self._slots = anyio.Semaphore(waiting)
        self._pending = 0
        self._idle = anyio.Event()
        self._idle.set()
        self._lost: StoreError | None = None
        self._worker: ThreadPoolExecutor | None = None

    async def __aenter__(self) -> Self:
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="deskhand-pictures")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        await self.close()

    async def submit(self, path: Path, make: MakeFile) -> None:
        """Submit a picture or another file; return at once, or, if the queue is full, when there is room again.

        `make` is called on the worker thread: drawing labels belongs in it. It must not touch the desktop.
        Raises: StoreError if an earlier failure could not even be recorded in the journal, or the writer is closed.
        """
        self._raise_what_was_lost()
        await self._slots.acquire()
        if self._worker is None:
            self._slots.release()
            raise StoreError(f"The picture writer is closed; {path} was not written.")
        if self._pending == 0:
            self._idle = anyio.Event()
        self._pending += 1
        loop = asyncio.get_running_loop()
        future = self._worker.submit(_write, path, make)
        future.add_done_callback(lambda done: loop.call_soon_threadsafe(self._finished, path, done))

    async def drain(self) -> None:
        """Wait until everything submitted so far is written or has failed.

        Raises: StoreError if a failure could not be recorded in the journal.
        """
        await self._idle.wait()
        self._raise_what_was_lost()

    async def close(self) -> None:
        """Write the remaining files, even when cancelled, and end the thread. Closing twice is harmless."""
        worker, self._worker = self._worker, None
        if worker is None:
            return
        with anyio.move_on_after(_CLOSE_S, shield=True) as scope:
            await self._idle.wait()
        worker.shutdown(wait=not scope.cancelled_caught, cancel_futures=True)
        if scope.cancelled_caught:
            error = ErrorData(
                type="StoreError", message=f"{self._pending} pictures were not written in {_CLOSE_S:g} s."
            )
            self._tell(error)
        self._record_hashes()
        self._raise_what_was_lost()

    def _finished(self, path: Path, done: "Future[str]") -> None:
        self._slots.release()
        self._pending -= 1
        if not done.cancelled():
            if (error := done.exception()) is not None:
                self._tell(_error_data(path, error))
            elif self._folder is not None and path.is_relative_to(self._folder):
                self._hashes[path.relative_to(self._folder).as_posix()] = done.result()
        if len(self._hashes) >= _HASHES_AT_ONCE:
            self._record_hashes()
        if self._pending == 0:
            self._idle.set()

    def _record_hashes(self) -> None:
        files, self._hashes = self._hashes, {}
        if files:
            self._emit(FilesWritten(files=files))

    def _tell(self, error: ErrorData) -> None:
        _LOG.warning("%s %s", error.message, error.fix)
        self._emit(ProblemMet(where="pictures", error=error))

    def _emit(self, event: Event) -> None:
        try:
            self._events.emit(event)
        except StoreError as lost:
            self._lost = self._lost or lost

    def _raise_what_was_lost(self) -> None:
        lost, self._lost = self._lost, None
        if lost is not None:
            raise lost


def _write(path: Path, make: MakeFile) -> str:
    """Return the SHA-256 of the file."""
    made = make()
    if isinstance(made, bytes):
        data, doing = made, "write"
    else:
        data, doing = encode_png(made), "write the picture"
    write_atomic(path, data, doing=doing)
    return hashlib.sha256(data).hexdigest()


def _error_data(path: Path, error: BaseException) -> ErrorData:
    if isinstance(error, DeskhandError):
        return ErrorData.of(error)
    return ErrorData(type=type(error).__name__, message=f"{path.name} could not be made: {error}.")
