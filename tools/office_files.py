"""Small office documents, written with the standard library alone, the same bytes every time.

`.ods`, `.odt` and `.odp` with named styles, `.xlsx` and `.docx` of the plainest kind.
"""

import datetime
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias
from xml.sax.saxutils import escape, quoteattr

from tools.make_sample import entry

Value: TypeAlias = "str | int | float | datetime.date | Formula | None"
Row: TypeAlias = Sequence[Value]


@dataclass(frozen=True)
class Formula:
    """An OpenFormula text, such as `=[.A1]+1`, and its result."""

    text: str
    value: float


@dataclass(frozen=True)
class Sheet:
    """Rows of cells; the first one is bold on grey if `heading`. `formats`: `money`, `day` or `percent`, by column."""

    name: str
    rows: Sequence[Row]
    widths: Sequence[float] = ()
    heading: bool = True
    formats: Mapping[int, str] | None = None


@dataclass(frozen=True)
class Text:
    """A paragraph; `**bold**` is bold. `style`: the name of a paragraph style. `note`: a footnote at its end."""

    text: str
    style: str = "Text_20_body"
    note: str = ""


@dataclass(frozen=True)
class Table:
    name: str
    rows: Sequence[Sequence[str]]


Block: TypeAlias = Text | Table


@dataclass(frozen=True)
class Slide:
    """`lines` are the points below the title; `subtitle` stands in their place on a first slide."""

    name: str
    title: str
    lines: Sequence[str] = ()
    subtitle: str = ""
    notes: str = ""


_URN: Final = "urn:oasis:names:tc:opendocument:xmlns"
_SPACES: Final = (
    " ".join(
        f'xmlns:{short}="{_URN}:{name}:1.0"'
        for short, name in {
            "office": "office",
            "text": "text",
            "table": "table",
            "style": "style",
            "number": "datastyle",
            "draw": "drawing",
            "presentation": "presentation",
            "fo": "xsl-fo-compatible",
            "svg": "svg-compatible",
        }.items()
    )
    + f' xmlns:of="{_URN}:of:1.2" office:version="1.2"'
)
_FONT: Final = "Liberation Sans"
_XML: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_FACES: Final = (
    f'<office:font-face-decls><style:font-face style:name="{_FONT}" svg:font-family="\'{_FONT}\'"/>'
    "</office:font-face-decls>"
)
_SIZE: Final = f'style:font-name="{_FONT}" fo:font-size="11pt" fo:language="en" fo:country="US"'


def _zip(path: Path, parts: Mapping[str, str], first: str = "") -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        if first:
            archive.writestr(entry("mimetype"), first, zipfile.ZIP_STORED)
        for name, text in parts.items():
            archive.writestr(entry(name), text, zipfile.ZIP_DEFLATED)
    return path


def _odf(path: Path, kind: str, content: str, styles: str) -> Path:
    mime = f"application/vnd.oasis.opendocument.{kind}"
    manifest = (
        f'{_XML}<manifest:manifest xmlns:manifest="{_URN}:manifest:1.0" manifest:version="1.2">'
        f'<manifest:file-entry manifest:full-path="/" manifest:version="1.2" manifest:media-type="{mime}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        '<manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/></manifest:manifest>\n'
    )
    parts = {
        "META-INF/manifest.xml": manifest,
        "styles.xml": f"{_XML}<office:document-styles {_SPACES}>{_FACES}{styles}</office:document-styles>\n",
        "content.xml": f"{_XML}<office:document-content {_SPACES}>{content}</office:document-content>\n",
    }
    return _zip(path, parts, mime)


# Spreadsheets


