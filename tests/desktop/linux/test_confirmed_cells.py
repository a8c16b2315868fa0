"""Texts in cells of a spreadsheet that were confirmed are in the saved file, read by another program."""

import logging
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pytest

from deskhand.core.command import Effect, Result
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.linux.desktop import LinuxDesktop
from desktop.linux.confirmed_texts import WORDS, Judge, Tally, chance, is_plain_number, number_like, trials
from desktop.linux.deceiving import Tools
from desktop.linux.fixture import linux_desktop
from desktop.linux.test_office import CALC
from desktop.linux.test_office_tools import Document
from spreadsheets import Sheet, Stored, read_ods, write_ods

pytestmark = [pytest.mark.desktop, pytest.mark.long, pytest.mark.requires("effect.about")]

SAMPLE: Final = 3
COMPLETING: Final = (
    '<item oor:path="/org.openoffice.Office.Calc/Input"><prop oor:name="AutoInput" oor:op="fuse">'
    "<value>true</value></prop></item>\n</oor:items>"
)
FORMULAS: Final = ("=1+1", "=sum(1;2)", '="a"&"b"', "=SUM(A1:A2)", "=(1+2", "=1/0", "= 2 * 3", "=nonsense(1)")


@dataclass
class Cells:
    """A spreadsheet that completes what is typed, and the rows that are in use."""

    desktop: LinuxDesktop
    document: Document
    tools: Tools
    row: int = 1
    table: TargetInfo | None = None
    files: list[dict[str, Stored]] = field(default_factory=list[dict[str, Stored]])

    async def cell(self, name: str) -> TargetInfo:
        """A cell, scrolled into view."""
        table = self.table or await self.control(Role.TABLE)
        self.table = table
        chosen = await self.run("select_item", table, item=name)
        assert chosen.effect is Effect.CONFIRMED, chosen
        return await self.control(Role.CELL, name)

    async def control(self, role: Role, name: str = "") -> TargetInfo:
        async def look() -> TargetInfo | None:
            seen = await self.desktop.observe(self.document.window, picture=False)
            return next((each for each in seen.controls if each.type is role and name in {"", each.name}), None)

        found = await self.desktop.wait_until(look, deadline_s=10.0)
        assert found is not None, (role, name)
        return replace(found, id="1")

    async def run(self, tool: str, target: TargetInfo | None, **arguments: JsonValue) -> Result:
        return await self.tools.run(self.document.window, tool, target, **arguments)

    async def save(self) -> None:
        await self.document.saved()
        self.files.append(read_ods(self.document.file))

    def judge(self, given: Mapping[str, JsonValue], right: Callable[[Stored | None, JsonValue], bool]) -> Judge:
        """Judges the content of cells in the file that is saved later."""
        return lambda: all(right(self.files[-1].get(name), value) for name, value in given.items())

    def next_rows(self, count: int) -> int:
        first, self.row = self.row, self.row + count
        return first


@pytest.fixture(scope="module")
async def cells(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Cells]:
    folder = tmp_path_factory.mktemp("cells")
    file = write_ods(folder / "cells.ods", Sheet(filled=(0, 0)))
    async with linux_desktop(folder / "desktop") as desktop:
        settings = Path(desktop.environment["XDG_CONFIG_HOME"]) / "libreoffice/4/user/registrymodifications.xcu"
        settings.write_text(settings.read_text().replace("</oor:items>", COMPLETING))
        window = await desktop.launch(CALC, file)
        yield Cells(desktop, Document(desktop, window, file), Tools(desktop))


def is_typed(stored: Stored | None, text: JsonValue) -> bool:
    """True if a cell has a formula, or reads a text; a plain number may be written in another way."""
    if isinstance(text, str) and is_plain_number(text) and stored and stored.kind == "float":
        return float(stored.value) == float(text)
    return is_set(stored, text)


def is_set(stored: Stored | None, text: JsonValue) -> bool:
    """True if a cell has a formula, or reads a text."""
    text = str(text)
    if stored is None or text.startswith("="):
        return stored is not None and bool(stored.formula)
    if is_plain_number(text) and stored.kind == "float":
        return float(stored.value) == float(text) and f"{float(text):.15g}" == text
    if stored.kind == "percentage" and is_plain_number(text.removesuffix("%")):  # shown with two decimals
        return round(float(stored.value) * 100, 9) == float(text.removesuffix("%"))
    return not stored.formula and stored.text.strip() == text.strip()


async def write_blocks(cells: Cells, tally: Tally, count: int) -> None:
    for number in range(count):
        rng = chance(tally.kind, number)
        rows = [[value(rng) for _ in range(3)] for _ in range(2)]
        first = cells.next_rows(2)
        result = await cells.run("write_table", None, start=f"A{first}", rows=list[JsonValue](rows))
        given = {f"{'ABC'[column]}{first + row}": rows[row][column] for row in range(2) for column in range(3)}
        tally.add(f"{rows}", result, cells.judge(given, is_written))


