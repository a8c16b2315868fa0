"""An observation as the command line prints it (SPEC 6)."""

from collections.abc import Sequence
from dataclasses import dataclass

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation, Truncation
from deskhand.core.target import TargetInfo
from deskhand.perception.arranging import line_of
from deskhand.perception.compact import compact
from deskhand.session.windows import control_json, window_json


@dataclass(frozen=True, slots=True)
class Seen:
    """An observation, those of its labelled controls that were asked for, and where the time went, in seconds."""

    observation: Observation
    controls: tuple[TargetInfo, ...]
    timing_s: dict[str, float]


def as_object(seen: Seen, *, tree: bool) -> JsonObject:
    """The object of SPEC 6; with `tree`, each control holds its `children` and names no parent."""
    listed = compact(seen.controls)
    ids = {control.handle: control.id for control in seen.controls}
    return {
        "window": window_json(seen.observation.window),
        "controls": _nested(seen.controls) if tree else [control_json(control, ids) for control in seen.controls],
        "text": listed.text,
        "tokens": listed.tokens,
        "truncated": truncation_json(seen.observation.truncated),
        "provisional": seen.observation.provisional,
        "unsettled": seen.observation.unsettled,
        "untold": seen.observation.untold,
        "timing_s": {name: round(value, 6) for name, value in seen.timing_s.items()},
    }


def truncation_json(truncated: Truncation | None) -> JsonObject | None:
    """Why not everything could be read, and how many controls were not; `omitted` null where that is not known."""
    return {"reason": truncated.reason, "omitted": truncated.omitted} if truncated else None


def _nested(controls: Sequence[TargetInfo]) -> list[JsonValue]:
    """Parents stand before their children, so one pass is enough."""
    roots: list[JsonValue] = []
    children_of: dict[str, list[JsonValue]] = {}
    for control in controls:
        own = children_of.setdefault(control.handle, [])
        node: JsonObject = {**control_json(control, {}), "children": own}
        del node["parent"]
        children_of.get(control.parent, roots).append(node)
    return roots


def indented(controls: Sequence[TargetInfo]) -> str:
    """A line for each control, inside of what it stands in."""
    depth: dict[str, int] = {}
    lines: list[str] = []
    for control in controls:
        depth[control.handle] = depth.get(control.parent, -1) + 1
        lines.append("  " * depth[control.handle] + line_of(control))
    return "\n".join(lines)
