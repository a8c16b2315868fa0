"""The cells of a spreadsheet as they are seen: which, with what text, and where. The document says what is true."""

import os
import random
import signal
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from re import fullmatch

import anyio
import pytest

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.techniques.cell_ranges import select_range
from deskhand.commands.techniques.cells import go_to, open_sheet
from deskhand.commands.tools.spreadsheet import WriteTable, write_table
from deskhand.commands.tools.table_reading import ReadTable, read_table
from deskhand.core.command import Command, Effect, ToolType
from deskhand.core.errors import ActionRefused, ElementStale
from deskhand.core.geometry import Rect
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import quoted
from deskhand.core.type_checks import items_of, pairs_of
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.accessibility import Merged
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.perception.compact import DEFAULT_BUDGET, SHEET_BUDGET, compact
from deskhand.perception.labels import Labeller
from desktop.linux.deceiving import Tools
from desktop.linux.office import left_as_found, office_desktop
from spreadsheets import Place, Sheet, address, write_ods
from support import FULL

pytestmark = pytest.mark.desktop

CALC = Application("calc", ("soffice", "--calc"), ("soffice", "--calc", "{file}"), "Calc$")
PATIENCE_S = 20.0
PLAIN = Sheet()
ODD = Sheet(
    hidden_sheets=2,
    blank=frozenset({(0, 0), (5, 5), (6, 4), (14, 2)}),
    merged={(2, 1): (3, 2), (9, 5): (1, 4), (14, 2): (2, 2), (20, 0): (30, 1)},
    hidden=frozenset({7, 8}),
    filtered=frozenset(range(24, 27)),
    hidden_columns=frozenset({3}),
)
MOSTLY_HIDDEN = Sheet(filled=(3000, 5), filtered=frozenset(range(2, 2990)))
FROZEN = Sheet(frozen=(2, 1))
HIDDEN_PANE = Sheet(
    filled=(60, 6), frozen=(1, 1), filtered=frozenset(range(1, 60)) - {2, 12, 52}, hidden_columns=frozenset({1, 3})
)
SMALL = Sheet(zoom=60)
BOTH = Sheet(frozen=(2, 1), zoom=75)
UNDER = Sheet(merged={(2, 1): (3, 2), (9, 0): (1, 2), (12, 3): (2, 1)}, text_under=True)
FROM_RIGHT = Sheet(
    merged={(2, 1): (3, 2), (5, 0): (1, 3), (9, 0): (2, 1), (0, 3): (1, 2), (189, 12): (4, 12), (175, 24): (15, 1)},
    hidden=frozenset({7}),
    hidden_columns=frozenset({5}),
    from_right=True,
)
BUSY_S = 8.0
"""Longer than the waits for a program at rest."""
USED = "used to row 300 and column AN when last scrolled"
CLICKS = 40 if FULL else 2
CORNERS = ("A1", "O200", "AB171000", "A1048576", "XFD1") if FULL else ("O200", "A1048576")