def value(rng: random.Random) -> JsonValue:
    kind = rng.random()
    if kind < 0.15:
        return None
    if kind < 0.3:
        return rng.choice((0, 5, -7, 1.1, 5.0, 0.1 + 0.2, 1e-9, 123456789012345, 1234.5, -0.5))
    return rng.choice((*WORDS, *FORMULAS)) if kind < 0.45 else number_like(rng)


def is_written(stored: Stored | None, given: JsonValue) -> bool:
    """JSON numbers are numbers, texts are texts unless a number reads the same, everything else is empty."""
    if given is None:
        return stored is None
    if stored is None:
        return False
    if isinstance(given, str):
        reads_same = is_plain_number(given) and given == f"{float(given):.15g}" and given != "-0"
        right = ("float", float(given)) if reads_same else ("string", given)
        return not stored.formula and right == (
            stored.kind,
            float(stored.value) if stored.kind == "float" else stored.text,
        )
    return isinstance(given, int | float) and stored.kind == "float" and float(stored.value) == float(f"{given:.15g}")


async def set_texts(cells: Cells, tally: Tally, count: int) -> None:
    for number in range(count):
        rng = chance(tally.kind, number)
        name = f"E{cells.next_rows(1)}"
        text = rng.choice(FORMULAS) if rng.random() < 0.2 else rng.choice((number_like(rng), rng.choice(WORDS)))
        if rng.random() < 0.3:  # other cells are selected
            await cells.run("select_item", await cells.cell(name), item=f"G{cells.row}:H{cells.row + 2}")
        target = await cells.cell(name)
        result = await cells.run("set_edit_text", target, text=text)
        tally.add(f"{name} {text!r}", result, cells.judge({name: text}, is_set))


async def type_texts(cells: Cells, tally: Tally, count: int) -> None:
    """One or two texts, entered, left or cancelled; a cell that has a text is overwritten."""
    for number in range(count):
        rng = chance(tally.kind, number)
        first, second = rng.choice(WORDS), rng.choice(WORDS)
        if rng.random() < 0.3:
            first = rng.choice((*FORMULAS[:2], number_like(rng)))
        row = cells.next_rows(1)
        if rng.random() < 0.4:
            await cells.run("set_edit_text", await cells.cell(f"J{row}"), text=rng.choice(WORDS))
        await cells.cell(f"J{row}")
        keys, given = rng.choice(
            (
                (f"{first}{{ENTER}}", {f"J{row}": first}),
                (f"{first}{{TAB}}{second}{{ENTER}}", {f"J{row}": first, f"K{row}": second}),
                (f"{first}{{TAB}}{second}{{ESC}}", {f"J{row}": first, f"K{row}": second}),
                (f"{first}{{TAB}}{first}{{ESC}}", {f"J{row}": first, f"K{row}": first}),
            )
        )
        result = await cells.run("keyboard_input", None, keys=keys)
        await cells.run("keyboard_input", None, keys="{ESC}")  # out of a question
        tally.add(f"J{row} {keys}", result, cells.judge(given, is_typed))


async def fill_merged(cells: Cells, tally: Tally, count: int) -> None:
    """Cells that are merged with the next two."""
    for number in range(count):
        rng = chance(tally.kind, number)
        row, text = cells.next_rows(1), rng.choice((number_like(rng), rng.choice(WORDS)))
        table = await cells.cell(f"M{row}")
        await cells.run("select_item", table, item=f"M{row}:O{row}")
        merged = await cells.run("invoke", await cells.control(Role.BUTTON, "Merge and Center Cells"))
        assert merged.delivered, merged
        result = await cells.run("set_edit_text", await cells.cell(f"M{row}"), text=text)
        tally.add(f"M{row} {text!r}", result, cells.judge({f"M{row}": text}, is_set))


KINDS: Final[Mapping[str, Callable[[Cells, Tally, int], Awaitable[None]]]] = {
    "write_table": write_blocks,
    "set_edit_text": set_texts,
    "keyboard_input": type_texts,
    "merged cells": fill_merged,
}


@pytest.mark.full("test_blocks and test_sheet_ranges have cells by other tools", but=["keyboard_input"])
@pytest.mark.parametrize("kind", KINDS)
async def test_texts_in_cells_that_were_confirmed_are_in_the_saved_file(cells: Cells, kind: str) -> None:
    tally = Tally(kind)
    await KINDS[kind](cells, tally, trials(SAMPLE))
    await cells.save()
    logging.info("%s", tally)
    for each in tally.missed():
        logging.info("not confirmed: %s", each)
    assert tally.wrong() == []
    assert tally.share > 0.5
