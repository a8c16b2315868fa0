"""Spreadsheets and tool bars in the list of controls."""

from dataclasses import replace
from typing import Final

import pytest

from deskhand.core.cell_names import column_name
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, Trait
from deskhand.perception.compact import DEFAULT_BUDGET, SHEET_BUDGET, compact

SHEET: Final = frozenset({Trait.OF_SHEET})


def control(number: int, role: Role, name: str, parent: TargetInfo | None = None, *states: str) -> TargetInfo:
    traits = SHEET if role in {Role.TABLE, Role.CELL} else frozenset[Trait]()
    return TargetInfo(
        TargetKind.CONTROL,
        name,
        role,
        id=str(number),
        value=f"in {name}" if role is Role.CELL else "",
        states=frozenset(states),
        handle=f"h{number}",
        parent=parent.handle if parent else "",
        traits=traits,
    )


def sheet(first: int, addresses: str, *, selected: str = "", name: str = "Sheet1") -> list[TargetInfo]:
    """A document with a table of cells with these addresses."""
    document = control(first, Role.DOCUMENT, "sums.ods")
    table = control(first + 1, Role.TABLE, name, document)
    cells = [
        control(first + 2 + n, Role.CELL, address, table, *(["selected"] if address in selected.split() else []))
        for n, address in enumerate(addresses.split())
    ]
    return [document, table, *cells]


@pytest.mark.requires("observe.compact")
@pytest.mark.parametrize(
    ("addresses", "selected", "note"),
    [
        ("A1 B1 A2 B2", "", "A1:B2 in view"),
        ("A1 B1 A2 B2", "A1", "A1:B2 in view"),
        ("A1 B1 A2 B2", "A1 A2", "A1:B2 in view; selected in view: A1:A2"),
        ("A1 B1 A2 B2", "A1 B2", "A1:B2 in view; 2 cells selected in view"),
        ("Z9 AA9 AB9", "Z9 AA9", "Z9:AB9 in view; selected in view: Z9:AA9"),
        ("A1 A2 A5 A7", "", "A1:A7 in view; rows 3-4, 6 not shown"),
        ("A1 D1 E1 AA1", "", "A1:AA1 in view; columns B-C, F-Z not shown"),
        ("A2 A4 A6 A8 A10", "A4 A6", "A2:A10 in view; rows 3, 5, 7, … not shown; selected in view: A4:A6"),
    ],
)
def test_a_sheet_has_its_ranges_on_one_line_and_no_state_on_each_selected_cell(
    addresses: str, selected: str, note: str
) -> None:
    listed = compact(sheet(1, addresses, selected=selected)).text
    assert f'2 table "Sheet1" ({note}):' in listed
    assert listed.count("(selected)") == (1 if len(selected.split()) == 1 else 0)


@pytest.mark.requires("observe.compact")
@pytest.mark.parametrize(("height", "note"), [(20, "; rows 2-3 not shown"), (60, "")])
def test_rows_that_may_be_merged_with_the_one_before_are_not_called_hidden(height: int, note: str) -> None:
    document, table, *cells = sheet(1, "A1 A4 B4 A5 B5")
    sized = [replace(each, rect=Rect(0, 0, 80, height if each.name == "A1" else 20)) for each in cells]
    assert f'2 table "Sheet1" (A1:B5 in view{note}):' in compact([document, table, *sized]).text


@pytest.mark.requires("observe.compact")
def test_the_line_of_a_sheet_has_the_note_on_content_out_of_view() -> None:
    document, table, *cells = sheet(1, "A1 B1", selected="A1 B1")
    noted = replace(table, note="used to row 120 when last scrolled; 2 hidden sheets")
    note = "A1:B1 in view; used to row 120 when last scrolled; 2 hidden sheets; selected in view: A1:B1"
    assert f'2 table "Sheet1" ({note}):' in compact([document, noted, *cells]).text


@pytest.mark.requires("observe.compact")
@pytest.mark.parametrize(
    ("texts", "note"),
    [
        ("A2", "numbers stored as text: A2"),
        ("A2 A3 B2", "numbers stored as text: A2:A3, B2"),
        ("A1 A3 B1 B3 C1 C3 D1", "numbers stored as text: A1, A3, B1, B3, C1, C3, …"),
    ],
)
def test_numbers_stored_as_text_are_in_the_sheets_line_and_not_on_each_cell(texts: str, note: str) -> None:
    cells = [
        replace(each, states=frozenset({"number_as_text"})) if each.name in texts.split() else each
        for each in sheet(1, "A1 B1 C1 D1 A2 B2 C2 D2 A3 B3 C3 D3")
    ]
    text = compact(cells).text
    assert f'2 table "Sheet1" (A1:D3 in view; {note}):' in text
    assert "number_as_text" not in text


