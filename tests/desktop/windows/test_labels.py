"""Labels of fields by their places; each row of a case is a text or a field, in the order of the Tab key."""

import pytest

from deskhand.desktop.windows.win32.labels import Place, labels_of

pytestmark = pytest.mark.requires("windows.classes")

WINDOW = 1
TALL, WIDE = 20, 200

Row = tuple[str, int, int, int, int]
"""A name, in small letters of a field; then left, top, width and height."""


def named(rows: list[Row], *, mirrored: bool = False) -> dict[str, str]:
    """The names of fields with those of their labels."""
    places = [
        Place(at, WINDOW, (left, top, left + width, top + height), "" if name.islower() else name, name.islower())
        for at, (name, left, top, width, height) in enumerate(rows, 1)
    ]
    names = [name for name, *_ in rows]
    labels = labels_of(places, {WINDOW} if mirrored else ())
    return {names[field - 1]: names[label - 1] for field, label in labels.items()}


def test_the_text_before_a_field_is_its_label_on_the_left_or_above() -> None:
    assert named([("Name", 0, 0, 60, 18), ("name", 64, 0, WIDE, TALL)]) == {"name": "Name"}
    assert named([("Name", 0, 0, 60, 18), ("name", 0, 20, WIDE, TALL)]) == {"name": "Name"}
    far = [("Name", 0, 0, 60, 18), ("name", 400, 0, WIDE, TALL)]
    assert named(far) == {"name": "Name"}, "there is no other"


def test_labels_that_are_made_after_their_fields_belong_to_these() -> None:
    on_the_left = [
        *[("town", 70, 0, WIDE, TALL), ("Town", 0, 0, 60, 18)],
        *[("street", 70, 26, WIDE, TALL), ("Street", 0, 26, 60, 18)],
    ]
    assert named(on_the_left) == {"town": "Town", "street": "Street"}
    above = [
        *[("town", 0, 20, WIDE, TALL), ("Town", 0, 0, 60, 18)],
        *[("street", 0, 70, WIDE, TALL), ("Street", 0, 50, 60, 18)],
    ]
    assert named(above) == {"town": "Town", "street": "Street"}
    mixed = [
        *[("town", 70, 0, WIDE, TALL), ("Town", 0, 0, 60, 18)],
        *[("notes", 0, 52, WIDE + 70, 90), ("Notes", 0, 32, 60, 18)],
    ]
    assert named(mixed) == {"town": "Town", "notes": "Notes"}


def test_a_wide_gap_is_no_reason_for_another_label() -> None:
    headed = [("Address", 190, 0, 110, 18), ("Street", 0, 22, 60, 18), ("street", 200, 22, WIDE, TALL)]
    assert named(headed) == {"street": "Street"}
    hinted = [
        *[("Name", 0, 0, 60, 18), ("name", 200, 0, WIDE, TALL), ("Hint", 200, 24, WIDE, 16)],
        *[("Town", 0, 44, 60, 18), ("town", 200, 44, WIDE, TALL)],
    ]
    assert named(hinted) == {"name": "Name", "town": "Town"}


def test_labels_that_overlap_their_fields_belong_to_those_of_their_row() -> None:
    rows = [
        row
        for at, name in enumerate(("One", "Two", "Six"))
        for row in ((name.lower(), 70, 26 * at, WIDE, TALL), (name, 0, 26 * at, 80, 18))
    ]
    assert named(rows) == {"one": "One", "two": "Two", "six": "Six"}


def test_columns_whose_labels_are_made_after_their_fields() -> None:
    rows = [
        *[("first", 64, 0, 100, TALL), ("First", 0, 0, 60, 18)],
        *[("second", 270, 0, 100, TALL), ("Second", 200, 0, 60, 18)],
    ]
    assert named(rows) == {"first": "First", "second": "Second"}


def test_a_label_names_one_field_and_a_heading_none_that_has_a_label() -> None:
    row = [("Size", 0, 0, 60, 18), ("width", 64, 0, 60, TALL), ("height", 130, 0, 60, TALL)]
    assert named(row) == {"width": "Size"}
    headed = [("Address", 0, 0, 90, 18), ("Street", 0, 22, 60, 18), ("street", 64, 22, WIDE, TALL)]
    assert named(headed) == {"street": "Street"}


def test_in_windows_from_right_to_left_labels_are_on_the_right() -> None:
    rows = [
        *[("First", 440, 0, 60, 18), ("first", 270, 0, 160, TALL)],
        *[("Second", 190, 0, 60, 18), ("second", 20, 0, 160, TALL)],
    ]
    assert named(rows, mirrored=True) == {"first": "First", "second": "Second"}


def test_a_field_has_no_label_of_another_window() -> None:
    places = [Place(1, 7, (0, 0, 60, 18), "Name"), Place(2, 8, (64, 0, 200, 20), takes=True)]
    assert labels_of(places) == {}


def test_many_fields_without_labels_are_not_compared_with_many_texts() -> None:
    fields: list[Row] = [("field", 70, 26 * row, WIDE, TALL) for row in range(2000)]
    texts: list[Row] = [("Text", 0, 26 * row, 60, 18) for row in range(2000)]
    assert named([*fields, *texts]) == {}
    in_turn = [each for pair in zip(texts, fields, strict=True) for each in pair]
    assert named(in_turn) == {"field": "Text"}
