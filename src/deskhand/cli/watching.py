"""`deskhand observe --watch`: what changes in a window, as it changes."""

from collections.abc import Callable
from typing import Final

import typer

from deskhand.cli.console import print_json, say
from deskhand.cli.desktops import chosen_desktop, chosen_window, window_json
from deskhand.cli.seen import control_json
from deskhand.core.errors import ApplicationGone
from deskhand.core.json import JsonValue
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Desktop
from deskhand.perception.compact import compact
from deskhand.perception.delta import Delta, delta
from deskhand.perception.finding import Sought, find_controls
from deskhand.perception.labels import Labeller

_QUIET_DEADLINE_S: Final = 1.0
_LOOK_AGAIN_S: Final = 2.0
"""What nobody tells of is seen at the latest after so long."""

Seen = tuple[TargetInfo, ...]


async def watch(desktop: str, window: str, sought: Sought, *, as_json: bool) -> None:
    """Prints the controls of a window, then each change, until the window is gone or a signal comes.

    With `as_json`, one object a line: the first has the window and its controls, the others what changed.
    """
    async with chosen_desktop(desktop) as opened:
        target = await chosen_window(opened, window)
        try:
            await follow(opened, target, sought, _print_json if as_json else _print_text)
        except ApplicationGone as error:
            typer.echo(f"({error})", err=True)


async def follow(
    desktop: Desktop, window: TargetInfo, sought: Sought, show: Callable[[TargetInfo, Seen, Delta | None], None]
) -> None:
    """Shows what is seen, then what is otherwise each time something is. Raises: ApplicationGone, when it is closed."""
    labeller = Labeller()
    before: Seen | None = None
    while True:
        count = await desktop.changes()
        await desktop.settle(window, deadline_s=_QUIET_DEADLINE_S)
        observation = await desktop.observe(window, picture=False)
        seen = find_controls(sought, labeller.label(observation), observation.window)
        changed = None if before is None else delta(before, seen)
        if changed is None or changed:
            show(observation.window, seen, changed)
        before = seen
        await desktop.changes(count, deadline_s=_LOOK_AGAIN_S)


def _print_text(window: TargetInfo, seen: Seen, changed: Delta | None) -> None:  # noqa: ARG001 - as JSON has it
    say(compact(seen).text if changed is None else f"{changed.text}\n")


def _print_json(window: TargetInfo, seen: Seen, changed: Delta | None) -> None:
    ids = {control.handle: control.id for control in seen}

    def listed(controls: Seen) -> JsonValue:
        return [control_json(control, ids) for control in controls]

    if changed is None:
        print_json({"window": window_json(window), "controls": listed(seen)})
        return
    print_json(
        {
            "added": listed(changed.added),
            "removed": [control.id for control in changed.removed],
            "changed": listed(tuple(after for _, after in (*changed.changed, *changed.moved))),
        }
    )
