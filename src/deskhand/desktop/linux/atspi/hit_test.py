"""Hit tests among the elements of an application; the X server tests its windows only."""

from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from typing import Final

from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, TargetCovered
from deskhand.core.geometry import Point, Rect
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Reply, Transport
from deskhand.desktop.linux.atspi.late_pages import Telling
from deskhand.desktop.linux.atspi.nested_targets import is_another, takes_clicks
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.popups import fills
from deskhand.desktop.linux.atspi.roles import (
    DOCUMENT_WEB,
    DRAWN_ROLES,
    FRAME,
    LABEL,
    LINK,
    LIST,
    LIST_ITEM,
    MENU_ITEM_ROLES,
    PAGE_TAB,
    POPUP_ROLES,
    PRESSED_ROLES,
    PUSH_BUTTON,
    SELECTABLE,
    WINDOW_ROLES,
    raw_role_of,
)

_ASK_S: Final = 10.0
_OWN_REPLY_S: Final = 2.0
_DEEPEST: Final = 40
_EARLIER: Final = 2
"""Replies that are taken to come before the page's own, if its own cannot be recognised."""
_SLACK: Final = 4
"""Pixels by which an element may reach out of its container."""

_TAKING_ROLES: Final = PRESSED_ROLES | POPUP_ROLES | WINDOW_ROLES
"""Roles whose labels belong to them alone."""


