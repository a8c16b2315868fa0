"""Shapes of LibreOffice's drawings and presentations, judged by the document that is saved then."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from deskhand.core.command import Effect
from deskhand.core.geometry import Point
from deskhand.core.json import JsonValue
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.deceiving import Tools
from desktop.linux.test_office import CALC
from desktop.linux.test_office_tools import PATIENCE_S, document
from drawings import Grid, Group, Shape, write_drawing
from spreadsheets import Sheet, write_ods

pytestmark = [pytest.mark.desktop, pytest.mark.long]

DRAW = Application("draw", ("soffice", "--draw"), ("soffice", "--draw", "{file}"), "Draw$")
IMPRESS = Application("impress", ("soffice", "--impress"), ("soffice", "--impress", "{file}"), "Impress$")
SHAPES = (
    Shape("Under", (3, 3, 3, 2)),
    Shape("Over", (2, 2, 5, 4)),
    Shape("Apart", (10, 2, 3, 2)),
    Group("Apart two", (Shape("one", (16, 2, 1, 1)), Shape("two", (22, 2, 1, 1)))),
)


@pytest.mark.full("shapes over shapes are rare")
@pytest.mark.requires("effect.about", "command.effect")
async def test_a_click_that_selects_another_shape_or_none_is_not_confirmed_by_the_sidebar(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    file = write_drawing(tmp_path / "shapes.odg", SHAPES)
    async with document(office, DRAW, file) as drawing:
        tools, window = Tools(drawing.desktop), drawing.window
        missed = await drawing.run("click_input", window, Role.LISTITEM, "Under")
        assert missed.effect is Effect.SUSPECTED_NOOP, missed
        assert 'reads not selected as before; listitem "Over" is now selected' in missed.evidence
        await drawing.desktop.press([Chord("esc"), Chord("tab")])
        await drawing.see(window)
        assert "selected" in (await tools.find(window, "Under", Role.LISTITEM)).states
        taken = await drawing.run("click_input", window, Role.LISTITEM, "Under")
        assert taken.effect is Effect.SUSPECTED_NOOP, "it was selected, and another is now"
        through = await drawing.run("click_input", window, Role.LISTITEM, "Apart two")
        assert through.effect is Effect.SUSPECTED_NOOP, through
        met = await drawing.run("click_input", window, Role.LISTITEM, "Apart")
        assert met.effect is Effect.CONFIRMED, met
        await drawing.desktop.press([Chord("delete")])
        saved = await drawing.saved()
    assert ('"Apart"' in saved, '"Over"' in saved) == (False, True)


@pytest.mark.full("tables on slides are rare")
@pytest.mark.requires("effect.about", "command.effect")
async def test_a_cell_on_a_slide_is_clicked_once_its_text_has_the_caret(office: LinuxDesktop, tmp_path: Path) -> None:
    file = write_drawing(tmp_path / "table.odp", [Grid("Tab", (2, 3, 18, 6), (("a", "b"), ("c", "d")))])
    async with document(office, IMPRESS, file) as slides:
        first = await slides.run("click_input", slides.window, Role.CELL, "B2")
        assert first.effect is Effect.SUSPECTED_NOOP, "the table is selected as a whole"
        second = await slides.run("click_input", slides.window, Role.CELL, "B2")
        assert (second.effect, second.evidence) == (Effect.CONFIRMED, 'paragraph with value "d" has the keyboard now')
        await slides.desktop.press([Chord("end"), Chord("x")])
        assert "<text:p>dx</text:p>" in await slides.saved()


@pytest.mark.full("keys for shapes are tried in another test")
@pytest.mark.desktop
@pytest.mark.requires("effect.about")
async def test_keys_for_a_cell_or_a_shape_on_a_slide_go_there_wherever_the_caret_is(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    table = Grid("Tab", (2, 3, 18, 6), (("a", "b"), ("c", "d")))
    note = Shape("Note", (2, 12, 8, 2), "n")
    async with document(office, IMPRESS, write_drawing(tmp_path / "table.odp", [table, note])) as it:
        note_is = next(each for each in (await it.see(it.window)).controls if each.name == "Note")
        for role, name, keys in ((Role.CELL, "B2", "{END}1"), (Role.CELL, "A2", "{END}2"), (note_is.type, "Note", "3")):
            await it.run("keyboard_input", it.window, role, name, keys=keys)
        await it.run("keyboard_input", it.window, Role.CELL, "B1", keys="{END}4")
        saved = await it.saved()
    assert [re.sub("<[^>]*>", "", part) for part in re.findall(r"<text:p[ >].*?</text:p>", saved)] == [
        "a",
        "b4",
        "c2",
        "d1",
        "n3",
    ]


@pytest.mark.full("slide shows are rare")
@pytest.mark.requires("observe.reservations", "act.scrolled")
async def test_a_presented_slide_has_no_places_and_is_gone_at_the_end_of_the_show(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    slides = ([Shape("one", (1, 1, 20, 4), "first")], [Shape("two", (2, 2, 8, 2), "second")])
    async with document(office, IMPRESS, write_drawing(tmp_path / "show.odp", *slides)) as it:
        edited = await Tools(it.desktop).find(it.window, "one", Role.GROUP)
        assert (await it.desktop.resolve(edited)).rect == edited.rect
        await it.desktop.press([Chord("f5")])
        show = await it.until_window("Presenting: show")

        async def shown(names: set[str]) -> Observation:
            async def are_shown() -> Observation | None:
                seen = await it.see(show)
                return seen if {control.name for control in seen.controls} & {"one", "two"} == names else None

            found = await it.desktop.wait_until(are_shown, deadline_s=PATIENCE_S)
            assert found is not None
            return found

        seen = await shown({"one"})
        one = next(control for control in seen.controls if control.name == "one")
        assert one.rect.empty
        assert (await it.desktop.resolve(one)).rect.empty
        assert "LibreOffice tells no place" in " ".join(seen.reservations)
        assert next(control for control in seen.controls if control.type is Role.DOCUMENT).rect.area > 0
        before = (await it.desktop.screenshot()).rgb
        refused = await Tools(it.desktop).run(show, "click_input", replace(one, id="1"))
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False)
        assert (await it.desktop.screenshot()).rgb == before
        await it.desktop.press([Chord("right")])
        await shown({"two"})
        await it.desktop.press([Chord("right")])
        seen = await shown(set())
        assert [control.type for control in seen.controls] == [Role.DOCUMENT]
        assert "shows no slide now" in " ".join(seen.reservations)
        end = (await it.desktop.screenshot()).rgb
        assert end[len(end) // 2 :].count(0) > len(end) // 2 - 9, "all is black but for the words at the top"
        await it.desktop.press([Chord("left")])
        await shown({"one"})


@pytest.mark.full("drags are tried in test_dragging")
@pytest.mark.requires("effect.drag", "observe.office")
async def test_what_is_left_of_a_drag_out_of_sight_keeps_nothing_from_being_read(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    """LibreOffice keeps a window of one pixel beyond the screen's corner, of which it tells nothing."""
    slides = [[Shape(name, (1, 1, 20, 4), name)] for name in ("one", "two", "three")]
    async with document(office, IMPRESS, write_drawing(tmp_path / "drag.odp", *slides)) as it:
        tools = Tools(it.desktop)
        assert (await it.run("click_input", it.window, Role.LISTITEM, "P2")).delivered
        second, third = [await tools.find(it.window, name, Role.LISTITEM) for name in ("P2", "P3")]
        await it.desktop.drag(second.rect.center, Point(third.rect.center.x, third.rect.bottom - 4))
        seen = await it.see(it.window)
        assert seen.truncated is None, seen.truncated
        assert {"P1", "P2", "P3"} <= {control.name for control in seen.controls}


