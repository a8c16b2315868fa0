"""Writes the sample document of the package, the same bytes every time.

Run from the root of the project: python3 tools/make_sample.py
"""

import zipfile
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

TARGET: Final = Path(__file__).parent.parent / "src/deskhand/samples/report.odt"
TITLE: Final = "Quarterly sales report"
BEFORE: Final = (
    "Sales of the first half of the year by region, in thousands of euros. The second quarter brought growth in the "
    "north, the south and the west; only the east fell back from its record in spring."
)
AFTER: Final = "The figures are final. They were taken from the books of the regions on the last day of June."
SALES: Final = (
    ("Region", "Q1", "Q2"),
    ("North", "120", "150"),
    ("South", "80", "95"),
    ("East", "200", "170"),
    ("West", "60", "140"),
)

_MIME: Final = "application/vnd.oasis.opendocument.text"
_URN: Final = "urn:oasis:names:tc:opendocument:xmlns"
_SPACES: Final = (
    f'xmlns:office="{_URN}:office:1.0" xmlns:text="{_URN}:text:1.0" xmlns:table="{_URN}:table:1.0"'
    f' xmlns:style="{_URN}:style:1.0" xmlns:fo="{_URN}:xsl-fo-compatible:1.0" xmlns:svg="{_URN}:svg-compatible:1.0"'
)
_MANIFEST: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<manifest:manifest xmlns:manifest="{_URN}:manifest:1.0" manifest:version="1.2">'
    f'<manifest:file-entry manifest:full-path="/" manifest:version="1.2" manifest:media-type="{_MIME}"/>'
    '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
    '<manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/>'
    "</manifest:manifest>\n"
)
_LINE: Final = "0.5pt solid #b8c2cc"
_FONT: Final = "Liberation Sans"


def _paragraph_style(name: str, parent: str, paragraph: str, text: str = "") -> str:
    inherits = f' style:parent-style-name="{parent}"' if parent else ""
    return (
        f'<style:style style:name="{name}" style:display-name="{name.replace("_20_", " ")}"'
        f' style:family="paragraph"{inherits}>'
        f"<style:paragraph-properties {paragraph}/><style:text-properties {text}/></style:style>"
    )


def _cell_style(name: str, background: str) -> str:
    return (
        f'<style:style style:name="{name}" style:family="table-cell"><style:table-cell-properties'
        f' fo:padding="0.15cm" fo:border="{_LINE}" fo:background-color="{background}"/></style:style>'
    )


def styles() -> str:
    """The named styles and the page: A4 with margins of 2.5 cm."""
    standard = f'style:font-name="{_FONT}" fo:font-size="11pt" fo:color="#202830" fo:language="en" fo:country="US"'
    named = (
        _paragraph_style("Standard", "", 'fo:line-height="120%"', standard)
        + _paragraph_style("Text_20_body", "Standard", 'fo:margin-top="0cm" fo:margin-bottom="0.35cm"')
        + _paragraph_style(
            "Heading_20_1",
            "Standard",
            'fo:margin-top="0cm" fo:margin-bottom="0.5cm" fo:keep-with-next="always"',
            'fo:font-size="22pt" fo:font-weight="bold" fo:color="#1f4e79"',
        )
        + _paragraph_style("Table_20_Contents", "Standard", 'fo:margin-top="0cm" fo:margin-bottom="0cm"')
    )
    page = (
        '<style:page-layout style:name="Page"><style:page-layout-properties fo:page-width="21cm"'
        ' fo:page-height="29.7cm" fo:margin="2.5cm"/></style:page-layout>'
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document-styles {_SPACES} office:version="1.2">'
        f'<office:font-face-decls><style:font-face style:name="{_FONT}" svg:font-family="\'{_FONT}\'"/>'
        f"</office:font-face-decls><office:styles>{named}</office:styles>"
        f"<office:automatic-styles>{page}</office:automatic-styles><office:master-styles>"
        '<style:master-page style:name="Standard" style:page-layout-name="Page"/></office:master-styles>'
        "</office:document-styles>\n"
    )


def content() -> str:
    """The text: a heading, a paragraph, the table, a paragraph."""
    automatic = (
        '<style:style style:name="Sales" style:family="table"><style:table-properties style:width="12cm"'
        ' table:align="left" fo:margin-top="0.2cm" fo:margin-bottom="0.6cm"'
        ' table:border-model="collapsing"/></style:style>'
        '<style:style style:name="Wide" style:family="table-column"><style:table-column-properties'
        ' style:column-width="5cm"/></style:style>'
        '<style:style style:name="Narrow" style:family="table-column"><style:table-column-properties'
        ' style:column-width="3.5cm"/></style:style>'
        + _cell_style("Head", "#1f4e79")
        + _cell_style("Plain", "#ffffff")
        + _cell_style("Tinted", "#eef3f8")
        + _paragraph_style("HeadName", "Table_20_Contents", "", 'fo:color="#ffffff" fo:font-weight="bold"')
        + _paragraph_style(
            "HeadNumber", "Table_20_Contents", 'fo:text-align="end"', 'fo:color="#ffffff" fo:font-weight="bold"'
        )
        + _paragraph_style("Number", "Table_20_Contents", 'fo:text-align="end"')
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document-content {_SPACES} office:version="1.2">'
        f"<office:automatic-styles>{automatic}</office:automatic-styles><office:body><office:text>"
        f'<text:h text:style-name="Heading_20_1" text:outline-level="1">{escape(TITLE)}</text:h>'
        f"{_paragraph(BEFORE)}{_table()}{_paragraph(AFTER)}"
        "</office:text></office:body></office:document-content>\n"
    )


def _paragraph(text: str) -> str:
    return f'<text:p text:style-name="Text_20_body">{escape(text)}</text:p>'


def _table() -> str:
    head, *rest = SALES
    body = "".join(_row(row, "Tinted" if number % 2 else "Plain") for number, row in enumerate(rest))
    return (
        '<table:table table:name="Sales" table:style-name="Sales"><table:table-column table:style-name="Wide"/>'
        '<table:table-column table:style-name="Narrow" table:number-columns-repeated="2"/>'
        f"<table:table-header-rows>{_row(head, 'Head')}</table:table-header-rows>{body}</table:table>"
    )


def _row(cells: tuple[str, ...], style: str) -> str:
    name, number = ("HeadName", "HeadNumber") if style == "Head" else ("Table_20_Contents", "Number")
    parts = "".join(
        f'<table:table-cell table:style-name="{style}" office:value-type="string">'
        f'<text:p text:style-name="{number if index else name}">{escape(cell)}</text:p></table:table-cell>'
        for index, cell in enumerate(cells)
    )
    return f"<table:table-row>{parts}</table:table-row>"


def write(target: Path) -> None:
    """Writes the document, whole or not at all."""
    draft = target.with_suffix(".draft")
    parts = {"META-INF/manifest.xml": _MANIFEST, "styles.xml": styles(), "content.xml": content()}
    with zipfile.ZipFile(draft, "w") as archive:
        archive.writestr(entry("mimetype"), _MIME, zipfile.ZIP_STORED)
        for name, text in parts.items():
            archive.writestr(entry(name), text, zipfile.ZIP_DEFLATED)
    draft.replace(target)


def entry(name: str) -> zipfile.ZipInfo:
    """An entry with a time and rights that are the same on every machine."""
    info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
    info.create_system = 3
    info.external_attr = 0o644 << 16
    return info


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    write(TARGET)
    print(f"wrote {TARGET.name}: {TARGET.stat().st_size} bytes")
