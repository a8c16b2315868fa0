"""What earlier steps did, in the fewest words: each fact once, and no id that does not hold any more."""

from collections.abc import Sequence
from typing import Final

from deskhand.core.json import JsonValue
from deskhand.core.model import ActionRecord
from deskhand.core.target import TargetInfo
from deskhand.core.text import cut, cut_json, json_line, legible, one_line, quoted

_ARGUMENT: Final = 80
_NAME: Final = 120
_CALL: Final = 400
_MOST_ARGUMENTS: Final = 8
_IN_THE_TARGET: Final = ("id", "name")


def called(action: ActionRecord) -> str:
    """An action as it was called: `select_item(table "Sheet1", item=A1:C5)`.

    A control goes by its name, which still means it when labels have been given anew, and by its label where it has
    no name.
    """
    parts = [_named(action)] if action.target else []
    given = [(name, value) for name, value in action.arguments.items() if value not in ("", None)]
    given = [(name, value) for name, value in given if not action.target or name not in _IN_THE_TARGET]
    for name, value in given[:_MOST_ARGUMENTS]:
        shown = legible(value, _ARGUMENT) if isinstance(value, str) else _begun(json_line(_few(value)))
        parts.append(f"{one_line(name, 40)}={shown}")
    return f"{one_line(action.function, 60)}({cut(', '.join(parts), _CALL)})"


def _named(action: ActionRecord) -> str:
    """A control by role and name."""
    if not action.target_name:
        return one_line(action.target, 120)
    return f"{one_line(action.target_role, 40)} {quoted(action.target_name, _NAME)}"


def _begun(text: str) -> str:
    """JSON that is not a text, or its beginning and how many characters follow."""
    begun = cut_json(text, _ARGUMENT)
    return text if len(begun) == len(text) else f"{begun} …{len(text) - len(begun)} more…"


def _few(value: JsonValue) -> JsonValue:
    """As much of a value as could be told of it."""
    if isinstance(value, dict):
        return {name: _few(part) for name, part in list(value.items())[:_ARGUMENT]}
    return [_few(part) for part in value[:_ARGUMENT]] if isinstance(value, list) else value


def gave(action: ActionRecord, controls: Sequence[TargetInfo]) -> str:
    """What a tool that looks gave, on one line: an output is one already, character for character.

    Of controls that were found, those that still have their ids.
    """
    if action.function != "find_controls":
        return action.output if len(action.output.splitlines()) <= 1 else json_line(action.output)
    now = {f"{control.id} {control.type.value}" for control in controls}
    lines = action.output.split("\n")
    holds = [line for line in lines if not line[:1].isdigit() or " ".join(line.split(" ", 2)[:2]) in now]
    if len(holds) < len(lines):
        holds.append(f"({len(lines) - len(holds)} more, whose ids hold no longer)")
    return " | ".join(holds)


def labelled(window: TargetInfo, controls: Sequence[TargetInfo]) -> str:
    """A window by its id and title in the list of them; by its title alone where it is not listed."""
    listed = next((control for control in controls if control.handle == window.handle), window)
    return (
        f'window {listed.id} "{one_line(listed.name, 120)}"'
        if listed.id
        else f'a window "{one_line(listed.name, 120)}"'
    )
