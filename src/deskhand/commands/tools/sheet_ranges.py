"""Ranges of a spreadsheet in one step: sorting, formats, duplicate rows (contract 4.2)."""

import unicodedata
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import ClassVar, Final, Literal

from pydantic import Field

from deskhand.commands.call import Call, Expects, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, action
from deskhand.commands.effects.sheet_copy import NUMBERS, CellFormat, SheetCopy, normal_number_format
from deskhand.commands.techniques.cells import Address, Sheet, open_sheet, parse_range, range_name, require_inside
from deskhand.commands.techniques.document_copy import copied_sheet
from deskhand.commands.techniques.office_windows.interface import document_interface
from deskhand.commands.techniques.own_interface import change, free_window
from deskhand.commands.techniques.sheets import free_cells
from deskhand.core.cell_names import column_name, column_number
from deskhand.core.command import Effect, EffectClass, Needed
from deskhand.core.errors import ActionRefused
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.text import quoted
from deskhand.desktop.protocols.application_interface import ApplicationInterface
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.store.opendocument import StoredCell

_MOST_CELLS: Final = 200_000
_CHANGE_S: Final = 30.0
_REMOVE_S: Final = 60.0
"""Each run of rows is moved by itself: 24 s for 950 of them in 5000 rows."""
_SHOWN_S: Final = 3.0
_DAY_ZERO: Final = datetime(1899, 12, 30)  # noqa: DTZ001 - cells have no time zone
_HEADER: Final = "the first row has headings and stays"
_COLOR: Final = r"^#[0-9a-fA-F]{6}$"

Shown = Sequence[Sequence[str]]
Value = float | str | None


class SortKey(Arguments):
    column: str = Field(description="a letter, or a heading")
    descending: bool = False


class SortRange(Arguments):
    decided: ClassVar = frozenset({"by"})

    range: str = Field(description="cells such as A1:C9")
    by: list[SortKey] = Field(min_length=1, description="the most important column first")
    header: bool = Field(description=_HEADER)


class FormatRange(Arguments):
    decided: ClassVar = frozenset({"align", "background", "color", "number_format"})

    range: str = Field(description="cells such as A1:C1")
    bold: bool | None = Field(default=None, description="on or off")
    italic: bool | None = Field(default=None, description="on or off")
    number_format: str | None = Field(default=None, description="such as 0.00, #,##0, 0% or YYYY-MM-DD")
    align: Literal["left", "center", "right"] | None = Field(default=None, description="of the texts")
    background: str | None = Field(default=None, pattern=_COLOR, description="#rrggbb")
    color: str | None = Field(default=None, pattern=_COLOR, description="of the text, #rrggbb")


class RemoveDuplicates(Arguments):
    decided: ClassVar = frozenset({"columns"})

    range: str = Field(description="cells such as A1:C9")
    header: bool = Field(description=_HEADER)
    columns: list[str] = Field(default=[], description="letters or headings of those compared; empty: all")


@dataclass(frozen=True, slots=True)
class _Area:
    """A range of the sheet in front, reached through both interfaces; `facts` as `uno_helper.sheets.facts`."""

    desktop: Desktop
    sheet: Sheet
    interface: ApplicationInterface
    rows: range
    columns: range
    facts: JsonObject

    @property
    def name(self) -> str:
        return range_name(Address(self.rows.start, self.columns.start), len(self.rows), len(self.columns))

    async def copy(self) -> SheetCopy:
        return await copied_sheet(self.interface, str(self.facts["sheet"]), self.rows, self.columns)

    async def shown(self) -> Shown:
        """The texts that the window exposes."""
        return await self.desktop.read_table(self.sheet.cells, self.rows, self.columns, deadline_s=_CHANGE_S)

    async def shows(self, wanted: Shown) -> bool:
        async def so() -> bool | None:
            return True if _same(await self.shown(), wanted) else None

        return bool(await self.desktop.wait_until(so, deadline_s=_SHOWN_S))

    def column(self, name: str, *, header: bool, headings: Sequence[str]) -> int:
        """A column by its letter or heading, from 0 in the area. Raises: ActionRefused."""
        found = [place for place, heading in enumerate(headings) if header and heading.strip() == name.strip()]
        letters = name.strip().upper()
        if not found and letters.isascii() and letters.isalpha() and column_number(letters) in self.columns:
            found = [column_number(letters) - self.columns.start]
        if len(found) != 1:
            offered = ", ".join(map(column_name, self.columns))
            what = f"{len(found)} columns of {self.name} are called" if found else f"{self.name} has no column"
            raise ActionRefused(f"{what} {name!r}", fix=f"name it by its letter: {offered}")
        return found[0]

    @property
    def note(self) -> str:
        """A note on formulas elsewhere."""
        dependents = self.facts["dependents"]
        return f"; formulas that refer to it and may have other results now: {dependents}" if dependents else ""


