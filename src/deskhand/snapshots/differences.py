"""Differences of a window from its reference, in words, the most important first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, auto
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.patterns import is_pattern, matches_name, matches_text
from deskhand.core.roles import Role
from deskhand.core.text import quoted
from deskhand.desktop.identity import unmarked
from deskhand.snapshots.matching import Entry, Matching, Pair, entries_of, match
from deskhand.snapshots.reference import DISABLED, Control, Reference

_CONTAINERS: Final = frozenset({Role.FORM, Role.GENERIC, Role.GROUP, Role.SECTION, Role.TABPANEL, Role.UNKNOWN})
_TOGETHER: Final = 4
"""Controls that moved alike from this number on are one difference."""
_LONGEST: Final = 60
_NAMED: Final = 3


class Kind(IntEnum):
    """Kinds of differences, the most important first."""

    GONE = auto()
    RENAMED = auto()
    OTHER_ROLE = auto()
    NEW = auto()
    STATE = auto()
    VALUE = auto()
    TITLE = auto()
    SIZE = auto()
    MOVED = auto()
    RESIZED = auto()
    PICTURE = auto()


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. `before` and `now`: its places in the reference and in the window, relative to the window."""

    kind: Kind
    words: str
    before: tuple[Rect, ...] = ()
    now: tuple[Rect, ...] = ()


def differences(reference: Reference, present: Reference) -> list[Difference]:
    """All differences in controls, size and title. Places that differ by the tolerance or less are equal."""
    matching = match([*entries_of(reference.controls)], [*entries_of(present.controls)])
    found = [
        *_of_window(reference, present),
        *_gone(matching),
        *_new(matching),
        *(each for pair in matching.pairs for each in _changes(*pair)),
        *_moves(matching.pairs, reference.tolerance_px),
    ]
    return sorted(found, key=lambda difference: difference.kind)


def _of_window(reference: Reference, present: Reference) -> Iterator[Difference]:
    if reference.window and not matches_name(unmarked(reference.window), unmarked(present.window)):
        words = f"the window is called {quoted(present.window)} instead of {quoted(reference.window)}"
        yield Difference(Kind.TITLE, words)
    grown = _grown(reference.size, present.size, reference.tolerance_px)
    if grown:
        yield Difference(Kind.SIZE, f"the window is {grown}")


def _gone(matching: Matching) -> Iterator[Difference]:
    for entry, inside in _outermost(matching.gone):
        yield Difference(Kind.GONE, f"{entry.control.words}{inside} is gone", before=(entry.control.place,))


def _new(matching: Matching) -> Iterator[Difference]:
    for entry, inside in _outermost(matching.new):
        place = entry.control.place
        words = f"new: {entry.control.words}{inside} at {place.left},{place.top}"
        yield Difference(Kind.NEW, words, now=(place,))


def _outermost(entries: Sequence[Entry]) -> Iterator[tuple[Entry, str]]:
    """The entries that are not inside of another one, with the number of those inside; no containers by themselves."""
    there = {id(entry) for entry in entries}
    shown = {id(entry) for entry in entries if not _is_plain_container(entry.control)}
    for entry in entries:
        if id(entry) not in shown or any(id(each) in shown for each in _ancestors(entry)):
            continue
        inside = sum(id(each) in there and any(a is entry for a in _ancestors(each)) for each in entries)
        yield entry, f" with {inside} {'controls' if inside > 1 else 'control'}" if inside else ""


def _ancestors(entry: Entry) -> Iterator[Entry]:
    while entry.above is not None:
        entry = entry.above
        yield entry


def _is_plain_container(control: Control) -> bool:
    return control.role in _CONTAINERS and not control.name and not control.value


