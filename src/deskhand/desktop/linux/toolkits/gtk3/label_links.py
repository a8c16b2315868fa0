"""Links within a label: objects with neither name nor extents, but with their range in the label."""

# upstream: not reported
# seen in: 3.24.38

from collections.abc import Iterable, Sequence

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.client import Call, Reply, Transport
from deskhand.desktop.linux.atspi.coordinates import first_line
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import FOCUSED, LINK


async def complete_links(nodes: Iterable[Node], transport: Transport, *, deadline_s: float) -> None:
    """Give links the text and the extents that their label reports for their range.

    Those of a link over several lines are the extents of its first character: all of it would contain other text. A
    link that was chosen continues to report FOCUSED; it has the focus only while its label has. Raises: DesktopGone.
    """
    links = [(node, node.parent) for node in nodes if _is_bare(node) and node.parent]
    asked = [call for link, _ in links for call in (_offset(link, "StartIndex"), _offset(link, "EndIndex"))]
    offsets = [calls.int_in(reply, -1) for reply in await transport.batch(asked, deadline_s=deadline_s)]
    ranges = list(zip(links, offsets[::2], offsets[1::2], strict=True))
    known = [(link, label, start, end) for (link, label), start, end in ranges if 0 <= start < end]
    asked = [
        call
        for _, label, start, end in known
        for call in (
            label.call(calls.TEXT, "GetText", "ii", start, end),
            calls.get_range_extents(label, start, end, calls.SCREEN),
            calls.get_range_extents(label, start, start + 1, calls.SCREEN),
            calls.get_state(label),
        )
    ]
    replies = await transport.batch(asked, deadline_s=deadline_s)
    for (link, *_), answers in zip(known, _in_fours(replies), strict=True):
        _complete(link, *answers)


def _is_bare(node: Node) -> bool:
    return node.role == LINK and not node.name and node.rect.empty


def _offset(link: Node, which: str) -> Call:
    return link.ref.get(calls.HYPERLINK, which)


def _in_fours(replies: Sequence[Reply]) -> Iterable[tuple[Reply, Reply, Reply, Reply]]:
    return zip(replies[::4], replies[1::4], replies[2::4], replies[3::4], strict=True)


def _complete(link: Node, words: Reply, around: Reply, first: Reply, state: Reply) -> None:
    link.name = calls.text_in(words).strip()
    link.rect = first_line(calls.extents_in(around), calls.extents_in(first))
    if calls.has_bits(state) and not calls.bits_in(state) & FOCUSED:
        link.state &= ~FOCUSED
