"""The controls of a form in a step of a playbook: each value of `values` names its control by a selector, `on`."""

from collections.abc import Callable
from typing import Final

from pydantic import ValidationError

from deskhand.core.errors import ReplyDefect
from deskhand.core.json import JsonObject
from deskhand.core.replies import Selector
from deskhand.core.target import TargetInfo

_VALUES: Final = "values"
_ON: Final = "on"


def has_selectors(arguments: JsonObject) -> bool:
    """True if a value names its control by a selector."""
    values = arguments.get(_VALUES)
    return isinstance(values, list) and any(isinstance(each, dict) and _ON in each for each in values)


def with_ids(arguments: JsonObject, control_of: Callable[[Selector], TargetInfo]) -> JsonObject:
    """Return the arguments with the id and name of a control in place of each `on`.

    Raises: ReplyDefect for one that is no selector; as `control_of`.
    """
    values = arguments.get(_VALUES)
    if not isinstance(values, list):
        return arguments
    return {**arguments, _VALUES: [_aimed(each, control_of) if isinstance(each, dict) else each for each in values]}


def _aimed(value: JsonObject, control_of: Callable[[Selector], TargetInfo]) -> JsonObject:
    if _ON not in value:
        return value
    try:
        control = control_of(Selector.model_validate(value[_ON]))
    except ValidationError as error:
        problem = error.errors()[0]
        raise ReplyDefect(f"on: {'.'.join(map(str, problem['loc']))}: {problem['msg']}") from error
    rest: JsonObject = {key: part for key, part in value.items() if key != _ON}
    return {"id": control.id, "name": control.name, **rest}
