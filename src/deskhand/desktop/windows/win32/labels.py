"""Which text is the label of which field, as Windows has it and as a person sees it."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from .nodes import Rect

_MOST_LEFT: Final = 120
_MOST_ABOVE: Final = 24
"""Pixels between a label and its field."""
_MOST_PAIRS: Final = 40_000
"""In a window with more pairs of a field and a text, only texts before fields are labels: to compare so many takes a
tenth of a second."""


@dataclass(frozen=True, slots=True)
class Place:
    """A control inside the window `parent`. `text`: that of a label, "" for all others; `takes`: it is a field."""

    handle: int
    parent: int
    rect: Rect
    text: str = ""
    takes: bool = False


@dataclass(slots=True)
class _Inside:
    """The texts and fields of one window. `before`: the text before a field, by the handle of that."""

    fields: list[Place] = field(default_factory=list[Place])
    texts: list[Place] = field(default_factory=list[Place])
    before: dict[int, Place] = field(default_factory=dict[int, Place])
    last: Place | None = None
    labels: dict[int, int] = field(default_factory=dict[int, int])
    used: set[int] = field(default_factory=set[int])

    def give(self, label: Place, taker: Place) -> None:
        """Have a text be the label of a field, unless it is another's, or the field has one."""
        if taker.handle not in self.labels and label.handle not in self.used:
            self.labels[taker.handle] = label.handle
            self.used.add(label.handle)


def labels_of(places: Sequence[Place], mirrored: Container[int] = ()) -> dict[int, int]:
    """Return the label of each field that has one, by their handles. `places`: siblings in the order of the Tab key.

    Windows has a text label the field that follows it. A program may make them in another order: then it is the closest
    text on the left of a field or above it, if it is no other's label. `mirrored`: windows from right to left, where
    labels are on the right.
    """
    windows: dict[int, _Inside] = {}
    for place in places:
        inside = windows.setdefault(place.parent, _Inside())
        left, top, right, bottom = place.rect
        turned = replace(place, rect=(-right, top, -left, bottom)) if place.parent in mirrored else place
        if turned.takes:
            inside.fields.append(turned)
            if inside.last is not None and inside.last.text:
                inside.before[turned.handle] = inside.last
        elif turned.text:
            inside.texts.append(turned)
        inside.last = turned
    for inside in windows.values():
        _label(inside)
    return {taker: label for inside in windows.values() for taker, label in inside.labels.items()}


def _label(inside: _Inside) -> None:
    ordered = [(inside.before[each.handle], each) for each in inside.fields if each.handle in inside.before]
    are_few = len(inside.fields) * len(inside.texts) <= _MOST_PAIRS
    for label, each in ordered:
        if _is_left(label, each) and not (are_few and _is_between(inside.fields, label, each)):
            inside.give(label, each)
    if are_few:
        for _, label, each in sorted(_pairs(inside), key=lambda pair: pair[0]):
            inside.give(label, each)
    for label, each in ordered:
        inside.give(label, each)


def _pairs(inside: _Inside) -> Iterator[tuple[int, Place, Place]]:
    """Yield the distance, the label and the field of those without one another that are beside each other."""
    fields = [each for each in inside.fields if each.handle not in inside.labels]
    texts = [each for each in inside.texts if each.handle not in inside.used]
    for each in fields:
        for label in texts:
            distance = _distance(label, each)
            if distance is not None:
                yield distance, label, each


def _is_left(label: Place, taker: Place) -> bool:
    """The label begins on the left of the field, in the same row."""
    one, other = label.rect, taker.rect
    return one[0] < other[0] and one[1] < other[3] and other[1] < one[3]


def _is_between(fields: Sequence[Place], label: Place, taker: Place) -> bool:
    """Another field is between a label and a field on its right."""
    return any(_is_left(label, each) and _is_left(each, taker) for each in fields)


def _distance(label: Place, taker: Place) -> int | None:
    """Return the pixels from a label to a field on its right, or below it; None if it is elsewhere, or further."""
    one, other = label.rect, taker.rect
    if _is_left(label, taker):
        distance, most = other[0] - one[2], _MOST_LEFT
    elif one[1] < other[1] and one[0] < other[2] and other[0] < one[2]:
        distance, most = other[1] - one[3], _MOST_ABOVE
    else:
        return None
    return max(0, distance) if distance <= most else None
