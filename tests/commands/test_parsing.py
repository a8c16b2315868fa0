"""The pure parts of the tools: key strokes, cell addresses, blocks of cells (contract 4.2)."""

import io
import re
import zipfile
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.commands import standard_catalogue
from deskhand.commands.key_syntax import KEYS, MODIFIERS, in_braces, last_command, parse_keys, typed_in, with_texts
from deskhand.commands.techniques.cells import Address, parse_address, range_name
from deskhand.commands.techniques.clipboard_block import (
    CLIPBOARD_TARGET,
    clipboard_of,
    decimals_of,
    is_day,
    is_plain_number,
    same_value,
)
from deskhand.commands.tools.spreadsheet import margins, padded, trimmed
from deskhand.core.errors import ActionRefused, ReplyDefect
from deskhand.desktop.protocols.input import Chord
from support import ROOT

OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
HOSTILE = [
    "North-East",
    "march",
    "00123",
    "=1+1",
    "1/2",
    "teh",
    "1,234.50",
    "12%",
    '"',
    "a\tb",
    "漢字",
    " ",
    "1e5",
    "+5",
]
PLAIN = ["0", "-5", "12", "3.25", "-0.5", "123456789012345"]


@pytest.mark.parametrize(
    ("text", "chords"),
    [
        ("", []),
        ("aB", [Chord("a"), Chord("B")]),
        ("{VK_CONTROL}c", [Chord("c", ("ctrl",))]),
        ("{VK_CONTROL}{VK_SHIFT}s!", [Chord("s", ("ctrl", "shift")), Chord("!")]),
        ("{ctrl}{ctrl}{F5}", [Chord("f5", ("ctrl",))]),
        ("{ENTER}{esc}{VK_PRIOR}{ Home }", [Chord("enter"), Chord("esc"), Chord("pageup"), Chord("home")]),
        ("{VK_MENU}f{LWIN}d", [Chord("f", ("alt",)), Chord("d", ("super",))]),
        ("{{}{}}", [Chord("{"), Chord("}")]),
        ("{VK_CONTROL}{a}", [Chord("a", ("ctrl",))]),
        ("a b\tc\n", [Chord("a"), Chord("space"), Chord("b"), Chord("tab"), Chord("c"), Chord("enter")]),
        ("é漢", [Chord("é"), Chord("漢")]),
        ("ctrl+c", [Chord("c", ("ctrl",))]),
        (" Ctrl+Shift+S ", [Chord("s", ("ctrl", "shift"))]),
        ("VK_CONTROL+Home", [Chord("home", ("ctrl",))]),
        ("alt+F4", [Chord("f4", ("alt",))]),
        ("ctrl++", [Chord("+", ("ctrl",))]),
        ("a+b", [Chord("a"), Chord("+"), Chord("b")]),
        ("ctrl+nope", [Chord(character) for character in "ctrl+nope"]),
        ("{c}trl+c", [Chord(character) for character in "ctrl+c"]),
        ("{CTRL}S{VK_A}{A}", [Chord("s", ("ctrl",)), Chord("a"), Chord("A")]),
    ],
)
def test_keys_mean_chords(text: str, chords: list[Chord]) -> None:
    assert list(parse_keys(text)) == chords


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{NOPE}", "there is no key 'NOPE'"),
        ("a{", "a single brace at position 1"),
        ("}", "a single brace at position 0"),
        ("{}", "a single brace"),
        ("a{VK_CONTROL}", "ctrl at the end"),
        ("a{VK_CONTROL}{VK_SHIFT}", r"ctrl\+shift at the end"),
    ],
)
def test_keys_that_mean_nothing_are_said_in_one_sentence(text: str, said: str) -> None:
    with pytest.raises(ReplyDefect, match=said):
        parse_keys(text)


