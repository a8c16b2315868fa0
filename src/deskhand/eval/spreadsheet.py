"""The demo's check: the saved file contains the table, and one horizontal bar chart over exactly its range."""

import math
import re
from collections.abc import Mapping
from pathlib import Path

from deskhand.core.json import JsonValue
from deskhand.core.ports import CheckResult
from deskhand.core.type_checks import items_of, pairs_of
from deskhand.eval.workbook import Cell, Chart, Workbook, read_workbook

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")


class SpreadsheetChecker:
    """Compares a saved spreadsheet with the table that was saved on the blackboard under `source`."""

    def __init__(self, path: Path, source: str = "sales") -> None:
        self._path = path
        self._source = source

    @property
    def name(self) -> str:
        return f"spreadsheet {self._path.name}"

    async def check(self, data: Mapping[str, JsonValue]) -> tuple[CheckResult, ...]:
        """Checks named `file`, `cells` and `chart`."""
        expected = table_of(data.get(self._source))
        if not expected:
            return (CheckResult("cells", ok=False, detail=f"no table was saved as {self._source!r}"),)
        try:
            workbook = read_workbook(self._path)
        except (OSError, ValueError) as error:
            return (CheckResult("file", ok=False, detail=f"{self._path}: {error}"),)
        size = f"{len(expected)}x{len(expected[0])}"
        return (
            CheckResult("file", ok=True, detail=str(self._path)),
            _result("cells", cell_problem(workbook, expected), f"{size} as in the document"),
            _result("chart", chart_problem(workbook, expected), f"horizontal bars over {size}"),
        )


def _result(name: str, problem: str, fine: str) -> CheckResult:
    return CheckResult(name, not problem, problem or fine)


def table_of(value: JsonValue) -> tuple[tuple[str, ...], ...]:
    """Rows of a table as saved by `read_table`; empty for another value."""
    cells = dict(pairs_of(value)).get("cells")
    return tuple(items_of(row, str) for row in items_of(cells, object))


def cell_problem(workbook: Workbook, expected: tuple[tuple[str, ...], ...]) -> str:
    """The first cell that differs from the document's; empty if all are equal."""
    width = max(len(row) for row in expected)
    for r in range(max(len(expected), len(workbook.rows))):
        for c in range(max(width, len(workbook.rows[0]) if workbook.rows else 0)):
            wanted = expected[r][c] if r < len(expected) and c < len(expected[r]) else ""
            row = workbook.rows[r] if r < len(workbook.rows) else ()
            cell = row[c] if c < len(row) else Cell("")
            if problem := _cell_difference(wanted, cell):
                return f"{_address(r, c)}: {problem}"
    return ""


def _cell_difference(wanted: str, cell: Cell) -> str:
    if cell.formula:
        return f"a formula where {wanted!r} should be"
    if _NUMBER.fullmatch(wanted) and cell.number is not None:
        same = math.isclose(cell.number, float(wanted), rel_tol=1e-12, abs_tol=0.0)
        return "" if same else f"the number {cell.number!r}, not {wanted}"
    if cell.day and cell.day == wanted:
        return ""
    if cell.number is not None:
        return f"the number {cell.text!r} where the text {wanted!r} should be"
    if _is_plain(wanted):
        return f"the text {cell.text!r} where the number {wanted} should be"
    return "" if cell.text == wanted else f"{cell.text!r}, not {wanted!r}"


def _is_plain(text: str) -> bool:
    """True if a cell stores this number exactly."""
    return _NUMBER.fullmatch(text) is not None and sum(map(str.isdigit, text)) <= 15 and text != "-0"


def chart_problem(workbook: Workbook, expected: tuple[tuple[str, ...], ...]) -> str:
    """Reason why the file's chart is not the requested one; empty if it is."""
    if len(workbook.charts) != 1:
        return f"{len(workbook.charts)} charts instead of one"
    chart = workbook.charts[0]
    if not (chart.bar and chart.horizontal):
        return "not a horizontal bar chart"
    return _range_problem(chart, rows=len(expected), columns=max(len(row) for row in expected))


def _range_problem(chart: Chart, *, rows: int, columns: int) -> str:
    categories = _column_range(0, rows)
    if chart.categories != categories:
        return f"categories from {chart.categories or 'nowhere'}, not {categories}"
    wanted = [(_column_range(c, rows), _address(0, c)) for c in range(1, columns)]
    got = [(series.values, series.name) for series in chart.series]
    return "" if got == wanted else f"series {got}, not {wanted}"


def _column_range(column: int, rows: int) -> str:
    first, last = _address(1, column), _address(rows - 1, column)
    return first if first == last else f"{first}:{last}"


def _address(row: int, column: int) -> str:
    letters = ""
    number = column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"