@pytest.mark.requires("observe.compact")
def test_the_panes_of_a_frozen_sheet_are_one_table_in_the_order_of_their_cells() -> None:
    panes = [*sheet(1, "A1"), *sheet(4, "A2 A3"), *sheet(8, "B1 C1"), *sheet(12, "B2 C2 B3 C3")]
    assert compact(panes).text.splitlines() == [
        '12 document "sums.ods":',
        ' 13 table "Sheet1" (A1:C3 in view):',
        '  3 A1 "in A1" | 10 B1 "in B1" | 11 C1 "in C1"',
        '  6 A2 "in A2" | 14 B2 "in B2" | 15 C2 "in C2"',
        '  7 A3 "in A3" | 16 B3 "in B3" | 17 C3 "in C3"',
    ]


@pytest.mark.requires("observe.compact")
def test_two_sheets_of_different_names_stay_two() -> None:
    listed = compact([*sheet(1, "A1"), *sheet(4, "A1", name="Sheet2")]).text
    assert listed.count("(A1:A1 in view)") == 2


def addressed(rows: int, columns: int, *, text: str = "Customer", empty: bool = False) -> list[TargetInfo]:
    """A sheet whose cells have their addresses as ids, as in prompts; `empty`: with an empty column beside it."""
    names = [f"{column_name(column)}{row}" for row in range(1, rows + 1) for column in range(columns + empty)]
    last = column_name(columns)
    filled = [
        replace(each, id=each.name, value=f"{text} {each.name[1:]}", states=frozenset[str]())
        if each.type is Role.CELL
        else each
        for each in sheet(1, " ".join(names))
    ]
    blank = frozenset({"empty"})
    return [
        replace(each, value="", states=blank) if empty and each.name.startswith(last) and each.id == each.name else each
        for each in filled
    ]


@pytest.mark.requires("observe.compact")
def test_a_cell_whose_id_is_its_address_is_written_once_and_empty_ones_are_named_by_theirs() -> None:
    assert compact(addressed(2, 2, empty=True)).text.splitlines() == [
        '1 document "sums.ods":',
        ' 2 table "Sheet1" (A1:C2 in view):',
        '  A1 "Customer 1" | B1 "Customer 1"',
        '  A2 "Customer 2" | B2 "Customer 2"',
        "(2 empty cells, not listed; the id of each is its address)",
    ]


@pytest.mark.requires("observe.compact")
@pytest.mark.parametrize(("rows", "columns"), [(50, 6), (50, 23), (300, 2)], ids=["orders", "wide", "long"])
def test_for_a_task_a_sheet_is_listed_up_to_its_budget_and_the_rows_left_out_are_counted(
    rows: int, columns: int
) -> None:
    controls = addressed(rows, columns)
    listed = compact(controls, task="sum the sheet up")
    told = [line for line in listed.text.splitlines() if line.startswith("  A")]
    assert SHEET_BUDGET * 0.9 < listed.tokens <= SHEET_BUDGET < compact(controls).tokens
    assert f"  … {rows - len(told)} more rows like these, use read_table" in listed.text
    assert listed.omitted == (rows - len(told)) * columns


@pytest.mark.requires("observe.compact")
@pytest.mark.parametrize(
    ("task", "row"),
    [
        ("change the amount of customer 287", "A287"),
        ("write Total into B291", "A291"),
        ("the order of Zimmermann", "A299"),
    ],
)
def test_rows_that_the_task_names_are_listed_before_others(task: str, row: str) -> None:
    controls = [
        replace(each, value="Zimmermann Ltd") if each.name == "B299" else each
        for each in addressed(300, 3, text="Amount")
    ]
    rows = [line.split()[0] for line in compact(controls, task=task).text.splitlines() if line.startswith("  A")]
    assert rows[:3] == ["A1", "A2", "A3"]
    assert row in rows
    assert row not in compact(controls, task="sum it up").text
    named = compact(controls, task=f"{task}; look at {' '.join(f'C{n}' for n in range(100, 300))}").text
    assert [line.split()[0] for line in named.splitlines() if line.startswith("  A")][:4] == ["A1", "A2", "A3", "A100"]


