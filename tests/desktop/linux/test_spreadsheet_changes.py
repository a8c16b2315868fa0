"""A spreadsheet in memory that changes while it is read, or does not tell the truth."""

from collections import deque
from collections.abc import Callable, Sequence
from sys import gettrace, settrace
from types import FrameType
from typing import Any, TypeAlias

import pytest

from deskhand.core.errors import ActionRefused
from deskhand.core.geometry import Point, Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Reply
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import EDITABLE, TABLE
from deskhand.desktop.linux.toolkits.libreoffice import spreadsheet as read_by
from deskhand.desktop.linux.toolkits.libreoffice.spreadsheet import Place, Sheet, address

Tracer: TypeAlias = Callable[[FrameType, str, Any], Any]

BUS = ":1.7"
TABLE_REF = Ref(BUS, "/table")
WIDTH, HEIGHT = 80, 20
NULL: Reply = [["", "/org/a11y/atspi/null"]]
ASTRAY = "cells of a spreadsheet are not where its rows and columns are, as while it is scrolled"
UNTOLD = "a spreadsheet does not say which cells it shows"


class Scrolled:
    """A sheet whose cells are all of one size, of which `size` rows and columns are in view, from `top` on.

    `before` is called before each answer, with what is asked.
    """

    def __init__(self, size: Place, top: int = 0, before: Callable[[str], None] = lambda _: None) -> None:
        self.size, self.top, self.before = size, top, before
        self.hidden: range = range(0)
        self.silent = False
        self.wider = 0
        self.asked: list[str] = []
        self.nodes: dict[Ref, Node] = {}
        self.lacking: list[str] = []
        self.table = Node(TABLE_REF, None, 0, TABLE, rect=Rect(0, 0, size[1] * WIDTH, size[0] * HEIGHT))

    def read(self) -> None:
        waiting = deque[tuple[Sequence[Call], Callable[[list[Reply]], None]]]()
        Sheet(lambda asked, then: waiting.append((asked, then)), self.table, self._keep, self.lacking.append).read()
        while waiting:
            asked, then = waiting.popleft()
            then([self._told(call) for call in asked])

    def listed(self) -> dict[str, Rect]:
        """The cells that the table has, and where they are said to be."""
        return {node.name: node.rect for ref in self.table.children if (node := self.nodes[ref])}

    def place(self, row: int, column: int) -> Rect:
        """Where a cell is in view; empty where it is not."""
        shown = [
            line for line in range(self.top, self.top + self.size[0] + len(self.hidden)) if line not in self.hidden
        ]
        if row not in shown[: self.size[0]]:
            return Rect(0, 0, 0, 0)
        left, top = column * WIDTH, shown.index(row) * HEIGHT
        return Rect(left, top, left + WIDTH, top + HEIGHT)

    def _keep(self, node: Node) -> None:
        self.nodes[node.ref] = node

    def _told(self, call: Call) -> Reply:
        member = str(call.body[1]) if call.member == "Get" else call.member
        self.asked.append(member)
        self.before(member)
        match member, call.body:
            case "GetAccessibleAtPoint", (int(x), int(y), *_):
                return self._at(Point(x, y))
            case "GetAccessibleAt", (int(row), int(column)):
                return [[BUS, f"/cell/{row * 100 + column}"]]
            case "NSelectedChildren", _:
                return [0]
            case "GetRowExtentAt" | "GetColumnExtentAt", _:
                return [1]
            case _:
                return self._of_cell(member, divmod(int(call.path.rpartition("/")[2]), 100))

    def _at(self, point: Point) -> Reply:
        if self.silent:
            return NULL
        rows = range(self.top, self.top + self.size[0] + len(self.hidden))
        places = [(row, column) for row in rows for column in range(self.size[1])]
        row, column = next(place for place in places if self.place(*place).contains(point))
        return [[BUS, f"/cell/{row * 100 + column}"]]

    def are_told(self) -> bool:
        """Whether all texts are, so that places are asked for once more."""
        return self.asked.count("GetText") >= self.size[0] * self.size[1]

    def _of_cell(self, member: str, place: Place) -> Reply:
        rect = self.place(*place)
        answers: dict[str, Reply] = {
            "Name": [address(place)],
            "GetState": [[EDITABLE, 0]],
            "GetExtents": [[rect.left, rect.top, rect.width + (self.wider if self.are_told() else 0), rect.height]],
            "GetText": [f"r{place[0]}c{place[1]}"],
        }
        return answers.get(member, ActionRefused(f"no {member}"))


@pytest.mark.requires("desktop.sheet-odd-cells")
def test_a_sheet_in_memory_is_read_whole() -> None:
    sheet = Scrolled((10, 3), top=7)
    sheet.read()
    assert sheet.listed() == {address((row, c)): sheet.place(row, c) for row in range(7, 17) for c in range(3)}
    assert sheet.lacking == []


def paged(sheet: Scrolled) -> None:
    sheet.top += 2000


def silenced(sheet: Scrolled) -> None:
    sheet.silent = True


@pytest.mark.requires("desktop.sheet-odd-cells")
@pytest.mark.parametrize("happens", [paged, silenced])
def test_a_sheet_with_many_hidden_rows_that_changes_as_it_is_looked_for_those_that_show_says_what_is_missing(
    happens: Callable[[Scrolled], None],
) -> None:
    def before(member: str) -> None:
        if member == "NSelectedChildren":  # the corners are known
            happens(sheet)

    sheet = Scrolled((10, 3), before=before)
    sheet.hidden = range(3, 700)
    sheet.read()
    assert (sheet.listed(), sheet.lacking) == ({}, [UNTOLD])


@pytest.mark.requires("desktop.sheet-cells")
@pytest.mark.parametrize("at", ["GetExtents", "GetAccessibleAtPoint"])
@pytest.mark.parametrize("lines", [1, -1, 4, 100])
def test_a_sheet_that_is_scrolled_after_its_texts_were_told_says_so_and_loses_no_cell_that_goes_on_showing(
    at: str, lines: int
) -> None:
    def before(member: str) -> None:
        if member == at and sheet.are_told() and sheet.top == 7:
            sheet.top += lines

    sheet = Scrolled((10, 3), top=7, before=before)
    places = {(row, column): sheet.place(row, column) for row in range(7, 17) for column in range(3)}
    sheet.read()
    assert set(sheet.lacking) == {ASTRAY}
    if at == "GetExtents":
        places = {place: rect for place in places if not (rect := sheet.place(*place)).empty}
    assert sheet.listed() == {address(place): rect for place, rect in places.items()}


@pytest.mark.requires("desktop.lying-tables")
@pytest.mark.parametrize("wider", [1, WIDTH])
def test_cells_that_say_that_each_covers_the_next_take_no_more_than_a_few_steps_each(wider: int) -> None:
    def steps(side: int) -> int:
        sheet, taken = Scrolled((side, side)), list[str]()
        sheet.wider = wider

        def count(_: FrameType, event: str, __: object) -> Tracer:
            taken.append(event)
            return count

        def trace(frame: FrameType, _: str, __: object) -> Tracer | None:
            return count if frame.f_code.co_filename == read_by.__file__ else None

        before = gettrace()
        settrace(trace)
        try:
            sheet.read()
        finally:
            settrace(before)
        return len(taken)

    assert steps(24) < steps(12) * 4 * 1.5
