"""The list of controls that a model reads."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TEXT_CUT, TargetInfo, TargetKind
from deskhand.core.text import tokens
from deskhand.perception.compact import HARD_LIMIT, compact
from deskhand.perception.text_layout import MAX_TEXT, arrange, line_of, states_that_matter


def control(label: str, role: Role, name: str = "", value: str = "", *states: str) -> TargetInfo:
    return TargetInfo(
        TargetKind.CONTROL, name, role, id=label, value=value, states=frozenset(states), handle=f"h{label}"
    )


targets = st.builds(
    control,
    st.integers(1, 999).map(str),
    st.sampled_from(Role),
    st.text(max_size=200),
    st.text(max_size=200),
)


@pytest.mark.parametrize(
    ("target", "line"),
    [
        (control("1", Role.BUTTON, "Save"), '1 button "Save"'),
        (control("12", Role.TEXTBOX, "Name", "Ada", "focused", "focusable"), '12 textbox "Name" = "Ada" (focused)'),
        (control("3", Role.TEXTBOX, "", "A1"), '3 textbox = "A1"'),
        (control("4", Role.CELL, "same", "same"), '4 cell "same"'),
        (control("5", Role.CHECKBOX, "On", "", "checkable", "checked"), '5 checkbox "On" (checked)'),
        (control("6", Role.CHECKBOX, "Off", "", "checkable"), '6 checkbox "Off" (not checked)'),
        (control("7", Role.BUTTON, "Grey", "", "showing"), '7 button "Grey" (disabled)'),
        (control("8", Role.BUTTON, "Live", "", "showing", "enabled"), '8 button "Live"'),
        (control("9", Role.LABEL, "Text", "", "showing"), '9 label "Text"'),
        (control("9", Role.LIST, "Format", "", "showing", "focusable"), '9 list "Format" (disabled)'),
        (control("9", Role.LIST, "Items", "", "showing"), '9 list "Items"'),
        (control("9", Role.CELL, "D1", "D1"), '9 cell "D1" = "D1"'),
        (control("9", Role.TEXTBOX, "Ada", "Ada"), '9 textbox "Ada" = "Ada"'),
        (control("", Role.WINDOW, "No id"), 'window "No id"'),
    ],
)
def test_a_line_says_what_a_reader_needs(target: TargetInfo, line: str) -> None:
    assert line_of(target) == line


def test_hostile_text_stays_on_one_line_and_in_its_quotes() -> None:
    line = line_of(control("1", Role.TEXTBOX, 'a"\n2 button "Pay', "x\u2028y\x85z\r\n"))
    assert line == '1 textbox "a\\"\\n2 button \\"Pay" = "x\\u2028y\\u0085z\\r\\n"'
    assert len(line.splitlines()) == 1


@pytest.mark.requires("observe.exact")
@pytest.mark.parametrize(
    ("heads", "lines"), [(2, ['4 listitem "Bolt" | 5 listitem "12"', '6 listitem "Nut"']), (1, [])]
)
def test_items_under_several_column_headers_are_cells_of_a_row(heads: int, lines: list[str]) -> None:
    tree = control("1", Role.TREE)
    roles = [(Role.COLUMNHEADER, "Part", 0), (Role.COLUMNHEADER, "Count", 0)][:heads]
    roles += [(Role.LISTITEM, "Bolt", 20), (Role.LISTITEM, "12", 20), (Role.LISTITEM, "Nut", 40)]
    below = [
        replace(
            control(str(label), role, name), parent=tree.handle, rect=Rect(label * 50, top, label * 50 + 40, top + 20)
        )
        for label, (role, name, top) in enumerate(roles, 6 - len(roles) + 1)
    ]
    told = [line.text for line in arrange([tree, *below])]
    assert told[2:] == (lines or [f'{n} listitem "{name}"' for n, name in ((4, "Bolt"), (5, "12"), (6, "Nut"))])


@pytest.mark.requires("observe.exact")
def test_a_long_text_keeps_its_beginning_and_its_end_and_says_how_much_is_left_out() -> None:
    text = "start" + "x" * 1000 + "end"
    begin, end = "start" + "x" * (MAX_TEXT // 2 - 5), "x" * (MAX_TEXT // 2 - 3) + "end"
    assert line_of(control("1", Role.TEXTBOX, "", text)) == f'1 textbox = "{begin}" …{len(text) - MAX_TEXT}… "{end}"'


@pytest.mark.requires("observe.exact")
def test_the_text_of_a_message_is_not_cut_in_a_window_of_a_few_controls() -> None:
    message = "".join(f"Line {number} of the reason.\n" for number in range(30))
    box = [control("", Role.LABEL, message), *(control(str(n), Role.BUTTON, f"Button {n}") for n in range(1, 4))]
    assert compact(box).text.startswith(f"label {json.dumps(message)}\n")
    many = [*box, *(control(str(n), Role.BUTTON, f"Button {n}") for n in range(4, 20))]
    assert "…" in compact(many).text


def test_of_a_text_that_was_not_read_to_its_end_no_end_is_shown() -> None:
    begun = replace(control("1", Role.TEXTBOX, "", "start" + "x" * 1995), states=frozenset({TEXT_CUT}))
    begin = "start" + "x" * (MAX_TEXT - 5)
    assert line_of(begun) == f'1 textbox = "{begin}" …{2000 - MAX_TEXT + 1} or more…'


@pytest.mark.requires("observe.exact")
def test_a_value_is_listed_character_for_character() -> None:
    text = " two  blanks\ta tab, a \u00a0no-break one, \u2003 a wide one\r\nand at the end \t "
    line = line_of(control("1", Role.TEXTBOX, "", text))
    assert json.loads(line.removeprefix("1 textbox = ")) == text
    assert not re.search(r"[^\S ]", line), "no blank but the common one"


def test_what_fits_is_listed_whole() -> None:
    listed = compact([control("1", Role.LABEL, "a"), control("2", Role.BUTTON, "b")])
    assert (listed.text, listed.omitted) == ('1 label "a"\n2 button "b"', 0)


def test_what_can_be_used_stays_longest_and_the_rest_is_counted() -> None:
    many = [control(str(n), Role.LABEL if n % 2 else Role.BUTTON, f"control {n}") for n in range(1, 41)]
    listed = compact(many, budget=120)
    kept = [int(line.split()[0]) for line in listed.text.splitlines()[:-1]]
    assert kept == list(range(2, 2 * len(kept) + 1, 2))
    assert listed.text.splitlines()[-1] == f"({40 - len(kept)} more, use find_controls)"
    assert listed.tokens <= 120


def test_order_is_kept_when_labels_fill_what_is_left() -> None:
    many = [control("1", Role.LABEL, "first"), *[control(str(n), Role.BUTTON, "b") for n in range(2, 8)]]
    many += [control("9", Role.LABEL, "y" * 100)]
    listed = compact(many, budget=33)
    assert listed.text.splitlines()[0] == '1 label "first"'
    assert listed.omitted == 1


def test_what_stays_stands_in_the_order_of_the_window() -> None:
    many = [control(str(n), Role.BUTTON if n in {3, 64, 130} else Role.LABEL, f"control {n}") for n in range(1, 200)]
    kept = [int(line.split()[0]) for line in compact(many, budget=40).text.splitlines()[:-1]]
    assert {3, 64, 130} < set(kept)
    assert kept == sorted(kept)


@pytest.mark.requires("observe.empty-cells")
def test_empty_cells_are_counted_in_one_line() -> None:
    cells = [control(str(n), Role.CELL, f"B{n}", "", "empty") for n in range(2, 9)]
    told = [control("1", Role.CELL, "B1", "x"), *cells, control("9", Role.CELL, "B9", "", "empty", "focused")]
    told.append(control("10", Role.BUTTON, "Save"))
    line = "(7 empty cells, not listed; find_controls finds each by its address)"
    listed = compact(told)
    assert (listed.text.splitlines(), listed.omitted) == (
        ['1 cell "B1" = "x"', '9 cell "B9" (focused)', '10 button "Save"', line],
        0,
    )
    few = compact(told, budget=31)
    assert few.text.splitlines() == ['9 cell "B9" (focused)', line, "(2 more, use find_controls)"]
    assert few.tokens <= 31


HEADING = re.compile(r"…|\(\d+ (more|empty)")


def ids_in(text: str) -> list[str]:
    """The ids that a reader finds: at the beginning of lines, and after each bar outside of quotes."""
    found: list[str] = []
    for line in text.split("\n") if text else []:
        if not HEADING.match(line.lstrip(" ")):
            bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
            assert all(re.match(r" *\d+ ", entry + " ") for entry in bare.split(" | ")), line
            found += [entry.split()[0] for entry in bare.split(" | ")]
    return found


@st.composite
def windows(draw: st.DrawFn) -> list[TargetInfo]:
    """Controls with ids of their own, each at the top or in one that came before; some rows that are alike."""
    roles = draw(st.lists(st.sampled_from(Role), max_size=40))
    found: list[TargetInfo] = []
    for number, role in enumerate(roles, 1):
        parent = draw(st.integers(0, number - 1))
        name = draw(st.sampled_from(["", "A1", "B2", 'x" | 7 button "y', "né…", "w" * 200]))
        states = draw(st.sets(st.sampled_from(["focused", "empty", "selectable", "checked", "showing", "enabled"])))
        made = control(str(number), role, name, draw(st.sampled_from(["", "v", "A1"])), *states)
        found.append(replace(made, parent=f"h{parent}", rect=Rect(0, parent, 9, parent + draw(st.integers(0, 9)))))
    items = range(len(found) + 1, len(found) + 1 + draw(st.integers(0, 60)))
    return [*found, *(replace(control(str(n), Role.LISTITEM, f"item {n}"), parent="h1") for n in items)]


@pytest.mark.requires("observe.compact")
@given(windows(), st.integers(40, 600))
@pytest.mark.long
def test_a_budget_is_kept_and_every_line_leads_back_to_its_controls(found: list[TargetInfo], budget: int) -> None:
    listed = compact(found, budget=budget)
    assert listed.tokens == tokens(listed.text) <= budget
    ids = ids_in(listed.text)
    assert len(ids) == len(set(ids))
    assert set(ids) <= {target.id for target in found}
    everything = ids_in(compact(found, budget=None).text)
    assert len(ids) + listed.omitted == len(everything)
    assert set(ids) <= set(everything)


@pytest.mark.requires("observe.compact")
@given(windows(), st.integers(40, 600))
def test_nothing_to_use_is_left_out_while_something_to_read_stays(found: list[TargetInfo], budget: int) -> None:
    """But for rows that are alike: the first of them stand for the rest. A region's line stays for what is in it."""
    text = compact(found, budget=budget).text
    kept = set(ids_in(text))
    lines = [
        line
        for line in arrange([t for t in found if "empty" not in t.states or states_that_matter(t)])
        if line.family is None
    ]
    if any(line.usable and line.targets[0].id not in kept for line in lines):
        regions = {arranged.targets[0].id for arranged in lines if f"{arranged.text}:" in text}
        to_read = [line for line in lines if not line.usable and line.targets[0].id in kept]
        assert {line.targets[0].id for line in to_read} <= regions


