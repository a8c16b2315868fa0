"""The reference of a window, and how it is made of an observation."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from deskhand.core.geometry import Rect
from deskhand.core.observation import Observation
from deskhand.core.patterns import is_pattern
from deskhand.core.replies import Selector
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.models.selectors import find_all
from deskhand.perception.box_kinds import interactive

TOLERANCE_PX: Final = 8
TOLERANCE_PERCENT: Final = 1.0
LONGEST_VALUE: Final = 500
"""Characters of a value that are compared."""

_STATES: Final = frozenset(
    {
        *("checked", "collapsed", "expanded", "indeterminate", "invalid_entry"),
        *("pressed", "read_only", "required", "selected"),
    }
)
"""The states that are compared, with `disabled`; focus and caret are where the last user left them."""

DISABLED: Final = "disabled"
"""State of a control that can be operated, and is not enabled now."""

_LEFT_OUT: Final = frozenset({Role.SCROLLBAR, Role.TITLEBAR, Role.TOOLTIP})
"""Roles that depend on the pointer and the desktop rather than on the application."""


@dataclass(frozen=True, slots=True)
class Control:
    """One control. `place`: in pixels, relative to the window's upper left corner. Name and value may be `/…/`."""

    role: str
    name: str
    place: Rect
    value: str = ""
    states: frozenset[str] = frozenset()
    children: tuple["Control", ...] = ()

    @property
    def words(self) -> str:
        """A short phrase for messages: `button "Save"`."""
        named = self.name or self.value
        return f'{self.role} "{named[:60]}"' if named else self.role


@dataclass(frozen=True, slots=True)
class Reference:
    """A window as it should be. `size`: width and height in pixels. `ignore`: controls that are not compared."""

    window: str
    size: tuple[int, int]
    controls: tuple[Control, ...]
    ignore: tuple[Selector, ...] = ()
    tolerance_px: int = TOLERANCE_PX
    tolerance_percent: float = TOLERANCE_PERCENT


def flat(controls: Iterable[Control], inside: tuple[str, ...] = ()) -> Iterator[tuple[Control, tuple[str, ...]]]:
    """All controls, parents first, each with the names of the containers around it."""
    for control in controls:
        yield control, inside
        yield from flat(control.children, (*inside, control.name) if control.name else inside)


def controls_of(seen: Observation, ignore: Sequence[Selector] = ()) -> tuple[Control, ...]:
    """The controls of an observation below each other, without those to ignore and those inside of them."""
    dropped = _ignored(seen, ignore)
    children: dict[str, list[TargetInfo]] = {}
    for control in seen.controls:
        if control.handle not in dropped:
            children.setdefault(control.parent, []).append(control)
    known = {control.handle for control in seen.controls}
    roots = [control for parent, each in children.items() if parent not in known for control in each]
    return tuple(_control(root, children, seen.window.rect) for root in roots)


def ignored_places(seen: Observation, ignore: Sequence[Selector]) -> tuple[Rect, ...]:
    """The places of the controls that are not compared, relative to the window."""
    dropped, window = _ignored(seen, ignore), seen.window.rect
    return tuple(
        control.rect.moved(-window.left, -window.top) for control in seen.controls if control.handle in dropped
    )


def _ignored(seen: Observation, ignore: Sequence[Selector]) -> set[str]:
    """The handles of the controls that are not compared; parents come before their children."""
    dropped = {control.handle for selector in ignore for control in find_all(selector, seen.controls, seen.window)}
    dropped |= {control.handle for control in seen.controls if control.type in _LEFT_OUT}
    for control in seen.controls:
        if control.parent in dropped:
            dropped.add(control.handle)
    return dropped


def _control(control: TargetInfo, children: dict[str, list[TargetInfo]], window: Rect) -> Control:
    states = control.states & _STATES
    if interactive(control) and "enabled" not in control.states:
        states |= {DISABLED}
    return Control(
        control.type.value,
        control.name,
        control.rect.moved(-window.left, -window.top),
        control.value[:LONGEST_VALUE],
        states,
        tuple(_control(each, children, window) for each in children.get(control.handle, ())),
    )


def reference_of(seen: Observation, earlier: Reference | None = None) -> Reference:
    """The reference of a window as it is now, with the settings of an earlier one, and its pattern for the title."""
    rect = seen.window.rect
    base = earlier or Reference(seen.window.name, (0, 0), ())
    title = base.window if not base.window or is_pattern(base.window) else seen.window.name
    return replace(base, window=title, size=(rect.width, rect.height), controls=controls_of(seen, base.ignore))
