"""Labels stay with their controls."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind, Trait
from deskhand.perception.labels import Labeller


def control(handle: str, role: Role = Role.BUTTON) -> TargetInfo:
    return TargetInfo(TargetKind.CONTROL, f"name of {handle}", role, handle=handle)


def observation(*handles: str, window: str = "w") -> Observation:
    target = TargetInfo(TargetKind.WINDOW, window, Role.WINDOW, handle=window)
    return Observation(target, tuple(control(handle) for handle in handles), None, 0.0)


def ids(targets: tuple[TargetInfo, ...]) -> dict[str, str]:
    return {target.handle: target.id for target in targets}


def test_the_first_observation_is_numbered_from_one_in_its_order() -> None:
    assert [t.id for t in Labeller().label(observation("a", "b", "c"))] == ["1", "2", "3"]


def test_a_control_keeps_its_id_when_others_come_and_go_before_it() -> None:
    labeller = Labeller()
    labeller.label(observation("a", "b", "c"))
    assert ids(labeller.label(observation("new", "c", "b"))) == {"new": "4", "c": "3", "b": "2"}


def test_a_control_that_was_out_of_sight_comes_back_under_its_id() -> None:
    labeller = Labeller()
    labeller.label(observation("a", "b"))
    labeller.label(observation("a"))
    assert ids(labeller.label(observation("c", "b"))) == {"c": "3", "b": "2"}


@pytest.mark.requires("command.label-keeps-control")
def test_a_fresh_numbering_and_another_window_start_from_one() -> None:
    labeller = Labeller()
    labeller.label(observation("a", "b"))
    assert ids(labeller.label(observation("b", "a"), fresh=True)) == {"b": "1", "a": "2"}
    assert ids(labeller.label(observation("x", window="dialog"))) == {"x": "1"}
    assert ids(labeller.label(observation("a"))) == {"a": "1"}


def test_a_handle_that_now_belongs_to_another_role_gets_a_new_id() -> None:
    labeller = Labeller()
    window = TargetInfo(TargetKind.WINDOW, "w", Role.WINDOW, handle="w")
    labeller.label_targets(window, [control("a")])
    assert labeller.label_targets(window, [control("a", Role.CHECKBOX)])[0].id == "2"


def test_boxes_without_a_handle_never_take_over_an_id() -> None:
    labeller = Labeller()
    window = TargetInfo(TargetKind.WINDOW, "w", Role.WINDOW, handle="w")
    first = labeller.label_targets(window, [control("a"), control(""), control("")])
    second = labeller.label_targets(window, [control("a"), control(""), control("b")])
    assert [t.id for t in first] == ["1", "2", "3"]
    assert [t.id for t in second] == ["1", "4", "5"]


@pytest.mark.requires("command.label-keeps-control")
@given(st.lists(st.tuples(st.sampled_from("vw"), st.booleans(), st.lists(st.sampled_from("abcdefgh"), unique=True))))
def test_an_id_means_one_control_as_long_as_one_numbering_lasts(steps: list[tuple[str, bool, list[str]]]) -> None:
    labeller = Labeller()
    meaning: dict[str, str] = {}
    last_window = ""
    for window, fresh, handles in steps:
        if fresh or window != last_window:
            meaning = {}
        last_window = window
        labelled = labeller.label(observation(*handles, window=window), fresh=fresh)
        assert [t.handle for t in labelled] == handles
        assert len({t.id for t in labelled}) == len(handles)
        for target in labelled:
            assert meaning.setdefault(target.id, target.handle) == target.handle
        assert sorted(map(int, meaning)) == list(range(1, len(meaning) + 1))


def in_record(handle: str, *record: str, name: str = "Delete", role: Role = Role.BUTTON) -> TargetInfo:
    return TargetInfo(TargetKind.CONTROL, name, role, handle=handle, fingerprint=Fingerprint(role, name, record=record))


def labels(labeller: Labeller, *targets: TargetInfo) -> list[str]:
    window = TargetInfo(TargetKind.WINDOW, "w", Role.WINDOW, handle="w")
    return [target.id for target in labeller.label_targets(window, targets)]


@pytest.mark.requires("identity.ids-stay")
def test_an_object_drawn_anew_for_another_record_gets_a_new_id() -> None:
    labeller = Labeller()
    assert labels(labeller, in_record("a", "Ada"), in_record("b", "Bob")) == ["1", "2"]
    assert labels(labeller, in_record("a", "Bob"), in_record("b", "Eve")) == ["3", "4"]


@pytest.mark.requires("identity.ids-stay")
def test_an_item_is_what_it_shows() -> None:
    labeller = Labeller()
    assert labels(labeller, in_record("a", name="Ada", role=Role.LISTITEM)) == ["1"]
    assert labels(labeller, in_record("a", name="Bob", role=Role.LISTITEM)) == ["2"]


@pytest.mark.requires("identity.ids-stay")
def test_a_control_keeps_its_id_when_it_is_renamed_or_others_of_its_name_come_and_go() -> None:
    labeller = Labeller()
    assert labels(labeller, in_record("a", name="Play")) == ["1"]
    assert labels(labeller, in_record("a", name="Pause")) == ["1"]
    assert labels(labeller, in_record("a", "here", name="Pause"), in_record("b", "there", name="Pause")) == ["1", "2"]
    assert labels(labeller, in_record("a", name="Pause")) == ["1"]
    assert labels(labeller, in_record("a", "elsewhere", name="Pause")) == ["3"]


@pytest.mark.requires("identity.ids-stay")
def test_a_control_keeps_its_id_when_a_neighbour_of_its_name_comes_or_goes_or_its_text_becomes_a_heading() -> None:
    labeller = Labeller()
    alone = in_record("a", "Header", "Total", "9 EUR")
    beside = (in_record("a", "Total", "9 EUR"), in_record("b", "Header"))
    assert labels(labeller, alone) == ["1"]
    assert labels(labeller, *beside) == ["1", "2"]
    assert labels(labeller, alone) == ["1"]
    assert labels(labeller, in_record("a", "Total", "8 EUR")) == ["3"]
    texts = [in_record("p", name="", role=role) for role in (Role.PARAGRAPH, Role.HEADING, Role.PARAGRAPH)]
    assert [labels(labeller, text) for text in texts] == [["4"]] * 3


@pytest.mark.requires("identity.ids-stay")
@given(st.lists(st.tuples(st.sampled_from(["new", "drop", "turn", "hide", "mix"]), st.integers(0, 7)), max_size=40))
def test_over_any_changes_an_id_means_one_control_and_a_living_control_has_one_id(steps: list[tuple[str, int]]) -> None:
    """`turn`: the rows draw each other's records; an object with its record is a control."""
    labeller, made = Labeller(), 0
    rows: list[tuple[str, str]] = []
    hidden: set[str] = set()
    owner: dict[str, tuple[str, str]] = {}
    known: dict[tuple[str, str], str] = {}
    for what, number in steps:
        if what == "new":
            made += 1
            rows.insert(number % (len(rows) + 1), (f"h{made}", f"record {made}"))
        elif rows and what == "drop":
            rows.pop(number % len(rows))
        elif rows and what == "turn":
            records = [record for _, record in rows]
            rows = [(h, r) for (h, _), r in zip(rows, records[1:] + records[:1], strict=True)]
            known = {}
        elif rows and what == "hide":
            hidden ^= {rows[number % len(rows)][0]}
        elif what == "mix":
            rows.reverse()
        seen = [row for row in rows if row[0] not in hidden]
        for row, label in zip(seen, labels(labeller, *(in_record(*row) for row in seen)), strict=True):
            assert owner.setdefault(label, row) == row
            assert known.setdefault(row, label) == label