_DATA_STYLES: Final = (
    '<number:date-style style:name="Ndate"><number:year number:style="long"/><number:text>-</number:text>'
    '<number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/>'
    "</number:date-style>"
    '<number:number-style style:name="Nmoney"><number:number number:decimal-places="2"'
    ' number:min-decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:number-style>'
    '<number:percentage-style style:name="Npercent"><number:number number:decimal-places="0"'
    ' number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>'
    '<style:style style:name="day" style:family="table-cell" style:parent-style-name="Default"'
    ' style:data-style-name="Ndate"/>'
    '<style:style style:name="money" style:family="table-cell" style:parent-style-name="Default"'
    ' style:data-style-name="Nmoney"/>'
    '<style:style style:name="percent" style:family="table-cell" style:parent-style-name="Default"'
    ' style:data-style-name="Npercent"/>'
    '<style:style style:name="head" style:family="table-cell" style:parent-style-name="Default">'
    '<style:table-cell-properties fo:background-color="#dddddd"/>'
    '<style:text-properties fo:font-weight="bold"/></style:style>'
)


def write_ods(path: Path, *sheets: Sheet) -> Path:
    widths = sorted({width for sheet in sheets for width in sheet.widths})
    columns = "".join(
        f'<style:style style:name="w{width}" style:family="table-column"><style:table-column-properties'
        f' style:column-width="{width}cm"/></style:style>'
        for width in widths
    )
    body = "".join(map(_ods_sheet, sheets))
    content = (
        f"<office:automatic-styles>{_DATA_STYLES}{columns}</office:automatic-styles>"
        f"<office:body><office:spreadsheet>{body}</office:spreadsheet></office:body>"
    )
    styles = (
        '<office:styles><style:style style:name="Default" style:family="table-cell">'
        f"<style:text-properties {_SIZE}/></style:style></office:styles>"
    )
    return _odf(path, "spreadsheet", content, styles)


def _ods_sheet(sheet: Sheet) -> str:
    columns = "".join(f'<table:table-column table:style-name="w{width}"/>' for width in sheet.widths)
    rows = "".join(
        "<table:table-row>"
        + "".join(
            _ods_cell(value, "head" if sheet.heading and not number else (sheet.formats or {}).get(column, ""))
            for column, value in enumerate(row)
        )
        + "</table:table-row>"
        for number, row in enumerate(sheet.rows)
    )
    return f"<table:table table:name={quoteattr(sheet.name)}>{columns}{rows}</table:table>"


def _ods_cell(value: Value, style: str) -> str:
    look = f' table:style-name="{style}"' if style else ""
    if value is None:
        return f"<table:table-cell{look}/>"
    if isinstance(value, str):
        look = look if style == "head" else ""
        return f'<table:table-cell{look} office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
    if isinstance(value, datetime.date):
        day = look or ' table:style-name="day"'
        text = f"<text:p>{value}</text:p>"
        return f'<table:table-cell{day} office:value-type="date" office:date-value="{value}">{text}</table:table-cell>'
    kind = "percentage" if style == "percent" else "float"
    formula = f" table:formula={quoteattr('of:' + value.text)}" if isinstance(value, Formula) else ""
    number = value.value if isinstance(value, Formula) else value
    text = {"money": f"{number:,.2f}", "percent": f"{number:.0%}"}.get(style, f"{number:.12g}")
    return (
        f'<table:table-cell{look}{formula} office:value-type="{kind}" office:value="{number}">'
        f"<text:p>{text}</text:p></table:table-cell>"
    )


_SHEET_SPACE: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE_SPACE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE_SPACE: Final = "http://schemas.openxmlformats.org/package/2006"
_OOXML: Final = "application/vnd.openxmlformats-officedocument"