@pytest.mark.requires("observe.compact")
def test_controls_around_a_sheet_are_listed_beyond_its_budget() -> None:
    buttons = [control(2000 + n, Role.BUTTON, f"A button with a long name, number {n}") for n in range(110)]
    listed = compact([*addressed(50, 6), *buttons], task="sum it up")
    assert SHEET_BUDGET < listed.tokens < DEFAULT_BUDGET
    assert listed.text.count(' button "') == len(buttons)
    assert listed.text.count("\n  A") == 3


def bar(count: int) -> list[TargetInfo]:
    top = control(1, Role.TOOLBAR, "Standard")
    group = control(2, Role.GROUP, "Size", top)
    field = replace(control(3, Role.TEXTBOX, "Size", group), value="12 pt")
    buttons = [control(10 + n, Role.BUTTON, f"Button {n}", top) for n in range(count)]
    named = [control(60, Role.BUTTON, "Sort Ascending", top), control(61, Role.BUTTON, "Bold", top, "checked")]
    return [top, group, field, *buttons, *named]


@pytest.mark.requires("observe.compact")
def test_a_large_bar_shows_what_the_task_names_what_has_a_state_and_what_has_a_value() -> None:
    save = replace(bar(9)[3], name="Save", id="70", handle="save")
    assert '70 button "Save"' in compact([*bar(9), save], task="sort and save").text
    assert compact(bar(9), task="sort the rows").text.splitlines() == [
        '1 toolbar "Standard" (9 buttons folded, use find_controls):',
        ' 3 textbox "Size" = "12 pt"',
        ' 60 button "Sort Ascending"',
        ' 61 button "Bold" (checked)',
    ]
    assert "(10 buttons folded," in compact(bar(9), task="all and the").text, "short words are too common"


@pytest.mark.requires("observe.compact")
def test_a_small_bar_and_a_list_without_a_task_are_whole() -> None:
    assert "folded" not in compact(bar(7), task="").text
    assert "folded" not in compact(bar(40)).text


@pytest.mark.requires("observe.compact")
def test_a_box_around_controls_of_its_name_has_no_line() -> None:
    bar_, field = control(1, Role.TOOLBAR, "Styles"), control(3, Role.GROUP, "Format:")
    inside = [control(2, Role.BUTTON, "Styles", bar_), control(4, Role.BUTTON, "Format", field)]
    other, told = control(5, Role.GROUP, "Paper"), control(6, Role.GROUP, "Size")
    more = [
        control(7, Role.BUTTON, "Width", other),
        control(8, Role.BUTTON, "Size", told),
        control(9, Role.BUTTON, "", told),
    ]
    assert compact([bar_, inside[0], field, inside[1], other, more[0], told, *more[1:]]).text.splitlines() == [
        '2 button "Styles"',
        '4 button "Format"',
        '5 group "Paper":',
        ' 7 button "Width"',
        '6 group "Size":',
        ' 8 button "Size"',
        " 9 button",
    ]


@pytest.mark.requires("observe.compact")
@pytest.mark.parametrize(
    ("task", "lines"),
    [
        (
            "sort the rows",
            ['1 group "Properties" (3 controls folded, use find_controls):', ' 7 textbox "Name" (focused)'],
        ),
        (
            "change the orientation",
            [
                '1 group "Properties" (2 controls folded, use find_controls):',
                ' 5 button "Orientation"',
                ' 7 textbox "Name" (focused)',
            ],
        ),
        ("open the properties", None),
        (None, None),
    ],
)
def test_a_side_bar_is_one_line_unless_the_task_names_it_or_a_control_in_it(
    task: str | None, lines: list[str] | None
) -> None:
    side = replace(control(1, Role.GROUP, "Properties"), traits=frozenset({Trait.SIDE_BAR}))
    inner = control(4, Role.LIST, "Layouts", side)
    listed = compact(
        [
            side,
            control(5, Role.BUTTON, "Orientation", side),
            inner,
            control(6, Role.LISTITEM, "Blank", inner),
            control(7, Role.TEXTBOX, "Name", side, "focused"),
        ],
        task=task,
    ).text.splitlines()
    assert listed == lines if lines else len(listed) == 5
