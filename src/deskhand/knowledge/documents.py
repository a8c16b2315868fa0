"""Readers of documents: Markdown, HTML, plain text and the text of PDF files."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from deskhand.core.errors import MissingRequirement, UsageError
from deskhand.knowledge.passages import Document, Section

MAX_BYTES: Final = 20_000_000
PDF: Final = ".pdf"
_PDF_DEADLINE_S: Final = 60.0
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*$")


def read_document(path: Path, content: bytes) -> Document:
    """A document from the content of its file. Raises: UsageError (the content does not fit its name),
    MissingRequirement.
    """
    if len(content) > MAX_BYTES:
        raise UsageError(
            f"{path} has {len(content)} bytes; a document may have {MAX_BYTES}", fix="split it, or leave it out"
        )
    suffix = path.suffix.lower()
    if suffix == PDF:
        return _pages(path.stem, _pdf_text(path))
    text = _decoded(path, content)
    return _READERS[suffix](path.stem, text)


def check_pdf_reader() -> None:
    """Raises: MissingRequirement if no reader of PDF files is installed."""
    if shutil.which("pdftotext") is None:
        raise MissingRequirement(
            "pdftotext, which reads PDF files, is not installed", fix="apt-get install poppler-utils"
        )


def _decoded(path: Path, content: bytes) -> str:
    """Text in UTF-8, else in the Windows encoding of older pages and notes. Raises: UsageError if it is not text."""
    if b"\0" in content:
        raise UsageError(f"{path} is not text", fix="leave it out, or save it as UTF-8 text")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace")


def _pdf_text(path: Path) -> str:
    check_pdf_reader()
    command = ["pdftotext", "-enc", "UTF-8", "-q", "--", str(path), "-"]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_PDF_DEADLINE_S)
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{path}: pdftotext did not finish in {_PDF_DEADLINE_S:.0f} s", fix="leave it out") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.returncode}"
        raise UsageError(f"{path}: pdftotext cannot read it: {said}", fix="leave it out, or repair it")
    return done.stdout.decode("utf-8", "replace")


def _pages(title: str, text: str) -> Document:
    pages = text.split("\f")
    sections = [Section((f"page {number}",), page) for number, page in enumerate(pages, start=1) if page.strip()]
    return Document(title, tuple(sections))


def _plain(title: str, text: str) -> Document:
    return Document(title, (Section((), text),))


class _Outline:
    """Sections as they are read, under the open headings."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self._open: list[tuple[int, str]] = []
        self._lines: list[str] = []

    def line(self, text: str) -> None:
        if text or (self._lines and self._lines[-1]):  # one empty line is enough
            self._lines.append(text)

    def take_back(self) -> str:
        """Take back the latest line, which turned out to be a heading."""
        return self._lines.pop() if self._lines else ""

    def heading(self, level: int, name: str) -> None:
        self.close()
        self._open = [*((depth, other) for depth, other in self._open if depth < level), (level, name)]

    def close(self) -> None:
        text = "\n".join(self._lines).strip()
        if text:
            self.sections.append(Section(tuple(name for _, name in self._open), text))
        self._lines.clear()


def _markdown(title: str, text: str) -> Document:
    outline, fence = _Outline(), ""
    before = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and line.strip() == mark[1])):
            fence = "" if fence else mark[1]
        elif not fence and (heading := _HEADING.match(line)):
            outline.heading(len(heading[1]), heading[2])
            before = ""
            continue
        elif not fence and before.strip() and (under := _UNDERLINE.match(line)) and not before.startswith((" ", "-")):
            outline.heading(1 if under[1][0] == "=" else 2, outline.take_back().strip())
            before = ""
            continue
        outline.line(line)
        before = line
    outline.close()
    return Document(title, tuple(outline.sections))


_SILENT: Final = frozenset({"script", "style", "template", "noscript", "svg", "nav"})
_ENDS_A_LINE: Final = frozenset(
    {
        *("address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption", "footer", "form"),
        *("header", "hr", "li", "main", "ol", "p", "pre", "section", "table", "tr", "ul"),
    }
)
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}


class _Page(HTMLParser):
    """Text of a page under its headings."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.outline = _Outline()
        self.title = ""
        self._words: list[str] = []
        self._silent: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - the library's
        if tag in _SILENT:
            self._silent.append(tag)
        elif tag in _HEADINGS or tag in _ENDS_A_LINE:
            self._end_line(empty=tag in {"p", "table", "ul", "ol", "dl"})
            if tag == "li":
                self._words.append("- ")
        elif tag in {"td", "th"} and self._words:
            self._words.append(" | ")
        elif tag == "title":
            self._in_title = True

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            if tag in self._silent:
                del self._silent[self._silent.index(tag) :]
        elif tag in _HEADINGS:
            self.outline.heading(_HEADINGS[tag], self._taken())
        elif tag in _ENDS_A_LINE:
            self._end_line(empty=tag in {"p", "table", "ul", "ol", "dl"})
        elif tag == "title":
            self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._silent:
            self._words.append(data)

    def finish(self) -> None:
        self.close()
        self._end_line(empty=False)
        self.outline.close()

    def _taken(self) -> str:
        text = " ".join("".join(self._words).split())
        self._words.clear()
        return text

    def _end_line(self, *, empty: bool) -> None:
        if text := self._taken():
            self.outline.line(text)
        if empty:
            self.outline.line("")


def _html(title: str, text: str) -> Document:
    page = _Page()
    page.feed(text)
    page.finish()
    return Document(" ".join(page.title.split()) or title, tuple(page.outline.sections))


_READERS: Final = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".txt": _plain,
    ".text": _plain,
    ".rst": _plain,
}
SUFFIXES: Final = frozenset({*_READERS, PDF})
