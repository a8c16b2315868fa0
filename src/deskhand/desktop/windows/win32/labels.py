"""Which text is the label of which field, as Windows has it and as a person sees it."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from .nodes import Rect

_MOST_LEFT: Final = 120
_MOST_ABOVE: Final = 24
"""Pixels between a label and its field."""
_MOST_PAIRS: Final = 40_000
"""Fields by texts of a window whose distances are compared: more take a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Place:
    """A control inside a window, `parent`. `text`: what it says of a field, "" for none; `takes`: it is a field."""

    handle: int
    parent: int
    rect: Rect
    text: str = ""
    takes: bool = False


@dataclass(slots=True)
class _Inside:
    """The controls of one window that are labels or fields. `labels`: that of each field, as far as they are known."""

    fields: list[Place] = field(default_factory=list[Place])
    texts: list[Place] = field(default_factory=list[Place])
    before: dict[int, Place] = field(default_factory=dict[int, Place])
    last: Place | None = None
    labels: dict[int, Place] = field(default_factory=dict[int, Place])

    def give(self, label: Place, field_: Place) -> None:
        """Have a label be a field's, unless it is another's, or the field has one."""
        if field_.handle not in self.labels and label not in self.labels.values():
            self.labels[field_.handle] = label


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
    return {taker: label.handle for inside in windows.values() for taker, label in inside.labels.items()}


def _label(inside: _Inside) -> None:
    for each in inside.fields:
        label = inside.before.get(each.handle)
        if label is not None and _distance(label.rect, each.rect) is not None:
            inside.give(label, each)
    for _, label, each in sorted(_pairs(inside), key=lambda pair: pair[0]):
        inside.give(label, each)
    for each in inside.fields:
        if each.handle in inside.before:
            inside.give(inside.before[each.handle], each)


def _pairs(inside: _Inside) -> Iterator[tuple[int, Place, Place]]:
    """Yield the distance, the label and the field of those that are beside each other."""
    used = {label.handle for label in inside.labels.values()}
    fields = [each for each in inside.fields if each.handle not in inside.labels]
    texts = [each for each in inside.texts if each.handle not in used]
    if len(fields) * len(texts) > _MOST_PAIRS:
        return
    for each in fields:
        for label in texts:
            distance = _distance(label.rect, each.rect)
            if distance is not None:
                yield distance, label, each


def _distance(label: Rect, taker: Rect) -> int | None:
    """Return the pixels from a label to a field on its right, or below it; None if it is elsewhere, or further."""
    if label[0] < taker[0] and label[1] < taker[3] and taker[1] < label[3]:
        distance, most = taker[0] - label[2], _MOST_LEFT
    elif label[1] < taker[1] and label[0] < taker[2] and taker[0] < label[2]:
        distance, most = taker[1] - label[3], _MOST_ABOVE
    else:
        return None
    return max(0, distance) if distance <= most else None