@given(st.lists(targets, max_size=30), st.integers(12, 400))
def test_what_is_left_out_of_a_plain_list_is_counted_in_its_last_line(controls: list[TargetInfo], budget: int) -> None:
    listed = compact(controls, budget=budget)
    assert listed.tokens == tokens(listed.text) <= budget
    lines = listed.text.split("\n") if listed.text else []
    said = re.fullmatch(r"\((\d+) more, use find_controls\)", lines[-1]) if listed.omitted else None
    assert (int(said[1]) if said else 0) == listed.omitted
    assert len(lines) - bool(said) + listed.omitted == len(controls)


@pytest.mark.requires("observe.compact")
def test_no_model_is_shown_more_than_the_hard_limit() -> None:
    many = [control(str(n), Role.BUTTON, f"button {n} " + "w" * 60) for n in range(1, 3000)]
    assert compact(many).tokens <= 2000
    assert 5900 < compact(many, budget=100_000).tokens <= HARD_LIMIT
    assert compact(many, budget=None).omitted == 0


@pytest.mark.requires("observe.compact")
def test_rows_that_are_alike_are_folded_only_where_the_window_is_too_large() -> None:
    page = [control("1", Role.TABLE, "Orders")]
    for row in range(150):
        base = 2 + row * 4
        page += [
            replace(control(str(base), Role.ROW, f"Row {row} Open {row}"), parent="h1"),
            replace(control(str(base + 1), Role.CELL, f"Row {row}"), parent=f"h{base}"),
            replace(control(str(base + 2), Role.CELL, f"Open {row}"), parent=f"h{base}"),
            replace(control(str(base + 3), Role.LINK, f"Open {row}"), parent=f"h{base + 2}"),
        ]
    page += [control("900", Role.LABEL, "150 orders"), control("901", Role.BUTTON, "Next page")]
    assert compact(page, budget=120).text == snapshot("""\
1 table "Orders":
 3 "Row 0" | 5 link "Open 0"
 7 "Row 1" | 9 link "Open 1"
 11 "Row 2" | 13 link "Open 2"
 15 "Row 3" | 17 link "Open 3"
 19 "Row 4" | 21 link "Open 4"
 23 "Row 5" | 25 link "Open 5"
 27 "Row 6" | 29 link "Open 6"
 31 "Row 7" | 33 link "Open 7"
 35 "Row 8" | 37 link "Open 8"
 39 "Row 9" | 41 link "Open 9"
 … 140 more rows like these, use find_controls
900 label "150 orders"
901 button "Next page"\
""")
    whole = compact(page, budget=None)
    assert whole.omitted == 0
    assert whole.text.count(" link ") == 150


