"""Ranges of the sheet in front of a view: facts, sorting, formats, rows, values and formulas."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import date
from itertools import groupby
from typing import Any

from .answers import Refused
from .documents import one_step, require_changeable
from .lines import require_input
from .runtime import MalformedFormat, properties, uno

_FORMULAS = 16
"""com.sun.star.sheet.CellFlags.FORMULA"""
_CONTENT = 1 | 2 | 4 | 8 | 16
"""VALUE, DATETIME, STRING, ANNOTATION, FORMULA of the same"""
_BOLD, _NORMAL = 150.0, 100.0
_MOST_NAMED = 200
"""Characters of a list of addresses."""


def facts(view: Any, area: str) -> dict[str, object]:
    """Facts about a range: they may prevent changes, or follow them."""
    sheet, cells = _cells(view, area)
    visible = cells.queryVisibleCells().RangeAddresses
    outside = cells.queryDependents(False)
    own = outside.queryIntersection(cells.RangeAddress)
    if own.Count:
        outside.removeRangeAddresses(own.RangeAddresses)
    return {
        "sheet": sheet.Name,
        "protected": sheet.isProtected(),
        "merged": cells.IsMerged,
        "hidden": sum(map(_size, visible)) != _size(cells.RangeAddress),
        "formulas": _named(cells.queryContentCells(_FORMULAS)),
        "dependents": _named(outside),
    }


def sort(view: Any, area: str, keys: list[dict[str, Any]], header: bool) -> dict[str, object]:
    """`keys`: columns from 0, within the range."""
    _, cells = _changeable(view, area)
    fields: list[Any] = []
    for key in keys:
        field = uno.createUnoStruct("com.sun.star.table.TableSortField")
        field.Field, field.IsAscending = key["column"], not key["descending"]
        fields.append(field)
    wanted = uno.Any("[]com.sun.star.table.TableSortField", tuple(fields))
    described = {"ContainsHeader": header, "IsSortColumns": False, "BindFormatsToContent": True}
    with one_step(view.Model, f"Sort {area}"):
        cells.sort(properties(SortFields=wanted, **described))
    return {}


def style(view: Any, area: str, **formats: Any) -> dict[str, object]:
    """`bold`, `italic`, `number_format`, `align`, `background`, `color`; None: as it is."""
    _, cells = _changeable(view, area)
    values = _style_values(view.Model, {name: value for name, value in formats.items() if value is not None})
    with one_step(view.Model, f"Format {area}"):
        for name, value in values.items():
            cells.setPropertyValue(name, value)
    return {}


def _style_values(document: Any, formats: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in formats.items():
        match name:
            case "bold":
                values["CharWeight"] = _BOLD if value else _NORMAL
            case "italic":
                values["CharPosture"] = uno.Enum("com.sun.star.awt.FontSlant", "ITALIC" if value else "NONE")
            case "align":
                values["HoriJustify"] = uno.Enum("com.sun.star.table.CellHoriJustify", value.upper())
            case "background":
                values["CellBackColor"] = int(value.removeprefix("#"), 16)
            case "color":
                values["CharColor"] = int(value.removeprefix("#"), 16)
            case _:
                values["NumberFormat"] = _number_format(document, value)
    return values


def keep_rows(view: Any, area: str, rows: list[int]) -> dict[str, object]:
    """Keep these rows of the range, from 0, in their order: they move up, and the rest is emptied."""
    sheet, cells = _changeable(view, area)
    whole = cells.RangeAddress
    with _unseen(view.Model), one_step(view.Model, f"Remove rows of {area}"):
        for place, row, count in _runs(rows):
            require_input()
            source = _part(sheet, whole, row, count)
            target = _part(sheet, whole, place, 1).getCellByPosition(0, 0)
            sheet.moveRange(target.CellAddress, source.RangeAddress)
        if removed := whole.EndRow - whole.StartRow + 1 - len(rows):
            _part(sheet, whole, len(rows), removed).clearContents(_CONTENT)
    return {}


def _runs(rows: list[int]) -> Iterator[tuple[int, int, int]]:
    """The rows to move: place, first row and number of each run of neighbours."""
    for distance, run in groupby(enumerate(rows), key=lambda each: each[1] - each[0]):
        moved = list(run)
        if distance:
            yield (*moved[0], len(moved))


@contextmanager
def _unseen(document: Any) -> Generator[None]:
    """Show the changes in between, and compute their results, at the end: each by itself takes long."""
    document.lockControllers()
    document.addActionLock()
    try:
        yield
    finally:
        document.removeActionLock()
        document.unlockControllers()


def write(view: Any, area: str, rows: list[list[dict[str, Any]]]) -> dict[str, object]:
    """Write `{"number", "format"?}`, `{"day", "format"}` (`2026-03-12`), `{"text"}` or `{"formula"}`, as it is typed,
    into each cell; {}: empty it.
    """
    sheet, cells = _changeable(view, area)
    null = view.Model.NullDate
    first = date(null.Year, null.Month, null.Day)
    with one_step(view.Model, f"Write {area}"):
        for down, row in enumerate(rows):
            require_input()
            for across, given in enumerate(row):
                cell = cells.getCellByPosition(across, down)
                if "formula" in given:
                    cell.FormulaLocal = given["formula"]
                elif "number" in given or "day" in given:
                    if given.get("format"):
                        cell.NumberFormat = _number_format(view.Model, given["format"])
                    day = given.get("day")
                    cell.Value = (date.fromisoformat(day) - first).days if day else given["number"]
                else:
                    cell.String = given.get("text", "")
    return {"sheet": sheet.Name}


def formulas(view: Any, area: str) -> dict[str, object]:
    """The formulas in a range as a person would type them; empty for cells without one."""
    _, cells = _cells(view, area)
    found: list[list[str]] = [["" for _ in row] for row in cells.FormulaArray]
    top = cells.RangeAddress
    for part in cells.queryContentCells(_FORMULAS).RangeAddresses:
        for row in range(part.StartRow, part.EndRow + 1):
            for column in range(part.StartColumn, part.EndColumn + 1):
                cell = cells.getCellByPosition(column - top.StartColumn, row - top.StartRow)
                found[row - top.StartRow][column - top.StartColumn] = cell.FormulaLocal
    return {"formulas": found}


def _cells(view: Any, name: str) -> tuple[Any, Any]:
    if not view.Model.supportsService("com.sun.star.sheet.SpreadsheetDocument"):
        raise Refused("the document is no spreadsheet")
    sheet = view.ActiveSheet
    return sheet, sheet.getCellRangeByName(name)


def _changeable(view: Any, name: str) -> tuple[Any, Any]:
    require_changeable(view.Model)
    sheet, cells = _cells(view, name)
    if sheet.isProtected():
        raise Refused(f"the sheet {sheet.Name!r} is protected", "unprotect it by the menu Tools, if that is wanted")
    return sheet, cells


def _part(sheet: Any, whole: Any, row: int, count: int) -> Any:
    """Rows of a range, from 0 in it."""
    top = whole.StartRow + row
    return sheet.getCellRangeByPosition(whole.StartColumn, top, whole.EndColumn, top + count - 1)


def _size(address: Any) -> int:
    return (address.EndRow - address.StartRow + 1) * (address.EndColumn - address.StartColumn + 1)


def _named(ranges: Any) -> str:
    """The addresses on their sheets, shortened."""
    names = ranges.RangeAddressesAsString
    return names if len(names) <= _MOST_NAMED else names[:_MOST_NAMED] + "…"


def _number_format(document: Any, code: str) -> int:
    formats, locale = document.NumberFormats, uno.createUnoStruct("com.sun.star.lang.Locale", "en", "US", "")
    try:
        known = formats.queryKey(code, locale, False)
        return known if known != -1 else formats.addNew(code, locale)
    except MalformedFormat as error:
        raise Refused(f"{code!r} is no number format", "write it like 0.00, #,##0 or YYYY-MM-DD") from error
