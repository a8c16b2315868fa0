"""Reader of an application's tree: states first, only below visible elements, all calls pipelined."""

import gc
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Final, TypeVar

import anyio

from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, ElementStale
from deskhand.core.geometry import Point, Rect
from deskhand.core.target import comparable_name
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.bulk import WASTE, Listed, get_items, items_in
from deskhand.desktop.linux.atspi.cache import Kept, KeptCells
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.check_cells import fold_checks, place_checks
from deskhand.desktop.linux.atspi.client import Call, Post, Reply, Transport, late
from deskhand.desktop.linux.atspi.coordinates import (
    hide_without_window,
    keep_to_views,
)
from deskhand.desktop.linux.atspi.late_pages import Points, Telling, have_told, points_in
from deskhand.desktop.linux.atspi.node import TEXT_LIMIT, Node, Reach, Stray, Walk
from deskhand.desktop.linux.atspi.popups import NO_POPUPS, Popups, dropped_lists, mark_surfaces
from deskhand.desktop.linux.atspi.roles import (
    APPLICATION,
    DEFUNCT,
    ENABLED,
    LAYOUT_ROLES,
    MENU,
    MENU_ITEM_ROLES,
    POPUP_MENU,
    ROOT_PANE,
    SHOWING,
)
from deskhand.desktop.linux.atspi.toolkit import Toolkit, Toolkits
from deskhand.desktop.linux.atspi.transient_items import name_cells_by_branch, name_items_by_place, name_rows_by_branch
from deskhand.desktop.linux.atspi.traversal import DEPTH_LIMIT, Known, Visitor

_LIST_SHARE: Final = 4
"""The part of a deadline that the list of all elements may take; they can be requested one by one."""

_PROBES: Final = 8
"""Controls in all parts of a window whose extents are requested once more, and up to twice as many."""

_T = TypeVar("_T")

_MENUS: Final = frozenset({MENU, POPUP_MENU})


@dataclass(slots=True)
class _Reading:
    """The state of a walk, of which the deadline may leave a part."""

    walk: Walk = field(default_factory=Walk)
    toolkit: Toolkit = field(default_factory=Toolkit)
    pages: dict[Ref, Points] = field(default_factory=dict[Ref, Points])
    left_out: str = ""


