"""What changed between two observations of a window."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from deskhand.core.geometry import NOWHERE
from deskhand.core.target import TargetInfo
from deskhand.perception.arranging import line_of


@dataclass(frozen=True, slots=True)
class Delta:
    """Controls by their ids: new ones, those that went, and pairs (before, after) of those that stayed otherwise.

    `moved` has those of which nothing but the place changed.
    """

    added: tuple[TargetInfo, ...] = ()
    removed: tuple[TargetInfo, ...] = ()
    changed: tuple[tuple[TargetInfo, TargetInfo], ...] = ()
    moved: tuple[tuple[TargetInfo, TargetInfo], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.moved)

    @property
    def text(self) -> str:
        """A line for each: `+` is new, `-` went, `~` is otherwise now; places only as a number."""
        lines = [f"- {line_of(control)}" for control in self.removed]
        lines += [f"~ {line_of(after)}" for _, after in self.changed]
        lines += [f"+ {line_of(control)}" for control in self.added]
        if self.moved:
            lines.append(f"({len(self.moved)} moved)")
        return "\n".join(lines)


def delta(before: Sequence[TargetInfo], after: Sequence[TargetInfo]) -> Delta:
    """Both sides labelled by one `Labeller`, so that a control that lives has one id. In the order of observations."""
    then = {control.id: control for control in before}
    now = {control.id: control for control in after}
    pairs = [(then[control.id], control) for control in after if control.id in then]
    changed = [(old, new) for old, new in pairs if _but_for_place(old) != _but_for_place(new)]
    moved = [(old, new) for old, new in pairs if old.rect != new.rect and _but_for_place(old) == _but_for_place(new)]
    return Delta(
        tuple(control for control in after if control.id not in then),
        tuple(control for control in before if control.id not in now),
        tuple(changed),
        tuple(moved),
    )


def _but_for_place(control: TargetInfo) -> TargetInfo:
    """What can be seen of a control; its fingerprint changes with the window's title."""
    return replace(control, rect=NOWHERE, fingerprint=None)
