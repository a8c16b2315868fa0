"""Layout of a window's controls as lines: in regions, rows of tables on one line each."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT, TargetInfo, TargetKind, Trait, comparable_name
from deskhand.core.text import escaped, quoted, quoted_start
from deskhand.perception.box_kinds import Kind, interactive, kind_of
from deskhand.perception.carets import caret_of

MAX_TEXT: Final = 120
FEW_CONTROLS: Final = 12
MAX_TEXT_OF_FEW: Final = 2000
"""In a window of a few controls, as a message, no text is cut."""
MAX_TEXT_IN_ROW: Final = 60
MAX_IN_ROW: Final = 12
MOST_INDENTED: Final = 6
SEPARATOR: Final = " | "

_ADDRESS: Final = re.compile(r"\$?[A-Z]{1,3}\$?([0-9]+)")
_OF_SHEET: Final = frozenset({"empty", "result_untold"})
"""States of a cell of a spreadsheet without a value."""

_CELLS: Final = frozenset({Role.CELL, Role.COLUMNHEADER, Role.ROWHEADER})
_ITEMS: Final = frozenset({Role.LISTITEM, Role.TREEITEM})
"""Under several column headers they are cells."""
_RECORDS: Final = frozenset({Role.ROW, Role.LISTITEM, Role.TREEITEM, Role.ARTICLE})
_ALIKE: Final = _RECORDS | {Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO, Role.TAB, Role.LINK}
_WORDS: Final = frozenset({Role.LABEL, Role.TEXT, Role.IMAGE})
_WRITTEN_IN: Final = frozenset({Role.SPINBUTTON, Role.TEXTBOX})
_REGIONS: Final = frozenset(
    {Role.ALERT, Role.DIALOG, Role.DOCUMENT, Role.FIGURE, Role.LIST, Role.TABLE, Role.TREE, Role.TOOLTIP, Role.WINDOW}
)
"""Their line says something even without a name."""
_BARS: Final = frozenset({Role.MENUBAR, Role.STATUS, Role.TABPANEL, Role.TOOLBAR})
"""So does theirs, where it stands over several controls."""
_BOXES: Final = frozenset({Role.GENERIC, Role.GROUP, Role.TOOLBAR})
"""Their line adds nothing to controls of the same name."""
_STATES: Final = (
    "focused",
    "checked",
    "indeterminate",
    "pressed",
    "selected",
    "expanded",
    "collapsed",
    "read_only",
    "required",
    "invalid_entry",
    "busy",
    "modal",
    "default",
    "picture_only",
    "covered",
    "other_pages_unlisted",
    "checked_untold",
    "result_untold",
    "number_as_text",
)


_VIEWS: Final = frozenset({Role.LIST, Role.TREE, Role.TABLE})


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its text without indentation, and the controls on it.

    `under` is the index of the line of its region, None at the top. `usable`: a control on it can be operated.
    `family`: the same number for similar rows, None for others; `noun` is the name of one.
    """

    text: str
    targets: tuple[TargetInfo, ...]
    under: int | None
    depth: int
    usable: bool
    family: int | None = None
    noun: str = ""

    @property
    def size(self) -> int:
        """Bytes with its indentation and its end."""
        return len(self.text.encode("utf-8", errors="surrogatepass")) + min(self.depth, MOST_INDENTED) + 1

    @property
    def of_sheet(self) -> bool:
        """True for a row of a spreadsheet."""
        return self.family is not None and Trait.OF_SHEET in self.targets[0].traits

    @property
    def marked(self) -> bool:
        """True if one of its controls is focused or selected."""
        return any(not {"focused", "selected"}.isdisjoint(target.states) for target in self.targets)


