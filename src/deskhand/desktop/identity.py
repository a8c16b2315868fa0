"""Identity of controls: whether one still is the target, and how it is found again otherwise (contract 4.4).

A control is the target while its handle lives, its role and name are unchanged, and the texts of its `record` are still
around it. Other changes (of its place, states and value, of the names of the window and of containers, of neighbours
that come, go or take its name) do not matter.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeAlias

from deskhand.core.errors import AmbiguousTarget, ElementStale
from deskhand.core.target import ITEMS, Fingerprint, TargetInfo, comparable_name, record_of

_CANDIDATES: Final = 10
_TEXTS: Final = 3
_FIX: Final = "Observe the window again and choose anew."
_MODIFIED: Final = re.compile(r"^[*•●]\s*|\s*[*•●]$")

StandsAmong: TypeAlias = Callable[[TargetInfo, tuple[str, ...]], bool]


@dataclass(frozen=True, slots=True)
class Scene:
    """The present window of a target. `stands_among`: true if a control is among these texts and no others."""

    controls: Sequence[TargetInfo]
    title: str
    stands_among: StandsAmong


def same_name(target: TargetInfo, other: TargetInfo) -> bool:
    return comparable_name(target.name) == comparable_name(other.name)


def with_alike(prints: Sequence[Fingerprint]) -> list[Fingerprint]:
    """Return the fingerprints of the controls of one window, each with the number of those that match it."""
    keys = [_answer(print_) for print_ in prints]
    counts = Counter(keys)
    return [
        replace(print_, alike=counts[key]) if counts[key] > 1 else print_
        for print_, key in zip(prints, keys, strict=True)
    ]


def record_now(target: TargetInfo, scene: Scene) -> tuple[str, ...]:
    """Return the texts of the record that a control belongs to now, by its handle. Raises: ElementStale."""
    same = next((control for control in scene.controls if control.handle == target.handle), None)
    if same is None:
        raise ElementStale(f"{target.describe} is gone", fix=_FIX)
    record = target.fingerprint.record if target.fingerprint else ()
    return record if record and scene.stands_among(same, record) else record_of(same)


def recognise(target: TargetInfo, scene: Scene) -> TargetInfo:
    """Return the control of its window that is the target, under the target's label: by its handle, else found again.

    An object that lives under a new name is not replaced by another that has its name now: an exchange of names and one
    of meanings look the same. Rows and their items are the exception: they are their content, and lists draw them with
    any free object. Raises: ElementStale, AmbiguousTarget.
    """
    same = next((c for c in scene.controls if c.handle == target.handle and c.type is target.type), None)
    record = target.fingerprint.record if target.fingerprint else ()
    if same is None:
        return find_again(target, scene)
    stays = not record or scene.stands_among(same, record)
    if stays and same_name(target, same):
        return replace(same, id=target.id)
    if target.type in ITEMS or (not stays and _is_in_a_row(target)):
        return find_again(target, scene)
    if stays:
        raise ElementStale(f"{target.describe} is not called {target.name!r} any more: it is {same.describe}", fix=_FIX)
    raise ElementStale(f"{target.describe} exists, but {', '.join(record)!r} is not around it now", fix=_FIX)


def recognise_by_place(target: TargetInfo, scene: Scene) -> TargetInfo:
    """As `recognise`, for a handle of a place instead of an object.

    Of items that look the same, one that goes leaves its place to the next: it is refused where the number of those has
    changed since the target was observed. Raises: ElementStale, AmbiguousTarget.
    """
    found = recognise(target, scene)
    seen, now = target.fingerprint, found.fingerprint
    if seen and now and seen.alike != now.alike:
        return find_again(target, scene)
    return found


def recognise_by_branch(target: TargetInfo, scene: Scene) -> TargetInfo:
    """As `recognise`, for a handle with a row's name and parents.

    A row of that name under another parent is another one. Raises: ElementStale.
    """
    if all(control.handle != target.handle for control in scene.controls):
        raise ElementStale(
            f"{target.describe} does not show where it stood in its tree",
            fix="Scroll to it if it is out of view, expand its parent, then observe again.",
        )
    return recognise(target, scene)


def _is_in_a_row(target: TargetInfo) -> bool:
    """True if it may be drawn anew for another record at any time, and another object for its own."""
    return target.fingerprint is not None and any(role in ITEMS for role in target.fingerprint.roles_around)


def find_again(target: TargetInfo, scene: Scene) -> TargetInfo:
    """Return the one control that can only be the target although its handle is another, under the target's label.

    The window's title must be the same but for a mark of modification, and of the control its role, its name (without
    one: its value), the names of all containers and its record. One that had an equal beside it when it was observed
    cannot be distinguished from that. Raises: ElementStale (none), AmbiguousTarget (several, or it had an equal).
    """
    wanted = target.fingerprint
    if wanted is None:
        raise ElementStale(f"{target.describe} is gone and has no fingerprint to find it by", fix=_FIX)
    if unmarked(scene.title) != unmarked(wanted.window):
        raise ElementStale(f"{target.describe} is gone, and its window is now called {scene.title!r}", fix=_FIX)
    named = [control for control in scene.controls if control.type is wanted.role and same_name(target, control)]
    found = [control for control in named if _answers_to(wanted, control)]
    if wanted.record:
        found = [control for control in found if scene.stands_among(control, wanted.record)]
    if len(found) == 1 and wanted.alike == 1:
        return replace(found[0], id=target.id)
    raise _unidentified(target, wanted, named, found)


def _unidentified(
    target: TargetInfo, wanted: Fingerprint, named: Sequence[TargetInfo], found: Sequence[TargetInfo]
) -> ElementStale | AmbiguousTarget:
    """Return the error for a target that none, or more than one, of the controls of its role and name can be."""
    if found:
        had_like = "" if wanted.alike == 1 else "it had an equal beside it when it was observed: "
        return _ambiguous(target, found, f"{had_like}which of them is the target is unknown")
    if wanted.name and not wanted.record and len(named) > 1:
        return _ambiguous(target, named, "none of them is where it was")
    return ElementStale(
        f"{target.describe} does not show in {wanted.window!r} any more",
        fix="Scroll to it if it is out of view, else observe the window again and choose anew.",
    )


def told_apart(controls: Iterable[TargetInfo]) -> tuple[str, ...]:
    """Return one line for each: its place, its description, and the texts around it; equal ones are numbered in their
    order.
    """
    lines = [_line(control) for control in controls]
    seen: dict[str, int] = {}
    told: list[str] = []
    for line in lines:
        seen[line] = seen.get(line, 0) + 1
        total = lines.count(line)
        told.append(f"{line} ({seen[line]} of {total} in reading order)" if total > 1 else line)
    return tuple(told)


def _line(control: TargetInfo) -> str:
    print_ = control.fingerprint
    above = print_.path[:-1] if print_ else ()
    beside = [text for text in print_.record if text != control.name][:_TEXTS] if print_ else []
    among = f" beside {', '.join(repr(text) for text in beside)}" if beside else ""
    return " > ".join((*above, control.describe)) + among


def _ambiguous(target: TargetInfo, found: Sequence[TargetInfo], why: str) -> AmbiguousTarget:
    count = f"{len(found)} controls answer" if len(found) > 1 else "one control answers"
    return AmbiguousTarget(
        f"{target.describe} is gone; {count} to its role and name now, and {why}",
        told_apart(found)[:_CANDIDATES],
        fix="Observe the window again and choose one of them.",
    )


def _answers_to(wanted: Fingerprint, candidate: TargetInfo) -> bool:
    print_ = candidate.fingerprint
    if print_ is None or _containers(print_) != _containers(wanted):
        return False
    return bool(wanted.name) or (bool(wanted.value) and candidate.value == wanted.value) or _is_alone(wanted, candidate)


def _is_alone(wanted: Fingerprint, candidate: TargetInfo) -> bool:
    """Without name and value: the only one of its kind in its place, then and now."""
    now = candidate.fingerprint
    return now is not None and not wanted.value and not candidate.value and now.alike == 1 and wanted.alike == 1


def _answer(print_: Fingerprint) -> tuple[object, ...]:
    name = comparable_name(print_.name)
    return (print_.role, name, _containers(print_), print_.record)


def _containers(print_: Fingerprint) -> tuple[str, ...]:
    return _named_in(print_.path[:-1])


@lru_cache(maxsize=1024)
def _named_in(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the named containers. The position of nameless ones changes with every neighbour."""
    return tuple(comparable_name(step) for step in path if ":" in step)


def unmarked(title: str) -> str:
    """Return a title, or the name of a document in it, without the mark of unsaved changes."""
    return _MODIFIED.sub("", comparable_name(title))
