"""Untyped collections converted to typed ones."""

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from deskhand.core.json import JsonValue
from deskhand.core.target import TargetInfo

T = TypeVar("T")


def items_of(value: object, kind: type[T]) -> tuple[T, ...]:
    """The items of a list or tuple that are of this kind; empty for anything else."""
    if not isinstance(value, list | tuple):
        return ()
    items = cast("Sequence[object]", value)  # what it holds is checked right here
    return tuple(item for item in items if isinstance(item, kind))


def pairs_of(value: object) -> tuple[tuple[str, object], ...]:
    """The entries of a mapping, keys as text; empty for anything else."""
    if not isinstance(value, Mapping):
        return ()
    entries = cast("Mapping[object, object]", value)  # keys and values are not trusted to be anything
    return tuple((str(key), part) for key, part in entries.items())


def json_of(value: object) -> JsonValue:
    """A tool's data as JSON; typed values of the program's own tools are dropped."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return {key: json_of(part) for key, part in pairs_of(cast("object", value))}
    if isinstance(value, list | tuple):
        return [json_of(part) for part in items_of(cast("object", value), object)]
    if isinstance(value, TargetInfo):
        return {"id": value.id, "role": value.type.value, "name": value.name}
    return None
