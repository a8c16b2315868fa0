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
from pathlib import Path
from xml.etree import ElementTree as ET

Check = Callable[[Path, Path], None]
Part = ET.Element


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
        while (style := self._styles.get((family, name))) is not None:
            yield style
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
        q("text:s"): " " * int(at(node, "text:c", "1")),
        q("text:tab"): "\t",
        q("text:line-break"): "\n",
    }.get(node.tag, node.text or "")
    return own + "".join(plain(child) + (child.tail or "") for child in node)
