"""The control that is meant where an action names the label beside it or the container around it."""

from typing import Final

from deskhand.commands.control_kinds import LABELS
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo

_AROUND: Final = frozenset({Role.COMBOBOX, Role.GENERIC, Role.GROUP})


def field_inside(seen: Observation | None, target: TargetInfo) -> TargetInfo | None:
    """The only text field inside a combo box or group that takes no text itself; else None."""
    if seen is None or target.type not in _AROUND or "editable" in target.states:
        return None
    fields = [part for part in seen.inside_of(target) if part.type is Role.TEXTBOX and "editable" in part.states]
    return fields[0] if len(fields) == 1 else None


def beside_label(seen: Observation | None, target: TargetInfo, roles: frozenset[Role]) -> TargetInfo | None:
    """The nearest control of these roles on the row of a label, after it; else the next one below it; else None."""
    if seen is None or target.type not in LABELS or target.rect.empty:
        return None
    label = target.rect
    those = [control for control in seen.controls if control.type in roles and not control.rect.empty]
    row = [c for c in those if c.rect.left >= label.right and c.rect.top <= label.center.y < c.rect.bottom]
    below = [c for c in those if c.rect.top >= label.bottom and c.rect.left < label.right and c.rect.right > label.left]
    if row:
        return min(row, key=lambda control: control.rect.left)
    return min(below, key=lambda control: control.rect.top, default=None)
