"""Pieces of a table, one on each page, and the table that they form."""

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call
from deskhand.desktop.linux.atspi.roles import TABLE
from deskhand.desktop.linux.toolkits.libreoffice.exact_text import exact_texts
from deskhand.desktop.linux.toolkits.libreoffice.writer.requests import Asker, Incomplete

_CHUNK: Final = 100
_PLACES: Final = 100_000
"""More places for cells than stand on a page."""

_ADDRESS: Final = re.compile(r"([A-Za-z]+)(\d+)")
_LETTERS: Final = string.ascii_uppercase + string.ascii_lowercase
"""By which Writer calls the columns: after Z comes a, after z comes AA."""

Key: TypeAlias = tuple[str, ...]
"""The names of a row's cells: addresses in the whole table, so that a row has one key on every page."""


@dataclass(slots=True)
class Paragraph:
    """`text` "" is no knowledge before `confirm_empty`: Writer forgets the texts of paragraphs not shown lately.

    `deleted`: words of it are deleted under change tracking, and left out; the text may be known to be empty by that.
    """

    ref: Ref
    text: str
    deleted: bool = False


@dataclass(slots=True)
class Cell:
    name: str
    paragraphs: list[Paragraph] = field(default_factory=list[Paragraph])

    @property
    def text(self) -> str:
        return "\n".join(paragraph.text for paragraph in self.paragraphs)

    @property
    def row(self) -> int:
        """Counted from 1 in the whole table; 0 where the name does not say."""
        found = _ADDRESS.fullmatch(self.name)
        return int(found[2]) if found else 0

    @property
    def number(self) -> int:
        """Counted from 1 in its row, with places that a cell above covers; 0 where the name does not say."""
        found = _ADDRESS.fullmatch(self.name)
        number = 0
        for letter in found[1] if found else "":
            number = number * len(_LETTERS) + _LETTERS.index(letter) + 1
        return number


@dataclass(slots=True)
class Piece:
    """One page's part of a table, its repeated heading rows included.

    `grid` is None where accessibility cannot be trusted with it: cells that are not in it, cells that are no
    rectangles, tables inside of cells.
    """

    cells: dict[Ref, Cell]
    columns: int
    grid: list[list[Ref]] | None


async def read_piece(asker: Asker, table: Ref) -> Piece:
    """One page's part as accessibility has it now. Raises: Incomplete, ApplicationGone, DesktopGone."""
    asked = [table.get(calls.TABLE, "NRows"), table.get(calls.TABLE, "NColumns"), calls.get_children(table)]
    rows, columns, children = await asker.ask(asked)
    height, width = calls.int_in(rows), calls.int_in(columns)
    if not 0 < height * width <= _PLACES:
        raise Incomplete(f"a page of a table says that it has {height} rows and {width} columns")
    places = [calls.accessible_at(table, row, column) for row in range(height) for column in range(width)]
    found = [calls.ref_in(reply) for reply in await asker.ask(places)]
    cells, nested = await _read_cells(asker, calls.refs_in(children))
    if not cells:
        raise Incomplete("a table without cells")
    known = [ref for ref in found if ref and ref in cells]
    grid = [known[start : start + width] for start in range(0, len(known), width)]
    trusted = not nested and len(known) == len(found) and set(known) == set(cells) and _are_rectangles(grid)
    return Piece(cells, width, grid if trusted else None)


async def confirm_empty(asker: Asker, pieces: Sequence[Piece]) -> None:
    """Asks again for the texts that came empty, each right after the caret was put there: then they are laid out.

    The caret moves, and the view with it. Raises: Incomplete, ApplicationGone, DesktopGone.
    """
    empty = unknown_texts(pieces)
    for start in range(0, len(empty), _CHUNK):
        chunk = empty[start : start + _CHUNK]
        asked = [call for item in chunk for call in (set_caret(item.ref, 0), calls.get_text(item.ref))]
        replies = await asker.ask(asked)
        for item, moved, text in zip(chunk, replies[0::2], replies[1::2], strict=True):
            if not calls.true_in(moved):
                raise Incomplete("the caret could not be put into a cell")
            await _take_text(asker, item, calls.text_in(text))


async def _take_text(asker: Asker, item: Paragraph, text: str) -> None:
    exact = (await exact_texts({item.ref: text}, asker.ask))[item.ref]
    item.text, item.deleted = exact.text, exact.deleted


def unknown_texts(pieces: Sequence[Piece]) -> list[Paragraph]:
    """The paragraphs that answered with no text."""
    return [item for item in _paragraphs(pieces) if not item.text and not item.deleted]


