"""Differences from a reference, in words."""

from dataclasses import replace

import pytest
from PIL import Image

from deskhand.core.geometry import Rect
from deskhand.snapshots.differences import differences
from deskhand.snapshots.pixels import leaf_places, picture_differences, unexposed
from deskhand.snapshots.reference import Control, Reference

pytestmark = pytest.mark.requires("snapshot.words")


def control(role: str, name: str, left: int, top: int, *children: Control, value: str = "") -> Control:
    return Control(role, name, Rect.from_extents(left, top, 80, 30), value, children=children)


SAVE = control("button", "Save", 10, 10)
BOLD = replace(control("checkbox", "Bold", 100, 10), states=frozenset({"checked"}))
SUM = control("textbox", "", 200, 10, value="2")
CLEAR = control("button", "Clear", 310, 110)
PAYMENT = Control("group", "Payment", Rect(300, 100, 500, 200), children=(CLEAR, control("button", "Pay", 310, 150)))


def window(*controls: Control) -> Reference:
    return Reference("Orders", (600, 400), controls)


def words(*now: Control, before: tuple[Control, ...] = (SAVE, BOLD, SUM, PAYMENT)) -> list[str]:
    return [each.words for each in differences(window(*before), window(*now))]


def moved(moving: Control, dx: int, dy: int) -> Control:
    return replace(
        moving, place=moving.place.moved(dx, dy), children=tuple(moved(each, dx, dy) for each in moving.children)
    )


def test_the_same_window_has_none_also_a_few_pixels_aside() -> None:
    assert words(SAVE, BOLD, SUM, PAYMENT) == []
    assert words(moved(SAVE, 8, -8), BOLD, SUM, PAYMENT) == []


def test_each_kind_of_change_is_a_sentence_and_the_most_important_come_first() -> None:
    now = (
        moved(SAVE, 14, 0),
        replace(BOLD, states=frozenset()),
        replace(SUM, value="3"),
        replace(PAYMENT, children=(CLEAR,)),
        control("button", "Help", 10, 350),
    )
    assert words(*now) == [
        'button "Pay" is gone',
        'new: button "Help" at 10,350',
        'checkbox "Bold" is not checked any more',
        'textbox at 200,10 has the value "3" instead of "2"',
        'button "Save" moved 14 px to the right',
    ]


def test_another_name_at_the_same_place_is_a_renamed_control_and_another_role_is_named() -> None:
    assert words(replace(SAVE, name="Store"), BOLD, SUM, PAYMENT) == ['button "Save" is now named "Store"']
    assert words(replace(SAVE, role="link"), BOLD, SUM, PAYMENT) == ['button "Save" is now a link']
    assert words(replace(SAVE, name=""), BOLD, SUM, PAYMENT) == ['button "Save" has no name any more']
    checkout = replace(PAYMENT, name="Checkout", children=(replace(CLEAR, name="Reset"), *PAYMENT.children[1:]))
    assert words(SAVE, BOLD, SUM, checkout) == [
        'group "Payment" is now named "Checkout"',
        'button "Clear" is now named "Reset"',
    ]


def test_a_container_is_one_difference_with_those_inside_and_many_that_moved_alike_are_one() -> None:
    assert words(SAVE, BOLD, SUM) == ['group "Payment" with 2 controls is gone']
    assert words(SAVE, BOLD, SUM, moved(PAYMENT, 0, -20)) == ['group "Payment" moved 20 px up']
    rows = tuple(control("button", f"Row {n}", 10, 40 * n) for n in range(6))
    lower = tuple(moved(row, 0, 25) for row in rows)
    assert words(*lower, before=rows) == [
        '6 controls moved 25 px down: button "Row 0", button "Row 1", button "Row 2" …'
    ]


def test_a_pattern_stands_for_any_name_or_value_that_it_is_found_in() -> None:
    before = (replace(SAVE, name="/^Save( as)?$/"), BOLD, replace(SUM, value="/^[0-9]$/"), PAYMENT)
    assert words(replace(SAVE, name="Save as"), BOLD, replace(SUM, value="7"), PAYMENT, before=before) == []
    assert words(SAVE, BOLD, replace(SUM, value="x"), PAYMENT, before=before) == [
        'textbox at 200,10 has the value "x" instead of /^[0-9]$/'
    ]


def test_equal_controls_are_paired_by_their_places_in_any_order() -> None:
    cells = [Control("button", "", Rect.from_extents(40 * (n % 9), 30 * (n // 9), 30, 20)) for n in range(80)]
    shuffled = [cells[(7 * n) % 80] for n in range(80)]
    assert differences(window(*cells), window(*shuffled)) == []
    assert [each.words for each in differences(window(*cells), window(*shuffled[1:]))] == ["button is gone"]


def test_pixels_count_only_where_nothing_is_exposed() -> None:
    canvas = Control("canvas", "", Rect(50, 100, 250, 300))
    reference = window(SAVE, canvas)
    before = Image.new("RGB", (600, 400), "white")
    covered = leaf_places(reference)
    for colour, place, sentence in (
        ("black", (12, 12, 70, 30), []),
        (
            "#c8c8c8",
            (100, 150, 200, 250),
            ["canvas at 50,100 200×200 differs in 25 % of its pixels, around 100,150 100×100"],
        ),
        ("#f0f0f0", (100, 150, 200, 250), []),
        ("black", (100, 150, 110, 160), []),
    ):
        now = before.copy()
        now.paste(colour, place)
        found = [each.words for each in picture_differences(reference, before, now, covered)]
        assert found == sentence, place
    assert canvas.place in {area.place for area in unexposed(reference)}