async def sort_range(tools: ToolContext, call: Call, arguments: SortRange) -> ToolOutcome:
    """Sorts the rows of a range of the sheet."""
    async with _area(tools, call, arguments.range, whole_rows=True) as area:
        shown, before = await area.shown(), await area.copy()
        keys = [(area.column(key.column, header=arguments.header, headings=shown[0]), key) for key in arguments.by]
        told: list[JsonValue] = [{"column": column, "descending": key.descending} for column, key in keys]
        await change(
            tools, area.interface, "sort", area=area.name, keys=told, header=arguments.header, deadline_s=_CHANGE_S
        )
        after, now = await area.copy(), await area.shown()
        first = int(arguments.header)
        if sorted(_texts(now[first:])) != sorted(_texts(shown[first:])) or list(now[:first]) != list(shown[:first]):
            return await _undone(area, shown, f"Sort {area.name}", "other rows came of it, as formulas in them changed")
        wrong = _out_of_order(after, area, first, [(column, key.descending) for column, key in keys])
    moved = sum(one != other for one, other in zip(now, shown, strict=True))
    evidence = f"{area.name} has its {len(area.rows) - first} rows in the new order, {moved} moved{area.note}"
    if wrong:
        return _outcome(area, Effect.UNVERIFIABLE, f"{evidence}; but {wrong}")
    if _rows_of(before, area, shown) == _rows_of(after, area, now):
        return _outcome(area, Effect.CONFIRMED, evidence)
    return _outcome(area, Effect.UNVERIFIABLE, f"{evidence}; a copy of the document has another order than the window")


async def format_range(tools: ToolContext, call: Call, arguments: FormatRange) -> ToolOutcome:
    """Formats cells of the sheet; their values stay."""
    wanted = arguments.model_dump(exclude={"range"}, exclude_none=True)
    if not wanted:
        raise ActionRefused("no format is given", fix="give at least one, such as bold=true")
    async with _area(tools, call, arguments.range) as area:
        before = await area.copy()
        await change(tools, area.interface, "style", area=area.name, deadline_s=_CHANGE_S, **wanted)
        after = await area.copy()
    places = [(row, column) for row in area.rows for column in area.columns]
    changed = [place for place in places if not _same_content(before.at(*place), after.at(*place))]
    if changed:
        return _outcome(area, Effect.PARTIAL, f"the content of {Address(*changed[0])} changed")
    for place in places:
        for name, value in wanted.items():
            found = _read_format(after.format_at(*place), name)
            if not _is_format(name, value, found):
                effect = Effect.UNVERIFIABLE if found is None else Effect.PARTIAL
                return _outcome(area, effect, f"{name} of {Address(*place)} reads {found!r}, not {value!r}")
    formats = ", ".join(f"{name} {value}" for name, value in wanted.items())
    return _outcome(area, Effect.CONFIRMED, f"the {len(places)} cells {area.name} have {formats}")


