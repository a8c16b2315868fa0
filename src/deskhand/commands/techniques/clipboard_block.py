"""A block of values in the office suite's own clipboard form: a minimal spreadsheet with explicit types.

Only in this form does every value arrive unchanged: plain text and HTML are interpreted (dates, formulas, leading
zeros), while here each cell declares a number, a day or a text. Nothing else of the file format is used.
"""

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Final
from xml.sax.saxutils import escape, quoteattr

import anyio

from deskhand.commands.call import ToolContext
from deskhand.core.errors import ActionRefused, DeskhandError
from deskhand.desktop.protocols.desktop import Desktop

MOST_SAVED: Final = 16_000_000
"""Bytes of clipboard content that are saved while the clipboard is borrowed."""
_RESTORE_S: Final = 1.0

CLIPBOARD_TARGET: Final = 'application/x-openoffice-embed-source-xml;windows_formatname="Star Embed Source (XML)"'
DESCRIPTOR_TARGET: Final = (
    'application/x-openoffice-objectdescriptor-xml;windows_formatname="Star Object Descriptor (XML)";'
    'classname="47BBB4CB-CE4C-4E80-a591-42d9ae74950f";typename="calc8";'
    'viewaspect="1";width="1";height="1";posx="0";posy="0"'
)
"""Never fetched: the suite reads its parameters from the name, and pastes an object if it is missing."""

_PLAIN_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*)\.([0-9]*0)")
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINE_END: Final = re.compile(r"\r\n?|\n")
DIGITS: Final = 15
"""Digits of a number that a cell shows and returns."""

_CONTENT: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
    ' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
    ' xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" office:version="1.2">'
    "<office:automatic-styles>{styles}</office:automatic-styles>"
    "<office:body><office:spreadsheet><table:table table:name={name}>{rows}</table:table>"
    "</office:spreadsheet></office:body></office:document-content>"
)
_STYLE: Final = (
    '<number:number-style style:name="N{places}"><number:number number:decimal-places="{places}"'
    ' number:min-decimal-places="{places}" number:min-integer-digits="1"/></number:number-style>'
    '<style:style style:name="ce{places}" style:family="table-cell" style:data-style-name="N{places}"/>'
)
"""A number format with so many decimals, and the cell style that has it."""
_DAYS: Final = (
    '<number:date-style style:name="ND"><number:year number:style="long"/><number:text>-</number:text>'
    '<number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/>'
    '</number:date-style><style:style style:name="ceD" style:family="table-cell" style:data-style-name="ND"/>'
)
"""The format of dates as they are given, the same in all languages, and its cell style."""
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_FIRST_YEAR: Final = 1583
"""Of the calendar of today; earlier days are counted otherwise."""
DAY_FORMAT: Final = "YYYY-MM-DD"
_MANIFEST: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    '<manifest:file-entry manifest:full-path="/" manifest:media-type="{media}"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
    "</manifest:manifest>"
)
_MEDIA: Final = "application/vnd.oasis.opendocument.spreadsheet"


def is_plain_number(text: str) -> bool:
    """True for a text that reads the same as a number: without leading zeros, zeros at the end of a fraction, a plus
    sign, separators, a unit or an exponent, and exact in a cell.
    """
    digits = len(text.replace(".", "").lstrip("-0"))
    return _PLAIN_NUMBER.fullmatch(text) is not None and digits <= DIGITS and text != "-0"


def is_day(text: str) -> bool:
    """True for the text of a day that exists, such as `2026-03-12`: as a date it reads the same."""
    try:
        return _DAY.fullmatch(text) is not None and date.fromisoformat(text).year >= _FIRST_YEAR
    except ValueError:
        return False


def decimals_of(text: str) -> int:
    """The number of decimals of a number with zeros at the end of its fraction, such as 2 of `12.50`; else 0."""
    found = _DECIMAL.fullmatch(text)
    return len(found[1]) if found and len(text.replace(".", "").lstrip("-0")) <= DIGITS else 0


def clipboard_of(rows: Sequence[Sequence[str]], *, decimals: bool = False) -> dict[str, bytes]:
    """The clipboard forms of a block of texts: plain numbers and days become such, everything else stays text.

    `decimals`: texts such as `12.50` become numbers too, formatted so. Raises: ActionRefused for a character that a
    document cannot contain.
    """
    places = {decimals_of(text) for row in rows for text in row} - {0} if decimals else set[int]()
    cells = [[_cell(text, decimals_of(text) if decimals else 0) for text in row] for row in rows]
    lines = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in cells)
    styles = "".join(_STYLE.format(places=each) for each in sorted(places)) + _DAYS
    content = _CONTENT.format(name=quoteattr("Sheet1"), rows=lines, styles=styles)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("mimetype", _MEDIA)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", _MANIFEST.format(media=_MEDIA))
    return {CLIPBOARD_TARGET: packed.getvalue(), DESCRIPTOR_TARGET: b""}


def _cell(text: str, places: int) -> str:
    """`places`: decimals of a number that shows zeros at its end."""
    if text == "":
        return "<table:table-cell/>"
    if (bad := _NOT_XML.search(text)) is not None:
        raise ActionRefused(f"the text {text!r} holds {bad.group()!r}, which a document cannot hold")
    if is_plain_number(text) or places:
        style = f' table:style-name="ce{places}"' if places else ""
        return (
            f'<table:table-cell{style} office:value-type="float" office:value="{text}"><text:p>{text}</text:p>'
            "</table:table-cell>"
        )
    if is_day(text):
        return (
            f'<table:table-cell table:style-name="ceD" office:value-type="date" office:date-value="{text}">'
            f"<text:p>{text}</text:p></table:table-cell>"
        )
    paragraphs = "".join(f"<text:p>{escape(line)}</text:p>" for line in _LINE_END.split(text))
    return f'<table:table-cell office:value-type="string">{paragraphs}</table:table-cell>'


def is_number(text: str, *, decimals: bool) -> bool:
    """True for a text that becomes a number."""
    return is_plain_number(text) or (decimals and decimals_of(text) > 0)


def same_value(wanted: str, read: str, *, decimals: bool = False) -> bool:
    """Texts by character; plain numbers by value, as a cell may show `65` for 65.0, and `1,5` in some languages."""
    if not is_number(wanted, decimals=decimals):
        return wanted == read
    try:
        shown = float(read if "." in read else read.replace(",", "."))
    except ValueError:
        return False
    return shown == float(wanted)  # at most 15 digits, which both have


async def restore_clipboard(tools: ToolContext, saved: Mapping[str, bytes] | None, *, may: bool = True) -> bool:
    """Restore the earlier clipboard content; True if it is there again, else a note is added.

    `saved`: None if it is not known. `may`: no application will fetch the current content any more.
    """
    if may and saved is not None and await put_on_clipboard(tools.desktop, saved):
        return True
    if saved != {}:
        tools.notes.append("the earlier clipboard content is lost")
    return False


async def put_on_clipboard(desktop: Desktop, contents: Mapping[str, bytes]) -> bool:
    """True if it succeeded, also while the call is cancelled."""
    with anyio.move_on_after(_RESTORE_S, shield=True), suppress(DeskhandError):
        await desktop.offer_clipboard(contents)
        return True
    return False


def forms_of(text: str) -> dict[str, bytes]:
    """The clipboard forms of a text: name → bytes."""
    data = text.encode()
    return {"UTF8_STRING": data, "text/plain;charset=utf-8": data}
