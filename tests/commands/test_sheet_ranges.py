"""Changes of ranges are judged by the window's cells and by a copy, whatever the application answers."""

import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from commands.bench import Bench
from deskhand.commands.effects.sheet_copy import normal_formula, normal_number_format, read_facts, read_sheet
from deskhand.core.command import Effect, Result, Route
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import Trait
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeTable, FakeWindow
from deskhand.desktop.protocols.application_interface import Document, DocumentKind

pytestmark = pytest.mark.requires("tool.sheet-ranges")

_URN = "urn:oasis:names:tc:opendocument:xmlns"
HEAD = (
    f'<office:document xmlns:office="{_URN}:office:1.0" xmlns:text="{_URN}:text:1.0" xmlns:table="{_URN}:table:1.0"'
    f' xmlns:style="{_URN}:style:1.0" xmlns:fo="{_URN}:xsl-fo-compatible:1.0" xmlns:number="{_URN}:datastyle:1.0">'
    "{}</office:document>"
)
BOLD = (
    '<number:number-style style:name="N1"><number:number number:decimal-places="2" number:min-integer-digits="1"/>'
    '</number:number-style><style:style style:name="bold" style:family="table-cell" style:data-style-name="N1">'
    '<style:text-properties fo:font-weight="bold"/></style:style>'
)
AREA = range(4), range(2)
Rows = list[list[str]]
ROWS: Rows = [["Name", "N"], ["b", "2"], ["a", "10"], ["b", "2"]]


