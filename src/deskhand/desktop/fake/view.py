"""Descriptions of fake windows and controls for a caller."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.core.target import NO_TRAITS, TEXT_CUT, Fingerprint, TargetInfo, TargetKind, Trait
from deskhand.desktop.fake.control import (
    CHECKABLE_ROLES,
    CHOICE_ROLES,
    FOCUSABLE_ROLES,
    TEXT_ROLES,
    FakeControl,
    FakeWindow,
)
from deskhand.desktop.fake.layout import placed, shown
from deskhand.desktop.identity import Scene, with_alike
from deskhand.desktop.surroundings import TEXTS, Element, Surroundings

_LONGEST: Final = 2000
"""Characters of a text whose beginning an observation has."""
_SCRIPT_WORDS = frozenset({"hidden", "disabled", "tinted"})


def describe_window(window: FakeWindow, *, active: bool) -> TargetInfo:
    """A window as a target."""
    role = Role.DIALOG if window.dialog else Role.WINDOW
    states = {"active"} if active else set[str]()
    if window.dialog:
        states.add("modal")
    return TargetInfo(
        kind=TargetKind.WINDOW,
        name=window.title,
        type=role,
        rect=window.rect,
        raw_role=role.value,
        states=frozenset(states),
        handle=window.handle,
        parent=window.owner.handle if window.owner and not window.owner.closed else "",
        fingerprint=Fingerprint(role, window.title, (), window.title),
        application=window.application,
        pid=window.pid,
        traits=window.traits,
    )


def _implied_traits(control: FakeControl) -> frozenset[Trait]:
    """Traits that follow from the role, as in GTK 3: menu items and combo boxes."""
    if control.role is Role.MENUITEM:
        return frozenset({Trait.CHECK_NOT_EXPOSED})
    if control.role is Role.COMBOBOX and "open" not in control.actions:
        return frozenset({Trait.OPENS_BY_CLICK})
    return NO_TRAITS


class Snapshot:
    """One window at one moment: positions and paths worked out once for all its controls."""

    def __init__(self, window: FakeWindow, *, active: bool) -> None:
        self._window = window
        self._active = active
        self._rects: dict[FakeControl, Rect] = {}
        for control, rect in placed(window):
            self._rects[control] = rect.intersection(window.rect)
        self._parents: dict[FakeControl, str] = {}
        self._paths: dict[FakeControl, tuple[str, ...]] = {}
        self._walk(window.controls, "", ())

    def _walk(self, controls: list[FakeControl], parent: str, path: tuple[str, ...]) -> None:
        nameless: dict[Role, int] = {}
        for control in controls:
            index = nameless.get(control.role, 0)
            nameless[control.role] = index + 1
            step = f"{control.role}:{control.name}" if control.name else f"{control.role}#{index}"
            self._parents[control] = parent
            self._paths[control] = (*path, step)
            self._walk(control.all_children(), control.handle, self._paths[control])

    def controls(self) -> tuple[TargetInfo, ...]:
        """Return the visible controls, as an observation lists them, with their fingerprints."""
        return self._told_apart(shown(self._window))

    def scene(self, handle: str) -> Scene:
        """Return the visible controls, and the control of that handle also where it is hidden."""
        listed = shown(self._window)
        listed += [c for c in self._window.all_controls() if c.handle == handle and c not in listed]
        around = self._surroundings(listed)
        return Scene(
            self._told_apart(listed), self._window.title, lambda c, record: around.stands_among(c.handle, record)
        )

    def _told_apart(self, listed: Iterable[FakeControl]) -> tuple[TargetInfo, ...]:
        listed = tuple(listed)
        records = self._surroundings(listed).records([(c.handle, c.role, c.name) for c in listed])
        targets = [self.describe(control) for control in listed]
        prints = [replace(print_, record=records.get(c.handle, ())) for c in targets if (print_ := c.fingerprint)]
        return tuple(
            replace(target, fingerprint=print_) for target, print_ in zip(targets, with_alike(prints), strict=True)
        )

    def _surroundings(self, listed: Iterable[FakeControl]) -> Surroundings[str]:
        window = self._window
        root = Element(window.handle, None, Role.DIALOG if window.dialog else Role.WINDOW, window.title)
        inside = (
            Element(
                control.handle,
                self._parents[control] or window.handle,
                control.role,
                control.name,
                control.value if control.role in TEXTS | {Role.CELL} else "",
                self._rects.get(control, NOWHERE),
            )
            for control in listed
        )
        return Surroundings((root, *inside))

    def describe(self, control: FakeControl) -> TargetInfo:
        """A control as a target without a label. A password's text is not in it anywhere."""
        value = "" if control.role is Role.PASSWORD or control.value == control.name else control.value
        value = value[:_LONGEST] if TEXT_CUT in control.states else value
        return TargetInfo(
            kind=TargetKind.CONTROL,
            name=control.name,
            type=control.role,
            rect=self._rects.get(control, NOWHERE),
            raw_role=control.raw_role or control.role.value,
            value=value,
            states=self._states(control),
            actions=control.actions,
            handle=control.handle,
            parent=self._parents[control],
            fingerprint=Fingerprint(
                control.role, control.name, self._paths[control], self._window.title, value, owner=self._window.handle
            ),
            traits=control.traits | _implied_traits(control),
            number=control.number,
        )

    def _states(self, control: FakeControl) -> frozenset[str]:
        """Return the states that real backends report: those that the test set, and those that follow from the role."""
        implied = {
            "showing": control in self._rects,
            "enabled": not control.disabled,
            "focusable": control.role in FOCUSABLE_ROLES,
            "focused": self._active and self._window.focused is control,
            "checkable": control.role in CHECKABLE_ROLES,
            "selectable": control.role in CHOICE_ROLES,
            "editable": control.role in TEXT_ROLES and "read_only" not in control.states,
        }
        return frozenset((control.states - _SCRIPT_WORDS) | {state for state, holds in implied.items() if holds})
