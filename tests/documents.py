"""Text documents for tests, written with nothing but the standard library: `.odt` and `.docx`, text and tables.

And an empty database.

A cell's text may hold "\n" (a new paragraph) and "\t" (a tab).
"""

import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr


@dataclass(frozen=True)
class Text:
    """A paragraph; `new_page` begins a page with it. `note`: its footnote, which `.docx` goes without."""

    text: str
    new_page: bool = False
    note: str = ""


@dataclass(frozen=True)
class Merged:
    """A cell over several rows or columns; the places that it covers are None in their rows."""

    text: str
    rows: int = 1
    columns: int = 1


Cell: TypeAlias = str | Merged | None


@dataclass(frozen=True)
class Table:
    """Rows of cells, the first one repeated on every page where `heading`. Word has no names of tables."""

    rows: Sequence[Sequence[Cell]]
    name: str = "Table1"
    heading: bool = True


Block: TypeAlias = Text | Table


def pages(count: int, lines: int = 8) -> list[Text]:
    """So many pages of text; what comes after them begins on the last one's end."""
    return [
        Text(f"Page {page}, line {line}.", line == 0 and page > 0) for page in range(count) for line in range(lines)
    ]


_MANIFEST: Final = (
    '<?xml version="1.0" encoding="UTF-8"?><manifest:manifest'
    ' xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">'
    '<manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.{kind}"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
)
_ODF: Final = "urn:oasis:names:tc:opendocument:xmlns"
_ODT_HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8"?><office:document-content office:version="1.2"'
    f' xmlns:office="{_ODF}:office:1.0" xmlns:text="{_ODF}:text:1.0" xmlns:table="{_ODF}:table:1.0"'
    f' xmlns:style="{_ODF}:style:1.0" xmlns:fo="{_ODF}:xsl-fo-compatible:1.0">'
    '<office:automatic-styles><style:style style:name="NewPage" style:family="paragraph">'
    '<style:paragraph-properties fo:break-before="page"/></style:style></office:automatic-styles>'
    "<office:body><office:text>"
)
_ODT_TAIL: Final = "</office:text></office:body></office:document-content>"


_ODB: Final = (
    f'<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="{_ODF}:office:1.0" xmlns:db='
    f'"{_ODF}:database:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2"><office:body>'
    "<office:database><db:data-source><db:connection-data><db:connection-resource"
    ' xlink:href="sdbc:embedded:hsqldb" xlink:type="simple"/></db:connection-data></db:data-source>'
    "</office:database></office:body></office:document-content>"
)


def write_odt(path: Path, *blocks: Block) -> Path:
    """An OpenDocument text."""
    body = "".join(_odt_table(block) if isinstance(block, Table) else _odt_text(block) for block in blocks)
    return _write(path, "text", _ODT_HEAD + body + _ODT_TAIL)


def write_odb(path: Path) -> Path:
    """A database with nothing in it."""
    return _write(path, "base", _ODB)


def _write(path: Path, kind: str, content: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("META-INF/manifest.xml", _MANIFEST.format(kind=kind))
        archive.writestr("content.xml", content)
    return path


def _odt_text(text: Text) -> str:
    style = ' text:style-name="NewPage"' if text.new_page else ""
    body = f"<text:note-body><text:p>{_odt_characters(text.note)}</text:p></text:note-body>"
    citation = "<text:note-citation>1</text:note-citation>"
    note = f'<text:note text:note-class="footnote">{citation}{body}</text:note>' if text.note else ""
    return f"<text:p{style}>{_odt_characters(text.text)}{note}</text:p>"


def _odt_characters(text: str) -> str:
    blanks = re.sub("^ +| {2,}| +$", lambda found: f'<text:s text:c="{len(found[0])}"/>', escape(text))
    return blanks.replace("\t", "<text:tab/>")


def _odt_table(table: Table) -> str:
    rows = [f"<table:table-row>{''.join(map(_odt_cell, row))}</table:table-row>" for row in table.rows]
    if table.heading:
        rows[0] = f"<table:table-header-rows>{rows[0]}</table:table-header-rows>"
    columns = f'<table:table-column table:number-columns-repeated="{len(table.rows[0])}"/>'
    return f"<table:table table:name={quoteattr(table.name)}>{columns}{''.join(rows)}</table:table>"


def _odt_cell(cell: Cell) -> str:
    if cell is None:
        return "<table:covered-table-cell/>"
    merged = cell if isinstance(cell, Merged) else Merged(cell)
    spans = f' table:number-rows-spanned="{merged.rows}" table:number-columns-spanned="{merged.columns}"'
    paragraphs = "".join(f"<text:p>{_odt_characters(line)}</text:p>" for line in merged.text.split("\n"))
    return f'<table:table-cell office:value-type="string"{spans}>{paragraphs}</table:table-cell>'


_WORD_TYPES: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml"'
    ' ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_WORD_RELATIONS: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1"'
    ' Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"'
    ' Target="word/document.xml"/></Relationships>'
)
_WORD_HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
)
_WORD_TAIL: Final = "<w:sectPr/></w:body></w:document>"


def write_docx(path: Path, *blocks: Block) -> Path:
    """A Word document. Cells merged over rows or columns are not supported."""
    return _write_docx(path, "".join(_word_table(b) if isinstance(b, Table) else _word_text(b) for b in blocks))