async def remove_duplicates(tools: ToolContext, call: Call, arguments: RemoveDuplicates) -> ToolOutcome:
    """Removes rows of a range that repeat an earlier one; the others move up in it. `removed`: how many."""
    async with _area(tools, call, arguments.range, whole_rows=True) as area:
        shown, before = await area.shown(), await area.copy()
        named = arguments.columns
        compared = [area.column(name, header=arguments.header, headings=shown[0]) for name in named] or list(
            range(len(area.columns))
        )
        kept = _first_of_each(before, area, int(arguments.header), compared)
        removed = len(area.rows) - len(kept)
        if not removed:
            return ToolOutcome({"removed": 0}, Effect.CONFIRMED, area.interface.route, f"{area.name} has no duplicates")
        await change(tools, area.interface, "keep_rows", area=area.name, rows=list(kept), deadline_s=_REMOVE_S)
        wanted = [shown[row] for row in kept] + [("",) * len(area.columns)] * removed
        if not await area.shows(wanted):
            return await _undone(area, shown, f"Remove rows of {area.name}", "other rows are left than there should be")
        after, nothing = await area.copy(), (None,) * len(area.columns)
    rows = [before.values(area.rows[row], area.columns) for row in kept] + [nothing] * removed
    if rows != [after.values(row, area.columns) for row in area.rows]:
        return _outcome(area, Effect.UNVERIFIABLE, "a copy of the document has other rows left than the window")
    evidence = f"{removed} rows were removed from {area.name}, {len(kept)} are left{area.note}"
    return ToolOutcome({"removed": removed}, Effect.CONFIRMED, area.interface.route, evidence)


@asynccontextmanager
async def _area(tools: ToolContext, call: Call, name: str, *, whole_rows: bool = False) -> AsyncGenerator[_Area]:
    """A range that can be changed; `whole_rows`: its rows are moved. Raises: ActionRefused."""
    rows, columns = parse_range(name)
    if len(rows) * len(columns) > _MOST_CELLS:
        raise ActionRefused(f"{name} has {len(rows) * len(columns)} cells, more than {_MOST_CELLS}", fix="name fewer")
    window = await free_window(tools, call)
    sheet = await open_sheet(tools.desktop, call)
    await require_inside(tools.desktop, sheet, Address(rows[-1], columns[-1]))
    await free_cells(tools, call)
    async with document_interface(tools, call, window) as interface:
        area = range_name(Address(rows.start, columns.start), len(rows), len(columns))
        if interface.document.read_only:
            raise ActionRefused("the document is open for reading only", fix="save it under another name first")
        facts = await interface.read("range_facts", area=area)
        _require_changeable(area, facts, whole_rows=whole_rows)
        yield _Area(tools.desktop, sheet, interface, rows, columns, facts)


def _require_changeable(area: str, facts: JsonObject, *, whole_rows: bool) -> None:
    if facts["protected"]:
        raise ActionRefused(f"the sheet {facts['sheet']!r} is protected", fix="unprotect it, if that is wanted")
    if whole_rows and facts["merged"]:
        raise ActionRefused(f"{area} has merged cells", fix="part them, or name cells without them")
    if whole_rows and facts["hidden"]:
        raise ActionRefused(
            f"rows or columns of {area} are hidden or filtered out", fix="show them first, or name cells without them"
        )


async def _undone(area: _Area, shown: Shown, title: str, why: str) -> ToolOutcome:
    """Undo the change, and report that."""
    told = await area.interface.change("undo", title=title)
    if not told["undone"]:
        return _outcome(area, Effect.PARTIAL, f"{why}; it was not undone: undo it by Ctrl+Z")
    others = "" if await area.shows(shown) else ", and cells read otherwise than before, such as results of formulas"
    return _outcome(area, Effect.PARTIAL, f"{why}; it was undone{others}")


def _outcome(area: _Area, effect: Effect, evidence: str) -> ToolOutcome:
    return ToolOutcome(None, effect, area.interface.route, evidence, retry_safe=False)


def _rows_of(copy: SheetCopy, area: _Area, shown: Shown) -> Counter[tuple[tuple[str, ...], tuple[Value, ...]]]:
    """The rows as the window exposes them, each with its values in the copy, whatever their order."""
    values = (copy.values(row, area.columns) for row in area.rows)
    return Counter(zip(_texts(shown), values, strict=True))


