"""The text of a PDF."""

import re
import zlib
from collections.abc import Mapping
from pathlib import Path

from reading import require


def read_pdf(path: Path) -> str:
    """The text of a PDF as LibreOffice writes it: pages of text in fonts that map their glyphs to characters."""
    require(path.is_file(), f"{path.name} is not there")
    raw = path.read_bytes()
    require(raw.startswith(b"%PDF-") and raw.rstrip().endswith(b"%%EOF"), f"{path.name} is no whole PDF")
    objects = dict(re.findall(rb"(?:^|\n)(\d+) 0 obj\b(.*?)\bendobj", raw, re.DOTALL))
    maps = {
        name: _glyphs(_stream(objects.get(_reference(objects.get(number, b""), b"ToUnicode"), b"")))
        for fonts in objects.values()
        for name, number in re.findall(rb"/(F\d+) (\d+) 0 R", fonts)
    }
    pages = [body for body in objects.values() if re.search(rb"/Type\s*/Page\b", body)]
    return "\n".join(_shown(_stream(objects.get(_reference(page, b"Contents"), b"")), maps) for page in pages)


def _reference(body: bytes, key: bytes) -> bytes:
    found = re.search(rb"/" + key + rb"\s+(\d+) 0 R", body)
    return found[1] if found else b""


def _stream(body: bytes) -> bytes:
    found = re.search(rb"stream\r?\n(.*)\r?\nendstream", body, re.DOTALL)
    return zlib.decompress(found[1]) if found else b""


def _glyphs(table: bytes) -> dict[int, str]:
    """A font's characters, by the numbers of its glyphs."""
    glyphs: dict[int, str] = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.DOTALL):
        for glyph, text in re.findall(rb"<(\w+)>\s*<(\w+)>", block):
            glyphs[int(glyph, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
    return glyphs


def _shown(content: bytes, maps: Mapping[bytes, Mapping[int, str]]) -> str:
    text, glyphs = "", dict[int, str]()
    for font, string, moved in re.findall(rb"/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>|(\bTm\b|\bTd\b)", content):
        if font:
            glyphs = dict(maps.get(font, {}))
        elif moved:
            text += "\n"
        else:
            text += "".join(glyphs.get(byte, "") for byte in bytes.fromhex(string.decode()))
    return text
