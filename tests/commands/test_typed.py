"""Typed texts in controls that read otherwise than before."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.commands.effects.text_match import appeared_in_title, is_entered, is_same_formula, text_appeared
from deskhand.commands.effects.typed_text import aim_at, find_typed
from deskhand.commands.key_syntax import parse_keys, typed_at_first
from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind

pytestmark = pytest.mark.requires("effect.about")

WINDOW = TargetInfo(TargetKind.WINDOW, "Form", Role.WINDOW, handle="form")


@pytest.mark.parametrize(
    ("text", "was", "reads", "came"),
    [
        ("abc", "", "abc", True),
        ("abc", "abc", "abcabc", True),
        ("abc", "abc", "ababcc", True),
        ("abc", "abc", "abcbc", False),
        ("abc", "abc", "abcc", False),
        ("rep", "report.txt", "rep.txt", True),
        ("abc", "abc def", "abc", True),
        ("hello", "hello world", "hello world\n", False),
        ("hello", "hello world", "hello\n world", False),
        ("hello", "hello world", "hello orld", False),
        ("rep", "", "report.txt", True),
        ("cd", "$ cd\n$ cat x\ny\n$ ", "$ cat x\ny\n$ cd\n$ ", True),
        ("cd", "$ cat x\n$ cd\ny\n$ ", "$ cd\ny\n$ \n$ ", False),
        ("ls", "$ ls\nls\n$ ", "ls\n$ \n$ ", False),
        ("ls", "$ ls\na\n$ ", "$ ls\na\n$ \n$ ", False),
        ("ls", "$ ls\na\n$ ", "$ ls\na\n$ ls", True),
    ],
)
def test_a_text_came_where_it_did_not_stand_before(text: str, was: str, reads: str, came: bool) -> None:
    assert text_appeared(text, was, reads) is came


_FEW = st.text("ab\n", max_size=6)


@given(before=_FEW, went=_FEW, after=_FEW, text=st.text("ab", min_size=1, max_size=3))
def test_whatever_stood_there_a_text_that_was_put_in_came(before: str, went: str, after: str, text: str) -> None:
    was = before + after
    assert text_appeared(text, was, before + text + after)
    assert not text_appeared(text, was, was)
    assert text_appeared(text, f"{before}{went}xyz{after}", before + text + after)


@pytest.mark.parametrize(
    ("text", "was", "title", "came"),
    [
        ("report", "report.txt", "*report.txt", False),
        ("report", "Untitled", "Report.txt - Editor", True),
        ("no", "Main", "Printing... notice", False),
        ("1", "", "Error in line 1", False),
        ("12", "0", "12", True),
        ("12", "12", "12", False),
        ("a+b", "", "Search for a+b", True),
    ],
)
def test_a_title_came_to_name_a_text_where_it_has_it_as_a_word_more_often(
    text: str, was: str, title: str, came: bool
) -> None:
    assert appeared_in_title(text, was, title) is came


@pytest.mark.parametrize(
    ("text", "others", "was", "reads", "entered"),
    [
        ("North", (), "", "North", True),
        ("North", (), "", "Northwest", False),
        ("North", (), "Southwest", "Northwest", False),
        ("north", (), "", "North", False),
        ("rep", (), "report.txt", "rep.txt", True),
        ("X", (), "abc def", "abc X def", True),
        ("X", (), "abc def", "abc Xdef", True),
        ("two", (), "one\n", "one\ntwo", True),
        ("two", (), "one\n", "one\ntwo and more", False),
        ("Hamburg", ("Ham",), "", "HamHamburg", True),
        ("ls", (), "$ ls\na\n$ ", "a\n$ ls", True),
        ("a b", (), "", "a\u00a0b", True),
    ],
)
def test_a_text_is_entered_where_its_field_reads_that_and_nothing_added(
    text: str, others: tuple[str, ...], was: str, reads: str, entered: bool
) -> None:
    assert is_entered(text, others, was, reads, parts=True) is entered


@given(before=_FEW, after=_FEW, text=st.text("ab", min_size=1, max_size=3), added=st.text("cd", min_size=1, max_size=3))
def test_a_text_put_in_anywhere_is_entered_and_one_that_the_program_adds_to_is_not(
    before: str, after: str, text: str, added: str
) -> None:
    assert is_entered(text, (), before + after, before + text + after, parts=True)
    assert not is_entered(text, (), before + after, before + text + added + after, parts=True)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("=sum(a1;b2)", "=SUM(A1,B2)", True),
        ('=A1&"x;y"', '=a1&"x;y"', True),
        ('=A1&"x;y"', '=A1&"x,y"', False),
        ("=(1+2", "=(1+2)", False),
    ],
)
def test_formulas_are_the_same_apart_from_case_and_what_separates_arguments(one: str, other: str, same: bool) -> None:
    assert is_same_formula(one, other) is same


def field(value: str, role: Role = Role.TEXTBOX, handle: str = "field", number: float | None = None) -> TargetInfo:
    states = frozenset({"editable"})
    return TargetInfo(TargetKind.CONTROL, handle, role, handle=handle, value=value, states=states, number=number)


def cell(value: str, handle: str = "A1") -> TargetInfo:
    return field(value, Role.CELL, handle)


@pytest.mark.parametrize(
    ("texts", "changed", "otherwise"),
    [
        (("Hamburg", "Ham"), [(cell(""), cell("Hamburg"))], 'no control has "Ham" in a place of its own'),
        (("Ham", "Ham"), [(cell(""), cell("Ham"))], 'no control has "Ham" in a place of its own'),
        (("Hamburg", "Ham"), [(cell(""), cell("Hamburg")), (cell("", "A2"), cell("Ham", "A2"))], ""),
        (("North",), [(cell(""), cell("Northwest"))], 'cell "A1" reads "Northwest", not "North"'),
        (("007",), [(cell(""), cell("7"))], 'cell "A1" reads "7", not "007"'),
        (("1e5",), [(cell(""), cell("100000"))], 'cell "A1" reads "100000", not "1e5"'),
        (("12.50",), [(cell(""), cell("12.5"))], ""),
        (("John",), [(field(""), field("John")), (field("", handle="all"), field("John Smith", handle="all"))], ""),
        (
            ("42",),
            [(field("5", Role.SPINBUTTON, number=5), field("42", Role.SPINBUTTON, number=5))],
            'spinbutton "field" reads "42", its program has 5: the text counts when the field is left, press {TAB}',
        ),
        (("42",), [(field("5", Role.SPINBUTTON, number=5), field("42.00", Role.SPINBUTTON, number=42))], ""),
        (("42",), [(field("5 %", Role.SPINBUTTON, number=0.05), field("42 %", Role.SPINBUTTON, number=0.42))], ""),
    ],
)
def test_each_typed_text_needs_a_place_of_its_own_with_nothing_added(
    texts: tuple[str, ...], changed: list[tuple[TargetInfo, TargetInfo]], otherwise: str
) -> None:
    typed = find_typed(changed, (), (), texts)
    assert (typed.otherwise, bool(typed.changed)) == (otherwise, not otherwise)


def test_a_text_for_a_control_is_in_it_or_in_its_place_or_has_gone_elsewhere() -> None:
    place = Rect(10, 10, 60, 30)
    button = replace(field("", Role.BUTTON, "Aside"), rect=place)
    below = place.moved(0, 90)
    inner, editor, other = (replace(field("", handle=name), rect=below) for name in ("in", "over", "other"))
    inner = replace(inner, parent=button.handle)
    editor = replace(editor, rect=place.moved(2, 2))
    seen = Observation(WINDOW, (button, inner, editor, other), None, 0.0)
    for holder, otherwise in (
        (button, ""),
        (inner, ""),
        (editor, ""),
        (other, '"typed" is in textbox "other", not in button "Aside"'),
    ):
        changed = [(holder, replace(holder, value="typed"))]
        typed = find_typed(changed, (), (), ("typed",), aim=aim_at(button, 1, seen))
        assert (typed.otherwise, bool(typed.changed)) == (otherwise, not otherwise), holder
        assert not find_typed(changed, (), (), ("typed",), aim=aim_at(button, 0, seen)).otherwise, "after another key"


@pytest.mark.parametrize(
    ("keys", "texts"),
    [
        ("Ada", ("Ada",)),
        ("{VK_CONTROL}aAda{END}!!{TAB}Lovelace", ("Ada", "!!")),
        ("{TAB}Lovelace", ()),
        ("{DOWN}Ada", ()),
        ("{ENTER}Ada", ()),
        ("x", ()),
    ],
)
def test_texts_after_a_key_that_may_move_the_keyboard_can_be_anywhere(keys: str, texts: tuple[str, ...]) -> None:
    assert typed_at_first(parse_keys(keys)) == texts
