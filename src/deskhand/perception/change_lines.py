"""Changes between two observations, in lines for the user."""

from collections.abc import Iterable, Sequence

from deskhand.core.target import TargetInfo
from deskhand.perception.delta import delta
from deskhand.perception.text_layout import line_of


def window_changes(before: Iterable[TargetInfo], now: Iterable[TargetInfo]) -> list[str]:
    """Return the windows that closed, opened or have another title, a line each."""
    old = {window.handle: window for window in before}
    new = {window.handle: window for window in now}
    lines = [f'window "{each.name}" closed' for handle, each in old.items() if handle not in new]
    lines += [f'window "{each.name}" opened' for handle, each in new.items() if handle not in old]
    return lines + [
        f'window "{old[handle].name}" is now "{each.name}"'
        for handle, each in new.items()
        if handle in old and old[handle].name != each.name
    ]


def control_changes(before: Sequence[TargetInfo], now: Sequence[TargetInfo]) -> list[str]:
    """Return the controls that changed, are new or are gone, a line each. Both sides: labelled by one `Labeller`."""
    difference = delta(before, now)
    lines = [f"changed: {_line(after)}" for _, after in difference.changed]
    lines += [f"new: {_line(control)}" for control in difference.added]
    return lines + [f"gone: {_line(control)}" for control in difference.removed]


def first_lines(lines: Sequence[str], most: int) -> list[str]:
    """Return the first lines, and in one more how many are left out."""
    left_out = len(lines) - most
    return [*lines[:most], f"… and {left_out} more"] if left_out > 0 else [*lines]


def _line(control: TargetInfo) -> str:
    """Return a control as in an observation, without its id."""
    return line_of(control).removeprefix(control.id).strip()
