"""Hooks of GTK 4."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed, whole_text
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Transport
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.atspi.node_requests import (
    Request,
    ask_labels,
    ask_placeholder,
    ask_tip,
    is_nameless_control,
    is_nameless_field,
    takes_label,
)
from deskhand.desktop.linux.atspi.roles import (
    LABEL,
    PRESSED,
    PUSH_BUTTON,
    SHOWING,
    TOGGLE_BUTTON,
    TOOL_TIP,
    VISIBLE,
)
from deskhand.desktop.linux.atspi.toolkit import Toolkit, Visitor
from deskhand.desktop.linux.toolkits.gtk4.content_names import (
    disable_below,
    head_columns,
    may_have_doubled,
    name_by_content,
    undouble,
)
from deskhand.desktop.linux.toolkits.gtk4.hidden_pages import cut_pages_behind
from deskhand.desktop.linux.toolkits.gtk4.hidden_text import take_length, take_shown
from deskhand.desktop.linux.toolkits.gtk4.padding import add_padding

_WIDGET_CLASS: Final = re.compile(r"(?:Gtk|Adw)([A-Z][a-z]+)+")
_TOOLTIP_CLASS: Final = "GtkTooltipWindow"


class Gtk4(Toolkit):
    """GTK 4. Entries that hide their text without `GtkPasswordEntry` have the role of plain ones.

    In the list of all elements the parent of a notebook's content is its page, which is its sibling in the tree.
    """

    # All that follows describes GTK 4 or works around it, in both versions unless one is named.
    # upstream: not reported; window coordinates also seen in https://github.com/trycua/cua/pull/1931
    # seen in: 4.8.3, 4.18.6
    has_complete_list = True
    shown = SHOWING | VISIBLE
    """Only windows report SHOWING."""

    asks_states_above = True
    places_in_window = True
    space = calls.WINDOW
    """Asked for places on the screen, 4.8 returns those in the window and prints a warning, 4.18 returns (0, 0)."""

    tells_own_pixels = True
    scales_whole = True
    cuts_to_views = True
    shows_what_is_scrolled_away = True
    tells_hits = True
    lacks_actions = frozenset({LABEL})
    """Labels list actions to cut text and to open links, whatever they contain."""

    holds_controls_in_rows = True

    def __init__(self, name: str = "", version: str = "", application: str = "") -> None:
        super().__init__(name, version, application)
        self._is_before_4_10 = re.match(r"4\.\d\b", version) is not None
        self._leaves_out_padding = not self._is_before_4_10

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del application
        return name == "GTK" and version.startswith("4.")

    async def prepare(self, walk: Walk, transport: Transport, *, deadline_s: float) -> None:
        await cut_pages_behind(walk.nodes, transport, self.space, deadline_s=deadline_s)
        name_by_content(walk.nodes)

    async def complete(self, walk: Walk, transport: Transport, *, deadline_s: float) -> None:
        del transport, deadline_s
        disable_below(walk.nodes)
        head_columns(walk.nodes)
        undouble(walk.nodes.values())

    def place(self, walk: Walk) -> frozenset[Ref]:
        if self._leaves_out_padding and not walk.is_line:
            add_padding(walk.nodes)
        return frozenset()

    def ask_text(self, node: Node, visitor: Visitor) -> Request:
        """A text is requested up to its last character: -1 is not understood as the end."""
        if calls.EDITABLE_TEXT in node.interfaces:
            return calls.get_shown_line(node.ref), partial(take_shown, visitor)
        return calls.get_text_length(node.ref), partial(take_length, visitor)

    async def read_text(self, deed: Deed, ref: Ref, role: int, described: str) -> str:
        del role, described
        shown = calls.text_in(await deed.ask(calls.get_shown_line(ref)))
        if calls.is_hidden(shown):
            return ""
        text = await whole_text(deed, ref)
        return "" if calls.is_other_than_shown(text, shown) else text

    def identify(self, role: int, state: int, name: str) -> tuple[int, str]:
        """A toggle button has the role of a push button up to 4.8, and only a toggle button reports PRESSED.

        One that is not pressed cannot be distinguished.
        """
        if self._is_before_4_10 and role == PUSH_BUTTON and state & PRESSED:
            role = TOGGLE_BUTTON
        elif name == _TOOLTIP_CLASS:
            role = TOOL_TIP
        return role, _without_class(name)

    def name_of(self, node: Node, said: str) -> str:
        del node
        return _without_class(said)

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        """A control has its label's text as a name of its own, but not the items of a popover in 4.18."""
        del visitor
        asked = [ask_labels(node)] if takes_label(node) or may_have_doubled(node.name) else []
        if is_nameless_control(node):
            asked.append(ask_tip(node))
        if is_nameless_field(node):
            asked.append(ask_placeholder(node))
        return asked

    def is_placed_by_others(self, target: TargetInfo) -> bool:
        del target
        return self._leaves_out_padding


def _without_class(name: str) -> str:
    """Return "" for the class of a widget, which is the name of those without one."""
    return "" if _WIDGET_CLASS.fullmatch(name) else name
