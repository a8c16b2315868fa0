"""How a wanted name or text is written: plain words are compared, `/…/` (or `/…/i`, any case) is searched for.

A pattern that could keep a search busy for ever is refused like a bad one; of a text that is very long for its
pattern, the first characters are searched (`core.effort`).
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
    """Whether a wanted text is a regular expression."""
    return _PATTERN.fullmatch(text) is not None


@lru_cache(maxsize=1024)
def compile_pattern(text: str) -> re.Pattern[str]:
    """The regular expression of `/…/`. Raises: ValueError where it is none, or a bad one, with the reason."""
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
    """Whether a pattern, written `/…/`, is found in a text. Raises: ValueError as `compile_pattern` does."""
    return compile_pattern(pattern).search(text, 0, _searchable(pattern)) is not None


def literal(text: str) -> str:
    """A wanted text that means exactly `text`, also where it looks like a pattern (a folder such as `/tmp/`)."""
    return f"/^{re.escape(text)}\\Z/" if is_pattern(text) else text


def literal_name(name: str) -> str:
    """A wanted name that means exactly `name`, as names are compared."""
    return literal(comparable_name(name)) if is_pattern(name) else name


def require_role(wanted: str) -> None:
    """Raises: ValueError where no control can be of a wanted role, as there is none of that name; it lists them all."""
    if is_pattern(wanted):
        compile_pattern(wanted)
    elif wanted and wanted not in _ROLES:
        raise ValueError(f"there is no role {wanted!r}; roles are {', '.join(_ROLES)}")


def matches_name(wanted: str, name: str) -> bool:
    """Whether a control's or window's name is the wanted one; both sides as names are compared (SPEC 4.4)."""
    if is_pattern(wanted):
        return found_in(wanted, comparable_name(name))
    return comparable_name(wanted) == comparable_name(name)


def matches_text(wanted: str, text: str) -> bool:
    """Whether a text is the wanted one, character by character."""
    return found_in(wanted, text) if is_pattern(wanted) else wanted == text
