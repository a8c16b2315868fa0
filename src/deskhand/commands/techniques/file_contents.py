"""Whether a text stands in a file, also where the file is packed (contract 4.2)."""

import codecs
import html
import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

_MOST_BYTES: Final = 16 * 1024 * 1024
_MOST_PARTS: Final = 1000
_ENCRYPTED: Final = 0x1
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError, ValueError)
_ZIP: Final = b"PK\x03\x04"
_CLOSED: Final = (
    (b"%PDF-", "a PDF packs its text"),
    (b"\x1f\x8b", "it is packed by gzip"),
    (b"BZh", "it is packed by bzip2"),
    (b"\xfd7zXZ\x00", "it is packed by xz"),
    (b"\x28\xb5\x2f\xfd", "it is packed by zstd"),
    (b"7z\xbc\xaf\x27\x1c", "it is packed by 7-Zip"),
    (_ZIP, "it is packed itself"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "it is of an older office format, or encrypted"),
)
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as the next one does
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF32_BE, "utf-32"),
)
_OPEN_IT: Final = "open it in its application and look at what shows"
_NOT_CONTENT: Final = re.compile(
    r"META-INF/|Configurations2/|settings\.xml$|manifest\.rdf$|meta\.xml$|mimetype$|.*\.rels$|docProps/|\[Content_Types\]"
    r"|(Basic|Dialogs)/.*\.xml$|Scripts/(python|beanshell|javascript)/|.*vbaProject\.bin$"
    r"|ObjectReplacements/|layout-cache$|.*printerSettings\d*\.bin$"
    r"|.*\.(png|jpe?g|gif|bmp|ico|tiff?|webp|wdp|emf|wmf|svm|ttf|otf|odttf|fntdata|mp3|mp4|wav)$",
    re.IGNORECASE,
)
"""Parts that say something of a document and are not what stands in it, its macros, and those that have no text."""
_MARKUP: Final = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>|<(/?)(?:[\w.-]+:)?([\w.-]+)[^>]*>", re.DOTALL)
_ENDS_A_LINE: Final = frozenset(
    {"p", "h", "li", "br", "line-break", "row", "table-row", "tr", "tc", "table-cell", "covered-table-cell", "c", "si"}
)
_DELETED: Final = frozenset({"tracked-changes", "delText", "moveFrom"})
"""In which a document keeps what was deleted, or moved away, while changes were recorded."""
_SPACES: Final = frozenset({"s", "tab"})


@dataclass(frozen=True, slots=True)
class Found:
    """`holds` None: nobody knows; `where` says what was looked through, or `why` it could not be."""

    holds: bool | None
    where: str = ""
    why: str = ""


def look_for(text: str, content: bytes) -> Found:
    """Whether the text stands in what a file holds. The parts of a zip, as office documents are, are looked through."""
    if content.startswith(_ZIP):
        return _in_zip(text, content)
    holds = _stands_in(text, content)
    untold = "" if holds else _why_untold(text, content)
    return Found(None, why=f"{untold}: {_OPEN_IT}") if untold else Found(holds, f"its {len(content)} bytes")


def _stands_in(text: str, data: bytes) -> bool:
    """Whether it stands in what is no markup, however its lines end."""
    text, lines = (each.replace("\r\n", "\n").replace("\r", "\n") for each in (text, _decoded(data)))
    return text in lines


def _why_untold(text: str, data: bytes) -> str:
    """Why a text that was not found may stand there all the same; empty: it does not."""
    closed = next((why for mark, why in _CLOSED if data.startswith(mark)), "")
    if closed or _mark_of(data):
        return closed
    if b"\0" in data:
        return "it is no plain text"
    return "" if text.isascii() or _is_utf_8(data) else "its text is not in UTF-8"


def _mark_of(data: bytes) -> str:
    """The encoding that it begins with the mark of, empty for none."""
    return next((name for mark, name in _MARKS if data.startswith(mark)), "")


def _decoded(data: bytes) -> str:
    """What is not in the encoding is like no other text."""
    marked = _mark_of(data)
    return data.decode(marked, errors="replace") if marked else data.decode(errors="surrogateescape")


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _in_zip(text: str, content: bytes) -> Found:
    """Bounded in bytes and in parts, whatever the archive says of itself."""
    looked, left, untold = 0, _MOST_BYTES, ""
    wanted = _as_lines(text)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = [part for part in archive.infolist() if not part.is_dir()]
            if _is_encrypted(archive, parts):
                return Found(None, why=f"it is encrypted: {_OPEN_IT}")
            inside = _of_content(parts)
            for part in inside[:_MOST_PARTS]:
                with archive.open(part) as file:
                    data = file.read(left + 1)
                left -= len(data)
                looked += 1
                if wanted in _text_of(data) if _is_xml(part, data) else _stands_in(text, data):
                    return Found(True, f"its part {part.filename}")
                if left < 0 or (looked == _MOST_PARTS < len(inside)):
                    return Found(None, why=f"unpacked it is too much to look through: {_OPEN_IT}")
                if why := _why_untold(text, data):
                    untold = untold or f"of its part {part.filename} nobody can say, {why}"
    except _DAMAGED as error:
        return Found(None, why=f"it cannot be unpacked ({error}): {_OPEN_IT}")
    return Found(None, why=f"{untold}: {_OPEN_IT}") if untold else Found(False, f"the text of its {looked} parts")


def _is_encrypted(archive: zipfile.ZipFile, parts: list[zipfile.ZipInfo]) -> bool:
    """Raises: what reading a zip raises."""
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        return True
    manifest = next((part for part in parts if part.filename == "META-INF/manifest.xml"), None)
    if manifest is None:
        return False
    with archive.open(manifest) as file:
        return b"encryption-data" in file.read(_MOST_BYTES)


def _of_content(parts: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """What stands in the document itself first."""
    content = [part for part in parts if not _NOT_CONTENT.match(part.filename)]
    return sorted(content, key=lambda part: PurePosixPath(part.filename).stem not in {"content", "document"})


def _is_xml(part: zipfile.ZipInfo, data: bytes) -> bool:
    return part.filename.lower().endswith((".xml", ".xhtml", ".html")) or data.startswith(b"<?xml")


def _text_of(data: bytes) -> str:
    """What stands between the marks of an XML part, a paragraph or cell a line, without what was deleted."""
    marked = re.sub(r"\s+", " ", _decoded(data))
    return _as_lines(html.unescape("".join(_kept(marked))))


def _kept(marked: str) -> Iterator[str]:
    deleted, end = "", 0  # the element of deleted text that is open
    for mark in _MARKUP.finditer(marked):
        name = mark[3] or ""
        if not deleted:
            yield marked[end : mark.start()]
            yield _instead(mark)
            deleted = name if name in _DELETED and not _is_end(mark) else ""
        elif name == deleted and _is_end(mark):
            deleted = ""
        end = mark.end()
    if not deleted:
        yield marked[end:]


def _is_end(mark: re.Match[str]) -> bool:
    return bool(mark[2]) or mark[0].endswith("/>")


def _instead(mark: re.Match[str]) -> str:
    cdata, name = mark[1], mark[3]
    if cdata is not None:
        return html.escape(cdata)
    if name in _SPACES:
        return " "
    return "\n" if _is_end(mark) and name in _ENDS_A_LINE else ""


def _as_lines(text: str) -> str:
    """With single spaces, and none around the ends of lines."""
    return re.sub(r" *\n[ \n]*", "\n", re.sub(r"[^\S\n]+", " ", text.replace("\r", "\n")))
