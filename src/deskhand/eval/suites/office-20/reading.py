"""Reads saved office files for the checks of this suite, with the standard library alone and nothing of Deskhand's.

A check is a function of two folders, where the session worked and the task's own; `main` runs it and prints the reason
if the result is wrong.
"""

import os
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import Field, fields
from datetime import date, datetime
from pathlib import Path
from typing import ClassVar, Protocol
from xml.etree import ElementTree as ET

Check = Callable[[Path, Path], None]
Part = ET.Element


class Record(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[object]]]


class Wrong(Exception):
    """The result is wrong; the message is the reason."""


def main(check: Check) -> None:
    """Exit code 1 and one line if the result is wrong. A fault of the check itself is a traceback."""
    try:
        check(Path.cwd(), Path(os.environ["DESKHAND_TASK"]))
    except Wrong as wrong:
        sys.stdout.write(str(wrong).replace("\n", " ") + "\n")
        sys.exit(1)


def require(condition: object, reason: str) -> None:
    """Raises: Wrong."""
    if not condition:
        raise Wrong(reason)


def require_equal(found: Record, wanted: Record, name: str) -> None:
    """Of dataclasses of one kind; the reason names the first field that differs."""
    for each in fields(wanted):
        is_there, belongs = getattr(found, each.name), getattr(wanted, each.name)
        require(is_there == belongs, f"{name}: {each.name} is {is_there!r}, not {belongs!r}")


def require_same_file(before: Path, after: Path) -> None:
    """Byte by byte."""
    same = after.is_file() and after.read_bytes() == before.read_bytes()
    require(same, f"{after.name} is not as it was")


_URN = "urn:oasis:names:tc:opendocument:xmlns"
NAMES = {
    **{
        short: f"{_URN}:{name}:1.0"
        for short, name in {
            "office": "office",
            "text": "text",
            "table": "table",
            "style": "style",
            "draw": "drawing",
            "presentation": "presentation",
            "chart": "chart",
            "config": "config",
            "fo": "xsl-fo-compatible",
        }.items()
    },
    "calcext": "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "s": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
}


def q(name: str) -> str:
    """`text:p` → the name as ElementTree has it."""
    prefix, word = name.split(":")
    return f"{{{NAMES[prefix]}}}{word}"


def at(node: Part, name: str, default: str = "") -> str:
    return node.get(q(name), default)


def figure(text: str) -> float:
    """Raises: Wrong if it is no number, as in a damaged file."""
    try:
        return float(text)
    except ValueError:
        raise Wrong(f"the file is damaged: {text!r} is no number") from None


def day(text: str) -> date:
    """The day of a date, or of a time on it. Raises: Wrong."""
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        raise Wrong(f"the file is damaged: {text!r} is no date") from None


def count(node: Part, name: str) -> int:
    """A number of repetitions or a level, which is 1 where it is not stated."""
    return int(figure(at(node, name, "1")))


class Package:
    """The XML parts of a file. Raises: Wrong if it is missing or damaged."""

    def __init__(self, path: Path) -> None:
        require(path.is_file(), f"{path.name} is not there")
        self.name = path.name
        try:
            with zipfile.ZipFile(path) as archive:
                self._parts = {name: archive.read(name) for name in archive.namelist()}
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise Wrong(f"{path.name} is damaged: {error}") from error

    def names(self, pattern: str) -> list[str]:
        return sorted(name for name in self._parts if re.fullmatch(pattern, name))

    def xml(self, name: str) -> Part:
        require(name in self._parts, f"{self.name} is damaged: it has no {name}")
        try:
            return ET.fromstring(self._parts[name])  # noqa: S314 - expat refuses documents that grow without bound
        except ET.ParseError as error:
            raise Wrong(f"{self.name} is damaged: {name}: {error}") from error

    def find(self, name: str) -> Part:
        """The same, empty if there is no such part."""
        return self.xml(name) if name in self._parts else ET.Element("none")


class Styles:
    """The styles of a document, with inheritance."""

    def __init__(self, package: Package) -> None:
        self.automatic: set[str] = set()
        self._styles: dict[tuple[str, str], Part] = {}
        for part in ("styles.xml", "content.xml"):
            root = package.find(part)
            for style in root.iter(q("style:style")):
                self._styles[at(style, "style:family"), at(style, "style:name")] = style
            for group in root.iter(q("office:automatic-styles")):
                self.automatic |= {at(style, "style:name") for style in group}

    def chain(self, family: str, name: str) -> Iterator[Part]:
        """The style and its ancestors."""
        seen: set[str] = set()
        while name not in seen and (style := self._styles.get((family, name))) is not None:
            yield style
            seen.add(name)
            name = at(style, "style:parent-style-name")

    def value(self, family: str, name: str, attribute: str) -> str:
        """Of an attribute of one of its properties, such as `fo:font-weight`; empty if none has it."""
        for style in self.chain(family, name):
            for properties in style:
                if found := at(properties, attribute):
                    return found
        return ""

    def named(self, family: str, name: str) -> str:
        """The style that a user would see: itself, or the first ancestor that is not automatic."""
        for style in self.chain(family, name):
            if at(style, "style:name") not in self.automatic:
                return at(style, "style:display-name") or at(style, "style:name")
        return name


def plain(node: Part) -> str:
    """The text inside, without notes and comments."""
    if node.tag in {q("text:note"), q("office:annotation"), q("text:bookmark")}:
        return ""
    own = {
        q("text:s"): " " * count(node, "text:c"),
        q("text:tab"): "\t",
        q("text:line-break"): "\n",
    }.get(node.tag, node.text or "")
    return own + "".join(plain(child) + (child.tail or "") for child in node)