class Hits:
    """Hit tests applications. Where one replies with an error, as those without hit tests do, nothing is covered.

    Raises: TargetCovered, ApplicationUnresponsive (no reply to one question within 10 s: what is there is not known),
    ApplicationGone, DesktopGone.
    """

    def __init__(self, transport: Transport, telling: Telling) -> None:
        self._transport = transport
        self._telling = telling

    async def is_hit(self, ref: Ref, ask: Call) -> bool:
        """Return whether the object at a point, the reply to `ask`, is this one."""
        return calls.ref_in(await self._one(ask)) == ref

    async def require_told(
        self, line: Sequence[Ref], target: TargetInfo, ask: Call, *, late: bool, in_page: bool
    ) -> Ref | None:
        """Require that the object at a point, the reply to `ask`, is the target or belongs to it. Return that object.

        In a page it must be nothing inside the target that takes clicks itself. For a target that is not pressed
        itself, as a text or an item of a list, it may be its container. `line`: the target and its ancestors. `late`:
        see `Toolkit.tells_late`.
        """
        hit = calls.ref_in(await (self._settled(ask, line[0]) if late else self._one(ask)))
        if hit is None or hit == line[0]:
            return hit
        if hit in line:
            await self._require_taken(hit, line[0], target)
            return hit
        above_hit = await self.line(hit)
        if line[0] in above_hit:
            if in_page and takes_clicks(target.actions):
                await self._require_own(above_hit[: above_hit.index(line[0]) + 1], target)
            return hit
        roles = await self.roles(above_hit)
        names = await self.names(above_hit)
        role_of = dict(zip(above_hit, roles, strict=True))
        labels = [name for name, role in zip(names, roles, strict=True) if role == LABEL]
        if _has_label(target, labels, line, role_of) or await self._is_label_of(line, role_of):
            return hit  # a click on a label is one on the control that it labels
        role, name = next(((role, name) for role, name in zip(roles, names, strict=True) if name), (roles[0], ""))
        raise covered(target, raw_role_of(role), name)

    async def require_in_page(self, pages: Collection[Ref], target: TargetInfo, ask: Call) -> None:
        """Require that the object at a point of a browser, the reply to `ask`, is inside one of the target's `pages`.

        A bubble or a dialog of the browser over the page, as for printing, would take the click.
        """
        hit = calls.ref_in(await self._one(ask))
        above_hit = await self.line(hit) if hit else []
        if not above_hit or not set(pages).isdisjoint(above_hit):
            return
        roles = await self.roles(above_hit)
        names = await self.names(above_hit)
        inside = roles.index(FRAME) if FRAME in roles else len(roles)
        told = [(role, name) for role, name in zip(roles[:inside], names[:inside], strict=True) if name]
        raise covered(target, *((raw_role_of(told[-1][0]), told[-1][1]) if told else (raw_role_of(roles[0]), "")))

    async def _require_taken(self, around: Ref, ref: Ref, target: TargetInfo) -> None:
        """Require that a click at the target's container, which is at the point, is one on the target."""
        role, above = await self.roles([ref, around])
        labelled = above == LABEL and role not in {LINK, PUSH_BUTTON}  # its control is not always exposed
        if role not in PRESSED_ROLES or above in DRAWN_ROLES or labelled:
            return
        told = calls.text_in(await self._one(calls.get_name(around)))
        raise TargetCovered(
            f"{target.describe} is not visible at its reported place: its container would take the click, "
            f"{_called(above, told)}.",
            fix="Use invoke, or click by coordinates from a picture.",
        )

    async def _require_own(self, inside: Sequence[Ref], target: TargetInfo) -> None:
        """Require that nothing inside a target takes the click. `inside`: objects at the point, up to the target."""
        asked = [
            call
            for ref in inside
            for call in (calls.get_role(ref), calls.get_state(ref), calls.get_name(ref), calls.get_action_name(ref, 0))
        ]
        replies = await self.ask(asked)
        around = calls.int_in(replies[-4], -1)
        told = zip(inside[:-1], replies[::4], replies[1::4], replies[2::4], replies[3::4], strict=False)
        for ref, role, state, name, offered in told:
            bits = calls.bits_in(state) if calls.has_bits(state) else 0
            node = Node(ref, None, bits, role=calls.int_in(role, -1), actions=(calls.text_in(offered),))
            if is_another(node, calls.text_in(name), around, target):
                raise without_own_place(target, _called(node.role, calls.text_in(name)))

    async def _is_label_of(self, line: Sequence[Ref], above_hit: Mapping[Ref, int]) -> bool:
        """True if the object at a point belongs to a label of the target, and nothing in that takes clicks itself."""
        told = calls.labels_in(await self._one(calls.get_relations(line[0])))
        for ref, role in above_hit.items():
            if role in PRESSED_ROLES:
                return False
            if role == LABEL:
                return ref in told or ref in line[1:2]
        return False

    async def require_in_popup(self, ref: Ref, target: TargetInfo, taken_by: Rect, others: Sequence[Rect]) -> None:
        """Require that the target is inside the popup of its application that takes the click.

        It is if it or one of its ancestors has the popup's size. It is not if it is inside another popup, or in none.
        """
        line = await self.line(ref)
        roles = await self.roles(line)
        sizes = [calls.rect_in(reply) for reply in await self.ask([calls.get_extents(each) for each in line])]
        if any(fills(taken_by, size.width, size.height) for size in sizes):
            return
        apart = any(role in POPUP_ROLES or role == LIST for role in roles)
        if not apart or any(
            fills(other, size.width, size.height) for size in sizes for other in others if other != taken_by
        ):
            raise covered(target, "menu", "")

    async def line(self, ref: Ref) -> list[Ref]:
        """Return an object and its ancestors, the nearest first."""
        line = [ref]
        while len(line) < _DEEPEST:
            above = calls.ref_in(await self._one(line[-1].get(calls.ACCESSIBLE, "Parent")))
            if above is None or above in line:
                break
            line.append(above)
        return line

    async def roles(self, line: Sequence[Ref]) -> list[int]:
        """Return roles by number, -1 for one that is not exposed."""
        return [calls.int_in(reply, -1) for reply in await self.ask([calls.get_role(each) for each in line])]

    async def names(self, line: Sequence[Ref]) -> list[str]:
        """Return names, "" for one that is not exposed."""
        return [calls.text_in(reply) for reply in await self.ask([calls.get_name(each) for each in line])]

    async def _settled(self, ask: Call, ref: Ref) -> Reply:
        """Return the reply of the page itself: earlier ones of the browser follow from extents alone."""
        for _ in range(_EARLIER):
            await self._one(ask)
            if await self._telling.wait(ref.bus, deadline_s=_OWN_REPLY_S):
                break
            await self.line(ref)
        return await self._one(ask)

    async def _one(self, call: Call) -> Reply:
        return (await self.ask([call]))[0]

    async def ask(self, asked: Sequence[Call]) -> list[Reply]:
        """Send calls at once; other errors are among the replies.

        Raises: ApplicationUnresponsive, ApplicationGone, DesktopGone.
        """
        replies = await self._transport.batch(asked, deadline_s=_ASK_S)
        for reply in replies:
            if isinstance(reply, ApplicationUnresponsive | ApplicationGone):
                raise reply
        return replies


def window_around(nodes: Mapping[Ref, Node], ref: Ref) -> Ref | None:
    """Return the outermost window around an element as it was read; None where it was not, or is in a web page."""
    line = _above(nodes, ref)
    if any(nodes[each].role == DOCUMENT_WEB for each in line):
        return None
    return next((each for each in reversed(line) if nodes[each].role in WINDOW_ROLES), None)


