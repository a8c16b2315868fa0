"""Values that a recorded session read itself, and used: a playbook of it reads them anew.

A text that an action got and that is a cell of a table read before becomes `${orders.cells[1][0]}`; the same steps for
each row of a table become a loop.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.commands.key_syntax import with_texts
from deskhand.commands.secret_texts import SHORTEST
from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.target import ITEMS
from deskhand.models.placeholders import references
from deskhand.models.section_position import MAX_ROWS
from deskhand.report.playbook_parameters import GIVEN, KEYS

_MOST: Final = 20_000
"""Values of saved data that are compared."""
_CELL: Final = re.compile(r"\$\{(?P<name>\w+)\.cells\[(?P<row>\d+)\]\[(?P<column>\d+)\]\}")
_COLUMN: Final = re.compile(r"[^\[\]{}'\"0-9][^\[\]{}'\"]*")
ROW: Final = "row"


def with_references(steps: Sequence[JsonObject], saved: Sequence[Mapping[str, JsonValue]]) -> list[JsonObject]:
    """Steps with saved data in the place of equal texts; `saved`: those before each step, by name.

    A text that is in several places is meant in the row that the steps around it use.
    """
    forth = _ReadData()
    done = [forth.put_into(step, data) for step, data in zip(steps, saved, strict=True)]
    back = _ReadData(only_in_row=True)
    return [back.put_into(step, data) for step, data in zip(reversed(done), reversed(saved), strict=True)][::-1]


@dataclass(slots=True)
class _ReadData:
    """Data saved before a step, and the row that was used last. `only_in_row`: no text outside of it is meant."""

    only_in_row: bool = False
    saved: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    row: str = ""

    def put_into(self, step: JsonObject, saved: Mapping[str, JsonValue]) -> JsonObject:
        """A step with the saved data in the place of their values."""
        if not saved:
            return step
        self.saved = saved
        for cell in _CELL.finditer(json.dumps(step, ensure_ascii=False)):
            self.row = f"{cell['name']}.cells[{cell['row']}]"
        done = dict(step)
        if isinstance(args := step.get("args"), dict):
            done["args"] = {name: self._argument(name, value) for name, value in args.items()}
        match step.get("on"):
            case {"role": role, "name": str(name)} as on if role in ITEMS and not references(name):
                done["on"] = {**on, "name": self._reference(name) or name}
            case _:
                pass
        return done

    def _argument(self, name: str, value: JsonValue) -> JsonValue:
        match value:
            case str() if name == KEYS:
                return self._keys(value)
            case str() if name in GIVEN and not references(value):
                return self._reference(value) or value
            case list() if name == "values":
                return [self._filled(each) for each in value]
            case _:
                return value

    def _filled(self, value: JsonValue) -> JsonValue:
        if not isinstance(value, dict) or not isinstance(given := value.get("value"), str) or references(given):
            return value
        return {**value, "value": self._reference(given) or given}

    def _keys(self, keys: str) -> str:
        if references(keys):
            return keys
        try:
            return with_texts(keys, lambda text: self._reference(text) or text)
        except ReplyDefect:
            return keys

    def _reference(self, text: str) -> str:
        """The place of a text in the saved data; of several the one in the row in use, or in the next one.

        A short text that is not in the row is as likely one of the session's own.
        """
        text = text.replace("$${", "${").strip()
        places = [place for place, value in self._texts() if text and value.strip() == text]
        rows = [place.rpartition("[")[0] for place in places]
        is_short = len(text) < SHORTEST
        for row in (self.row, "" if is_short or self.only_in_row else _next(self.row)):
            if row and row in rows:
                self.row = row
                return f"${{{places[rows.index(row)]}}}"
        if len(places) != 1 or is_short or self.only_in_row:
            return ""
        self.row = rows[0]
        return f"${{{places[0]}}}"

    def _texts(self) -> Iterator[tuple[str, str]]:
        left = _MOST
        for name, data in self.saved.items():
            for place, value in _leaves(name, data):
                left -= 1
                if not left:
                    return
                yield place, value


def _leaves(path: str, data: JsonValue) -> Iterator[tuple[str, str]]:
    match data:
        case str():
            yield path, data
        case list():
            for number, item in enumerate(data):
                yield from _leaves(f"{path}[{number}]", item)
        case dict():
            for key, item in data.items():
                if re.fullmatch(r"\w+", key):
                    yield from _leaves(f"{path}.{key}", item)
        case _:
            pass


def _next(row: str) -> str:
    found = re.fullmatch(r"(.*\[)(\d+)(\])", row)
    return f"{found[1]}{int(found[2]) + 1}{found[3]}" if found else ""


def rolled(steps: Sequence[JsonObject], saved: Mapping[str, JsonValue]) -> list[JsonObject]:
    """The steps of a section, with those that repeat for each row of a table as a loop."""
    if ROW in saved:
        return list(steps)
    done: list[JsonObject] = []
    start = 0
    while start < len(steps):
        loop, length = _loop_at(steps[start:], saved)
        done.append(loop or steps[start])
        start += length or 1
    return done


def _loop_at(steps: Sequence[JsonObject], saved: Mapping[str, JsonValue]) -> tuple[JsonObject | None, int]:
    """The loop that these steps begin with, and the number of steps that it replaces."""
    cells = [[*_CELL.finditer(json.dumps(step, ensure_ascii=False))] for step in steps]
    first = next((found[0] for found in cells if found), None)
    if first is None or not isinstance(rows := _rows(first["name"], saved), list):
        return None, 0
    name, begins = first["name"], int(first["row"])
    times = len(rows) - begins
    if begins > 1 or not 2 <= times <= MAX_ROWS or len(steps) < times:
        return None, 0
    for length in range(1, len(steps) // times + 1):
        blocks = [steps[number * length : (number + 1) * length] for number in range(times)]
        bodies = [_of_row(block, name, begins + number, rows) for number, block in enumerate(blocks)]
        if bodies[0] is not None and all(body == bodies[0] for body in bodies):
            body: list[JsonValue] = [*json.loads(bodies[0])]
            return {"for_each": f"{ROW} in ${{{name}.cells}}", "header": begins == 1, "steps": body}, length * times
    return None, 0


def _rows(name: str, saved: Mapping[str, JsonValue]) -> JsonValue:
    data = saved.get(name)
    return data.get("cells") if isinstance(data, dict) else None


def _of_row(block: Sequence[JsonObject], name: str, row: int, rows: Sequence[JsonValue]) -> str | None:
    """Steps with the cells of one row by their columns; None if they use none of them, or others."""
    text = json.dumps(list(block), ensure_ascii=False)
    found = [*_CELL.finditer(text)]
    if not found or any((each["name"], int(each["row"])) != (name, row) for each in found):
        return None
    header = rows[0]
    titles = [" ".join(str(cell).split()) for cell in header] if isinstance(header, list) and row else []

    def column(cell: re.Match[str]) -> str:
        number = int(cell["column"])
        title = titles[number] if number < len(titles) and titles.count(titles[number]) == 1 else ""
        return f"${{{ROW}[{title if _COLUMN.fullmatch(title) else number}]}}"

    return _CELL.sub(column, text)


def used_rows(steps: Sequence[JsonObject]) -> dict[str, set[int]]:
    """The rows of each saved table from which these steps use cells, outside of loops."""
    used: dict[str, set[int]] = {}
    for cell in _CELL.finditer(json.dumps(list(steps), ensure_ascii=False)):
        used.setdefault(cell["name"], set()).add(int(cell["row"]))
    return used
