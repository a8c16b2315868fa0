"""The messages of one process on their way: beside its work, which they neither delay nor change."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final, TypeAlias

import anyio
from anyio.abc import TaskGroup

from deskhand.core.errors import ErrorInfo, NotificationFailed
from deskhand.notify.channels import Channel, Notifications
from deskhand.notify.message import Message

LAST_S: Final = 5.0
"""Time for messages that are under way when the work has ended."""
MOST_WAITING: Final = 100
"""Messages that wait for a slow channel; it gets none beyond these."""
Report: TypeAlias = Callable[[str, ErrorInfo], None]
"""Takes the name of a channel and its first failure."""


@asynccontextmanager
async def opened(
    wanted: Notifications, report: Report, *, now: Callable[[], float] = time.time
) -> AsyncGenerator["Outbox"]:
    """Return the outbox; on leaving, messages under way have `LAST_S` more, also where the work was cancelled."""
    error: Exception | None = None
    async with anyio.create_task_group() as group:
        outbox = Outbox(wanted, report, group, now)
        try:
            yield outbox
        except Exception as raised:  # noqa: BLE001 - raised below: the group would put it into another one
            error = raised
        finally:
            outbox.end()
    if error is not None:
        raise error


class Outbox:
    """Sends messages by all channels, each on its own: none waits for another. Use `opened`."""

    def __init__(self, wanted: Notifications, report: Report, group: TaskGroup, now: Callable[[], float]) -> None:
        self._section = wanted.section
        self._group = group
        self._now = now
        self._lanes = [_Lane(channel, report) for channel in wanted.channels()]
        self._waiting: anyio.CancelScope | None = None
        for lane in self._lanes:
            group.start_soon(lane.work)

    def send(self, message: Message) -> None:
        """Send a message of a kind that is wanted."""
        if message.kind in self._section.on:
            stamped = replace(message, at=self._now())
            for lane in self._lanes:
                lane.put(stamped)

    def send_end(self, message: Message, seconds: float) -> None:
        """Send the end of work that took so long."""
        if seconds >= self._section.end_after_s:
            self.send(message)

    def send_unless_answered(self, message: Message) -> None:
        """Send it when it has waited for `notify.wait_s`; `answered` ends the wait."""
        self.answered()
        if self._lanes:
            self._waiting = anyio.CancelScope(deadline=anyio.current_time() + self._section.wait_s)
            self._group.start_soon(self._send_later, message, self._waiting)

    def answered(self) -> None:
        """The question that waits has its answer."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def end(self) -> None:
        """Let each channel finish its messages."""
        self.answered()
        for lane in self._lanes:
            lane.end()

    async def _send_later(self, message: Message, scope: anyio.CancelScope) -> None:
        with scope:
            await anyio.sleep_forever()
        if self._waiting is scope:  # else it was answered
            self._waiting = None
            self.send(message)


class _Lane:
    """The messages that wait for one channel."""

    def __init__(self, channel: Channel, report: Report) -> None:
        self._channel = channel
        self._report = report
        self._send, self._receive = anyio.create_memory_object_stream[Message](MOST_WAITING)
        self._scope = anyio.CancelScope(shield=True)
        self._has_failed = False

    def put(self, message: Message) -> None:
        try:
            self._send.send_nowait(message)
        except anyio.WouldBlock:
            self._failed(NotificationFailed(f"{self._channel.name} is {MOST_WAITING} messages behind"))

    def end(self) -> None:
        self._send.close()
        self._scope.deadline = anyio.current_time() + LAST_S

    async def work(self) -> None:
        """Send them in order, until `end`, also while the work is cancelled."""
        with self._receive, self._scope:
            async for message in self._receive:
                try:
                    await self._channel.send(message)
                except NotificationFailed as error:
                    self._failed(error)
                except Exception as error:  # noqa: BLE001 - no fault here may end the work that it is beside
                    self._failed(NotificationFailed(f"{self._channel.name} failed: {type(error).__name__}: {error}"))
        if self._scope.cancelled_caught:
            self._failed(NotificationFailed(f"{self._channel.name} did not take the last messages in {LAST_S:g} s"))
        with anyio.CancelScope(shield=True):
            await self._channel.close()

    def _failed(self, error: NotificationFailed) -> None:
        """Report the first failure; more of the same would only hide it."""
        if not self._has_failed:
            self._has_failed = True
            self._report(self._channel.name, ErrorInfo.of(error))