def line_of(target: TargetInfo, *, longest: int = MAX_TEXT) -> str:
    """One control: `12 textbox "Name" = "Ada" (focused)`; a window: `1 window "Notes" of gedit`."""
    parts = [target.id, target.type.value] if target.id else [target.type.value]
    if target.name:
        parts.append(quoted(target.name, longest))
    if target.kind is TargetKind.WINDOW and target.application:
        parts += ["of", escaped(" ".join(target.application.split()))]
    if _tells_value(target):
        parts += ["=", _told_value(target, longest)]
    return " ".join([*parts, *_told_states(target)])


def states_that_matter(target: TargetInfo) -> tuple[str, ...]:
    """States that are not obvious, in a fixed order; "disabled" if a visible control takes no input.

    The first of a document is its page.
    """
    found = [target.note] if target.note and target.type is Role.DOCUMENT else []
    found += [state for state in _STATES if state in target.states]
    seen_to_refuse = "showing" in target.states and "enabled" not in target.states and _takes_input(target)
    if seen_to_refuse or "disabled" in target.states:
        found.append("disabled")
    if "checkable" in target.states and "checked" not in target.states:
        found.append("not checked")
    if Trait.OPENS_LIST in target.traits:
        found.append("opens a list")
    if target.unsaved:
        found.append("unsaved changes")
    return tuple(found)


def _takes_input(target: TargetInfo) -> bool:
    return interactive(target) or (target.type in _VIEWS and "focusable" in target.states)


def _told_value(target: TargetInfo, longest: int) -> str:
    return (quoted_start if TEXT_CUT in target.states else quoted)(target.value, longest)


def arrange(targets: Sequence[TargetInfo]) -> list[Line]:
    """All lines of a window. The controls come parents before children, in reading order.

    Left out are texts that repeat their parent's (the label on a button), and controls that only frame others: a box
    without a name, a cell around one control with the same text.
    """
    return _Arrangement(targets).lines


def with_words(lines: Sequence[Line], words: Mapping[str, str]) -> list[Line]:
    """Return the lines, with the words for a control, by its handle, after it."""
    return [_with_words(line, words) if any(each.handle in words for each in line.targets) else line for line in lines]


def _with_words(line: Line, words: Mapping[str, str]) -> Line:
    texts = [line.text] if len(line.targets) == 1 else [_entry(target) for target in line.targets]
    noted = (
        f"{text} ({words[target.handle]})" if target.handle in words else text
        for text, target in zip(texts, line.targets, strict=True)
    )
    return replace(line, text=SEPARATOR.join(noted))


def _told_states(target: TargetInfo) -> list[str]:
    caret = caret_of(target)
    states = [state for state in states_that_matter(target) if state != "selected" or not caret]
    states += caret
    return [f"({', '.join(states)})"] if states else []