@dataclass
class Office:
    """A spreadsheet of these rows; `works` is what its interface does to them, and `styled` which style they get."""

    rows: Rows
    works: Callable[[Rows], Rows] = list
    styled: str = ""
    facts: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    undone: bool = True
    style: str = ""
    shows: bool = True
    copies: bool = True
    """The window shows the change (`shows`), and the document that is copied has it (`copies`)."""
    swaps: bool = False
    """The window then shows the first two rows below the head the other way round."""
    route: Route = Route.APPLICATION_API

    def __post_init__(self) -> None:
        self.document = Document(DocumentKind.SHEET, Path("/list.ods"))
        self.desktop = FakeDesktop()
        self.table = FakeTable(rows=1 << 20, columns=1 << 14, spreadsheet=True)
        self.table.write(0, 0, self.rows)
        self.before = self.rows
        cells = FakeControl(Role.TABLE, "Sheet1", table=self.table, traits=frozenset({Trait.OF_SHEET}))
        name_box = FakeControl(Role.TEXTBOX, "Name Box")
        self.table.name_box = name_box
        bar = FakeControl(Role.TOOLBAR, "Formula", children=[name_box, FakeControl(Role.PARAGRAPH, "Input line")])
        traits = frozenset({Trait.HAS_OWN_INTERFACE})
        self.window = self.desktop.open(FakeWindow("list.ods - Calc", [bar, cells], "calc", traits=traits))
        self.bench = Bench(self.desktop, self.window)

    async def read(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        found: JsonObject = {"sheet": "Sheet1", "protected": False, "merged": False, "hidden": False}
        return {**found, "formulas": "", "dependents": "", **self.facts}

    async def change(self, request: str, *, deadline_s: float = 10.0, **arguments: JsonValue) -> JsonObject:
        match request:
            case "copy":
                self._copy(Path(str(arguments["path"])))
            case "undo":
                self._show(self.before)
                return {"undone": self.undone}
            case _:
                self._show(self.works(self.rows))
                self.style = self.styled
        return {}

    def _show(self, rows: Rows) -> None:
        if self.copies:
            self.rows = rows
        if self.shows:
            head, first, second, *others = rows
            self.table.write(0, 0, [head, second, first, *others] if self.swaps else rows)

    def _copy(self, path: Path) -> None:
        lines = "".join(f"<table:table-row>{''.join(map(self._cell, row))}</table:table-row>" for row in self.rows)
        with zipfile.ZipFile(path, "w") as archive:
            content = f'{BOLD}<table:table table:name="Sheet1">{lines}</table:table>'
            archive.writestr("content.xml", HEAD.format(content))
            archive.writestr("styles.xml", HEAD.format(""))

    def _cell(self, text: str) -> str:
        style = f' table:style-name="{self.style}"' if self.style else ""
        kind = f'"float" office:value="{text}"' if text.isdecimal() else '"string"'
        inside = f"<text:p>{escape(text)}</text:p>" if text else ""
        return f"<table:table-cell{style}{f' office:value-type={kind}' if text else ''}>{inside}</table:table-cell>"

    async def run(self, tool: str, **arguments: JsonValue) -> Result:
        self.desktop.interfaces[(await self.bench.root()).handle] = self
        return await self.bench.run(tool, None, range="A1:B4", **arguments)

    async def sort(self, column: str = "A", *, descending: bool = False) -> Result:
        by: list[JsonValue] = [{"column": column, "descending": descending}]
        return await self.run("sort_range", by=by, header=True)


def order(*places: int) -> Callable[[Rows], Rows]:
    return lambda rows: [rows[place] for place in places]


async def test_rows_in_the_new_order_are_confirmed() -> None:
    cases = (("A", False, (0, 2, 1, 3)), ("N", True, (0, 2, 1, 3)), ("B", False, (0, 1, 3, 2)))
    for column, descending, places in cases:
        done = await Office(ROWS, order(*places)).sort(column, descending=descending)
        assert done.effect is Effect.CONFIRMED, done


@pytest.mark.parametrize(
    ("works", "effect", "told"),
    [
        (list, Effect.UNVERIFIABLE, "is before"),
        (order(0, 1, 2, 3), Effect.UNVERIFIABLE, '"b" is before "a"'),
        (order(0, 2, 2, 1), Effect.PARTIAL, "it was undone"),
        (order(2, 0, 1, 3), Effect.PARTIAL, "it was undone"),
    ],
)
async def test_another_order_or_other_rows_are_no_sorting(
    works: Callable[[Rows], Rows], effect: Effect, told: str
) -> None:
    office = Office(ROWS, works)
    done = await office.sort()
    assert (done.effect, told in done.evidence) == (effect, True), done
    if effect is Effect.PARTIAL:
        assert office.rows == ROWS


async def test_a_second_empty_row_repeats_nothing() -> None:
    rows = [["Name", "N"], ["b", "2"], ["", ""], ["", ""]]
    done = await Office(rows).run("remove_duplicates", header=True)
    assert (done.effect, done.result, done.delivered) == (Effect.CONFIRMED, {"removed": 0}, False), done


async def test_an_order_that_the_window_does_not_show_is_not_confirmed() -> None:
    office = Office(ROWS, order(0, 2, 1, 3))
    office.shows = False
    done = await office.sort()
    assert (done.effect, "another order than the window" in done.evidence) == (Effect.UNVERIFIABLE, True)


async def test_what_cannot_be_undone_is_said() -> None:
    done = await Office(ROWS, order(0, 2, 2, 1), undone=False).sort()
    assert (done.effect, "undo it by Ctrl+Z" in done.evidence) == (Effect.PARTIAL, True)


async def test_what_was_undone_is_not_to_be_undone_again_where_results_changed_meanwhile() -> None:
    office = Office(ROWS, order(0, 2, 2, 1))
    office.before = [*ROWS[:3], ["b", "5"]]
    done = await office.sort()
    assert done.effect is Effect.PARTIAL
    assert "it was undone, and cells read otherwise than before" in done.evidence


async def test_signs_are_sorted_before_digits_and_digits_before_letters() -> None:
    rows: Rows = [["Name", "N"], ["a", "1"], ["-b", "2"], ["1a", "3"]]
    assert (await Office(rows, order(0, 2, 3, 1)).sort()).effect is Effect.CONFIRMED
    assert (await Office(rows, order(0, 1, 3, 2)).sort()).effect is Effect.UNVERIFIABLE


@pytest.mark.parametrize("fact", ["protected", "merged", "hidden"])
async def test_ranges_that_cannot_be_sorted_safely_are_refused(fact: str) -> None:
    office = Office(ROWS, order(0, 2, 1, 3), facts={fact: True})
    done = await office.sort()
    assert (done.effect, done.delivered, office.rows) == (Effect.REFUSED, False, ROWS)


async def test_formulas_elsewhere_are_named() -> None:
    done = await Office(ROWS, order(0, 2, 1, 3), facts={"dependents": "Sheet1.D1"}).sort()
    assert done.evidence.endswith("may have other results now: Sheet1.D1")


async def test_formats_are_confirmed_by_a_copy_in_which_the_values_stay() -> None:
    assert (await Office(ROWS, styled="bold").run("format_range", bold=True)).effect is Effect.CONFIRMED
    assert (await Office(ROWS, styled="bold").run("format_range", number_format="0.00")).effect is Effect.CONFIRMED
    assert (await Office(ROWS).run("format_range", bold=True)).effect is Effect.PARTIAL
    assert (await Office(ROWS, styled="bold").run("format_range", italic=True)).effect is Effect.PARTIAL
    changed = await Office(ROWS, order(0, 2, 1, 3), styled="bold").run("format_range", bold=True)
    assert (changed.effect, "the content of A2 changed" in changed.evidence) == (Effect.PARTIAL, True)
    assert (await Office(ROWS).run("format_range")).effect is Effect.REFUSED


async def test_rows_that_are_left_are_confirmed_by_the_window() -> None:
    office = Office(ROWS, lambda rows: [*rows[:3], ["", ""]])
    done = await office.run("remove_duplicates", header=True)
    assert (done.effect, done.result) == (Effect.CONFIRMED, {"removed": 1})
    wrong = Office(ROWS, lambda rows: [*rows[1:], ["", ""]])
    assert (await wrong.run("remove_duplicates", header=True)).effect is Effect.PARTIAL
    assert wrong.rows == ROWS, "undone"
    none = await Office([*ROWS[:3], ["c", "2"]]).run("remove_duplicates", header=True)
    assert (none.effect, none.result, none.delivered) == (Effect.CONFIRMED, {"removed": 0}, False)


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("=SUM(B2:B4)", "of:=SUM([.B2:.B4])"),
        ("=sum( B2, C3 )", "of:=SUM([.B2];[.C3])"),
        ('=IF(A1="a, b";1;2)', 'of:=IF([.A1]="a, b";1;2)'),
        ("=$B$2*2.5", "of:=[.$B$2]*2.5"),
    ],
)
def test_a_formula_reads_equal_as_typed_and_as_stored(typed: str, stored: str) -> None:
    assert normal_formula(typed) == normal_formula(stored)


