"""Search for a text in a file, also in packed files (contract 4.2)."""

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
    (codecs.BOM_UTF32_LE, "utf-32"),  # before the next one, which it begins with
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF32_BE, "utf-32"),
)
_OPEN_IT: Final = "open it in its application and check the window"
_NOT_CONTENT: Final = re.compile(
    r"META-INF/|Configurations2/|settings\.xml$|manifest\.rdf$|meta\.xml$|mimetype$|.*\.rels$|docProps/|\[Content_Types\]"
    r"|(Basic|Dialogs)/.*\.xml$|Scripts/(python|beanshell|javascript)/|.*vbaProject\.bin$"
    r"|ObjectReplacements/|layout-cache$|.*printerSettings\d*\.bin$"
    r"|.*\.(png|jpe?g|gif|bmp|ico|tiff?|webp|wdp|emf|wmf|svm|ttf|otf|odttf|fntdata|mp3|mp4|wav)$",
    re.IGNORECASE,
)
"""Parts about a document, its macros, and those without text: they are no content."""
_MARKUP: Final = re.compile(r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(.*?)\]\]>|<(/?)(?:[\w.-]+:)?([\w.-]+)[^>]*>", re.DOTALL)
_ENDS_A_LINE: Final = frozenset(
    {"p", "h", "li", "br", "line-break", "row", "table-row", "tr", "tc", "table-cell", "covered-table-cell", "c", "si"}
)
_DELETED: Final = frozenset({"tracked-changes", "delText", "moveFrom"})
"""Elements with text that was deleted, or moved away, while changes were recorded."""
_SPACES: Final = frozenset({"s", "tab"})


@dataclass(frozen=True, slots=True)
class Found:
    """`holds` None: not known; `where`: the searched part, or `why` it could not be searched."""

    holds: bool | None
    where: str = ""
    why: str = ""


def search(text: str, content: bytes) -> Found:
    """Search a file's content for the text, in the parts of a zip such as an office document."""
    if content.startswith(_ZIP):
        return _in_zip(text, content)
    holds = _contains(text, content)
    unsearchable = "" if holds else _why_unsearchable(text, content)
    return Found(None, why=f"{unsearchable}: {_OPEN_IT}") if unsearchable else Found(holds, f"its {len(content)} bytes")


def _contains(text: str, data: bytes) -> bool:
    """Search plain data, with any line ends."""
    text, lines = (each.replace("\r\n", "\n").replace("\r", "\n") for each in (text, _decoded(data)))
    return text in lines


def _why_unsearchable(text: str, data: bytes) -> str:
    """The reason why a text may be there although it was not found; empty: none."""
    closed = next((why for mark, why in _CLOSED if data.startswith(mark)), "")
    if closed or _mark_of(data):
        return closed
    if b"\0" in data:
        return "it is no plain text"
    return "" if text.isascii() or _is_utf_8(data) else "its text is not in UTF-8"


def _mark_of(data: bytes) -> str:
    """The encoding of its byte order mark; empty without one."""
    return next((name for mark, name in _MARKS if data.startswith(mark)), "")


def _decoded(data: bytes) -> str:
    """Bytes outside of the encoding become characters that match no other text."""
    marked = _mark_of(data)
    return data.decode(marked, errors="replace") if marked else data.decode(errors="surrogateescape")


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _in_zip(text: str, content: bytes) -> Found:
    """Bounded in bytes and in parts, not by the archive's own figures."""
    searched, left, unsearchable = 0, _MOST_BYTES, ""
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
                searched += 1
                if wanted in _text_of(data) if _is_xml(part, data) else _contains(text, data):
                    return Found(True, f"its part {part.filename}")
                if left < 0 or (searched == _MOST_PARTS < len(inside)):
                    return Found(None, why=f"unpacked it is too large to search: {_OPEN_IT}")
                if why := _why_unsearchable(text, data):
                    unsearchable = unsearchable or f"its part {part.filename} cannot be searched: {why}"
    except _DAMAGED as error:
        return Found(None, why=f"it cannot be unpacked ({error}): {_OPEN_IT}")
    return (
        Found(None, why=f"{unsearchable}: {_OPEN_IT}")
        if unsearchable
        else Found(False, f"the text of its {searched} parts")
    )


def _is_encrypted(archive: zipfile.ZipFile, parts: list[zipfile.ZipInfo]) -> bool:
    """Raises: as reading a zip."""
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        return True
    manifest = next((part for part in parts if part.filename == "META-INF/manifest.xml"), None)
    if manifest is None:
        return False
    with archive.open(manifest) as file:
        return b"encryption-data" in file.read(_MOST_BYTES)


def _of_content(parts: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The parts with content, those of the document itself first."""
    content = [part for part in parts if not _NOT_CONTENT.match(part.filename)]
    return sorted(content, key=lambda part: PurePosixPath(part.filename).stem not in {"content", "document"})


def _is_xml(part: zipfile.ZipInfo, data: bytes) -> bool:
    return part.filename.lower().endswith((".xml", ".xhtml", ".html")) or data.startswith(b"<?xml")


def _text_of(data: bytes) -> str:
    """The text of an XML part, a paragraph or cell a line, without deleted text."""
    marked = re.sub(r"\s+", " ", _decoded(data))
    return _as_lines(html.unescape("".join(_undeleted(marked))))


def _undeleted(marked: str) -> Iterator[str]:
    deleted, end = "", 0  # the open element of deleted text
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
    """Collapse spaces, and remove those around line ends."""
    return re.sub(r" *\n[ \n]*", "\n", re.sub(r"[^\S\n]+", " ", text.replace("\r", "\n")))