def cell(handle: str, address: str, role: Role = Role.CELL) -> TargetInfo:
    return TargetInfo(TargetKind.CONTROL, address, role, handle=handle, traits=frozenset({Trait.OF_SHEET}))


@pytest.mark.requires("identity.ids-stay")
def test_the_address_of_a_cell_is_its_id_and_other_controls_are_counted_without_cells() -> None:
    labeller = Labeller(cells_by_address=True)
    sheet = (cell("t", "Sheet1", Role.TABLE), cell("a", "A1"), cell("b", "AB12"))
    assert labels(labeller, *sheet, control("save")) == ["1", "A1", "AB12", "2"]
    assert labels(labeller, control("save"), cell("c", "A2"), *sheet[1:]) == ["2", "A2", "A1", "AB12"]


@pytest.mark.requires("identity.ids-stay")
def test_of_two_cells_with_one_address_in_a_split_window_the_second_has_a_number() -> None:
    labeller = Labeller(cells_by_address=True)
    assert labels(labeller, cell("a", "A1"), cell("b", "A1")) == ["A1", "1"]


@pytest.mark.requires("identity.ids-stay")
def test_cells_of_other_tables_and_those_of_a_labeller_that_is_not_asked_for_addresses_have_numbers() -> None:
    assert labels(Labeller(), cell("a", "A1")) == ["1"]
    other = TargetInfo(TargetKind.CONTROL, "A1", Role.CELL, handle="a")
    assert labels(Labeller(cells_by_address=True), other, cell("b", "Total")) == ["1", "2"]
