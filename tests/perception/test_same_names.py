"""Controls of one role and name in a list."""

from dataclasses import replace

import pytest

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind
from deskhand.perception.compact import compact
from deskhand.perception.labels import Labeller
from deskhand.perception.same_names import words_for_found

WINDOW = TargetInfo(TargetKind.WINDOW, "Form", Role.WINDOW, handle="w")


def at(
    place: tuple[int, int], role: Role, name: str, *, parent: str = "", value: str = "", record: tuple[str, ...] = ()
) -> TargetInfo:
    left, top = place
    return TargetInfo(
        TargetKind.CONTROL,
        name,
        role,
        Rect(left, top, left + 10, top + 10),
        handle=f"{role}{left},{top}",
        parent=parent,
        value=value,
        fingerprint=Fingerprint(role, name, record=record),
    )


def lines_of(*targets: TargetInfo) -> list[str]:
    return compact(Labeller().label_targets(WINDOW, targets)).text.splitlines()


@pytest.mark.requires("prompt.same-names")
def test_regions_and_rows_of_different_names_distinguish_controls_already() -> None:
    groups = [at((0, top), Role.GROUP, name) for top, name in ((0, "Billing"), (50, "Shipping"))]
    streets = [at((20, each.rect.top), Role.TEXTBOX, "Street", parent=each.handle) for each in groups]
    rows = [at((40, top), Role.LISTITEM, name) for top, name in ((0, "Ada"), (50, "Bob"))]
    presses = [at((60, each.rect.top), Role.BUTTON, "Delete", parent=each.handle) for each in rows]
    listed = lines_of(groups[0], streets[0], groups[1], streets[1], rows[0], presses[0], rows[1], presses[1])
    assert listed == [
        '1 group "Billing":',
        ' 2 textbox "Street"',
        '3 group "Shipping":',
        ' 4 textbox "Street"',
        '5 listitem "Ada" | 6 button "Delete"',
        '7 listitem "Bob" | 8 button "Delete"',
    ]


@pytest.mark.requires("prompt.same-names")
@pytest.mark.parametrize(
    ("records", "between", "places", "words"),
    [
        ((("Plan A", "Price"), ("Plan B", "Price")), None, ((0, 0), (0, 50)), ['of "Plan A"', 'of "Plan B"']),
        (((), ()), Role.HEADING, ((0, 10), (0, 50)), ['under "One"', 'under "Two"']),
        (((), ()), Role.LABEL, ((0, 10), (0, 50)), ['after "One"', 'after "Two"']),
        ((("Price",), ("Price",)), None, ((0, 0), (0, 50)), ["upper", "lower"]),
        (((), ()), None, ((50, 0), (0, 0)), ["right", "left"]),
        (((), (), ()), None, ((0, 0), (0, 50), (9, 50)), ["1st of 3", "2nd of 3", "3rd of 3"]),
        (((), ()), None, ((0, 0), (5, 5)), ["", ""]),
        (((),) * 5, None, tuple((0, 20 * n) for n in range(5)), [""] * 5),
    ],
    ids=["part", "heading", "label", "height", "side", "order", "same place", "many"],
)
def test_else_a_text_or_the_place_distinguishes_them(
    records: tuple[tuple[str, ...], ...],
    between: Role | None,
    places: tuple[tuple[int, int], ...],
    words: list[str],
) -> None:
    listed: list[TargetInfo] = []
    for place, record, text in zip(places, records, ("One", "Two", "Three", "", ""), strict=False):
        if between is not None:
            listed.append(at((place[0], place[1] - 10), between, text))
        listed.append(at(place, Role.BUTTON, "Choose", record=record))
    choices = [line for line in lines_of(*listed) if "button" in line]
    assert [line.partition('"Choose"')[2] for line in choices] == [f" ({each})" if each else "" for each in words]


@pytest.mark.requires("prompt.same-names")
def test_words_stay_while_values_change_and_data_has_none() -> None:
    fields = [at((0, top), Role.TEXTBOX, "Street") for top in (0, 50)]
    before = lines_of(*fields)
    after = lines_of(fields[0], replace(fields[1], value="Elm 3", states=frozenset({"focused"})))
    assert before == ['1 textbox "Street" (upper)', '2 textbox "Street" (lower)']
    assert after == ['1 textbox "Street" (upper)', '2 textbox "Street" = "Elm 3" (focused) (lower)']
    for role in (Role.LISTITEM, Role.CELL, Role.LABEL, Role.PARAGRAPH):
        assert not any("(" in line for line in lines_of(*(at((0, top), role, "same") for top in (0, 50)))), role
    assert lines_of(*(at((0, top), Role.BUTTON, "") for top in (0, 50))) == ["1 button", "2 button"]


@pytest.mark.requires("prompt.same-names")
def test_two_in_one_row_and_two_windows_of_one_title_differ_by_their_place() -> None:
    row = at((0, 0), Role.LISTITEM, "Ada")
    presses = [at((left, 0), Role.BUTTON, "Open", parent=row.handle) for left in (20, 40)]
    assert lines_of(row, *presses) == ['1 listitem "Ada" | 2 button "Open" (left) | 3 button "Open" (right)']
    windows = [
        replace(WINDOW, name="Notes", application=program, handle=f"{left}{program}", rect=Rect(left, 0, left + 50, 90))
        for left, program in ((0, "edit"), (60, "edit"), (0, "read"))
    ]
    assert compact(Labeller().label_targets(WINDOW, windows)).text.splitlines() == [
        '1 window "Notes" of edit (left)',
        '2 window "Notes" of edit (right)',
        '3 window "Notes" of read',
    ]


@pytest.mark.requires("prompt.same-names")
def test_found_controls_are_listed_without_their_regions_and_rows_which_distinguish_them_then() -> None:
    groups = [at((0, top), Role.GROUP, name) for top, name in ((0, "Billing"), (50, "Shipping"))]
    streets = [at((20, each.rect.top), Role.TEXTBOX, "Street", parent=each.handle) for each in groups]
    towns = [at((30, 0), Role.TEXTBOX, "Town", parent=groups[0].handle)]
    rows = [at((40, top), Role.LISTITEM, name) for top, name in ((0, "Ada"), (50, "Bob"))]
    presses = [at((60, each.rect.top), Role.BUTTON, "Delete", parent=each.handle) for each in rows]
    controls = [groups[0], streets[0], *towns, groups[1], streets[1], rows[0], presses[0], rows[1], presses[1]]
    assert words_for_found([*streets, *towns, *presses], controls) == {
        streets[0].handle: 'in "Billing"',
        streets[1].handle: 'in "Shipping"',
        presses[0].handle: 'of "Ada"',
        presses[1].handle: 'of "Bob"',
    }
    assert words_for_found(presses[:1], controls) == {}