def _changes(before: Entry, now: Entry) -> Iterator[Difference]:
    """Other role, name, states or value of one control."""
    old, new = before.control, now.control
    places = ((old.place,), (new.place,))
    words = _words_of(old)
    if old.role != new.role:
        yield Difference(Kind.OTHER_ROLE, f"{words} is now a {new.role}", *places)
    if not matches_name(old.name, new.name):
        named = f"is now named {quoted(new.name, _LONGEST)}" if new.name else "has no name any more"
        yield Difference(Kind.RENAMED, f"{words} {named}", *places)
    for state in sorted(new.states - old.states):
        yield Difference(Kind.STATE, f"{words} is now {state}", *places)
    for state in sorted(old.states - new.states):
        changed = "is now enabled" if state == DISABLED else f"is not {state} any more"
        yield Difference(Kind.STATE, f"{words} {changed}", *places)
    if not matches_text(old.value, new.value):
        values = f"value {_value(new.value)} instead of {_value(old.value)}"
        yield Difference(Kind.VALUE, f"{words} has the {values}", *places)


def _words_of(control: Control) -> str:
    place = control.place
    return control.words if control.name else f"{control.role} at {place.left},{place.top}"


def _value(text: str) -> str:
    return text if is_pattern(text) else quoted(text, _LONGEST)


def _moves(pairs: Sequence[Pair], tolerance: int) -> Iterator[Difference]:
    """Other places and sizes. Controls that moved with their container are not listed, many that moved alike once."""
    alike: dict[str, list[Pair]] = {}
    moved = {id(before): words for before, now in pairs if (words := _moved(before.control, now.control, tolerance))}
    for before, now in pairs:
        old, new = before.control, now.control
        if _is_plain_container(old):
            continue
        words = moved.get(id(before), "")
        if words and not any(moved.get(id(each)) == words for each in _named_around(before)):
            alike.setdefault(words, []).append((before, now))
        size = ((old.place.width, old.place.height), (new.place.width, new.place.height))
        if not before.control.children and (grown := _grown(*size, tolerance)):
            yield Difference(Kind.RESIZED, f"{_words_of(old)} is {grown}", (old.place,), (new.place,))
    for words, group in alike.items():
        yield from _together(words, group)


def _named_around(entry: Entry) -> Iterator[Entry]:
    return (each for each in _ancestors(entry) if not _is_plain_container(each.control))


def _together(words: str, group: Sequence[Pair]) -> Iterator[Difference]:
    places = tuple((before.control.place, now.control.place) for before, now in group)
    if len(group) < _TOGETHER:
        for (before, _), (old, new) in zip(group, places, strict=True):
            yield Difference(Kind.MOVED, f"{_words_of(before.control)} moved {words}", (old,), (new,))
        return
    named = ", ".join(_words_of(before.control) for before, _ in group[:_NAMED])
    old, new = zip(*places, strict=True)
    yield Difference(Kind.MOVED, f"{len(group)} controls moved {words}: {named} …", old, new)


def _moved(old: Control, new: Control, tolerance: int) -> str:
    """The move of a control, as `14 px to the right and 9 px down`; empty within the tolerance."""
    dx, dy = new.place.left - old.place.left, new.place.top - old.place.top
    parts = [f"{abs(dx)} px to the {'right' if dx > 0 else 'left'}"] if abs(dx) > tolerance else []
    parts += [f"{abs(dy)} px {'down' if dy > 0 else 'up'}"] if abs(dy) > tolerance else []
    return " and ".join(parts)


def _grown(old: tuple[int, int], new: tuple[int, int], tolerance: int) -> str:
    dx, dy = new[0] - old[0], new[1] - old[1]
    parts = [f"{abs(dx)} px {'wider' if dx > 0 else 'narrower'}"] if abs(dx) > tolerance else []
    parts += [f"{abs(dy)} px {'higher' if dy > 0 else 'lower'}"] if abs(dy) > tolerance else []
    return " and ".join(parts)


def in_words(found: Iterable[Difference], most: int = 20) -> str:
    """One line for each difference, and the number of those left out."""
    lines = [difference.words for difference in found]
    more = [f"and {len(lines) - most} more"] if len(lines) > most else []
    return "\n".join([*lines[:most], *more])