def _out_of_order(copy: SheetCopy, area: _Area, first: int, keys: Sequence[tuple[int, bool]]) -> str:
    """Two rows that are not in order, in a sentence; empty if all are. Languages may order texts otherwise."""
    rows = [[copy.at(row, column) for column in area.columns] for row in area.rows[first:]]
    for one, other in pairwise(rows):
        for column, descending in keys:
            order = _compared(one[column], other[column], descending=descending)
            if order > 0:
                return f"{quoted(str(one[column].value))} is before {quoted(str(other[column].value))}"
            if order < 0:
                break
    return ""


def _compared(one: StoredCell, other: StoredCell, *, descending: bool) -> int:
    """Below 0: in this order; 0: equal; empty cells are last in both directions."""
    if one.value is None or other.value is None:
        return (one.value is None) - (other.value is None)
    first, second = _rank(one), _rank(other)
    order = (first > second) - (first < second)
    return -order if descending else order


def _rank(cell: StoredCell) -> tuple[int, float, list[tuple[int, str]]]:
    """Numbers before texts, and errors after both, which are equal. In texts, marks and case do not count, signs and
    spaces are before digits, and digits before letters.
    """
    if cell.kind == "error":
        return 2, 0.0, []
    if isinstance(cell.value, float):
        return 0, cell.value, []
    if cell.kind == "date":
        return 0, (datetime.fromisoformat(str(cell.value)) - _DAY_ZERO) / timedelta(days=1), []
    characters = unicodedata.normalize("NFKD", str(cell.value)).casefold()
    letters = (each for each in characters if not unicodedata.combining(each))
    return 1, 0.0, [(1 + each.isalpha(), each) if each.isalnum() else (0, "") for each in letters]


def _first_of_each(copy: SheetCopy, area: _Area, first: int, compared: Sequence[int]) -> list[int]:
    """The rows to keep, from 0 in the area; an empty one repeats nothing."""
    kept, seen = list(range(first)), set[tuple[Value, ...]]()
    for place, row in enumerate(area.rows[first:], first):
        values = copy.values(row, area.columns)
        key = tuple(values[column] for column in compared)
        if key not in seen or all(value is None for value in values):
            kept.append(place)
        seen.add(key)
    return kept


def _same_content(one: StoredCell, other: StoredCell) -> bool:
    """Equal but for the kind of a number, which follows its format: a date is stored as such."""
    if one.formula != other.formula:
        return False
    return one.value == other.value or (one.kind != other.kind and {one.kind, other.kind} <= NUMBERS)


def _read_format(found: CellFormat, name: str) -> object:
    return found.number if name == "number_format" else getattr(found, name)


def _is_format(name: str, wanted: object, found: object) -> bool:
    if name == "number_format":
        return found is not None and normal_number_format(str(found)) == normal_number_format(_code(str(wanted)))
    return str(found).lower() == str(wanted).lower()


def _code(code: str) -> str:
    return "" if code.lower() in {"general", "standard"} else code


def _texts(rows: Shown) -> list[tuple[str, ...]]:
    return [tuple(row) for row in rows]


def _same(one: Shown, other: Shown) -> bool:
    return _texts(one) == _texts(other)


_SORTED: Final = Expects((Rule("", "the rows as the window exposes them, and their order in a copy of the document"),))
_FORMATTED: Final = Expects(
    (Rule("", "the formats of all cells in a copy of the document, and their values as before"),)
)
_REMOVED: Final = Expects(
    (Rule("", "the rows that are left, as the window exposes them and a copy of the document has"),)
)
TOOLS = (
    action(SortRange, sort_range, effect_class=EffectClass.EDIT, expects=_SORTED, deadline_s=90.0, needs=Needed.SHEET),
    action(
        FormatRange,
        format_range,
        effect_class=EffectClass.EDIT,
        expects=_FORMATTED,
        deadline_s=90.0,
        needs=Needed.SHEET,
    ),
    action(
        RemoveDuplicates,
        remove_duplicates,
        effect_class=EffectClass.EDIT,
        expects=_REMOVED,
        deadline_s=90.0,
        needs=Needed.SHEET,
    ),
)
