"""Number fields whose text is edited in a text box inside them, as in Swing."""

from deskhand.commands.call import Call
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo


def editor_of(call: Call, target: TargetInfo) -> TargetInfo:
    """The text box inside a number field that takes its keys; any other target itself."""
    seen = call.command.seen
    if target.type is not Role.SPINBUTTON or "editable" in target.states or seen is None:
        return target
    parts = (part for part in seen.inside_of(target) if part.type is Role.TEXTBOX and "editable" in part.states)
    return next(parts, target)


def number_field_of(call: Call, target: TargetInfo) -> TargetInfo | None:
    """The number field that a target is, or whose text it edits; else None."""
    seen = call.command.seen
    field = target if target.type is Role.SPINBUTTON or seen is None else seen.find(target.parent)
    return field if field is not None and field.type is Role.SPINBUTTON else None
