"""Numbers, places and orders that are not true, and answers that do not come, of applications in memory."""

from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic

import pytest

from deskhand.core.errors import ActionRefused, ApplicationUnresponsive, DesktopError
from deskhand.core.geometry import NOWHERE, Rect
from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Body, Call, Post, Reply, Signal
from deskhand.desktop.linux.atspi.coordinates import keep_to_views
from deskhand.desktop.linux.atspi.large_containers import Span
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import LIST, POPUP_MENU, SHOWING, TABLE, VISIBLE
from deskhand.desktop.linux.atspi.toolkit import Toolkits
from deskhand.desktop.linux.toolkits.libreoffice.hooks import LibreOffice
from deskhand.desktop.linux.toolkits.libreoffice.spreadsheet import Sheet
from deskhand.desktop.linux.toolkits.libreoffice.writer.clipboard_copy import TableCopier
from deskhand.desktop.linux.toolkits.libreoffice.writer.document_tables import DocumentTables
from deskhand.desktop.linux.toolkits.libreoffice.writer.requests import Asker, Incomplete
from deskhand.desktop.linux.toolkits.libreoffice.writer.table_pieces import read_piece
from deskhand.desktop.linux.toolkits.qt.hooks import Qt
from deskhand.desktop.linux.toolkits.qt.loose_menus import LooseMenus
from deskhand.desktop.linux.toolkits.swing.table_rows import KeptRows, Rows
from deskhand.desktop.linux.wiring import OWNERS
from deskhand.desktop.linux.x11.clipboard import XClipboard
from deskhand.desktop.notifier import Pulse

BUS = ":1.1"
FRAME, PANEL = 23, 39
HUGE = 2**31 - 1
STEP = 64
"""Objects that are asked at once whether they are menus."""

MANY = 20_000
"""More calls than any of this needs."""

Answer = Callable[[Call], Reply]
LATE = ApplicationUnresponsive("it did not answer")


