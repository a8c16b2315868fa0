"""A control that may not be the one that was meant is found again beyond doubt, or not at all; never guessed."""

from dataclasses import replace

import pytest

from deskhand.core.errors import AmbiguousTarget, ElementStale
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind
from deskhand.desktop.identity import Scene, find_again, recognise, recognise_by_place, told_apart, with_alike

W = "W"


def control(
    handle: str,
    name: str = "",
    path: tuple[str, ...] = ("?",),
    *,
    value: str = "",
    role: Role = Role.TEXTBOX,
    record: tuple[str, ...] = (),
    alike: int = 1,
) -> TargetInfo:
    return TargetInfo(
        TargetKind.CONTROL,
        name,
        role,
        handle=handle,
        value=value,
        fingerprint=Fingerprint(role, name, path, W, value, record, alike=alike),
    )


def scene(*controls: TargetInfo, title: str = W) -> Scene:
    prints = with_alike([control.fingerprint for control in controls if control.fingerprint])
    counted = [replace(control, fingerprint=print_) for control, print_ in zip(controls, prints, strict=True)]
    return Scene(counted, title, lambda c, record: c.fingerprint is not None and c.fingerprint.record == record)


def delete(handle: str, *record: str, alike: int = 1) -> TargetInfo:
    return control(handle, "Delete", ("list:People", "listitem#0", "button:Delete"), record=record, alike=alike)


def test_the_name_is_compared_as_people_read_it() -> None:
    now = scene(control("other", "Save"), control("new", "Save  as..."))
    assert find_again(control("old", "Save as…"), now).handle == "new"


def test_what_is_found_again_goes_by_the_label_of_old() -> None:
    old = TargetInfo(TargetKind.CONTROL, "A", Role.TEXTBOX, id="7", fingerprint=control("", "A").fingerprint)
    assert find_again(old, scene(control("new", "A"))).id == "7"


def test_another_role_is_another_control() -> None:
    with pytest.raises(ElementStale):
        find_again(control("old", "Save"), scene(control("new", "Save", role=Role.BUTTON)))


def test_of_several_the_one_in_the_same_containers_is_meant() -> None:
    now = scene(
        control("a", "Name", ("group:Ship to", "textbox:Name")), control("b", "Name", ("group:Bill to", "textbox:Name"))
    )
    assert find_again(control("old", "Name", ("group:Bill to", "textbox:Name")), now).handle == "b"


@pytest.mark.requires("identity.never-guessed")
def test_the_only_one_of_that_name_in_another_container_is_not_it() -> None:
    now = scene(control("a", "Name", ("group:Ship to", "textbox:Name")))
    with pytest.raises(ElementStale):
        find_again(control("old", "Name", ("group:Bill to", "textbox:Name")), now)


@pytest.mark.requires("identity.candidates")
def test_several_in_other_containers_are_ambiguous_and_told_apart() -> None:
    now = scene(*(control(place, "Name", (f"group:{place}", "textbox:Name")) for place in ("here", "there")))
    with pytest.raises(AmbiguousTarget) as raised:
        find_again(control("old", "Name", ("textbox:Name",)), now)
    assert raised.value.candidates == ('group:here > textbox "Name"', 'group:there > textbox "Name"')


@pytest.mark.requires("identity.candidates")
def test_candidates_are_told_apart_by_what_stands_around_them_and_then_by_their_order() -> None:
    assert told_apart([delete("a", "Ada"), delete("b", "Bob"), delete("c", "Bob")]) == (
        "list:People > listitem#0 > textbox \"Delete\" beside 'Ada'",
        "list:People > listitem#0 > textbox \"Delete\" beside 'Bob' (1 of 2 in reading order)",
        "list:People > listitem#0 > textbox \"Delete\" beside 'Bob' (2 of 2 in reading order)",
    )


@pytest.mark.requires("identity.never-guessed")
def test_what_had_its_like_beside_it_cannot_be_told_from_the_one_that_is_left() -> None:
    with pytest.raises(AmbiguousTarget):
        find_again(delete("old", "Bob", alike=2), scene(delete("other", "Bob")))


