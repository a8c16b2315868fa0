"""Content of a file that a simulation writes: the least that its suffix promises."""

import io
import zipfile
from pathlib import Path
from typing import Final

_ODF: Final = {".odt": "text", ".ods": "spreadsheet", ".odp": "presentation", ".odg": "graphics"}
_PARTS: Final = {".docx": "word/document.xml", ".xlsx": "xl/workbook.xml", ".pptx": "ppt/presentation.xml"}
_OLD: Final = frozenset({".doc", ".xls", ".ppt"})


def content_of(path: Path) -> bytes:
    suffix = path.suffix.lower()
    if suffix in _ODF:
        return _archive("mimetype", f"application/vnd.oasis.opendocument.{_ODF[suffix]}")
    if suffix in _PARTS:
        return _archive(_PARTS[suffix], "<part/>")
    if suffix in _OLD:
        return b"\xd0\xcf\x11\xe0 simulation"
    return {".pdf": b"%PDF-1.4\n%%EOF\n", ".rtf": b"{\\rtf1 simulation}"}.get(suffix, b"<?xml?> simulation\n")


def _archive(name: str, text: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, text)
    return packed.getvalue()