@pytest.mark.requires("observe.compact")
@pytest.mark.parametrize(("rows", "folded"), [(7, False), (8, True)])
def test_a_few_rows_that_are_alike_are_not_folded(rows: int, folded: bool) -> None:
    page = [control("1", Role.LIST, "Filter")]
    page += [replace(control(str(n + 2), Role.LISTITEM, f"Command {n}"), parent="h1") for n in range(rows)]
    page += [control(str(n), Role.LABEL, f"words {n} " + "w" * 60) for n in range(100, 150)]
    assert ("like these" in compact(page, budget=60).text) == folded


@pytest.mark.requires("observe.compact")
@pytest.mark.parametrize("budget", [500, 2000, 100_000])
def test_many_short_lists_are_within_the_budget(budget: int) -> None:
    lists: list[TargetInfo] = []
    for number in range(0, 8 * 400, 8):
        lists.append(control(str(number + 1), Role.LIST, f"List {number}"))
        for place in range(2, 9):
            link = control(str(number + place), Role.LINK, f"Link {place}", "", *(["selected"] if place == 2 else []))
            lists.append(replace(link, parent=f"h{number + 1}"))
    listed = compact(lists, budget=budget)
    assert listed.tokens <= min(budget, HARD_LIMIT)
    assert len(ids_in(listed.text)) + listed.omitted == len(lists)


