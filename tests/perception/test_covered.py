"""What an open menu covers is not drawn over it."""

from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.perception.covered import not_covered


def at(role: Role, name: str, rect: Rect, parent: str = "") -> TargetInfo:
    return TargetInfo(TargetKind.CONTROL, name, role, rect, handle=name, parent=parent)


BAR = at(Role.MENUBAR, "bar", Rect(0, 0, 200, 20))
INSERT = at(Role.MENU, "Insert", Rect(40, 0, 80, 20), "bar")
FORMAT = at(Role.MENU, "Format", Rect(80, 0, 120, 20), "bar")
IMAGE = at(Role.MENUITEM, "Image", Rect(40, 20, 140, 40), "Insert")
CHART = at(Role.MENUITEM, "Chart", Rect(40, 40, 140, 60), "Insert")
BOLD = at(Role.BUTTON, "Bold", Rect(60, 25, 80, 45))
UNDO = at(Role.BUTTON, "Undo", Rect(5, 25, 25, 45))
PAGE = at(Role.DOCUMENT, "Page", Rect(0, 50, 200, 400))


def names(*targets: TargetInfo) -> list[str]:
    return [target.name for target in not_covered(targets)]


def test_a_button_below_an_open_menu_is_covered_and_the_menu_is_not() -> None:
    shown = names(BAR, INSERT, FORMAT, IMAGE, CHART, UNDO, BOLD, PAGE)
    assert shown == ["bar", "Insert", "Format", "Image", "Chart", "Undo", "Page"]


def test_the_names_of_closed_menus_cover_nothing() -> None:
    assert names(BAR, INSERT, FORMAT, BOLD, UNDO) == ["bar", "Insert", "Format", "Bold", "Undo"]


def test_a_menu_over_a_menu_covers_what_it_hides_of_it() -> None:
    below = at(Role.MENU, "Frame", Rect(40, 60, 140, 80), "Insert")
    first = at(Role.MENUITEM, "First", Rect(100, 35, 200, 60), "Frame")
    second = at(Role.MENUITEM, "Second", Rect(100, 60, 200, 85), "Frame")
    wide = at(Role.MENUITEM, "Wide", Rect(80, 40, 180, 55), "Insert")
    shown = names(BAR, INSERT, IMAGE, wide, below, first, second)
    assert "Wide" not in shown
    assert {"Image", "Frame", "First", "Second"} <= set(shown)


def test_what_stands_in_a_circle_ends() -> None:
    circle = [at(Role.MENUITEM, name, Rect(0, 0, 10, 10), parent) for name, parent in (("a", "b"), ("b", "a"))]
    assert names(*circle, at(Role.MENUITEM, "c", Rect(0, 10, 10, 20), "a"))
