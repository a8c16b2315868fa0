"""A stale control is found again by its fingerprint, or not at all; never guessed."""

import pytest

from deskhand.core.errors import AmbiguousTarget, ElementStale
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind
from deskhand.desktop.identity import find_again


def control(
    handle: str, name: str = "", path: tuple[str, ...] = (), *, value: str = "", role: Role = Role.TEXTBOX
) -> TargetInfo:
    return TargetInfo(
        TargetKind.CONTROL,
        name,
        role,
        handle=handle,
        value=value,
        fingerprint=Fingerprint(role, name, path, "W", value),
    )


def test_the_name_is_compared_as_people_read_it() -> None:
    old = control("old", "Save as…", ("textbox:Save as…",))
    assert find_again(old, [control("other", "Save"), control("new", "Save  as...")]).handle == "new"


def test_another_role_is_another_control() -> None:
    with pytest.raises(ElementStale):
        find_again(control("old", "Save"), [control("new", "Save", role=Role.BUTTON)])


def test_of_several_the_one_on_the_same_path_is_meant() -> None:
    old = control("old", "Name", ("group:Bill to", "textbox:Name"))
    candidates = [
        control("a", "Name", ("group:Ship to", "textbox:Name")),
        control("b", "Name", ("group:Bill to", "textbox:Name")),
    ]
    assert find_again(old, candidates).handle == "b"


def test_several_on_other_paths_are_ambiguous_and_told_apart() -> None:
    candidates = [control(place, "Name", (f"group:{place}", "textbox:Name")) for place in ("here", "there")]
    with pytest.raises(AmbiguousTarget) as raised:
        find_again(control("old", "Name", ("textbox:Name",)), candidates)
    assert raised.value.candidates == ('group:here > textbox "Name"', 'group:there > textbox "Name"')


def test_without_a_name_the_value_decides() -> None:
    old = control("old", path=("textbox#0",), value="A1")
    candidates = [control("a", path=("textbox#0",), value="B7"), control("b", path=("textbox#1",), value="A1")]
    assert find_again(old, candidates).handle == "b"
    with pytest.raises(ElementStale):
        find_again(old, candidates[:1])


def test_without_name_and_value_the_path_decides() -> None:
    candidates = [control("a", path=("textbox#0",)), control("b", path=("textbox#1",))]
    assert find_again(control("old", path=("textbox#1",)), candidates).handle == "b"
    with pytest.raises(ElementStale):
        find_again(control("old", path=("textbox#2",)), candidates)


def test_without_a_fingerprint_there_is_nothing_to_find_it_by() -> None:
    with pytest.raises(ElementStale, match="no fingerprint"):
        find_again(TargetInfo(TargetKind.CONTROL, "Save", Role.BUTTON), [control("a", "Save", role=Role.BUTTON)])
