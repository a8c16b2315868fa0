"""How a wanted name or text is written: plain words are compared, `/…/` (or `/…/i`, any case) is searched for."""

import re
from functools import lru_cache

from deskhand.core.target import comparable_name

_PATTERN = re.compile(r"/(?P<body>.+)/(?P<flags>i?)", re.DOTALL)


@lru_cache(maxsize=1024)
def is_pattern(text: str) -> bool:
    """Whether a wanted text is a regular expression."""
    return _PATTERN.fullmatch(text) is not None


@lru_cache(maxsize=1024)
def compile_pattern(text: str) -> re.Pattern[str]:
    """The regular expression of `/…/`. Raises: ValueError where it is none, or a bad one, with the reason."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not written as /…/")
    try:
        return re.compile(match["body"], re.IGNORECASE if match["flags"] else 0)
    except re.error as error:
        raise ValueError(f"bad regular expression {text}: {error}") from error


def literal(text: str) -> str:
    """A wanted text that means exactly `text`, also where it looks like a pattern (a folder such as `/tmp/`)."""
    return f"/^{re.escape(text)}$/" if is_pattern(text) else text


def matches_name(wanted: str, name: str) -> bool:
    """Whether a control's or window's name is the wanted one; both sides as names are compared (SPEC 4.4)."""
    if is_pattern(wanted):
        return compile_pattern(wanted).search(comparable_name(name)) is not None
    return comparable_name(wanted) == comparable_name(name)


def matches_text(wanted: str, text: str) -> bool:
    """Whether a text is the wanted one, character by character."""
    return compile_pattern(wanted).search(text) is not None if is_pattern(wanted) else wanted == text