class _Arrangement:
    """The controls as a tree of indexes, and the lines made of it."""

    def __init__(self, targets: Sequence[TargetInfo]) -> None:
        self._targets = targets
        self._longest = MAX_TEXT if len(targets) > FEW_CONTROLS else MAX_TEXT_OF_FEW
        self._parent: list[int | None] = []
        own: list[list[int]] = [[] for _ in targets]
        roots: list[int] = []
        where: dict[str, int] = {}
        for index, target in enumerate(targets):
            parent = where.get(target.parent) if target.parent else None
            self._parent.append(parent)
            (roots if parent is None else own[parent]).append(index)
            if target.handle:
                where.setdefault(target.handle, index)
        self._inside: list[list[int]] = [[] for _ in targets]
        heads = Counter(
            above for above, each in zip(self._parent, targets, strict=True) if each.type is Role.COLUMNHEADER
        )
        self._in_columns = {above for above, count in heads.items() if count > 1}
        self._frame = [False] * len(targets)
        for index in reversed(range(len(targets))):  # children first
            self._inside[index] = self._spliced(own[index])
            self._frame[index] = self._only_frames(index) or self._repeats_names(index)
        self.lines: list[Line] = []
        self._families: dict[tuple[int, str], int] = {}
        self._tell_all(self._spliced(roots))

    def _spliced(self, children: Sequence[int]) -> list[int]:
        """Replacement of these controls: for a frame, its content; for a repeated text, nothing."""
        found: list[int] = []
        for child in children:
            if self._frame[child]:
                found += self._inside[child]
            elif not self._said_by_parent(child):
                found.append(child)
        return found

    def _said_by_parent(self, index: int) -> bool:
        target, parent = self._targets[index], self._parent[index]
        if parent is None or target.type not in _WORDS or self._inside[index]:
            return False
        whole = self._targets[parent]
        if kind_of(target) is not Kind.READ and not _is_written_in(whole, target):
            return False
        if not (interactive(whole) or whole.type in _RECORDS) or states_that_matter(target):
            return False
        return _has_words(comparable_name(f"{whole.name} {whole.value}"), comparable_name(target.name or target.value))

    def _only_frames(self, index: int) -> bool:
        target, inside = self._targets[index], self._inside[index]
        if not inside or states_that_matter(target):
            return False
        if target.type in _CELLS and len(inside) == 1:
            if _is_written_in(target, self._targets[inside[0]]):
                return False
            return _text(target) in {"", _text(self._targets[inside[0]])}
        if target.name or target.value or interactive(target) or kind_of(target) is not Kind.CONTAIN:
            return False
        is_region = target.type in _REGIONS or (target.type in _BARS and len(inside) > 1)
        return not is_region and target.type is not Role.ROW

    def _repeats_names(self, index: int) -> bool:
        """True for a box whose name, but for a colon, all controls in it have."""
        box, inside = self._targets[index], [self._targets[child] for child in self._inside[index]]
        if box.type not in _BOXES or not (box.name and inside) or states_that_matter(box):
            return False
        names = {comparable_name(each.name).rstrip(":") for each in (box, *inside)}
        leaves = not any(self._inside[child] for child in self._inside[index])
        return len(names) == 1 and leaves and all(map(interactive, inside))

    def _tell_all(self, roots: list[int]) -> None:
        """Make the lines, without recursion: a page may be nested to any depth."""
        waiting: list[Iterator[tuple[int, ...]]] = [iter(self._by_rows(None, roots))]
        regions: list[int | None] = [None]
        while waiting:
            indexes = next(waiting[-1], None)
            if indexes is None:
                waiting.pop()
                regions.pop()
                continue
            number = len(self.lines)
            if self._tell(indexes, regions[-1], len(regions) - 1):
                waiting.append(iter(self._by_rows(indexes[0], self._inside[indexes[0]])))
                regions.append(number)

    def _tell(self, indexes: tuple[int, ...], under: int | None, depth: int) -> bool:
        """Add a line; True if the content of its one control follows on further lines."""
        first = indexes[0]
        everything = self._record(first) if len(indexes) == 1 else indexes
        targets = tuple(self._targets[index] for index in everything)
        several = len(everything) > 1
        in_row = several or self._is_cell_of_table(first)
        alone = "" if in_row else line_of(targets[0], longest=self._longest)
        text = alone or SEPARATOR.join(map(_entry, targets))
        family, noun = self._family(first, in_row=in_row)
        usable = any(interactive(target) or _selectable(target) for target in targets)
        self.lines.append(Line(text, targets, under, depth, usable, family, noun))
        return len(everything) == 1 and bool(self._inside[first])

    def _family(self, index: int, *, in_row: bool) -> tuple[int | None, str]:
        parent, role = self._parent[index], self._targets[index].type
        while parent is not None and self._frame[parent]:
            parent = self._parent[parent]
        if parent is None or not (in_row or role in _ALIKE):
            return None, ""
        noun = "row" if in_row and role not in _ALIKE - {Role.ROW} else role.value
        return self._families.setdefault((parent, noun), len(self._families)), noun

    def _record(self, index: int) -> tuple[int, ...]:
        """A row or an item with all its content, if that is little and has no rows; else itself alone.

        A row without text of its own is replaced by its cells.
        """
        target = self._targets[index]
        if target.type not in _RECORDS or not self._inside[index]:
            return (index,)
        found: list[int] = []
        waiting = list(reversed(self._inside[index]))
        while waiting:
            child = waiting.pop()
            found.append(child)
            if len(found) > MAX_IN_ROW or self._targets[child].type in _RECORDS:
                return (index,)
            waiting += reversed(self._inside[child])
        texts = comparable_name(" ".join(_text(self._targets[child]) for child in found))
        silent = not states_that_matter(target) and not _selectable(target) and not interactive(target)
        if silent and comparable_name(target.name) in {"", texts} and len(found) > 1:
            return tuple(found)
        return (index, *found)

    def _is_cell_of_table(self, index: int) -> bool:
        target, parent = self._targets[index], self._parent[index]
        if parent is None or self._inside[index]:
            return False
        if target.type in _ITEMS:
            return parent in self._in_columns
        return target.type in _CELLS or (
            self._targets[parent].type is Role.TABLE and _row_in_address(target) is not None
        )

    def _by_rows(self, parent: int | None, children: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Cells of one row together, all else one by one."""
        if parent is None:
            yield from ((child,) for child in children)
            return
        for row, members in groupby(children, self._row_of):
            if row is None:
                yield from zip(members)
            else:
                yield tuple(members)

    def _row_of(self, index: int) -> tuple[str, int] | None:
        if not self._is_cell_of_table(index):
            return None
        target = self._targets[index]
        row = _row_in_address(target)
        if row is not None:
            return "address", row
        return None if target.rect.empty else ("top", target.rect.top)


def _is_written_in(whole: TargetInfo, words: TargetInfo) -> bool:
    """True if words are the text of a cell or the like of a page: all of them are marked as editable."""
    return {"editable", "focusable"} <= whole.states and words.type in _WORDS and "focusable" not in words.states


def _has_words(text: str, words: str) -> bool:
    """True if words occur in a text, not as parts of longer ones: in `Inbox 2024`, `2` does not."""
    return words in text and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def _text(target: TargetInfo) -> str:
    return comparable_name(target.name or target.value)


def _row_in_address(target: TargetInfo) -> int | None:
    """The row in the address of a spreadsheet's cell; one whose name is a key such as `F2` in a list has none."""
    return _row_in(target.name) if target.value or _OF_SHEET & target.states else None


@lru_cache(maxsize=4096)
def _row_in(name: str) -> int | None:
    address = _ADDRESS.fullmatch(name)
    return int(address[1]) if address else None


def _tells_value(target: TargetInfo) -> bool:
    """True if the value adds to the name; the text of an entry does, also if both are equal."""
    holds = target.type in _WRITTEN_IN or (target.type is Role.CELL and _row_in_address(target) is not None)
    return bool(target.value) and (holds or target.value != target.name)


def _selectable(target: TargetInfo) -> bool:
    return target.type in _RECORDS and "selectable" in target.states


def _entry(target: TargetInfo) -> str:
    """A control in a row. A cell is written without its role: `85 A1 "Region"`, `25 "Row 0"`; one whose id is its
    address without its name too: `A1 "Region"`.
    """
    is_addressed = _row_in_address(target) is not None
    if not target.id or not (target.type is Role.CELL or is_addressed) or not (target.name or target.value):
        return line_of(target, longest=MAX_TEXT_IN_ROW)
    parts = [target.id]
    if target.name and target.name != target.id:
        parts.append(target.name if is_addressed else quoted(target.name, MAX_TEXT_IN_ROW))
    if _tells_value(target):
        parts += [] if is_addressed else ["="]
        parts.append(_told_value(target, MAX_TEXT_IN_ROW))
    return " ".join([*parts, *_told_states(target)])