def require_on_top(nodes: Mapping[Ref, Node], ref: Ref, target: TargetInfo, point: Point, *, later_over: bool) -> None:
    """Require that no element is painted over the target at a point.

    Those in a later of two parts of a window are (in an earlier one, without `later_over`), and those in an element
    that reaches out of its parent, as a popover does. Raises: TargetCovered.
    """
    line = _above(nodes, ref)
    if not line:
        return
    over = [
        node
        for other, node in nodes.items()
        if node.rect.contains(point) and other not in line and _covers(nodes, other, line, later_over=later_over)
    ]
    if over:
        told = next((node for node in reversed(over) if node.name), over[0])
        raise covered(target, raw_role_of(told.role), told.name)


def _has_label(target: TargetInfo, labels: Sequence[str], line: Collection[Ref], above_hit: Mapping[Ref, int]) -> bool:
    """True if a label at the point is the target's name, and no button or dialog in between has texts of its own."""
    apart = takewhile(lambda each: each[0] not in line, above_hit.items())
    is_its = _TAKING_ROLES.isdisjoint(role for _, role in apart)
    return is_its and bool(target.name) and comparable_name(target.name) in map(comparable_name, labels)


def _covers(nodes: Mapping[Ref, Node], other: Ref, line: Sequence[Ref], *, later_over: bool) -> bool:
    """True if an element that is not inside the target is painted over it. `line`: the target and its ancestors."""
    branch = _above(nodes, other)
    shared = next((each for each in branch if each in line), None)
    if shared is None or line[0] in branch:
        return False
    mine, its = line[: line.index(shared)], branch[: branch.index(shared)]
    if _reaches_out(nodes, its):
        return True
    return bool(mine and its) and _is_over(nodes[shared].children, its[-1], mine[-1], later_over=later_over)


def words_over(nodes: Mapping[Ref, Node], ref: Ref, point: Point) -> Node | None:
    """Return an item of a menu, an option or a tab of a page that is at a point and neither inside nor around `ref`.

    An element below their text may be reported as hit, though they are in front.
    """
    line = _above(nodes, ref)
    for other, node in nodes.items():
        is_option = node.role == LIST_ITEM and node.state & SELECTABLE
        if not (is_option or node.role == PAGE_TAB or node.role in MENU_ITEM_ROLES) or not node.rect.contains(point):
            continue
        if other not in line and ref not in _above(nodes, other):
            return node
    return None


def _above(nodes: Mapping[Ref, Node], ref: Ref) -> list[Ref]:
    line: list[Ref] = []
    here: Ref | None = ref
    while here is not None and here in nodes and here not in line:
        line.append(here)
        here = nodes[here].parent
    return line


def _reaches_out(nodes: Mapping[Ref, Node], branch: Collection[Ref]) -> bool:
    """True if an element of the branch reaches out of its parent, unless that is a tab around a page."""
    for ref in branch:
        parent = nodes[ref].parent
        holder = nodes.get(parent) if parent else None
        around = holder.rect if holder and holder.role != PAGE_TAB else None
        rect = nodes[ref].rect
        if around and not around.empty and not rect.empty:
            grown = around.grown(_SLACK)
            if rect.intersection(grown) != rect:
                return True
    return False


def _is_over(children: Sequence[Ref], its: Ref, mine: Ref, *, later_over: bool) -> bool:
    if its not in children or mine not in children:
        return False
    later = children.index(its) > children.index(mine)
    return later is later_over


def covered(target: TargetInfo, raw_role: str, name: str) -> TargetCovered:
    """Return an error; `raw_role` and `name`: of the covering element."""
    told = f'{raw_role} "{name}"' if name else raw_role
    return TargetCovered(
        f"{target.describe} is covered by something of its own window: {told}.",
        fix="Close the element over it, or use invoke.",
    )


def without_own_place(target: TargetInfo, taken_by: str = "") -> TargetCovered:
    """Return an error; `taken_by`: the element in the middle that takes the click."""
    told = f", {taken_by}" if taken_by else ""
    return TargetCovered(
        f"{target.describe} has no place of its own: its content would take the click{told}.",
        fix="Use invoke, or click its content.",
    )


def _called(role: int, name: str) -> str:
    return f'{raw_role_of(role)} "{name}"' if name else raw_role_of(role)
