"""File names in window titles."""

from re import Pattern, escape
from re import compile as pattern


def in_title(name: str) -> Pattern[str]:
    """The whole name of a file: at the beginning, but for a mark, or after what sets it apart."""
    return pattern(rf"(?:^\W*|[/\\(\[\"'\u201c]|[|:\u2013\u2014-] ){escape(name)}(?!\.?[\w-])")
