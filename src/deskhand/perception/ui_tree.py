"""An observation as nested JSON."""

from typing import Final

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo

FIELDS: Final = ("role", "raw_role", "name", "value", "states", "rect", "actions")


def tree_of(seen: Observation) -> JsonObject:
    """Return a window with its controls below each other, and the amount that is left out."""
    children: dict[str, list[JsonValue]] = {control.handle: [] for control in seen.controls}
    roots: list[JsonValue] = []
    for control in seen.controls:
        node: JsonObject = {**node_of(control), "children": children[control.handle]}
        children.get(control.parent, roots).append(node)
    truncated: JsonValue = None
    if seen.truncated:
        truncated = {"reason": seen.truncated.reason, "omitted": seen.truncated.omitted}
    return {"window": node_of(seen.window), "children": roots, "truncated": truncated}


def node_of(target: TargetInfo) -> JsonObject:
    """Return the `FIELDS` of a window or control; `rect` in physical screen pixels."""
    return {
        "role": target.type.value,
        "raw_role": target.raw_role,
        "name": target.name,
        "value": target.value,
        "states": [*sorted(target.states)],
        "rect": [*target.rect.to_list()],
        "actions": [*target.actions],
    }
