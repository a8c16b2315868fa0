"""Requests to a Writer document, with all replies or an error."""

from collections.abc import Sequence
from time import monotonic

from deskhand.core.errors import (
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    DesktopError,
    DesktopGone,
    ElementStale,
)
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Reply, Transport


class Incomplete(Exception):
    """A reading that is not complete, or not of one moment, and has to start again. Never leaves this package."""


class Asker:
    """One transport with one deadline over all questions; `end` is a reading of `time.monotonic`."""

    def __init__(self, transport: Transport, end: float) -> None:
        self._transport = transport
        self._end = end

    @property
    def transport(self) -> Transport:
        return self._transport

    @property
    def left_s(self) -> float:
        """Seconds until the deadline, never negative."""
        return max(self._end - monotonic(), 0.0)

    async def ask(self, asked: Sequence[Call]) -> list[Reply]:
        """The answers, pipelined and in order.

        Raises: Incomplete (an object vanished, refused or was not answered for in time), ApplicationGone, DesktopGone.
        """
        replies = await self._transport.batch(asked, deadline_s=self.left_s)
        for reply in replies:
            if isinstance(reply, ElementStale | ActionRefused | ApplicationUnresponsive):
                raise Incomplete(reply.message)
            if isinstance(reply, DesktopError):
                raise reply
        return replies

    async def ask_leniently(self, asked: Sequence[Call]) -> list[Reply]:
        """The answers with refusals and vanished objects among them. Raises: ApplicationGone, DesktopGone."""
        replies = await self._transport.batch(asked, deadline_s=self.left_s)
        for reply in replies:
            if isinstance(reply, ApplicationGone | DesktopGone):
                raise reply
        return replies

    async def children(self, ref: Ref) -> list[Ref]:
        return calls.refs_in((await self.ask([calls.get_children(ref)]))[0])

    async def role(self, ref: Ref) -> int:
        return calls.int_in((await self.ask([calls.get_role(ref)]))[0])

    async def parent(self, ref: Ref) -> Ref | None:
        return calls.ref_in((await self.ask([ref.get(calls.ACCESSIBLE, "Parent")]))[0])

    async def texts(self, paragraphs: Sequence[Ref]) -> list[str]:
        return [calls.text_in(reply) for reply in await self.ask([calls.get_text(ref) for ref in paragraphs])]
