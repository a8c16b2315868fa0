"""Hooks of LibreOffice."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, Trait
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.action_call import Deed
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Reply, Transport
from deskhand.desktop.linux.atspi.draft_controls import Draft
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.atspi.node_requests import Request, ask_labelled, ask_tip, is_nameless_button
from deskhand.desktop.linux.atspi.roles import (
    COMBO_BOX,
    DEFUNCT,
    DOCUMENT_SPREADSHEET,
    DOCUMENT_TEXT,
    EDITABLE,
    FILLER,
    HEADING,
    LABEL,
    MANAGES_DESCENDANTS,
    MENU,
    PANEL,
    PARAGRAPH,
    RESULT_UNTOLD,
    SCROLL_PANE,
    SHOWING,
    TABLE,
    TABLE_CELL,
    VISIBLE,
    WINDOW,
)
from deskhand.desktop.linux.atspi.toolkit import Ask, Toolkit, Visitor
from deskhand.desktop.linux.atspi.traits import common_traits
from deskhand.desktop.linux.toolkits.libreoffice.dropdown_names import name_dropdowns
from deskhand.desktop.linux.toolkits.libreoffice.dropdown_values import DropdownLists
from deskhand.desktop.linux.toolkits.libreoffice.exact_text import exact_texts, read_exactly
from deskhand.desktop.linux.toolkits.libreoffice.focus import leave_focus_to_document
from deskhand.desktop.linux.toolkits.libreoffice.layout import (
    correct_places,
    keep_to_documents,
    keep_to_window,
    mark_hints,
    not_in_panes,
    place_drawn_items,
    revive_input_line,
    take_places_in_shows,
    types_formula,
    unplaced,
)
from deskhand.desktop.linux.toolkits.libreoffice.pages import ask_page, name_slides
from deskhand.desktop.linux.toolkits.libreoffice.sheet_notes import ask_for_notes, note_sheets
from deskhand.desktop.linux.toolkits.libreoffice.side_bars import mark_side_bars
from deskhand.desktop.linux.toolkits.libreoffice.single_cell import complete_cell
from deskhand.desktop.linux.toolkits.libreoffice.spreadsheet import Renewal, Sheet, content_in
from deskhand.desktop.linux.toolkits.libreoffice.table_cells import correct_lines, require_cells
from deskhand.desktop.linux.toolkits.libreoffice.traits import office_traits
from deskhand.desktop.linux.toolkits.libreoffice.window_content import container_of
from deskhand.desktop.linux.toolkits.libreoffice.writer.pages import ask_page_of_caret

_WRITTEN: Final = frozenset({HEADING, PARAGRAPH})
_TRAITS_KEPT: Final = 2048


class LibreOffice(Toolkit):
    """LibreOffice. It reports GTK 3, which draws little of it, so that it is recognised by the application's name.

    In the list of all elements everything that it draws itself has the window as parent: boxes and menu bar are lost.
    """

    # All that follows describes LibreOffice or works around it.
    # upstream: not reported
    # seen in: 7.4.7; 25.2 where it is named
    tells_own_pixels = True
    shows_heads_out_of_view = True
    has_mute_popups = True
    names_cells_by_place = True
    lacks_actions = frozenset({COMBO_BOX})
    """LibreOffice crashes if a list in a form is opened by its action."""

    def __init__(self, name: str = "", version: str = "", application: str = "") -> None:
        """Menu bar, menus and frame are drawn by GTK 3 if its plugin is in use, which reports its name."""
        super().__init__(name, version, application)
        in_gtk = name == "gtk"
        self.selects_open_menus = in_gtk
        self.scales_whole = in_gtk
        self.frames_have_borders = in_gtk
        self.actions_follow_state = in_gtk
        self._dropdowns = DropdownLists()
        self._traits: dict[tuple[object, ...], frozenset[Trait]] = {}

    @classmethod
    def owns(cls, name: str, version: str, application: str) -> bool:
        del name, version
        return application == "soffice"

    def visit_if_visible(self, node: Node, above: Node, visitor: Visitor) -> None:
        """Frozen panes and the tables in them do not report SHOWING, and Calc's input line reports DEFUNCT."""

        def visit_one_of(role: int) -> None:
            def take(replies: list[Reply]) -> None:
                if calls.int_in(replies[0]) == role:
                    visitor.visit(node)

            node.state |= SHOWING
            visitor.post([calls.get_role(node.ref)], take)

        if not node.state & DEFUNCT and _has_only_visible_children(above):
            node.state |= SHOWING
            visitor.visit(node)
        elif _may_be_frozen_pane(above, node.state):
            visit_one_of(DOCUMENT_SPREADSHEET)
        elif above.role == DOCUMENT_SPREADSHEET and node.state & VISIBLE:
            visit_one_of(TABLE)
        elif (above.role, node.state) == (FILLER, DEFUNCT):
            visitor.visit(node)

    def ask_details(self, node: Node, visitor: Visitor) -> Sequence[Request]:
        if node.role == LABEL:
            return (ask_labelled(node),)
        if node.role == DOCUMENT_TEXT:
            return (ask_page_of_caret(node),)
        tip = (ask_tip(node),) if is_nameless_button(node) else ()
        more = (*tip, *ask_page(node, visitor.nodes), *self._dropdowns.ask_choice(node, visitor.post))
        return (*super().ask_details(node, visitor), *more, *ask_for_notes(node))

    def ask_text(self, node: Node, visitor: Visitor) -> Request:
        if node.role not in _WRITTEN:
            return super().ask_text(node, visitor)
        return calls.get_text(node.ref), lambda node, reply: read_exactly(node, reply, visitor.post)

    async def read_text(self, deed: Deed, ref: Ref, role: int, described: str) -> str:
        text = await super().read_text(deed, ref, role, described)
        return (await exact_texts({ref: text}, deed.ask_all))[ref].text if role in _WRITTEN else text

    async def correct_paragraphs(self, texts: Mapping[Ref, str], ask: Ask) -> dict[Ref, str]:
        return {ref: exact.text for ref, exact in (await exact_texts(texts, ask)).items()}

    async def container_of(
        self, content: Ref, child: Ref, told: Ref, transport: Transport, deadline_s: float
    ) -> Ref | None:
        return await container_of(content, child, told, transport, deadline_s, in_gtk=self.scales_whole)

    def is_placed_by_others(self, target: TargetInfo) -> bool:
        """The place of an item that LibreOffice draws itself follows from the list and all items around it."""
        is_drawn = target.type is Role.LISTITEM and "transient" in target.states
        return is_drawn and target.fingerprint is not None

    def read_cells(self, table: Node, cells: Sequence[Node], renew: frozenset[Ref], visitor: Visitor) -> None:
        sheet = Sheet(visitor.post, table, visitor.keep, visitor.lack)
        if cells:
            Renewal(visitor.post, table, cells, renew, visitor.keep, sheet.read).read()
        else:
            sheet.read()

    def has_formula(self, attributes: Reply) -> bool:
        return bool(content_in(attributes) & RESULT_UNTOLD)

    async def complete_cell(
        self,
        node: Node,
        table: Ref,
        place: tuple[int, int],
        read: Callable[[Ref], Awaitable[Node]],
        transport: Transport,
        deadline_s: float,
    ) -> None:
        await complete_cell(node, table, place, read, transport, deadline_s)

    async def correct_cells(self, table: Ref, texts: Mapping[Ref, str], ask: Ask) -> dict[Ref, str]:
        await require_cells(table, texts, ask)
        return await correct_lines({ref: text for ref, text in texts.items() if "\n" in text}, ask)

    async def checks_in(self, cells: Sequence[Ref], ask: Ask) -> dict[Ref, bool]:
        """No table of LibreOffice has check boxes as cells."""
        del cells, ask
        return {}

    def place(self, walk: Walk) -> frozenset[Ref]:
        nodes = walk.nodes
        correct_places(nodes)
        if walk.is_line:
            take_places_in_shows(nodes)
            return keep_to_window(nodes)
        revive_input_line(nodes)
        mark_hints(nodes)
        mark_side_bars(nodes)
        name_dropdowns(nodes)
        self._dropdowns.learn(nodes)
        name_slides(nodes)
        note_sheets(nodes)
        outside, walk.untold = take_places_in_shows(nodes)
        return outside | place_drawn_items(nodes) | keep_to_window(nodes)

    def confine(self, walk: Walk) -> frozenset[Ref]:
        nodes = walk.nodes
        if walk.is_line:
            return keep_to_documents(nodes)
        walk.elsewhere = unplaced(nodes)
        outside = keep_to_documents(nodes) | not_in_panes(nodes)
        if types_formula(nodes):
            outside |= {ref for ref in nodes if calls.is_cell_of_sheet(ref)}
            walk.truncated = walk.truncated or "while a formula is typed LibreOffice does not tell what is in cells"
        return outside

    def leave_focus(self, drafts: Mapping[Ref, Draft]) -> None:
        """Containers of the focused element report the focus, too."""
        leave_focus_to_document(drafts)

    def traits_of(self, node: Node, role: Role, print_: Fingerprint) -> frozenset[Trait]:
        """Those of controls that are alike in all that they follow from are the same: a sheet has a thousand cells."""
        written = bool(node.name), bool(node.note)
        alike = (role, node.role, node.state, node.actions, node.docked, *written, print_.path[:-1], print_.window)
        traits = self._traits.get(alike)
        if traits is None:
            if len(self._traits) >= _TRAITS_KEPT:
                self._traits.clear()
            traits = self._traits[alike] = common_traits(node, role, print_) | office_traits(node, role, print_)
        return traits

    def takes_keys_alone(self, state: int) -> bool:
        del state
        return True

    def scrolls_menus(self, nodes: Mapping[Ref, Node]) -> bool:
        """The combo boxes of GTK's file chooser are among these."""
        menus = [node for node in nodes.values() if node.role == MENU]
        tops = (nodes.get(menu.parent) if menu.parent else None for menu in menus)
        return any(top is not None and top.role == WINDOW for top in tops)


def _has_only_visible_children(above: Node) -> bool:
    """True if all children are visible, whatever they report.

    Children of a text document are those in view. One that was read before it came into view continues to report that
    it is not visible and has a size of one pixel, and so does everything inside it.
    """
    if above.role == DOCUMENT_TEXT:
        return bool(above.state & MANAGES_DESCENDANTS)
    return above.role in {TABLE, TABLE_CELL} and (above.rect.width, above.rect.height) == (1, 1)


def _may_be_frozen_pane(above: Node, state: int) -> bool:
    """A spreadsheet with frozen rows does not report SHOWING once it is made smaller.

    It is inside a scroll pane in 7.4 and inside a panel in 25.2.
    """
    return above.role in {SCROLL_PANE, PANEL} and state & (VISIBLE | EDITABLE | DEFUNCT) == VISIBLE | EDITABLE
