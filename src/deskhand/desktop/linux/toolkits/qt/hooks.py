"""Hooks of Qt 5 and Qt 6."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from deskhand.core.errors import ActionRefused, NotOffered
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply, Transport
from deskhand.desktop.linux.atspi.node import Node, Walk, is_flat
from deskhand.desktop.linux.atspi.node_requests import (
    Request,
    ask_labels,
    ask_tip,
    is_nameless_control,
    takes_label,
)
from deskhand.desktop.linux.atspi.roles import (
    CHECK_BOX,
    COLUMN_HEADER,
    COMBO_BOX,
    EXPANDABLE,
    EXPANDED,
    FOCUSED,
    LABEL,
    LAYERED_PANE,
    LIST,
    LIST_ITEM,
    PAGE_TAB,
    PAGE_TAB_LIST,
    RADIO_BUTTON,
    SELECTED,
    SPIN_BUTTON,
    TABLE_CELL,
    TREE,
    TREE_ITEM,
)
from deskhand.desktop.linux.atspi.toolkit import Ask, Toolkit, Visitor, visit_if_content_shows
from deskhand.desktop.linux.toolkits.qt.loose_menus import LooseMenus

_BOXES: Final = frozenset({CHECK_BOX, RADIO_BUTTON})
_MARK: Final = 20
"""Pixels at the left of a check box in which it has its mark."""

_REPORTING_ALL_STATES: Final = (6, 8)


class Qt(Toolkit):
    """Qt. Tool buttons that stay pressed are check boxes."""

    # All that follows describes Qt or works around it, in both versions unless one is named.
    # upstream: not reported
    # seen in: 5.15.8, 6.8.3
    asks_states_above = True
    tells_own_pixels = True
    scales_by_screen = True
    cuts_to_views = True
    cuts_to_all = True
    docks_windows = True
    hides_unplaced_views = True
    leaves_menus_out = True
    later_is_over = True
    lacks_actions = frozenset({LABEL, LIST_ITEM, TABLE_CELL, TREE_ITEM})
    """Labels can be focused by an action, and toggling an item selects it, or another one below an open branch."""

    def __init__(self, name: str = "", version: str = "", application: str = "") -> None:
        """From 6.8 on buttons report that they are checkable and that they have a menu; in 6.4 they do not."""
        super().__init__(name, version, application)
        self._menus = LooseMenus()
        if version.startswith("5."):
            self.renews_rows_in = frozenset({TREE})  # row by row in visible order, the headers before them
        found = re.match(r"(\d+)\.(\d+)\b", version)
        self.actions_follow_state = found is not None and (int(found[1]), int(found[2])) >= _REPORTING_ALL_STATES

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del version, application
        return name == "Qt"

    def state_in(self, said: int) -> int:
        """A partly checked element reports CHECKED as well, and a leaf of a tree EXPANDED."""
        said = super().state_in(said)
        return said if said & EXPANDABLE else said & ~EXPANDED

    async def complete(self, walk: Walk, transport: Transport, *, deadline_s: float) -> None:
        del transport, deadline_s
        _correct_tabs(walk.nodes)

    def visit_if_visible(self, node: Node, above: Node, visitor: Visitor) -> None:
        """A window inside another one does not report SHOWING unless it is in view as a whole, but its content does."""
        if above.role == LAYERED_PANE:
            visit_if_content_shows(node, visitor)

    def is_away(self, node: Node, above: Node) -> bool:
        """The list of a closed combo box reports SHOWING in 5.15."""
        is_closed = node.role == LIST and above.role == COMBO_BOX and node.rect.empty
        return is_closed or is_flat(node.rect)

    async def correct_cells(self, table: Ref, texts: Mapping[Ref, str], ask: Ask) -> dict[Ref, str]:
        """A table of 5.15 answers with a column header for cells that it cannot find, as for all but one in KRename."""
        del table
        roles = await ask([calls.get_role(ref) for ref in texts])
        if COLUMN_HEADER in map(calls.int_in, roles):
            raise ActionRefused("The table tells heads of columns for some of its cells.", fix="Read its picture.")
        return {}

    async def require_action(self, deed: Deed, ref: Ref, role: int, state: int, described: str) -> None:
        """A box that is checked by its action is checked without its program being notified."""
        await super().require_action(deed, ref, role, state, described)
        if role in _BOXES:
            raise NotOffered(f"{described} would be checked without its program hearing of it.", fix="Click it.")

    async def select_in_table(
        self, deed: Deed, ref: Ref, is_selected: Callable[[], Awaitable[bool]], described: str
    ) -> bool:
        """An item that is selected does not become the current one, whose page programs show, or which they open."""
        del deed, ref, is_selected
        raise ActionRefused(f"{described} would be marked, and not the one its program goes by.", fix="Click it.")

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        """A control has its label's text as a name of its own; a combo box without a label has its choice.

        One without a name has no label. A relation takes ten times as long as any other answer.
        """
        del visitor
        asked = [ask_tip(node)] if is_nameless_control(node) else []
        if node.role == SPIN_BUTTON and calls.VALUE in node.interfaces:
            asked += _ask_range(node)
        return [*asked, ask_labels(node)] if takes_label(node) and (node.name or node.role == COMBO_BOX) else asked

    async def part_to_hit(self, ref: Ref, role: Role, place: Rect, ask: Ask) -> Rect | None:
        """Only the mark of a box takes clicks, not the space behind its text. A group box has it beside its title."""
        if role not in {Role.CHECKBOX, Role.RADIO}:
            return None
        (count,) = await ask([ref.get(calls.ACCESSIBLE, "ChildCount")])
        right, bottom = place.left + _MARK, place.top + _MARK if calls.int_in(count) > 0 else place.bottom
        return Rect(place.left, place.top, min(right, place.right), min(bottom, place.bottom))

    async def find_menus(
        self, nodes: Sequence[Node], popups: Sequence[Rect], transport: Transport, *, deadline_s: float
    ) -> list[Ref]:
        return await self._menus.find(nodes, popups, transport, deadline_s=deadline_s)


def _ask_range(node: Node) -> tuple[Request, ...]:
    """A field of a date or a time reports 0 as its number, and as the least and the greatest one."""
    # upstream: not reported
    # seen in: 5.15.8, 6.8.3
    ends: list[float | None] = []

    def take(node: Node, reply: Reply) -> None:
        ends.append(calls.float_in(reply))
        if ends == [node.number, node.number]:
            node.number = None

    return tuple((node.ref.get(calls.VALUE, end), take) for end in ("MinimumValue", "MaximumValue"))


def _correct_tabs(nodes: Mapping[Ref, Node]) -> None:
    """The tab in front always reports FOCUSED; it has the focus only while its list of tabs reports it, too.

    In Qt 5 that is all that shows which tab is in front.
    """
    for node in nodes.values():
        tabs = nodes.get(node.parent) if node.parent and node.role == PAGE_TAB else None
        if tabs and tabs.role == PAGE_TAB_LIST and node.state & FOCUSED:
            node.state = (node.state | SELECTED) & ~(0 if tabs.state & FOCUSED else FOCUSED)
