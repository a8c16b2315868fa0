"""Difference of two observations of a window."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Final

from deskhand.core.target import TargetInfo
from deskhand.perception.text_layout import line_of

_NOT_SEEN: Final = {"rect", "fingerprint", "traits"}
_as_seen: Final = attrgetter(*(field.name for field in fields(TargetInfo) if field.name not in _NOT_SEEN))
"""Visible properties of a control except its place; its fingerprint changes with the window's title."""


@dataclass(frozen=True, slots=True)
class Delta:
    """Controls by their ids: added ones, removed ones, and pairs (before, after) of those whose lines differ.

    `moved` has those that changed only in their place.
    """

    added: tuple[TargetInfo, ...] = ()
    removed: tuple[TargetInfo, ...] = ()
    changed: tuple[tuple[TargetInfo, TargetInfo], ...] = ()
    moved: tuple[tuple[TargetInfo, TargetInfo], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.moved)

    @property
    def has_lines(self) -> bool:
        """True if more than places changed."""
        return bool(self.added or self.removed or self.changed)

    @property
    def counts(self) -> str:
        """`27 new, 3 changed, 1 gone, 9 moved`."""
        counted = (
            (len(self.added), "new"),
            (len(self.changed), "changed"),
            (len(self.removed), "gone"),
            (len(self.moved), "moved"),
        )
        return ", ".join(f"{number} {what}" for number, what in counted if number)

    @property
    def text(self) -> str:
        """A line for each: `+` added, `-` removed, `~` changed; a number of moved ones, if that is all."""
        lines = [f"- {line_of(control)}" for control in self.removed]
        lines += [f"~ {line_of(after)}" for _, after in self.changed]
        lines += [f"+ {line_of(control)}" for control in self.added]
        if self.moved and not lines:
            lines.append(f"({len(self.moved)} moved)")
        return "\n".join(lines)


def delta(before: Sequence[TargetInfo], after: Sequence[TargetInfo]) -> Delta:
    """Both sides labelled by one `Labeller`, so that a living control has one id. In the order of observations."""
    then = {control.id: control for control in before}
    now = {control.id: control for control in after}
    pairs = [(then[control.id], control) for control in after if control.id in then]
    otherwise = [_as_seen(old) != _as_seen(new) and line_of(old) != line_of(new) for old, new in pairs]
    changed = [pair for pair, is_otherwise in zip(pairs, otherwise, strict=True) if is_otherwise]
    moved = [
        (old, new)
        for (old, new), is_otherwise in zip(pairs, otherwise, strict=True)
        if not is_otherwise and old.rect != new.rect
    ]
    return Delta(
        tuple(control for control in after if control.id not in then),
        tuple(control for control in before if control.id not in now),
        tuple(changed),
        tuple(moved),
    )