@dataclass(frozen=True)
class Calc:
    """A document in Calc."""

    desktop: LinuxDesktop
    window: TargetInfo
    sheet: Sheet

    async def see(self) -> Observation:
        await self.desktop.settle(self.window)
        return await self.desktop.observe(self.window, picture=False)

    async def cells(self) -> dict[str, TargetInfo]:
        """Those seen, by address, in a look that is whole: beside other programs the office may take its time."""

        async def whole() -> Observation | None:
            seen = await self.see()
            return seen if seen.truncated is None else None

        seen = await self.desktop.wait_until(whole, deadline_s=PATIENCE_S)
        assert seen is not None
        cells = [control for control in seen.controls if control.type is Role.CELL]
        assert len({cell.name for cell in cells}) == len(cells)
        return {cell.name: cell for cell in cells}

    async def note(self) -> str:
        """What the sheet's line has about content out of view."""
        return next(control.note for control in (await self.see()).controls if control.type is Role.TABLE)

    async def name_box(self) -> TargetInfo | None:
        """The Name Box; None where the box that it is in has no content for accessibility (25.2)."""
        seen = await self.see()
        boxes = [control for control in seen.controls if control.type is Role.TEXTBOX]
        return next((box for box in boxes if fullmatch(r"[A-Z]+\d+(:[A-Z]+\d+)?", box.value)), None)

    async def go_to(self, cells: str) -> None:
        """Through the Name Box, or by the keys that lead to it where it is not in the tree."""
        box = await self.name_box()
        if box is not None:
            await self.desktop.set_text(box, cells)
            await self.desktop.do_action(box)
        else:
            panes = [control for control in (await self.see()).controls if control.type is Role.TABLE]
            await self.desktop.focus(panes[-1])
            await self.desktop.press([Chord("t", ("ctrl", "shift"))])
            await self.until_focused(panes, there=False)
            await self.desktop.press([*(Chord(character) for character in cells), Chord("enter")])
            await self.until_focused(panes, there=True)
        await self.until_at(box, cells)

    async def until_focused(self, panes: Sequence[TargetInfo], *, there: bool) -> None:
        """The keyboard is in the cells of one of the panes, or elsewhere."""

        async def is_so() -> bool | None:
            now = [await self.desktop.resolve(pane) for pane in panes]
            return True if any("focused" in pane.states for pane in now) is there else None

        assert await self.desktop.wait_until(is_so, deadline_s=PATIENCE_S)

    async def until_at(self, box: TargetInfo | None, cells: str) -> None:
        """The Name Box says these cells, a merged one as the range that it covers; without it, the cells do."""
        merged = "" if ":" in cells else f"{cells}:{address(*self.sheet.end_of(place_of(cells)))}"
        last: list[str] = []

        async def is_there() -> bool | None:
            last.append((await self.desktop.resolve(box)).value if box else await self.chosen())
            return True if last[-1] in {cells, merged} else None

        assert await self.desktop.wait_until(is_there, deadline_s=PATIENCE_S), f"{last[-1]} for {cells}"

    async def chosen(self) -> str:
        """What is selected of the cells in view, else the one that has the cursor."""
        cells = await self.cells()
        selected = [name for name, cell in cells.items() if "selected" in cell.states]
        focused = [name for name, cell in cells.items() if "focused" in cell.states]
        return f"{selected[0]}:{selected[-1]}" if len(selected) > 1 else "".join(focused)

    async def click_some(self, chosen: Sequence[str] = ()) -> None:
        """A click at a cell's centre puts the cursor there; some cells, or those chosen."""
        chance = random.Random(7)  # noqa: S311 - the same cells every time
        box = await self.name_box()
        await self.desktop.activate(self.window)
        for number in range(len(chosen) or CLICKS):
            cells = await self.cells()
            name = chosen[number] if chosen else chance.choice(list(cells))
            await self.desktop.click(cells[name].rect.center)
            await self.until_at(box, name)

    def check(self, cells: dict[str, TargetInfo], places: Sequence[Place]) -> None:
        """Exactly the cells of these places are seen, each with its text."""
        texts = {address(*place): self.sheet.text(*place) for place in places}
        assert {name: cell.value for name, cell in cells.items()} == texts


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    async with office_desktop(tmp_path_factory.mktemp("calc")) as desktop:
        yield desktop


@pytest.fixture(scope="module")
async def opened(desktop: LinuxDesktop, tmp_path_factory: pytest.TempPathFactory) -> Calc:
    return await open_calc(desktop, tmp_path_factory.mktemp("plain"), PLAIN)


@pytest.fixture(autouse=True)
async def others_closed(opened: Calc) -> AsyncGenerator[None]:
    """The documents that a test opens slow those of the next ones down."""
    async with left_as_found(opened.desktop):
        yield


