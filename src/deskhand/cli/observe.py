"""`deskhand observe`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Annotated

import typer

from deskhand.cli.console import print_json
from deskhand.cli.desktops import DesktopOption, JsonOption, WindowOption, chosen_desktop, chosen_window, window_json
from deskhand.cli.stopping import run_async
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Quiet
from deskhand.perception.compact import compact, line_of
from deskhand.perception.labels import Labeller

_QUIET_DEADLINE_S = 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """An observation, its labelled controls, and where the time went, in seconds."""

    observation: Observation
    controls: tuple[TargetInfo, ...]
    timing_s: dict[str, float]


def add_to(app: typer.Typer) -> None:
    app.command("observe")(observe)


def observe(
    desktop: DesktopOption = "",
    window: WindowOption = "",
    timing: Annotated[bool, typer.Option("--timing", help="Say where the time went.")] = False,
    tree: Annotated[bool, typer.Option("--tree", help="Nest the controls instead of listing them.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the controls of a window in reading order, as a model would get them."""
    seen = run_async(lambda: look(desktop, window))
    if as_json:
        print_json(as_object(seen, tree=tree))
        return
    typer.echo(_indented(seen.controls) if tree else compact(seen.controls).text)
    if seen.observation.truncated:
        typer.echo(f"(not everything could be read: {seen.observation.truncated.reason})", err=True)
    if seen.observation.unsettled:
        typer.echo(f"({seen.observation.unsettled})", err=True)
    if seen.observation.provisional:
        typer.echo("(what is enabled or checked may still change: observe again in a moment)", err=True)
    if timing:
        typer.echo(", ".join(f"{name} {value * 1000:.0f} ms" for name, value in seen.timing_s.items()), err=True)


async def look(desktop: str, window: str) -> Seen:
    """Looks at a window once it is quiet, or after a second."""
    start = monotonic()
    async with chosen_desktop(desktop) as opened:
        target = await chosen_window(opened, window)
        connected = monotonic()
        quiet = await opened.settle(target, deadline_s=_QUIET_DEADLINE_S)
        settled = monotonic()
        observation = await opened.observe(target, picture=False)
        if quiet.reason is not Quiet.SETTLED:
            observation = replace(observation, unsettled=quiet.told)
        timing = {"connect": connected - start, "settle": settled - connected, **dict(observation.timing_s)}
        return Seen(observation, Labeller().label(observation), timing | {"total": monotonic() - start})


def as_object(seen: Seen, *, tree: bool) -> JsonObject:
    """The object of SPEC 6; with `tree`, each control holds its `children` and names no parent."""
    listed = compact(seen.controls)
    ids = {control.handle: control.id for control in seen.controls}
    truncated = seen.observation.truncated
    return {
        "window": window_json(seen.observation.window),
        "controls": _nested(seen.controls) if tree else [_control(control, ids) for control in seen.controls],
        "text": listed.text,
        "tokens": listed.tokens,
        "truncated": {"reason": truncated.reason, "omitted": truncated.omitted} if truncated else None,
        "provisional": seen.observation.provisional,
        "unsettled": seen.observation.unsettled,
        "timing_s": {name: round(value, 6) for name, value in seen.timing_s.items()},
    }


def _control(control: TargetInfo, ids: dict[str, str]) -> JsonObject:
    return {
        "id": control.id,
        "parent": ids.get(control.parent),
        "role": control.type.value,
        "raw_role": control.raw_role,
        "name": control.name,
        "value": control.value,
        "states": [*sorted(control.states)],
        "rect": [*control.rect.to_list()],
        "actions": [*control.actions],
    }


def _nested(controls: Sequence[TargetInfo]) -> list[JsonValue]:
    """Parents stand before their children, so one pass is enough."""
    roots: list[JsonValue] = []
    children_of: dict[str, list[JsonValue]] = {}
    for control in controls:
        own = children_of.setdefault(control.handle, [])
        node: JsonObject = {**_control(control, {}), "children": own}
        del node["parent"]
        children_of.get(control.parent, roots).append(node)
    return roots


def _indented(controls: Sequence[TargetInfo]) -> str:
    depth: dict[str, int] = {}
    lines: list[str] = []
    for control in controls:
        depth[control.handle] = depth.get(control.parent, -1) + 1
        lines.append("  " * depth[control.handle] + line_of(control))
    return "\n".join(lines)
