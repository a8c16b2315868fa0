"""Sorting, formatting, removing duplicates and formulas in one step, judged by the saved file."""

import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from deskhand.core.command import Effect, Result, Route
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import pairs_of
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import UNO
from desktop.linux.office import opened
from desktop.linux.test_office import CALC, WRITER
from documents import Text, write_odt
from spreadsheets import Place, Sheet, read_ods, write_ods
from support import need

pytestmark = [pytest.mark.desktop, pytest.mark.requires("tool.sheet-ranges")]

LIST = (
    ("Name", "Units", "Town"),
    ("Zoë", "10", "Bonn"),
    ("adam", "9", "Rome"),
    ("Bea", "100", "Bonn"),
    ("adam", "9", "Rome"),
    ("Émile", "9", "Oslo"),
)


@dataclass(frozen=True)
class Lines(Sheet):
    lines: Sequence[Sequence[str]] = field(default=LIST)
    filled: Place = (len(LIST), len(LIST[0]))

    def text(self, row: int, column: int) -> str:
        return self.lines[row][column]


@pytest.fixture(autouse=True)
def _needs_uno() -> None:
    need(UNO)


BOTH = pytest.mark.parametrize("route", [Route.APPLICATION_API, Route.SYNTHETIC_INPUT])
"""By LibreOffice's own interface, and by its windows."""


async def run(
    office: LinuxDesktop,
    window: TargetInfo,
    tool: str,
    route: Route = Route.APPLICATION_API,
    **arguments: JsonValue,
) -> Result:
    tools = Tools(office, own_interface=route is Route.APPLICATION_API)
    return await tools.run(window, tool, None, **arguments)


async def saved(office: LinuxDesktop, window: TargetInfo, file: Path) -> dict[str, str]:
    """The values of the saved file by cell; of text and number alike."""
    done = await run(office, window, "save_document")
    assert done.effect is Effect.CONFIRMED, done
    return {place: cell.value for place, cell in read_ods(file).items() if cell.value}


def column(cells: dict[str, str], name: str) -> list[str]:
    return [cells[f"{name}{row}"] for row in range(1, len(LIST) + 1) if f"{name}{row}" in cells]


async def undo(office: LinuxDesktop, window: TargetInfo) -> None:
    await office.activate(window)
    await office.press([Chord("z", ("ctrl",))])
    await office.settle(window)


def part(file: Path, name: str = "content.xml") -> str:
    with zipfile.ZipFile(file) as archive:
        return archive.read(name).decode()


@pytest.mark.full("the windows' way is tried with rows that repeat others", but=["application API"])
@BOTH
async def test_rows_are_sorted_by_columns_that_are_named_in_one_step(
    office: LinuxDesktop, tmp_path: Path, route: Route
) -> None:
    file = write_ods(tmp_path / "list.ods", Lines())
    async with opened(office, CALC, file) as window:
        by: JsonValue = [{"column": "Units", "descending": True}, {"column": "A"}]
        done = await run(office, window, "sort_range", route, range="A1:C6", by=by, header=True)
        assert (done.effect, done.route) == (Effect.CONFIRMED, route), done
        cells = await saved(office, window, file)
        assert column(cells, "A") == ["Name", "Bea", "Zoë", "adam", "adam", "Émile"]
        assert column(cells, "C") == ["Town", "Bonn", "Bonn", "Rome", "Rome", "Oslo"]
        await undo(office, window)
        assert column(await saved(office, window, file), "A") == [name for name, *_ in LIST], "one step back"
        for wrong in ("Price", "D"):
            refused = await run(office, window, "sort_range", range="A1:C6", by=[{"column": wrong}], header=True)
            assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)
        done = await run(office, window, "sort_range", route, range="A2:A6", by=[{"column": "A"}], header=False)
        assert done.effect is Effect.CONFIRMED, done
        cells = await saved(office, window, file)
        assert column(cells, "A") == ["Name", "adam", "adam", "Bea", "Émile", "Zoë"]
        assert column(cells, "B") == [units for _, units, _ in LIST], "what is beside the range stays"


