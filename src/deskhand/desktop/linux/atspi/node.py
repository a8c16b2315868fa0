"""What a walk through an application's tree brings back."""

from dataclasses import dataclass, field, fields
from enum import IntEnum
from operator import attrgetter
from typing import Final

from deskhand.core.errors import DesktopError
from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi.calls import Ref

TEXT_LIMIT: Final = 2000
"""Characters of a control's text in an observation; `read_text` returns all. All are requested, since some applications
return nothing if more are requested than there are."""

TEXT_KEPT: Final = TEXT_LIMIT + 1
"""Characters of it that a node keeps: the last one says that there are more than an observation has."""

CELL_LIMIT: Final = 4000
"""Cells of one view that are read; a sheet shows more at a tenth of its size."""


@dataclass(frozen=True, slots=True)
class Surface:
    """An X window within another's tree: where it is on the screen, and where its corner is told to be."""

    told_left: int
    told_top: int
    place: Rect


@dataclass(slots=True)
class Node:
    """One accessible object as it was read.

    `label` is the name its label gives it, `depth` how many levels of the walk are above it, `in_page`
    whether it stands in a web page, `index` its number in what it stands in, where its object is a new one at each
    look, `from_start` whether the first row of such a tree is in view, `surface` the X window that it stands in where
    that is not its window's own, and `tip` its description, or what stands in it while it is empty, where it may have
    no other name. Where it was read alone, `dropped_by` is the combo box in whose open list it stands, and `in_menu`
    says whether it stands in a menu that may be scrolled, or tells it elsewhere.
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

    def copy(self) -> "Node":
        """One of its own, with the same lists. (`replace` takes four times as long, and there are thousands.)"""
        return Node(*_fields_of(self))

    @property
    def is_read(self) -> bool:
        return self.role >= 0


_fields_of: Final = attrgetter(*(each.name for each in fields(Node)))


class Reach(IntEnum):
    """How far a look at a window reaches; each as far as those before it, and further."""

    CONTROLS = 0
    """Neither the text of an office's documents nor the cells of spreadsheets."""

    TEXTS = 1
    """What is in view of text documents."""

    WHOLE = 2
    """The cells in view of spreadsheets, which takes longer than all the rest, and the tables of short documents."""

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
    """What one walk saw. `nodes` holds what was read, parents before children, in reading order once it ended.

    `sheets` are the tables of spreadsheets among them. `truncated`: why not all that shows was read; `elsewhere`: why
    not all that belongs to it and is out of sight was; `untold`: what the application does not tell of what was read.
    `hidden` does not show, and may have in it what does;
    `is_long`: of the children of something only those in view were looked at. `told`: the places of what tells late, as
    they were said; `shown`: whether it said that it shows, of what does not too. `is_line`: one object was read, and of
    its ancestors, the outermost first, only role, place and state.
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
    """Takes an element out, with all below it."""
    below = [ref]
    while below:
        node = nodes.pop(below.pop(), None)
        below += node.children if node else []
