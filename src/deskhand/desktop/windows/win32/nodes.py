"""Descriptions of windows and of the things in them, as they are answered. Rectangles are in screen pixels."""

from dataclasses import dataclass, field

Rect = tuple[int, int, int, int]
"""left, top, right, bottom; half-open."""

NOWHERE: Rect = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Window:
    """A visible top-level window, an open menu, an open list of a combo box, or a tooltip."""

    hwnd: int
    pid: int
    """Of Windows, not of the system below."""
    xid: int
    """Its X window, 0 where there is none."""
    window_class: str
    name: str
    rect: Rect
    owner: int
    active: bool
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A control, an item or a menu entry."""

    key: str
    parent: str | None
    role: str
    name: str = ""
    text: str | None = None
    """Of fields and documents, with `\\n` as the line end."""
    caret: int = -1
    selection: tuple[int, int] | None = None
    states: tuple[str, ...] = ()
    rect: Rect = NOWHERE
    actions: tuple[str, ...] = ()
    value: tuple[float, float, float, float] | None = None
    """Now, least, greatest, step."""
    description: str = ""
    labelled_by: str | None = None
    """The key of the text that its name is of."""
    hidden: int | None = None
    """The length of a password."""
    length: int | None = None
    """The length of the whole text in UTF-16 units, of Scintilla in characters, where `text` is only its beginning."""
    count: int | None = None
    """The number of items, those out of view included."""
    columns: int | None = None
    row: int | None = None
    column: int | None = None
    window_class: str = ""
    control_id: int | None = None
    automation_id: str = ""
    """Of UI Automation alone."""


@dataclass(slots=True)
class Tree:
    """A window's nodes, parents before their children."""

    nodes: list[Node] = field(default_factory=list[Node])
    complete: bool = True
    why: str = ""
    popups: list[int] = field(default_factory=list[int])
    """The windows of open menus whose items are among the nodes, in the menus of the menu bar."""

    def cut(self, why: str) -> None:
        """Record that not everything was read."""
        self.complete = False
        self.why = self.why or why
