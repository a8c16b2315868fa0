"""How the command line looks at a window, and the observation as it prints it (SPEC 6)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Final

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation, Truncation
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Desktop, Quiet
from deskhand.perception.compact import compact
from deskhand.perception.text_layout import line_of
from deskhand.session.window_names import control_json, window_json

_QUIET_DEADLINE_S: Final = 1.0


async def look_at(desktop: Desktop, window: TargetInfo, *, final: bool, other_pages: bool) -> Observation:
    """A window once it is quiet, or after a second; with `final`, once its states are. No picture is taken.

    It says what was still going on, and how long it was waited. Raises: what `Eyes.observe` does.
    """
    start = monotonic()
    quiet = await desktop.settle(window, deadline_s=_QUIET_DEADLINE_S)
    if final:
        await desktop.wait_for_states(window)
    waited = ("settle", monotonic() - start)
    seen = await desktop.observe(window, picture=False, other_pages=other_pages)
    unsettled = "" if quiet.reason is Quiet.SETTLED else quiet.told
    return replace(seen, unsettled=unsettled, timing_s=(waited, *seen.timing_s))


def nothing_in(seen: Observation, controls: Sequence[TargetInfo]) -> str:
    """Why none of its controls is listed; empty where one is, or where not all were read."""
    if controls or seen.truncated:
        return ""
    return f"none of {len(seen.controls)} controls is one" if seen.controls else "the window shows no control"


def notes_on(seen: Observation, *, final: bool) -> tuple[str, ...]:
    """What is told beside the controls, and what may be done about it."""
    return *seen.reservations, *(("--final waits for that",) if seen.provisional and not final else ())


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
        **reservations_json(seen.observation),
        "timing_s": {name: round(value, 6) for name, value in seen.timing_s.items()},
    }


def reservations_json(seen: Observation) -> JsonObject:
    """What whoever decides by it must know, as SPEC 6 prints it."""
    return {
        "truncated": truncation_json(seen.truncated),
        "provisional": seen.provisional,
        "unsettled": seen.unsettled,
        "untold": seen.untold,
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
