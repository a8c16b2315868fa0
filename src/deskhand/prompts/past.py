"""What earlier steps did, in the fewest words: each fact once, and no id that does not hold any more."""

import json
from collections.abc import Sequence
from typing import Final

from deskhand.core.json import JsonValue
from deskhand.core.model import ActionRecord
from deskhand.core.target import TargetInfo
from deskhand.core.text import one_line

MAX_OUTPUT: Final = 5000
_ARGUMENT: Final = 80
_CALL: Final = 300
_MOST_ARGUMENTS: Final = 8
_IN_THE_TARGET: Final = ("id", "name")


def called(action: ActionRecord) -> str:
    """An action as it was called: `select_item(table "Sheet1", item=A1:C5)`.

    A control goes by its name, which still means it when labels have been given anew, and by its label where it has
    no name.
    """
    told = [one_line(_named(action), 120)] if action.target else []
    given = [(name, value) for name, value in action.arguments.items() if value not in ("", None)]
    given = [(name, value) for name, value in given if not action.target or name not in _IN_THE_TARGET]
    for name, value in given[:_MOST_ARGUMENTS]:
        text = value if isinstance(value, str) else json.dumps(_few(value), ensure_ascii=False)
        told.append(f"{one_line(name, 40)}={one_line(text, _ARGUMENT)}")
    return f"{one_line(action.function, 60)}({one_line(', '.join(told), _CALL)})"


def _named(action: ActionRecord) -> str:
    return f'{action.target_role} "{action.target_name}"' if action.target_name else action.target


def _few(value: JsonValue) -> JsonValue:
    """As much of a value as could be told of it."""
    if isinstance(value, dict):
        return {name: _few(part) for name, part in list(value.items())[:_ARGUMENT]}
    return [_few(part) for part in value[:_ARGUMENT]] if isinstance(value, list) else value


def gave(action: ActionRecord, controls: Sequence[TargetInfo]) -> str:
    """What a tool that looks gave, on one line. Of controls that were found, those that still have their ids."""
    if action.function != "find_controls":
        return one_line(action.output, MAX_OUTPUT)
    now = {f"{control.id} {control.type.value}" for control in controls}
    lines = action.output.split("\n")
    holds = [line for line in lines if not line[:1].isdigit() or " ".join(line.split(" ", 2)[:2]) in now]
    if len(holds) < len(lines):
        holds.append(f"({len(lines) - len(holds)} more, whose ids hold no longer)")
    return one_line(" | ".join(holds), MAX_OUTPUT)


def labelled(window: TargetInfo, controls: Sequence[TargetInfo]) -> str:
    """A window by its id and title in the list of them; by its title alone where it is not listed."""
    listed = next((control for control in controls if control.handle == window.handle), window)
    return (
        f'window {listed.id} "{one_line(listed.name, 120)}"'
        if listed.id
        else f'a window "{one_line(listed.name, 120)}"'
    )
