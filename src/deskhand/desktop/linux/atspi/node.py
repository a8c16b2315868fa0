"""Nodes: accessible objects as a walk through an application's tree read them."""

from dataclasses import dataclass, field, fields
from enum import IntEnum
from operator import attrgetter
from typing import Final

from deskhand.core.errors import DesktopError
from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TextCaret
from deskhand.desktop.linux.atspi.calls import Ref

TEXT_LIMIT: Final = 2000
"""Characters of a control's text in an observation; `read_text` returns all. All are requested, since some applications
return nothing if more are requested than there are."""

TEXT_KEPT: Final = TEXT_LIMIT + 1
"""Characters of it in a node: one more than in an observation shows that there are more."""

OFF_SCREEN: Final = -(2**31)
"""The left edge that some toolkits report of what is scrolled away; cells of trees continue to report SHOWING then."""

CELL_LIMIT: Final = 4000
"""Most cells of one view that are read; a sheet at a tenth of its size has more."""


@dataclass(frozen=True, slots=True)
class Surface:
    """An X window whose content is in another window's tree: its place on the screen, and its reported corner."""

    told_left: int
    told_top: int
    place: Rect


@dataclass(slots=True)
class Node:
    """One accessible object as it was read.

    `label`: the text of its label. `depth`: the levels of the walk above it. `in_page`: it is inside a web page.
    `index`: its number among its siblings, if its object is a new one at each read. `from_start`: the first row of such
    a tree is in view. `surface`: the X window that it is in, if not its window's own. `tip`: tooltip or placeholder, if
    it may have no other name. Of one read alone, `dropped_by` is the combo box whose open list contains it, and
    `in_menu` is true inside a menu that may be scrolled, or whose items are reported elsewhere. `numbers`: further
    ones that its toolkit reads, by name; `note`: in words, on the page of a document or content out of view; `docked`:
    a panel at the side of a window's content; `slide`: the name of the slide in view; `style`: that of a shape on it.
    """

    ref: Ref
    parent: Ref | None
    state: int
    role: int = -1
    name: str = ""
    label: str = ""
    tip: str = ""
    text: str = ""
    number: float | None = None
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    note: str = ""
    columns: int = 0
    rect: Rect = NOWHERE
    interfaces: frozenset[str] = frozenset()
    actions: tuple[str, ...] = ()
    children: list[Ref] = field(default_factory=list[Ref])
    labelled_by: list[Ref] = field(default_factory=list[Ref])
    label_for: list[Ref] = field(default_factory=list[Ref])
    depth: int = 0
    judged: Role | None = None
    in_page: bool = False
    index: int = -1
    from_start: bool = False
    surface: Surface | None = None
    dropped_by: Ref | None = None
    in_menu: bool = False
    docked: bool = False
    slide: str = ""
    style: str = ""
    caret: TextCaret | None = None

    def copy(self) -> "Node":
        """Return a copy with the same lists. (`replace` takes four times as long, and there are thousands.)"""
        return Node(*_fields_of(self))

    @property
    def is_read(self) -> bool:
        return self.role >= 0


_fields_of: Final = attrgetter(*(each.name for each in fields(Node)))


class Reach(IntEnum):
    """Extent of an observation; each includes those before it."""

    CONTROLS = 0
    """Neither text documents nor the cells of spreadsheets."""

    TEXTS = 1
    """The visible part of text documents."""

    WHOLE = 2
    """The visible cells of spreadsheets, which take longer than all else, and the tables of short documents."""

    OTHER_PAGES = 3
    """The tables on all pages of long documents."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A visible element inside an invisible one: `above` is its nearest visible ancestor, `branch` the child of that
    through which it is reached."""

    ref: Ref
    above: Ref
    branch: Ref


@dataclass(slots=True)
class Walk:
    """The result of one walk. `nodes`: parents before children, in reading order once it ended.

    `sheets`: the tables of spreadsheets among them. `truncated`: why not all visible elements were read; `elsewhere`:
    why not all of those out of view were; `untold`: properties that the application does not expose. `hidden`:
    invisible elements that may contain visible ones. `is_long`: only the children in view were read of some element.
    `told`: the reported extents of elements that report late; `shown`: True for those that reported SHOWING, also of
    invisible ones. `is_line`: one object was read, and role, extents and state of its ancestors, the outermost first.
    """

    nodes: dict[Ref, Node] = field(default_factory=dict[Ref, Node])
    sheets: list[Node] = field(default_factory=list[Node])
    hidden: list[Node] = field(default_factory=list[Node])
    is_long: bool = False
    truncated: str = ""
    elsewhere: str = ""
    untold: str = ""
    unread: int = 0
    errors: list[DesktopError] = field(default_factory=list[DesktopError])
    told: dict[Ref, Rect] = field(default_factory=dict[Ref, Rect])
    shown: dict[Ref, bool] = field(default_factory=dict[Ref, bool])
    is_line: bool = False


def is_flat(rect: Rect) -> bool:
    """True if one side is 0, as of a collapsed part of a splitter. With both sides 0 the extents may be unknown."""
    return (rect.width == 0) is not (rect.height == 0)


def cut(nodes: dict[Ref, Node], ref: Ref) -> None:
    """Remove a node with all below it."""
    below = [ref]
    while below:
        node = nodes.pop(below.pop(), None)
        below += node.children if node else []