def test_other_formulas_and_formats_do_not() -> None:
    assert normal_formula('=IF(A1="a";1;2)') != normal_formula('of:=IF([.A1]="A";1;2)')
    assert normal_formula("=SUM(B2:B4)") != normal_formula("of:=SUM([.B2:.B5])")
    assert normal_number_format('#,##0.00 "EUR"') == normal_number_format("#,##0.00 [$EUR-407]")
    assert normal_number_format("0.0") != normal_number_format("0.00")


@pytest.mark.parametrize(
    ("style", "code"),
    [
        ('<number:number number:min-integer-digits="1"/>', ""),
        ('<number:number number:decimal-places="0" number:min-integer-digits="1"/>', "0"),
        ('<number:currency-symbol/><number:number number:decimal-places="0" number:min-integer-digits="1"/>', "$0"),
    ],
)
def test_number_formats_of_a_copy_are_read(tmp_path: Path, style: str, code: str) -> None:
    file = tmp_path / "copy.ods"
    number = f'<number:currency-style style:name="N" number:country="US">{style}</number:currency-style>'
    cell = '<style:style style:name="ce" style:family="table-cell" style:data-style-name="N"/>'
    rows = '<table:table-row><table:table-cell table:style-name="ce"/></table:table-row>'
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("content.xml", HEAD.format(f'{number}{cell}<table:table table:name="S">{rows}</table:table>'))
        archive.writestr("styles.xml", HEAD.format(""))
    assert read_sheet(file, "S", range(1), range(1)).format_at(0, 0).number == code