class TreeReader:
    """Reads trees over one transport; caches constant properties of each window's last walk."""

    def __init__(self, transport: Transport, toolkits: Toolkits, telling: Telling) -> None:
        self._transport = transport
        self._telling = telling
        self._kept = Kept()
        self._cells = KeptCells()
        self._wasteful: set[str] = set()
        self.toolkits = toolkits

    async def walk(  # noqa: PLR0913 - what a look is given
        self,
        roots: Sequence[Ref],
        *,
        deadline_s: float,
        renew: frozenset[Ref] | None = None,
        reach: Reach = Reach.WHOLE,
        keep: bool = True,
        popups: Popups = NO_POPUPS,
        comparable: bool = True,
    ) -> Walk:
        """Read the visible part of the trees below `roots`, always with the roots.

        `renew`: the cells of spreadsheets to be read again, of those that the last walk read; None: all are read.
        `keep`: constant properties are cached until the next walk, which is worth it for windows. `popups`: the X
        windows of popups. `comparable`: extents count from one corner; else nothing is left out for its extents.

        Raises: ApplicationGone, ElementStale (the first root is gone), ApplicationUnresponsive (nothing was read in
        time), DesktopGone. At the deadline the part that was read is returned, with `truncated` set.
        """
        reading, cells = _Reading(), reach >= Reach.WHOLE
        if cells and renew is None:
            self._cells.forget(roots[0])
        with anyio.move_on_after(deadline_s) as scope:
            await self._transport.approach(roots[0].bus, deadline_s=deadline_s)
            toolkit = reading.toolkit = await self.toolkits.of(roots[0].bus, deadline_s=deadline_s)
            with _no_search_for_garbage():
                listed = await self._listed(roots[0].bus, toolkit, deadline_s)
                known = self._known(roots[0], listed, renew, popups, reach)
                await self._fill(reading, roots, known, deadline_s)
            if len(listed) > WASTE * len(reading.walk.nodes):
                self._wasteful.add(roots[0].bus)
            await toolkit.prepare(reading.walk, self._transport, deadline_s=deadline_s)
            await self._resolve_labels(reading.walk, deadline_s)
            await toolkit.complete(reading.walk, self._transport, deadline_s=deadline_s)
        walk = reading.walk
        if scope.cancelled_caught or reading.left_out:
            walk.truncated = reading.left_out or late(deadline_s)
        _require_something(walk, roots, deadline_s)
        if cells and not walk.truncated:
            self._cells.keep(roots[0], walk)
        walk.unread = sum(not node.is_read for node in walk.nodes.values())
        _put_right(walk, roots, reading.toolkit, comparable=comparable)
        if keep and not walk.truncated:
            self._kept.keep(roots[0], walk.nodes, reading.pages)
        return walk

    def _known(
        self, root: Ref, listed: Mapping[Ref, Listed], renew: frozenset[Ref] | None, popups: Popups, reach: Reach
    ) -> Known:
        cells = self._cells.of(root) if reach >= Reach.WHOLE else None
        pages = self._kept.pages(root.bus)
        return Known(self._kept.of(root), listed, cells, renew or frozenset(), popups, reach, pages)

    async def _fill(self, reading: "_Reading", roots: Sequence[Ref], known: Known, deadline_s: float) -> None:
        """Follow the tree, and once more if something moved while it was read."""
        bus, toolkit = roots[0].bus, reading.toolkit
        reading.left_out = await self._follow(reading.walk, roots, toolkit, known, deadline_s)
        reading.pages = points_in(reading.walk.nodes) if reading.walk.told else {}
        if reading.left_out:
            return
        if reading.pages:
            await self._telling.wait(bus, reading.pages, deadline_s=deadline_s)
        if await self._has_moved(reading.walk, reading.pages, toolkit, deadline_s):
            reading.walk = Walk()
            reading.left_out = await self._follow(reading.walk, roots, toolkit, known, deadline_s)

    async def _follow(self, walk: Walk, roots: Sequence[Ref], toolkit: Toolkit, known: Known, deadline_s: float) -> str:
        """Fill the walk. Return the reasons for missing elements."""

        def visitor(post: Post) -> Visitor:
            return Visitor(post, walk, toolkit, roots[0].bus, known)

        left_out = await self._transport.stream(
            lambda post: visitor(post).visit_roots(roots), deadline_s=deadline_s, awake=not toolkit.asks_for_places
        )

        async def visit(*, hidden: Sequence[Node] = (), strays: Sequence[Stray] = ()) -> str:
            def begin(post: Post) -> None:
                visitor(post).visit_hidden(hidden)
                visitor(post).visit_strays(strays)

            return await self._transport.stream(begin, deadline_s=deadline_s)

        return left_out or await toolkit.extend(walk, roots[0], visit, self._transport, deadline_s=deadline_s)

    async def _has_moved(self, walk: Walk, pages: Mapping[Ref, Points], toolkit: Toolkit, deadline_s: float) -> bool:
        """True if elements that report late have other extents or states by now: they reported during the walk.

        If the state was read before that and the extents after it, no extents differ. So states are requested too, of
        the same elements and of those at the ends of the visible part.
        """
        places = dict(_sample(walk.told.items()))
        states = {ref: walk.shown[ref] for ref in (*places, *_sample(_ends_of_view(walk))) if ref in walk.shown}
        asked = [
            *(calls.get_extents(ref, toolkit.space) for ref in places),
            *map(calls.get_state, states),
            *have_told({page: at[-1:] for page, at in pages.items()}),
        ]
        replies = iter(await self._transport.batch(asked, deadline_s=deadline_s))
        moved = [calls.rect_in(next(replies)) != rect for rect in places.values()]
        return any(moved) or any(_shows(next(replies), otherwise=shown) != shown for shown in states.values())

    async def _listed(self, bus: str, toolkit: Toolkit, deadline_s: float) -> Mapping[Ref, Listed]:
        if not toolkit.has_complete_list or bus in self._wasteful:
            return {}
        (reply,) = await self._transport.batch([get_items(bus)], deadline_s=deadline_s / _LIST_SHARE)
        if isinstance(reply, ApplicationUnresponsive):
            self._wasteful.add(bus)
        return items_in(reply, bus, links=toolkit.lists_children)

    async def read(self, ref: Ref, *, deadline_s: float, popups: Popups = NO_POPUPS, comparable: bool = True) -> Node:
        """Read one object without its children; `popups` and `comparable` as for `walk`.

        Raises: ElementStale, ApplicationGone, ApplicationUnresponsive.
        """
        pages = self._kept.pages(ref.bus)
        await self._transport.batch(have_told(pages), deadline_s=deadline_s)
        if pages:
            await self._telling.wait(ref.bus, pages, deadline_s=deadline_s)
        node, walk, toolkit = await self._read(ref, deadline_s, popups, comparable=comparable)
        if await self._has_moved(walk, {}, toolkit, deadline_s):
            node, _, _ = await self._read(ref, deadline_s, popups, comparable=comparable)
        return node

    async def _read(
        self, ref: Ref, deadline_s: float, popups: Popups, *, comparable: bool
    ) -> tuple[Node, Walk, Toolkit]:
        """See `read`."""
        state = calls.bits_in(await self._transport.call(calls.get_state(ref), deadline_s=deadline_s))
        if state & DEFUNCT:
            raise ElementStale(f"{ref.path} of {ref.bus} no longer exists.", fix="Observe the window again.")
        walk, toolkit, left_out = Walk(), Toolkit(), ""
        node = Node(ref, None, state)
        with anyio.move_on_after(deadline_s) as scope:
            toolkit = await self.toolkits.of(ref.bus, deadline_s=deadline_s)
            node.state = toolkit.state_in(state)
            left_out = await self._transport.stream(
                lambda post: Visitor(post, walk, toolkit, ref.bus, Known()).visit(node, descend=False),
                deadline_s=deadline_s,
            )
            await self._resolve_labels(walk, deadline_s)
            above = await self._ancestors(node, toolkit, deadline_s)
            line = Walk({each.ref: each for each in (*above, node)}, is_line=True)
            await toolkit.complete(line, self._transport, deadline_s=deadline_s)
            mark_surfaces(line.nodes, popups)
            _outside(line, toolkit, comparable=comparable)
            hide_without_window(line.nodes)
            scrolls = node.role in MENU_ITEM_ROLES and toolkit.scrolls_menus(line.nodes)
            is_inside = toolkit.tells_menu_items_elsewhere and any(each.role in _MENUS for each in above)
            node.in_menu = scrolls or is_inside
            if toolkit.scrolls_lists_untold:
                node.dropped_by = next((line.nodes[menu].parent for menu in dropped_lists(line.nodes)), None)
        _require_something(walk, [ref], deadline_s)
        if scope.cancelled_caught or left_out:
            raise _answered_too_little(ref, left_out or late(deadline_s))
        return node, walk, toolkit

    async def find_menus(self, nodes: Sequence[Node], popups: Sequence[Rect], *, deadline_s: float) -> list[Ref]:
        """Return the menus displayed at `popups` that are children of no element. Raises: DesktopGone."""
        if not nodes:
            return []
        toolkit = await self.toolkits.of(nodes[0].ref.bus, deadline_s=deadline_s)
        return await toolkit.find_menus(nodes, popups, self._transport, deadline_s=deadline_s)

    async def names_of(self, nodes: Sequence[Node], *, deadline_s: float) -> list[str]:
        """Return the current names of objects, "" for one that does not reply."""
        toolkits = {bus: await self.toolkits.of(bus, deadline_s=deadline_s) for bus in {node.ref.bus for node in nodes}}
        replies = await self._transport.batch([calls.get_name(node.ref) for node in nodes], deadline_s=deadline_s)
        pairs = zip(nodes, replies, strict=True)
        return [toolkits[node.ref.bus].name_of(node, calls.text_in(reply)) for node, reply in pairs]

    async def cell_at(self, table: Ref, row: int, column: int, *, deadline_s: float) -> Ref:
        """The object of a table's cell, which lives for a moment only.

        Raises: ElementStale (the table or the cell is gone), ApplicationGone, ApplicationUnresponsive.
        """
        reply = await self._transport.call(calls.accessible_at(table, row, column), deadline_s=deadline_s)
        ref = calls.ref_in(reply)
        if ref is None:
            raise ElementStale(f"The table has no cell at {(row, column)} now.", fix="Observe the window again.")
        return ref

    async def read_cell(self, table: Ref, row: int, column: int, *, deadline_s: float) -> Node:
        """Read a cell of a spreadsheet as `read` does, with the states for an empty one and for an unknown result.

        Raises: as `read` and `cell_at`; TargetHidden (a sheet that runs from right to left does not expose its place).
        """
        ref = await self.cell_at(table, row, column, deadline_s=deadline_s)
        node = await self.read(ref, deadline_s=deadline_s)
        toolkit = await self.toolkits.of(table.bus, deadline_s=deadline_s)
        read = partial(self.read, deadline_s=deadline_s)
        await toolkit.complete_cell(node, table, (row, column), read, self._transport, deadline_s)
        return node

    async def item_at(self, container: Ref, index: int, name: str, *, deadline_s: float) -> Ref:
        """Return the object of an item, which is another one at each read, if it still has this name.

        Raises: ElementStale (another item is there, or none), ApplicationGone, ApplicationUnresponsive.
        """
        return await self._called(name, calls.get_child(container, index), f"at {index}", deadline_s)

    async def row_at(self, tree: Ref, point: Point, name: str, *, deadline_s: float) -> Ref:
        """Return the object of a row, which is another one at each read, if the one at its place has this name.

        Raises: ElementStale (another row is there, or none), ApplicationGone, ApplicationUnresponsive.
        """
        call = calls.accessible_at_point(tree, point.x, point.y)
        return await self._called(name, call, f"at {point}", deadline_s)

    async def _called(self, name: str, call: Call, where: str, deadline_s: float) -> Ref:
        """Return the object in the reply, if it has this name."""
        ref = calls.ref_in(await self._transport.call(call, deadline_s=deadline_s))
        said = calls.text_in(await self._transport.call(calls.get_name(ref), deadline_s=deadline_s)) if ref else ""
        if ref is None or comparable_name(said) != comparable_name(name):
            raise ElementStale(f"{name!r} is not {where} of its container any more.", fix="Observe the window again.")
        return ref

    async def _ancestors(self, node: Node, toolkit: Toolkit, deadline_s: float) -> list[Node]:
        """Read role, extents and state of the ancestors of a node, the outermost first; link the node to them."""
        above: list[Node] = []
        ref: Ref | None = node.ref
        while ref and len(above) < DEPTH_LIMIT:
            asked = [ref.get(calls.ACCESSIBLE, "Parent"), calls.get_role(ref), calls.get_extents(ref, toolkit.space)]
            asked += [calls.get_state(ref)] * toolkit.asks_states_above
            parent, role, rect, *state = await self._transport.batch(asked, deadline_s=deadline_s)
            is_known = bool(state) and calls.has_bits(state[0])
            bits = calls.bits_in(state[0]) if is_known else ENABLED
            found = Node(ref, calls.ref_in(parent), bits, calls.int_in(role, -1), rect=calls.rect_in(rect))
            if found.role == ROOT_PANE and found.parent and above:
                container = await toolkit.container_of(
                    found.ref, above[-1].ref, found.parent, self._transport, deadline_s
                )
                if container is None:
                    break
                found.parent = container
            above.append(found)
            if found.parent in {each.ref for each in above}:
                found.parent = None  # a circle
            ref = found.parent if found.role != APPLICATION else None
        node.parent = above[0].parent
        return above[:0:-1]

    async def _resolve_labels(self, walk: Walk, deadline_s: float) -> None:
        for node in walk.nodes.values():
            for ref in node.label_for:
                if ref in walk.nodes and node.ref not in walk.nodes[ref].labelled_by:
                    walk.nodes[ref].labelled_by.append(node.ref)
        labelled = [node for node in walk.nodes.values() if node.labelled_by]
        missing = list(dict.fromkeys(ref for node in labelled for ref in node.labelled_by if ref not in walk.nodes))
        words = await self._words_of(missing, deadline_s)
        for node in labelled:
            parts = [_words(walk.nodes[ref]) if ref in walk.nodes else words[ref] for ref in node.labelled_by]
            node.label = " ".join(part for part in parts if part)[:TEXT_LIMIT]

    async def _words_of(self, labels: Sequence[Ref], deadline_s: float) -> dict[Ref, str]:
        """Return the names of labels that are not in the tree, or the texts of those without one."""
        replies = await self._transport.batch([calls.get_name(ref) for ref in labels], deadline_s=deadline_s)
        words = {ref: calls.text_in(reply) for ref, reply in zip(labels, replies, strict=True)}
        silent = [ref for ref in labels if not words[ref]]
        offered = await self._transport.batch([calls.get_interfaces(ref) for ref in silent], deadline_s=deadline_s)
        texts = [ref for ref, reply in zip(silent, offered, strict=True) if _only_shows_text(calls.words_in(reply))]
        replies = await self._transport.batch([calls.get_text_length(ref) for ref in texts], deadline_s=deadline_s)
        lengths = {ref: calls.int_in(reply) for ref, reply in zip(texts, replies, strict=True)}
        told = [ref for ref, length in lengths.items() if length > 0]
        asked = [calls.get_text(ref, min(lengths[ref], TEXT_LIMIT)) for ref in told]
        replies = await self._transport.batch(asked, deadline_s=deadline_s)
        return words | {ref: calls.text_in(reply) for ref, reply in zip(told, replies, strict=True)}


