"""Blocks of values in a spreadsheet are there as they were given; the document says so itself, over UNO."""

import json
import random
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from deskhand.commands.call import Call, ToolContext
from deskhand.commands.techniques.cells import parse_address
from deskhand.commands.techniques.clipboard_block import is_plain_number
from deskhand.commands.tools.spreadsheet import WriteTable, write_table
from deskhand.core.command import Command
from desktop.linux.changing_office import open_truth
from desktop.linux.fixture import linux_desktop
from desktop.linux.test_spreadsheet_cells import CALC
from support import FULL

pytestmark = pytest.mark.desktop

BLOCKS: Final = 100 if FULL else 3
"""The first of them has all values."""
HOSTILE: Final = (
    *("00123", "=1+1", "=A1", "1/2", "12/31/2024", "1:30", "march", "Mar", "teh", "North-East", "North", "1,234.50"),
    *("12%", "'00123", "'", '"', "TRUE", "1e5", "+5", "-0", "-5", "3.25", "123456789012345", "1234567890123456", "€ 5"),
    *("(c)", "", "", "", " ", " lead", "trail ", "two  spaces", "a\tb", "\t", "one\ntwo", "#REF!"),
    *(
        "<b>&amp;</b>",
        "😀",
        "👩\u200d👩\u200d👧",
        "❤\ufe0f",
        "漢字",
        "שלום",
        "e\u0301",
        "\u00a0",
        "\u200d",
        "x" * 5000,
        "0",
    ),
    *("-0.5", "http://example.org", "@name"),
)


EMPTY_LINE: Final = "one\n\ntwo\n"
"""LibreOffice tells of such a cell without the empty line within; asked for each character, it tells that too."""


def block(number: int) -> tuple[str, list[list[str | int | float | None]]]:
    """Where a block starts and its values, all of it following from its number; the first one has all values."""
    rng = random.Random(number)  # noqa: S311 - trials are to be repeated
    if number == 0:
        rows = [HOSTILE[start : start + 6] for start in range(0, len(HOSTILE), 6)] + [(EMPTY_LINE,)]
        return "A1", [[*row] for row in rows]
    if number == 1:  # empty cells over full ones
        return "A1", [["", None, ""], ["", "x", ""], ["", "", ""], ["y", "", ""], ["", "", ""]]
    return rng.choice(("A1", "B2", "C10", "H3")), [
        [rng.choice(HOSTILE) for _ in range(rng.randint(1, 6))] for _ in range(rng.randint(1, 8))
    ]


@pytest.mark.long
@pytest.mark.requires("typing.blocks")
async def test_a_block_is_in_the_document_as_it_was_given(tmp_path: Path) -> None:
    pipe = f"deskhand-test-{secrets.token_hex(8)}"
    application = replace(CALC, argv=(*CALC.argv, f"--accept=pipe,name={pipe};urp;"))
    denied: list[str] = []
    effects: list[str] = []
    expected: dict[str, str] = {}
    async with linux_desktop(tmp_path) as desktop:
        window = await desktop.launch(application, deadline_s=60)
        async with open_truth(pipe, fill=False) as truth:
            for number in range(BLOCKS):
                start, rows = block(number)
                call = Call(Command("write_table", window=window), None, window)
                result = await write_table(ToolContext(desktop), call, WriteTable(start=start, rows=rows))
                effects.append(f"{result.effect} {result.evidence}")
                corner, width = parse_address(start), max(map(len, rows))
                for down, row in enumerate(rows):
                    for across in range(width):
                        wanted = str(row[across] or "") if across < len(row) else ""
                        expected[str(corner.moved(down, across))] = wanted
                used: dict[str, tuple[str, str, float]] = json.loads(await truth.ask("used"))
                wrong = [
                    f"{name}: {used.get(name)} for {text!r}"
                    for name, text in expected.items()
                    if _differs(text, used.get(name))
                ]
                if wrong:
                    denied.append(f"{number} {result.effect} {result.evidence}: {wrong}")
    assert denied == []
    assert [told for told in effects if not told.startswith("confirmed")] == []


def _differs(text: str, told: tuple[str, str, float] | None) -> bool:
    """Plain numbers are numbers, everything else is text, empty cells are empty."""
    if not text or told is None:
        return bool(text) != (told is not None)
    if is_plain_number(text):
        return told[0] != "VALUE" or told[2] != float(text)
    return tuple(told[:2]) != ("TEXT", text)
