"""What is read of a long text document: what shows of it, and what is on its other pages where that is asked for."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Application
from desktop.linux.fixture import linux_desktop
from documents import Table, Text, write_odt

pytestmark = pytest.mark.desktop

WORDS = "with words that take a line of the page and go on to the next one where they stop"
CELLS = (("a", "b"), ("c", "d"))


def _lines(count: int) -> list[str]:
    return [f"Paragraph {number} {WORDS}" for number in range(count)]


async def _opened(desktop: LinuxDesktop, directory: Path, lines: Sequence[str]) -> TargetInfo:
    """A document of these paragraphs, and a table behind them."""
    file = write_odt(directory / "long.odt", *map(Text, lines), Table(CELLS, "Last"), Text("end"))
    argv = ("soffice", "--writer", "{file}")
    window = await desktop.launch(Application("writer", argv, argv, "^long"), file, deadline_s=60)
    await desktop.settle(window, quiet_s=0.3, deadline_s=10.0)
    return window


def _paragraphs(seen: Observation) -> list[str]:
    """What the paragraphs in view say, up to their numbers."""
    document = _document_in(seen)
    texts = (control.value for control in seen.controls if control.parent == document.handle and not control.rect.empty)
    return [text.split(" with")[0] for text in texts]


def _document_in(seen: Observation) -> TargetInfo:
    return next(control for control in seen.controls if control.type is Role.DOCUMENT)


def _tables(seen: Observation) -> list[str]:
    return [control.name for control in seen.controls if control.type is Role.TABLE]


async def _turn(desktop: LinuxDesktop, window: TargetInfo, notches: int) -> Observation:
    """Turns the wheel over the page and looks at what came into view."""
    await desktop.scroll(window.rect.center, notches)
    await desktop.settle(window, quiet_s=0.3, deadline_s=5.0)
    return await desktop.observe(window, picture=False)


@pytest.mark.full("texts of that length are rare")
@pytest.mark.requires("observe.other-pages")
async def test_of_five_hundred_pages_what_comes_into_view_is_read(tmp_path: Path) -> None:
    """What is on other pages was not asked for, or LibreOffice would tell no text of it once it shows."""
    async with linux_desktop(tmp_path) as desktop:
        window = await _opened(desktop, tmp_path, _lines(14_000))
        async with asyncio.timeout(30):
            # Writer lays the text out while it is looked at, and a view may show one paragraph until it has done so
            while _paragraphs(seen := await desktop.observe(window))[:2] != ["Paragraph 0", "Paragraph 1"]:
                await desktop.settle(window, quiet_s=0.3, deadline_s=2.0)
        assert seen.truncated is None
        assert seen.picture is not None
        assert seen.picture.unchecked == ()
        assert "other_pages_unlisted" in _document_in(seen).states
        for _ in range(3):
            below = _paragraphs(await _turn(desktop, window, -20))
            assert len(below) > 20
            assert all(text.startswith("Paragraph ") for text in below)


@pytest.mark.full("the next test scrolls after such a search too")
@pytest.mark.requires("observe.other-pages")
async def test_empty_lines_of_a_short_text_are_empty(tmp_path: Path) -> None:
    """They were asked for before they came into view too, and tell all that there is of them."""
    async with linux_desktop(tmp_path) as desktop:
        window = await _opened(desktop, tmp_path, [line for each in _lines(80) for line in (each, "")])
        assert _tables(await desktop.observe(window, picture=False, other_pages=True)) == ["Last"]
        below = await _turn(desktop, window, -20)
        assert {"", "Paragraph 30"} < set(_paragraphs(below))
        assert below.truncated is None or "have no place" in below.truncated.reason


@pytest.mark.requires("observe.other-pages")
async def test_tables_on_the_other_pages_of_a_long_text_are_found_when_asked_for_and_what_that_spoils_is_told(
    tmp_path: Path,
) -> None:
    async with linux_desktop(tmp_path) as desktop:
        window = await _opened(desktop, tmp_path, _lines(600))
        seen = await desktop.observe(window, picture=False)
        assert _tables(seen) == []
        found = await desktop.observe(window, picture=False, other_pages=True)
        assert _tables(found) == ["Last"]
        assert "other_pages_unlisted" not in _document_in(found).states
        assert _tables(await desktop.observe(window, picture=False)) == ["Last"]
        table = next(control for control in found.controls if control.type is Role.TABLE)
        assert await desktop.read_table(table) == CELLS
        below = await _turn(desktop, window, -40)
        assert all(_paragraphs(below)) or (
            below.truncated and "paragraphs in view tell no text" in below.truncated.reason
        )


@pytest.mark.requires("observe.other-pages")
async def test_what_a_jump_of_the_caret_brings_into_view_has_its_place(tmp_path: Path) -> None:
    """What LibreOffice is asked for before it is in view it goes on placing nowhere: nobody asks for it."""
    async with linux_desktop(tmp_path) as desktop:
        window = await _opened(desktop, tmp_path, _lines(120))
        assert "other_pages_unlisted" in _document_in(await desktop.observe(window, picture=False)).states
        await desktop.activate(window)
        for chord, first in (
            (Chord("end", ("ctrl",)), "Paragraph 119"),
            (Chord("pageup"), "Paragraph 100"),
            (Chord("home", ("ctrl",)), "Paragraph 0"),
        ):
            await desktop.press([chord])
            await desktop.settle(window, quiet_s=0.3, deadline_s=5.0)
            seen = await desktop.observe(window, picture=False)
            assert seen.truncated is None
            assert first in _paragraphs(seen)
            assert len(_paragraphs(seen)) > 15


@pytest.mark.requires("observe.other-pages")
async def test_what_has_no_place_is_told_and_not_clicked(tmp_path: Path) -> None:
    """A search that was asked for has its price."""
    async with linux_desktop(tmp_path) as desktop:
        window = await _opened(desktop, tmp_path, _lines(120))
        await desktop.observe(window, picture=False, other_pages=True)
        await desktop.activate(window)
        await desktop.press([Chord("end", ("ctrl",))])
        await desktop.settle(window, quiet_s=0.3, deadline_s=5.0)
        seen = await desktop.observe(window, picture=False)
        lost = [control for control in seen.controls if control.value.startswith("Paragraph") and control.rect.empty]
        assert not lost or (seen.truncated and "have no place" in seen.truncated.reason)
        assert [control.value for control in lost if not (await desktop.resolve(control)).rect.empty] == []
