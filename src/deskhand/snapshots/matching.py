"""Assignment of the controls of a reference to those of a window: by role, name, place and order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import Final, TypeAlias

from deskhand.core.patterns import is_pattern, matches_name, matches_text
from deskhand.snapshots.reference import Control

_OVERLAP: Final = 0.3
"""Least intersection over union of the places of one control under two names."""
_NEAR_PX: Final = 64.0
"""Greatest distance of such places where the order is the same."""
_MOST_PAIRS: Final = 40_000
"""Possible pairs of one kind that are compared by their distance; of more, the order decides."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A control in its tree. `inside`: the names of the containers around it; `above`: the entry of its parent."""

    control: Control
    inside: tuple[str, ...] = ()
    above: "Entry | None" = None


Pair: TypeAlias = tuple[Entry, Entry]
_Key: TypeAlias = Callable[[Entry], object]
_Fits: TypeAlias = Callable[[Entry, Entry], bool]


@dataclass(frozen=True, slots=True)
class Matching:
    """`pairs`: a control of the reference and the one that it is now; the others are `gone` or `new`."""

    pairs: tuple[Pair, ...]
    gone: tuple[Entry, ...]
    new: tuple[Entry, ...]


def entries_of(controls: Iterable[Control], above: Entry | None = None) -> Iterator[Entry]:
    """All controls of a tree, parents first."""
    inside = (*above.inside, *filter(None, [above.control.name])) if above else ()
    for control in controls:
        entry = Entry(control, inside, above)
        yield entry
        yield from entries_of(control.children, entry)


def match(reference: Sequence[Entry], present: Sequence[Entry]) -> Matching:
    """Pair the controls, the surest first: of one role and name, in the same containers, then in others; of one role at
    one place; of one name at one place; of one role, near and in the same order.
    """
    left, right = list(reference), list(present)
    pairs: list[Pair] = []
    for key, fits in _RULES:
        found = _paired(left, right, key, fits)
        pairs += found
        paired = {id(entry) for pair in found for entry in pair}
        left = [entry for entry in left if id(entry) not in paired]
        right = [entry for entry in right if id(entry) not in paired]
    return Matching(tuple(pairs), tuple(left), tuple(right))


def with_patterns(present: Sequence[Control], earlier: Sequence[Control]) -> tuple[Control, ...]:
    """The present controls, with the patterns of earlier ones in place of the names and values that these match."""
    pairs = match([*entries_of(earlier)], [*entries_of(present)]).pairs
    return _with_patterns(present, {id(now.control): before.control for before, now in pairs})


def _with_patterns(controls: Iterable[Control], earlier: Mapping[int, Control]) -> tuple[Control, ...]:
    return tuple(
        replace(
            control,
            name=_pattern(earlier[id(control)].name, control.name, matches_name),
            value=_pattern(earlier[id(control)].value, control.value, matches_text),
            children=_with_patterns(control.children, earlier),
        )
        if id(control) in earlier
        else replace(control, children=_with_patterns(control.children, earlier))
        for control in controls
    )


def _pattern(earlier: str, present: str, matches: Callable[[str, str], bool]) -> str:
    return earlier if is_pattern(earlier) and matches(earlier, present) else present


def _paired(left: Sequence[Entry], right: Sequence[Entry], key: _Key, fits: _Fits) -> list[Pair]:
    groups: dict[object, list[Entry]] = {}
    for entry in right:
        groups.setdefault(key(entry), []).append(entry)
    wanted: dict[object, list[Entry]] = {}
    for entry in left:
        wanted.setdefault(key(entry), []).append(entry)
    return [pair for value, each in wanted.items() for pair in _nearest(each, groups.get(value, []), fits)]


def _nearest(left: Sequence[Entry], right: Sequence[Entry], fits: _Fits) -> list[Pair]:
    """Pairs of the least distance first, each entry once."""
    if len(left) * len(right) > _MOST_PAIRS:
        return [pair for pair in zip(left, right, strict=False) if fits(*pair)]
    possible = [(_distance(one, other), i, j) for i, one in enumerate(left) for j, other in enumerate(right)]
    taken: set[int] = set()
    given: set[int] = set()
    pairs: list[Pair] = []
    for _, i, j in sorted(possible):
        if i not in taken and j not in given and fits(left[i], right[j]):
            taken.add(i)
            given.add(j)
            pairs.append((left[i], right[j]))
    return pairs


def _distance(one: Entry, other: Entry) -> float:
    a, b = one.control.place.center, other.control.place.center
    return hypot(a.x - b.x, a.y - b.y)


def _is_named_so(one: Entry, other: Entry) -> bool:
    return matches_name(one.control.name, other.control.name)


def _in_same(one: Entry, other: Entry) -> bool:
    return _is_named_so(one, other) and one.inside == other.inside


def _has_same_name(one: Entry, other: Entry) -> bool:
    return bool(one.control.name) and _is_named_so(one, other)


def _at_same_place(one: Entry, other: Entry) -> bool:
    return one.control.place.iou(other.control.place) >= _OVERLAP


def _is_same_there(one: Entry, other: Entry) -> bool:
    return _has_same_name(one, other) and _at_same_place(one, other)


def _is_near(one: Entry, other: Entry) -> bool:
    return one.inside == other.inside and _distance(one, other) <= _NEAR_PX


def _role(entry: Entry) -> object:
    return entry.control.role


def _any(_: Entry) -> object:
    return None


_RULES: Final[tuple[tuple[_Key, _Fits], ...]] = (
    (_role, _in_same),
    (_role, _has_same_name),
    (_role, _at_same_place),
    (_any, _is_same_there),
    (_role, _is_near),
)
