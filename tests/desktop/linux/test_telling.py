"""Where web pages are asked so that they tell what they show."""

from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import rmtree

import anyio
import pytest

from deskhand.core.geometry import Point, Rect
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import BUS, Call, Reply
from deskhand.desktop.linux.atspi.late_pages import Telling, have_told, points_in
from deskhand.desktop.linux.atspi.node import Node
from deskhand.desktop.linux.atspi.roles import DOCUMENT_WEB, PUSH_BUTTON
from desktop.linux.test_tree import FakeApplication

pytestmark = pytest.mark.requires("desktop.reobservation")

EDGES = (Point(997, 400), Point(3, 797))


def node(name: str, parent: str, role: int, rect: Rect) -> Node:
    return Node(Ref(":1.1", name), Ref(":1.1", parent) if parent else None, 0, role=role, rect=rect)


def points_of(*nodes: Node) -> dict[str, tuple[Point, ...]]:
    return {ref.path: points for ref, points in points_in({each.ref: each for each in nodes}).items()}


def test_a_page_is_asked_at_its_edges_and_last_in_the_smallest_parts_of_its_halves() -> None:
    page = node("/page", "/frame", DOCUMENT_WEB, Rect(0, 0, 1000, 800))
    large = node("/large", "/page", PUSH_BUTTON, Rect(0, 100, 200, 200))
    small = node("/small", "/page", PUSH_BUTTON, Rect(300, 100, 320, 110))
    low = node("/low", "/page", PUSH_BUTTON, Rect(0, 600, 100, 700))
    assert points_of(page, large, small, low) == {"/page": (*EDGES, Point(50, 650), Point(310, 105))}


def test_a_page_in_a_page_is_asked_at_points_that_it_shows() -> None:
    page = node("/page", "/frame", DOCUMENT_WEB, Rect(0, 0, 1000, 800))
    inner = node("/inner", "/page", DOCUMENT_WEB, Rect(0, 700, 400, 1100))
    shown = node("/shown", "/inner", PUSH_BUTTON, Rect(0, 690, 100, 720))
    cut = node("/cut", "/inner", PUSH_BUTTON, Rect(0, 790, 100, 830))
    outside = node("/outside", "/inner", PUSH_BUTTON, Rect(0, 900, 10, 910))
    points = points_of(page, inner, shown, cut, outside)
    assert points["/inner"] == (Point(50, 710), Point(50, 795))
    assert points["/page"][:2] == EDGES


def test_of_parts_that_are_as_small_the_uppermost_and_the_lowest_are_asked_at() -> None:
    page = node("/page", "/frame", DOCUMENT_WEB, Rect(0, 0, 1000, 800))
    rows = [node(f"/row{top}", "/page", PUSH_BUTTON, Rect(0, top, 100, top + 20)) for top in range(0, 800, 40)]
    assert set(points_of(page, *rows)["/page"][2:]) == {Point(50, 10), Point(50, 770)}


def test_a_page_that_does_not_show_is_asked_nothing() -> None:
    hidden = node("/page", "/frame", DOCUMENT_WEB, Rect(0, 0, 0, 0))
    assert have_told(points_in({hidden.ref: hidden})) == []


BROWSER, RENDERER = 7, 8
DEADLINE_S = 5.0


