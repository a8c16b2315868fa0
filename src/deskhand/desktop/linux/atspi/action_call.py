"""One action on an accessible object: all its calls share one deadline, and the calls sent are recorded."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from deskhand.core.errors import ActionDeadline, ActionRefused, ApplicationUnresponsive
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Body, Call, Post, Reply, Transport
from deskhand.desktop.linux.atspi.refusals import speaking_of

DEADLINE_S: Final = 5.0
"""Deadline of all accessibility calls of one action together."""

_SAME_TWICE: Final = frozenset({"AddRowSelection", "GrabFocus", "SelectChild", "Set", "SetTextContents"})
"""Members with the same effect once or twice."""

_FOLLOWING: Final = "reading it"


class Deed:
    """The calls of one action on the target `described`.

    Any of them raises: ActionDeadline (with the calls sent so far), ActionRefused, ElementStale, ApplicationGone.
    """

    def __init__(self, transport: Transport, described: str, *, deadline_s: float = DEADLINE_S) -> None:
        self._transport = transport
        self._described = described
        self._deadline_s = deadline_s
        self._end = monotonic() + deadline_s
        self._sent: list[str] = []

    def left_s(self, member: str) -> float:
        """Seconds that `member` may take, never 0. Raises: ActionDeadline (it is too late to begin)."""
        left = self._end - monotonic()
        if left <= 0:
            raise self._late(member)
        return left

    async def ask(self, call: Call) -> Body:
        """Make a call that changes nothing."""
        return await self._call(call, self.left_s(call.member))

    async def ask_all(self, asked: Sequence[Call]) -> list[Reply]:
        """As `ask`, all at once; errors other than that of the deadline are items of the answers."""
        if not asked:
            return []
        replies = await self._transport.batch(asked, deadline_s=self.left_s(asked[0].member))
        for call, reply in zip(asked, replies, strict=True):
            if isinstance(reply, ApplicationUnresponsive):
                raise self._late(call.member) from reply
        return replies

    async def follow(self, begin: Callable[[Post], None]) -> None:
        """As `ask_all`, for calls that follow from one another."""
        if await self._transport.stream(begin, deadline_s=self.left_s(_FOLLOWING)):
            raise self._late(_FOLLOWING)

    async def send(self, call: Call) -> Body:
        """Make a call that changes something."""
        left = self.left_s(call.member)
        self._sent.append(call.member)
        return await self._call(call, left)

    async def send_briefly(self, call: Call, patience_s: float) -> Body | None:
        """As `send`; None where there was no answer so soon."""
        left = self.left_s(call.member)
        self._sent.append(call.member)
        try:
            return await self._transport.call(call, deadline_s=min(left, patience_s))
        except ApplicationUnresponsive:
            return None

    async def attempt(self, call: Call) -> bool:
        """As `send`, for a call that may be refused. Return True if the application reports success."""
        try:
            return calls.true_in(await self.send(call))
        except ActionRefused:
            return False

    async def _call(self, call: Call, left: float) -> Body:
        try:
            with speaking_of(Ref(call.destination, call.path), self._described):
                return await self._transport.call(call, deadline_s=left)
        except ApplicationUnresponsive as error:
            raise self._late(call.member) from error

    def _late(self, member: str) -> ActionDeadline:
        sent = tuple(dict.fromkeys(self._sent))
        told = f"{' and '.join(sent)} had been sent" if sent else "nothing that changes it had been sent"
        safe = _SAME_TWICE.issuperset(sent)
        again = "trying again does no harm." if safe else "observe the window before trying again."
        return ActionDeadline(
            f"{self._described}: {member} did not end within the {self._deadline_s:g} s of the whole action; {told}.",
            fix=f"It may have happened; {again}" if sent else "Try again: nothing has happened.",
            sent=sent,
            retry_safe=safe,
        )


async def interfaces_of(deed: Deed, ref: Ref) -> tuple[str, ...]:
    """Return the interfaces of an object. Raises: as `Deed`."""
    return calls.strings_in(await deed.ask(calls.get_interfaces(ref)))


async def whole_text(deed: Deed, ref: Ref) -> str:
    """Return the text of an object up to its end. Raises: as `Deed`.

    Some toolkits do not understand -1 as the end, others return nothing for an end beyond it.
    """
    text = calls.text_in(await deed.ask(calls.get_text(ref)))
    if text:
        return text
    length = calls.int_in(await deed.ask(calls.get_text_length(ref)))
    return calls.text_in(await deed.ask(calls.get_text(ref, length))) if length > 0 else ""