@pytest.mark.requires("typing.chords")
@pytest.mark.parametrize("written", ["ctrl+w", "Ctrl+W", "{VK_CONTROL}{w}", "{CTRL}W", "{LCONTROL}w", "{VK_CONTROL}w"])
def test_rules_about_keys_see_one_way_of_writing(written: str) -> None:
    keys = standard_catalogue().validate("keyboard_input", {"keys": written})["keys"]
    assert keys == "{VK_CONTROL}w"


@pytest.mark.requires("typing.chords")
@pytest.mark.parametrize("written", ["ctrl+alt+shift+w", "Shift+Alt+Ctrl+W", "{SHIFT}{CTRL}{MENU}{CTRL}w"])
def test_rules_about_keys_see_modifiers_in_one_order(written: str) -> None:
    keys = standard_catalogue().validate("keyboard_input", {"keys": written})["keys"]
    assert keys == "{VK_CONTROL}{VK_MENU}{VK_SHIFT}w"


@pytest.mark.requires("typing.chords")
@pytest.mark.parametrize(
    ("written", "judged"),
    [
        ("{APPS}x", "{APPS}x"),
        ("shift+apps", "{VK_SHIFT}{APPS}"),
        ("{MENU}x", "{VK_MENU}x"),
        ("{A}LT+F4", "{A}LT+F4"),
        ("{c}trl+{w}", "{c}trl+w"),
        (" {s}hift+Home", "{space}{s}hift+Home"),
    ],
)
def test_rules_judge_the_chords_that_are_pressed(written: str, judged: str) -> None:
    keys = str(standard_catalogue().validate("keyboard_input", {"keys": written})["keys"])
    assert parse_keys(keys) == parse_keys(written)
    assert keys == judged


def test_a_text_that_reads_like_a_chord_stays_a_text_where_others_are_changed() -> None:
    assert with_texts("{c}trl+c", lambda text: text) == "{c}trl+c"


@given(
    st.lists(
        st.sampled_from(
            [*"a B{}+é漢", "\n", "{F5}", "{CTRL}", "{VK_MENU}{DEL}", "{}}", "{APPS}", "{c}trl+", "{A}lt+F4"]
        )
    )
)
def test_what_is_written_in_braces_means_the_same(parts: list[str]) -> None:
    try:
        chords = parse_keys("".join(parts))
    except ReplyDefect:
        return
    assert parse_keys(in_braces(chords)) == chords


@pytest.mark.requires("typing.chords")
def test_the_page_about_keys_has_every_name_and_no_other() -> None:
    table = (
        (ROOT / "docs/keys.md").read_text(encoding="utf-8").partition("<!-- keys -->")[2].partition("<!-- end -->")[0]
    )
    named = re.findall(r"`([A-Z0-9]+)`", table)
    assert sorted(named) == sorted(name.upper() for name in (*KEYS, *MODIFIERS))


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("keys", "typed"),
    [
        ("88", ("88",)),
        ("77{ENTER}", ("77",)),
        ("7{ENTER}", ("7",)),
        ("Ada Lovelace{TAB}{VK_SHIFT}x1{ENTER}", ("Ada Lovelace", "x1")),
        ("{VK_CONTROL}ahello{BACKSPACE}p", ("hellp",)),
        ("{VK_CONTROL}a{DELETE}", ()),
        ("{ENTER}", ()),
        ("n", ()),
        (" {ENTER}", ()),
        ("{VK_CONTROL}{VK_SHIFT}s", ()),
        ("{VK_MENU}fs", ()),
        ("{F10}fs{ESC}done", ("done",)),
    ],
)
def test_the_text_in_keys_is_what_they_type(keys: str, typed: tuple[str, ...]) -> None:
    assert typed_in(parse_keys(keys)) == typed