def _relations(*targets: tuple[str, str]) -> str:
    inner = "".join(
        f'<Relationship Id="rId{number}" Type="{_OFFICE_SPACE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'{_XML}<Relationships xmlns="{_PACKAGE_SPACE}/relationships">{inner}</Relationships>'


def _types(**parts: str) -> str:
    inner = "".join(f'<Override PartName="{name}" ContentType="{_OOXML}.{kind}+xml"/>' for name, kind in parts.items())
    return (
        f'{_XML}<Types xmlns="{_PACKAGE_SPACE}/content-types"><Default Extension="rels"'
        f' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{inner}</Types>'
    )


def write_xlsx(path: Path, sheet: Sheet) -> Path:
    """One sheet of texts and numbers."""
    rows = "".join(
        f'<row r="{number}">{"".join(_xlsx_cell(value, column, number) for column, value in enumerate(row))}</row>'
        for number, row in enumerate(sheet.rows, 1)
    )
    widths = "".join(
        f'<col min="{number}" max="{number}" width="{width * 5}" customWidth="1"/>'
        for number, width in enumerate(sheet.widths, 1)
    )
    columns = f"<cols>{widths}</cols>" if widths else ""
    parts = {
        "[Content_Types].xml": _types(
            **{"/xl/workbook.xml": "spreadsheetml.sheet.main", "/xl/worksheets/sheet1.xml": "spreadsheetml.worksheet"}
        ),
        "_rels/.rels": _relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": (
            f'{_XML}<workbook xmlns="{_SHEET_SPACE}" xmlns:r="{_OFFICE_SPACE}"><sheets>'
            f'<sheet name={quoteattr(sheet.name)} sheetId="1" r:id="rId1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": _relations(("worksheet", "worksheets/sheet1.xml")),
        "xl/worksheets/sheet1.xml": (
            f'{_XML}<worksheet xmlns="{_SHEET_SPACE}">{columns}<sheetData>{rows}</sheetData></worksheet>'
        ),
    }
    return _zip(path, parts)


def _xlsx_cell(value: Value, column: int, row: int) -> str:
    place = f"{chr(ord('A') + column)}{row}"
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>' if isinstance(value, int | float) else ""


# Texts


def _paragraph_style(name: str, parent: str, paragraph: str = "", text: str = "", more: str = "") -> str:
    inherits = f' style:parent-style-name="{parent}"' if parent else ""
    return (
        f'<style:style style:name="{name}" style:display-name="{name.replace("_20_", " ")}"'
        f' style:family="paragraph"{inherits}{more}><style:paragraph-properties {paragraph}/>'
        f"<style:text-properties {text}/></style:style>"
    )


_TEXT_STYLES: Final = (
    _paragraph_style("Standard", "", "", _SIZE)
    + _paragraph_style("Text_20_body", "Standard", 'fo:margin-top="0cm" fo:margin-bottom="0.3cm"')
    + _paragraph_style("Heading", "Standard", 'fo:margin-top="0.4cm" fo:margin-bottom="0.2cm"')
    + _paragraph_style("Title", "Heading", "", 'fo:font-size="20pt" fo:font-weight="bold"', ' style:class="chapter"')
    + "".join(
        _paragraph_style(
            f"Heading_20_{level}",
            "Heading",
            "",
            f'fo:font-size="{18 - 2 * level}pt" fo:font-weight="bold"',
            f' style:next-style-name="Text_20_body" style:default-outline-level="{level}"',
        )
        for level in (1, 2)
    )
    + _paragraph_style("Table_20_Contents", "Standard")
    + _paragraph_style("Header", "Standard")
    + _paragraph_style("Footer", "Standard")
    + _paragraph_style("Footnote", "Standard")
)


def write_odt(path: Path, *blocks: Block, header: str = "", footer: str = "") -> Path:
    automatic = (
        '<style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>'
        '<style:style style:name="cell" style:family="table-cell"><style:table-cell-properties'
        ' fo:padding="0.1cm" fo:border="0.5pt solid #888888"/></style:style>'
    )
    content = (
        f"<office:automatic-styles>{automatic}</office:automatic-styles><office:body><office:text>"
        f"{''.join(map(_odt_block, blocks))}</office:text></office:body>"
    )
    edges = "".join(
        f'<style:{edge}><text:p text:style-name="{edge.title()}">{escape(text)}</text:p></style:{edge}>'
        for edge, text in (("header", header), ("footer", footer))
        if text
    )
    styles = (
        f"<office:styles>{_TEXT_STYLES}</office:styles><office:automatic-styles>"
        '<style:page-layout style:name="Page"><style:page-layout-properties fo:page-width="21cm"'
        ' fo:page-height="29.7cm" fo:margin="2.5cm"/></style:page-layout></office:automatic-styles>'
        '<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="Page">'
        f"{edges}</style:master-page></office:master-styles>"
    )
    return _odf(path, "text", content, styles)


def _odt_block(block: Block) -> str:
    if isinstance(block, Table):
        rows = "".join(f"<table:table-row>{''.join(map(_odt_cell, row))}</table:table-row>" for row in block.rows)
        columns = f'<table:table-column table:number-columns-repeated="{len(block.rows[0])}"/>'
        return f"<table:table table:name={quoteattr(block.name)}>{columns}{rows}</table:table>"
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body>'
        f'<text:p text:style-name="Footnote">{escape(block.note)}</text:p></text:note-body></text:note>'
        if block.note
        else ""
    )
    body = "".join(
        f'<text:span text:style-name="B">{escape(piece)}</text:span>' if bold else escape(piece)
        for piece, bold in _pieces(block.text)
    )
    return f'<text:p text:style-name="{block.style}">{body}{note}</text:p>'


