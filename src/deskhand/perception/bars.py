"""Tool bars with many buttons, folded."""

from collections.abc import Mapping, Sequence
from typing import Final

from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.core.text import stems
from deskhand.perception.text_layout import states_that_matter

_FEW: Final = 8
"""So many buttons of a tool bar are listed."""

_SHORT: Final = 3
"""Letters of a word that is too common."""


def folded_buttons(targets: Sequence[TargetInfo], task: str) -> dict[str, list[TargetInfo]]:
    """Return the buttons of tool bars that need no lines of their own, by the handle of their bar.

    A bar with few such buttons is not folded. Not among them: those whose name has a word of the task, and those with
    a state other than disabled.
    """
    words = {word for word in stems(task) if len(word) > _SHORT}
    above = {target.handle: target for target in targets if target.handle}
    folded: dict[str, list[TargetInfo]] = {}
    for target in targets:
        plain = target.type is Role.BUTTON and {*states_that_matter(target)} <= {"disabled"}
        if plain and not words & stems(target.name) and (bar := _bar_of(target, above)):
            folded.setdefault(bar.handle, []).append(target)
    return {bar: buttons for bar, buttons in folded.items() if len(buttons) > _FEW}


def _bar_of(target: TargetInfo, above: Mapping[str, TargetInfo]) -> TargetInfo | None:
    at: TargetInfo | None = target
    while at is not None and at.type is not Role.TOOLBAR:
        at = above.get(at.parent) if at.parent else None
    return at


def bar_notes(folded: Mapping[str, Sequence[TargetInfo]]) -> dict[str, str]:
    """Return the notes on the lines of the bars, by their handles."""
    return {bar: f"{len(buttons)} buttons folded, use find_controls" for bar, buttons in folded.items()}
