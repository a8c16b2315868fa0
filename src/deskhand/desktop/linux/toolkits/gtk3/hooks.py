"""Hooks of GTK 3."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, Trait
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.check_cells import TOGGLE
from deskhand.desktop.linux.atspi.client import Reply, Transport
from deskhand.desktop.linux.atspi.node import OFF_SCREEN, TEXT_LIMIT, Node, Walk
from deskhand.desktop.linux.atspi.node_requests import (
    Request,
    ask_placeholder,
    ask_tip,
    is_nameless_control,
    is_nameless_field,
)
from deskhand.desktop.linux.atspi.roles import (
    CHECK_BOX,
    CHECKED,
    COMBO_BOX,
    MENU,
    MENU_BAR,
    MODAL,
    PAGE,
    PANEL,
    RADIO_BUTTON,
    SCROLL_PANE,
    SELECTABLE,
    SELECTED,
    SHOWING,
    TABLE_CELL,
    TOGGLE_BUTTON,
    UNTOLD,
    VIEWPORT,
    WINDOW,
    role_of,
)
from deskhand.desktop.linux.atspi.toolkit import Ask, Toolkit, Visitor, visit_if_content_shows
from deskhand.desktop.linux.toolkits.gtk3.dialog_calls import require_to_return
from deskhand.desktop.linux.toolkits.gtk3.label_links import complete_links


class Gtk3(Toolkit):
    """GTK 3."""

    # All that follows describes GTK 3 or works around it.
    # upstream: not reported
    # seen in: 3.24.38
    has_complete_list = True
    lists_children = True
    selects_open_menus = True
    asks_states_above = True
    tells_own_pixels = True
    scales_whole = True
    frames_have_borders = True
    asks_for_places = True
    cuts_to_views = True
    actions_follow_state = True
    holds_controls_in_rows = True
    exposes_ids = True
    later_is_over = True

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del application
        return name == "gtk" and version.startswith("3.")

    async def complete(self, walk: Walk, transport: Transport, *, deadline_s: float) -> None:
        for node in walk.nodes.values() if walk.is_line else ():
            _place_viewport(node, walk.nodes.get(node.parent) if node.parent else None)
        _mark_mute_checks(walk.nodes)
        await complete_links(walk.nodes.values(), transport, deadline_s=deadline_s)

    async def checks_in(self, cells: Sequence[Ref], ask: Ask) -> dict[Ref, bool]:
        """A check box does not report CHECKABLE while it is not checked; its action shows it."""
        checks = await super().checks_in(cells, ask)
        others = [ref for ref in cells if ref not in checks]
        replies = await ask([calls.get_actions(ref) for ref in others])
        offered = zip(others, map(calls.action_names_in, replies), strict=True)
        return checks | {ref: False for ref, names in offered if TOGGLE in {name.lower() for name in names}}

    async def require_action(self, deed: Deed, ref: Ref, role: int, state: int, described: str) -> None:
        await super().require_action(deed, ref, role, state, described)
        await require_to_return(deed, ref, role, described)

    async def select_in_table(
        self, deed: Deed, ref: Ref, is_selected: Callable[[], Awaitable[bool]], described: str
    ) -> bool:
        """A row that is only selected leaves the cursor behind, which some programs use, as the font chooser.

        If one of its cells takes the focus the row gets the cursor, and is selected with it.
        """
        del described
        return await deed.attempt(ref.call(calls.COMPONENT, "GrabFocus")) and await is_selected()

    def traits_of(self, node: Node, role: Role, print_: Fingerprint) -> frozenset[Trait]:
        """Some programs open the selected rows when any row is activated, as Thunar."""
        actions = {name.lower() for name in node.actions}
        activates = (
            node.role == TABLE_CELL and node.state & SELECTABLE and "activate" in actions and TOGGLE not in actions
        )
        own = frozenset({Trait.SELECT_TO_ACTIVATE}) if activates else frozenset[Trait]()
        return own | super().traits_of(node, role, print_)

    def visit_if_visible(self, node: Node, above: Node, visitor: Visitor) -> None:
        """A viewport that is scrolled by more than its height does not report SHOWING, but its content does."""
        if above.role == SCROLL_PANE:
            visit_if_content_shows(node, visitor)

    def is_away(self, node: Node, above: Node) -> bool:
        """That viewport has no place either."""
        _place_viewport(node, above)
        return super().is_away(node, above)

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        """A combo box without a text is named by its choice, if its model has one."""
        asked = [*super().ask_details(node, visitor)]
        if is_nameless_control(node) and role_of(node.role) is not Role.SLIDER:  # the description of that is its value
            asked.append(ask_tip(node))
        if is_nameless_field(node):
            asked.append(ask_placeholder(node))
        if node.role == COMBO_BOX and calls.TEXT not in node.interfaces:
            node.text = node.name
            asked.append((calls.get_chosen(node.ref), partial(_take_chosen, visitor)))
        return asked

    def place(self, walk: Walk) -> frozenset[Ref]:
        """A page of Evince that reports SHOWING has an extent as if the pages were smaller; it is in the view."""
        for node in walk.nodes.values():
            above = walk.nodes.get(node.parent) if node.parent else None
            if node.role == PAGE and node.state & SHOWING and above and node.rect.intersection(above.rect).empty:
                node.rect = above.rect
        return frozenset()

    def has_menus_around(self, above: int | None) -> bool:
        """Long menus scroll within these extents, while all items report SHOWING.

        The menu that a menu item or a menu button opens is left out between that and its items.
        """
        return above not in {MENU, MENU_BAR, TOGGLE_BUTTON, WINDOW}

    def scrolls_menus(self, nodes: Mapping[Ref, Node]) -> bool:
        """An open menu of a menu bar reports SELECTED; that of a combo box or a context menu is in its own window."""
        menus = [node for node in nodes.values() if node.role == MENU]
        tops = (nodes.get(menu.parent) if menu.parent else None for menu in menus)
        return any(top is not None and top.role == WINDOW for top in tops) or any(
            menu.state & SELECTED for menu in menus
        )


def _place_viewport(node: Node, above: Node | None) -> None:
    """Let a viewport without a place begin where its pane does."""
    if node.role == VIEWPORT and above is not None and above.role == SCROLL_PANE and node.rect.left == OFF_SCREEN:
        left, top = above.rect.left, above.rect.top
        node.rect = Rect(left, top, left + node.rect.width, top + node.rect.height)


def _take_chosen(visitor: Visitor, box: Node, reply: Reply) -> None:
    """Take the name of the choice: the box is named by the first text in it, which may not be displayed."""

    def take(replies: list[Reply]) -> None:
        box.text = calls.text_in(replies[0])[:TEXT_LIMIT] or box.text

    if chosen := calls.ref_in(reply):
        visitor.post([calls.get_name(chosen)], take)


def _mark_mute_checks(nodes: Mapping[Ref, Node]) -> None:
    """Mark the check items (`GtkModelButton`) of popovers, modal panels, which never report CHECKED.

    `nodes`: parents before children.
    """
    in_popovers = set[Ref]()
    for node in nodes.values():
        if node.parent in in_popovers or (node.role == PANEL and node.state & MODAL):
            in_popovers.add(node.ref)
            node.state |= 0 if node.role not in {CHECK_BOX, RADIO_BUTTON} or node.state & CHECKED else UNTOLD