def _odt_cell(text: str) -> str:
    paragraph = f'<text:p text:style-name="Table_20_Contents">{escape(text)}</text:p>'
    return f'<table:table-cell table:style-name="cell" office:value-type="string">{paragraph}</table:table-cell>'


def _pieces(text: str) -> list[tuple[str, bool]]:
    """`a **b** c` → a, b (bold), c."""
    return [(piece, bool(number % 2)) for number, piece in enumerate(text.split("**")) if piece]


_WORD_SPACE: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def write_docx(path: Path, *blocks: Block, header: str) -> Path:
    """A Word document with a header; styles and footnotes of its blocks are left out."""
    names = f'xmlns:w="{_WORD_SPACE}" xmlns:r="{_OFFICE_SPACE}"'
    edges = '<w:sectPr><w:headerReference w:type="default" r:id="rId1"/></w:sectPr>'
    parts = {
        "[Content_Types].xml": _types(
            **{
                "/word/document.xml": "wordprocessingml.document.main",
                "/word/header1.xml": "wordprocessingml.header",
            }
        ),
        "_rels/.rels": _relations(("officeDocument", "word/document.xml")),
        "word/_rels/document.xml.rels": _relations(("header", "header1.xml")),
        "word/document.xml": (
            f"{_XML}<w:document {names}><w:body>{''.join(map(_word_block, blocks))}{edges}</w:body></w:document>"
        ),
        "word/header1.xml": f"{_XML}<w:hdr {names}>{_word_text(header)}</w:hdr>",
    }
    return _zip(path, parts)


def _word_block(block: Block) -> str:
    if isinstance(block, Text):
        return _word_text(block.text)
    grid = "<w:gridCol/>" * len(block.rows[0])
    rows = "".join(f"<w:tr>{''.join(f'<w:tc>{_word_text(cell)}</w:tc>' for cell in row)}</w:tr>" for row in block.rows)
    return f'<w:tbl><w:tblPr><w:tblW w:w="5000" w:type="pct"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>'


def _word_text(text: str) -> str:
    runs = "".join(
        f'<w:r>{"<w:rPr><w:b/></w:rPr>" if bold else ""}<w:t xml:space="preserve">{escape(piece)}</w:t></w:r>'
        for piece, bold in _pieces(text)
    )
    return f"<w:p>{runs}</w:p>"


# Presentations


