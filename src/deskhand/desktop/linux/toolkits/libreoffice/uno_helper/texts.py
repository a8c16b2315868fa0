"""Texts of a document: replacing, tables."""

from collections.abc import Iterator
from typing import Any

from .answers import Refused
from .documents import SHEET, SLIDES, TEXT, kind_of, one_step, require_changeable
from .kept_texts import put

_STRINGS = 4
"""com.sun.star.sheet.CellFlags.STRING"""
_FIRST_MARK = 0xF0000
"""The first of the characters that stand for a text until all are found, so that a replacement is not replaced again:
private ones outside of the first plane, which no text to find is a part of.
"""


def replace(view: Any, pairs: list[list[str]]) -> dict[str, object]:
    """Replace texts everywhere, all at once and case-sensitively; `counts`: how often, by pair."""
    document = view.Model
    require_changeable(document)
    _require_unprotected(document)
    steps = [(old, chr(_FIRST_MARK + number)) for number, (old, _) in enumerate(pairs)]
    last = [(mark, new) for (_, mark), (_, new) in zip(steps, pairs, strict=True)]
    if len(pairs) == 1:
        steps, last = [(pairs[0][0], pairs[0][1])], []
    counts = [0] * len(pairs)
    with one_step(document, "Replace"):
        for number, step in sorted(enumerate(steps), key=lambda each: -len(each[1][0])):  # the longest first
            counts[number] = _replace_all(document, *step)
        for step in last:
            _replace_all(document, *step)
    return {"counts": counts}


def insert_table(view: Any, rows: list[list[str]], after: str) -> dict[str, object]:
    """Insert a table of texts into a text document: after the paragraph that contains `after`, else at the caret."""
    document = view.Model
    require_changeable(document)
    if kind_of(document) != TEXT:
        raise Refused("the document is no text", "insert tables into text documents")
    place = _after(document, after) if after else _caret(view)
    _require_open(place)
    with one_step(document, "Insert table"):
        table = document.createInstance("com.sun.star.text.TextTable")
        table.initialize(len(rows), len(rows[0]))
        place.Text.insertTextContent(place, table, False)
        table.setDataArray(tuple(tuple(row) for row in rows))
    return {"name": table.Name}


def _require_open(place: Any) -> None:
    section, cell = place.TextSection, place.Cell
    while section is not None and not section.IsProtected:
        section = section.ParentSection
    if section is not None or (cell is not None and cell.IsProtected):
        raise Refused("the text there is protected", "choose another place")


def _require_unprotected(document: Any) -> None:
    if kind_of(document) != SHEET:
        return
    for number in range(document.Sheets.Count):
        sheet = document.Sheets.getByIndex(number)
        if sheet.isProtected():
            raise Refused(f"the sheet {sheet.Name!r} is protected", "unprotect it by the menu Tools, if that is wanted")


def _replace_all(document: Any, old: str, new: str) -> int:
    replaced = _replaced if kind_of(document) in {TEXT, SHEET} else _written
    return sum(replaced(where, maker, old, new) for where, maker in _places(document))


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    """All that can be searched, each with the object that makes its descriptor."""
    kind = kind_of(document)
    if kind == TEXT:
        yield document, document
    elif kind == SHEET:
        for number in range(document.Sheets.Count):
            sheet = document.Sheets.getByIndex(number)
            cells = sheet.queryContentCells(_STRINGS)
            if cells.Count:
                yield cells, sheet
    else:
        for number in range(document.DrawPages.Count):
            page = document.DrawPages.getByIndex(number)
            yield page, page
            if kind == SLIDES:
                yield page.NotesPage, page.NotesPage


def _replaced(where: Any, maker: Any, old: str, new: str) -> int:
    wanted = _exactly(maker.createReplaceDescriptor(), old)
    wanted.ReplaceString = new
    return where.replaceAll(wanted)


def _written(where: Any, maker: Any, old: str, new: str) -> int:
    """Replace in slides and drawings, the last first, since each place counts characters."""
    found = where.findAll(_exactly(maker.createSearchDescriptor(), old))
    places = [] if found is None else [found.getByIndex(number) for number in range(found.Count)]
    for place in reversed(places):
        put(place, new)
    return len(places)


def _exactly(wanted: Any, text: str) -> Any:
    wanted.SearchString = text
    known = wanted.PropertySetInfo
    for name, value in {"SearchCaseSensitive": True, "SearchRegularExpression": False, "SearchWildcard": False}.items():
        if known.hasPropertyByName(name):
            wanted.setPropertyValue(name, value)
    return wanted


def _caret(view: Any) -> Any:
    cursor = view.ViewCursor
    if cursor.Text is None:
        raise Refused("the caret is in no text", "click into the text, or name the text before the table with after")
    return cursor.End


def _after(document: Any, text: str) -> Any:
    wanted = document.createSearchDescriptor()
    wanted.SearchString, wanted.SearchCaseSensitive = text, True
    found = document.findAll(wanted)
    if found.Count != 1:
        what = f"{found.Count} places have" if found.Count else "no place has"
        raise Refused(f"{what} the text {text!r}", "give more of the text that is before the table")
    first = found.getByIndex(0)
    parts = list(_every(first.Text))
    at = next(n for n, part in enumerate(parts) if _is_paragraph(part) and _contains(first.Text, part, first))
    following = parts[at + 1] if at + 1 < len(parts) else None
    # at the beginning of the next paragraph it leaves no empty one
    return following.Start if following is not None and _is_paragraph(following) else parts[at].End


def _every(text: Any) -> Iterator[Any]:
    """Paragraphs, and tables between them, in order."""
    parts = text.createEnumeration()
    while parts.hasMoreElements():
        yield parts.nextElement()


def _is_paragraph(part: Any) -> bool:
    return part.supportsService("com.sun.star.text.Paragraph")


def _contains(text: Any, paragraph: Any, place: Any) -> bool:
    return text.compareRegionStarts(paragraph, place) >= 0 and text.compareRegionEnds(paragraph, place) <= 0
