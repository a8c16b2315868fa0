"""Controls before their fingerprints and traits are computed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from deskhand.core.roles import Role
from deskhand.desktop.linux.atspi.calls import Ref
from deskhand.desktop.linux.atspi.node import Node

_FOCUSED = frozenset({"focused"})


@dataclass(slots=True)
class Draft:
    """A control with its place among the listed ones: `parent` is the nearest of those that contain it."""

    node: Node
    role: Role
    name: str
    states: frozenset[str]
    parent: Ref | None
    path: tuple[str, ...]


def ancestors(ref: Ref, drafts: Mapping[Ref, Draft]) -> Iterator[Ref]:
    """Yield the controls that contain one, the nearest first."""
    above = drafts[ref].parent
    while above is not None:
        yield above
        above = drafts[above].parent


def is_inside(ref: Ref, drafts: Mapping[Ref, Draft], *roles: Role) -> bool:
    """True if a control is inside one of these roles."""
    return any(drafts[above].role in roles for above in ancestors(ref, drafts))


def focused(drafts: Mapping[Ref, Draft]) -> list[Ref]:
    """Return the controls that report the focus."""
    return [ref for ref, draft in drafts.items() if "focused" in draft.states]


def unfocus(drafts: Mapping[Ref, Draft], refs: Iterable[Ref]) -> None:
    """Remove the state "focused" from controls."""
    for ref in refs:
        drafts[ref].states -= _FOCUSED
