"""Untyped collections, made typed at the door."""

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

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