@pytest.mark.requires("observe.compact")
def test_a_sheet_stands_in_rows_with_an_id_for_each_cell() -> None:
    sheet = [control("1", Role.TABLE, "Sheet1", "", "focused")]
    for number, (address, value) in enumerate([("A1", "Region"), ("B1", "Q1"), ("A2", "North | 9 x"), ("B2", "")], 2):
        states = ("empty",) if not value else ("focused",) if address == "A1" else ()
        sheet.append(replace(control(str(number), Role.CELL, address, value, *states), parent="h1"))
    assert compact(sheet).text == snapshot("""\
1 table "Sheet1" (focused):
 2 A1 "Region" (focused) | 3 B1 "Q1"
 4 A2 "North | 9 x"
(1 empty cells, not listed; find_controls finds each by its address)\
""")


@pytest.mark.requires("observe.compact")
def test_a_cell_that_says_what_might_be_an_address_stands_in_its_row_in_quotes() -> None:
    keys = [control("1", Role.TABLE, "Shortcuts")]
    for number, (name, row) in enumerate([("Help", 0), ("F1", 0), ("Rename", 1), ("F2", 1)], 2):
        place = Rect(number % 2 * 100, row * 20, number % 2 * 100 + 100, row * 20 + 20)
        keys.append(replace(control(str(number), Role.CELL, name), parent="h1", rect=place))
    assert compact(keys).text == snapshot("""\
1 table "Shortcuts":
 2 "Help" | 3 "F1"
 4 "Rename" | 5 "F2"\
""")


