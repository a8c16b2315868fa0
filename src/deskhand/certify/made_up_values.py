"""Values for a simulated run: those of parameters that are not given, and the tables that steps read."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deskhand.certify.example_texts import NoExample, example_of
from deskhand.commands.expectations import compare
from deskhand.commands.techniques.cells import Address, parse_address, range_name
from deskhand.core.errors import ActionRefused
from deskhand.core.json import JsonObject, JsonValue
from deskhand.models.parameters import bind
from deskhand.models.placeholder_values import COMPARISON, holds
from deskhand.models.placeholders import UnknownValue, Values, parts_of, references, render, root_of
from deskhand.models.steps import Condition, Parameter, ParameterType, Playbook, Step

_OTHER: Final = "other"
_ROWS: Final = 3
"""Rows of a table with a header, if its step expects no other number."""
_MOST: Final = 40


def parameters(playbook: Playbook, given: Mapping[str, object], folder: Path) -> JsonObject:
    """The value of each parameter; paths are in `folder`, whatever was given. Raises: UsageError."""
    values: dict[str, object] = {}
    for name, declared in playbook.parameters.items():
        value = given.get(name, declared.default)
        if declared.type is ParameterType.PATH:
            known = Path(str(value)).name if value is not None else f"{name}.txt"
            values[name] = str(folder / known)
        elif value is None:
            values[name] = _value(declared, steps_of(playbook))
        else:
            values[name] = value
    return bind(playbook, {**given, **values})


def steps_of(playbook: Playbook) -> list[Step]:
    return [*playbook.host, *(step for steps in playbook.agents.values() for step in steps)]


def _value(declared: Parameter, steps: Iterable[Step]) -> object:
    """A value with which the first condition about it lets its step happen."""
    if declared.type is ParameterType.SELECTOR:
        return {"role": "table" if any(_reads(step, declared.name) for step in steps) else "button"}
    for step in steps:
        for condition, wanted in ((step.when, True), (step.unless, False)):
            if condition is not None and condition.value == declared.name:
                return _number_or_text(declared, _meeting(condition, wanted=wanted))
    return _number_or_text(declared, "" if declared.type is ParameterType.NUMBER else declared.name)


def other_parameters(
    playbook: Playbook, given: Mapping[str, object], lines: Container[int]
) -> Iterator[Mapping[str, object]]:
    """For each of the steps in these lines a value that is not given with which its condition holds."""
    for step in steps_of(playbook):
        for condition, wanted in ((step.when, True), (step.unless, False)) if step.line in lines else ():
            declared = playbook.parameters.get(condition.value) if condition is not None else None
            if condition is not None and declared is not None and declared.name not in given:
                yield {declared.name: _number_or_text(declared, _meeting(condition, wanted=wanted))}


def _reads(step: Step, name: str) -> bool:
    return step.on == name and step.tool == "read_table"


def _number_or_text(declared: Parameter, text: str) -> object:
    if declared.type is not ParameterType.NUMBER:
        return text
    return text if re.fullmatch(r"-?[0-9.]+", text) else 1


def _meeting(condition: Condition, *, wanted: bool) -> str:
    """A text for which the value of a condition holds, or does not; `other` where none is known."""
    candidates = [_OTHER, "yes", ""]
    if compared := COMPARISON.fullmatch(condition.wanted.strip()):
        number = float(compared["number"])
        candidates = [f"{value:g}" for value in (number, number + 1, number - 1)]
    elif condition.wanted:
        with suppress(NoExample):
            candidates.insert(0, example_of(condition.wanted))
    alone = Condition(condition.line, value="it", wanted=condition.wanted)
    return next((text for text in candidates if _holds(alone, text) is wanted), _OTHER)


def _holds(condition: Condition, text: str) -> bool:
    try:
        return holds(condition, {"it": text}, (), None)
    except UnknownValue:
        return False


@dataclass(frozen=True, slots=True)
class _Use:
    """The use of a table: columns by name in rows of a header, or the number of columns and rows by number."""

    names: tuple[str, ...]
    columns: int
    rows: int


def with_tables(playbook: Playbook, steps: Iterable[Step], values: JsonObject) -> Values:
    """The values with the data that steps will save: made-up tables, and the ranges of written ones."""
    known: dict[str, JsonValue] = dict(values)
    for step in steps:
        if step.save_as and step.tool == "read_table":
            known[step.save_as] = saved_table(table_of(playbook, step))
        elif step.save_as and step.tool == "write_table" and (written := _range(step, known)):
            known[step.save_as] = {"range": written}
    return known


def saved_table(rows: list[list[str]]) -> JsonValue:
    """The data that `read_table` returns."""
    width = max(map(len, rows), default=0)
    name = range_name(Address(0, 0), len(rows), width) if width else ""
    return {"rows": len(rows), "columns": width, "range": name, "cells": [list(row) for row in rows]}


def _range(step: Step, known: Values) -> str:
    try:
        rows = render(dict(step.args or {}).get("rows"), known)
        start = parse_address(str((step.args or {}).get("start", "A1")))
    except (UnknownValue, ActionRefused):
        return ""
    if not isinstance(rows, list):
        return ""
    width = max((len(row) for row in rows if isinstance(row, list)), default=0)
    return range_name(start, len(rows), width) if width else ""


def table_of(playbook: Playbook, step: Step) -> list[list[str]]:
    """The rows of the table that a step reads, so that its expectation and the loops over it hold."""
    use = _use_of(playbook, step.save_as)
    expect = step.expect
    width = _count(expect.columns if expect else "", max(use.columns, len(use.names), 1))
    names = [*use.names, *(f"Column {number}" for number in range(len(use.names) + 1, width + 1))][:width]
    cells = {name: _cells(playbook, step.save_as, name, place) for place, name in enumerate(names)}
    deep = max(_ROWS, use.rows, 1 + max(map(len, cells.values()), default=0))
    height = _count(expect.rows if expect else "", deep)
    body = [[_cell(cells[name], name, row) for name in names] for row in range(height)]
    return [names, *body][:height] if use.names or not _is_looped(playbook, step.save_as) else body


def _cell(candidates: list[str], name: str, row: int) -> str:
    return candidates[row % len(candidates)] if candidates else f"{name} {row + 1}"


def _count(wanted: str, preferred: int) -> int:
    """The number nearest to the preferred one that is expected, larger ones first."""
    numbers = [*range(preferred, preferred + _MOST), *range(preferred - 1, 0, -1)]
    return next((number for number in numbers if not wanted or compare(number, wanted)), preferred)


def _is_looped(playbook: Playbook, saved: str) -> bool:
    return any(step.loop is not None and root_of(step.loop.path) == saved for step in steps_of(playbook))


def _cells(playbook: Playbook, saved: str, column: str, place: int) -> list[str]:
    """Cells of a column with which each condition about it holds in one row, and none does in another."""
    conditions = [
        condition
        for step in steps_of(playbook)
        if step.loop is not None and root_of(step.loop.path) == saved
        for condition in (step.when, step.unless)
        if condition is not None and condition.wanted and _is_of_column(condition.value, step, column, place)
    ]
    if not conditions:
        return []
    meeting = [_meeting(condition, wanted=True) for condition in conditions]
    refused = [_meeting(condition, wanted=False) for condition in conditions]
    return list(dict.fromkeys([*refused[:1], *meeting]))


def _is_of_column(path: str, step: Step, column: str, place: int) -> bool:
    loop = step.loop
    return loop is not None and root_of(path) == loop.variable and parts_of(path)[:1] in ([column], [str(place)])


def _use_of(playbook: Playbook, saved: str) -> _Use:
    """The parts of a table that steps name: `${row.Name}` and `${row[0]}` in loops, and `${table.cells[1][0]}`."""
    names: dict[str, None] = {}
    columns, rows = 0, 0
    for step in steps_of(playbook):
        loop = step.loop if step.loop is not None and root_of(step.loop.path) == saved else None
        for path in _paths(step):
            parts = parts_of(path)
            if loop is not None and root_of(path) == loop.variable and parts:
                columns = max(columns, _after(parts[0]))
                names |= {} if parts[0].isdecimal() or not loop.header else {parts[0]: None}
            elif root_of(path) == saved and len(parts) == len(("cells", "row", "column")):
                rows, columns = max(rows, _after(parts[1])), max(columns, _after(parts[2]))
    return _Use(tuple(names), columns, rows)


def _after(index: str) -> int:
    return int(index) + 1 if index.isdecimal() else 0


def _paths(step: Step) -> Iterator[str]:
    """Each path in a step."""
    fields: JsonObject = {"args": dict(step.args or {}), "result": step.result}
    for name in ("on", "expect"):
        value = getattr(step, name)
        fields[name] = value.model_dump(mode="json") if hasattr(value, "model_dump") else None
    yield from references(fields)
    for condition in (step.when, step.unless):
        if condition is not None and condition.value:
            yield condition.value
        if condition is not None and condition.shows is not None:
            yield from references(condition.shows.model_dump(mode="json"))
