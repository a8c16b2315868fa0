"""The objects on a node: one for its folder and files, and one for each desktop; Ray makes their processes.

A session on a node ends when nobody has asked for its news for a while: the command was killed, or is cut off.
"""

import shutil
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import anyio
import platformdirs
from anyio import to_thread

from deskhand.core.errors import DeskhandError, ErrorInfo, StoreBusy
from deskhand.desktop.backends import Requirement
from deskhand.desktop.machine_check import machine_check
from deskhand.fleet.contents import ContentStore, Input
from deskhand.fleet.folder_copy import FolderTail
from deskhand.fleet.work import Asked, Begins, Place, Told, Updates, Withdrawn, Work
from deskhand.store.atomic_files import make_folder
from deskhand.store.journal import is_held
from deskhand.store.lock import FileLock

LOG_NAME: Final = "log"
INPUTS_NAME: Final = "inputs"
"""The folder of a task's files, beside its own."""
_LOCK_NAME: Final = ".lock"
_NEWS_S: Final = 0.5
"""The time after which a quiet task's folder is read again."""
_FULL: Final = 200
"""Messages in one answer."""


def _fleet_folder() -> Path:
    return platformdirs.user_state_path("deskhand") / "fleet"


class NodeAgent:
    """One for each node and batch: keeps the folder of the batch there, and the contents of files."""

    def __init__(self, name: str) -> None:
        """`name`: of the folder. Raises: StoreError."""
        self._folder = _fleet_folder() / name
        _remove_left_folders()
        make_folder(self._folder, private=True)
        self._lock = FileLock(self._folder / _LOCK_NAME, whose="this folder of a batch")
        self._contents = ContentStore(self._folder / "contents")

    async def check(self) -> tuple[Requirement, ...]:
        """The checks of `deskhand doctor` on this node."""
        return tuple(await machine_check())

    async def take(self, digest: str, offset: int, data: bytes, last: bool) -> None:
        """Raises: StoreError."""
        await to_thread.run_sync(self._contents.take, digest, offset, data, last)

    async def leave(self) -> None:
        """Remove the folder of the batch."""
        await to_thread.run_sync(_remove, self._folder)
        self._lock.release()


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _remove_left_folders() -> None:
    """Remove the folders of batches whose command was killed, unless a session still concludes there."""
    for lock in _fleet_folder().glob(f"*/{_LOCK_NAME}"):
        with suppress(StoreBusy):
            held = FileLock(lock, whose="this folder of a batch")
            if not any(is_held(log) for log in lock.parent.glob(f"tasks/*/{LOG_NAME}")):
                _remove(lock.parent)
            held.release()


@dataclass(slots=True)
class _Reports:
    """The messages of one task that nobody has fetched yet; implements `Reports`."""

    waiting: deque[Told | Asked | Withdrawn] = field(default_factory=deque[Told | Asked | Withdrawn])
    news: anyio.Event = field(default_factory=anyio.Event)
    answers: dict[int, object] = field(default_factory=dict[int, object])
    answered: dict[int, anyio.Event] = field(default_factory=dict[int, anyio.Event])
    number: int = 0

    def tell(self, message: object) -> None:
        self.put(Told(message))

    async def ask(self, question: object) -> object:
        self.number += 1
        number, event = self.number, anyio.Event()
        self.answered[number] = event
        self.put(Asked(number, question))
        try:
            await event.wait()
        except anyio.get_cancelled_exc_class():
            self.put(Withdrawn(number))
            raise
        return self.answers.pop(number)

    async def may_act(self) -> bool:
        return await self.ask(Begins()) is True

    def put(self, message: Told | Asked | Withdrawn) -> None:
        self.waiting.append(message)
        self.news.set()

    def answer(self, number: int, value: object) -> None:
        self.answers[number] = value
        if event := self.answered.pop(number, None):
            event.set()

    def taken(self) -> tuple[Told | Asked | Withdrawn, ...]:
        self.news = anyio.Event()
        taken = tuple(self.waiting.popleft() for _ in range(min(_FULL, len(self.waiting))))
        if self.waiting:
            self.news.set()
        return taken


class Slot:
    """One desktop of a node: carries out one task after the other. All methods run in one event loop."""

    def __init__(self, name: str, silence_s: float) -> None:
        """`silence_s`: a task is cancelled when nobody has fetched its news for this time."""
        self._batch = _fleet_folder() / name
        self._silence_s = silence_s
        self._reports = _Reports()
        self._tail: FolderTail | None = None
        self._scope: anyio.CancelScope | None = None
        self._cancelled = False
        self._name = ""
        self._ended: object = None
        self._has_ended = False
        self._asked = anyio.Event()
        # Processes made by `multiprocessing` would run the file of the main module, which is Ray's.
        vars(sys.modules["__main__"]).pop("__file__", None)

    async def folder(self) -> str:
        """The folder of the batch on this node."""
        return str(self._batch)

    async def run(self, name: str, work: Work, inputs: Sequence[Input]) -> None:
        """Carry out the work of a task to its end, which `updates` reports."""
        task = self._batch / "tasks" / name
        folder = task / "out"
        self._name, self._reports, self._tail = name, _Reports(), FolderTail(folder, LOG_NAME)
        self._has_ended, self._cancelled, self._scope = False, False, None
        try:
            self._ended = await self._result(task, work, inputs)
        except DeskhandError as error:
            self._ended = ErrorInfo.of(error)
        finally:
            self._has_ended = True
            self._reports.news.set()

    async def _result(self, task: Path, work: Work, inputs: Sequence[Input]) -> object:
        contents = ContentStore(self._batch / "contents")
        make_folder(task / "out", private=True)
        places = await to_thread.run_sync(contents.lay_out, inputs, task / "out", task / INPUTS_NAME)
        result: object = None
        async with anyio.create_task_group() as group:
            group.start_soon(self._watch)
            with anyio.CancelScope() as self._scope:
                if self._cancelled:
                    self._scope.cancel()
                try:
                    result = await work.carry_out(Place(task / "out", places), self._reports)
                except DeskhandError as error:
                    result = ErrorInfo.of(error)
            group.cancel_scope.cancel()
        return result

    async def _watch(self) -> None:
        """Cancel the work when nobody asks for its news any more."""
        while True:
            self._asked = anyio.Event()
            with anyio.move_on_after(self._silence_s) as silence:
                await self._asked.wait()
            if silence.cancelled_caught:
                await self.cancel()
                return

    async def updates(self, name: str) -> Updates:
        """Return the news of a task as soon as there are any, or after a moment."""
        self._asked.set()
        if not self._has_ended and not (self._tail and self._tail.is_behind):
            with anyio.move_on_after(_NEWS_S):
                await self._reports.news.wait()
        if self._tail is None or self._name != name:
            return Updates((), (), ended=False)
        ended = self._has_ended
        told = self._reports.taken()
        changes = await to_thread.run_sync(lambda tail=self._tail: tail.changes(ended=ended))
        complete = ended and not told and not changes
        return Updates(told, tuple(changes), ended=complete, result=self._ended if complete else None)

    async def answer(self, number: int, value: object) -> None:
        """Answer a question of the work."""
        self._reports.answer(number, value)

    async def cancel(self) -> None:
        """Cancel the work; it concludes first."""
        self._cancelled = True
        if self._scope is not None:
            self._scope.cancel()

    async def clear(self, name: str) -> None:
        """Remove the folder of a task that has ended."""
        await to_thread.run_sync(_remove, self._batch / "tasks" / name)
