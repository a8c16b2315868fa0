"""Controls found by what is known of them."""

import pytest

from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.perception.control_search import Sought, find_controls

WINDOW = TargetInfo(TargetKind.WINDOW, "Main", Role.WINDOW, Rect(100, 100, 300, 200))
SAVE = TargetInfo(TargetKind.CONTROL, "_Save", Role.BUTTON, Rect(100, 100, 150, 120))
NAME = TargetInfo(TargetKind.CONTROL, "Name", Role.TEXTBOX, Rect(200, 150, 300, 200), value="Ada Lovelace")
HIDDEN = TargetInfo(TargetKind.CONTROL, "Sales", Role.TABLE, NOWHERE)


@pytest.mark.requires("cli.found")
@pytest.mark.parametrize(
    ("sought", "found"),
    [
        (Sought(), (SAVE, NAME, HIDDEN)),
        (Sought(role="button"), (SAVE,)),
        (Sought(role="/text|table/"), (NAME, HIDDEN)),
        (Sought(name="Save"), (SAVE,)),
        (Sought(name="save"), ()),
        (Sought(text="Love"), (NAME,)),
        (Sought(text="/^ada/i"), (NAME,)),
        (Sought(region=(0, 0, 0.5, 0.5)), (SAVE,)),
        (Sought(region=(0, 0, 1, 1)), (SAVE, NAME)),
        (Sought(role="textbox", text="Sales"), ()),
    ],
)
def test_every_part_that_is_given_has_to_match(sought: Sought, found: tuple[TargetInfo, ...]) -> None:
    assert find_controls(sought, (SAVE, NAME, HIDDEN), WINDOW) == found


@pytest.mark.requires("observe.other-pages")
@pytest.mark.parametrize(
    ("role", "means"),
    [("table", True), ("/table/", True), ("/^(list|TABLE)$/i", True), ("", False), ("list", False), ("/cell/", False)],
)
def test_who_may_find_a_table_means_tables(role: str, *, means: bool) -> None:
    assert Sought(role).means_tables is means


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"role": "push button"}, "there is no role 'push button'; roles are .*button"),
        ({"name": "/(/"}, "bad regular expression"),
        ({"region": (0, 0, 2, 1)}, "is no region"),
        ({"region": (0.5, 0, 0.1, 1)}, "is no region"),
    ],
)
def test_what_cannot_be_sought_is_refused_with_the_reason(wanted: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Sought(**wanted)  # type: ignore[arg-type] - a region is no text