@pytest.mark.full("sorting that is undone is tried in commands/test_sheet_ranges")
@BOTH
async def test_formulas_move_with_their_row_and_a_sum_over_rows_undoes_the_sorting(
    office: LinuxDesktop, tmp_path: Path, route: Route
) -> None:
    file = write_ods(tmp_path / "list.ods", Lines())
    async with opened(office, CALC, file) as window:
        rows: JsonValue = [["Twice", "Sum"], *([f"=B{row}*2", f"=N(E{row - 1})+B{row}"] for row in range(2, 7))]
        assert (await run(office, window, "write_table", start="D1", rows=rows, formulas=True)).ok
        done = await run(office, window, "sort_range", range="A1:D6", by=[{"column": "Units"}], header=True)
        assert (done.effect, "may have other results now: Sheet1.E2:E6" in done.evidence) == (Effect.CONFIRMED, True)
        cells = await saved(office, window, file)
        assert column(cells, "D") == ["Twice", "18", "18", "18", "20", "200"]
        done = await run(office, window, "sort_range", route, range="A1:E6", by=[{"column": "A"}], header=True)
        assert (done.effect, "it was undone" in done.evidence) == (Effect.PARTIAL, True), done
        assert await saved(office, window, file) == cells


@pytest.mark.full("commands/test_sheet_ranges has these refusals")
async def test_hidden_rows_merged_cells_and_dialogs_are_refused_before_anything_happens(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    by: JsonValue = [{"column": "A"}]
    for name, sheet in (("hidden", Lines(hidden=frozenset({2}))), ("filtered", Lines(filtered=frozenset({2})))):
        file = write_ods(tmp_path / f"{name}.ods", sheet)
        async with opened(office, CALC, file) as window:
            refused = await run(office, window, "sort_range", range="A1:C6", by=by, header=True)
            assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
            assert "hidden or filtered" in refused.evidence
    file = write_ods(tmp_path / "merged.ods", Lines(merged={(2, 0): (2, 1)}))
    async with opened(office, CALC, file) as window:
        refused = await run(office, window, "remove_duplicates", range="A1:C6", header=True)
        assert (refused.effect, "merged" in refused.evidence) == (Effect.REFUSED, True)
        tools = Tools(office)
        await office.do_action(await tools.find(window, "File", Role.MENU))
        await office.do_action(await tools.find(window, "Properties...", Role.MENUITEM))

        async def dialog() -> TargetInfo | None:
            return next((w for w in await office.windows() if w.type is Role.DIALOG), None)

        shown = await office.wait_until(dialog, deadline_s=20.0)
        assert shown is not None
        refused = await run(office, window, "format_range", range="A1:C1", bold=True)
        assert (refused.effect, "dialog is in front" in refused.evidence) == (Effect.REFUSED, True)
        await office.ask_to_close(shown)


@pytest.mark.requires("tool.by-windows")
async def test_a_sheet_to_be_read_is_refused_by_the_windows_before_anything_happens(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = write_ods(tmp_path / "list.ods", Lines())
    async with opened(office, replace(CALC, argv_with_file=("soffice", "--view", "{file}")), file) as window:
        refused = await run(office, window, "format_range", Route.SYNTHETIC_INPUT, range="A1:C1", bold=True)
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
        assert "for reading only" in refused.evidence


async def test_cells_are_formatted_and_their_values_stay(office: LinuxDesktop, tmp_path: Path) -> None:
    file = write_ods(tmp_path / "list.ods", Lines())
    async with opened(office, CALC, file) as window:
        done = await run(office, window, "format_range", range="A1:C1", bold=True, background="#ffee00")
        assert done.effect is Effect.CONFIRMED, done
        done = await run(office, window, "format_range", range="B2:B6", number_format="#,##0.00", align="left")
        assert done.effect is Effect.CONFIRMED, done
        done = await run(office, window, "format_range", range="B2:B3", number_format="YYYY-MM-DD", italic=True)
        assert done.effect is Effect.CONFIRMED, done
        refused = await run(office, window, "format_range", range="B2:B3", number_format="0.00[[")
        assert (refused.effect, "is no number format" in refused.evidence) == (Effect.REFUSED, True), refused
        await undo(office, window)
        cells = await saved(office, window, file)
        assert column(cells, "B") == [units for _, units, _ in LIST]
        content = part(file)
        assert 'fo:font-weight="bold"' in content
        assert "italic" not in content, "undone in one step"
        assert re.search(r"<text:p>100\.00</text:p>", content)


@pytest.mark.full("half a minute; the windows' way is tried with rows that repeat others")
@pytest.mark.requires("tool.by-windows")
async def test_cells_are_formatted_by_the_windows_alone_as_far_as_these_can(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file, route = write_ods(tmp_path / "list.ods", Lines()), Route.SYNTHETIC_INPUT
    async with opened(office, CALC, file) as window:
        done = await run(office, window, "format_range", route, range="A1:C1", bold=True, background="#ffee00")
        assert (done.effect, done.route) == (Effect.CONFIRMED, route), done
        wanted: dict[str, JsonValue] = {"bold": False, "number_format": "#,##0.00", "align": "left", "italic": True}
        done = await run(office, window, "format_range", route, range="A1:C6", **wanted)
        assert done.effect is Effect.CONFIRMED, "of cells that differ"
        assert "5 steps for Undo" in done.evidence
        refused = await run(office, window, "format_range", route, range="B2:B3", color="#112233")
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
        cells = await saved(office, window, file)
        assert column(cells, "B") == [units for _, units, _ in LIST]
        content = part(file)
        assert 'fo:font-weight="bold"' not in content
        assert 'fo:background-color="#ffee00"' in content
        assert re.search(r"<text:p>100\.00</text:p>", content)


@pytest.mark.full("LibreOffice's own interface is tried with other tools", but=["synthetic input"])
@BOTH
async def test_rows_that_repeat_others_are_removed_and_others_below_stay(
    office: LinuxDesktop, tmp_path: Path, route: Route
) -> None:
    lines = (*LIST, ("below", "1", "x"))
    file = write_ods(tmp_path / "list.ods", Lines(lines=lines, filled=(len(lines), 3)))
    async with opened(office, CALC, file) as window:
        done = await run(office, window, "remove_duplicates", route, range="A1:C6", header=True)
        assert (done.effect, done.result) == (Effect.CONFIRMED, {"removed": 1}), done
        cells = await saved(office, window, file)
        assert column(cells, "A") == ["Name", "Zoë", "adam", "Bea", "Émile"]
        assert "A6" not in cells
        assert cells["A7"] == "below"
        if route is Route.APPLICATION_API:
            done = await run(office, window, "remove_duplicates", range="A1:C6", header=True, columns=["Town"])
            assert done.result == {"removed": 1}
            await undo(office, window)
            await undo(office, window)
        else:
            assert "3 steps for Undo" in done.evidence
            for _ in range(3):
                await undo(office, window)
        assert column(await saved(office, window, file), "A") == [name for name, *_ in LIST]


@pytest.mark.full("the other one differs in its first day", but=["False"])
@pytest.mark.requires("tool.dates")
@pytest.mark.parametrize("formulas", [False, True])
async def test_a_day_becomes_a_date_in_any_language_and_what_only_looks_like_one_a_text(
    formulas: bool, office: LinuxDesktop, tmp_path: Path
) -> None:
    first = "1904-01-01" if formulas else "1899-12-30"
    file = german(write_ods(tmp_path / "list.ods", Lines()), first)
    async with opened(office, CALC, file) as window:
        texts: JsonValue = [["2026-03-12", "2026-02-30"], ["2026-3-12", "12.03.2026"], ["=1+1", "on 2026-03-12"]]
        done = await run(office, window, "write_table", start="E1", rows=texts, formulas=formulas)
        assert done.effect is Effect.CONFIRMED, done
        tools = Tools(office)
        cell = await tools.find(window, "F5", Role.CELL)
        typed = await tools.run(window, "set_edit_text", cell, text="2026-03-12")
        assert typed.effect is Effect.CONFIRMED, typed
        assert (await run(office, window, "save_document")).effect is Effect.CONFIRMED
        cells = read_ods(file)
        day = cells["E1"]
        assert (day.kind, day.value, day.text) == ("date", "2026-03-12", "2026-03-12")
        assert (cells["F5"].kind, cells["F5"].value) == ("date", "2026-03-12")
        others = [cells[name] for name in ("F1", "E2", "F2", "F3")]
        assert [other.kind for other in others] == ["string"] * 4
        assert [other.text for other in others] == ["2026-02-30", "2026-3-12", "12.03.2026", "on 2026-03-12"]


def german(file: Path, first: str) -> Path:
    """The spreadsheet in German, with days counted from the `first`."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    spreadsheet, settings = "<office:spreadsheet>", f'<table:null-date table:date-value="{first}"/>'
    parts["content.xml"] = parts["content.xml"].replace(
        spreadsheet, f"{spreadsheet}<table:calculation-settings>{settings}</table:calculation-settings>"
    )
    parts["styles.xml"] = GERMAN
    manifest = '<manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/>'
    parts["META-INF/manifest.xml"] = parts["META-INF/manifest.xml"].replace(
        "</manifest:manifest>", f"{manifest}</manifest:manifest>"
    )
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file


_URN = "urn:oasis:names:tc:opendocument:xmlns"
GERMAN = (
    f'<office:document-styles xmlns:office="{_URN}:office:1.0" xmlns:style="{_URN}:style:1.0"'
    f' xmlns:fo="{_URN}:xsl-fo-compatible:1.0" office:version="1.2"><office:styles>'
    '<style:default-style style:family="table-cell"><style:text-properties fo:language="de" fo:country="DE"/>'
    "</style:default-style></office:styles></office:document-styles>"
)


async def test_formulas_are_written_and_read_where_they_are_asked_for(office: LinuxDesktop, tmp_path: Path) -> None:
    file = write_ods(tmp_path / "list.ods", Lines())
    async with opened(office, CALC, file) as window:
        rows: JsonValue = [["Sum", '=SUM(B2:B6)&" of, 5"'], ["007", "=1/0"], ["Price", "12.50"]]
        done = await run(office, window, "write_table", start="A8", rows=rows, formulas=True, decimals=True)
        assert (done.effect, done.route) == (Effect.CONFIRMED, Route.APPLICATION_API), done
        assert "B9 comes to #DIV/0!" in done.evidence
        tools = Tools(office)
        seen = await office.observe(window, picture=False)
        table = next(control for control in seen.controls if control.type is Role.TABLE)
        read = await tools.run(window, "read_table", table, range="A7:B10", formulas=True)
        found = dict(pairs_of(read.result))
        assert found["formulas"] == {"B8": '=SUM(B2:B6)&" of, 5"', "B9": "=1/0"}
        assert found["cells"] == [["", ""], ["Sum", "137 of, 5"], ["007", ""], ["Price", "12.5"]]
        cells = await saved(office, window, file)
        assert (cells["B8"], cells["A9"], cells["B10"]) == ("137 of, 5", "007", "12.5")
        assert "<text:p>12.50</text:p>" in part(file)
        await undo(office, window)
        assert "A8" not in await saved(office, window, file), "one step back"
        text = await run(office, window, "write_table", start="A8", rows=[["=1+1"]])
        assert text.route is Route.SYNTHETIC_INPUT
        assert (await saved(office, window, file))["A8"] == "=1+1", "a text without formulas=true"


@pytest.mark.full("windows that come to the front are tried in other tests")
async def test_a_sheet_whose_window_comes_to_the_front_is_written_into(office: LinuxDesktop, tmp_path: Path) -> None:
    file, letter = write_ods(tmp_path / "list.ods", Lines()), write_odt(tmp_path / "letter.odt", Text("Dear all"))
    rows: JsonValue = [["7"]]
    async with opened(office, CALC, file) as window, opened(office, WRITER, letter) as other:
        await office.activate(other)
        await office.press([Chord("x")])
        await office.settle(other)
        done = await run(office, window, "write_table", start="E1", rows=rows)
        assert done.effect is Effect.CONFIRMED, done
