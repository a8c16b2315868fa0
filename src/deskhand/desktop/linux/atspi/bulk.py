"""All elements of an application in one reply, for toolkits whose list is right (`Toolkit.has_complete_list`).

The properties in it are those of the moment. The set of elements may not be: elements that are new, or were never
requested, may be missing. These are detected by the number of children, and requested one by one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from deskhand.desktop.linux.atspi import calls
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.client import Call, Reply

WASTE: Final = 10
"""Listed elements per visible one from which on single requests are cheaper."""

CACHE_PATH: Final = "/org/a11y/atspi/cache"
CACHE: Final = "org.a11y.atspi.Cache"
ITEMS: Final = "a((so)(so)(so)iiassusau)"
"""Signature of the list of all elements."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One element as the list has it; `children` is None where it does not have all of them."""

    state: int
    role: int
    name: str
    interfaces: frozenset[str]
    children: tuple[Ref, ...] | None


def get_items(bus: str) -> Call:
    return Call(bus, CACHE_PATH, CACHE, "GetItems")


def items_in(reply: Reply, bus: str, *, links: bool) -> Mapping[Ref, Listed]:
    """The elements of one application; empty where it does not answer, or something else.

    `links`: the parents that they report list them as children, in that order.
    """
    told = [item for row in calls.rows_in(reply) if (item := _item(row, bus))]
    below: dict[Ref, dict[int, Ref]] = {}
    for ref, parent, index, *_ in told:
        if links and parent is not None:
            below.setdefault(parent, {})[index] = ref
    return {
        ref: Listed(state, role, name, interfaces, _all_of(below.get(ref, {}), count))
        for ref, _, _, count, interfaces, name, role, state in told
    }


_Item = tuple[Ref, Ref | None, int, int, frozenset[str], str, int, int]


def _item(row: Any, bus: str) -> _Item | None:  # a D-Bus value is typed by its signature
    try:
        own, _, parent, index, count, interfaces, name, role, _, state = row
    except (TypeError, ValueError):
        return None
    ref = calls.ref_of(own)
    if ref is None or ref.bus != bus or not calls.are_numbers((index, count, role)) or not isinstance(name, str):
        return None
    bits = calls.state_of(state) or 0
    return ref, calls.ref_of(parent), index, count, calls.words_of(interfaces), name, role, bits


def _all_of(children: Mapping[int, Ref], count: int) -> tuple[Ref, ...] | None:
    if len(children) != count or any(index not in children for index in range(count)):
        return None
    return tuple(children[index] for index in range(count))
