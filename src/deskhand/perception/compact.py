"""List of controls for a model: one line each, in regions, within a budget."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import tokens
from deskhand.perception.bars import bar_notes, folded_controls
from deskhand.perception.document_notes import with_document_notes
from deskhand.perception.same_names import words_for_same_names
from deskhand.perception.sheets import rows_of_task, with_notes, with_sheet_notes
from deskhand.perception.text_layout import MOST_INDENTED, Line, arrange, states_that_matter, with_words

DEFAULT_BUDGET: Final = 2000
SHEET_BUDGET: Final = 1200
"""Tokens of a list for a task up to which rows of a spreadsheet are added: `read_table` returns all of them."""
HARD_LIMIT: Final = 6000
FIRST_ROWS: Final = 3
_LEAST_TO_FOLD: Final = 8
_POPUPS: Final = frozenset({Role.DIALOG, Role.MENU, Role.WINDOW})
_BYTES_A_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class CompactList:
    """`text` has the listed lines; `omitted` controls did not fit, and lines of their own count them.

    Empty cells of a spreadsheet are neither listed nor omitted; a line counts them. Nor are controls that only frame
    others, or repeat their parent's text.
    """

    text: str
    tokens: int
    omitted: int = 0


def compact(
    targets: Sequence[TargetInfo], *, budget: int | None = DEFAULT_BUDGET, task: str | None = None
) -> CompactList:
    """The controls in reading order, in at most `budget` tokens, never more than `HARD_LIMIT`; None: all of them.

    `task`: the words of what is to be done. With them, the buttons of a tool bar with many are folded, but for those
    that are named in the task, or have a state; rows of a spreadsheet are added up to `SHEET_BUDGET`, those with words
    of the task before others.

    A line is `id role "name" = value (states)`; controls in a region follow its line, indented, and the cells of a row
    share one line. If not everything fits, similar rows are folded: the first ones are listed, and a line counts the
    others. Then interactive controls take precedence over those that are only read, earlier ones over later ones, and a
    last line counts the missing ones. With a budget too small for these lines they are all there is, over budget.
    """
    targets, on_lines = with_sheet_notes(targets)
    targets, on_documents = with_document_notes(targets)
    told = [target for target in targets if not _blank(target)]
    notes = [_blanks([target for target in targets if _blank(target)])] if len(told) < len(targets) else []
    lines = with_notes(*_arranged(told, task, {**on_lines, **on_documents}))
    folding = _folding(lines)
    whole = _written(lines, range(len(lines)), notes, folding)
    if budget is None:
        return CompactList(whole, tokens(whole))
    most = min(budget, HARD_LIMIT)
    spare = max(0, most - SHEET_BUDGET) if task is not None and any(line.of_sheet for line in lines) else 0
    if tokens(whole) <= most - spare:
        return CompactList(whole, tokens(whole))
    total = sum(len(line.targets) for line in lines)
    reserved = len("\n".join([*notes, _more(total)]).encode()) + 1
    basket = _Basket(lines, most * _BYTES_A_TOKEN - reserved, folding)
    kept = basket.filled(rows_of_task(lines, task or ""), spare * _BYTES_A_TOKEN)
    text = _written(lines, kept, notes, folding)
    return CompactList(text, tokens(text), total - sum(len(lines[index].targets) for index in kept))


def with_lines(targets: Sequence[TargetInfo]) -> list[TargetInfo]:
    """The controls that have a line in the whole list, alone or with others."""
    return [each for line in arrange([target for target in targets if not _blank(target)]) for each in line.targets]


def _arranged(
    targets: Sequence[TargetInfo], task: str | None, notes: Mapping[str, str]
) -> tuple[list[Line], dict[str, str]]:
    """Return the lines, without those of folded controls, and all notes on lines."""
    folded = folded_controls(targets, task) if task is not None else {}
    hidden = {each.handle for controls in folded.values() for each in controls}
    lines = arrange([target for target in targets if target.handle not in hidden])
    return with_words(lines, words_for_same_names(lines)), {**notes, **bar_notes(folded)}


def _written(lines: Sequence[Line], kept: Iterable[int], notes: Sequence[str], folding: set[int]) -> str:
    """Listed lines, folded rows counted in their place, the others counted at the end."""
    kept = sorted(kept)
    stays = set(kept)
    regions = {lines[index].under for index in kept}
    folded = Counter(line.family for n, line in enumerate(lines) if n not in stays and line.family in folding)
    last_of = {line.family: index for index in kept if (line := lines[index]).family in folded}
    out: list[str] = []
    for index in kept:
        line = lines[index]
        indent = " " * min(line.depth, MOST_INDENTED)
        out.append(f"{indent}{line.text}{':' if index in regions else ''}")
        if line.family is not None and last_of.get(line.family) == index:
            out.append(f"{indent}{_like_these(folded[line.family], line)}")
    missing = sum(len(x.targets) for n, x in enumerate(lines) if n not in stays and x.family not in last_of)
    return "\n".join([*out, *notes, *([_more(missing)] if missing else [])])


class _Basket:
    """Selection of lines within a limit of bytes."""

    def __init__(self, lines: Sequence[Line], room: int, folding: set[int]) -> None:
        self._lines = lines
        self._room = room
        self._kept: set[int] = set()
        self._folding = folding
        self._noted: set[int] = set()
        self._regions: set[int] = set()

    def filled(self, rarity: Mapping[int, int], spare: int) -> set[int]:
        """Interactive controls outside repeated rows, the first rows, texts up to half of the remaining room, more
        rows, those of low `rarity` first, which leave `spare` bytes.

        Controls in an open menu or a dialog come first, in half of the room: it was opened for the next action.
        """
        lines = self._lines
        single = [n for n, line in enumerate(lines) if line.family not in self._folding]
        rows = [n for n, line in enumerate(lines) if line.family in self._folding]
        usable = sorted((n for n in single if lines[n].usable), key=lambda n: not lines[n].marked)
        words = [n for n in single if not lines[n].usable]
        first = [n for n in self._first(rows) if lines[n].usable]
        popup = [n for n in (*single, *rows) if lines[n].usable and self._in_popup(n)]
        self._take(popup, leave=self._room // 2)
        if not (self._take(usable) and self._take(first)):
            return self._kept
        rows.sort(key=lambda n: rarity.get(n, len(lines)))
        self._take(words, leave=self._room // 2)
        if self._take((n for n in rows if lines[n].usable), leave=spare) and self._take(words):
            self._take(rows, leave=spare)
        return self._kept

    def _in_popup(self, number: int) -> bool:
        at: int | None = self._lines[number].under
        while at is not None:
            if any(target.type in _POPUPS for target in self._lines[at].targets):
                return True
            at = self._lines[at].under
        return False

    def _first(self, rows: Sequence[int]) -> list[int]:
        """The first rows of each family, and those that are focused or selected."""
        seen: Counter[int | None] = Counter()
        found: list[int] = []
        for row in rows:
            family = self._lines[row].family
            seen[family] += 1
            if seen[family] <= FIRST_ROWS or self._lines[row].marked:
                found.append(row)
        return found

    def _take(self, wanted: Iterable[int], *, leave: int = 0) -> bool:
        """Take lines until one does not fit; True if all of them fit."""
        for number in wanted:
            chain: list[int] = []
            at: int | None = number
            while at is not None and at not in self._kept:
                chain.append(at)
                at = self._lines[at].under
            families = {family for n in chain if (family := self._lines[n].family) in self._folding - self._noted}
            regions = {under for n in chain if (under := self._lines[n].under) is not None} - self._regions
            cost = sum(self._lines[n].size for n in chain) + len(regions)
            cost += sum(self._note_size(n) for n in chain if self._lines[n].family in families)
            if cost > self._room - leave:
                return False
            self._room -= cost
            self._kept.update(chain)
            self._regions |= regions
            self._noted |= families
        return True

    def _note_size(self, number: int) -> int:
        line = self._lines[number]
        note = _like_these(len(self._lines), line)
        return len(note.encode()) + min(line.depth, MOST_INDENTED) + 1


def _folding(lines: Sequence[Line]) -> set[int]:
    """Families whose first rows represent the others if there is no room for all."""
    sizes = Counter(line.family for line in lines if line.family is not None)
    return {family for family, count in sizes.items() if count >= _LEAST_TO_FOLD}


def _blank(target: TargetInfo) -> bool:
    """True for an empty cell of a spreadsheet without cursor and selection."""
    return "empty" in target.states and not states_that_matter(target)


def _blanks(cells: Sequence[TargetInfo]) -> str:
    found = (
        "the id of each is its address" if cells[0].id == cells[0].name else "find_controls finds each by its address"
    )
    return f"({len(cells)} empty cells, not listed; {found})"


def _more(omitted: int) -> str:
    return f"({omitted} more, use find_controls)"


def _like_these(count: int, line: Line) -> str:
    tool = "read_table" if line.of_sheet else "find_controls"
    return f"… {count} more {line.noun}{'' if count == 1 else 's'} like these, use {tool}"
