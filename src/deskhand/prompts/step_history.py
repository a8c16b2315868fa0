"""Earlier steps in the fewest words: each fact once, and no stale id."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from deskhand.core.command import ToolSpec
from deskhand.core.json import JsonValue
from deskhand.core.model import ActionRecord, ModelRequest, StepRecord
from deskhand.core.target import TargetInfo
from deskhand.core.text import CUT, cut_json, json_line, one_line, quoted

T = TypeVar("T")
_ARGUMENT: Final = 80
_NAME: Final = 120
_MOST_ARGUMENTS: Final = 8
_IN_THE_TARGET: Final = ("id", "name")
_WRITES: Final = "set_edit_text"
_NONE: Final[Mapping[str, TargetInfo]] = {}


def called(action: ActionRecord, controls: Mapping[str, TargetInfo] = _NONE, tools: Sequence[ToolSpec] = ()) -> str:
    """Return an action as a call: `select_item(table "Sheet1" [83], item="A1:C5")`.

    `controls`: those listed now, by id, if their ids are those of the action. Only then the target has its id.
    `tools`: those listed now; an argument with the default value of its tool is left out.
    """
    parts = [_named(action, controls)] if action.target else []
    given = list(given_of(action.function, action.arguments).items())
    defaults = _defaults(action.function, tools)
    given = [(name, value) for name, value in given if not action.target or name not in _IN_THE_TARGET]
    given = [(name, value) for name, value in given if name not in defaults or defaults[name] != value]
    for name, value in given[:_MOST_ARGUMENTS]:
        shown = quoted(value, _ARGUMENT) if isinstance(value, str) else _both_ends(json_line(value))
        parts.append(f"{one_line(name, 40)}={shown}")
    return f"{one_line(action.function, 60)}({', '.join(parts)})"


def _defaults(tool: str, tools: Sequence[ToolSpec]) -> Mapping[str, JsonValue]:
    spec = next((spec for spec in tools if spec.name == tool), None)
    properties = spec.parameters.get("properties") if spec else None
    parts = properties.items() if isinstance(properties, dict) else ()
    return {name: part["default"] for name, part in parts if isinstance(part, dict) and "default" in part}


def given_of(function: str, arguments: Mapping[str, T]) -> dict[str, T]:
    """Return the arguments without those that are empty; an empty text to be written is one."""
    kept = "text" if function == _WRITES else ""
    return {name: value for name, value in arguments.items() if value not in ("", None) or name == kept}


def _named(action: ActionRecord, controls: Mapping[str, TargetInfo]) -> str:
    """Return role and name of a control, and its id if it is listed."""
    plain, _, label = action.target.rstrip("]").rpartition(" [")
    now = controls.get(label)
    is_same = now is not None and (now.type.value, now.name) == (action.target_role, action.target_name)
    id_now = f" [{label}]" if is_same else ""
    if not action.target_name:
        return f"{one_line(plain or action.target, 120)}{id_now}"
    return f"{one_line(action.target_role, 40)} {quoted(action.target_name, _NAME)}{id_now}"


def _both_ends(text: str) -> str:
    """Return a value that is not text as JSON; of a long one both ends and the number of characters between them."""
    if len(text) <= _ARGUMENT:
        return text
    begun = cut_json(text, _ARGUMENT // 2)
    _, _, end = text[-_ARGUMENT // 2 :].partition(", ")
    return f"{begun} {CUT}{len(text) - len(begun) - len(end)}{CUT} {end}".rstrip()


def numbered(step: StepRecord, request: ModelRequest) -> Mapping[str, TargetInfo]:
    """Return the listed controls by their ids; none where ids were numbered anew since a step."""
    return {control.id: control for control in request.controls} if step.numbering == request.numbering else _NONE


def gave(action: ActionRecord, controls: Mapping[str, TargetInfo]) -> str:
    """Return the data of a reading tool on one line; an output is exact already.

    Of found controls, those whose ids are still valid.
    """
    if action.function != "find_controls":
        return action.output if len(action.output.splitlines()) <= 1 else json_line(action.output)
    now = {f"{control.id} {control.type.value}" for control in controls.values()}
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
