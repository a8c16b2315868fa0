"""One task on a desktop of a node, from the command's side: its messages, its questions, and the copy of its folder."""

import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from deskhand.core.errors import NodeLost, NodeSilent, StoreError
from deskhand.fleet.cluster import Actor
from deskhand.fleet.folder_copy import FolderCopy
from deskhand.fleet.work import Asked, Begins, Told, Updates, Withdrawn


@dataclass(frozen=True, slots=True)
class Patience:
    """`silence_s`: a node that is not heard for this time is lost, and one that does not hear of us cancels its tasks.

    `join_s`: how long tasks wait while no node can take them. `conclude_s`: time for a cancelled task to conclude.
    """

    silence_s: float = 60.0
    join_s: float = 60.0
    conclude_s: float = 60.0


class Follower(Protocol):
    """The command's side of one task."""

    def began(self, folder: str) -> None:
        """A desktop is about to begin the task, in this folder of its node."""
        ...

    def told(self, message: object) -> None:
        """The work sent a message."""
        ...

    async def answer(self, question: object) -> object:
        """Answer a question of the work."""
        ...


@dataclass(eq=False, slots=True)
class TaskRun:
    """One task on a desktop."""

    actor: Actor
    name: str
    follower: Follower
    copy: FolderCopy
    patience: Patience
    acted: bool = False
    cancelled_at: float | None = None
    has_ended: bool = False
    failure: StoreError | None = None
    """The folder here could not be written; the work was asked to conclude."""
    waits: dict[int, anyio.CancelScope] = field(default_factory=dict[int, anyio.CancelScope])

    async def follow(self, group: TaskGroup) -> Updates:
        """Take the news to the last; questions are answered in the group. Raises: NodeLost."""
        heard = time.monotonic()
        while True:
            try:
                with anyio.fail_after(self.patience.silence_s):
                    updates: Updates = await self.actor.call("updates", self.name)
                heard = time.monotonic()
            except NodeSilent as error:
                if time.monotonic() - heard > self.patience.silence_s:
                    raise NodeLost(error.message) from error
                continue
            except TimeoutError as error:
                raise NodeLost(f"it was not heard for {self.patience.silence_s:g} s") from error
            await self._take(updates, group)
            if updates.ended:
                return updates
            self._check_patience()

    def _check_patience(self) -> None:
        if self.cancelled_at is not None and time.monotonic() - self.cancelled_at > self.patience.conclude_s:
            raise NodeLost(f"its session did not conclude within {self.patience.conclude_s:g} s")

    async def _take(self, updates: Updates, group: TaskGroup) -> None:
        if self.failure is None:
            try:
                for change in updates.changes:
                    await to_thread.run_sync(self.copy.take, change)
            except StoreError as error:
                self.failure = error
                await self.cancel()
        for told in updates.told:
            match told:
                case Told():
                    self.follower.told(told.message)
                case Asked():
                    if isinstance(told.question, Begins):
                        self.acted = True
                    group.start_soon(self._answer, told)
                case Withdrawn():
                    if told.number in self.waits:
                        self.waits[told.number].cancel()

    async def _answer(self, asked: Asked) -> None:
        with anyio.CancelScope() as scope, suppress(NodeLost):
            self.waits[asked.number] = scope
            begins = isinstance(asked.question, Begins)
            value = self.cancelled_at is None if begins else await self.follower.answer(asked.question)
            await self.actor.call("answer", asked.number, value)

    async def cancel(self) -> None:
        """Ask the work to conclude."""
        if self.cancelled_at is None and not self.has_ended:
            self.cancelled_at = time.monotonic()
            with suppress(NodeLost):
                await self.actor.call("cancel")

    async def cancel_with_caller(self) -> None:
        """Wait; ask the work to conclude when the caller is cancelled."""
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await self.cancel()
