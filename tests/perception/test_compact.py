"""The list of controls that a model reads."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.core.tokens import tokens
from deskhand.perception.compact import MAX_TEXT, compact, line_of


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
        (control("", Role.WINDOW, "No id"), 'window "No id"'),
    ],
)
def test_a_line_says_what_a_reader_needs(target: TargetInfo, line: str) -> None:
    assert line_of(target) == line


def test_hostile_text_stays_on_one_line_and_in_its_quotes() -> None:
    line = line_of(control("1", Role.TEXTBOX, 'a"\n2 button "Pay', "x\u2028y\x85z\r\n"))
    assert line == '1 textbox "a\\"\\n2 button \\"Pay" = "x\\u2028y\\u0085z\\r\\n"'
    assert len(line.splitlines()) == 1


def test_a_long_text_keeps_its_beginning_and_its_end() -> None:
    line = line_of(control("1", Role.TEXTBOX, "", "start" + "x" * 1000 + "end"))
    assert line.startswith('1 textbox = "start')
    assert line.endswith('xend"')
    assert len(line) < MAX_TEXT + 20


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
    assert few.text.splitlines() == ['1 cell "B1" = "x"', line, "(2 more, use find_controls)"]
    assert few.tokens <= 31


@given(st.lists(targets, max_size=30), st.integers(12, 400))
def test_a_budget_is_kept_and_nothing_is_lost_silently(controls: list[TargetInfo], budget: int) -> None:
    listed = compact(controls, budget=budget)
    assert listed.tokens == tokens(listed.text) <= budget
    lines = listed.text.split("\n") if listed.text else []
    said = re.fullmatch(r"\((\d+) more, use find_controls\)", lines[-1]) if listed.omitted else None
    assert (int(said[1]) if said else 0) == listed.omitted
    assert len(lines) - bool(said) + listed.omitted == len(controls)


@pytest.mark.requires("observe.tokens")
@given(st.text())
def test_tokens_are_a_quarter_of_the_bytes_rounded_up(text: str) -> None:
    assert tokens(text) == -(-len(text.encode()) // 4)