_PLACES: Final = {
    "title": "svg:x='1.4cm' svg:y='0.8cm' svg:width='25.2cm' svg:height='2.6cm'",
    "outline": "svg:x='1.4cm' svg:y='4cm' svg:width='25.2cm' svg:height='10cm'",
    "subtitle": "svg:x='1.4cm' svg:y='4cm' svg:width='25.2cm' svg:height='10cm'",
}

_BULLETS: Final = (
    '<text:list-style style:name="Default-outline1"><text:list-level-style-bullet text:level="1" text:bullet-char="•">'
    '<style:list-level-properties text:space-before="0.3cm" text:min-label-width="0.9cm"/>'
    "</text:list-level-style-bullet></text:list-style>"
)


def write_odp(path: Path, *slides: Slide) -> Path:
    content = (
        "<office:automatic-styles/><office:body><office:presentation>"
        f"{''.join(map(_slide, slides))}</office:presentation></office:body>"
    )
    looks = "".join(
        f'<style:style style:name="Default-{name}" style:family="presentation"><style:graphic-properties'
        f' draw:fill="none" draw:stroke="none">{_BULLETS if name == "outline1" else ""}</style:graphic-properties>'
        f'<style:text-properties style:font-name="{_FONT}" fo:font-size="{size}pt"/></style:style>'
        for name, size in (("title", 40), ("subtitle", 28), ("outline1", 28), ("notes", 14))
    )
    styles = (
        f"<office:styles>{looks}{''.join(map(_layout, ('subtitle', 'outline')))}</office:styles>"
        "<office:automatic-styles>"
        '<style:page-layout style:name="PM"><style:page-layout-properties fo:page-width="28cm"'
        ' fo:page-height="15.75cm"/></style:page-layout></office:automatic-styles><office:master-styles>'
        '<style:master-page style:name="Default" style:page-layout-name="PM">'
        f"{''.join(_frame(kind, '', placeholder=True) for kind in ('title', 'outline'))}"
        "</style:master-page></office:master-styles>"
    )
    return _odf(path, "presentation", content, styles)


def _layout(lower: str) -> str:
    """Slides of a title, and of the other kind of text below it."""
    places = "".join(
        f"<presentation:placeholder presentation:object='{kind}' {_PLACES[kind]}/>" for kind in ("title", lower)
    )
    return f'<style:presentation-page-layout style:name="{lower}">{places}</style:presentation-page-layout>'


def _slide(slide: Slide) -> str:
    items = "".join(f"<text:list-item><text:p>{escape(line)}</text:p></text:list-item>" for line in slide.lines)
    lower = (
        _frame("subtitle", f"<text:p>{escape(slide.subtitle)}</text:p>")
        if slide.subtitle
        else _frame("outline", f"<text:list>{items}</text:list>")
    )
    notes = (
        "<presentation:notes><draw:frame presentation:class='notes' svg:x='2cm' svg:y='14cm' svg:width='17cm'"
        f" svg:height='12cm'><draw:text-box><text:p>{escape(slide.notes)}</text:p></draw:text-box></draw:frame>"
        "</presentation:notes>"
        if slide.notes
        else ""
    )
    return (
        f'<draw:page draw:name={quoteattr(slide.name)} draw:master-page-name="Default"'
        f' presentation:presentation-page-layout-name="{"subtitle" if slide.subtitle else "outline"}">'
        f"{_frame('title', f'<text:p>{escape(slide.title)}</text:p>')}{lower}{notes}</draw:page>"
    )


def _frame(kind: str, inner: str, *, placeholder: bool = False) -> str:
    style = {"outline": "Default-outline1"}.get(kind, f"Default-{kind}")
    empty = " presentation:placeholder='true'" if placeholder else ""
    return (
        f"<draw:frame presentation:style-name='{style}' presentation:class='{kind}'{empty} {_PLACES[kind]}>"
        f"<draw:text-box>{inner}</draw:text-box></draw:frame>"
    )