class Browser(FakeApplication):
    """A transport to a browser with one renderer. It does the next of `doing` each time it is asked something."""

    def __init__(self, folder: Path, doing: Sequence[Callable[[], None]] = ()) -> None:
        super().__init__({})
        self.folder, self.doing, self.times = folder, list(doing), 0
        self.thread(BROWSER, "7", "browser", children=str(RENDERER))
        self.thread(BROWSER, "71", "Chrome_IOThread")
        self.thread(RENDERER, "8", "browser")
        self.thread(RENDERER, "81", "Chrome_ChildIOT")
        self.thread(RENDERER, "82", "ThreadPoolForeg", state="R")  # none that a page needs to tell
        (folder / str(BROWSER) / "cmdline").write_bytes(b"browser")
        (folder / str(RENDERER) / "cmdline").write_bytes(b"browser --type=renderer")

    def thread(
        self,
        pid: int,
        name: str,
        comm: str,
        *,
        state: str = "S",
        turns: int = 1,
        ran_s: float = 0.0,
        children: str = "",
    ) -> None:
        task = self.folder / str(pid) / "task" / name
        task.mkdir(parents=True, exist_ok=True)
        (task / "comm").write_text(f"{comm}\n")
        (task / "children").write_text(children)
        (task / "stat").write_text(f"{name} ({comm}) {state} 1 7 7 0\n")
        (task / "schedstat").write_text(f"{5000 + round(ran_s * 1e9)} 10 {turns}\n" if turns else "0 0 0\n")

    async def batch(self, asked: Sequence[Call], *, deadline_s: float) -> list[Reply]:
        await anyio.lowlevel.checkpoint()
        if asked[0].destination == BUS:
            return [[BROWSER]]
        self.times += 1
        if self.doing:
            self.doing.pop(0)()
        return [[0]]

    async def tells(self) -> bool:
        with anyio.fail_after(DEADLINE_S):
            return await Telling(self, str(self.folder)).wait(":1.1", [Ref(":1.1", "/page")], deadline_s=DEADLINE_S)


async def test_pages_have_told_once_none_of_their_threads_has_run_since(tmp_path: Path) -> None:
    browser = Browser(tmp_path)
    browser.doing = [
        lambda: browser.thread(BROWSER, "71", "Chrome_IOThread", turns=2),
        lambda: browser.thread(RENDERER, "81", "Chrome_ChildIOT", turns=2, state="R"),
        lambda: browser.thread(RENDERER, "8", "browser", turns=2, state="R"),
        lambda: browser.thread(RENDERER, "81", "Chrome_ChildIOT", turns=2),
        lambda: browser.thread(RENDERER, "8", "browser", turns=2),
    ]
    assert await browser.tells()
    assert browser.times == 6, "looked at while nothing was done, once more"
    assert not browser.doing


async def test_a_page_that_works_all_the_time_is_not_waited_for_to_the_end(tmp_path: Path) -> None:
    browser = Browser(tmp_path)
    browser.thread(RENDERER, "8", "browser", state="R")
    browser.doing = [lambda: browser.thread(RENDERER, "8", "browser", state="R", ran_s=0.2)]
    assert not await browser.tells()
    assert browser.times == 1


async def test_a_page_that_gets_no_processor_is_waited_for_longer(tmp_path: Path) -> None:
    browser = Browser(tmp_path)
    browser.thread(RENDERER, "8", "browser", state="R")
    browser.doing = [lambda: None] * 20 + [lambda: browser.thread(RENDERER, "8", "browser", turns=2)]
    assert await browser.tells()
    assert browser.times == 22


async def test_nothing_is_waited_for_where_the_kernel_does_not_count(tmp_path: Path) -> None:
    browser = Browser(tmp_path)
    for pid, name, comm in (
        (BROWSER, "71", "Chrome_IOThread"),
        (RENDERER, "8", "browser"),
        (RENDERER, "81", "Chrome_ChildIOT"),
    ):
        browser.thread(pid, name, comm, turns=0, state="R")
    assert not await browser.tells()
    assert browser.times == 0


async def test_the_threads_are_found_again_where_one_is_gone_or_a_page_is_new(tmp_path: Path) -> None:
    browser = Browser(tmp_path)
    telling, page, new = Telling(browser, str(tmp_path)), Ref(":1.1", "/page"), Ref(":1.1", "/new")
    assert await telling.wait(":1.1", [page], deadline_s=DEADLINE_S)
    rmtree(tmp_path / str(RENDERER) / "task" / "81")
    assert await telling.wait(":1.1", [page], deadline_s=DEADLINE_S)
    assert browser.times == 2
    browser.thread(RENDERER, "81", "Chrome_ChildIOT", state="R")
    browser.doing = [lambda: browser.thread(RENDERER, "81", "Chrome_ChildIOT", turns=9)]
    assert await telling.wait(":1.1", [page], deadline_s=DEADLINE_S), "a thread that is not known holds nothing up"
    browser.thread(RENDERER, "81", "Chrome_ChildIOT", state="R")
    browser.doing = [lambda: browser.thread(RENDERER, "81", "Chrome_ChildIOT", turns=10)]
    assert await telling.wait(":1.1", [page, new], deadline_s=DEADLINE_S)
    assert browser.times == 5
