"""Example texts: the shortest text that a regular expression finds itself in."""

import re
import string
from typing import Final

from deskhand.core.patterns import found_in, is_pattern

_ZERO_WIDTH: Final = "bBAZ"
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r"}
_CANDIDATES: Final = string.ascii_lowercase + string.ascii_uppercase + string.digits + " -_.,:;/()#"
_GROUP: Final = re.compile(r"\((?:\?(?:P<\w+>|[aiLmsu-]*:|(?P<look><?[=!])|>|[aiLmsu]+(?=\))|#[^)]*(?=\))))?")
_QUANTIFIER: Final = re.compile(r"(?:(?P<mark>[*+?])|\{(?P<least>\d*)(?:,\d*)?\})[?+]?")
_CLASS: Final = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)


class NoExample(Exception):
    """No text was found that a pattern matches."""


def example_of(wanted: str) -> str:
    """A text that a wanted text or pattern matches. Raises: NoExample."""
    if not is_pattern(wanted):
        return wanted
    body = wanted[1 : wanted.rfind("/")]
    text = _alternatives(body, 0)[0]
    for candidate in (text.strip(), text, f"{text}1", f"a{text}"):
        if candidate and found_in(wanted, candidate):
            return candidate
    raise NoExample(f"no text is known that {wanted} matches")


def _alternatives(pattern: str, at: int) -> tuple[str, int]:
    """The text of the first alternative, and the place of its end."""
    text, at = _sequence(pattern, at)
    while at < len(pattern) and pattern[at] == "|":
        _, at = _sequence(pattern, at + 1)
    return text, at


def _sequence(pattern: str, at: int) -> tuple[str, int]:
    parts: list[str] = []
    while at < len(pattern) and pattern[at] not in "|)":
        part, at = _atom(pattern, at)
        if quantifier := _QUANTIFIER.match(pattern, at):
            least = quantifier["least"]
            part *= int(least) if least else int(quantifier["mark"] == "+")
            at = quantifier.end()
        parts.append(part)
    return "".join(parts), at


def _atom(pattern: str, at: int) -> tuple[str, int]:
    first = pattern[at]
    if first == "\\":
        return _escape(pattern[at + 1 : at + 2]), at + 2
    if first in "^$":
        return "", at + 1
    if first == "(" and (group := _GROUP.match(pattern, at)):
        text, end = _alternatives(pattern, group.end())
        return "" if group["look"] else text, end + 1
    if first == "[" and (found := _CLASS.match(pattern, at)):
        return _one_of(found[0]), found.end()
    return "a" if first == "." else first, at + 1


def _escape(letter: str) -> str:
    if letter in _ZERO_WIDTH:
        return ""
    if letter in "dDwWsS":
        return _one_of(f"\\{letter}")
    return _CONTROLS.get(letter, letter)


def _one_of(atom: str) -> str:
    return next((candidate for candidate in _CANDIDATES if re.fullmatch(atom, candidate)), "")