@pytest.fixture
async def plain(opened: Calc) -> Calc:
    """A plain document at its beginning, shared by several tests."""
    await opened.desktop.activate(opened.window)
    if "A1" not in await opened.cells():
        await opened.go_to("C3")
    await opened.go_to("A1")
    return opened


async def open_calc(desktop: LinuxDesktop, folder: Path, sheet: Sheet) -> Calc:
    file = write_ods(folder / f"{folder.name}.ods", sheet)
    calc = Calc(desktop, await desktop.launch(CALC, file), sheet)
    await desktop.activate(calc.window)
    return calc


def block(cells: dict[str, TargetInfo]) -> list[Place]:
    """The places of a block from the first cell seen to the last."""
    places = [place_of(name) for name in cells]
    rows, columns = sorted({row for row, _ in places}), sorted({column for _, column in places})
    return [(row, column) for row in range(rows[0], rows[-1] + 1) for column in range(columns[0], columns[-1] + 1)]


def place_of(name: str) -> Place:
    found = fullmatch(r"([A-Z]+)(\d+)", name)
    assert found is not None
    return int(found[2]) - 1, _column(found[1])


def _column(letters: str) -> int:
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return column - 1


def without_gaps(cells: Sequence[TargetInfo], view: Rect) -> bool:
    """Whether the cells fill the view from its corner on, none on another."""
    area = sum(cell.rect.area for cell in cells)
    right, bottom = max(cell.rect.right for cell in cells), max(cell.rect.bottom for cell in cells)
    inside = all(cell.rect.intersection(view) == cell.rect for cell in cells)
    return inside and area == (right - view.left) * (bottom - view.top)


async def view_of(calc: Calc) -> Rect:
    return next(control.rect for control in (await calc.see()).controls if control.type is Role.TABLE)


@pytest.mark.requires("desktop.sheet-cells")
async def test_the_cells_in_view_are_controls_wherever_the_sheet_is_scrolled_to(plain: Calc) -> None:
    for corner in CORNERS:
        await plain.go_to(corner)
        cells = await plain.cells()
        assert corner in cells
        plain.check(cells, block(cells))
        assert without_gaps(list(cells.values()), await view_of(plain))
        assert [name for name, cell in cells.items() if "focused" in cell.states] == [corner]
        await plain.click_some()


@pytest.mark.requires("desktop.sheet-cells")
async def test_the_wheel_and_the_keys_scroll_what_is_seen(plain: Calc) -> None:
    before = await plain.cells()
    await plain.desktop.scroll(before["C5"].rect.center, -5)
    scrolled = await plain.cells()
    assert "A1" not in scrolled
    plain.check(scrolled, block(scrolled))
    assert not [name for name, cell in scrolled.items() if "focused" in cell.states], "the cursor is out of view"
    await plain.desktop.press([Chord("pagedown"), Chord("pagedown", ("alt",))])
    paged = await plain.cells()
    assert "A1" not in paged
    assert min(map(place_of, paged)) > min(map(place_of, scrolled))
    plain.check(paged, block(paged))