def _write_docx(path: Path, body: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", _WORD_TYPES)
        archive.writestr("_rels/.rels", _WORD_RELATIONS)
        archive.writestr("word/document.xml", _WORD_HEAD + body + _WORD_TAIL)
    return path


def _word_text(text: Text) -> str:
    properties = "<w:pPr><w:pageBreakBefore/></w:pPr>" if text.new_page else ""
    pieces = [f'<w:r><w:t xml:space="preserve">{escape(piece)}</w:t></w:r>' for piece in text.text.split("\t")]
    return f"<w:p>{properties}{'<w:r><w:tab/></w:r>'.join(pieces)}</w:p>"


def _word_table(table: Table) -> str:
    grid = "<w:gridCol/>" * len(table.rows[0])
    rows = "".join(_word_row(row, table.heading and number == 0) for number, row in enumerate(table.rows))
    return f'<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>'


def _word_row(row: Sequence[Cell], heading: bool) -> str:
    properties = "<w:trPr><w:tblHeader/></w:trPr>" if heading else ""
    return f"<w:tr>{properties}{''.join(map(_word_cell, row))}</w:tr>"


def _word_cell(cell: Cell) -> str:
    if not isinstance(cell, str):
        raise TypeError(f"a Word cell is a plain text here, not {cell!r}")
    return f"<w:tc>{''.join(_word_text(Text(line)) for line in cell.split(chr(10)))}</w:tc>"


Pieces: TypeAlias = Sequence[tuple[str, str]]
"""A text in pieces: the kind of each, and its text. Kinds: empty, `insertion`, `deletion` (tracked), `control`."""


def accepted(pieces: Pieces) -> str:
    """The text once its tracked changes are accepted."""
    return "".join(text for kind, text in pieces if kind != "deletion")


def write_tracked_odt(path: Path, paragraphs: Sequence[Pieces], rows: Sequence[Sequence[Pieces]]) -> Path:
    """An OpenDocument text with tracked changes: a table, then paragraphs."""
    regions: list[str] = []
    cells = [[f"<table:table-cell>{_tracked(cell, regions)}</table:table-cell>" for cell in row] for row in rows]
    table = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in cells)
    columns = f'<table:table-column table:number-columns-repeated="{len(rows[0])}"/>'
    body = "".join(_tracked(pieces, regions) for pieces in paragraphs)
    changes = f"<text:tracked-changes>{''.join(regions)}</text:tracked-changes>"
    head = _ODT_HEAD.replace("xmlns:office", 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:office', 1)
    table = f'<table:table table:name="Table1">{columns}{table}</table:table>'
    return _write(path, "text", f"{head}{changes}{table}{body}{_ODT_TAIL}")


_INFO: Final = (
    "<office:change-info><dc:creator>R</dc:creator><dc:date>2026-11-20T10:00:00</dc:date></office:change-info>"
)


def _tracked(pieces: Pieces, regions: list[str]) -> str:
    parts: list[str] = []
    for kind, text in pieces:
        name, content = f"ct{len(regions) + 1}", _odt_characters(text)
        if not kind:
            parts.append(content)
            continue
        deleted = f"<text:p>{content}</text:p>" if kind == "deletion" else ""
        region = f"<text:{kind}>{_INFO}{deleted}</text:{kind}>"
        regions.append(f'<text:changed-region xml:id="{name}" text:id="{name}">{region}</text:changed-region>')
        marks = f'<text:change-start text:change-id="{name}"/>{content}<text:change-end text:change-id="{name}"/>'
        parts.append(f'<text:change text:change-id="{name}"/>' if kind == "deletion" else marks)
    return f"<text:p>{''.join(parts)}</text:p>"


def write_controls_docx(path: Path, paragraphs: Sequence[Pieces]) -> Path:
    """A Word document whose pieces of the kind `control` are content controls: dates, and texts."""
    body = "".join(f"<w:p>{''.join(_controlled(*piece) for piece in pieces)}</w:p>" for pieces in paragraphs)
    return _write_docx(path, body)


def _controlled(kind: str, text: str) -> str:
    run = f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'
    properties = "<w:date/>" if text[:1].isdigit() else ""
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{run}</w:sdtContent></w:sdt>" if kind else run


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a saved document: its text without deletions, its style, and the size of its first letters."""

    text: str
    style: str
    size: str


def read_odt(path: Path) -> list[Paragraph]:
    """The paragraphs and headings of a saved text, those in tables included."""
    with zipfile.ZipFile(path) as archive:
        root = ElementTree.fromstring(archive.read("content.xml"))  # noqa: S314 - saved by a test
    names = {f"{{{_ODF}:{name}:1.0}}": name for name in ("office", "text", "style")}
    office, text, style = names
    own = {each.get(f"{style}name", ""): each for each in root.iter(f"{style}style")}
    body = root.find(f".//{office}text")
    assert body is not None
    deleted = {each for region in body.iter(f"{text}tracked-changes") for each in region.iter()}
    found: list[Paragraph] = []
    for each in body.iter():
        if each.tag not in {f"{text}p", f"{text}h"} or each in deleted:
            continue
        named = own.get(each.get(f"{text}style-name", ""))
        parent = named.get(f"{style}parent-style-name", "") if named is not None else each.get(f"{text}style-name", "")
        found.append(Paragraph("".join(each.itertext()), parent.replace("_20_", " "), _size_of(each, own)))
    return found


def _size_of(paragraph: ElementTree.Element, styles: Mapping[str, ElementTree.Element]) -> str:
    of_text, size = f"{{{_ODF}:text:1.0}}", f"{{{_ODF}:xsl-fo-compatible:1.0}}font-size"
    for element in (*paragraph.iter(f"{of_text}span"), paragraph):
        style = styles.get(element.get(f"{of_text}style-name", ""))
        for each in style.iter() if style is not None else ():
            if each.get(size):
                return each.get(size, "").removesuffix("pt")
    return ""
