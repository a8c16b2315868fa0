"""Lists in a text of bounded size: the newest entries, and the number of those left out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.core.json import JsonValue
from deskhand.core.text import as_line, cut, json_line, legible, quoted, size

SEPARATOR: Final = " | "
_BAR: Final = "|"
_ESCAPED_BAR: Final = "\\u007c"
AS_ABOVE: Final = '"'
_MORE: Final = "(more is left out)"
_CUT_SHORT: Final = " (cut)"
_LEAST: Final = 40


@dataclass(slots=True)
class Section:
    """A title, and one-line entries, the newest first, created only while there is room. `count`: their number.

    `unrepeated`: the entries are rows of a table; in this column a text of the row above is not repeated.
    """

    title: str
    count: int
    entries: Iterable[str] = field(repr=False)
    unrepeated: int | None = None

    def taken(self, most: int) -> list[str]:
        """Return as many entries as could fit."""
        taken: list[str] = []
        used = 0
        for entry in self.entries:
            taken.append(entry)
            used += size(entry) + 3
            if used > most:
                break
        return taken


def fitted(sections: Sequence[Section], budget: int) -> str:
    """Return the sections that have entries, in their order, in at most `budget` bytes of UTF-8.

    No section loses room to another while it needs no more than its equal share.
    """
    filled = [(section, section.taken(budget)) for section in sections if section.count]
    room = _shares([_need(section, entries) for section, entries in filled], budget)
    texts = [_written(section, entries, most) for (section, entries), most in zip(filled, room, strict=True)]
    whole = "\n".join(text for text in texts if text)
    if all(texts):
        return whole
    more = f"{whole}\n{_MORE}" if whole else _MORE
    return more if size(more) <= budget else whole


def row_of(values: Mapping[str, JsonValue], keys: Sequence[str], most: int) -> str:
    """Return the values under these names, in their order, without those that are missing or empty.

    A `|` in a value is escaped as JSON does, so that it separates nothing.
    """
    cells = [_cell(values.get(key), most).replace(_BAR, _ESCAPED_BAR) for key in keys]
    while cells and not cells[-1]:
        cells.pop()
    return SEPARATOR.join(cells)


def _cell(value: JsonValue, most: int) -> str:
    if value is None or value in ("", [], {}):
        return ""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return as_line("; ".join(map(str, value)), most)  # these are lines already, with their texts quoted
    if isinstance(value, str):
        return quoted(value, most) if _BAR in value else legible(value, most)
    return cut(json_line(value), most)


def _need(section: Section, entries: Sequence[str]) -> int:
    """Return the bytes of the whole section with its line ends."""
    note = 0 if len(entries) == section.count else size(_left_out(section.count)) + 1
    return size(section.title) + 2 + sum(size(entry) + 3 for entry in entries) + note


def _shares(needs: Sequence[int], budget: int) -> list[int]:
    """Divide the room: a section that needs less than an equal share gets its need, the others share the rest."""
    shares = [0] * len(needs)
    left, waiting = budget, len(needs)
    for index in sorted(range(len(needs)), key=needs.__getitem__):
        shares[index] = min(needs[index], left // waiting)
        left -= shares[index]
        waiting -= 1
    return shares


def _written(section: Section, entries: Sequence[str], room: int) -> str:
    """Return the section in at most `room` bytes, its last line end included; empty where it does not fit."""
    left = room - size(section.title) - 2
    if sum(size(entry) + 3 for entry in entries) <= left and len(entries) == section.count:
        return _lines(section, list(reversed(entries)), 0)
    left -= size(_left_out(section.count)) + 1
    kept: list[str] = []
    for entry in entries:
        if size(entry) + 3 > left:
            if not kept and left >= _LEAST:
                kept.append(f"{cut(entry, left - 3 - size(_CUT_SHORT))}{_CUT_SHORT}")
            break
        left -= size(entry) + 3
        kept.append(entry)
    return _lines(section, list(reversed(kept)), section.count - len(kept)) if left >= 0 else ""


def _lines(section: Section, entries: list[str], missing: int) -> str:
    told = entries if section.unrepeated is None else _unrepeated(entries, section.unrepeated)
    notes = [_left_out(missing)] if missing else []
    return "\n".join([f"{section.title}:", *notes, *(f"- {entry}" for entry in told)])


def _unrepeated(rows: list[str], column: int) -> list[str]:
    """Return the rows with a mark in place of a text of the row above, in one column."""
    told: list[str] = []
    before = ""
    for row in rows:
        cells = row.split(SEPARATOR, column + 1)
        cell = cells[column] if column < len(cells) else ""
        if len(cell) > len(AS_ABOVE) and cell == before:
            cells[column] = AS_ABOVE
        told.append(SEPARATOR.join(cells))
        before = cell
    return told


def _left_out(missing: int) -> str:
    return f"- … {missing} older left out"
