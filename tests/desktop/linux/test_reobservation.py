"""What is kept between observations of a window is never seen where it no longer holds, in any toolkit."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from PIL import Image, ImageDraw

from deskhand.core.geometry import Rect
from deskhand.core.observation import Picture
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind
from deskhand.desktop.linux.atspi.roles import EDITABLE, states_of
from desktop.linux import changing_office
from desktop.linux.changing import FIXTURES, NEEDS, Tally, change, fixture_of, judged
from desktop.linux.changing_office import Told, judged_cells, judged_slide
from desktop.linux.fixture import BRIDGE
from support import FULL, need

CHANGES: Final = 500 if FULL else 4
OFFICE_CHANGES: Final = 500 if FULL else 3
SEED: Final = 7
PAGES: Final = (1, 0, 5)
"""Seeds that choose one page each."""

TURNS: Final = 15


@pytest.mark.full("other toolkits take the same way", but=["Qt 6", "Chromium"])
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize("toolkit", FIXTURES)
async def test_what_is_kept_is_what_a_fresh_look_sees_and_what_is_true(toolkit: str, tmp_path: Path) -> None:
    """After random changes, and after what these come to late: each page in all forms that its parts can take, and
    all open that opens.
    """
    need(*NEEDS.get(toolkit, ()))
    tally = Tally(toolkit, SEED)
    async with fixture_of(toolkit, tmp_path, tally) as fixture:
        await change(fixture, CHANGES)
        assert tally.differences == []
        assert tally.changes == tally.looks == CHANGES
        await fixture.order("expand")
        for page in PAGES:
            await fixture.order("tab", page)
            for seed in range(TURNS):
                await fixture.order("turn", seed)
            assert await fixture.compare(kept_first=True) == []


@pytest.mark.full("20 s; cells that are kept are tried in test_kept_cells")
@pytest.mark.desktop
@pytest.mark.long
@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize("program", changing_office.PROGRAMS)
async def test_a_document_is_seen_as_it_is_whatever_is_kept_of_it(program: str, tmp_path: Path) -> None:
    tally = await changing_office.run(program, SEED, OFFICE_CHANGES, tmp_path)
    assert tally.differences == []
    assert tally.changes == tally.looks == OFFICE_CHANGES


def seen_as(type_: Role, name: str, rect: Rect, parent: str = "view", value: str = "") -> TargetInfo:
    return TargetInfo(TargetKind.CONTROL, name, type_, rect, value=value, handle=name, parent=parent)


def a_slide(*, slide: int = 2, slides: int = 3, **box: object) -> Told:
    """With a box on it, a text in that, and a title that is still to be written."""
    shape = {"name": "s2 box 0", "place": (100, 100, 300, 200), "texts": ("Box",), "asks": False, **box}
    title = {"name": "", "place": (0, 0, 1000, 50), "texts": ("",), "asks": True}
    return Told.model_validate({"slides": slides, "slide": slide, "paper": (1000, 1000), "shapes": (shape, title)})


@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize(
    ("told", "found"),
    [
        (a_slide(), []),
        (a_slide(slide=3), ["slide 3 is not seen"]),
        (a_slide(slides=1), ["Slide 2 is seen of 1"]),
        (a_slide(texts=("Other",)), ["'Other' is not seen", "are seen and not there"]),
        (a_slide(name="s2 box 1"), ["s2 box 0 is seen and is not there", "s2 box 1 at None"]),
        (a_slide(place=(200, 100, 400, 200)), ["s2 box 0 at"]),
    ],
)
def test_a_slide_that_is_seen_otherwise_than_it_is_is_found_out(told: Told, found: Sequence[str]) -> None:
    seen = (
        seen_as(Role.LISTITEM, "Slide 2", Rect(0, 0, 90, 90), "list"),
        seen_as(Role.DOCUMENT, "view", Rect(100, 0, 900, 900), "window"),
        seen_as(Role.GROUP, "PageShape: Slide 2", Rect(200, 100, 700, 600)),
        seen_as(Role.GROUP, "s2 box 0", Rect(250, 150, 350, 200)),
        seen_as(Role.PARAGRAPH, "p", Rect(260, 160, 300, 180), "s2 box 0", "Box"),
        seen_as(Role.GROUP, "Title", Rect(200, 100, 700, 125)),
        seen_as(Role.PARAGRAPH, "q", Rect(210, 110, 300, 120), "Title", "Click to add Title"),
    )
    lines = judged_slide(seen, told)
    assert len(lines) == len(found)
    assert all(any(part in line for line in lines) for part in found)


@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize(
    ("shown", "seen", "is_right"),
    [("New", "New", True), ("", "", True), ("New", "", False), ("", "New", False), (None, "New", True)],
)
def test_what_is_being_written_on_a_slide_is_held_against_a_picture(
    shown: str | None, seen: str, *, is_right: bool
) -> None:
    """The document still says what was there before. A caret is no text; `None`: there is no picture."""
    told = a_slide(chosen=True)
    controls = (
        seen_as(Role.DOCUMENT, "view", Rect(100, 0, 900, 900), "window"),
        seen_as(Role.GROUP, "PageShape: Slide 2", Rect(200, 100, 700, 600)),
        seen_as(Role.GROUP, "s2 box 0", Rect(250, 150, 350, 200)),
        seen_as(Role.PARAGRAPH, "", Rect(260, 160, 300, 180), "s2 box 0", seen),
    )
    screen = Image.new("RGB", (900, 900), "white")
    draw = ImageDraw.Draw(screen)
    draw.rectangle((260, 160, 261, 190), fill="black")
    draw.text((265, 165), shown or "", fill="black", font_size=20)
    picture = None if shown is None else Picture(screen.tobytes(), Rect(0, 0, 900, 900))
    assert (judged_slide(controls, told, picture) == []) is is_right


@pytest.mark.requires("desktop.reobservation")
@pytest.mark.parametrize(
    ("texts", "cursor", "found"),
    [
        (("one", ""), "A1", ["cell A2 'two' for ''"]),
        (("one", ""), "A2", []),
        (("one", "new"), "A2", ["cell A2 'two' for 'new'"]),
        (("one", "two", "three"), "A2", ["cell A3 is not seen"]),
        (("one",), "A1", ["cell A2 is seen and not in view"]),
    ],
)
def test_a_cell_that_is_seen_otherwise_than_it_is_is_found_out(
    texts: Sequence[str], cursor: str, found: Sequence[str]
) -> None:
    """But the emptied one that has the cursor, which is said to hold its old text."""
    seen = [seen_as(Role.CELL, name, Rect(0, 0, 9, 9), value=value) for name, value in (("A1", "one"), ("A2", "two"))]
    cells = {f"A{row}": text for row, text in enumerate(texts, 1)}
    assert judged_cells(seen, Told(shown=(0, 0, len(texts) - 1, 0), cells=cells, cursor=cursor)) == found


@pytest.mark.full("such menus are rare")
@pytest.mark.desktop
async def test_a_menu_of_swing_in_a_window_of_its_own_is_where_it_is(tmp_path: Path) -> None:
    """It has one where it would lie over another window of its program; that window tells a wrong place."""
    need(BRIDGE)
    async with fixture_of("Swing", tmp_path, Tally("Swing", SEED)) as fixture:
        for order, seed in (("ask", 1), ("shift", 2)):
            await fixture.order(order, seed)
            await fixture.at_rest()  # the menu lies over the question once the window stands where it was put
        await fixture.order("popup", 6)
        truth = await fixture.at_rest()
        seen = await fixture.look(fixture.desktop)
        assert judged(seen, truth) == []
        controls = seen["Changing"].controls
        menu = next(control for control in controls if control.type is Role.MENU)
        assert [control.rect for control in controls if control.type is Role.WINDOW] == [menu.rect]
        items = [control for control in controls if control.type is Role.MENUITEM]
        assert items
        assert [(await fixture.desktop.resolve(item)).rect for item in items] == [item.rect for item in items]


@pytest.mark.requires("desktop.reobservation")
def test_what_is_for_reading_only_is_not_editable() -> None:
    read_only = 1 << 43
    assert "editable" in states_of(EDITABLE)
    assert "editable" not in states_of(EDITABLE | read_only)
    assert "read_only" in states_of(EDITABLE | read_only)
