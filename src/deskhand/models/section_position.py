"""Position in a section of a playbook: its steps with the loops unrolled, and the number of those done.

A place is a step, in a loop a step and a row. The places follow from the playbook and the saved data, the position
from the records of earlier steps; nothing is stored between two requests. A record's `position` names the place its
reply was made from, so that skipped steps stay skipped, independent of the present observation; a record without one
(from another model) counts for the next place it may have been. A record with `healing` stands for its place whichever
tool it used: the place is done if the mark says so and an action ran.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from deskhand.core.command import ResultStatus
from deskhand.core.json import JsonValue
from deskhand.core.model import ActionRecord, StepRecord
from deskhand.core.patterns import matches_name
from deskhand.core.replies import Selector
from deskhand.models.placeholder_values import as_text, filled_selector
from deskhand.models.placeholders import UnknownValue, Values, look_up
from deskhand.models.steps import Loop, Step

MAX_ROWS: Final = 500
MENUS: Final = ("menu", "menuitem")


@dataclass(frozen=True, slots=True)
class Place:
    """A step with its values; `number` counts the section's steps, `row` the loop's rows, from 1."""

    step: Step
    number: int
    values: Values
    row: int = 0


@dataclass(frozen=True, slots=True)
class Unrolled:
    """Places of a section as far as they can be computed; `problem` at `line` prevents the rest."""

    places: tuple[Place, ...]
    problem: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a section: places before `position` are done or skipped; `last`: the record of the one before it.

    `last` is None where nothing ran yet, or that place was skipped.
    """

    position: int = 0
    last: StepRecord | None = None


def unroll(steps: Sequence[Step], values: Values) -> Unrolled:
    """Places of a section, with the data saved so far."""
    places: list[Place] = []
    numbered = enumerate(steps, start=1)
    for _, group in groupby(numbered, key=lambda item: id(item[1].loop) if item[1].loop else -item[0]):
        body = list(group)
        loop = body[0][1].loop
        if loop is None:
            places += [Place(step, number, values) for number, step in body]
            continue
        try:
            rows = _rows(loop, values)
        except UnknownValue as problem:
            return Unrolled(tuple(places), str(problem), loop.line)
        for row, cells in enumerate(rows, start=1):
            of_row: Values = {**values, loop.variable: cells}
            places += [Place(step, number, of_row, row) for number, step in body]
    return Unrolled(tuple(places))


def _rows(loop: Loop, values: Values) -> list[JsonValue]:
    """Raises: UnknownValue if there are no rows to run over."""
    table = look_up(loop.path, values)
    if not isinstance(table, list):
        raise UnknownValue(f"${{{loop.path}}} is not a list of rows")
    rows: list[JsonValue] = table
    if loop.header and table and isinstance(table[0], list):
        names = _distinct(table[0])
        rows = [_named(names, row) for row in table[1:]]
    if len(rows) > MAX_ROWS:
        raise UnknownValue(f"${{{loop.path}}} has {len(rows)} rows; a playbook takes at most {MAX_ROWS}")
    return rows


def _distinct(header: Sequence[JsonValue]) -> list[str]:
    """Distinct column names; a repeated or empty name gets its number appended."""
    names: list[str] = []
    for number, cell in enumerate(header, start=1):
        name = " ".join(as_text(cell).split()) if cell is not None else ""
        names.append(name if name and name not in names else f"{name} {number}".strip())
    return names


def _named(names: Sequence[str], row: JsonValue) -> JsonValue:
    if not isinstance(row, list):
        return row
    cells = [*row, *[""] * (len(names) - len(row))]
    return dict(zip(names, cells, strict=False))


def progress(places: Sequence[Place], done: Sequence[StepRecord]) -> Progress:
    """Count the places that are done: those whose tool ran in a step made from them."""
    so_far = Progress()
    for record in done:
        if record.healing is not None:
            so_far = _healed(so_far, record, record.position or 0)
            continue
        base = so_far.position
        if record.position is not None and base <= record.position < len(places):
            base = record.position
        for action in without_parts(record.actions):
            place = _place_of(action, places, base, has_position=record.position is not None)
            if place is not None:
                base = place + 1
                so_far = Progress(base, record)
    return so_far


def _healed(so_far: Progress, record: StepRecord, place: int) -> Progress:
    """Progress after a reply that stood for a place; one on the way leaves that place before it."""
    if record.healing is not None and record.healing.is_done and any(action.ran for action in record.actions):
        return Progress(place + 1, record)
    return so_far if place <= so_far.position else Progress(place)


def without_parts(actions: Sequence[ActionRecord]) -> list[ActionRecord]:
    """The actions with the parts of a compound tool as one: the first that was not confirmed, else the last."""
    whole: list[ActionRecord] = []
    for part_of, group in groupby(actions, key=lambda action: action.part_of):
        parts = list(group)
        if not part_of:
            whole += parts
            continue
        told = next((part for part in parts if part.status is not ResultStatus.SUCCESS), parts[-1])
        whole.append(replace(told, function=part_of, ran=any(part.ran for part in parts)))
    return whole


def _place_of(action: ActionRecord, places: Sequence[Place], start: int, *, has_position: bool) -> int | None:
    """The place an action carried out: the one at `start`, or a later one if those between may be skipped."""
    for number in range(start, len(places)):
        place = places[number]
        if _is_opening(place.step, action):
            return None
        if action.ran and action.function == place.step.tool and (has_position or _can_be(action, place)):
            return number
        if has_position or not place.step.conditional:
            return None
    return None


def _can_be(action: ActionRecord, place: Place) -> bool:
    """True if an action may have been a conditional step: it had the target of that step."""
    step = place.step
    if not step.conditional or not isinstance(step.on, Selector):
        return True
    try:
        selectors = [filled_selector(each, place.values) for each in (step.on, step.second) if each is not None]
    except UnknownValue:
        return False
    return any(_may_mean(selector, action) for selector in selectors)


def _may_mean(wanted: Selector, action: ActionRecord) -> bool:
    return (not wanted.role or matches_name(wanted.role, action.target_role)) and (
        not wanted.name or matches_name(wanted.name, action.target_name)
    )


def is_in_menus(selector: Selector) -> bool:
    return selector.role.startswith("menuitem") and bool(selector.within)


def _is_opening(step: Step, action: ActionRecord) -> bool:
    """True if an action opened a menu on the way to this step's item."""
    on = step.on
    if not isinstance(on, Selector) or not is_in_menus(on) or not isinstance(on.within, list):
        return False
    return action.target_role in MENUS and any(matches_name(name, action.target_name) for name in on.within)
