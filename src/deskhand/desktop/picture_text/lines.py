"""Lines of text that stay the same lines from picture to picture of one window. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from deskhand.core.geometry import Rect

_SAME_PLACE: Final = 0.5
"""Part of the smaller one of two lines that lies in the other one, from which on they are in one place."""
_SURE: Final = 0.8
"""Score that a new line needs."""
_LEAST: Final = 0.5
"""Score of a line that was there before: less of it would come and go with every shade below the pointer."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text in a window: its place from the window's corner, a handle, and the look of its pixels."""

    text: str
    rect: Rect
    score: float
    look: bytes = b""
    handle: str = ""


class Looks(Protocol):
    """The look of a place in the present picture; equal for equal pixels."""

    def __call__(self, place: Rect) -> bytes: ...


def followed(before: Sequence[Line], now: Sequence[Line], look: Looks, hidden: Sequence[Rect] = ()) -> tuple[Line, ...]:
    """Return the lines of a picture with their handles.

    A line in the place of an earlier one has its handle; if it was misread only, or its pixels are the same, it is the
    earlier line. An earlier one with the same pixels is there even if it was not found this time, and so is one that
    lies in a `hidden` place; what is read there is none of the window's.
    """
    left, lines = list(before), list[Line]()
    for line in now:
        if _is_hidden(line, hidden):
            continue
        earlier = max(left, key=lambda each: _shared(each.rect, line.rect), default=None)
        if earlier is None or _shared(earlier.rect, line.rect) < _SAME_PLACE:
            if line.score >= _SURE and _has_letters(line.text):
                lines.append(replace(line, look=look(line.rect)))
            continue
        if line.score < _LEAST or not _has_letters(line.text):
            continue
        left.remove(earlier)
        lines.append(_same_line(earlier, line, look))
    lines += [line for line in left if _is_hidden(line, hidden) or look(line.rect) == line.look]
    return tuple(_with_handles(sorted(lines, key=lambda line: (line.rect.top, line.rect.left))))


def _is_hidden(line: Line, hidden: Sequence[Rect]) -> bool:
    return any(not line.rect.intersection(place).empty for place in hidden)


def _shared(one: Rect, other: Rect) -> float:
    """The part of the smaller place that lies in the other one: what is around a line may be taken for a part of it."""
    return one.intersection(other).area / max(1, min(one.area, other.area))


def _same_line(earlier: Line, line: Line, look: Looks) -> Line:
    if look(earlier.rect) == earlier.look:
        return earlier
    text = earlier.text if _alike(earlier.text, line.text) else line.text
    return replace(line, text=text, look=look(line.rect), handle=earlier.handle)


def _with_handles(lines: Sequence[Line]) -> Iterator[Line]:
    taken = {line.handle for line in lines}
    for line in lines:
        handle = line.handle or ",".join(map(str, line.rect.to_list()))
        while not line.handle and handle in taken:
            handle += "'"
        taken.add(handle)
        yield replace(line, handle=handle)


def _has_letters(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _alike(one: str, other: str) -> bool:
    """True if two readings of one place are of the same text: a frame around it is read as a bracket or a stroke."""
    return _letters(one) == _letters(other)


def _letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())
