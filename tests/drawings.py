"""Drawings and presentations for tests, written with nothing but the standard library: `.odg` and `.odp`."""

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr

PAGE: Final = (25, 14)
"""Width and height of a page in centimetres."""

_ODF: Final = "urn:oasis:names:tc:opendocument:xmlns"
_KINDS: Final = {".odg": ("graphics", "drawing"), ".odp": ("presentation", "presentation")}
_NAMES: Final = "".join(
    f' xmlns:{short}="{_ODF}:{name}:1.0"'
    for short, name in (
        ("office", "office"),
        ("draw", "drawing"),
        ("style", "style"),
        ("text", "text"),
        ("table", "table"),
        ("fo", "xsl-fo-compatible"),
        ("svg", "svg-compatible"),
        ("presentation", "presentation"),
    )
)
_STYLES: Final = (
    f'<?xml version="1.0" encoding="UTF-8"?><office:document-styles office:version="1.3"{_NAMES}>'
    '<office:styles><style:style style:name="Default-title" style:family="presentation"/></office:styles>'
    '<office:automatic-styles><style:page-layout style:name="p"><style:page-layout-properties'
    f' fo:page-width="{PAGE[0]}cm" fo:page-height="{PAGE[1]}cm"/></style:page-layout></office:automatic-styles>'
    '<office:master-styles><style:master-page style:name="Default" style:page-layout-name="p"/></office:master-styles>'
    "</office:document-styles>"
)


@dataclass(frozen=True)
class Shape:
    """A filled rectangle at a place in centimetres (left, top, width, height)."""

    name: str
    place: tuple[float, float, float, float]
    text: str = ""


@dataclass(frozen=True)
class Title:
    """The title of a slide; empty: its placeholder."""

    text: str


@dataclass(frozen=True)
class Group:
    """Shapes that are one."""

    name: str
    shapes: Sequence[Shape]


@dataclass(frozen=True)
class Grid:
    """A table at such a place."""

    name: str
    place: tuple[float, float, float, float]
    rows: Sequence[Sequence[str]]


Drawn = Shape | Title | Group | Grid


def write_drawing(path: Path, *pages: Sequence[Drawn]) -> Path:
    """One of pages that are called P1, P2 and so on; what comes later in one lies over what comes before."""
    kind, body = _KINDS[path.suffix]
    media = f"application/vnd.oasis.opendocument.{kind}"
    body_of = "".join(
        f'<draw:page draw:name="P{number}" draw:master-page-name="Default">{"".join(map(drawn, page))}</draw:page>'
        for number, page in enumerate(pages, 1)
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content office:version="1.3"{_NAMES}>'
        f"<office:body><office:{body}>{body_of}</office:{body}></office:body></office:document-content>"
    )
    manifest = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="{type_}"/>'
        for name, type_ in (("/", media), ("content.xml", "text/xml"), ("styles.xml", "text/xml"))
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", media)
        archive.writestr(
            "META-INF/manifest.xml",
            f'<?xml version="1.0" encoding="UTF-8"?><manifest:manifest xmlns:manifest="{_ODF}:manifest:1.0"'
            f' manifest:version="1.3">{manifest}</manifest:manifest>',
        )
        archive.writestr("styles.xml", _STYLES)
        archive.writestr("content.xml", content)
    return path


def drawn(thing: Drawn) -> str:
    if isinstance(thing, Title):
        return _title(thing.text)
    name = f"draw:name={quoteattr(thing.name)}"
    if isinstance(thing, Group):
        return f"<draw:g {name}>{''.join(map(drawn, thing.shapes))}</draw:g>"
    left, top, width, height = thing.place
    place = f'svg:x="{left}cm" svg:y="{top}cm" svg:width="{width}cm" svg:height="{height}cm"'
    if isinstance(thing, Shape):
        return f"<draw:rect {name} {place}><text:p>{escape(thing.text)}</text:p></draw:rect>"
    columns = "<table:table-column/>" * len(thing.rows[0])
    rows = "".join(f"<table:table-row>{''.join(map(_cell, row))}</table:table-row>" for row in thing.rows)
    return f"<draw:frame {name} {place}><table:table>{columns}{rows}</table:table></draw:frame>"


def _title(text: str) -> str:
    empty = "" if text else ' presentation:placeholder="true"'
    return (
        f'<draw:frame presentation:style-name="Default-title" presentation:class="title"{empty} svg:x="1cm"'
        ' svg:y="1cm" svg:width="22cm" svg:height="2cm"><draw:text-box>'
        f"<text:p>{escape(text)}</text:p></draw:text-box></draw:frame>"
    )


def _cell(text: str) -> str:
    return f"<table:table-cell><text:p>{escape(text)}</text:p></table:table-cell>"
