"""Phrases of steps with parts that may be left out, in any order."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SEPARATOR: Final = " | "
_PLACE: Final = re.compile(r'("?)\{(\w+)\}("?)')
_QUOTED: Final = r'(?:\\"|[^"])*'
"""A quote in a value is written with a backslash."""


@dataclass(frozen=True, slots=True)
class Argument:
    """A value in a step, `start` and `end` being its place in characters; True for a part without a value."""

    name: str
    value: str | bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    regex: re.Pattern[str]


class Phrase:
    """A pattern `head | part | part`: the head comes first, then any of the parts, each at most once, in any order.

    `"{value}"` is a text in quotes and `{value}` a word. A part without one is an argument of its words, joined by
    underscores.
    """

    def __init__(self, pattern: str) -> None:
        head, *parts = pattern.split(SEPARATOR)
        self._head = _compiled(head)
        # `via command "…"` is tried before `via command`.
        self._parts = [_Part(each.replace(" ", "_"), _compiled(each)) for each in sorted(parts, key=len, reverse=True)]

    def arguments(self, step: str) -> tuple[Argument, ...] | None:
        """Return the arguments in their order, or None if it is another step."""
        match = self._head.match(step)
        if match is None:
            return None
        found = _arguments(match)
        left = list(self._parts)
        while match.end() < len(step):
            following = _following(step, match.end() + 1, left)
            if following is None:
                return None
            part, match = following
            left.remove(part)
            found += _arguments(match) or [Argument(part.name, True, match.start(), match.end())]
        return tuple(found)


def _following(step: str, at: int, parts: Sequence[_Part]) -> tuple[_Part, re.Match[str]] | None:
    for part in parts:
        if match := part.regex.match(step, at):
            return part, match
    return None


def _compiled(pattern: str) -> re.Pattern[str]:
    """Return an expression that ends at a space or at the end of the step."""
    regex, at = "", 0
    for place in _PLACE.finditer(pattern):
        value = _QUOTED if place[1] else r"\w+"
        regex += re.escape(pattern[at : place.start()]) + f"{place[1]}(?P<{place[2]}>{value}){place[3]}"
        at = place.end()
    return re.compile(regex + re.escape(pattern[at:]) + r"(?=\s|\Z)")


def _arguments(match: re.Match[str]) -> list[Argument]:
    return [
        Argument(name, value.replace('\\"', '"'), match.start(name), match.end(name))
        for name, value in match.groupdict().items()
    ]
