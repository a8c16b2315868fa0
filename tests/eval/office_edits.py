"""Edits of office files on the level of their XML, to make right and wrong outcomes without any office program."""

import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Edit: TypeAlias = Callable[[Path], None]
"""Changes a file in a folder."""


@dataclass(frozen=True)
class Outcomes:
    """The edits that do a task, and for each wrong outcome those that are made after them.

    `undone`: wrong outcomes that begin with the untouched files.
    """

    right: Sequence[Edit]
    wrong: Mapping[str, Sequence[Edit]]
    undone: Mapping[str, Sequence[Edit]]


def edit(file: str, old: str, new: str, part: str = "content.xml") -> Edit:
    """Every `old` becomes `new`; there has to be one."""

    def change(text: str) -> str:
        assert old in text, f"{old} is not in {part} of {file}"
        return text.replace(old, new)

    return lambda folder: _rewrite(folder / file, part, change)


def add(file: str, part: str, text: str) -> Edit:
    """A part that the file did not have, or another text of one that it has."""
    return lambda folder: _rewrite(folder / file, part, lambda _: text)


def arrange(file: str, order: Sequence[int], part: str = "content.xml", row: str = "table:table-row") -> Edit:
    """The rows of the first table that are named by their numbers, in this order; the others are left out."""

    def change(text: str) -> str:
        rows = re.findall(f"<{row}[ >].*?</{row}>", text)
        table = text[text.index(rows[0]) : text.index(rows[-1]) + len(rows[-1])]
        chosen = [re.sub(r'(?<=r=")([A-Z]*)\d+', rf"\g<1>{to}", rows[n - 1]) for to, n in enumerate(order, 1)]
        return text.replace(table, "".join(chosen))

    return lambda folder: _rewrite(folder / file, part, change)


def _rewrite(path: Path, part: str, change: Callable[[str], str]) -> None:
    draft = path.with_suffix(".draft")
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(draft, "w") as after:
        texts = {name: before.read(name) for name in before.namelist()}
        texts[part] = change(texts.get(part, b"").decode()).encode()
        for name, content in texts.items():
            after.writestr(name, content)
    draft.replace(path)


def words(text: str) -> str:
    """A cell of a spreadsheet with a text."""
    return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'


def number(value: float, formula: str = "") -> str:
    """A cell with a number, or with a formula and its result."""
    stated = f' table:formula="of:{formula}"' if formula else ""
    return (
        f'<table:table-cell{stated} office:value-type="float" office:value="{value}"><text:p>{value}</text:p>'
        "</table:table-cell>"
    )


def row(*cells: str) -> str:
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


BLANK = "<table:table-cell/>"


def below(file: str, rows: str, *, before: str = "</office:spreadsheet>") -> Edit:
    """Rows at the end of a sheet: of the last one, or of the one before `before`."""
    end = f"</table:table>{before}"
    return edit(file, end, rows + end)


def second_sheet(file: str) -> Edit:
    """An empty one at the end."""
    end = "</office:spreadsheet>"
    return edit(file, end, f'<table:table table:name="Sheet9"/>{end}')
