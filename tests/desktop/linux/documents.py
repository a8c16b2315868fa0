"""Documents for tests, written with the standard library alone."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape
from zipfile import ZIP_STORED, ZipFile

_TYPE: Final = "application/vnd.oasis.opendocument.text"
_MANIFEST: Final = (
    '<?xml version="1.0"?><m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
    f'<m:file-entry m:full-path="/" m:media-type="{_TYPE}"/>'
    '<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>'
)
_NAMES: Final = "urn:oasis:names:tc:opendocument:xmlns:"


def write_text_document(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """A text document with one paragraph and the table `Sales`; a line break in a cell makes two paragraphs."""
    table = "".join("<t:table-row>" + "".join(map(_cell, row)) + "</t:table-row>" for row in rows)
    content = (
        f'<?xml version="1.0"?><o:document-content xmlns:o="{_NAMES}office:1.0" xmlns:t="{_NAMES}table:1.0" '
        f'xmlns:x="{_NAMES}text:1.0" o:version="1.2"><o:body><o:text><x:p>The sales of this year.</x:p>'
        f'<t:table t:name="Sales"><t:table-column t:number-columns-repeated="{len(rows[0])}"/>{table}</t:table>'
        "<x:p/></o:text></o:body></o:document-content>"
    )
    with ZipFile(path, "w", ZIP_STORED) as archive:
        archive.writestr("mimetype", _TYPE)
        archive.writestr("META-INF/manifest.xml", _MANIFEST)
        archive.writestr("content.xml", content)


def _cell(text: str) -> str:
    paragraphs = "".join(f"<x:p>{escape(line)}</x:p>" for line in text.split("\n"))
    return f"<t:table-cell>{paragraphs}</t:table-cell>"
