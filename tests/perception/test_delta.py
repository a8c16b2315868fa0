"""What changed between two observations of a window."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.perception.delta import Delta, delta

SAVE = TargetInfo(TargetKind.CONTROL, "Save", Role.BUTTON, Rect(0, 0, 10, 10), id="1", handle="save")
NAME = TargetInfo(TargetKind.CONTROL, "Name", Role.TEXTBOX, Rect(0, 20, 10, 30), id="2", handle="name", value="Ada")


def test_new_ones_those_that_went_and_those_that_are_otherwise_are_told_apart() -> None:
    moved = replace(SAVE, rect=Rect(5, 0, 15, 10))
    typed = replace(NAME, value="Bob", rect=Rect(0, 25, 10, 35))
    new = replace(SAVE, name="Open", id="3", handle="open")
    found = delta((SAVE, NAME), (moved, typed, new))
    assert found == Delta(added=(new,), changed=((NAME, typed),), moved=((SAVE, moved),))
    assert found.text == '~ 2 textbox "Name" = "Bob"\n+ 3 button "Open"'
    assert delta((SAVE, NAME), (moved, NAME)).text == "(1 moved)"
    assert delta((SAVE, NAME), (NAME,)).text == '- 1 button "Save"'


def test_the_title_of_the_window_changes_no_control() -> None:
    assert not delta((SAVE,), (replace(SAVE, fingerprint=None),))


def control(number: int, name: str, value: str, left: int) -> TargetInfo:
    return replace(SAVE, id=str(number), name=name, value=value, rect=Rect(left, 0, left + 5, 5))


ANY = st.builds(
    control, st.integers(1, 8), st.sampled_from(["Save", "Open"]), st.sampled_from(["", "x"]), st.integers(0, 3)
)
CONTROLS = st.lists(ANY, unique_by=lambda control: control.id)


@given(CONTROLS, CONTROLS)
def test_a_delta_makes_the_later_observation_out_of_the_earlier(
    before: list[TargetInfo], after: list[TargetInfo]
) -> None:
    found = delta(before, after)
    known = {control.id: control for control in before}
    for control in found.removed:
        del known[control.id]
    known |= {new.id: new for _, new in (*found.changed, *found.moved)}
    known |= {control.id: control for control in found.added}
    assert known == {control.id: control for control in after}
    assert bool(found) is (known != {control.id: control for control in before})
