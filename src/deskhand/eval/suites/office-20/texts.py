"""Texts and presentations as they were saved: `.odt`, `.docx` and `.odp`."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reading import NAMES, Package, Part, Styles, at, count, plain, q, require, require_equal


@dataclass(frozen=True)
class Paragraph:
    """`level`: of a heading, else 0. `bold`: the parts of its text that are. `item`: level in a list, else 0."""

    text: str
    style: str = ""
    level: int = 0
    bold: tuple[str, ...] = ()
    item: int = 0


@dataclass(frozen=True)
class Grid:
    """A table: its rows of texts."""

    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Document:
    blocks: tuple[Paragraph | Grid, ...]
    edges: tuple[str, ...] = ()
    """Headers and footers."""
    notes: tuple[str, ...] = ()

    def texts(self) -> list[str]:
        """All of them, cell by cell."""
        found = list(self.edges + self.notes)
        for block in self.blocks:
            found += [block.text] if isinstance(block, Paragraph) else [cell for row in block.rows for cell in row]
        return found

    def headings(self, names: Collection[str]) -> list[Paragraph]:
        """The paragraphs whose whole text is one of the names."""
        return [paragraph for paragraph in self.paragraphs if paragraph.text in names]

    @property
    def paragraphs(self) -> list[Paragraph]:
        """Those with a text, outside of tables."""
        return [block for block in self.blocks if isinstance(block, Paragraph) and block.text]

    @property
    def tables(self) -> list[Grid]:
        return [block for block in self.blocks if isinstance(block, Grid)]


def replaced(document: Document, words: Mapping[str, str]) -> Document:
    """The document as it is to be once each of the words is another one, everywhere."""

    def new(text: str) -> str:
        for old, word in words.items():
            text = text.replace(old, word)
        return text

    return Document(
        tuple(
            replace(block, text=new(block.text), bold=tuple(map(new, block.bold)))
            if isinstance(block, Paragraph)
            else Grid(tuple(tuple(map(new, row)) for row in block.rows))
            for block in document.blocks
        ),
        tuple(map(new, document.edges)),
        tuple(map(new, document.notes)),
    )


def require_same(wanted: Document, found: Document) -> None:
    """Texts, tables, styles, lists and bold words; paragraphs without a text do not count."""
    filled = [
        [block for block in document.blocks if isinstance(block, Grid) or block.text] for document in (wanted, found)
    ]
    for belongs, is_there in zip(*filled, strict=False):
        require(type(is_there) is type(belongs), f"{is_there} stands where {belongs} should")
        require_equal(is_there, belongs, "a table" if isinstance(belongs, Grid) else f"the paragraph {belongs.text!r}")
    require(len(filled[0]) == len(filled[1]), f"there are {len(filled[1])} paragraphs and tables, not {len(filled[0])}")
    require(wanted.edges == found.edges, f"headers and footers are {found.edges}")
    require(wanted.notes == found.notes, f"footnotes are {found.notes}")


def read_text(path: Path) -> Document:
    """An `.odt` or `.docx`."""
    package = Package(path)
    if path.suffix == ".docx":
        return _of_word(package)
    styles = Styles(package)
    content = package.xml("content.xml")
    body = content.find(".//office:text", NAMES)
    require(body is not None and content.find(".//text:changed-region", NAMES) is None, "it has recorded changes")
    masters = [*package.find("styles.xml").iter(q("style:master-page"))]
    return Document(
        tuple(_blocks(content if body is None else body, styles, 0)),
        tuple(plain(text) for master in masters for text in master.iter(q("text:p"))),
        tuple(plain(text) for note in content.iter(q("text:note-body")) for text in note),
    )


def _blocks(node: Part, styles: Styles, item: int) -> Iterator[Paragraph | Grid]:
    for child in node:
        if child.tag in {q("text:p"), q("text:h")}:
            yield _paragraph(child, styles, item)
        elif child.tag == q("table:table"):
            yield Grid(
                tuple(
                    tuple("\n".join(map(plain, cell.iter(q("text:p")))) for cell in row.iter(q("table:table-cell")))
                    for row in child.iter(q("table:table-row"))
                )
            )
        elif child.tag in {q("text:list"), q("text:list-item"), q("text:section")}:
            yield from _blocks(child, styles, item + (child.tag == q("text:list")))


def _paragraph(node: Part, styles: Styles, item: int) -> Paragraph:
    style = at(node, "text:style-name")
    whole = styles.value("paragraph", style, "fo:font-weight") == "bold"
    level = count(node, "text:outline-level") if node.tag == q("text:h") else 0
    pieces = [(node.text or "", whole)]
    for child in node:
        name = at(child, "text:style-name")
        weight = styles.value("text", name, "fo:font-weight") if child.tag == q("text:span") else ""
        pieces += [(plain(child), weight == "bold" if weight else whole), (child.tail or "", whole)]
    return Paragraph(plain(node), styles.named("paragraph", style), level, _joined(pieces), item)


def _joined(pieces: Sequence[tuple[str, bool]]) -> tuple[str, ...]:
    """Neighbours that are bold are one piece."""
    found: list[str] = []
    before = False
    for text, bold in pieces:
        if text:
            if bold:
                found[-1:] = [found[-1] + text] if before and found else [*found[-1:], text]
            before = bold
    return tuple(found)


def _of_word(package: Package) -> Document:
    document = package.xml("word/document.xml")
    return Document(
        tuple(block for body in document for child in body for block in _word_block(child)),
        tuple(
            text
            for name in package.names(r"word/(header|footer)\d+\.xml")
            for paragraph in package.xml(name).iter(q("w:p"))
            if (text := _word_text(paragraph))
        ),
    )


def _word_block(node: Part) -> Iterator[Paragraph | Grid]:
    if node.tag == q("w:p"):
        bold = _joined([(_word_text(run), _word_bold(run)) for run in node.iter(q("w:r"))])
        yield Paragraph(_word_text(node), bold=bold)
    elif node.tag == q("w:tbl"):
        yield Grid(
            tuple(
                tuple("\n".join(map(_word_text, cell.iter(q("w:p")))) for cell in row.iter(q("w:tc")))
                for row in node.iter(q("w:tr"))
            )
        )


def _word_text(node: Part) -> str:
    return "".join(text.text or "" for text in node.iter(q("w:t")))


def _word_bold(run: Part) -> bool:
    mark = run.find("w:rPr/w:b", NAMES)
    return mark is not None and at(mark, "w:val", "1") not in {"0", "false"}


@dataclass(frozen=True)
class Slide:
    """`lines`: the paragraphs of the outline, each with its level; `others`: texts elsewhere on it."""

    name: str
    title: str
    lines: tuple[tuple[int, str], ...] = ()
    others: tuple[str, ...] = ()
    notes: str = ""
    hidden: bool = False


def read_slides(path: Path) -> list[Slide]:
    package = Package(path)
    styles = Styles(package)
    return [_slide(page, styles) for page in package.xml("content.xml").iter(q("draw:page"))]


def _slide(page: Part, styles: Styles) -> Slide:
    texts: dict[str, list[Paragraph]] = {}
    for frame in page:
        if frame.tag != q("presentation:notes"):
            inside = [block for box in frame.iter(q("draw:text-box")) for block in _blocks(box, styles, 0)]
            texts.setdefault(at(frame, "presentation:class"), []).extend(
                block for block in inside if isinstance(block, Paragraph) and block.text
            )
    notes = [plain(text) for part in page.findall("presentation:notes", NAMES) for text in part.iter(q("text:p"))]
    outline = texts.pop("outline", [])
    return Slide(
        at(page, "draw:name"),
        "\n".join(text.text for text in texts.pop("title", [])),
        tuple((text.item, text.text) for text in outline),
        tuple(text.text for group in texts.values() for text in group),
        "\n".join(filter(None, notes)),
        styles.value("drawing-page", at(page, "draw:style-name"), "presentation:visibility") == "hidden",
    )


def require_same_slides(wanted: Sequence[Slide], found: Sequence[Slide]) -> None:
    names = [slide.name for slide in found]
    require(len(found) == len(wanted), f"there are {len(found)} slides, not {len(wanted)}: {names}")
    for belongs, is_there in zip(wanted, found, strict=True):
        require_equal(is_there, belongs, f"the slide {belongs.name}")
