"""Text cut into passages: at headings, then at paragraphs, lines and words, each of bounded size."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

MAX_CHARACTERS: Final = 1200
"""Limit of one passage: about 300 tokens, a screenful of a manual."""
_MAX_TITLE: Final = 160
_BETWEEN: Final = " › "
_CUTS: Final = (re.compile(r"\n[ \t]*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?]) "), re.compile(r" "))


@dataclass(frozen=True, slots=True)
class Section:
    """Text under one heading; `headings` from the outside in, without the document's title."""

    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """A text with a title, in reading order."""

    title: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """One passage as indexed: its title and its text."""

    title: str
    text: str


def cut(document: Document, *, at_most: int = MAX_CHARACTERS) -> tuple[Piece, ...]:
    """The document's passages, in reading order; each text has 1 to `at_most` characters."""
    return tuple(
        Piece(_title(document.title, section.headings), text)
        for section in document.sections
        for text in pieces(section.text, at_most)
    )


def pieces(text: str, at_most: int) -> Iterator[str]:
    """Parts of a text of at most `at_most` characters, cut at the best boundaries."""
    yield from _pieces(text.strip(), at_most, _CUTS)


def _pieces(text: str, at_most: int, cuts: Sequence[re.Pattern[str]]) -> Iterator[str]:
    if len(text) <= at_most:
        if text:
            yield text
        return
    if not cuts:
        for start in range(0, len(text), at_most):
            yield from _pieces(text[start : start + at_most].strip(), at_most, ())
        return
    start = end = 0
    for stop in [*(match.end() for match in cuts[0].finditer(text)), len(text)]:
        if stop - start > at_most and end > start:
            yield from _pieces(text[start:end].strip(), at_most, cuts[1:])
            start = end
        end = stop
    yield from _pieces(text[start:end].strip(), at_most, cuts[1:])


def _title(title: str, headings: Sequence[str]) -> str:
    named = [" ".join(name.split()) for name in (title, *headings)]
    distinct = [name for place, name in enumerate(named) if name and name not in named[:place]]
    whole = _BETWEEN.join(distinct)
    return whole if len(whole) <= _MAX_TITLE else f"…{whole[1 - _MAX_TITLE :]}"