@pytest.mark.requires("observe.compact")
def test_a_menu_that_is_open_is_listed_before_a_long_page() -> None:
    page = [control("1", Role.DOCUMENT, "Page")]
    page += [replace(control(str(n), Role.BUTTON, f"Button {n}"), parent="h1") for n in range(2, 400)]
    menu = [control("400", Role.MENU, "Tab")]
    menu += [replace(control(str(n), Role.MENUITEM, f"Command {n}"), parent="h400") for n in range(401, 418)]
    text = compact([*page, *menu]).text
    assert all(f'"Command {n}"' in text for n in range(401, 418))
    assert '"Button 100"' in text


@pytest.mark.requires("observe.compact")
def test_what_only_frames_or_repeats_takes_no_line() -> None:
    bar = control("1", Role.TOOLBAR, "Formatting")
    box = replace(control("2", Role.GROUP), parent="h1")
    button = replace(control("3", Role.BUTTON, "7 7"), parent="h2")
    word = replace(control("4", Role.LABEL, "7"), parent="h3")
    nameless = replace(control("5", Role.BUTTON), parent="h2")
    icon = replace(control("6", Role.LABEL, "π"), parent="h5")
    assert compact([bar, box, button, word, nameless, icon]).text == snapshot("""\
1 toolbar "Formatting":
 3 button "7 7"
 5 button:
  6 label "π"\
""")


@pytest.mark.requires("observe.compact")
def test_a_number_beside_a_name_is_listed_where_it_is_only_a_part_of_a_word_in_that() -> None:
    inbox = control("1", Role.LISTITEM, "Inbox 2024")
    unread = replace(control("2", Role.LABEL, "2"), parent="h1")
    assert compact([inbox, unread]).text == '1 listitem "Inbox 2024" | 2 label "2"'
    year = replace(control("2", Role.LABEL, "2024"), parent="h1")
    assert compact([inbox, year]).text == '1 listitem "Inbox 2024"'


@pytest.mark.requires("observe.compact")
def test_a_cell_of_a_page_that_is_written_in_is_listed_and_not_what_is_written() -> None:
    rows = [control("1", Role.TABLE), replace(control("2", Role.ROW, "apple 3"), parent="h1")]
    for number, text in ((3, "apple"), (5, "3")):
        cell = control(str(number), Role.CELL, "", text, "editable", "focusable")
        words = control(str(number + 1), Role.TEXT, text, "", "editable")
        rows += [replace(cell, parent="h2"), replace(words, parent=f"h{number}")]
    assert compact(rows).text == snapshot("""\
1 table:
 3 = "apple" | 5 = "3"\
""")


def test_a_window_nested_a_thousand_times_is_listed() -> None:
    nested = [replace(control(str(n), Role.GROUP, f"g{n}"), parent=f"h{n - 1}") for n in range(1, 3000)]
    assert compact(nested, budget=None).omitted == 0
    assert compact(nested).tokens <= 2000


@pytest.mark.requires("observe.tokens")
@given(st.text())
def test_tokens_are_a_quarter_of_the_bytes_rounded_up(text: str) -> None:
    assert tokens(text) == -(-len(text.encode()) // 4)
