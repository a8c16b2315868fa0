"""Search for the one control that a selector matches, with a description of the mismatch.

`role` and `name` are compared as names are, `value` character by character; `/…/` is searched for.
`within` is a mapping that some ancestor must match, or names of ancestors from the outside in; the window itself is
the outermost ancestor. `nth` picks from several matches in reading order: `first`, `last`, or a number from 1.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from deskhand.core.patterns import is_pattern, matches_name, matches_text
from deskhand.core.replies import Selector
from deskhand.core.target import TargetInfo, Trait, comparable_name

MAX_CANDIDATES = 8


@dataclass(frozen=True, slots=True)
class Ancestor:
    """Properties of an ancestor that are compared."""

    role: str
    name: str
    value: str = ""


_MAY_BE_ENABLED: Final = frozenset({"enabled", "offscreen"})


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Reason why a selector matches no single control, with the nearest candidates."""

    wanted: str
    found: int
    candidates: tuple[str, ...]
    seen: int

    @property
    def message(self) -> str:
        if self.found:
            return f"wanted {self.wanted}; found {self.found}: {'; '.join(self.candidates)}"
        near = f"; nearest: {'; '.join(self.candidates)}" if self.candidates else f" among {self.seen} shown"
        return f"wanted {self.wanted}; found none{near}"


def describe(selector: Selector) -> str:
    """A selector as a phrase: `menuitem "Chart..." within "Insert"`."""
    words = [selector.role or "control"]
    if selector.name:
        words.append(_quoted(selector.name))
    if selector.value:
        words.append(f"with value {_quoted(selector.value)}")
    if isinstance(selector.within, Selector):
        words.append(f"within {describe(selector.within)}")
    elif selector.within:
        words.append(f"within {' > '.join(_quoted(name) for name in selector.within)}")
    if selector.nth is not None:
        words.append(f"({selector.nth})" if isinstance(selector.nth, str) else f"(number {selector.nth})")
    return " ".join(words)


def find_all(
    selector: Selector, controls: Sequence[TargetInfo], window: TargetInfo | None = None
) -> tuple[TargetInfo, ...]:
    """All controls that match the selector without its `nth`, in reading order."""
    by_handle = {control.handle: control for control in controls if control.handle}
    return tuple(
        control
        for control in controls
        if _matches(selector, control.type, control.name, control.value)
        and (not selector.within or _is_within(selector.within, _ancestors(control, by_handle, window)))
    )


def is_window(selector: Selector, window: TargetInfo | None) -> bool:
    """True if a selector means the window or dialog itself."""
    return window is not None and not selector.within and _matches(selector, window.type, window.name, window.value)


def find(selector: Selector, controls: Sequence[TargetInfo], window: TargetInfo | None = None) -> TargetInfo | Mismatch:
    """The one control that the selector matches."""
    matches = find_usable(selector, controls, window)
    chosen = picked(selector.nth, matches)
    if len(chosen) == 1:
        return chosen[0]
    near = matches or _nearest(selector, controls)
    return Mismatch(describe(selector), len(chosen), _described(near, controls, window), len(controls))


def find_usable(
    selector: Selector, controls: Sequence[TargetInfo], window: TargetInfo | None = None
) -> tuple[TargetInfo, ...]:
    """The controls that `nth` counts: as `find_all`, of several only enabled ones."""
    return _usable(find_all(selector, controls, window))


def picked(nth: int | str | None, matches: tuple[TargetInfo, ...]) -> tuple[TargetInfo, ...]:
    """The match that `nth` picks, or none; all matches without `nth`."""
    match nth:
        case None:
            return matches
        case int():
            return matches[nth - 1 : nth]
        case _:
            return matches[:1] if nth == "first" else matches[-1:]


def _usable(matches: tuple[TargetInfo, ...]) -> tuple[TargetInfo, ...]:
    """Of several matches the enabled ones, as a disabled twin is never meant; all if none is enabled.

    The states of controls out of view are unknown, so a table on another page counts like one on this page.
    """
    enabled = tuple(control for control in matches if control.states & _MAY_BE_ENABLED)
    return _of_one_pane(enabled or matches)


