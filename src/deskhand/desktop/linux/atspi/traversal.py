"""Traversal of an application's tree: states first, only below visible elements; each reply posts the next calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from deskhand.core.errors import DesktopError, ElementStale
from deskhand.core.geometry import NOWHERE, Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.bulk import Listed
from deskhand.desktop.linux.atspi.cache import CellsOfWindow, Facts
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Post, Reply
from deskhand.desktop.linux.atspi.large_containers import Lattice, Pile, Span, Views
from deskhand.desktop.linux.atspi.late_pages import Points, have_told
from deskhand.desktop.linux.atspi.node import OFF_SCREEN, TEXT_LIMIT, Node, Reach, Stray, Walk
from deskhand.desktop.linux.atspi.node_requests import LIST_LIMIT, Request
from deskhand.desktop.linux.atspi.popups import NO_POPUPS, Popups, is_in_dropped_list
from deskhand.desktop.linux.atspi.roles import (
    COLUMN_HEADER,
    DEFUNCT,
    DOCUMENT_SPREADSHEET,
    DOCUMENT_TEXT,
    DOCUMENT_WEB,
    KEEPING_ROLES,
    MANAGES_DESCENDANTS,
    MENU,
    MENU_BAR,
    PASSWORD_TEXT,
    SCROLLING_ROLES,
    SELECTED,
    SHOWING,
    TABLE_ROLES,
    TRANSIENT,
    WINDOW_ROLES,
    has_number,
    role_of,
)
from deskhand.desktop.linux.atspi.text_caret import CaretReader, has_caret
from deskhand.desktop.linux.atspi.toolkit import Toolkit

MANY: Final = 500
"""Children from which on only those in view are read. The table of a spreadsheet reports 2^31-1, and a request for the
list of them hangs the application."""

_UNSAID: Final = "the application does not report the roles of some elements"

_UNCOUNTED: Final = -(2**31)
"""No number of children."""

DEPTH_LIMIT: Final = 200
"""Levels below a root that are read; a deep web page has a hundred."""

NODE_LIMIT: Final = 10_000
"""Elements of one walk that are read."""


@dataclass(frozen=True, slots=True)
class Known:
    """Known properties: cached from the last walk, in the list of all elements, or from X. No `cells`: not read.

    `renew`: those of the cells that are read again. `pages`: the web pages that are hit-tested first, with the points,
    see `late_pages`.
    """

    facts: Mapping[Ref, Facts] = field(default_factory=dict[Ref, Facts])
    listed: Mapping[Ref, Listed] = field(default_factory=dict[Ref, Listed])
    cells: CellsOfWindow | None = None
    renew: frozenset[Ref] = frozenset()
    popups: Popups = NO_POPUPS
    reach: Reach = Reach.WHOLE
    pages: Mapping[Ref, Points] = field(default_factory=dict[Ref, Points])


class Visitor:
    """Follows a tree as the replies come, so that the application always has a request to reply to."""

    def __init__(self, post: Post, walk: Walk, toolkit: Toolkit, bus: str, known: Known) -> None:
        self.post = post
        self._walk = walk
        self._toolkit = toolkit
        self._known = known.facts
        self._listed = known.listed
        self._cells = known.cells
        self._renew = known.renew
        self._popups = known.popups
        self._pages = known.pages
        self._reads_texts = known.reach >= Reach.TEXTS
        self._claimed = {Ref(bus, calls.ROOT_PATH)}  # below it stand the other windows
        self._bus = bus
        self._views = Views()

    def visit_roots(self, roots: Sequence[Ref]) -> None:
        """Visit roots that exist, visible or not."""
        self._claimed.update(roots)
        if self._pages:
            self.post(have_told(self._pages), _not_wanted)
        self._ask_states(list(dict.fromkeys(roots)), None, every=True)

    def visit_strays(self, strays: Sequence[Stray]) -> None:
        """Visit visible elements inside invisible ones, once everything around them was read."""
        self._claimed.update(self._walk.nodes)
        for stray in strays:
            above = self._walk.nodes[stray.above]
            for ref in self._claim([stray.ref]):
                here = above.children
                here.insert(here.index(stray.branch) if stray.branch in here else len(here), ref)
                self._ask_states([ref], above)

    def visit_hidden(self, nodes: Sequence[Node]) -> None:
        """Visit invisible elements, without their children."""
        for node in nodes:
            self.visit(node, descend=False)

    def _claim(self, refs: Sequence[Ref]) -> list[Ref]:
        """Return those that are children of no node yet: the result is a tree, whatever an application reports."""
        fresh = [ref for ref in dict.fromkeys(refs) if ref not in self._claimed]
        self._claimed.update(fresh)
        return fresh

    def _ask_states(
        self, refs: Sequence[Ref], above: Node | None, *, every: bool = False, descend: bool = True
    ) -> None:
        """Request states; visit the visible ones (`every`: all that exist)."""
        parent = above.ref if above else None

        def take(ref: Ref, replies: list[Reply]) -> None:
            reply, *embedded_in = replies
            if embedded_in and calls.ref_in(embedded_in[0]) != parent:
                return  # it belongs to somebody else's window
            if isinstance(reply, DesktopError):
                self.note(ref, reply)
            elif calls.has_bits(reply):
                self._meet(ref, calls.bits_in(reply), above, every=every, descend=descend)
            else:
                self._walk.truncated = self._walk.truncated or _UNSAID

        for ref in refs:
            if ref in self._listed:
                self._meet(ref, self._listed[ref].state, above, every=every, descend=descend)
                continue
            asked = [calls.get_state(ref)]
            if ref.bus != self._bus:
                asked.append(ref.get(calls.ACCESSIBLE, "Parent"))
            self.post(asked, partial(take, ref))

    def _meet(self, ref: Ref, state: int, above: Node | None, *, every: bool, descend: bool) -> None:
        if self._toolkit.tells_late:
            self._walk.shown[ref] = bool(state & SHOWING)
        state = self._toolkit.state_in(state)
        state |= SHOWING if state & self._toolkit.shown else 0
        node = Node(ref, above.ref, state, depth=above.depth + 1) if above else Node(ref, None, state)
        if (every or state & SHOWING) and not state & DEFUNCT:
            self.visit(node, descend=descend)
        elif above is not None:
            self._toolkit.visit_if_visible(node, above, self)
        else:
            self.note(ref, ElementStale(f"{ref.path} of {ref.bus} no longer exists.", fix="Observe the window again."))

    def _is_read_whole(self, node: Node) -> bool:
        """True for the list of a combo box, or a group in one, whose visible part is not known."""
        return self._toolkit.scrolls_lists_untold and is_in_dropped_list(self._walk.nodes, node)

    def note(self, ref: Ref, error: DesktopError) -> None:
        """Record an error, unless it is another application's; an object that is gone by now is no refusal."""
        if ref.bus != self._bus:
            return
        if len(self._walk.errors) < LIST_LIMIT:
            self._walk.errors.append(error)
        if not isinstance(error, ElementStale):
            self._walk.truncated = self._walk.truncated or _UNSAID

    def _is_full(self) -> bool:
        if len(self._walk.nodes) < NODE_LIMIT:
            return False
        self._walk.truncated = f"the window has more than {NODE_LIMIT} elements"
        return True

    def visit(self, node: Node, *, descend: bool = True) -> None:
        if self._is_full():
            return
        self._walk.nodes[node.ref] = node
        ref = node.ref
        if (listed := self._listed.get(ref)) is not None:
            asked = [calls.get_extents(ref, self._toolkit.space)]
            if descend and (_managed(node) or listed.children is None):
                asked.append(self._children_of(node))
            self.post(asked, partial(self._take_place, node, listed, descend=descend))
            return
        asked = [calls.get_role(ref), calls.get_name(ref), calls.get_extents(ref, self._toolkit.space)]
        if descend:
            asked.append(self._children_of(node))
        known = self._known.get(ref)
        if known is None:
            asked.append(calls.get_interfaces(ref))
        self.post(asked, partial(self._take, node, known, descend=descend))

    def _children_of(self, node: Node) -> Call:
        """Request the children, or their number, as `_go_below` takes it."""
        counts = _managed(node) or self._toolkit.counts_children
        return calls.get_child_count(node.ref) if counts else calls.get_children(node.ref)

    def _take(self, node: Node, known: Facts | None, replies: list[Reply], *, descend: bool) -> None:
        role, name, rect, *rest = replies
        if isinstance(role, DesktopError):
            self.note(node.ref, role)
            return
        said = calls.text_in(name)[:TEXT_LIMIT]
        node.role, node.name = self._toolkit.identify(calls.int_in(role), node.state, said)
        node.rect = calls.rect_in(rect)
        if self._toolkit.tells_late:
            self._walk.told[node.ref] = node.rect
            if node.role == DOCUMENT_WEB:
                self._have_told(node)
        if not self._is_in_view(node, descend=descend):
            return
        if known is None:
            self._take_interfaces(node, rest[-1:])
        elif known.role == node.role:
            node.interfaces = known.interfaces
            self._ask_details(node, known)
        else:
            self.post([calls.get_interfaces(node.ref)], partial(self._take_interfaces, node))
        if descend:
            self._go_below(node, rest[0])

    def _take_place(self, node: Node, listed: Listed, replies: list[Reply], *, descend: bool) -> None:
        """Of an element of the list nothing but its place, details, and children that the list lacks are asked."""
        node.role, node.name = self._toolkit.identify(listed.role, node.state, listed.name[:TEXT_LIMIT])
        node.interfaces, node.rect = listed.interfaces, calls.rect_in(replies[0])
        if not self._is_in_view(node, descend=descend):
            return
        self._ask_details(node, self._known.get(node.ref))
        if len(replies) > 1:
            self._go_below(node, replies[1])
        elif descend:
            self._go_into(node, listed.children or ())

    def _is_in_view(self, node: Node, *, descend: bool) -> bool:
        """Return True if a node whose role and extents are known is read further. An invisible one is removed."""
        if node.role == MENU_BAR and node.rect.empty:
            return False  # a dead copy of the whole menu
        above = self._walk.nodes.get(node.parent) if node.parent else None
        if self._popups.places:
            node.surface = self._popups.surface_of(node, self._above(node))
        is_away = (above is not None and self._is_away(node, above)) or node.rect.left == OFF_SCREEN
        if is_away or not self._views.clip(node):
            if descend:
                del self._walk.nodes[node.ref]
                return False
            node.rect = NOWHERE  # one that is read by itself exists, in view or not
        elif self._toolkit.shows_what_is_scrolled_away and node.role in SCROLLING_ROLES:
            self.view_of(node)
        return True

    def _is_away(self, node: Node, above: Node) -> bool:
        if node.role == COLUMN_HEADER and self._toolkit.shows_heads_out_of_view:
            self._views.narrow(above, above.rect)
        return self._toolkit.is_away(node, above)

    def _take_interfaces(self, node: Node, replies: list[Reply]) -> None:
        node.interfaces = calls.words_in(replies[0])
        self._ask_details(node)

    def _go_below(self, node: Node, reply: Reply) -> None:
        if not _managed(node) and not self._toolkit.counts_children:
            self._descend(node, [reply])
            return
        if node.role == DOCUMENT_TEXT and _managed(node) and not self._reads_texts:
            return
        count = calls.int_in(reply, _UNCOUNTED)
        if isinstance(reply, DesktopError):
            self.note(node.ref, reply)
        elif count == _UNCOUNTED:
            self.lack(_UNSAID)
        elif count > 0 and self._toolkit.read_children(node, count, self):
            return
        else:
            self.look_at_all(node, count)

    def look_at_all(self, node: Node, count: int) -> None:
        """Read the children of a node: all of them, or of very many those in view."""
        if 0 < count <= MANY or (count > 0 and self._is_read_whole(node)):
            self.post([calls.get_children(node.ref)], partial(self._descend, node))
        elif count > 0:
            self._look_through_viewport(node, count)

    def _look_through_viewport(self, node: Node, count: int, known: Sequence[Ref] = ()) -> None:
        """Read the visible ones of very many children. `known`: all of them, if they were reported already."""
        above = self._above(node)
        if above and above[0].role == DOCUMENT_SPREADSHEET:
            self._read_sheet(node)
            return
        if _managed(node):
            self.look_at_points(node)
        else:
            self._walk.is_long = True
            view = self._views.open(node, above)
            adopt, space = partial(self.adopt, node), self._toolkit.space
            Span(self.post, node, count, view, adopt, self.lack, known, space).read()

    def look_at_points(self, node: Node, *, one_column: bool = False) -> None:
        """Read the children at points; with `one_column` each is a row without children."""
        view = self.view_of(node)
        adopt = partial(self.adopt, node, descend=not one_column)
        Lattice(self.post, node, view, self._views, adopt, self.lack, one_column=one_column).read()

    def _read_sheet(self, node: Node) -> None:
        if self._cells is None:
            return
        self._walk.sheets.append(node)
        self._toolkit.read_cells(node, self._cells.of(node), self._renew | self._cells.regained(node), self)

    def _have_told(self, page: Node) -> None:
        """Hit-test a web page that was not tested yet, or at no visible point."""
        seen = page.rect
        for around in self._above(page):
            seen = seen.intersection(around.rect) if around.role == DOCUMENT_WEB else seen
        if not any(seen.contains(at) for at in self._pages.get(page.ref, ())):
            self.post(have_told({page.ref: (seen.center,)}), _not_wanted)

    def _above(self, node: Node) -> list[Node]:
        """Return the ancestors of a node, the nearest first."""
        above: list[Node] = []
        while node.parent and (parent := self._walk.nodes.get(node.parent)):
            above.append(parent)
            node = parent
        return above

    def view_of(self, container: Node) -> Rect:
        """Return the visible part of a container, and use it for its children."""
        above = self._above(container)
        if self._toolkit.tells_windows_elsewhere:
            above = [node for node in above if node.role not in WINDOW_ROLES]
        return self._views.open(container, above)

    def adopt(
        self, node: Node, children: Sequence[Ref], *, order: Sequence[Ref] | None = None, descend: bool = True
    ) -> None:
        """Give a node these children and visit those that are visible, in `order` if that is given."""
        node.children = self._claim(children)
        if self._is_closed_menu(node):
            return
        mine = {*node.children}
        self._ask_states(
            node.children if order is None else [ref for ref in order if ref in mine], node, descend=descend
        )

    def _is_closed_menu(self, node: Node) -> bool:
        """True for a menu of a menu bar that would report SELECTED if it were open."""
        if node.role != MENU or node.state & SELECTED or not self._toolkit.selects_open_menus:
            return False
        above = self._walk.nodes.get(node.parent) if node.parent else None
        return above is not None and above.role == MENU_BAR

    @property
    def nodes(self) -> Mapping[Ref, Node]:
        return self._walk.nodes

    def set_aside(self, node: Node) -> None:
        self._walk.hidden.append(node)

    def keep(self, node: Node) -> None:
        self._walk.nodes[node.ref] = node

    def lack(self, why: str) -> None:
        self._walk.truncated = self._walk.truncated or why

    def _descend(self, node: Node, replies: list[Reply]) -> None:
        if isinstance(replies[0], DesktopError):
            self.note(node.ref, replies[0])
        self._go_into(node, calls.refs_in(replies[0]))

    def _go_into(self, node: Node, refs: Sequence[Ref]) -> None:
        children = self._children(node, refs)
        if len(children) > MANY and not self._is_read_whole(node):
            self._look_through_viewport(node, len(children), children)
        elif self._toolkit.shows_what_is_scrolled_away and node.role in KEEPING_ROLES:
            view = self.view_of(node)
            Pile(self.post, node, view, children, partial(self.adopt, node)).read()
        else:
            self.adopt(node, children)

    def _children(self, node: Node, refs: Sequence[Ref]) -> list[Ref]:
        """Return those that are children of no node yet, unless they are too deep."""
        children = [ref for ref in dict.fromkeys(refs) if ref not in self._claimed]
        if not children or node.depth < DEPTH_LIMIT:
            return children
        self._walk.truncated = f"the window's elements are more than {DEPTH_LIMIT} levels deep"
        return []

    def _ask_details(self, node: Node, known: Facts | None = None) -> None:
        ref = node.ref
        asked: list[Request] = []
        if _has_text(node):
            asked.append(self._toolkit.ask_text(node, self))
            if has_caret(node):
                CaretReader(self.post, node, by_caret=self._toolkit.shortens_selections).read()
        if _has_number(node):
            asked.append((ref.get(calls.VALUE, "CurrentValue"), _take_number))
        if known and (known.role, known.state) == (node.role, node.state) and self._toolkit.actions_follow_state:
            node.actions = known.actions
        elif calls.ACTION in node.interfaces and node.role not in self._toolkit.lacks_actions:
            asked.append((calls.get_actions(ref), self._take_actions))
        asked += self._toolkit.ask_details(node, self)
        if node.role in TABLE_ROLES or node.role in self._toolkit.renews_rows_in:
            asked.append((ref.get(calls.TABLE, "NColumns"), _take_columns))
        if self._is_renewed(node):
            asked.append((calls.get_index(ref), _take_index))

        def take(replies: list[Reply]) -> None:
            for (_, keep), reply in zip(asked, replies, strict=True):
                keep(node, reply)

        self.post([call for call, _ in asked], take)

    def _is_renewed(self, node: Node) -> bool:
        above = self._walk.nodes.get(node.parent) if node.parent else None
        if above is None:
            return False
        toolkit = self._toolkit
        is_item = bool(node.state & TRANSIENT) and above.role in toolkit.renews_items_in
        return is_item or above.role in toolkit.renews_rows_in or (node.role == COLUMN_HEADER and toolkit.renews_heads)

    def _take_actions(self, node: Node, reply: Reply) -> None:
        """Take the names of actions; some applications return them only one by one."""
        listed = calls.action_names_in(reply)[:LIST_LIMIT]
        node.actions = self._toolkit.unnamed_actions.get(listed, listed)
        nameless = [index for index, name in enumerate(node.actions) if not name]

        def take(replies: list[Reply]) -> None:
            names = dict(zip(nameless, (calls.text_in(reply)[:TEXT_LIMIT] for reply in replies), strict=True))
            node.actions = tuple(names.get(index, name) for index, name in enumerate(node.actions))

        self.post([calls.get_action_name(node.ref, index) for index in nameless], take)


def _take_number(node: Node, reply: Reply) -> None:
    node.number = calls.float_in(reply)


def _take_columns(node: Node, reply: Reply) -> None:
    node.columns = calls.int_in(reply)


def _take_index(node: Node, reply: Reply) -> None:
    node.index = calls.int_in(reply, -1)


def _managed(node: Node) -> bool:
    return bool(node.state & MANAGES_DESCENDANTS)


def _has_text(node: Node) -> bool:
    """A password's text is never asked for."""
    return calls.TEXT in node.interfaces and node.role != PASSWORD_TEXT


def _has_number(node: Node) -> bool:
    return calls.VALUE in node.interfaces and has_number(role_of(node.role))


def _not_wanted(_: list[Reply]) -> None:
    pass
