"""Texts of documents without words deleted under change tracking, and without the marks of content controls.

LibreOffice reports deleted words as part of a text; a text attribute marks them. A content control or an input field
has a mark before its text and one behind it.
"""

# upstream: not reported
# seen in: 7.4.7

from collections.abc import Mapping
from typing import Final

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Post, Reply
from deskhand.desktop.linux.atspi.node import TEXT_KEPT, Node
from deskhand.desktop.linux.atspi.roles import CONTENT_CONTROLS, TRACKED_CHANGES
from deskhand.desktop.linux.atspi.toolkit import Ask

_CHANGE: Final = "text-tracked-change"
_DELETED: Final = "deletion"
_CONTROLS: Final = "\u0001\u0003\u0004\u0005\u0006\u0007\u0008"
_MARKS: Final = dict.fromkeys(map(ord, _CONTROLS + calls.EMBEDDED))
_MOST_RUNS: Final = 500


class ExactText:
    """One text, read run by run: each has the same attributes throughout. Places count in units of 16 bits."""

    def __init__(self, ref: Ref, text: str) -> None:
        self._ref = ref
        self._units = text.encode("utf-16-le", "surrogatepass")
        self._exact = bytearray()
        self._at = 0
        self._runs = 0
        self.changed = self.deleted = False
        self.has_controls = any(mark in text for mark in _CONTROLS)

    @property
    def text(self) -> str:
        """The text, with whatever was not read yet."""
        units = bytes(self._exact) + self._units[2 * self._at :]
        return units.decode("utf-16-le", "surrogatepass").translate(_MARKS)

    @property
    def states(self) -> int:
        return (TRACKED_CHANGES if self.changed else 0) | (CONTENT_CONTROLS if self.has_controls else 0)

    def next(self) -> Call | None:
        """The request for the next run; None at the end."""
        is_done = 2 * self._at >= len(self._units) or self._runs >= _MOST_RUNS
        return None if is_done else calls.get_attribute_run(self._ref, self._at)

    def take(self, reply: Reply) -> None:
        change, (_, end) = calls.attributes_in(reply).get(_CHANGE, ""), calls.run_in(reply)
        if end <= self._at:
            end = len(self._units) // 2  # without an answer, such as of an object that is gone, the rest is as it is
        if change != _DELETED:
            self._exact += self._units[2 * self._at : 2 * end]
        self.changed, self.deleted = self.changed or bool(change), self.deleted or change == _DELETED
        self._at, self._runs = end, self._runs + 1


async def exact_texts(texts: Mapping[Ref, str], ask: Ask) -> dict[Ref, ExactText]:
    """Read texts exactly, all of them at once. Raises: as `ask`."""
    exact = {ref: ExactText(ref, text) for ref, text in texts.items()}
    while asked := [(each, call) for each in exact.values() if (call := each.next())]:
        for (each, _), reply in zip(asked, await ask([call for _, call in asked]), strict=True):
            each.take(reply)
    return exact


def read_exactly(node: Node, reply: Reply, post: Post) -> None:
    """Set the text of a node to the exact form of a reply, as it is read."""
    exact = ExactText(node.ref, calls.text_in(reply))

    def go_on() -> None:
        node.text = exact.text[:TEXT_KEPT]
        node.state |= exact.states
        if call := exact.next():
            post([call], take)

    def take(replies: list[Reply]) -> None:
        exact.take(replies[0])
        go_on()

    go_on()
