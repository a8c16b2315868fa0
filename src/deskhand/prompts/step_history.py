"""Earlier steps in the fewest words: each fact once, and no stale id."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from deskhand.core.json import JsonValue
from deskhand.core.model import ActionRecord
from deskhand.core.target import TargetInfo
from deskhand.core.text import cut, cut_json, json_line, legible, one_line, quoted

T = TypeVar("T")
_ARGUMENT: Final = 80
_NAME: Final = 120
_CALL: Final = 400
_MOST_ARGUMENTS: Final = 8
_IN_THE_TARGET: Final = ("id", "name")
_WRITES: Final = "set_edit_text"


def called(action: ActionRecord) -> str:
    """Return an action as a call: `select_item(table "Sheet1", item=A1:C5)`.

    A control is given by its name, which stays valid when ids are assigned anew; by its id where it has no name.
    """
    parts = [_named(action)] if action.target else []
    given = list(given_of(action.function, action.arguments).items())
    given = [(name, value) for name, value in given if not action.target or name not in _IN_THE_TARGET]
    for name, value in given[:_MOST_ARGUMENTS]:
        shown = (legible(value, _ARGUMENT) or '""') if isinstance(value, str) else _begun(json_line(_few(value)))
        parts.append(f"{one_line(name, 40)}={shown}")
    return f"{one_line(action.function, 60)}({cut(', '.join(parts), _CALL)})"


def given_of(function: str, arguments: Mapping[str, T]) -> dict[str, T]:
    """Return the arguments without those that are empty; an empty text to be written is one."""
    kept = "text" if function == _WRITES else ""
    return {name: value for name, value in arguments.items() if value not in ("", None) or name == kept}


def _named(action: ActionRecord) -> str:
    """Return role and name of a control."""
    if not action.target_name:
        return one_line(action.target, 120)
    return f"{one_line(action.target_role, 40)} {quoted(action.target_name, _NAME)}"


def _begun(text: str) -> str:
    """Return a value that is not text as JSON, or its beginning and the number of characters left out."""
    begun = cut_json(text, _ARGUMENT)
    return text if len(begun) == len(text) else f"{begun} …{len(text) - len(begun)} more…"


def _few(value: JsonValue) -> JsonValue:
    """Return as much of a value as there is room for."""
    if isinstance(value, dict):
        return {name: _few(part) for name, part in list(value.items())[:_ARGUMENT]}
    return [_few(part) for part in value[:_ARGUMENT]] if isinstance(value, list) else value


def gave(action: ActionRecord, controls: Sequence[TargetInfo]) -> str:
    """Return the data of a reading tool on one line; an output is exact already.

    Of found controls, those whose ids are still valid.
    """
    if action.function != "find_controls":
        return action.output if len(action.output.splitlines()) <= 1 else json_line(action.output)
    now = {f"{control.id} {control.type.value}" for control in controls}
    lines = action.output.split("\n")
    holds = [line for line in lines if not line[:1].isdigit() or " ".join(line.split(" ", 2)[:2]) in now]
    if len(holds) < len(lines):
        holds.append(f"({len(lines) - len(holds)} more with stale ids)")
    return " | ".join(holds)


def labelled(window: TargetInfo, controls: Sequence[TargetInfo]) -> str:
    """Return a window by its id and title in the list of windows; by its title alone where it is not listed."""
    listed = next((control for control in controls if control.handle == window.handle), window)
    return (
        f'window {listed.id} "{one_line(listed.name, 120)}"'
        if listed.id
        else f'a window "{one_line(listed.name, 120)}"'
    )
