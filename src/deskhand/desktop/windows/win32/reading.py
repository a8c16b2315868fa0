"""The state of one reading: a control, and the tree that it is added to."""

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypedDict, Unpack

from . import dlls
from .class_names import standard_class
from .messages import control_id
from .nodes import NOWHERE, Node, Rect, Tree
from .windows import caption_of, info_of, rect_of

WS_VISIBLE: Final = 0x10000000
WS_DISABLED: Final = 0x08000000
WS_TABSTOP: Final = 0x00010000
MOST_ITEMS: Final = 400
"""The largest number of items of a list that are read."""
MOST_UNITS: Final = 16_000
"""The length of a text in a tree at most."""

SEEN: Final = ("visible", "showing")
USABLE: Final = ("enabled", "sensitive")


@dataclass(frozen=True)
class Control:
    """A window inside a window, or the window itself."""

    handle: int
    window_class: str
    parent: int
    style: int
    rect: Rect
    label: str = ""
    """The text before it, where that names it."""
    labelled_by: int = 0
    """The handle of that text."""

    @property
    def key(self) -> str:
        """The key of its node."""
        return str(self.handle)

    @cached_property
    def kind(self) -> str:
        """The standard class that it is of, see `standard_class`."""
        return standard_class(self.window_class)

    @property
    def enabled(self) -> bool:
        """It takes input."""
        return not self.style & WS_DISABLED

    @cached_property
    def client(self) -> Rect:
        """The part without frame and scroll bars, in screen pixels."""
        return rect_of(info_of(self.handle).client)

    @cached_property
    def caption(self) -> str:
        """Its own text, as stored by the system."""
        return caption_of(self.handle)


class Details(TypedDict, total=False):
    """The fields of a node that differ from kind to kind."""

    name: str
    text: str | None
    caret: int
    selection: tuple[int, int] | None
    actions: tuple[str, ...]
    value: tuple[int, int, int, int] | None
    description: str
    hidden: int | None
    length: int | None
    count: int | None
    columns: int | None


class ItemDetails(Details, total=False):
    """The same for an item of a control."""

    row: int | None
    column: int | None


@dataclass
class Reading:
    """The nodes read so far, and the focus, of one window."""

    root: Control
    focus: int
    tree: Tree = field(default_factory=Tree)
    clips: dict[int, Rect] = field(default_factory=dict[int, Rect])
    """The visible part of each window that has been read."""
    heads: dict[int, list[Rect]] = field(default_factory=dict[int, list[Rect]])
    """The rectangles of the items of each header that has been read."""
    around_items: Rect | None = None
    """The visible part of the control whose items are read; None where they may be anywhere, as those of menus."""
    tips: Mapping[int, Sequence[tuple[int, int]]] | None = None
    """The result of `tips_of_controls`; None before it is needed."""
    commands: dict[int, str] = field(default_factory=dict[int, str])
    """Labels of the window's menu items by their number, which names buttons of tool bars without a text."""

    def add(self, control: Control, role: str, states: tuple[str, ...] = (), **details: Unpack[Details]) -> None:
        """Add a control's own node."""
        number = control_id(control.handle)
        details.setdefault("name", control.label)
        label = control.labelled_by if details.get("name") == control.label else 0
        self.tree.nodes.append(
            Node(
                key=control.key,
                parent=None if control.handle == self.root.handle else str(control.parent),
                role=role,
                states=tuple(dict.fromkeys((*self._common(control), *states))),
                rect=control.rect,
                labelled_by=str(label) if label else None,
                window_class=control.window_class,
                control_id=number if 0 < number < 0xFFFF else None,
                **details,
            )
        )

    def add_item(
        self, key: str, parent: str, role: str, rect: Rect = NOWHERE, **details: Unpack["ItemWithStates"]
    ) -> None:
        """Add a node inside a control. `rect` is in screen pixels; what is out of view of it is left out."""
        if self.around_items is not None and rect != NOWHERE:
            rect = intersection(rect, self.around_items)
            if rect == NOWHERE:
                details["states"] = tuple(state for state in details.get("states", ()) if state != "showing")
        self.tree.nodes.append(Node(key=key, parent=parent, role=role, rect=rect, **details))

    def clip(self, control: Control) -> Rect:
        """The part of a control that its parents leave visible."""
        around = self.clips.get(control.parent, self.root.rect)
        return intersection(control.rect, around)

    def _common(self, control: Control) -> tuple[str, ...]:
        states = USABLE if control.enabled else ()
        inside = self.clips[control.handle] if control.handle in self.clips else self.clip(control)
        states += SEEN if inside != NOWHERE else ("visible",)
        if control.style & WS_TABSTOP or control.handle == self.focus:
            states += ("focusable",)
        return (*states, "focused") if control.handle == self.focus else states


class ItemWithStates(ItemDetails, total=False):
    """An item's fields with its states."""

    states: tuple[str, ...]


def intersection(one: Rect, other: Rect) -> Rect:
    """The part of the screen that two rectangles have in common, `NOWHERE` where there is none."""
    left, top = max(one[0], other[0]), max(one[1], other[1])
    right, bottom = min(one[2], other[2]), min(one[3], other[3])
    return (left, top, right, bottom) if left < right and top < bottom else NOWHERE


def moved(rect: Rect, by: Rect) -> Rect:
    """`rect`, which is relative to the left top of `by`, in screen pixels."""
    left, top = by[0], by[1]
    return (rect[0] + left, rect[1] + top, rect[2] + left, rect[3] + top)


def without_ampersand(text: str) -> str:
    """A caption without the marks of its access key."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&")


def is_named(text: str, name: str) -> bool:
    """The text is this name, but for the number of spaces."""
    return text.split() == name.split()


def item_states(usable: bool, inside: bool, *others: str) -> tuple[str, ...]:
    """An item's states."""
    return (*(USABLE if usable else ()), *(SEEN if inside else ()), *others)


def focus_of(handle: int) -> int:
    """The handle that has the keyboard in the window's program, 0 where none has."""
    info = thread_state(handle)
    return info.focus


def thread_state(handle: int) -> dlls.ThreadInfo:
    """Focus, active window and menu of the thread of a window."""
    info = dlls.ThreadInfo(size=ctypes.sizeof(dlls.ThreadInfo))
    dlls.thread_info(dlls.thread_process(handle, None), ctypes.byref(info))
    return info
