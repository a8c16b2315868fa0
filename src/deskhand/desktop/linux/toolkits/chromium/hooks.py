"""Hooks of Chromium."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Trait
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed, whole_text
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply, Transport
from deskhand.desktop.linux.atspi.node import TEXT_LIMIT, Node, Stray, Walk
from deskhand.desktop.linux.atspi.node_requests import Request, ask_labelled, take_text
from deskhand.desktop.linux.atspi.popups import Popups, is_in_dropped_list
from deskhand.desktop.linux.atspi.roles import (
    COMBO_BOX,
    DEFUNCT,
    DOCUMENT_WEB,
    EDITABLE,
    ENABLED,
    EXPANDED,
    FOCUSABLE,
    LABEL,
    MENU,
    MENU_ITEM,
    PAGE_TAB,
    READ_ONLY,
    SHOWING,
    SPIN_BUTTON,
    STATIC,
    VISIBLE,
)
from deskhand.desktop.linux.atspi.toolkit import Ask, Toolkit, Visit, Visitor
from deskhand.desktop.linux.toolkits.chromium import spin_button
from deskhand.desktop.linux.toolkits.chromium.check_boxes import complete_boxes, hidden_boxes
from deskhand.desktop.linux.toolkits.chromium.combo_box import Choice
from deskhand.desktop.linux.toolkits.chromium.inline_links import part_of_link
from deskhand.desktop.linux.toolkits.chromium.omitted_content import content_left_out
from deskhand.desktop.linux.toolkits.chromium.out_of_flow import strays_in
from deskhand.desktop.linux.toolkits.chromium.popups import (
    enable_items,
    is_item_of_list,
    keep_to_frames,
    place_items,
)
from deskhand.desktop.linux.toolkits.chromium.whole_text import text_of_page

_SCROLLS: Final = "scrollDown"
"""An action of elements with more content than their size shows."""
_MEMORY: Final = re.compile(r" - (?:Memory|High memory) usage - [\d.,]+ [KMGT]?B\Z")


class Chromium(Toolkit):
    """Chromium. Each box of a page reports for itself if it is in view, wherever its parent is."""

    # All that follows works around differences of Chromium.
    # upstream: not reported
    # seen in: 156
    tells_own_pixels = True
    pages_in_pixels = True
    takes_points_in_pixels = True
    frames_popups = True
    scrolls_lists_untold = True
    shortens_selections = True
    counts_children = True
    tells_late = True
    tells_hits = True
    exposes_ids = True
    tells_of_clicks = True

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del version, application
        return name == "Chromium"

    lacks_actions = frozenset({STATIC})
    """Texts of a page list the actions of the elements around them."""

    unnamed_actions: Mapping[tuple[str, ...], tuple[str, ...]] = {("", ""): ("", "showContextMenu")}
    """The list has no names; of two actions the second is always the same."""

    def traits_of(self, node: Node, role: Role, print_: Fingerprint) -> frozenset[Trait]:
        """Of a list that scrolls, the items out of view are not visited."""
        scrolls = role is Role.LIST and _SCROLLS in node.actions
        return super().traits_of(node, role, print_) | ({Trait.PARTIAL_LIST} if scrolls else frozenset[Trait]())

    def visit_if_visible(self, node: Node, above: Node, visitor: Visitor) -> None:
        """Items of an open list do not report SHOWING if they reach out of the window."""
        if node.state & (VISIBLE | DEFUNCT) == VISIBLE and is_in_dropped_list(visitor.nodes, above):
            node.state |= SHOWING
            visitor.visit(node)
        elif node.state & VISIBLE:
            visitor.set_aside(node)

    def is_away(self, node: Node, above: Node) -> bool:
        """The chosen item of a closed combo box reports SHOWING, at a place that may be an old one."""
        return node.role in {MENU, MENU_ITEM} and above.role == COMBO_BOX and not above.state & EXPANDED

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        return (ask_labelled(node),) if node.role == LABEL else super().ask_details(node, visitor)

    def ask_text(self, node: Node, visitor: Visitor) -> Request:
        """Combo boxes and parts of dates and times may have an empty text, whatever they display; fields an old one."""
        if node.role == COMBO_BOX:
            return calls.get_text(node.ref), partial(_take_choice, visitor)
        if node.role == SPIN_BUTTON:
            return calls.get_text(node.ref), partial(_take_number if node.state & EDITABLE else _take_part, visitor)
        return calls.get_text(node.ref), take_text

    async def read_text(self, deed: Deed, ref: Ref, role: int, described: str) -> str:
        return await text_of_page(deed, ref, role, await whole_text(deed, ref), described)

    async def checks_in(self, cells: Sequence[Ref], ask: Ask) -> dict[Ref, bool]:
        """A cell is named by its content."""
        del cells, ask
        return {}

    async def require_action(self, deed: Deed, ref: Ref, role: int, state: int, described: str) -> None:
        if not state & ENABLED and state & FOCUSABLE and await is_item_of_list(deed, ref, role):
            return
        await super().require_action(deed, ref, role, state, described)

    async def part_to_hit(self, ref: Ref, role: Role, place: Rect, ask: Ask) -> Rect | None:
        return await part_of_link(ref, place, self.space, ask) if role is Role.LINK else None

    async def extend(self, walk: Walk, frame: Ref, visit: Visit, transport: Transport, *, deadline_s: float) -> str:
        content = await content_left_out(walk.nodes, frame, transport, space=self.space, deadline_s=deadline_s)
        if content is not None:
            stray = Stray(content, frame, walk.nodes[frame].children[0])
            walk.truncated = walk.truncated or await visit(strays=[stray])
        boxes = hidden_boxes(walk.nodes, walk.hidden)
        left_out = await visit(hidden=boxes) if boxes else ""
        if left_out or walk.is_long or not walk.hidden:
            return left_out
        strays = await strays_in(walk.nodes, walk.hidden, transport, deadline_s=deadline_s)
        while ready := [stray for stray in strays if stray.above in walk.nodes]:
            left_out = left_out or await visit(strays=ready)
            strays = [stray for stray in strays if stray not in ready]
        return left_out

    async def complete(self, walk: Walk, transport: Transport, *, deadline_s: float) -> None:
        await complete_boxes(walk.nodes, transport, deadline_s=deadline_s)

    def keep_to_frames(self, nodes: dict[Ref, Node], frames: Mapping[Ref, Rect]) -> dict[Ref, Node]:
        return keep_to_frames(nodes, frames)

    def place_dropped(self, nodes: Mapping[Ref, Node], lists: Sequence[Ref], popups: Popups) -> None:
        enable_items(nodes, lists)
        place_items(nodes, lists, popups)

    def confine(self, walk: Walk) -> frozenset[Ref]:
        for node in walk.nodes.values():
            node.name = self.name_of(node, node.name)
        if not walk.is_line and _has_silent_page(walk.nodes):
            walk.truncated = walk.truncated or "its page tells nothing yet, as one that other windows cover for long"
        return frozenset()

    def state_in(self, said: int) -> int:
        """A read-only element does not report ENABLED; a disabled one is not read-only and takes no focus."""
        said = super().state_in(said)
        read_only = READ_ONLY | FOCUSABLE
        return said | ENABLED if said & read_only == read_only else said

    def name_of(self, node: Node, said: str) -> str:
        """The name of a tab ends with its use of memory, which changes by itself; only the English text is removed.

        Tabs within a page are left as they are.
        """
        is_own = node.role == PAGE_TAB and not node.in_page
        return _MEMORY.sub("", said) if is_own else said

    def takes_keys_alone(self, state: int) -> bool:
        return not state & EDITABLE


def _has_silent_page(nodes: Mapping[Ref, Node]) -> bool:
    """True if a browser displays a page that exposes neither content nor size; a page within a page may have none."""
    for node in nodes.values():
        above = nodes.get(node.parent) if node.parent else None
        inner = above is not None and above.in_page
        if node.role == DOCUMENT_WEB and not inner and not node.children and node.rect.empty:
            return True
    return False


def _take_choice(visitor: Visitor, node: Node, reply: Reply) -> None:
    """Take the text of a combo box, or if that is nothing but its list, the name of the selected item."""

    def take(name: str) -> None:
        node.text = name[:TEXT_LIMIT]

    take_text(node, reply)
    if not node.text and calls.EMBEDDED in calls.text_in(reply):
        Choice(visitor.post, node.ref, take).read()


def _take_part(visitor: Visitor, node: Node, reply: Reply) -> None:
    """Take the text of a spin button, or if that is empty, the displayed form of its number."""

    def take(replies: list[Reply]) -> None:
        node.text = spin_button.shown(replies)[:TEXT_LIMIT]

    take_text(node, reply)
    if not node.text and calls.VALUE in node.interfaces:
        visitor.post(spin_button.ask_shown(node.ref), take)


def _take_number(visitor: Visitor, node: Node, reply: Reply) -> None:
    """Take the text of a number field, or the one displayed if that is old."""

    def take(replies: list[Reply]) -> None:
        node.text = spin_button.renewed(node.text, replies)

    take_text(node, reply)
    if node.text:
        visitor.post(spin_button.ask_shown(node.ref), take)
