"""How fake windows and controls are described to a caller."""

from deskhand.core.geometry import NOWHERE, Rect
from deskhand.core.roles import Role
from deskhand.core.target import Fingerprint, TargetInfo, TargetKind
from deskhand.desktop.fake.control import (
    CHECKABLE_ROLES,
    CHOICE_ROLES,
    FOCUSABLE_ROLES,
    TEXT_ROLES,
    FakeControl,
    FakeWindow,
)
from deskhand.desktop.fake.layout import placed

_SCRIPT_WORDS = frozenset({"hidden", "disabled"})


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
        fingerprint=Fingerprint(role, window.title, (), window.title),
        application=window.application,
        pid=window.pid,
    )


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

    def describe(self, control: FakeControl) -> TargetInfo:
        """A control as a target without a label. A password's text is not in it anywhere."""
        value = "" if control.role is Role.PASSWORD or control.value == control.name else control.value
        return TargetInfo(
            kind=TargetKind.CONTROL,
            name=control.name,
            type=control.role,
            rect=self._rects.get(control, NOWHERE),
            raw_role=control.role.value,
            value=value,
            states=self._states(control),
            actions=control.actions,
            handle=control.handle,
            parent=self._parents[control],
            fingerprint=Fingerprint(control.role, control.name, self._paths[control], self._window.title, value),
        )

    def _states(self, control: FakeControl) -> frozenset[str]:
        """The words real backends report: what the test set, and what follows from the role."""
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