def _sample(all_of: Iterable[_T]) -> list[_T]:
    """Return `_PROBES` from all parts, or up to twice as many."""
    listed = list(all_of)
    return listed[:: max(1, len(listed) // _PROBES)]


def _shows(state: Reply, *, otherwise: bool) -> bool:
    return bool(calls.bits_in(state) & SHOWING) if calls.has_bits(state) else otherwise


def _ends_of_view(walk: Walk) -> list[Ref]:
    """Return the elements that report late and SHOWING beside one that does not, both of them."""
    ends = list[Ref]()
    for ref in walk.told:
        node = walk.nodes.get(ref)
        children = [child for child in node.children if child in walk.shown] if node else []
        ends += [each for pair in pairwise(children) if walk.shown[pair[0]] != walk.shown[pair[1]] for each in pair]
    return list(dict.fromkeys(ends))


def _put_right(walk: Walk, roots: Sequence[Ref], toolkit: Toolkit, *, comparable: bool) -> None:
    """Correct extents, remove elements out of view, and sort in reading order."""
    outside = _outside(walk, toolkit, comparable=comparable)
    walk.nodes = {ref: node for ref, node in walk.nodes.items() if ref not in outside}
    walk.nodes = name_items_by_place(walk.nodes)
    walk.nodes = name_cells_by_branch(name_rows_by_branch(walk.nodes, toolkit), toolkit)
    walk.nodes = _in_reading_order(walk.nodes, roots)


def _outside(walk: Walk, toolkit: Toolkit, *, comparable: bool) -> frozenset[Ref]:
    """Correct extents; return the elements that are out of view."""
    outside = toolkit.place(walk)
    place_checks(walk.nodes)
    if not walk.is_line:
        fold_checks(walk.nodes)
    outside |= keep_to_views(walk.nodes, toolkit, comparable=comparable)
    return outside | toolkit.confine(walk)


def _only_shows_text(interfaces: frozenset[str]) -> bool:
    """True unless the text can be edited: that of a field is no label, and may be a secret."""
    return calls.TEXT in interfaces and calls.EDITABLE_TEXT not in interfaces


def _words(label: Node) -> str:
    """Return the text of a label, which may have no name."""
    return label.name or label.text.strip()


def _require_something(walk: Walk, roots: Sequence[Ref], deadline_s: float) -> None:
    gone = next((error for error in walk.errors if isinstance(error, ApplicationGone)), None)
    if gone:
        raise gone
    first = walk.nodes.get(roots[0])
    if first is not None and first.is_read:
        return
    if walk.errors:
        raise walk.errors[0]
    raise _answered_too_little(roots[0], f"it answered nothing within {deadline_s:.1f} s")


def _answered_too_little(ref: Ref, why: str) -> ApplicationUnresponsive:
    return ApplicationUnresponsive(
        f"The application {ref.bus} does not report the role of {ref.path}: {why}.",
        fix="Wait until the application answers again, or end it.",
    )


@contextmanager
def _no_search_for_garbage() -> Generator[None]:
    """Disable garbage collection: of thousands of replies nearly all are in use, and it takes a twelfth of the time."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()


def _in_reading_order(nodes: dict[Ref, Node], roots: Sequence[Ref]) -> dict[Ref, Node]:
    ordered: dict[Ref, Node] = {}
    stack = list(reversed(roots))
    while stack:
        node = nodes.get(stack.pop())
        if node is None or not node.is_read or node.ref in ordered:
            continue
        ordered[node.ref] = node
        children = [child for ref in node.children if (child := nodes.get(ref)) is not None]
        if node.role in LAYOUT_ROLES:
            children = _by_rows(children)
        stack.extend(child.ref for child in reversed(children))
    return ordered


def _by_rows(nodes: list[Node]) -> list[Node]:
    """Sort from top to bottom, and from left to right in a row; nodes without extents are last."""
    rows: list[list[Node]] = []
    bottom_of_row = 0
    for node in sorted(nodes, key=lambda node: (node.rect.empty, node.rect.top)):
        if rows and not node.rect.empty and node.rect.center.y < bottom_of_row:
            rows[-1].append(node)
        else:
            rows.append([node])
            bottom_of_row = node.rect.bottom
    return [node for row in rows for node in sorted(row, key=lambda node: node.rect.left)]
