"""Parameter values of one playbook run, checked against the playbook's declarations."""

import math
from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from deskhand.config.yaml_values import Source, scalar_or_flow, suggestion
from deskhand.core.errors import UsageError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.replies import Selector
from deskhand.models.playbook_file import parse_selector
from deskhand.models.steps import Parameter, ParameterType, Playbook

_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


def bind(playbook: Playbook, given: Mapping[str, object]) -> JsonObject:
    """Return every parameter's value by name. Numbers and selectors may be text, as on a command line.

    Raises: UsageError, naming every parameter that is missing, unknown or of the wrong type.
    """
    problems = [
        f"{name!r} is not one of its parameters{suggestion(name, playbook.parameters)}"
        for name in given
        if name not in playbook.parameters
    ]
    values: JsonObject = {}
    for name, parameter in playbook.parameters.items():
        value = given.get(name, parameter.default)
        if value is None:
            problems.append(f"{name!r} ({parameter.type}) is missing")
            continue
        try:
            values[name] = _typed(parameter, value)
        except ValueError as error:
            problems.append(f"{name!r}: {error}")
    if problems:
        raise UsageError(
            f"the playbook {playbook.name!r} cannot start: {'; '.join(problems)}",
            fix=f"give {' '.join(f'--param {name}=VALUE' for name in playbook.parameters)}"
            if playbook.parameters
            else "give no --param",
        )
    return values


def selector_parameter(value: JsonValue) -> Selector:
    """The selector in a bound parameter of that type."""
    return Selector.model_validate(value)


def _typed(parameter: Parameter, value: object) -> JsonValue:
    match parameter.type:
        case ParameterType.PATH:
            return _path(value)
        case ParameterType.TEXT:
            return _text(value)
        case ParameterType.NUMBER:
            return _number(value)
        case ParameterType.SELECTOR:
            return _selector(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise ValueError(f"needs text, not {value!r}")


def _path(value: object) -> str:
    if not isinstance(value, str | Path) or not str(value).strip():
        raise ValueError(f"needs a path, not {value!r}")
    return str(value)


def _number(value: object) -> int | float:
    try:
        number = TypeAdapter(int | float).validate_python(None if isinstance(value, bool) else value)
    except ValidationError:
        raise ValueError(f"needs a number, not {value!r}") from None
    if not math.isfinite(number):
        raise ValueError(f"needs a number, not {value!r}")
    return number


def _selector(value: object) -> JsonValue:
    source = Source("selector")
    text = value if isinstance(value, str) else _JSON.dump_json(_JSON.validate_python(value)).decode()
    node = scalar_or_flow(text, source)
    selector = parse_selector(node, source, "it") if node is not None else None
    if selector is None or source.problems:
        raise ValueError("; ".join(source.problems) or "needs a selector such as {role: button, name: OK}")
    return selector.model_dump(mode="json", exclude_defaults=True)