@pytest.mark.requires("effect.about")
@pytest.mark.parametrize(
    ("keys", "command"),
    [
        ("{ESC}{CTRL}s", "{CTRL}s"),
        ("hello{CTRL}s", "{CTRL}s"),
        ("hello{TAB}{ENTER}", "{ENTER}"),
        ("{TAB}{SPACE}", " "),
        ("{MENU}foo", "o"),
        ("hello{MENU}fs", "s"),
        ("5{F5}", "{F5}"),
        ("{UP}{DOWN}{DOWN}", "{DOWN}{DOWN}"),
        *[(keys, keys) for keys in ("hello ", "hello {ENTER}", "hello{TAB}{TAB}", "{DOWN}{DOWN}", "{ESC}hello", "aa")],
    ],
)
def test_the_command_at_the_end_of_keys_is_found(keys: str, command: str) -> None:
    chords = parse_keys(keys)
    assert chords[last_command(chords) :] == parse_keys(command)


@given(st.text(st.characters(exclude_characters="{}\n\t ", exclude_categories=["Cs"])))
def test_text_without_braces_is_pressed_as_it_stands(text: str) -> None:
    assert "".join(chord.key for chord in parse_keys(text)) == text


@given(st.integers(0, 1_048_575), st.integers(0, 16_383))
def test_an_address_reads_back(row: int, column: int) -> None:
    assert parse_address(str(Address(row, column))) == Address(row, column)


def test_addresses_and_ranges() -> None:
    assert parse_address(" c5 ") == Address(4, 2)
    assert [str(Address(0, column)) for column in (0, 25, 26, 701, 702)] == ["A1", "Z1", "AA1", "ZZ1", "AAA1"]
    assert range_name(Address(0, 0), 5, 3) == "A1:C5"


@pytest.mark.parametrize("text", ["", "A", "5", "A0", "A1:B2", "A-1", "Ä1", "AAAA1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ActionRefused, match="is not the address of a cell"):
        parse_address(text)


def test_rows_are_made_equally_long_and_values_texts() -> None:
    assert padded([["a"], [1, 2.0, None], []]) == [["a", "", ""], ["1", "2", ""], ["", "", ""]]
    assert padded([[0.1, 1 / 3, 1e-10, 1e14]]) == [["0.1", "0.333333333333333", "0.0000000001", "100000000000000"]]
    for number in (1e20, 10**15, float("nan"), float("inf")):
        with pytest.raises(ActionRefused, match="cannot be stored exactly"):
            padded([[number]])
    assert padded([["100000000000000000000"]]) == [["100000000000000000000"]], "a text may look like a number"
    with pytest.raises(ActionRefused, match="no values"):
        padded([[], []])


GRIDS = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(st.sampled_from(["", "x"]), min_size=width, max_size=width), min_size=1, max_size=5)
)


@given(GRIDS)
def test_trimming_loses_nothing_but_empty_edges(rows: list[list[str]]) -> None:
    block, top, left = trimmed(rows)
    kept = {(top + r, left + c) for r, row in enumerate(block) for c, text in enumerate(row) if text}
    assert kept == {(r, c) for r, row in enumerate(rows) for c, text in enumerate(row) if text}
    if block:
        assert any(block[0])
        assert any(block[-1])
        assert any(row[0] for row in block)
        assert any(row[-1] for row in block)


@pytest.mark.parametrize(
    ("wanted", "read", "same"),
    [
        ("65", "65", True),
        ("65", "65.0", True),
        ("0.1", "0.1", True),
        ("65", "66", False),
        ("65", "", False),
        ("65", "sixty-five", False),
        ("00123", "00123", True),
        ("00123", "123", False),
        ("1,234.50", "1234.5", False),
        ("1.5", "1,5", True),
        ("1234.5", "1.234,5", False),
        ("15", "1,5", False),
        ("march", "March", False),
        ("", "", True),
        ("", "0", False),
    ],
)
def test_texts_are_compared_by_character_and_plain_numbers_by_value(wanted: str, read: str, same: bool) -> None:
    assert same_value(wanted, read) is same


