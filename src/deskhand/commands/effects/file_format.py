"""The format of a file, by its content: a saved file is in the format that its suffix promises."""

import zipfile
from pathlib import Path
from typing import Final

_ODF: Final = "application/vnd.oasis.opendocument."
_MEDIA: Final = {
    ".odt": f"{_ODF}text",
    ".ott": f"{_ODF}text-template",
    ".ods": f"{_ODF}spreadsheet",
    ".ots": f"{_ODF}spreadsheet-template",
    ".odp": f"{_ODF}presentation",
    ".otp": f"{_ODF}presentation-template",
    ".odg": f"{_ODF}graphics",
    ".otg": f"{_ODF}graphics-template",
}
_PARTS: Final = {
    ".docx": "word/document.xml",
    ".xlsx": "xl/workbook.xml",
    ".pptx": "ppt/presentation.xml",
}
_BEGINNINGS: Final = {
    ".pdf": b"%PDF-",
    ".rtf": b"{\\rtf",
    **dict.fromkeys((".doc", ".xls", ".ppt"), b"\xd0\xcf\x11\xe0"),
    **dict.fromkeys((".fodt", ".fods", ".fodp", ".fodg"), b"<?xml"),
}
_END_OF_PDF: Final = b"%%EOF"
_TAIL: Final = 1024


def format_defect(file: Path) -> str:
    """A sentence: the file is not a whole one of the format of its suffix; empty if it is, or the suffix says nothing.

    Raises: OSError.
    """
    suffix = file.suffix.lower()
    if suffix in _MEDIA or suffix in _PARTS:
        return _defect_of_zip(file, suffix)
    beginning = _BEGINNINGS.get(suffix)
    if beginning is None:
        return ""
    with file.open("rb") as opened:
        if opened.read(len(beginning)) != beginning:
            return f"{file.name} is no file of the kind {suffix}"
        opened.seek(max(0, file.stat().st_size - _TAIL))
        if suffix == ".pdf" and _END_OF_PDF not in opened.read():
            return f"{file.name} has no end"
    return ""


def _defect_of_zip(file: Path, suffix: str) -> str:
    try:
        with zipfile.ZipFile(file) as archive:
            if (damaged := archive.testzip()) is not None:
                return f"{file.name} is damaged: {damaged}"
            if suffix in _PARTS:
                return "" if _PARTS[suffix] in archive.namelist() else f"{file.name} is no file of the kind {suffix}"
            media = archive.read("mimetype").decode(errors="replace")
    except (zipfile.BadZipFile, KeyError, EOFError) as error:
        return f"{file.name} is no file of the kind {suffix}: {error}"
    return "" if media == _MEDIA[suffix] else f"{file.name} has the format {media}"
