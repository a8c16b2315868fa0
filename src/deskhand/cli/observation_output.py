"""Observation of a window for the command line, and its output as text or JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation, Truncation
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.windows import Quiet, Until
from deskhand.perception.compact import compact
from deskhand.perception.text_layout import line_of
from deskhand.session.window_names import control_json, window_json

_QUIET_DEADLINE_S: Final = 1.0


async def observe_idle(desktop: Desktop, window: TargetInfo, *, final: bool, other_pages: bool) -> Observation:
    """Observe a window when it is idle, at the latest after a second; with `final`, when its states are. No picture.

    The observation reports an activity that went on, and the time waited. Raises: as `Desktop.observe`.
    """
    start = monotonic()
    quiet_s = (await desktop.activity(window)).look_after_s
    quiet = await desktop.settle(window, quiet_s=quiet_s, deadline_s=_QUIET_DEADLINE_S)
    if final:
        await desktop.settle(window, until=Until.FINAL_STATES)
    waited = ("settle", monotonic() - start)
    observation = await desktop.observe(window, picture=False, other_pages=other_pages)
    unsettled = "" if quiet.reason is Quiet.SETTLED else quiet.summary
    return replace(observation, unsettled=unsettled, timing_s=(waited, *observation.timing_s))


def empty_note(observation: Observation, controls: Sequence[TargetInfo]) -> str:
    """Note if no control is listed; empty if one is, or if the observation is truncated."""
    if controls or observation.truncated:
        return ""
    return (
        f"none of {len(observation.controls)} controls matches"
        if observation.controls
        else "the window shows no control"
    )


def notes(observation: Observation, *, final: bool) -> tuple[str, ...]:
    """Notes printed beside the controls, with advice."""
    return *observation.reservations, *(("--final waits for that",) if observation.provisional and not final else ())


@dataclass(frozen=True, slots=True)
class Listing:
    """Observation, its labelled controls that match the search, and durations of the parts in seconds."""

    observation: Observation
    controls: tuple[TargetInfo, ...]
    timing_s: dict[str, float]
    accessible_ids: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    """By handle, where they are asked for; None where the program exposes none."""

    def accessible_id_json(self, control: TargetInfo) -> JsonObject:
        """Return a JSON object with the id of a control, empty where it was not asked for."""
        known = control.handle in self.accessible_ids
        return {"accessible_id": self.accessible_ids[control.handle]} if known else {}


def as_object(observation: Listing, *, tree: bool) -> JsonObject:
    """JSON object of an observation; with `tree`, each control has `children` and no parent."""
    listed = compact(observation.controls)
    ids = {control.handle: control.id for control in observation.controls}
    return {
        "window": window_json(observation.observation.window),
        "controls": _nested(observation)
        if tree
        else [control_json(each, ids) | observation.accessible_id_json(each) for each in observation.controls],
        "text": listed.text,
        "tokens": listed.tokens,
        **reservations_json(observation.observation),
        "timing_s": {name: round(value, 6) for name, value in observation.timing_s.items()},
    }


def reservations_json(observation: Observation) -> JsonObject:
    """JSON fields with reservations about an observation."""
    return {
        "truncated": truncation_json(observation.truncated),
        "provisional": observation.provisional,
        "unsettled": observation.unsettled,
        "untold": observation.untold,
    }


def truncation_json(truncated: Truncation | None) -> JsonObject | None:
    """Reason for unread controls and their number; `omitted` is null if unknown."""
    return {"reason": truncated.reason, "omitted": truncated.omitted} if truncated else None


def _nested(observation: Listing) -> list[JsonValue]:
    """Parents precede their children, so one pass is enough."""
    roots: list[JsonValue] = []
    children_of: dict[str, list[JsonValue]] = {}
    for control in observation.controls:
        own = children_of.setdefault(control.handle, [])
        node: JsonObject = {**control_json(control, {}), **observation.accessible_id_json(control), "children": own}
        del node["parent"]
        children_of.get(control.parent, roots).append(node)
    return roots


def indented(controls: Sequence[TargetInfo]) -> str:
    """One line per control, indented below its parent."""
    depth: dict[str, int] = {}
    lines: list[str] = []
    for control in controls:
        depth[control.handle] = depth.get(control.parent, -1) + 1
        lines.append("  " * depth[control.handle] + line_of(control))
    return "\n".join(lines)
