"""`deskhand observe --watch`: changes of a window, printed as they occur."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from deskhand.cli.console import print_json, print_line, print_note, printable, reader_is_gone
from deskhand.cli.desktop_choice import observed_desktop
from deskhand.cli.id_cache import label
from deskhand.cli.observation_output import empty_note, notes, observe_idle, reservations_json
from deskhand.cli.streams import printed
from deskhand.core.errors import ApplicationGone, ApplicationUnresponsive, ElementStale
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.perception.compact import compact
from deskhand.perception.control_search import Sought, find_controls
from deskhand.perception.delta import Delta, delta
from deskhand.session.window_names import chosen_window, control_json, window_json

_INTERVAL_S: Final = 2.0
"""Longest time until a change without an event is noticed."""

Controls = tuple[TargetInfo, ...]
Show = Callable[[Observation, Controls, Delta | None], None]


@dataclass(frozen=True, slots=True)
class Output:
    """Output of a watch: `label` gives the controls of each observation their ids, `show` prints the first observation
    and changes, `note` prints remarks, and why the window cannot be observed, once while each holds.
    """

    label: Callable[[Observation], Awaitable[Controls]]
    show: Show
    note: Callable[[str], None]


async def watch(desktop: str, window: str, query: Sought, *, final: bool, as_json: bool) -> None:
    """Print the controls of a window, then each change, until the window is closed or a signal comes.

    The ids are those of `observe`, cached for `act` at each observation. `final`: as for `follow`.
    With `as_json`, one object per line: the first has the window and its controls, the others the changes, each with
    the reservations about its observation.
    """
    async with observed_desktop(desktop) as opened:
        target = await chosen_window(opened, window)
        output = Output(
            partial(label, opened),
            _print_json if as_json else _print_text,
            lambda why: print_note(f"({printable(why)})"),
        )
        await follow(opened, target, query, output, final=final, until=reader_is_gone)


async def follow(
    desktop: Desktop,
    window: TargetInfo,
    query: Sought,
    output: Output,
    *,
    final: bool = False,
    until: Callable[[], bool] = lambda: False,
) -> None:
    """Show the first observation, then each change, until the window is closed or `until` is true.

    A control that was not read is not reported as removed. With `final` each observation waits for final states.
    Pages of tables that are out of view are read for the first observation only.
    Raises: as `observe` if the window was never observed; as `label`.
    """
    sequence = _Sequence(query, output, final=final)
    while not until():
        seen_changes = (await desktop.activity()).changes
        try:
            other_pages = query.means_tables and sequence.before is None
            await sequence.take(await observe_idle(desktop, window, final=final, other_pages=other_pages))
        except (ApplicationGone, ApplicationUnresponsive, ElementStale) as error:  # stale: the window may be closing
            if sequence.before is None:
                raise
            await sequence.print_notes(error.message)
            if isinstance(error, ApplicationGone):
                return

        async def has_changed(before: int = seen_changes) -> bool:
            return (await desktop.activity()).changes > before

        await desktop.wait_until(has_changed, deadline_s=_INTERVAL_S)


class _Sequence:
    """Latest observation, None at first, and the notes printed for it."""

    def __init__(self, query: Sought, output: Output, *, final: bool) -> None:
        self.before: Controls | None = None
        self._query = query
        self._output = output
        self._final = final
        self._printed: tuple[str, ...] = ()
        self._unsettled = ""

    async def take(self, observation: Observation) -> None:
        # An activity is worded anew at each observation; while it lasts, the first wording is used.
        self._unsettled = observation.unsettled and (self._unsettled or observation.unsettled)
        observation = replace(observation, unsettled=self._unsettled)
        labelled = await self._output.label(observation)
        controls = find_controls(self._query, labelled, observation.window)
        if observation.truncated and self.before:
            controls = (*controls, *_not_among(labelled, self.before))
        difference = None if self.before is None else delta(self.before, controls)
        if difference is None or difference:
            await printed(self._output.show, observation, controls, difference)
        nothing = "" if self.before == () else empty_note(observation, controls)
        await self.print_notes(nothing, *notes(observation, final=self._final))
        self.before = controls

    async def print_notes(self, *notes: str) -> None:
        """Print each note once, and again after an observation without it."""
        for note in notes:
            if note and note not in self._printed:
                await printed(self._output.note, note)
        self._printed = notes


def _not_among(controls: Controls, before: Controls) -> Controls:
    ids = {control.id for control in controls}
    return tuple(control for control in before if control.id not in ids)


def _print_text(observation: Observation, controls: Controls, difference: Delta | None) -> None:  # noqa: ARG001 - as `_print_json`
    if difference is not None:
        print_line(f"{difference.text}\n")
    elif controls:
        print_line(compact(controls).text)


def _print_json(observation: Observation, controls: Controls, difference: Delta | None) -> None:
    ids = {control.handle: control.id for control in controls}

    def listed(controls: Controls) -> JsonValue:
        return [control_json(control, ids) for control in controls]

    if difference is None:
        first: JsonObject = {"window": window_json(observation.window), "controls": listed(controls)}
        print_json(first | reservations_json(observation))
        return
    print_json(
        {
            "added": listed(difference.added),
            "removed": [control.id for control in difference.removed],
            "changed": listed(tuple(after for _, after in (*difference.changed, *difference.moved))),
            **reservations_json(observation),
        }
    )
