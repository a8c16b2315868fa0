"""Tool bars with many buttons and side bars, folded."""

from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.core.text import stems
from deskhand.perception.text_layout import states_that_matter

_FEW: Final = 8
"""So many buttons of a tool bar are listed."""

_SHORT: Final = 3
"""Letters of a word that is too common."""


def folded_controls(targets: Sequence[TargetInfo], task: str) -> dict[str, list[TargetInfo]]:
    """Return the controls of bars that need no lines of their own, by the handle of their bar.

    Of a tool bar these are its buttons, but for those with a state other than disabled; one with few is not folded. Of
    a side bar they are all its controls. Listed stay the control with the keyboard, those whose name has a word of the
    task, and a side bar with such a name.
    """
    words = stems(" ".join(word for word in task.split() if len(word) > _SHORT))
    above = {target.handle: target for target in targets if target.handle}
    named = {each.handle for each in targets if each.type is not Role.TOOLBAR and words & stems(each.name)}
    folded: dict[str, list[TargetInfo]] = {}
    for target in targets:
        if target.handle not in named and "focused" not in target.states:
            bar = _bar_of(target, above)
            if bar is not None and bar.handle not in named:
                folded.setdefault(bar.handle, []).append(target)
    return {bar: those for bar, those in folded.items() if len(those) > _FEW or Trait.SIDE_BAR in above[bar].traits}


def _bar_of(target: TargetInfo, above: Mapping[str, TargetInfo]) -> TargetInfo | None:
    """The side bar around a control, else the tool bar around a button without a state."""
    around = _around(target, above)
    side = next((each for each in around if Trait.SIDE_BAR in each.traits), None)
    if side is not None or not _is_plain_button(target):
        return side
    return next((each for each in around if each.type is Role.TOOLBAR), None)


def _is_plain_button(target: TargetInfo) -> bool:
    return target.type is Role.BUTTON and {*states_that_matter(target)} <= {"disabled"}


def _around(target: TargetInfo, above: Mapping[str, TargetInfo]) -> list[TargetInfo]:
    """The controls around one, from the inside."""
    around: list[TargetInfo] = []
    while (parent := above.get(target.parent)) is not None and parent not in around:
        around.append(parent)
        target = parent
    return around


def bar_notes(folded: Mapping[str, Sequence[TargetInfo]]) -> dict[str, str]:
    """Return the notes on the lines of the bars, by their handles."""
    return {bar: f"{len(those)} {_kind(those)} folded, use find_controls" for bar, those in folded.items()}


def _kind(folded: Sequence[TargetInfo]) -> str:
    return "buttons" if all(each.type is Role.BUTTON for each in folded) else "controls"
