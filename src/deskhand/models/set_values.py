"""Steps that set a value which then reads otherwise."""

from typing import Final

from deskhand.core.command import Effect
from deskhand.core.model import ActionRecord
from deskhand.models.steps import Step

_SETTING: Final = frozenset({"set_edit_text", "set_value", "select_item", "fill"})
"""Tools that read back the very value that they set; of a press only the surroundings can be read."""


def value_not_set(step: Step, action: ActionRecord) -> str:
    """The reason why a step that expects nothing did not do its work; empty if it did, or that is not known."""
    if step.expect is not None or step.tool not in _SETTING or action.effect is not Effect.SUSPECTED_NOOP:
        return ""
    read = f": {action.evidence}" if action.evidence else ""
    return f"nothing was set{read}; expect: {{effect: suspected_noop}} lets the playbook go on"