def test_repeated_rows_and_cells_are_read_at_their_places(tmp_path: Path) -> None:
    file = tmp_path / "copy.ods"
    cell = '<table:table-cell table:number-columns-repeated="2" office:value-type="string"><text:p>x</text:p>'
    row = f'<table:table-row table:number-rows-repeated="3">{cell}</table:table-cell></table:table-row>'
    rows = f'<table:table-row/>{row}<table:table-row table:number-rows-repeated="1048572"/>'
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("content.xml", HEAD.format(f'<table:table table:name="S">{rows}</table:table>'))
        archive.writestr("styles.xml", HEAD.format(""))
    copy = read_sheet(file, "S", range(2, 6), range(1, 4))
    found: Sequence[tuple[int, int]] = [place for place, each in copy.cells.items() if each.value == "x"]
    assert found == [(2, 1), (3, 1)]


def _write_sheets(file: Path, tables: str) -> Path:
    settings = (
        f'<x xmlns:config="{_URN}:config:1.0"><config:config-item config:name="ActiveTable">S</config:config-item></x>'
    )
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("content.xml", HEAD.format(tables))
        archive.writestr("settings.xml", settings)
    return file


@pytest.mark.parametrize(
    ("inside", "true"),
    [
        ("<table:table-row><table:table-cell/></table:table-row>", set[str]()),
        ('<table:table-row table:visibility="filter"/>', {"hidden"}),
        ('<table:table-column/><table:table-column table:visibility="collapse"/><table:table-row/>', {"hidden"}),
        ('<table:table-row table:number-rows-repeated="9"/><table:table-row table:visibility="collapse"/>', set[str]()),
        (
            '<table:table-row><table:table-cell/><table:table-cell table:number-rows-spanned="2"/></table:table-row>',
            {"merged"},
        ),
        ('<table:table-row table:number-rows-repeated="2"><table:covered-table-cell/></table:table-row>', {"merged"}),
    ],
)
def test_what_prevents_changes_of_a_range_is_read_from_the_copy(tmp_path: Path, inside: str, true: set[str]) -> None:
    for protected in ("true", "false"):
        table = f'<table:table table:name="S" table:protected="{protected}">{inside}</table:table>'
        facts = read_facts(_write_sheets(tmp_path / "copy.ods", f'<table:table table:name="R"/>{table}'), *AREA)
        assert (facts["sheet"], facts["protected"]) == ("S", protected == "true")
        assert {name for name in ("hidden", "merged") if facts[name]} == true


@pytest.mark.parametrize(
    ("formula", "sheet", "named"),
    [
        ("of:=[.B2]*2", "S", True),
        ("of:=SUM([.A9:.B40];[.$B$1:.$B$4])", "S", True),
        ("of:=SUM([$S.A1:.C9])", "It's", True),
        ("of:=[.B2]*2", "It's", False),
        ("of:=['It''s'.B2]*2", "S", False),
        ("of:=[.C2]+[.B9]", "S", False),
    ],
)
def test_formulas_elsewhere_that_refer_to_a_range_are_named(
    tmp_path: Path, formula: str, sheet: str, *, named: bool
) -> None:
    cell = f'<table:table-row><table:table-cell/><table:table-cell/><table:table-cell table:formula="{formula}"/>'
    other = "It's" if sheet == "S" else "S"
    tables = (
        f'<table:table table:name="{sheet}">{cell}</table:table-row></table:table><table:table table:name="{other}"/>'
    )
    facts = read_facts(_write_sheets(tmp_path / "copy.ods", tables), *AREA)
    assert facts["dependents"] == (f"{sheet}.C1" if named else "")
