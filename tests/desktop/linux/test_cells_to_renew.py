"""Which cells of a spreadsheet are read again, and which are taken as they were read before."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import pytest

from deskhand.core.errors import ElementStale
from deskhand.core.geometry import Rect
from deskhand.core.roles import Role
from deskhand.core.target import MINIMIZED, TargetInfo, TargetKind
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.cache import CellsOfWindow
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Reply
from deskhand.desktop.linux.atspi.node import Node, Walk
from deskhand.desktop.linux.atspi.roles import EMPTY, FOCUSED, RESULT_UNTOLD
from deskhand.desktop.linux.display_server import Connection
from deskhand.desktop.linux.idle.activity import Ledger
from deskhand.desktop.linux.idle.wait import Activity
from deskhand.desktop.linux.observe.cache import CachedWindow
from deskhand.desktop.linux.observe.renewed_cells import Renewal as Choice
from deskhand.desktop.linux.observe.renewed_cells import RenewedCells
from deskhand.desktop.linux.pixels import Shot
from deskhand.desktop.linux.toolkits.libreoffice.spreadsheet import Renewal, address
from deskhand.desktop.notifier import Pulse

pytestmark = pytest.mark.requires("desktop.kept-cells")

TABLE = Ref(":1.7", "/table")
ROWS, COLUMNS = 12, 10
WIDTH, HEIGHT = 80, 20
PID = 4711
VIEW = Rect(0, 100, COLUMNS * WIDTH, 100 + ROWS * HEIGHT)
WINDOW = TargetInfo(TargetKind.WINDOW, "sheet", Role.WINDOW, Rect(0, 0, 900, 500), handle="x11:0x1", pid=PID)


def cell_at(row: int, column: int) -> Node:
    node = Node(calls.cell_of(TABLE, row, column), TABLE, 0, name=address((row, column)), text="old")
    node.rect = place_of(row, column)
    return node


def place_of(row: int, column: int, rows: int = 1, columns: int = 1) -> Rect:
    return Rect.from_extents(column * WIDTH, VIEW.top + row * HEIGHT, columns * WIDTH, rows * HEIGHT)


def last_look() -> CachedWindow:
    table = Node(TABLE, None, 0, rect=VIEW)
    cells = {cell.ref: cell for row in range(ROWS) for column in range(COLUMNS) for cell in [cell_at(row, column)]}
    table.children = list(cells)
    return CachedWindow(WINDOW, 1.0, 1.0, Walk({TABLE: table, **cells}, [table]), (), frozenset())


def renewed(*doubtful: Rect, window: TargetInfo = WINDOW) -> set[str] | None:
    found = last_look().cells_to_renew(window, doubtful)
    return None if found is None else {ref.path.rpartition(TABLE.path)[2] for ref in found}


def paths(*places: tuple[int, int]) -> set[str]:
    return {calls.cell_of(TABLE, *place).path.rpartition(TABLE.path)[2] for place in places}


def test_cells_that_something_was_painted_on_are_read_again_and_no_others() -> None:
    assert renewed() == set()
    assert renewed(Rect(0, 0, 900, VIEW.top), Rect(0, VIEW.bottom, 900, 500)) == set()
    assert renewed(place_of(2, 3)) == paths((2, 3))
    assert renewed(place_of(2, 3, rows=2), place_of(0, 0)) == paths((2, 3), (3, 3), (0, 0))
    assert renewed(Rect(WIDTH - 1, VIEW.top, WIDTH + 1, VIEW.top + 1)) == paths((0, 0), (0, 1))


def test_by_a_picture_the_last_row_and_column_are_read_too_since_their_places_show_what_was_resized() -> None:
    ends = paths(*((ROWS - 1, column) for column in range(COLUMNS)), *((row, COLUMNS - 1) for row in range(ROWS)))
    assert by_picture() == ends
    assert by_picture(place_of(2, 3)) == ends | paths((2, 3))
    assert by_picture(place_of(ROWS - 1, 0, columns=COLUMNS)) == ends
    assert by_picture(place_of(0, 0, rows=ROWS // 2, columns=COLUMNS - 1)) is None


def by_picture(*doubtful: Rect) -> set[str] | None:
    found = last_look().cells_to_renew(WINDOW, doubtful, by_picture=True)
    return None if found is None else {ref.path.rpartition(TABLE.path)[2] for ref in found}


def test_the_first_rows_may_be_painted_from_end_to_end() -> None:
    assert renewed(place_of(0, 0, columns=COLUMNS)) == paths(*((0, column) for column in range(COLUMNS)))


@pytest.mark.parametrize(
    "place",
    [
        place_of(ROWS - 1, 0, columns=COLUMNS),
        place_of(0, COLUMNS - 1, rows=ROWS),
        place_of(0, 0, rows=ROWS // 2, columns=COLUMNS - 1),
    ],
    ids=["the last row", "the last column", "more than a third"],
)
def test_all_are_read_where_lines_may_have_come_or_gone_or_much_was_painted(place: Rect) -> None:
    assert renewed(place) is None


def test_of_a_window_that_moved_or_is_minimized_nothing_is_known() -> None:
    assert renewed(window=replace(WINDOW, rect=WINDOW.rect.moved(1, 0))) is None
    assert renewed(window=replace(WINDOW, handle="x11:0x2")) is None
    assert renewed(window=replace(WINDOW, states=frozenset({MINIMIZED}))) is None


def test_where_was_painted_is_known_by_process_and_for_a_while() -> None:
    ledger = Ledger(0.0)
    ledger.belongs(1, PID)
    ledger.belongs(2, PID + 1)
    ledger.repaint(1.0, 1, (10, 20), [Rect(0, 0, 5, 5)])
    ledger.repaint(2.0, 1, (10, 20), [Rect(5, 5, 9, 9), Rect(0, 0, 1, 1)])
    ledger.repaint(2.0, 2, (0, 0), [Rect(0, 0, 100, 100)])
    assert ledger.painted(PID, 1.5) == (Rect(15, 25, 19, 29), Rect(10, 20, 11, 21))
    assert ledger.painted(PID, 2.5) == ()
    for at in range(3, 203):
        ledger.repaint(float(at), 1, (0, 0), [Rect(0, 0, 1, 1)])
    assert ledger.painted(PID, 1.5) is None
    assert ledger.painted(PID, 202.0) == (Rect(0, 0, 1, 1),)


class Pictures:
    """A camera with the picture of now, and the connection of a screen whose windows cover `unseen`."""

    def __init__(self, *white: Rect, unseen: tuple[Rect, ...] = ()) -> None:
        self.now, self.unseen, self.taken = picture_of(*white), unseen, 0

    async def grab(self, region: Rect | None = None) -> Shot:
        assert region == VIEW
        self.taken += 1
        return self.now

    async def run(self, work: object, *, deadline_s: float = 0) -> tuple[Rect, ...]:
        return self.unseen


def picture_of(*white: Rect) -> Shot:
    pixels = bytearray(VIEW.area * 4)
    for place in white:
        for y in range(place.top, place.bottom):
            start = ((y - VIEW.top) * VIEW.width + place.left - VIEW.left) * 4
            pixels[start : start + place.width * 4] = b"\xff" * place.width * 4
    return Shot(pixels, VIEW)


def activity_painted(*times_s: float, now_s: float = 10.0) -> Activity:
    """A desktop on which the whole window was painted at these times."""
    clock = [0.0]
    activity = Activity(Pulse(), clock=lambda: clock[0])
    activity.sees_pixels = True
    activity.ledger.belongs(1, PID)
    for at in times_s:
        clock[0] = at
        activity.repaint(1, (0, 0), [WINDOW.rect])
    clock[0] = now_s
    return activity


ENDS = paths(*((ROWS - 1, column) for column in range(COLUMNS)), *((row, COLUMNS - 1) for row in range(ROWS)))


def names(cells: frozenset[Ref] | None) -> set[str] | None:
    return None if cells is None else {ref.path.rpartition(TABLE.path)[2] for ref in cells}


async def renewal(last: CachedWindow, activity: Activity, pictures: Pictures) -> Choice:
    connection = cast("Connection", pictures)
    return await RenewedCells(connection, pictures, activity).of(WINDOW, [WINDOW], last)


@pytest.mark.anyio
async def test_of_a_window_painted_as_a_whole_those_cells_are_read_again_that_look_different() -> None:
    last = replace(last_look(), began_s=5.0, shot=picture_of(place_of(1, 1)), shot_s=5.0)
    pictures = Pictures(place_of(1, 1), place_of(4, 4))
    chosen = await renewal(last, activity_painted(6.0), pictures)
    assert names(chosen.cells) == ENDS | paths((4, 4))
    assert (chosen.shot, chosen.shot_s) == (pictures.now, 10.0)


@pytest.mark.anyio
async def test_a_cell_that_was_read_again_since_the_picture_may_look_as_in_it_and_be_another() -> None:
    """It was marked, read, and is no longer marked: the picture from before is the same as the one of now."""
    last = replace(last_look(), began_s=5.0, shot=picture_of(), shot_s=5.0)
    marked = activity_painted(now_s=7.0)
    marked.repaint(1, (0, 0), [place_of(3, 3)])
    chosen = await renewal(last, marked, Pictures(place_of(3, 3)))
    assert names(chosen.cells) == paths((3, 3))
    assert chosen.shot is last.shot
    again = replace(last, began_s=8.0, shot=chosen.shot, shot_s=chosen.shot_s, reread=chosen.reread)
    chosen = await renewal(again, activity_painted(9.0), Pictures())
    assert names(chosen.cells) == ENDS | paths((3, 3))
    assert (chosen.shot_s, chosen.reread) == (10.0, ())


@pytest.mark.anyio
async def test_what_is_not_observed_is_read_again_and_without_a_picture_from_before_all_is() -> None:
    last = replace(last_look(), began_s=5.0, shot=picture_of(), shot_s=5.0)
    covered = await renewal(last, activity_painted(6.0), Pictures(unseen=(place_of(0, 0),)))
    assert names(covered.cells) == ENDS | paths((0, 0))
    assert (await renewal(replace(last, shot=None), activity_painted(6.0), Pictures())).cells is None
    painted_between = replace(last, shot_s=7.0)
    assert (await renewal(painted_between, activity_painted(6.0), Pictures())).cells is None
    assert (await renewal(painted_between, activity_painted(8.0), Pictures())).cells is not None


@pytest.mark.anyio
async def test_no_picture_is_taken_where_nothing_was_painted() -> None:
    last, pictures = replace(last_look(), began_s=5.0, shot=picture_of(), shot_s=5.0), Pictures()
    assert (await renewal(last, activity_painted(1.0), pictures)).cells == frozenset()
    assert not pictures.taken


def cells_with_focus(table_state: int, *cells: int) -> CellsOfWindow:
    table = Node(TABLE, None, table_state, rect=VIEW)
    found = {cell.ref: cell for column in range(3) for cell in [cell_at(0, column)]}
    for number in cells:
        [*found.values()][number].state |= FOCUSED
    table.children = [*found]
    return CellsOfWindow([table], found)


def test_cells_are_kept_while_the_keyboard_is_elsewhere_and_the_one_that_had_it_is_read_again() -> None:
    away, here = Node(TABLE, None, 0, rect=VIEW), Node(TABLE, None, FOCUSED, rect=VIEW)
    kept = cells_with_focus(FOCUSED, 1)
    assert [bool(cell.state & FOCUSED) for cell in kept.of(here)] == [False, True, False]
    assert [bool(cell.state & FOCUSED) for cell in kept.of(away)] == [False, False, False]
    assert kept.regained(here) == kept.regained(away) == frozenset()
    without = CellsOfWindow([away], {}, kept)
    assert without.regained(here) == frozenset({calls.cell_of(TABLE, 0, 1)})


class Reading:
    """A table of which one cell is read again; `told` is what is answered for that, then `attributes`."""

    def __init__(self, told: Sequence[Reply], attributes: Sequence[Reply] = (), *, focused: bool = False) -> None:
        self.table, self.cells = (
            Node(TABLE, None, FOCUSED * focused, rect=VIEW),
            [cell_at(0, column) for column in range(3)],
        )
        self.kept: list[Node] = []
        self.read_anew = False
        found: list[Reply] = [((":1.7", "/object"),)]
        self._answers = iter([found, list(told), list(attributes)])
        Renewal(self._post, self.table, self.cells, frozenset({self.cells[1].ref}), self.kept.append, self._anew).read()

    def _post(self, asked: Sequence[Call], then: Callable[[list[Reply]], None]) -> None:
        replies = next(self._answers)
        assert len(replies) == len(asked)
        then(replies)

    def _anew(self) -> None:
        self.read_anew = True


STATE = ([5, 0],)


def told(place: Rect, text: str) -> list[Reply]:
    return [((place.left, place.top, place.width, place.height),), (text,), STATE]


def test_what_is_read_again_replaces_what_was_kept() -> None:
    reading = Reading(told(place_of(0, 1), "new"))
    assert [node.text for node in reading.kept] == ["old", "new", "old"]
    assert reading.kept[1].state == 5
    assert reading.table.children == [cell.ref for cell in reading.cells]


@pytest.mark.parametrize(
    ("formula", "content"),
    [([{"Formula": ""}], EMPTY), ([{"Formula": "1/0"}], RESULT_UNTOLD), (ElementStale("gone"), 0)],
)
def test_a_cell_that_tells_no_text_any_more_is_empty_unless_there_is_a_formula_in_it(
    formula: Reply, content: int
) -> None:
    assert Reading(told(place_of(0, 1), ""), [formula]).kept[1].state == 5 | content


def test_where_the_keyboard_is_in_none_of_the_cells_that_the_cursor_was_in_all_are_read_anew() -> None:
    assert Reading(told(place_of(0, 1), "new"), focused=True).read_anew


@pytest.mark.parametrize(
    "answers",
    [
        told(place_of(0, 1, columns=2), "merged"),
        [ElementStale("gone"), ("",), STATE],
        [*told(place_of(0, 1), "new")[:2], ElementStale("gone")],
        [told(place_of(0, 1), "new")[0], ElementStale("gone"), STATE],
    ],
    ids=["it got wider", "it has no place", "it has no state", "it has no text"],
)
def test_a_cell_that_does_not_stand_where_it_stood_has_all_read_anew(answers: list[Reply]) -> None:
    reading = Reading(answers)
    assert reading.read_anew
    assert not reading.kept
