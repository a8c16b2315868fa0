"""Texts of slides and drawings as they were before a change through UNO, which is no step for Undo there.

They are kept as long as this process lives, which is one call of a tool.
"""

# upstream: not reported
# seen in: 7.4.7

from typing import Any

_changed: list[tuple[Any, str]] = []
"""Each place that was written to, with the text before, in the order of the changes."""


def put(place: Any, text: str) -> None:
    """Write a text into a place found by a search."""
    before = place.String
    place.String = text
    _changed.append((place, before))


def take_back() -> bool:
    """Write the former texts again, the last first, since each place counts characters; True if there were any."""
    found = bool(_changed)
    while _changed:
        place, before = _changed.pop()
        place.String = before
    return found