@pytest.mark.requires("identity.record")
def test_a_living_handle_in_another_record_is_not_it_and_its_record_is_found_elsewhere() -> None:
    with pytest.raises(ElementStale):
        recognise(delete("slot1", "Ada"), scene(delete("slot1", "Bob"), delete("slot2", "Eve")))
    now = scene(delete("slot1", "Bob"), delete("slot2", "Ada"))
    assert recognise(delete("slot1", "Ada"), now).handle == "slot2"


@pytest.mark.requires("identity.record")
def test_a_living_handle_in_its_record_is_it_among_others_of_its_name() -> None:
    now = scene(delete("new", "Ada"), delete("old", "Ada"))
    assert recognise(delete("old", "Ada"), now).handle == "old"


@pytest.mark.requires("identity.never-guessed")
def test_a_renamed_control_is_not_the_other_one_that_has_its_name_now() -> None:
    with pytest.raises(ElementStale, match='it is textbox "Discard"'):
        recognise(control("a", "Save"), scene(control("a", "Discard"), control("b", "Save")))


def test_a_list_item_is_what_it_shows_whatever_object_draws_it() -> None:
    now = scene(control("slot1", "Bob", role=Role.LISTITEM), control("slot2", "Ada", role=Role.LISTITEM))
    assert recognise(control("slot1", "Ada", role=Role.LISTITEM), now).handle == "slot2"


@pytest.mark.requires("identity.context")
def test_a_window_with_another_title_is_another_place_for_a_control_whose_handle_died() -> None:
    old, now = control("old", "Save"), control("new", "Save")
    assert find_again(old, scene(now, title="*W")).handle == "new"
    with pytest.raises(ElementStale, match="now called"):
        find_again(old, scene(now, title="Another"))


@pytest.mark.requires("identity.context")
def test_a_living_handle_stays_itself_whatever_is_renamed_around_it() -> None:
    now = scene(control("a", "Save", ("group:New name", "textbox:Save"), value="other"), title="Another")
    assert recognise(control("a", "Save", ("group:Old name", "textbox:Save")), now).handle == "a"


def test_without_a_name_the_value_decides() -> None:
    old = control("old", path=("textbox#0",), value="A1")
    assert find_again(old, scene(control("b", path=("textbox#1",), value="A1"))).handle == "b"
    with pytest.raises(ElementStale):
        find_again(old, scene(control("a", path=("textbox#0",), value="B7")))


@pytest.mark.requires("identity.never-guessed")
def test_without_name_and_value_only_one_that_was_and_is_alone_is_found_again() -> None:
    assert find_again(control("old"), scene(control("new"))).handle == "new"
    with pytest.raises((AmbiguousTarget, ElementStale)):
        find_again(control("old", alike=2), scene(control("new")))
    with pytest.raises((AmbiguousTarget, ElementStale)):
        find_again(control("old"), scene(control("new"), control("newer")))


def test_without_a_fingerprint_there_is_nothing_to_find_it_by() -> None:
    with pytest.raises(ElementStale, match="no fingerprint"):
        find_again(TargetInfo(TargetKind.CONTROL, "Save", Role.BUTTON), scene(control("a", "Save", role=Role.BUTTON)))


def item(place: str, name: str, *, alike: int = 1) -> TargetInfo:
    return control(place, name, ("list:People", f"listitem:{name}"), role=Role.LISTITEM, alike=alike)


@pytest.mark.requires("identity.by-place")
def test_a_place_is_left_for_where_its_item_went() -> None:
    now = scene(item("0", "Zoe"), item("1", "Ann"), item("2", "Bob"))
    assert recognise_by_place(item("0", "Ann"), now).handle == "1"
    with pytest.raises(ElementStale):
        recognise_by_place(item("0", "Joe"), now)


@pytest.mark.requires("identity.by-place")
def test_a_place_that_one_of_several_alike_may_have_left_to_another_is_not_it() -> None:
    second = item("1", "Ann", alike=2)
    assert recognise_by_place(second, scene(item("0", "Ann"), item("1", "Ann"))).handle == "1"
    with pytest.raises(AmbiguousTarget):
        recognise_by_place(second, scene(item("0", "Bob"), item("1", "Ann")))
    with pytest.raises(AmbiguousTarget):
        recognise_by_place(item("0", "Ann"), scene(item("0", "Ann"), item("1", "Ann")))
