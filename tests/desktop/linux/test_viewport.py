"""Views of 100 000 rows: exactly those in view are seen, where they are, wherever the view is scrolled to."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from re import fullmatch, match
from typing import Final

import pytest

from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from deskhand.session.applications import BUILT_IN
from desktop.linux.fixture import BRIDGE, JAVA, linux_desktop
from support import FULL, QT6, QT_PYTHONS, ROOT, need

pytestmark = pytest.mark.desktop

APPS: Final = ROOT / "tests/apps"
PYTHON: Final = "/usr/bin/python3"
PATIENCE_S: Final = 20.0
LEAST: Final = 6
"""Pixels of a row that have to be in view for it to count."""

EDGE: Final = 2
"""Pixels by which a place may differ: toolkits tell of a cell with its border or without."""

_QT5 = (PYTHON, str(APPS / "rows_qt.py"), "PyQt5")
_QT6 = (str(QT6), str(APPS / "rows_qt.py"), "PySide6")
_SWING = (*JAVA, str(APPS / "RowsSwing.java"))
_GTK3 = (PYTHON, str(APPS / "rows_gtk3.py"))
VIEWS: Final = {
    "GTK 3": (*_GTK3, "flat"),
    "GTK 3 branches": (*_GTK3, "branches"),
    "GTK 4 columns": (PYTHON, str(APPS / "rows_gtk4.py"), "columns"),
    "GTK 4 list": (PYTHON, str(APPS / "rows_gtk4.py"), "list"),
    "Swing table": (*_SWING, "table", "1000"),
    "Swing list": (*_SWING, "list", "2000"),
    "Swing tree": (*_SWING, "tree", "2000"),
    "Swing branches": (*_SWING, "branches", "2000"),
    "Qt 5 table": (*_QT5, "table"),
    "Qt 5 narrow": (*_QT5, "narrow"),
    "Qt 5 list": (*_QT5, "list"),
    "Qt 5 tree": (*_QT5, "tree"),
    "Qt 5 branches": (*_QT5, "branches"),
    "Qt 6 table": (*_QT6, "table"),
    "Qt 6 list": (*_QT6, "list"),
    "Qt 6 tree": (*_QT6, "tree"),
    "Qt 6 branches": (*_QT6, "branches"),
}
IN_CI: Final = ("GTK 3", "GTK 4 columns", "Qt 5 table", "Qt 5 narrow", "Qt 6 list", "Qt 6 branches", "Swing branches")


@dataclass(frozen=True)
class Rows:
    """A fixture application of very many rows, and the file in which it says what is in view."""

    desktop: LinuxDesktop
    window: TargetInfo
    file: Path

    def tells(self) -> bool:
        return self.file.exists() and bool(self.told())

    def told(self) -> dict[str, Rect]:
        """The cells in view, by text."""
        told = json.loads(self.file.read_text(encoding="utf-8"))["cells"]
        return {text: Rect(*rect) for text, rect in told.items()}

    def clicked(self) -> list[str]:
        return json.loads(self.file.read_text(encoding="utf-8"))["clicked"]

    async def see(self) -> Observation:
        await self.desktop.settle(self.window)
        return await self.desktop.observe(self.window, picture=False)

    async def difference(self) -> list[str]:
        """What is seen and not told, or told and not seen, or elsewhere."""
        before = self.told()
        seen = await self.see()
        cells = dict(cells_in(seen))
        told = self.told()
        if told != before:
            return ["it moves"]
        differs = [f"{text} is not in view" for text in cells.keys() - told.keys()]
        for text, rect in told.items():
            if text not in cells:
                differs += [f"{text} at {rect} is not seen"] if rect.height >= LEAST else []
            elif not stands_in(cells[text], rect):
                differs.append(f"{text} at {cells[text]} for {rect}")
        return differs + ([seen.truncated.reason] if seen.truncated else [])

    async def check(self) -> None:
        """What is seen comes to be what is told."""
        last: list[list[str]] = []

        async def agrees() -> bool | None:
            last.append(await self.difference())
            return True if not last[-1] else None

        assert await self.desktop.wait_until(agrees, deadline_s=PATIENCE_S), last[-1][:5]

    async def until_first(self, wanted: range) -> None:
        """The view is scrolled so far that its first row is one of these."""

        async def is_there() -> bool | None:
            first = min(int(text[4:]) for text in self.told() if text.startswith("Row"))
            return True if first in wanted else None

        assert await self.desktop.wait_until(is_there, deadline_s=PATIENCE_S), list(self.told())

    async def click_some(self) -> None:
        """A click at the centre of the first cell seen and of the last is one on them."""
        for number in (0, -1):
            cells = list(cells_in(await self.see()))
            text, rect = cells[number]
            clicks = [*self.clicked(), text]
            await self.desktop.click(rect.center)

            async def heard(clicks: Sequence[str] = clicks) -> bool | None:
                return True if self.clicked() == clicks else None

            assert await self.desktop.wait_until(heard, deadline_s=PATIENCE_S), (text, rect, self.clicked())


def cells_in(seen: Observation) -> list[tuple[str, Rect]]:
    """The texts of the rows and where they stand; headers are none."""
    roles = {Role.CELL, Role.LISTITEM, Role.TREEITEM}
    return [(c.name, c.rect) for c in seen.controls if c.type in roles and fullmatch(r"Row \d+|x\d{5}", c.name)]


def stands_in(seen: Rect, told: Rect) -> bool:
    grown = Rect(told.left - EDGE, told.top - EDGE, told.right + EDGE, told.bottom + EDGE)
    return not seen.empty and grown.intersection(seen) == seen and told.contains(seen.center)


PAGE_ROWS: Final = 10_000 if FULL else 2_000
PAGE_LINKS: Final = 5_000 if FULL else 1_500
_PAGE: Final = """<!doctype html><title>Rows</title><style>td {{ height: 20px }} a {{ white-space: nowrap }}</style>
{rows}<script>
let clicked = ""
const rows = [...document.querySelectorAll("tr, a")]
function tell() {{
  const seen = rows.map((row, number) => [row.getBoundingClientRect(), number])
    .filter(([rect]) => Math.min(rect.bottom, innerHeight) - Math.max(rect.top, 0) >= {least})
    .map(([, number]) => number)
  document.title = `Rows ${{seen[0]}} to ${{seen.at(-1)}}${{clicked}}`
}}
addEventListener("mousedown", (event) => {{
  clicked = ` clicked ${{rows.indexOf(event.target.closest("tr, a"))}}`
  tell()
}})
addEventListener("scroll", tell)
addEventListener("resize", tell)
tell()
</script>"""


@dataclass(frozen=True)
class Page:
    """A page of very many rows in Chromium. Its title says which rows are in view."""

    desktop: LinuxDesktop
    window: TargetInfo
    role: Role

    async def title(self) -> str:
        return next(w.name for w in await self.desktop.windows() if w.handle == self.window.handle)

    async def rows(self) -> list[TargetInfo]:
        """Those that are seen, once they are those that the page says."""
        found: list[TargetInfo] = []

        async def agrees() -> bool | None:
            await self.desktop.settle(self.window)
            seen = await self.desktop.observe(self.window, picture=False)
            told = match(r"Rows (\d+) to (\d+)", await self.title())
            found[:] = [c for c in seen.controls if c.type is self.role and c.rect.height >= LEAST]
            if told is None or seen.truncated:
                return None
            wanted = [f"Row {number}" for number in range(int(told[1]), int(told[2]) + 1)]
            return True if [row.name for row in found] == wanted else None

        agreed = await self.desktop.wait_until(agrees, deadline_s=3 * PATIENCE_S)
        assert agreed, (await self.title(), [row.name for row in found[:2] + found[-2:]])
        return found

    async def click(self, row: TargetInfo) -> None:
        async def heard() -> bool | None:
            return True if (await self.title()).find(f" clicked {row.name[4:]} ") >= 0 else None

        await self.desktop.click(row.rect.center)
        assert await self.desktop.wait_until(heard, deadline_s=PATIENCE_S), (row, await self.title())


@asynccontextmanager
async def rows_of(argv: Sequence[str], folder: Path) -> AsyncGenerator[Rows]:
    file = folder / "state.json"
    async with linux_desktop(folder) as desktop:
        window = await desktop.launch(Application("rows", (*argv, str(file)), window="^Rows$"))
        rows = Rows(desktop, window, file)

        async def tells() -> bool | None:
            return True if rows.tells() else None

        assert await desktop.wait_until(tells, deadline_s=PATIENCE_S)
        await desktop.activate(window)
        yield rows


@pytest.mark.full(
    "other toolkits take the same way; another test has rows of GTK 3",
    but=["GTK 4 columns", "Qt 6 branches"],
)
@pytest.mark.requires("desktop.viewport")
@pytest.mark.parametrize("name", VIEWS if FULL else IN_CI)
async def test_exactly_the_rows_in_view_are_seen(name: str, tmp_path: Path) -> None:
    need(*{"Qt 6": (QT6,), "Swing": (BRIDGE,)}.get(name.rpartition(" ")[0], ()))
    async with rows_of(VIEWS[name], tmp_path) as rows:
        await rows.check()
        assert "Row 0" in rows.told()
        middle = rows.told()["Row 5"].center
        await rows.desktop.scroll(middle, -7)
        await rows.until_first(range(5, 100))
        await rows.check()
        await rows.click_some()
        await rows.desktop.press([Chord("end", ("ctrl",))])
        # GTK 4.18 moves there with its next frame, and stays where the wheel turned before that
        await rows.until_first(range(100, 100_000))
        await rows.desktop.scroll(middle, 3)
        await rows.check()
        await rows.click_some()


SPANS: Final = ((0, 1, 1, 2), (3, 1, 1, 2), (1, 1, 2, 2), (0, 2, 4, 1))
"""Row, column, rows, columns of a cell."""


@pytest.mark.full("the other Qt takes the same way", but=["python0"])
@pytest.mark.requires("desktop.viewport")
@pytest.mark.parametrize("python", QT_PYTHONS)
async def test_nothing_of_a_table_of_qt_is_lost_behind_a_cell_as_large_as_several(python: Path, tmp_path: Path) -> None:
    need(python)
    async with linux_desktop(tmp_path) as desktop:
        for row, column, rows, columns in SPANS:
            behind = {(y, x) for y in range(row, row + rows) for x in range(column, column + columns)} - {(row, column)}
            argv = (str(python), str(APPS / "spans_qt.py"), *map(str, (row, column, rows, columns)))
            window = await desktop.launch(Application("spans", argv, window="^Spans$"))
            seen = await desktop.observe(window, picture=False)
            assert [c.name for c in seen.controls if c.type is Role.COLUMNHEADER] == [*"ABCDE"]
            assert [c.name for c in seen.controls if c.type is Role.ROWHEADER][:5] == [*"12345"]
            cells = [c.name for c in seen.controls if c.type is Role.CELL]
            there = [f"{y},{x}" for y in range(5) for x in range(5) if (y, x) not in behind]
            assert cells[: len(there)] == there


@asynccontextmanager
async def page_of(rows: str, role: Role, folder: Path) -> AsyncGenerator[Page]:
    file = folder / "rows.html"
    file.write_text(_PAGE.format(rows=rows, least=LEAST), encoding="utf-8")
    async with linux_desktop(folder) as desktop:
        window = await desktop.launch(Application("chromium", ("chromium", file.as_uri()), window="Rows"))
        await desktop.activate(window)
        yield Page(desktop, window, role)


PAGES: Final = {
    Role.ROW: ("<table>", "<tr><td>Row {}</td></tr>", "</table>", PAGE_ROWS),
    Role.LINK: ("<p>", '<a href="#">Row {}</a> ', "</p>", PAGE_LINKS),
}


@pytest.mark.full("the others take the same way", but=["row"])
@pytest.mark.requires("desktop.long-pages")
@pytest.mark.parametrize("role", PAGES)
async def test_of_a_long_page_what_is_in_view_is_seen(role: Role, tmp_path: Path) -> None:
    begin, row, end, count = PAGES[role]
    async with page_of(begin + "".join(map(row.format, range(count))) + end, role, tmp_path) as page:
        first = await page.rows()
        assert first[0].name == "Row 0"
        await page.desktop.scroll(first[5].rect.center, -7)
        await page.click((await page.rows())[0])
        await page.desktop.press([Chord("end")])
        last = await page.rows()
        assert last[-1].name == f"Row {count - 1}"
        await page.click(last[-1])


_ROWS: Final = {Role.LISTITEM, Role.TREEITEM}
_CATEGORIES: Final = 11
"""Those of the Function Wizard that functions stand below, in LibreOffice 25.2."""


@pytest.mark.requires("desktop.viewport")
async def test_of_the_functions_of_a_spreadsheet_those_in_view_are_seen(tmp_path: Path) -> None:
    """LibreOffice lists more than five hundred, in a list of GTK 3 on a page of tabs; 25.2 in a tree of categories."""
    async with linux_desktop(tmp_path) as desktop:
        sheet = await desktop.launch(BUILT_IN[1], deadline_s=3 * PATIENCE_S)
        await desktop.activate(sheet)
        await desktop.press([Chord("f2", ("ctrl",))])

        async def asked() -> TargetInfo | None:
            return next((window for window in await desktop.windows() if window.name == "Function Wizard"), None)

        wizard = await desktop.wait_until(asked, deadline_s=PATIENCE_S)
        assert wizard
        seen: list[Observation] = []

        async def rows() -> list[TargetInfo]:
            await desktop.settle(wizard)
            seen.append(await desktop.observe(wizard, picture=False))
            return [control for control in seen[-1].controls if control.type in _ROWS]

        async def names(first: Sequence[str], last: Sequence[str]) -> list[str]:
            """Those in view, once they begin and end with these, and fill the list."""

            async def fill() -> list[str] | None:
                found = await rows()
                told, tops = [control.name for control in found], [control.rect.top for control in found[1:]]
                if not told or told[: len(first)] != [*first] or told[len(told) - len(last) :] != [*last]:
                    return None
                assert len({below - above for above, below in pairwise(tops)}) == 1, tops
                return told

            found = await desktop.wait_until(fill, deadline_s=PATIENCE_S)
            assert found, seen[-1].controls
            assert seen[-1].truncated is None
            box = next(control for control in seen[-1].controls if control.type is Role.LIST)
            assert (len(found) + 1) * 23 >= box.rect.height >= (len(found) - 1) * 23
            return found

        async def filled() -> bool | None:
            return True if await rows() else None

        assert await desktop.wait_until(filled, deadline_s=PATIENCE_S), seen[-1].controls
        box = next(control for control in seen[-1].controls if control.type is Role.LIST)
        if any(control.type is Role.TREEITEM for control in await rows()):
            await desktop.focus(box)
            await desktop.press([Chord("end"), *[Chord("right", ("shift",)), Chord("up")] * _CATEGORIES])
            begin, last = await names(("Database", "DAVERAGE", "DCOUNT"), ()), "OCT2HEX"
        else:
            begin, last = await names(("ABS",), ()), "ZTEST"
            assert begin == sorted(begin)
        await desktop.scroll(box.rect.center, -400)
        end = await names((), (last,))
        assert not {*begin} & {*end}
