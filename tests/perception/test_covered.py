"""What an open menu covers is not drawn over it."""

from dataclasses import replace

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.perception.annotation import PhotographerFacade
from deskhand.perception.occlusion import layers


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
    """Of what can be seen, what lies on the window first."""
    seen = layers(targets)
    return [target.name for target in (*seen.below, *seen.above)]


def test_a_button_below_an_open_menu_is_covered_and_the_menu_is_not() -> None:
    shown = names(BAR, INSERT, FORMAT, IMAGE, CHART, UNDO, BOLD, PAGE)
    assert shown == ["bar", "Insert", "Format", "Undo", "Page", "Image", "Chart"]


def test_the_place_of_a_menu_is_that_of_its_items() -> None:
    seen = layers([BAR, INSERT, FORMAT, IMAGE, CHART, BOLD])
    assert (seen.menus, [target.name for target in seen.above]) == ([Rect(40, 20, 140, 60)], ["Image", "Chart"])


def test_nothing_is_drawn_through_an_open_menu() -> None:
    picture = Picture(b"\xff" * (200 * 100 * 3), Rect(0, 0, 200, 100))
    frame = replace(at(Role.GROUP, "Frame", Rect(10, 30, 190, 95)), id="1")
    menu = [replace(target, id=str(number)) for number, target in enumerate((INSERT, IMAGE, CHART), start=2)]
    alone = PhotographerFacade().capture_with_target_list(picture, menu)
    both = PhotographerFacade().capture_with_target_list(picture, [frame, *menu])
    place = (41, 21, 139, 59)
    assert both.crop(place).tobytes() == alone.crop(place).tobytes()
    assert both.tobytes() != alone.tobytes()


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


def test_what_divides_a_page_is_no_menu() -> None:
    panes = at(Role.GROUP, "panes", Rect(0, 0, 800, 400))
    dividers = [
        at(Role.SEPARATOR, name, Rect(x, 0, x + 4, 400), "panes") for name, x in (("left", 200), ("right", 596))
    ]
    dialog = at(Role.DIALOG, "Ask", Rect(300, 100, 500, 300))
    assert names(panes, *dividers, dialog) == ["panes", "left", "right", "Ask"]


def test_a_menu_that_a_page_always_shows_covers_no_dialog_of_it() -> None:
    page = at(Role.DOCUMENT, "Page", Rect(0, 0, 400, 400))
    side = at(Role.MENU, "Side", Rect(0, 0, 100, 400), "Page")
    items = [at(Role.MENUITEM, name, Rect(0, y, 100, y + 40), "Side") for name, y in (("Mail", 0), ("Tasks", 360))]
    drawer = at(Role.DIALOG, "Drawer", Rect(0, 50, 90, 350), "Page")
    close = at(Role.BUTTON, "Close", Rect(10, 60, 60, 80), "Drawer")
    assert names(page, side, *items, drawer, close) == ["Page", "Side", "Mail", "Tasks", "Drawer", "Close"]
    dropped = [replace(item, parent="Dropped", handle=f"dropped {item.name}") for item in items]
    assert "Close" not in names(page, side, *items, drawer, close, *dropped)
