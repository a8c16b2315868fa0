"""Check of a text document before a program opens it: the program would show a dialog for a damaged one."""

import zipfile
import zlib
from pathlib import Path
from typing import Final
from xml.parsers import expat

from deskhand.cli.preflight import readable_file
from deskhand.core.errors import UsageError

_CONTENT: Final = {".odt": "content.xml", ".docx": "word/document.xml"}
_MANIFEST: Final = "META-INF/manifest.xml"
_ENCRYPTED: Final = b"encryption-data"
_OLE: Final = b"\xd0\xcf\x11\xe0"
"""First bytes of the older container: Word's protected documents, and those from before 2007."""
_AT_ONCE: Final = 1 << 20
_DAMAGED: Final = (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError, RuntimeError, zlib.error)


def text_document(document: Path) -> Path:
    """Return the document as an absolute path. Raises: UsageError if a program would show a dialog instead of it."""
    content = _CONTENT.get(document.suffix.lower())
    if content is None:
        raise UsageError(f"{document} is not a .odt or .docx file", fix="give a .odt or .docx file")
    path = readable_file(document, option="--document")
    try:
        problem = _problem(path, content)
    except OSError as error:
        raise UsageError(
            f"cannot read {document}: {error.strerror or error}", fix="give the path of a readable file"
        ) from error
    except _DAMAGED as error:
        raise _damaged(document) from error
    except expat.ExpatError as error:
        raise _damaged(document) from error
    if problem:
        raise UsageError(
            f"{document} {problem}", fix="open it in a text program, save it without a password, and give that file"
        )
    return path


def _problem(path: Path, content: str) -> str:
    """Reason why the document cannot be opened, empty if there is none. Raises the errors of reading a damaged one."""
    with path.open("rb") as file:
        if path.suffix.lower() == ".docx" and file.read(len(_OLE)) == _OLE:
            return "is protected by a password, or is a Word document from before 2007"
    with zipfile.ZipFile(path) as archive:
        archive.getinfo(content)
        if _MANIFEST in archive.namelist() and _ENCRYPTED in archive.read(_MANIFEST):
            return "is protected by a password"
        parser = expat.ParserCreate()
        with archive.open(content) as text:
            while piece := text.read(_AT_ONCE):
                parser.Parse(piece)
        parser.Parse(b"", True)
    return ""


def _damaged(document: Path) -> UsageError:
    return UsageError(
        f"{document} is damaged, or is not a {document.suffix} document",
        fix="open it in a text program and save it again",
    )