class Peer:
    """A transport to one application, that answers each call alone."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked = 0

    async def call(self, call: Call, *, deadline_s: float) -> Body:
        raise NotImplementedError

    async def batch(self, calls: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        return self.answers(calls)

    def answers(self, calls: Sequence[Call]) -> list[Reply]:
        self.asked += len(calls)
        assert self.asked < MANY
        return [self.answer(call) for call in calls]

    async def stream(self, begin: Callable[[Post], None], *, deadline_s: float, awake: bool = True) -> str:
        posted(self, begin)
        return ""

    async def approach(self, destination: str, *, deadline_s: float) -> None:
        """It is near."""

    def subscribe(self, handler: Callable[[Signal], None]) -> None:
        """No signals."""

    async def close(self) -> None:
        """Nothing to close."""


def posted(peer: Peer, begin: Callable[[Post], None]) -> None:
    """All that is asked, and what follows from it."""
    waiting = deque[tuple[Sequence[Call], Callable[[list[Reply]], None]]]()
    begin(lambda asked, then: waiting.append((asked, then)))
    while waiting:
        asked, then = waiting.popleft()
        then(peer.answers(asked))


def member(call: Call) -> str:
    return str(call.body[1]) if call.member == "Get" else call.member


def number(call: Call) -> int:
    return int(call.path.rpartition("/")[2])


def told(answers: dict[str, Body]) -> Answer:
    return lambda call: answers.get(member(call)) or ActionRefused(f"no {member(call)}")


@pytest.mark.requires("desktop.lying-tables")
@pytest.mark.parametrize("count", [600, 1000])
def test_what_goes_back_all_the_time_by_less_than_a_line_is_read_from_its_beginning(count: int) -> None:
    """As pages that turn their rows around."""
    refs = [Ref(BUS, f"/{each}") for each in range(count)]
    found, lacking = list[Ref](), list[str]()
    peer = Peer(lambda call: [[0, 10_000 - 20 * (number(call) // 40), 10, 20]])
    view = Rect(0, 9_900, 100, 9_960)

    def begin(post: Post) -> None:
        node = Node(Ref(BUS, "/list"), None, 0, LIST, "")
        Span(post, node, count, view, found.extend, lacking.append, refs).read()

    posted(peer, begin)
    assert found == refs
    assert lacking == []


@pytest.mark.requires("desktop.lying-tables")
def test_a_table_of_swing_whose_rows_are_lower_than_a_pixel_is_not_read_by_its_rows() -> None:
    asked: list[str] = []

    def answer(call: Call) -> Reply:
        row = number(call) if member(call) == "GetExtents" else 0
        top = 1000 if row == HUGE - 1 else 100 * (row > MANY)
        answers: dict[str, Body] = {
            "NColumns": [1],
            "GetChildAtIndex": [[BUS, f"/{call.body[0]}" if call.body else ""]],
            "GetExtents": [[0, top, 10, 10]],
        }
        return told(answers)(call)

    def adopt(_: Sequence[Ref], __: Sequence[Ref]) -> None:
        asked.append("adopt")

    def begin(post: Post) -> None:
        view = Rect(0, 0, 100, 100)
        Rows(post, Ref(BUS, "/table"), HUGE, view, KeptRows(), adopt, lambda: asked.append("otherwise")).read()

    posted(Peer(answer), begin)
    assert asked == ["otherwise"]


@pytest.mark.requires("desktop.lying-tables")
def test_a_spreadsheet_that_is_higher_than_a_screen_can_be_is_asked_no_more_than_that() -> None:
    lacking: list[str] = []
    sheet = Node(Ref(BUS, "/sheet"), None, 0, TABLE, "")
    sheet.rect = Rect(0, 0, 100, HUGE)
    corners = iter([[[BUS, "/a"]], [[BUS, "/b"]], [[BUS, "/c"]]])

    def answer(call: Call) -> Reply:
        at_corner = member(call) == "GetAccessibleAtPoint" and next(corners, None)
        return at_corner or ActionRefused("nothing there")

    posted(Peer(answer), lambda post: Sheet(post, sheet, lambda _: None, lacking.append).read())
    assert lacking == ["a spreadsheet does not say which cells it shows"]


@pytest.mark.requires("desktop.lying-tables")
@pytest.mark.parametrize("size", [(HUGE, HUGE), (-1, 3), (0, 3)])
async def test_a_table_of_writer_is_not_believed_to_have_more_cells_than_a_page_holds(size: tuple[int, int]) -> None:
    peer = Peer(told({"NRows": [size[0]], "NColumns": [size[1]], "GetChildren": [[]]}))
    with pytest.raises(Incomplete, match=f"{size[0]} rows and {size[1]} columns"):
        await read_piece(Asker(peer, monotonic() + 5), Ref(BUS, "/table"))


@pytest.mark.requires("observe.office")
async def test_a_document_that_stands_in_itself_is_not_followed_for_ever() -> None:
    document = Ref(BUS, "/document")
    answers: dict[str, Body] = {
        "GetAttributes": [{"total-pages": "1"}],
        "GetChildren": [[[BUS, "/document"]]],
        "GetInterfaces": [[]],
        "GetRole": [PANEL + 1],
    }
    peer, pulse = Peer(told(answers)), Pulse()
    tables = DocumentTables(peer, pulse, TableCopier(XClipboard(":0"), pulse))
    assert not await tables.is_all_in_view(document, deadline_s=5)


@pytest.mark.requires("desktop.toolkits")
def test_a_list_of_qt_that_is_a_window_of_its_own_is_not_left_out_of_what_it_shows() -> None:
    root = Node(Ref(BUS, "/list"), None, SHOWING, LIST, "")
    root.rect = NOWHERE
    assert keep_to_views({root.ref: root}, Qt("Qt", "6.4")) == frozenset()


@pytest.mark.requires("desktop.toolkits")
@pytest.mark.parametrize("error", [LATE, ActionRefused("it is starting")], ids=["late", "refused"])
@pytest.mark.parametrize("lacking", ["ToolkitName", "Version", "Name"])
async def test_what_an_application_did_not_say_of_its_toolkit_is_asked_again(lacking: str, error: DesktopError) -> None:
    answers: dict[str, Body] = {"ToolkitName": ["gtk"], "Version": ["3.24"], "Name": ["soffice"]}
    busy = [True]
    peer = Peer(lambda call: error if busy and member(call) == lacking else answers[member(call)])
    toolkits = Toolkits(peer, OWNERS)
    assert await toolkits.of(BUS, deadline_s=1) is not await toolkits.of(BUS, deadline_s=1)
    busy.clear()
    known = await toolkits.of(BUS, deadline_s=1)
    assert isinstance(known, LibreOffice)
    assert (known.name, known.version, known.application) == ("gtk", "3.24", "soffice")
    asked = peer.asked
    await toolkits.of(BUS, deadline_s=1)
    assert peer.asked == asked


@pytest.mark.requires("desktop.toolkits")
async def test_menus_that_an_application_was_too_slow_to_tell_of_are_looked_for_again() -> None:
    busy = [True]

    def answer(call: Call) -> Reply:
        if busy:
            return LATE
        answers: dict[str, Body] = {
            "GetRole": [POPUP_MENU if number(call) == 9 else LIST],
            "GetState": [[SHOWING | VISIBLE, 0]],
            "Parent": [[BUS, calls.ROOT_PATH]],
        }
        return told(answers)(call)

    peer = Peer(answer)
    menus, window = LooseMenus(), [Node(Ref(BUS, "/7"), None, SHOWING, FRAME, "")]
    place = Rect(5, 5, 50, 50)
    assert await menus.find(window, [place], peer, deadline_s=1) == []
    assert peer.asked <= STEP, "it is asked no more once it does not answer"
    busy.clear()
    assert await menus.find(window, [place], peer, deadline_s=1) == [Ref(BUS, "/9")]
