"""Parent of the content of a window, which it reports wrong."""

from collections.abc import Sequence
from typing import Final

from deskhand.core.errors import ElementStale
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.roles import FILLER, PANEL
from deskhand.desktop.linux.atspi.traversal import MANY

_BOXES: Final = frozenset({FILLER, PANEL})
_DEPTH: Final = 4
_WIDTH: Final = 20


async def container_of(
    content: Ref, child: Ref, frame: Ref, transport: Transport, deadline_s: float, *, in_gtk: bool
) -> Ref | None:
    """Return the parent of the content of a window, None if `child` only reports the content as its parent.

    The content reports the frame itself, and is in a box some levels below, or now and then below another window of
    the application. From 25.2 on it reports the box. A box of GTK inside the drawn part reports the content as its
    parent and is no child. `in_gtk`: the frame is drawn by GTK.

    Raises: ElementStale, DesktopGone.
    """
    # upstream: not reported
    # seen in: 7.4.7
    asked = [
        calls.get_children(content),
        calls.get_role(frame),
        calls.get_children(Ref(content.bus, calls.ROOT_PATH)),
    ]
    children, role, tops = await transport.batch(asked, deadline_s=deadline_s)
    if child not in calls.refs_in(children):
        return None
    if calls.int_in(role) in _BOXES:
        return frame
    windows = calls.refs_in(tops)[:MANY]
    top = windows if windows and frame not in windows else [frame]
    container = await _parent_below(top, content, transport, deadline_s) or frame
    if container == frame and in_gtk:
        raise ElementStale(
            f"{frame.path} of {frame.bus} is not the window that GTK shows.",
            fix="Observe the window again.",
        )  # an object of its own for the window, without the menu bar
    return container


async def _parent_below(level: Sequence[Ref], content: Ref, transport: Transport, deadline_s: float) -> Ref | None:
    for _ in range(_DEPTH):
        replies = await transport.batch([calls.get_children(ref) for ref in level], deadline_s=deadline_s)
        children = [calls.refs_in(reply)[:_WIDTH] for reply in replies]
        for ref, found in zip(level, children, strict=True):
            if content in found:
                return ref
        level = [ref for found in children for ref in found][:MANY]
    return None
