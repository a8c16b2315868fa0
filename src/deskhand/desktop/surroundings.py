"""Texts that identify a control: its row, the question it answers, its neighbours (contract 4.4)."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, Generic, TypeVar

from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.core.target import ITEMS, comparable_name
from deskhand.desktop.identity import unmarked

K = TypeVar("K")

_RECORDS: Final = frozenset({Role.ARTICLE, Role.LISTITEM, Role.ROW, Role.TREEITEM})
_WINDOWS: Final = frozenset({Role.DIALOG, Role.WINDOW})
_MARKS: Final = frozenset("*•●")
_QUESTIONS: Final = frozenset({Role.ALERT, Role.DIALOG})
_FIELDS: Final = frozenset(
    {
        Role.COMBOBOX,
        Role.LIST,
        Role.PASSWORD,
        Role.SLIDER,
        Role.SPINBUTTON,
        Role.TABLE,
        Role.TABLIST,
        Role.TEXTBOX,
        Role.TREE,
    }
)
"""A dialog with one of these does not only ask."""

TEXTS: Final = frozenset({Role.HEADING, Role.LABEL, Role.PARAGRAPH, Role.TEXT})
_CLOSED: Final = frozenset(
    {
        Role.BUTTON,
        Role.COMBOBOX,
        Role.MENU,
        Role.MENUITEM,
        Role.PASSWORD,
        Role.PROGRESSBAR,
        Role.SCROLLBAR,
        Role.SLIDER,
        Role.SPINBUTTON,
        Role.STATUS,
        Role.SWITCH,
        Role.TEXTBOX,
        Role.TOOLTIP,
    }
)
"""Roles used to act on a record, or that change while it stays the same: they and their content do not identify it."""

_SILENT: Final = _CLOSED | {Role.DIALOG, Role.DOCUMENT, Role.TITLEBAR, Role.WINDOW}
"""Roles whose name does not describe their content."""


@dataclass(frozen=True, slots=True)
class Element(Generic[K]):
    """One element of a window, listed as a control or not. `text`: its content where it has no name."""

    key: K
    parent: K | None
    role: Role
    name: str
    text: str = ""
    rect: Rect = NOWHERE


@dataclass(frozen=True, slots=True)
class Home(Generic[K]):
    """The row or part of a window (`at`) with the texts that identify an element, or the line through it (`is_line`).

    `whole`: the element that holds all of it.
    """

    at: K
    whole: K
    is_line: bool


class _Shelf(Generic[K]):
    """Elements of a container, found by height: a window may have thousands of lines."""

    def __init__(self, children: Iterable[tuple[K, Rect]]) -> None:
        self._placed = sorted(
            ((rect.top, rect.bottom, n, key) for n, (key, rect) in enumerate(children) if not rect.empty),
            key=itemgetter(0, 2),
        )
        self._tops = [top for top, *_ in self._placed]
        self._tallest = max((bottom - top for top, bottom, *_ in self._placed), default=0)

    def at(self, height: int) -> list[K]:
        """Those that a line at this height crosses, in reading order."""
        first, last = bisect_right(self._tops, height - self._tallest), bisect_right(self._tops, height)
        found = [(number, key) for _, bottom, number, key in self._placed[first:last] if height < bottom]
        return [key for _, key in sorted(found, key=itemgetter(0))]


class Surroundings(Generic[K]):
    """Surroundings of all elements of one window at one moment. Elements come parents before children, in reading
    order.
    """

    def __init__(self, elements: Iterable[Element[K]]) -> None:
        self._elements: dict[K, Element[K]] = {element.key: element for element in elements}
        self._children: dict[K | None, list[K]] = {}
        for element in self._elements.values():
            self._children.setdefault(element.parent, []).append(element.key)
        self._title = next((comparable_name(e.name) for e in self._elements.values() if e.role in _WINDOWS), "")
        self._asking: dict[K, bool] = {}
        self._shelves: dict[K | None, _Shelf[K]] = {}

    def records(self, controls: Sequence[tuple[K, Role, str]]) -> Mapping[K, tuple[str, ...]]:
        """Return the identifying texts for each control (key, role, name) whose name is not enough.

        A control in a row has that row's, one in a dialog that only asks the question's. Others have some only where
        another one of their role and name is visible: those of the largest part of the window that contains no other of
        them; where that has none, those in one line with it.
        """
        names = {key: (role, comparable_name(name)) for key, role, name in controls if role not in TEXTS}
        counts = Counter(names.values())
        twins: dict[tuple[Role, str], list[K]] = {}
        found: dict[K, tuple[str, ...]] = {}
        for key, named in names.items():
            home = self._home(key) if named[0] not in ITEMS else None
            if home is not None:
                found[key] = self._line(home, key) if self._stands_in_line(home) else self._texts(home, key)
            elif counts[named] > 1:
                twins.setdefault(named, []).append(key)
        for keys in twins.values():
            found |= self._set_apart(keys)
        return found

    def stands_among(self, key: K, record: tuple[str, ...]) -> bool:
        """True if a row, a part or a line around an element has these texts and no others."""
        return self.home(key, record) is not None

    def home(self, key: K, record: tuple[str, ...]) -> Home[K] | None:
        """Return the row, the part or the line around an element that has these texts and no others."""
        at: K | None = key
        while at is not None and at in self._elements:
            texts = self._texts(at, key)
            if record == texts:
                return Home(at, at, is_line=False)
            if record == self._line(at, key):
                return Home(at, self._elements[at].parent or at, is_line=True)
            if len(texts) > len(record):
                return None
            at = self._elements[at].parent
        return None

    def texts_in(self, home: Home[K], key: K) -> tuple[str, ...]:
        """Return the texts that a home has now, except those of the element itself."""
        if home.at not in self._elements:
            return ()
        return self._line(home.at, key) if home.is_line else self._texts(home.at, key)

    def _home(self, key: K) -> K | None:
        """Return the row or the question that contains a control."""
        cell: K | None = None
        at = self._elements[key].parent
        while at is not None and at in self._elements:
            role = self._elements[at].role
            if role in _RECORDS:
                return at
            if role is Role.CELL:
                cell = at
            elif role is Role.TABLE and cell is not None:
                return cell
            if role in _QUESTIONS and self._only_asks(at):
                return at
            at = self._elements[at].parent
        return cell

    def _stands_in_line(self, home: K) -> bool:
        """Return the row beside a cell that is a direct child of its table."""
        return self._elements[home].role is Role.CELL

    def _only_asks(self, dialog: K) -> bool:
        if dialog not in self._asking:
            self._asking[dialog] = not any(self._elements[key].role in _FIELDS for key in self._below(dialog))
        return self._asking[dialog]

    def _set_apart(self, keys: Sequence[K]) -> dict[K, tuple[str, ...]]:
        holds: Counter[K] = Counter()
        for key in keys:
            holds.update(self._above(key))
        found: dict[K, tuple[str, ...]] = {}
        for key in keys:
            largest = key
            for above in self._above(key):
                if holds[above] > 1:
                    break
                largest = above
            found[key] = self._texts(largest, key) or self._line(largest, key)
        return found

    def _above(self, key: K) -> list[K]:
        above: list[K] = []
        at = self._elements[key].parent
        while at is not None and at in self._elements:
            above.append(at)
            at = self._elements[at].parent
        return above

    def _below(self, root: K, but: K | None = None) -> Iterable[K]:
        """Return the elements inside another, in reading order; without those inside `but`, in rows of their own inside
        a row, or in documents that do not contain `but`.
        """
        role = self._elements[root].role
        stack = list(reversed(self._children.get(root, ())))
        while stack:
            key = stack.pop()
            inner = self._elements[key].role
            if key == but or (role in _RECORDS and inner is role) or self._is_work(key, but):
                continue
            yield key
            if inner not in _CLOSED:
                stack.extend(reversed(self._children.get(key, ())))

    def _is_work(self, key: K, but: K | None) -> bool:
        """True if it is a document that does not contain this control, and that others write and change."""
        return but is not None and self._elements[key].role is Role.DOCUMENT and key not in self._above(but)

    def _texts(self, root: K, but: K) -> tuple[str, ...]:
        """Return the texts of an element and everything inside it, except those of `but`, which they identify."""
        if root == but or self._elements[root].role in _CLOSED or self._is_work(root, but):
            return ()
        texts = (self._says(key) for key in (root, *self._below(root, but)))
        return tuple(text for text in texts if text)

    def _line(self, key: K, but: K) -> tuple[str, ...]:
        """Return the texts beside an element in its container."""
        place = self._elements[key].rect
        beside = [key] if place.empty else self._shelf(self._elements[key].parent).at(place.center.y)
        beside.sort(key=lambda other: self._elements[other].rect.left)
        return tuple(text for other in beside for text in self._texts(other, but))

    def _shelf(self, container: K | None) -> "_Shelf[K]":
        if container not in self._shelves:
            children = [(key, self._elements[key].rect) for key in self._children.get(container, ())]
            self._shelves[container] = _Shelf(children)
        return self._shelves[container]

    def _says(self, key: K) -> str:
        text = self._written(key)
        if text[:1] not in _MARKS and text[-1:] not in _MARKS:
            return text
        plain, role = unmarked(text), self._elements[key].role
        if not plain or text not in self._title or role in _RECORDS | ITEMS or self._home(key) is not None:
            return text
        return text if any(self._written(other) == plain for other in self._elements) else plain

    def _written(self, key: K) -> str:
        """Return its text, with the mark that its window's document is not saved."""
        element = self._elements[key]
        if element.role in _SILENT or (element.role is Role.ROWHEADER and element.name.isdecimal()):
            return ""  # a row's number is its place, not itself
        return comparable_name(element.name or (element.text if element.role in TEXTS | {Role.CELL} else ""))
