"""`deskhand observe --watch`: what changes in a window, as it changes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import typer

from deskhand.cli.console import print_json, printable, reader_is_gone, say
from deskhand.cli.desktop_choice import chosen_desktop
from deskhand.cli.id_cache import label
from deskhand.cli.observation_output import look_at, notes_on, nothing_in, reservations_json
from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, ElementStale
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import Desktop
from deskhand.perception.compact import compact
from deskhand.perception.control_search import Sought, find_controls
from deskhand.perception.delta import Delta, delta
from deskhand.session.window_names import chosen_window, control_json, window_json

_LOOK_AGAIN_S: Final = 2.0
"""What nobody tells of is seen at the latest after so long."""

Seen = tuple[TargetInfo, ...]
Show = Callable[[Observation, Seen, Delta | None], None]


@dataclass(frozen=True, slots=True)
class Telling:
    """How it is told: `label` gives the controls of each look their ids, `show` tells of the first look and of changes,
    `note` is told why the window cannot be seen, and what `observe` tells beside its controls, once while it holds.
    """

    label: Callable[[Observation], Awaitable[Seen]]
    show: Show
    note: Callable[[str], None]


async def watch(desktop: str, window: str, sought: Sought, *, final: bool, as_json: bool) -> None:
    """Prints the controls of a window, then each change, until the window is gone or a signal comes.

    The ids are those of `observe`, and what each look gave them is kept for `act`. `final`: as `follow`.
    With `as_json`, one object a line: the first has the window and its controls, the others what changed, each what
    was to be known of that look.
    """
    async with chosen_desktop(desktop) as opened:
        target = await chosen_window(opened, window)
        telling = Telling(
            partial(label, opened),
            _print_json if as_json else _print_text,
            lambda why: typer.echo(f"({printable(why)})", err=True),
        )
        await follow(opened, target, sought, telling, final=final, until=reader_is_gone)


async def follow(
    desktop: Desktop,
    window: TargetInfo,
    sought: Sought,
    telling: Telling,
    *,
    final: bool = False,
    until: Callable[[], bool] = lambda: False,
) -> None:
    """Shows what is seen, then what is otherwise each time something is, until the window is closed, or `until`.

    What was not read has not gone. With `final` each look waits until the states of controls are. Tables that are
    out of view are looked for at the first look.
    Raises: what `observe` does, where the window was never seen; what `label` does.
    """
    sequence = _Sequence(sought, telling, final=final)
    while not until():
        count = await desktop.changes()
        try:
            other_pages = sought.means_tables and sequence.before is None
            await sequence.take(await look_at(desktop, window, final=final, other_pages=other_pages))
        except (ApplicationGone, ApplicationUnresponsive, ElementStale) as error:  # stale: perhaps the window closes
            if sequence.before is None:
                raise
            sequence.tell(error.message)
            if isinstance(error, ApplicationGone):
                return
        await desktop.changes(count, deadline_s=_LOOK_AGAIN_S)


class _Sequence:
    """What was seen last, None at first, and what was noted of it."""

    def __init__(self, sought: Sought, telling: Telling, *, final: bool) -> None:
        self.before: Seen | None = None
        self._sought = sought
        self._telling = telling
        self._final = final
        self._noted: tuple[str, ...] = ()
        self._unsettled = ""

    async def take(self, observation: Observation) -> None:
        # What goes on is worded anew at each look; while it does, it is told as it was first.
        self._unsettled = observation.unsettled and (self._unsettled or observation.unsettled)
        observation = replace(observation, unsettled=self._unsettled)
        labelled = await self._telling.label(observation)
        seen = find_controls(self._sought, labelled, observation.window)
        if observation.truncated and self.before:
            seen = (*seen, *_not_among(labelled, self.before))
        changed = None if self.before is None else delta(self.before, seen)
        if changed is None or changed:
            self._telling.show(observation, seen, changed)
        nothing = "" if self.before == () else nothing_in(observation, seen)
        self.tell(nothing, *notes_on(observation, final=self._final))
        self.before = seen

    def tell(self, *notes: str) -> None:
        """Each once, and anew after a look at which it did not hold."""
        for note in notes:
            if note and note not in self._noted:
                self._telling.note(note)
        self._noted = notes


def _not_among(seen: Seen, before: Seen) -> Seen:
    ids = {control.id for control in seen}
    return tuple(control for control in before if control.id not in ids)


def _print_text(observation: Observation, seen: Seen, changed: Delta | None) -> None:  # noqa: ARG001 - as JSON has it
    if changed is not None:
        say(f"{changed.text}\n")
    elif seen:
        say(compact(seen).text)


def _print_json(observation: Observation, seen: Seen, changed: Delta | None) -> None:
    ids = {control.handle: control.id for control in seen}

    def listed(controls: Seen) -> JsonValue:
        return [control_json(control, ids) for control in controls]

    if changed is None:
        told: JsonObject = {"window": window_json(observation.window), "controls": listed(seen)}
        print_json(told | reservations_json(observation))
        return
    print_json(
        {
            "added": listed(changed.added),
            "removed": [control.id for control in changed.removed],
            "changed": listed(tuple(after for _, after in (*changed.changed, *changed.moved))),
            **reservations_json(observation),
        }
    )
