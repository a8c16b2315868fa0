"""What is in a cell that tells no text: nothing, or a formula of which LibreOffice tells no result."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.type_checks import pairs_of
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Reply
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import EMPTY, NUMBER_AS_TEXT, RESULT_UNTOLD
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.linux.toolkits.libreoffice.spreadsheet import Sheet, kept_in
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.perception.compact import compact
from deskhand.perception.labels import Labeller
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop

pytestmark = pytest.mark.requires("desktop.sheet-cells")

WIDTH, HEIGHT = 80, 20
CALC = Application("calc", ("soffice", "--calc"), ("soffice", "--calc", "{file}"), "Calc$")


class OneRow:
    """A sheet of one row; of each cell its text and the formula in it. `numbers`: those of its cells, if not 0."""

    def __init__(self, *cells: tuple[str, str], numbers: Mapping[str, float] | None = None) -> None:
        self._cells = cells
        self._numbers = numbers or {}
        self.asked: list[str] = []
        self.nodes: dict[str, Node] = {}
        table = Node(Ref(":1.7", "/table"), None, 0, rect=Rect(0, 0, len(cells) * WIDTH, HEIGHT))
        Sheet(self._post, table, self._keep, self.asked.append).read()

    def _keep(self, node: Node) -> None:
        self.nodes[node.name] = node

    def _post(self, asked: Sequence[Call], then: Callable[[list[Reply]], None]) -> None:
        then([self._answer(call) for call in asked])

    def _answer(self, call: Call) -> Reply:
        member = str(call.body[1]) if call.member == "Get" else call.member
        if member == "GetAccessibleAtPoint":
            return [[":1.7", f"/cell/{int(str(call.body[0])) // WIDTH}"]]
        if member == "GetAccessibleAt":
            return [[":1.7", f"/cell/{call.body[1]}"]]
        if member == "NSelectedChildren":
            return [0]
        column = int(call.path.rpartition("/")[2])
        text, formula = self._cells[column]
        self.asked += [f"{column}"] if member == "GetAttributes" else []
        answers: dict[str, Reply] = {
            "Name": [f"{chr(ord('A') + column)}1"],
            "GetState": [[0, 0]],
            "GetExtents": [[column * WIDTH, 0, WIDTH, HEIGHT]],
            "GetText": [text],
            "GetAttributes": [{"Formula": formula}],
            "CurrentValue": [self._numbers.get(text, 0.0)],
        }
        return answers[member]


def test_a_cell_without_text_is_empty_unless_there_is_a_formula_in_it() -> None:
    row = OneRow(("2", "1+1"), ("", "1/0"), ("", ""))
    assert {name: node.state & (EMPTY | RESULT_UNTOLD) for name, node in row.nodes.items()} == {
        "A1": 0,
        "B1": RESULT_UNTOLD,
        "C1": EMPTY,
    }


def test_a_cell_that_tells_its_text_is_not_asked_for_its_formula() -> None:
    assert OneRow(("2", "1+1"), ("", "1/0"), ("x", "")).asked == ["1"]


@pytest.mark.parametrize(
    "text", ["120", "-12.5", "1,234.50", "1.234,50", "1 234", "50%", "50 %", "00123", "+4", "0.05"]
)
def test_a_text_that_reads_as_a_number_is_told_from_the_number(text: str) -> None:
    for numbers, state in (({}, NUMBER_AS_TEXT), ({text: 7.0}, 0)):
        assert OneRow((text, ""), numbers=numbers).nodes["A1"].state & NUMBER_AS_TEXT == state


@pytest.mark.parametrize(
    "text", ["", "0", "0.00", "abc", "2024-05-06", "1.2.3", "12 pcs", "12:30", "1,23,4", "A1", "%"]
)
def test_other_texts_are_not_asked_for_a_number(text: str) -> None:
    assert OneRow((text, "")).nodes["A1"].state & NUMBER_AS_TEXT == 0


@pytest.fixture(scope="module")
async def desktop(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[LinuxDesktop]:
    async with linux_desktop(tmp_path_factory.mktemp("calc")) as desktop:
        yield desktop


@pytest.mark.desktop
async def test_cells_of_calc_with_errors_are_listed_and_not_told_as_empty(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    window = await desktop.launch(CALC, with_formulas(tmp_path / "errors.fods", "=1/0", "=NA()", "=1+1", '=""'))
    await desktop.settle(window)
    seen = await desktop.observe(window, picture=False)
    cells = {control.name: control for control in seen.controls}
    told = {name: (cells[name].value, content(cells[name])) for name in ("A1", "B1", "C1", "D1", "E1", "A2")}
    untold = ("", {"result_untold"})
    assert told == {"A1": untold, "B1": untold, "C1": ("2", set()), "D1": untold, "E1": EMPTY_CELL, "A2": EMPTY_CELL}
    assert [content(await desktop.resolve(cells[name])) for name in ("B1", "E1")] == [{"result_untold"}, {"empty"}]
    assert "B1 (result_untold)" in compact(Labeller().label(seen)).text
    read = await Tools(desktop).run(window, "read_table", table_in(seen))
    area = dict(pairs_of(read.result))
    assert (area["range"], area["cells"], area["untold"]) == ("A1:D1", [["", "", "2", ""]], ["A1", "B1", "D1"])


@pytest.mark.full("recorded cells are told apart in other tests of this file")
@pytest.mark.desktop
@pytest.mark.requires("observe.compact")
async def test_numbers_stored_as_text_are_marked_where_calc_itself_takes_them_for_texts(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    """`ISTEXT` judges: the cells from I1 on are "text" where the ones from B1 on are."""
    texts = "".join(
        f"<table:table-cell office:value-type='string'><text:p>{text}</text:p></table:table-cell>"
        for text in ("Head", "120")
    )
    number = "<table:table-cell office:value-type='float' office:value='120'/>"
    more = "<table:table-cell office:value-type='string'><text:p>1,234.50</text:p></table:table-cell>"
    formulas = (
        'TEXT([.C1];"0")',
        "[.C1]*2",
        "",
        "",
        *(f'IF(ISTEXT([.{column}1]);"text";"other")' for column in "BCDEFGH"),
    )
    cells = "".join(
        f"<table:table-cell{f' table:formula=&apos;of:={each}&apos;' if each else ''}/>" for each in formulas
    )
    window = await desktop.launch(
        CALC, with_cells(tmp_path / "mixed.fods", f"{texts}{number}{more}{cells}".replace("&apos;", "'"))
    )
    await desktop.settle(window)
    tools = Tools(desktop)
    for name, typed in (("G1", "'7"), ("H1", "8")):
        done = await tools.run(window, "set_edit_text", await tools.find(window, name, Role.CELL), text=typed)
        assert done.delivered, done
    await tools.run(window, "select_item", table_in(await desktop.observe(window, picture=False)), item="A3")
    await desktop.settle(window)
    seen = await desktop.observe(window, picture=False)
    found = {control.name: control for control in seen.controls if control.type is Role.CELL}
    judged = {column for column, judge in zip("BCDEFGH", "IJKLMNO", strict=True) if found[f"{judge}1"].value == "text"}
    marked = {name[0] for name, cell in found.items() if "number_as_text" in cell.states}
    assert marked == judged == set("BDEG")
    assert found["B1"].states == (await desktop.resolve(found["B1"])).states
    assert "numbers stored as text: B1, D1, E1, G1" in compact(Labeller().label(seen)).text
    await tools.run(window, "select_item", table_in(seen), item="C1")
    for keys, shown in ((Chord("5", ("ctrl", "shift")), "12000%"), (Chord("z", ("ctrl",)), "120")):
        await desktop.press([keys])
        await desktop.settle(window)
        after = await desktop.observe(window, picture=False)
        cells_now = {control.name: control.value for control in after.controls}
        assert cells_now["C1"] == shown, "a format is in the next observation"


@pytest.mark.desktop
@pytest.mark.requires("command.read-sheet")
async def test_texts_of_several_lines_are_read_whole(desktop: LinuxDesktop, tmp_path: Path) -> None:
    texts = [
        "a\n\nb\n",
        "\na",
        "line1\n\nline3\n",
        "a\n\nb",
        "a\n",
        "a\n\nbb\ncc",
        "\n\U0001f600\n\n\nb\n",
        "x\U0001f600\n?\n\n?",
    ]
    window = await desktop.launch(CALC, with_cells(tmp_path / "lines.fods", "".join(map(lines_in_cell, texts))))
    await desktop.settle(window)
    table = table_in(await desktop.observe(window, picture=False))
    assert await desktop.read_table(table, range(1), range(len(texts))) == (tuple(texts),)


@pytest.mark.full("formulas without a result are read in another test")
@pytest.mark.desktop
@pytest.mark.requires("command.effect", "observe.reservations")
async def test_a_formula_in_the_cell_with_the_cursor_and_one_that_is_typed_do_not_make_others_lie(
    desktop: LinuxDesktop, tmp_path: Path
) -> None:
    window = await desktop.launch(CALC, with_formulas(tmp_path / "typed.fods", "=1+1", "=2+2"))
    tools = Tools(desktop)

    async def cell(name: str) -> TargetInfo:
        return await tools.find(window, name, Role.CELL)

    put = await tools.run(window, "set_edit_text", await cell("A1"), text="plain")
    assert (put.effect, put.error) == (Effect.CONFIRMED, None), put
    error = await tools.run(window, "set_edit_text", await cell("A1"), text="=1/0")
    assert (error.effect, error.retry_safe) == (Effect.UNVERIFIABLE, False), error
    for kept in (await cell("A1"), await desktop.resolve(await cell("A1"))):
        assert content(kept) == {"result_untold"}, "its object goes on telling what stood there"
    right = await tools.run(window, "set_edit_text", await cell("A1"), text="=3+4")
    assert (right.effect, right.evidence) == (Effect.CONFIRMED, 'reads "=3+4", which comes to "7"'), right
    assert ((await cell("A1")).value, content(await cell("A1"))) == ("7", set())

    beside = await cell("B1")
    await desktop.press([Chord("="), Chord("2")])
    typed = await desktop.observe(window, picture=False)
    assert not [control for control in typed.controls if control.type is Role.CELL]
    assert typed.truncated is not None
    refused = await tools.run(window, "set_edit_text", beside, text="taken")
    assert refused.error is not None
    assert "is being typed into a cell" in refused.error.message
    read = await tools.run(window, "read_table", table_in(typed))
    assert (read.effect, read.result) == (Effect.REFUSED, None)
    assert read.error is not None
    assert "'=2' is being typed into a cell" in read.error.message
    await desktop.press([Chord("esc")])
    await desktop.settle(window)
    assert ((await cell("A1")).value, (await cell("B1")).value) == ("7", "4")


@pytest.mark.parametrize(
    ("text", "formula", "number", "untold"),
    [
        ("7", "3+4", 7.0, False),
        ("3", "1/0", 0.0, True),
        ("plain", "1/0", 0.0, True),
        ("0.00", "1-1", 0.0, False),
        ("plain", "", 0.0, False),
        ("01/02/26", "TODAY()", 46054.0, False),
    ],
)
def test_a_text_that_was_kept_counts_where_its_number_agrees(
    text: str, formula: str, number: float, untold: bool
) -> None:
    assert kept_in(text, [{"Formula": formula}], [number]) == (RESULT_UNTOLD if untold else 0)


EMPTY_CELL: tuple[str, set[str]] = ("", {"empty"})


def content(cell: TargetInfo) -> set[str]:
    return set(cell.states & {"empty", "result_untold"})


def table_in(seen: Observation) -> TargetInfo:
    return replace(next(control for control in seen.controls if control.type is Role.TABLE), id="1")


def with_formulas(file: Path, *formulas: str) -> Path:
    """A document with them in its first row."""
    return with_cells(file, "".join(f"<table:table-cell table:formula='of:{formula}'/>" for formula in formulas))


def lines_in_cell(text: str) -> str:
    lines = "".join(f"<text:p>{line}</text:p>" for line in text.split("\n"))
    return f"<table:table-cell office:value-type='string'>{lines}</table:table-cell>"


def with_cells(file: Path, cells: str) -> Path:
    oasis = "urn:oasis:names:tc:opendocument:xmlns"
    names = "".join(f' xmlns:{name}="{oasis}:{name}:1.0"' for name in ("office", "table", "text"))
    of = f'{names} xmlns:of="{oasis}:of:1.2"'
    file.write_text(
        f'<?xml version="1.0" encoding="UTF-8"?><office:document{of} office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
        f'<table:table table:name="T"><table:table-row>{cells}</table:table-row></table:table>'
        "</office:spreadsheet></office:body></office:document>",
        "utf-8",
    )
    return file