@pytest.mark.full("drags are tried in test_dragging")
@pytest.mark.requires("effect.drag")
async def test_a_slide_that_is_only_shown_by_the_press_of_a_drag_is_no_effect_of_the_drag(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    slides = [[Shape(name, (1, 1, 20, 4), name)] for name in ("one", "two", "three")]
    async with document(office, IMPRESS, write_drawing(tmp_path / "drag.odp", *slides)) as it:
        rect = (await Tools(it.desktop).find(it.window, "P2", Role.LISTITEM)).rect
        frame = (await it.see(it.window)).window.rect
        start, end = rect.center, Point(rect.center.x + 6, rect.center.y + 9)
        result = await Tools(it.desktop).run(
            it.window,
            "drag_on_coordinates",
            None,
            start_x=(start.x - frame.left) / frame.width,
            start_y=(start.y - frame.top) / frame.height,
            end_x=(end.x - frame.left) / frame.width,
            end_y=(end.y - frame.top) / frame.height,
        )
        assert result.effect is Effect.UNVERIFIABLE, result
        assert "two" in {control.name for control in (await it.see(it.window)).controls}, "it is shown by the press"


@pytest.mark.full("the others take the same way", but=["program1-shapes.odp"])
@pytest.mark.requires("command.effect")
@pytest.mark.parametrize(("program", "name"), [(DRAW, "shapes.odg"), (IMPRESS, "shapes.odp")])
async def test_the_text_of_a_shape_that_is_not_edited_is_set_and_typed_in_its_paragraph(
    office: LinuxDesktop, tmp_path: Path, program: Application, name: str
) -> None:
    """A shape itself takes no text, and the refusal names its paragraph."""
    shapes = [Shape("Note", (2, 3, 8, 3), "Old"), Shape("Empty", (2, 10, 8, 3)), Shape("Other", (12, 3, 8, 3), "n")]
    async with document(office, program, write_drawing(tmp_path / name, shapes)) as it:
        tools = Tools(it.desktop)
        seen = await it.see(it.window)
        note, empty, other = (next(c for c in seen.controls if c.name == each.name) for each in shapes)
        refused = await tools.run(it.window, "set_edit_text", note, text="New")
        assert (refused.effect, refused.delivered) == (Effect.REFUSED, False), refused
        assert refused.error is not None
        assert refused.error.fix == 'write into paragraph with value "Old"'
        text = next(part for part in seen.inside_of(note) if part.value == "Old")
        for target, tool, arguments in (
            (text, "set_edit_text", {"text": "New"}),
            (empty, "keyboard_input", {"keys": "Typed"}),
            (other, "keyboard_input", {"keys": "{END}ew"}),
        ):
            done = await tools.run(it.window, tool, target, **arguments)
            assert done.effect is Effect.CONFIRMED, (target.name, done)
        saved = await it.saved()
    assert [re.sub("<[^>]*>", "", part) for part in re.findall(r"<text:p[ >].*?</text:p>", saved)] == [
        "New",
        "Typed",
        "new",
    ]


@pytest.mark.full("80 s; keys for shapes of a slide are tried")
@pytest.mark.requires("command.effect")
async def test_keys_and_text_for_a_shape_or_a_cell_of_a_sheet_go_there_whatever_is_edited(
    office: LinuxDesktop, tmp_path: Path
) -> None:
    """An edited text, a typed entry or a toolbar would get them, and the focus stays at texts that had it before."""
    shapes = [Shape("One", (8, 3, 4, 2), "a"), Shape("Two", (14, 3, 4, 2), "b"), Shape("Three", (8, 7, 4, 2))]
    file = write_ods(tmp_path / "shapes.ods", Sheet(filled=(3, 3), shapes=shapes))
    async with document(office, CALC, file) as it:
        tools = Tools(it.desktop)

        async def run(tool: str, role: Role | None, name: str, **arguments: JsonValue) -> None:
            """On a control, on the text in a shape, or on the first of a role."""
            seen = await it.see(it.window)
            named = next(c for c in seen.controls if name in {"", c.name})
            inside = seen.inside_of(named) if role and name else [named, *seen.controls]
            target = next(c for c in inside if role in {None, c.type})
            result = await tools.run(it.window, tool, target, **arguments)
            assert result.effect is Effect.CONFIRMED, (name, arguments, result)

        await run("keyboard_input", Role.PARAGRAPH, "One", keys="{END}1")
        await run("click_input", Role.TEXTBOX, "")
        await run("keyboard_input", None, "One", keys="{END}2")
        await run("click_input", None, "Two", double=True)
        await run("keyboard_input", Role.PARAGRAPH, "One", keys="{END}3")
        await run("keyboard_input", None, "Three", keys="4")
        await run("keyboard_input", None, "C2", keys="entry")
        await run("keyboard_input", None, "Two", keys="{END}5")
        await run("set_edit_text", Role.PARAGRAPH, "Two", text="set")
        await run("keyboard_input", None, "A2", keys="6{ENTER}")
        await run("click_input", None, "Add")  # it takes no press as short as in other windows
        saved = await it.saved()
    assert saved.count("<table:table ") == 3
    assert [re.sub("<[^>]*>", "", part) for part in re.findall(r"<text:p[ >].*?</text:p>", saved)] == [
        *("a123", "set", "4"),
        *("r0c0", "r0c1", "r0c2", "6", "r1c1", "entry", "r2c0", "r2c1", "r2c2"),
    ]