@pytest.mark.requires("desktop.sheet-odd-cells")
async def test_hidden_cells_are_not_seen_and_merged_ones_are_one_wherever_they_begin(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    calc = await open_calc(desktop, tmp_path, ODD)
    cells = await calc.cells()
    assert await calc.note() == f"{USED}; 2 hidden sheets"
    gone = ODD.hidden | ODD.filtered
    places = [place for place in block(cells) if place[0] not in gone and place[1] not in ODD.hidden_columns]
    calc.check(cells, [place for place in places if place not in ODD.covered()])
    assert without_gaps(list(cells.values()), await view_of(calc))
    assert cells["B3"].rect.bottom == cells["E6"].rect.top
    await calc.click_some(["F10", "E7"])
    await desktop.scroll(cells["E6"].rect.center, -9)
    scrolled = await calc.cells()
    assert {"A20", "B21", "A22"}.isdisjoint(scrolled)
    assert scrolled["A21"].value == "r20c0"
    assert without_gaps(list(scrolled.values()), await view_of(calc))
    assert await desktop.resolve(scrolled["A21"]) == scrolled["A21"]


@pytest.mark.full("the others take the same way", but=["True"])
@pytest.mark.requires("desktop.sheet-odd-cells")
@pytest.mark.parametrize("from_right", [False, True])
async def test_a_merged_cell_that_begins_out_of_view_says_that_it_has_the_cursor_and_is_selected(
    desktop: LinuxDesktop, tmp_path: Path, *, from_right: bool
) -> None:
    calc = await open_calc(desktop, tmp_path, Sheet(merged={(0, 0): (9, 1)}, from_right=from_right))
    for cells, states in (("A1", {"focused"}), ("A1:B9", {"focused", "selected"})):
        await calc.go_to(cells)
        await desktop.scroll((await calc.cells())["B5"].rect.center, -1)
        scrolled = await calc.cells()
        assert {"B1", "A2"}.isdisjoint(scrolled)
        assert set(scrolled["A1"].states) & {"focused", "selected"} == states
        assert (scrolled["A1"].value, "editable" in scrolled["A1"].states) == ("r0c0", True)
        assert await desktop.resolve(scrolled["A1"]) == scrolled["A1"]


@pytest.mark.full("merged cells are tried in other tests")
@pytest.mark.requires("desktop.sheet-odd-cells")
async def test_a_text_that_a_merged_cell_covers_is_not_seen(desktop: LinuxDesktop, tmp_path: Path) -> None:
    calc = await open_calc(desktop, tmp_path, UNDER)
    cells = await calc.cells()
    calc.check(cells, [place for place in block(cells) if place not in UNDER.covered()])
    assert without_gaps(list(cells.values()), await view_of(calc))
    await calc.click_some(["A10", "B3", "D13"])


@pytest.mark.full("sheets from right to left are rare, and another test sees one")
@pytest.mark.requires("desktop.sheet-odd-cells")
async def test_a_sheet_that_runs_from_right_to_left_is_seen_whole(desktop: LinuxDesktop, tmp_path: Path) -> None:
    calc = await open_calc(desktop, tmp_path, FROM_RIGHT)
    cells = await calc.cells()
    places = [(row, column) for row, column in block(cells) if row != 7 and column != 5]
    calc.check(cells, [place for place in places if place not in FROM_RIGHT.covered()])
    view = await view_of(calc)
    assert without_gaps(list(cells.values()), view)
    assert cells["A1"].rect.right == view.right
    assert cells["B1"].rect.right == cells["A1"].rect.left
    await calc.click_some(["A1", "B3", "D1", "G7", "A10"])
    await calc.go_to("AB200")
    scrolled = await calc.cells()
    assert {"M190", "Y176"} < set(scrolled), "they begin out of view"
    assert {"M191", "V190", "W193", "X191", "Y186", "Y190"}.isdisjoint(scrolled)
    assert (scrolled["M190"].value, scrolled["Y176"].value) == ("r189c12", "r175c24")
    assert without_gaps(list(scrolled.values()), await view_of(calc))
    await calc.click_some(["AB200", "Y199"])


@pytest.mark.full("sheets from right to left are rare, and another test reads one")
@pytest.mark.requires("desktop.sheet-odd-cells", "command.effect")
async def test_a_cell_of_a_sheet_from_right_to_left_is_found_again_and_clicked_where_it_is_seen(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    calc = await open_calc(desktop, tmp_path, FROM_RIGHT)
    tools, box = Tools(desktop), await calc.name_box()
    for corner, chosen in (("A1", ("C2", "B2", "A2", "B3", "D1", "A6")), ("AB200", ("Z199", "Y176", "M190"))):
        await calc.go_to(corner)
        cells = await calc.cells()
        last = min(cells.values(), key=lambda cell: (cell.rect.left, -cell.rect.top)).name
        for name in (*chosen, last):
            assert (await desktop.resolve(cells[name])).rect == cells[name].rect, name
        for name in chosen:
            done = await tools.run(calc.window, "click_input", await tools.find(calc.window, name, Role.CELL))
            assert done.effect is Effect.CONFIRMED, done
            await calc.until_at(box, name)


@pytest.mark.full("filtered rows are tried in another test")
@pytest.mark.requires("desktop.sheet-odd-cells")
async def test_a_sheet_that_a_filter_leaves_little_of_is_read_at_once(desktop: LinuxDesktop, tmp_path: Path) -> None:
    calc = await open_calc(desktop, tmp_path, MOSTLY_HIDDEN)
    cells = await calc.cells()
    last = max(row for row, _ in map(place_of, cells))
    columns = max(column for _, column in map(place_of, cells))
    rows = [0, 1, *range(2990, last + 1)]
    calc.check(cells, [(row, column) for row in rows for column in range(columns + 1)])


@pytest.mark.requires("desktop.sheet-odd-cells")
@pytest.mark.parametrize("sheet", [FROZEN, SMALL, BOTH] if FULL else [BOTH])
async def test_frozen_and_zoomed_cells_are_where_they_are_said_to_be(
    desktop: LinuxDesktop, tmp_path: Path, sheet: Sheet
) -> None:
    calc = await open_calc(desktop, tmp_path, sheet)
    await calc.go_to("H100")
    cells = await calc.cells()
    assert ("A1" in cells) == (sheet.frozen is not None)
    places = {place_of(name) for name in cells}
    rows, columns = {row for row, _ in places}, {column for _, column in places}
    calc.check(cells, [(row, column) for row in rows for column in columns])
    bars = [control for control in (await desktop.observe(calc.window)).controls if control.type is Role.SCROLLBAR]
    assert len(bars) == 2, "the bars of the panes that are frozen take no room"
    assert await calc.note() == USED
    await calc.click_some(["A1", "C2", "A100", "H101"] if sheet.frozen else ())


@pytest.mark.full("frozen panes and hidden cells are tried in other tests")
@pytest.mark.requires("desktop.sheet-odd-cells")
async def test_panes_that_begin_with_what_is_hidden_are_seen_whole(desktop: LinuxDesktop, tmp_path: Path) -> None:
    calc = await open_calc(desktop, tmp_path, HIDDEN_PANE)
    cells = await calc.cells()
    places = {place_of(name) for name in cells}
    rows, columns = {0, 2, 12, 52}, {0, 2, 4, 5}
    assert {place for place in places if place[0] < 60 and place[1] < 6} == {(r, c) for r in rows for c in columns}
    calc.check(cells, sorted(places))
    await calc.click_some(["A1", "C1", "A13", "E53"])


@pytest.mark.full("frozen panes are seen whole in another test")
@pytest.mark.requires("command.write-table")
async def test_cells_are_gone_to_in_each_of_the_frozen_panes(desktop: LinuxDesktop, tmp_path: Path) -> None:
    calc = await open_calc(desktop, tmp_path, FROZEN)
    call = Call(Command("select_item", {}, ToolType.ACTION, window=calc.window), None, calc.window)
    for cells in ("A1", "C2", "A9", "D9", "B1:D4"):
        done = await select_range(ToolContext(desktop), call, cells)
        assert (done.effect, done.evidence) == (Effect.CONFIRMED, f"{cells} is selected")
        await calc.until_at(await calc.name_box(), cells)
    with pytest.raises(ActionRefused, match="the sheet has no cell ZZZ9999999: its last one is XFD1048576"):
        await select_range(ToolContext(desktop), call, "ZZZ9999999")


@pytest.mark.full("frozen panes are seen whole in another test")
@pytest.mark.requires("desktop.sheet-odd-cells")
async def test_rows_that_are_frozen_in_the_window_are_seen_in_every_pane(desktop: LinuxDesktop, tmp_path: Path) -> None:
    """LibreOffice says of their panes, and of the tables in them, that they do not show."""
    calc = await open_calc(desktop, tmp_path, PLAIN)
    await calc.go_to("B2")
    freeze = [each for each in (await calc.see()).controls if each.name == "Freeze Rows and Columns"]
    await calc.desktop.do_action(freeze[0])

    async def in_panes() -> Observation | None:
        seen = await calc.see()
        return seen if sum(control.type is Role.DOCUMENT for control in seen.controls) == 4 else None

    seen = await calc.desktop.wait_until(in_panes, deadline_s=PATIENCE_S)
    assert seen is not None
    assert sum(control.type is Role.TABLE for control in seen.controls) == 4
    cells = await calc.cells()
    calc.check(cells, block(cells))
    await calc.click_some(["A1", "B1", "A3", "C3"])
    focused = [control.name for control in (await calc.see()).controls if "focused" in control.states]
    assert "C3" in focused
    assert "Freeze Rows and Columns" not in focused


@pytest.mark.requires("desktop.sheet-cells")
async def test_what_is_selected_says_so(plain: Calc) -> None:
    await plain.go_to("B2:C4")
    cells = await plain.cells()
    selected = [name for name, cell in cells.items() if "selected" in cell.states]
    assert selected == ["B2", "C2", "B3", "C3", "B4", "C4"]


@pytest.mark.full("selected cells are tried in another test")
@pytest.mark.requires("desktop.sheet-cells")
async def test_of_a_whole_sheet_every_cell_says_that_it_is_selected(plain: Calc) -> None:
    await plain.go_to("B2")
    await plain.desktop.press([Chord("a", ("ctrl",))])
    cells = await plain.cells()
    assert [name for name, cell in cells.items() if "selected" not in cell.states] == []
    await plain.desktop.press([Chord("right")])
    cells = await plain.cells()
    assert [name for name, cell in cells.items() if "selected" in cell.states] == []


async def read(calc: Calc, area: str = "") -> dict[str, object]:
    """What `read_table` gives of the sheet; of the last of its panes where there are several."""
    table = [c for c in (await calc.see()).controls if c.type is Role.TABLE][-1]
    call = Call(Command("read_table", {}, ToolType.ACTION, window=calc.window), table, calc.window)
    given = ReadTable(id="1", range=area)
    return dict(pairs_of((await read_table(ToolContext(calc.desktop), call, given)).data))


def filled(sheet: Sheet) -> list[list[str]]:
    """The texts of a document without text under merged cells."""
    return [[sheet.text(row, column) for column in range(sheet.filled[1])] for row in range(sheet.filled[0])]


@pytest.mark.full("the others take the same way", but=["odd"])
@pytest.mark.requires("command.read-sheet")
@pytest.mark.parametrize(
    "sheet",
    [*(replace(sheet, filled=(80, 20)) for sheet in (ODD, FROZEN, BOTH)), HIDDEN_PANE, FROM_RIGHT],
    ids=["odd", "frozen", "zoomed", "hidden-pane", "from-right"],
)
async def test_of_a_sheet_all_that_is_filled_is_read(desktop: LinuxDesktop, tmp_path: Path, sheet: Sheet) -> None:
    calc = await open_calc(desktop, tmp_path, sheet)
    told = await read(calc)
    assert (told["cells"], told["range"]) == (filled(sheet), f"A1:{address(sheet.filled[0] - 1, sheet.filled[1] - 1)}")


@pytest.mark.full("30 s; another test reads all that is filled")
@pytest.mark.requires("command.read-sheet", "command.write-table")
async def test_reading_a_sheet_moves_and_selects_nothing_and_sees_what_was_just_written(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    calc = await open_calc(desktop, tmp_path, Sheet(filled=(60, 8)))
    await calc.go_to("B2:D4")
    before = {name: cell.states for name, cell in (await calc.cells()).items()}
    told = await read(calc)
    assert (told["cells"], told["range"]) == (filled(calc.sheet), "A1:H60")
    assert {name: cell.states for name, cell in (await calc.cells()).items()} == before
    assert (await read(calc, "G59:H61"))["cells"] == [[*filled(calc.sheet)[row][6:]] for row in (58, 59)] + [["", ""]]
    call = Call(Command("write_table", {}, ToolType.ACTION, window=calc.window), None, calc.window)
    tail: list[list[str | int | float | None]] = [[f"tail {row}", None] for row in range(400)]
    await write_table(ToolContext(desktop), call, WriteTable(start="C61", rows=[*tail]))
    told = await read(calc)
    assert told["range"] == "A1:H460", "what was pasted beyond all that was filled, without scrolling there"
    rows = [items_of(row, str) for row in items_of(told["cells"], object)]
    assert [row[2] for row in rows[60:]] == [f"tail {row}" for row in range(400)]
    await desktop.press([Chord("z", ("ctrl",))])
    await calc.go_to("A1")  # the cell with the cursor goes on saying what stood in it
    assert (await read(calc))["range"] == "A1:H60"
    await calc.go_to("AZ9000")
    await desktop.press([Chord("x"), Chord("enter")])
    await calc.go_to("A1")
    with pytest.raises(ActionRefused, match=r"the cells A1:B[AB]900\d of .*, more than 200000 at once") as refused:
        await read(calc)
    assert "range=A1:B" in refused.value.fix
    await desktop.press([Chord("z", ("ctrl",))])


@pytest.mark.full("test_busy_programs has the same on a desktop in memory")
@pytest.mark.requires("command.busy-program")
async def test_a_cell_is_gone_to_while_the_program_is_busy(plain: Calc) -> None:
    desktop, pid = plain.desktop, plain.window.pid or 0
    call = Call(Command("write_table", {}, ToolType.ACTION, window=plain.window), None, plain.window)
    sheet = await open_sheet(desktop, call)

    async def go_on() -> None:
        try:
            await anyio.sleep(BUSY_S)
        finally:
            os.kill(pid, signal.SIGCONT)

    os.kill(pid, signal.SIGSTOP)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(go_on)
        await go_to(desktop, call, sheet, "C5")
    focused = [name for name, cell in (await plain.cells()).items() if "focused" in cell.states]
    assert focused == ["C5"]


@pytest.mark.requires("desktop.sheet-identity")
async def test_a_cell_stays_the_same_control_until_it_is_out_of_view(plain: Calc) -> None:
    cells = await plain.cells()
    assert cells == await plain.cells()
    assert await plain.desktop.resolve(cells["B3"]) == cells["B3"]
    assert await plain.desktop.read_text(cells["B3"]) == "r2c1"
    await plain.desktop.scroll(cells["C5"].rect.center, -1)
    scrolled = await plain.cells()
    moved = await plain.desktop.resolve(cells["C9"])
    assert moved == scrolled["C9"]
    assert moved.handle == cells["C9"].handle
    assert moved.rect != cells["C9"].rect
    await plain.go_to("O200")
    with pytest.raises(ElementStale):
        await plain.desktop.resolve(cells["B3"])


@pytest.mark.requires("desktop.sheet-identity")
async def test_a_cell_is_not_taken_for_that_of_another_sheet(plain: Calc) -> None:
    cells = await plain.cells()
    tabs = {c.name: c for c in (await plain.see()).controls if c.type is Role.TAB}

    async def shows(sheet: str) -> None:
        async def it_does() -> bool | None:
            return True if bool((await plain.cells())["B3"].value) == (sheet == "Sheet1") else None

        await plain.desktop.click(tabs[sheet].rect.center)
        assert await plain.desktop.wait_until(it_does, deadline_s=PATIENCE_S)

    await shows("Sheet2")
    with pytest.raises(ElementStale):
        await plain.desktop.resolve(cells["B3"])
    await shows("Sheet1")


@pytest.mark.requires("observe.compact")
async def test_a_model_is_told_a_sheet_in_rows_with_an_id_for_each_cell(plain: Calc) -> None:
    seen = await plain.see()
    labelled = Labeller().label(seen)
    listed = compact(labelled)
    ids = {control.name: control.id for control in labelled if control.type is Role.CELL}
    rows = [line for line in listed.text.splitlines() if " | " in line]
    assert len(rows) > 3
    for number, row in enumerate(rows[:3], 1):
        assert row.split(" | ")[1].startswith(f"{ids[f'B{number}']} B{number} ")
    assert listed.tokens <= DEFAULT_BUDGET
    assert len([line for line in compact(labelled, budget=None).text.splitlines() if " | " in line]) >= len(rows)
    assert f"in view; {USED}" in listed.text
    prompted = compact(Labeller(cells_by_address=True).label(seen), task="sum the rows of the sheet up")
    assert prompted.tokens <= SHEET_BUDGET
    rows = [line.strip() for line in prompted.text.splitlines() if " | " in line]
    assert len(rows) > 3
    for number, row in enumerate(rows[:3], 1):
        text = quoted(plain.sheet.text(number - 1, 1))
        assert row.split(" | ")[1] == f"B{number} {text}"


@pytest.mark.requires("observe.input-line")
async def test_the_input_line_has_the_content_of_the_cell_that_has_the_cursor(plain: Calc) -> None:
    await plain.go_to("C3")
    whole = (await plain.cells())["C3"].value
    told = await plain.name_box() is not None  # 25.2 has neither the Name Box nor the input line in its tree
    assert whole != ""
    assert await input_line(plain) == (whole if told else None)
    for keys, content in ((Chord("delete"), ""), (Chord("z", ("ctrl",)), whole)):
        await plain.desktop.press([keys])
        assert await input_line(plain) == (content if told else None)


async def input_line(calc: Calc) -> str | None:
    """What stands in it; None where it is not in the tree."""
    seen = await calc.see()
    line = next((control for control in seen.controls if control.name == "Input line"), None)
    if line is None:
        return None
    return "\n".join(control.value for control in seen.controls if control.parent == line.handle)


@pytest.mark.full("merged cells are tried in other tests")
@pytest.mark.requires("command.write-table")
async def test_merged_cells_stay_merged_and_the_find_field_is_not_the_name_box(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    calc, tools = await open_calc(desktop, tmp_path, UNDER), Tools(desktop)
    table = next(control for control in (await calc.see()).controls if control.type is Role.TABLE)
    assert await desktop.merged_cells(table, range(20), range(6)) == (
        Merged(2, 1, 3, 2),
        Merged(9, 0, 1, 2),
        Merged(12, 3, 2, 1),
    )
    for start in ("B3", "C4", "A9", "D14"):
        rows: list[JsonValue] = [["x", "y"], ["z", "u"]]
        refused = await tools.run(calc.window, "write_table", None, start=start, rows=rows)
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
        assert "are merged" in refused.evidence
    await desktop.activate(calc.window)
    await desktop.press([Chord("f", ("ctrl",))])

    async def find_field() -> TargetInfo | None:
        seen = await desktop.observe(calc.window, picture=False)
        bars = [control for control in seen.controls if control.type is Role.TOOLBAR and control.name == "Find"]
        fields = [part for bar in bars for part in seen.inside_of(bar) if part.type is Role.TEXTBOX]
        return next((field for field in fields if "focused" in field.states), None)

    words = await desktop.wait_until(find_field, deadline_s=PATIENCE_S)
    assert words is not None
    await desktop.set_text(words, "Q4")
    told = await tools.run(calc.window, "write_table", None, start="E2", rows=[["x"]])
    assert told.effect is Effect.CONFIRMED, told
    assert await desktop.read_text(words) == "Q4"
