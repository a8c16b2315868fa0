"""Wanted names and texts: plain words are compared, `/…/` (or `/…/i`, ignoring case) is searched for.

A pattern that could take exponential time is refused like an invalid one; of a text that is very long for its
pattern, only the first characters are searched (`core.regex_cost`).
"""

import re
from functools import lru_cache
from typing import Final

from deskhand.core.regex_cost import searchable
from deskhand.core.roles import Role
from deskhand.core.target import comparable_name

_ROLES: Final = tuple(role.value for role in Role)
_PATTERN = re.compile(r"/(?P<body>.+)/(?P<flags>i?)", re.DOTALL)


@lru_cache(maxsize=1024)
def is_pattern(text: str) -> bool:
    """True if a wanted text is a regular expression."""
    return _PATTERN.fullmatch(text) is not None


@lru_cache(maxsize=1024)
def compile_pattern(text: str) -> re.Pattern[str]:
    """The regular expression of `/…/`. Raises: ValueError with the reason if it is none, or an invalid one."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not written as /…/")
    try:
        compiled = re.compile(match["body"], re.IGNORECASE if match["flags"] else 0)
        searchable(match["body"])
    except (re.error, ValueError) as error:
        raise ValueError(f"bad regular expression {text}: {error}") from error
    return compiled


@lru_cache(maxsize=1024)
def _searchable(text: str) -> int:
    match = _PATTERN.fullmatch(text)
    return searchable(match["body"]) if match else 0


def found_in(pattern: str, text: str) -> bool:
    """True if a pattern, written `/…/`, is found in a text. Raises: ValueError as `compile_pattern` does."""
    return _search(pattern, text) is not None


def _search(pattern: str, text: str) -> re.Match[str] | None:
    return compile_pattern(pattern).search(text, 0, _searchable(pattern))


def place_of(wanted: str, text: str) -> int:
    """The place in a text of a pattern, or of a plain text; -1 without a match. Raises: ValueError as `found_in`."""
    if not is_pattern(wanted):
        return text.find(wanted)
    found = _search(wanted, text)
    return found.start() if found else -1


def matched_text(wanted: str, name: str) -> str:
    """The part of a name that a pattern finds; the whole name where a plain one is equal; empty without a match."""
    if not is_pattern(wanted):
        return name if matches_name(wanted, name) else ""
    found = _search(wanted, comparable_name(name))
    return found[0] if found else ""


def literal(text: str) -> str:
    """A wanted text that matches exactly `text`, also if it has the form of a pattern (a folder such as `/tmp/`)."""
    return f"/^{re.escape(text)}\\Z/" if is_pattern(text) else text


def literal_name(name: str) -> str:
    """A wanted name that matches exactly `name`, in the comparison of names."""
    return literal(comparable_name(name)) if is_pattern(name) else name


def require_role(wanted: str) -> None:
    """Raises: ValueError for a role that does not exist, with the list of all roles."""
    if is_pattern(wanted):
        compile_pattern(wanted)
    elif wanted and wanted not in _ROLES:
        raise ValueError(f"there is no role {wanted!r}; roles are {', '.join(_ROLES)}")


def matches_name(wanted: str, name: str) -> bool:
    """True if a control's or window's name is the wanted one; both are normalised with `comparable_name`."""
    if is_pattern(wanted):
        return found_in(wanted, comparable_name(name))
    return comparable_name(wanted) == comparable_name(name)


def matches_title(wanted: str, title: str) -> bool:
    """True if a window's title is the wanted one or has it as whole words, in any case; a pattern is searched for."""
    if is_pattern(wanted):
        return matches_name(wanted, title)
    words = comparable_name(wanted).casefold()
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", comparable_name(title).casefold()) is not None


def matches_text(wanted: str, text: str) -> bool:
    """True if a text is the wanted one, character by character."""
    return found_in(wanted, text) if is_pattern(wanted) else wanted == text


def in_title(name: str) -> re.Pattern[str]:
    """Pattern for the whole name of a file in a window title: at its beginning after marks, or after a separator."""
    return re.compile(rf"(?:^\W*|[/\\(\[\"'\u201c]|[|:\u2013\u2014-] ){re.escape(name)}(?!\.?[\w-])")