def has_deletions(pieces: Sequence[Piece]) -> bool:
    return any(item.deleted for item in _paragraphs(pieces))


def _paragraphs(pieces: Sequence[Piece]) -> list[Paragraph]:
    return [item for piece in pieces for cell in piece.cells.values() for item in cell.paragraphs]


def set_caret(paragraph: Ref, offset: int) -> Call:
    return paragraph.call(calls.TEXT, "SetCaretOffset", "i", offset)


def row_count(pieces: Sequence[Piece]) -> int:
    """Return the number of rows of the whole table, by the names of its cells."""
    return max((cell.row for piece in pieces for cell in piece.cells.values()), default=0)


def ends_with_a_cell(pieces: Sequence[Piece]) -> bool:
    """True if the last place of the last row is surely a cell, not covered by a merged cell above."""
    last = max((cell for piece in pieces for cell in piece.cells.values()), key=lambda cell: (cell.row, cell.number))
    return last.number == max(piece.columns for piece in pieces)


def join(pieces: Sequence[Piece]) -> tuple[tuple[str, ...], ...] | None:
    """Return the whole table; None if a grid is not reliable, or a row is on two pages, whose texts are not separable.

    Raises: Incomplete (a row is missing).
    """
    rows: list[tuple[str, ...]] = []
    keys: list[Key] = []
    for piece in pieces:
        if piece.grid is None:
            return None
        here = [tuple(piece.cells[ref].name for ref in row) for row in piece.grid]
        start = 0
        while start < min(len(here), len(keys) - 1) and here[start] == keys[start]:
            start += 1  # a heading row, repeated
        if keys and start < len(here) and here[start] == keys[-1]:
            return None
        keys += here[start:]
        rows += _texts(piece, piece.grid)[start:]
    _require_all_rows(pieces, keys)
    return tuple(rows)


def _texts(piece: Piece, grid: Sequence[Sequence[Ref]]) -> list[tuple[str, ...]]:
    """Return the texts; a merged cell's is at its first position, "" at the others."""
    seen: set[Ref] = set()
    rows: list[tuple[str, ...]] = []
    for row in grid:
        texts: list[str] = []
        for ref in row:
            texts.append("" if ref in seen else piece.cells[ref].text)
            seen.add(ref)
        rows.append(tuple(texts))
    return rows


def _require_all_rows(pieces: Sequence[Piece], keys: Sequence[Key]) -> None:
    numbers = {cell.name: cell.row for piece in pieces for cell in piece.cells.values()}
    for index, key in enumerate(keys):
        found = max(numbers[name] for name in key)
        if found != index + 1:
            raise Incomplete(f"row {index + 1} of the table is missing; there stands row {found}")


async def _read_cells(asker: Asker, refs: Sequence[Ref]) -> tuple[dict[Ref, Cell], bool]:
    """Return the cells with their content, and True if that contains a table."""
    asked = [call for ref in refs for call in (calls.get_name(ref), calls.get_children(ref))]
    replies = await asker.ask(asked)
    inside = dict(zip(refs, map(calls.refs_in, replies[1::2]), strict=True))
    flat = [child for children in inside.values() for child in children]
    roles = [calls.int_in(reply) for reply in await asker.ask([calls.get_role(ref) for ref in flat])]
    nested = {ref for ref, role in zip(flat, roles, strict=True) if role == TABLE}
    plain = [ref for ref in flat if ref not in nested]
    texts = await exact_texts(dict(zip(plain, await asker.texts(plain), strict=True)), asker.ask)
    written = {item: Paragraph(item, exact.text, exact.deleted) for item, exact in texts.items()}
    cells = {
        ref: Cell(calls.text_in(name), [written[item] for item in inside[ref] if item in written])
        for ref, name in zip(refs, replies[0::2], strict=True)
    }
    return cells, bool(nested)


def _are_rectangles(grid: Sequence[Sequence[Ref]]) -> bool:
    """True if the places of all cells form a rectangle."""
    places: dict[Ref, list[tuple[int, int]]] = {}
    for row, refs in enumerate(grid):
        for column, ref in enumerate(refs):
            places.setdefault(ref, []).append((row, column))
    return all(_is_rectangle(cells) for cells in places.values())


def _is_rectangle(places: Sequence[tuple[int, int]]) -> bool:
    rows, columns = [row for row, _ in places], [column for _, column in places]
    return (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1) == len(places)
