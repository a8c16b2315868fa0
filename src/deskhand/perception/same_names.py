"""Words that distinguish controls of one role and name in a list."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, comparable_name, record_of
from deskhand.core.text import quoted
from deskhand.perception.box_kinds import interactive
from deskhand.perception.text_layout import Line, arrange

_ITEMS: Final = frozenset({Role.CELL, Role.LISTITEM, Role.SCROLLBAR, Role.TREEITEM})
"""Their names are data, of which several may be equal."""

_LONGEST: Final = 40
"""Characters of a text that distinguishes one."""

_ORDER: Final = ("1st", "2nd", "3rd", "4th")
"""More are not distinguished by their order."""

_Place: TypeAlias = tuple[int, TargetInfo]
"""The index of a line, and a control on it."""


def words_for_same_names(lines: Sequence[Line]) -> dict[str, str]:
    """Return distinguishing words, by handle, for the controls that read the same in a list.

    Nothing is added where their regions, or the other controls of their rows, differ. Else the words are a text of the
    part of the window that contains no other one, the heading or label before it, or its place.
    """
    alike: dict[tuple[object, ...], list[_Place]] = {}
    for index, line in enumerate(lines):
        for target in line.targets:
            if _is_meant(target):
                alike.setdefault((*_named(target), *_shown_with(lines, index, target)), []).append((index, target))
    return _words_of_all(lines, alike.values(), is_listed_alone=False)


def words_for_found(found: Sequence[TargetInfo], controls: Sequence[TargetInfo]) -> dict[str, str]:
    """Return distinguishing words, by handle, for found controls of one role and name, which are listed alone.

    `controls`: all of the window. The region or row around each counts too.
    """
    names = Counter(map(_named, found))
    wanted = {target.handle for target in found if names[_named(target)] > 1 and _is_meant(target)}
    if not wanted:
        return {}
    lines = arrange(controls)
    alike: dict[tuple[str, ...], list[_Place]] = {}
    for index, line in enumerate(lines):
        for target in line.targets:
            if target.handle in wanted:
                alike.setdefault(_named(target), []).append((index, target))
    return _words_of_all(lines, alike.values(), is_listed_alone=True)


def _words_of_all(lines: Sequence[Line], alike: Iterable[Sequence[_Place]], *, is_listed_alone: bool) -> dict[str, str]:
    several = [places for places in alike if len(places) > 1]
    found = (_words(lines, places, is_listed_alone=is_listed_alone) for places in several)
    return {handle: words for each in found for handle, words in each.items()}


def _is_meant(target: TargetInfo) -> bool:
    is_used = target.kind is TargetKind.WINDOW or (interactive(target) and target.type not in _ITEMS)
    return is_used and bool(target.name and target.handle)


def _named(target: TargetInfo) -> tuple[str, str, str]:
    return target.type.value, comparable_name(target.name), target.application


def _shown_with(lines: Sequence[Line], index: int, target: TargetInfo) -> tuple[object, ...]:
    """The names of the regions around a control, and of the others on its line."""
    line = lines[index]
    others = (each for each in line.targets if _named(each) != _named(target))
    beside = tuple((*_named(each), "" if interactive(each) else each.value) for each in others)
    regions: list[tuple[str, ...]] = []
    at = line.under
    while at is not None:
        regions.append(_named(lines[at].targets[0]))
        at = lines[at].under
    return beside, *regions


def _words(lines: Sequence[Line], places: Sequence[_Place], *, is_listed_alone: bool) -> Mapping[str, str]:
    """The words of the first kind by which all of these controls differ; empty where there is none."""
    targets = [target for _, target in places]
    around: tuple[Callable[[], list[str]], ...] = (
        lambda: [_region(lines, index) for index, _ in places],
        lambda: [_beside(lines[index], target) for index, target in places],
    )
    kinds: tuple[Callable[[], list[str]], ...] = (
        *(around if is_listed_alone else ()),
        lambda: _of_records(targets),
        lambda: [_before(lines, index, "under", _is_heading) for index, _ in places],
        lambda: [_before(lines, index, "after", _is_caption) for index, _ in places],
        lambda: _of_places(targets),
    )
    for kind in kinds:
        words = kind()
        if all(words) and len({*words}) == len(targets):
            return {target.handle: each for target, each in zip(targets, words, strict=True)}
    return {}


def _region(lines: Sequence[Line], index: int) -> str:
    """The nearest region around a line that has a name."""
    at = lines[index].under
    while at is not None and not lines[at].targets[0].name:
        at = lines[at].under
    return f"in {quoted(lines[at].targets[0].name, _LONGEST)}" if at is not None else ""


def _beside(line: Line, target: TargetInfo) -> str:
    """The first text of another control in its row."""
    texts = (_text(each) for each in line.targets if _named(each) != _named(target))
    text = next((text for text in texts if text), "")
    return f"of {quoted(text, _LONGEST)}" if text else ""


def _of_records(targets: Sequence[TargetInfo]) -> list[str]:
    records = [dict.fromkeys(text for text in record_of(target) if _has_words(text)) for target in targets]
    counts = Counter(text for record in records for text in record)
    own = [next((text for text in record if counts[text] == 1), "") for record in records]
    return [f"of {quoted(text, _LONGEST)}" if text else "" for text in own]


def _has_words(text: str) -> bool:
    return any(letter.isalnum() for letter in text)


def _before(lines: Sequence[Line], index: int, preposition: str, fits: Callable[[TargetInfo], bool]) -> str:
    """The last fitting text before a line in its region."""
    under = lines[index].under
    before = (line.targets[0] for line in lines[index - 1 :: -1] if line.under == under) if index else ()
    found = next((target for target in before if fits(target)), None)
    return f"{preposition} {quoted(_text(found), _LONGEST)}" if found else ""


def _is_heading(target: TargetInfo) -> bool:
    return target.type is Role.HEADING and _has_words(_text(target))


def _is_caption(target: TargetInfo) -> bool:
    """True for a short text without digits, which may count something."""
    text = _text(target)
    is_short = len(text) <= _LONGEST and not any(letter.isdecimal() for letter in text)
    return is_short and _has_words(text) and not interactive(target)


def _text(target: TargetInfo) -> str:
    return (target.name or target.value).strip()


def _of_places(targets: Sequence[TargetInfo]) -> list[str]:
    if len(targets) > 2:
        return [f"{number} of {len(targets)}" for number in _ORDER[: len(targets)]]
    one, other = (target.rect for target in targets)
    if one.empty or other.empty:
        return []
    if one.bottom <= other.top or other.bottom <= one.top:
        return ["upper", "lower"] if one.top < other.top else ["lower", "upper"]
    if one.right <= other.left or other.right <= one.left:
        return ["left", "right"] if one.left < other.left else ["right", "left"]
    return []