@pytest.mark.requires("command.write-table")
@pytest.mark.parametrize("text", HOSTILE)
def test_what_only_looks_like_a_number_stays_text(text: str) -> None:
    assert not is_plain_number(text)


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_number_is_one(text: str) -> None:
    assert is_plain_number(text)


@pytest.mark.parametrize("text", ["-0", "1234567890123456", "01", "1.", ".5", "١٢", "1_000", "1 "])
def test_a_number_that_a_cell_would_not_give_back_is_text(text: str) -> None:
    assert not is_plain_number(text)


def cells_of(rows: list[list[str]]) -> list[list[tuple[str, str]]]:
    """(type, text) of every cell of the block, as a reader of the format sees them."""
    with zipfile.ZipFile(io.BytesIO(clipboard_of(rows)[CLIPBOARD_TARGET])) as archive:
        assert archive.namelist()[0] == "mimetype"
        root = ET.fromstring(archive.read("content.xml"))  # noqa: S314 - we wrote it
    return [
        [(cell.get(f"{OFFICE}value-type", ""), "\n".join("".join(p.itertext()) for p in cell)) for cell in row]
        for row in root.iter()
        if row.tag.endswith("}table-row")
    ]


def kind_of(text: str) -> str:
    return "" if not text else "float" if is_plain_number(text) else "date" if is_day(text) else "string"


TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Co", "Cn"]) | st.sampled_from("<>&\"'\t\n]"))


@pytest.mark.requires("command.write-table")
@given(GRIDS.flatmap(lambda grid: st.tuples(*[st.tuples(*[TEXTS for _ in row]) for row in grid])))
def test_every_text_arrives_as_it_is_in_valid_xml(grid: tuple[tuple[str, ...], ...]) -> None:
    rows = [list(row) for row in grid]
    read = cells_of(rows)
    assert [[text for _, text in row] for row in read] == rows
    kinds = [[kind_of(text) for text in row] for row in rows]
    assert [[kind for kind, _ in row] for row in read] == kinds


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("12.50", 2),
        ("-8.0", 1),
        ("1.000", 3),
        ("12.5", 0),
        ("65", 0),
        ("01.50", 0),
        ("1,50", 0),
        ("1234567890.123450", 0),
    ],
)
def test_a_decimal_with_zeros_at_its_end_has_places(text: str, places: int) -> None:
    assert decimals_of(text) == places
    assert same_value(text, text, decimals=True)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("2026-03-12", "date"),
        ("2024-02-29", "date"),
        ("2026-02-30", "string"),
        ("2026-3-12", "string"),
        ("2026-03-12 10:20", "string"),
        (" 2026-03-12", "string"),
        ("12.03.2026", "string"),
        ("1500-01-01", "string"),
        ("20260312", "float"),
    ],
)
def test_a_day_that_exists_is_a_date_and_what_only_looks_like_one_a_text(text: str, kind: str) -> None:
    assert cells_of([[text]]) == [[(kind, text)]]
    assert same_value(text, text)


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\ud800", "\ufffe"])
def test_a_character_that_no_document_can_hold_is_refused(bad: str) -> None:
    with pytest.raises(ActionRefused, match="cannot hold"):
        clipboard_of([[f"a{bad}"]])


@given(st.lists(st.lists(st.sampled_from(["", "", "x"]), min_size=3, max_size=3), min_size=1, max_size=5))
def test_what_is_trimmed_off_a_block_is_exactly_its_margins(rows: list[list[str]]) -> None:
    block, top, left = trimmed(rows)
    cells = {(top + r, left + c) for r, row in enumerate(block) for c in range(len(row))}
    areas = margins(rows, block, top, left)
    outside = [
        (r, c)
        for row, column, high, wide in areas
        for r in range(row, row + high)
        for c in range(column, column + wide)
    ]
    assert sorted([*cells, *outside]) == [(r, c) for r in range(len(rows)) for c in range(3)]