def _of_one_pane(matches: tuple[TargetInfo, ...]) -> tuple[TargetInfo, ...]:
    """Of the same table or cell in several panes of a spreadsheet the one with the focus, else the last."""
    if len({(match.type, match.name) for match in matches}) != 1 or Trait.OF_SHEET not in matches[0].traits:
        return matches
    return tuple(match for match in matches if "focused" in match.states) or matches[-1:]


def _matches(selector: Selector, role: str, name: str, value: str) -> bool:
    return (
        (not selector.role or matches_name(selector.role, role))
        and (not selector.name or matches_name(selector.name, name))
        and (not selector.value or matches_text(selector.value, value))
    )


def _is_within(within: Selector | list[str], ancestors: Sequence[Ancestor]) -> bool:
    """`ancestors` from the inside out."""
    if isinstance(within, Selector):
        return any(
            _matches(within, ancestor.role, ancestor.name, ancestor.value)
            and (not within.within or _is_within(within.within, ancestors[depth + 1 :]))
            for depth, ancestor in enumerate(ancestors)
        )
    outside_in = iter(reversed(ancestors))
    return all(any(matches_name(name, ancestor.name) for ancestor in outside_in) for name in within)


def _ancestors(
    control: TargetInfo, by_handle: dict[str, TargetInfo], window: TargetInfo | None
) -> tuple[Ancestor, ...]:
    """Ancestors from the inside out: by handles; from the fingerprint beyond the first one that was not listed."""
    chain: list[Ancestor] = []
    seen = {control.handle}
    inner = control
    while (parent := by_handle.get(inner.parent)) is not None and parent.handle not in seen:
        seen.add(parent.handle)
        chain.append(Ancestor(parent.type, parent.name, parent.value))
        inner = parent
    if inner.parent and (window is None or inner.parent != window.handle):
        chain.extend(_fingerprinted(inner))
    if window is not None and control.handle != window.handle:
        chain.append(Ancestor(window.type, window.name, window.value))
    return tuple(chain)


def _fingerprinted(control: TargetInfo) -> list[Ancestor]:
    if control.fingerprint is None:
        return []
    entries = [_path_entry(entry) for entry in control.fingerprint.path]
    if entries and entries[-1].role == control.type and entries[-1].name in {"", control.name}:
        del entries[-1]  # the control itself
    return entries[::-1]


def _path_entry(entry: str) -> Ancestor:
    role, colon, name = entry.partition(":")
    return Ancestor(role, name) if colon else Ancestor(entry.partition("#")[0], "")


def _nearest(selector: Selector, controls: Sequence[TargetInfo]) -> list[TargetInfo]:
    ranked = sorted(((-_likeness(selector, control), place) for place, control in enumerate(controls)))
    return [controls[place] for score, place in ranked if score <= -0.5]


def _likeness(selector: Selector, control: TargetInfo) -> float:
    score = 1.0 if selector.role and matches_name(selector.role, control.type) else 0.0
    if not selector.name:
        return score
    if is_pattern(selector.name):
        return score + (1.0 if matches_name(selector.name, control.name) else 0.0)
    wanted, name = comparable_name(selector.name).casefold(), comparable_name(control.name).casefold()
    return score + SequenceMatcher(None, wanted, name).ratio()


def _described(
    near: Sequence[TargetInfo], controls: Sequence[TargetInfo], window: TargetInfo | None
) -> tuple[str, ...]:
    """Descriptions of controls; those that read the same have their number, which is `nth` if all of them match."""
    by_handle = {control.handle: control for control in controls if control.handle}
    named = [next((item for item in _ancestors(each, by_handle, window) if item.name), None) for each in near]
    alike = Counter((each.type, each.name, each.value, around) for each, around in zip(near, named, strict=True))
    lines: list[str] = []
    for number, (control, around) in enumerate(zip(near[:MAX_CANDIDATES], named, strict=False), 1):
        line = f'{control.describe} in {around.role} "{around.name}"' if around else control.describe
        is_one_of = alike[control.type, control.name, control.value, around] > 1
        lines.append(f"{line} (number {number})" if is_one_of else line)
    more = len(near) - MAX_CANDIDATES
    return (*lines, f"and {more} more") if more > 0 else tuple(lines)


def _quoted(wanted: str) -> str:
    return wanted if is_pattern(wanted) else f'"{wanted}"'
