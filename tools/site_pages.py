"""The pages of the web site as zensical reads them, made from the pages of the repository.

Diagrams become pictures, and files of the repository that a page links to become pages.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

ROOT: Final = Path(__file__).resolve().parent.parent
DOCS: Final = ROOT / "docs"
CONTENTS: Final = DOCS / "README.md"

Entry: TypeAlias = tuple[str, str]
"""A title, and the path of its page on the site."""

LINK: Final = re.compile(r"(?<=\])(\(|: )(?!https?://|#|mailto:)([^)#\s]+)(#[^)\s]*)?(?=\)|$)", re.MULTILINE)
_FENCE: Final = re.compile(r"^ *```(\S*)([^\n]*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_ITEM: Final = re.compile(r"^(?:-|\d+\.) \[([^]]+)\]\(([^)#]+)\)", re.MULTILINE)
_NUMBERED: Final = re.compile(r"^\d+\. \[([^]]+)\]\(([^)#]+)\)", re.MULTILINE)
_LIST_AFTER_TEXT: Final = re.compile(r"^([^\s|#<*-][^\n]*)\n(?=[-*] )", re.MULTILINE)
_PICTURES: Final = frozenset({".png", ".svg"})
_LANGUAGES: Final = {".py": "python", ".toml": "toml", ".yaml": "yaml"}


@dataclass(slots=True)
class Pages:
    """Contents of the site's files by their paths. `draw`: makes SVG of a diagram in Mermaid."""

    draw: Callable[[str], str]
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    _diagrams: int = 0

    def add_all(self) -> None:
        """Add all pages of docs/, the front page, and what they link to."""
        waiting = [*DOCS.rglob("*.md"), ROOT / "README.md"]
        while waiting:
            path = waiting.pop()
            if place(path) in self.files or not path.is_file():
                continue
            if path.suffix in _PICTURES:
                self.files[place(path)] = path.read_bytes()
            elif path.suffix == ".md":
                waiting += self._add_page(path)
            else:
                self.files[place(path)] = _source_page(path).encode()

    def _add_page(self, path: Path) -> list[Path]:
        """Return the files that it links to."""
        linked: list[Path] = []
        folder = Path(place(path)).parent

        def moved(match: re.Match[str]) -> str:
            target = Path(os.path.normpath(path.parent / match[2]))
            target = target / "README.md" if target.is_dir() else target
            linked.append(target)
            return f"{match[1]}{os.path.relpath(place(target), folder)}{match[3] or ''}"

        parts: list[str] = []
        end = 0
        text = path.read_text()
        for fence in _FENCE.finditer(text):
            parts += [_lists_apart(LINK.sub(moved, text[end : fence.start()])), self._fence(fence, folder)]
            end = fence.end()
        parts.append(_lists_apart(LINK.sub(moved, text[end:])))
        self.files[place(path)] = "".join(parts).encode()
        return linked

    def _fence(self, fence: re.Match[str], folder: Path) -> str:
        if fence[1] == "mermaid":
            self._diagrams += 1
            picture = f"diagrams/{self._diagrams}.svg"
            self.files[picture] = self.draw(fence[3]).encode()
            return f"![Diagram]({os.path.relpath(picture, folder)})"
        return re.sub(r" title=(\S+)", r' title="\1"', fence[0], count=1) if fence[2] else fence[0]


def place(path: Path) -> str:
    """Return where the site has a file of the repository: the pages of docs/ at its top, code as a page."""
    relative = path.relative_to(ROOT)
    if relative == Path("README.md"):
        return "index.md"
    if path == CONTENTS:
        return "contents.md"
    if path.suffix not in {".md", *_PICTURES}:
        return f"source/{relative}.md"
    return str(path.relative_to(DOCS) if path.is_relative_to(DOCS) else relative)


def navigation(api: Sequence[Entry]) -> list[tuple[str, Sequence[Entry]]]:
    """Return the sections of docs/README.md with their pages; a page that numbers others is followed by them.

    A section without title has the pages above all others. The API reference comes after the first one with a title.
    """
    first, *others = CONTENTS.read_text().split("\n## ")
    sections = [(text.partition("\n")[0], list(_entries(text))) for text in others]
    return [("", list(_entries(first))), sections[0], ("Python", api), *sections[1:]]


def _entries(section: str) -> Iterator[Entry]:
    for title, target in _ITEM.findall(section):
        page = Path(os.path.normpath(DOCS / target))
        yield title, place(page)
        if page.is_relative_to(DOCS):
            for inner, file in _NUMBERED.findall(page.read_text()):
                yield inner, place(page.parent / file)


def _lists_apart(text: str) -> str:
    """Put a blank line before lists, without which Python's Markdown takes them for the text before them."""
    return _LIST_AFTER_TEXT.sub(r"\1\n\n", text)


def _source_page(path: Path) -> str:
    language = _LANGUAGES.get(path.suffix, "text")
    return f"# {path.name}\n\n`{path.relative_to(ROOT)}`\n\n````{language}\n{path.read_text()}\n````\n"
