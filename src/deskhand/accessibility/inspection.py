"""Inspection of an open window and its menus on a desktop."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.accessibility.keyboard import unreached_by_tab
from deskhand.accessibility.pressing import unreported_states
from deskhand.accessibility.remedies import Toolkit, toolkit_of
from deskhand.accessibility.rules import Finding, Rule, finding, findings_of
from deskhand.core.errors import (
    ActionDeadline,
    ActionRefused,
    ApplicationGone,
    ApplicationUnresponsive,
    CaptureFailed,
    ElementStale,
    NotAccessible,
    TargetCovered,
    TargetMoving,
)
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord
from deskhand.desktop.protocols.windows import Until
from deskhand.perception.box_kinds import interactive

_QUIET_S: Final = 5.0
_READ_S: Final = 20.0
_MENU_S: Final = 3.0
_ITEMS: Final = frozenset({Role.MENUITEM, Role.MENUITEMCHECKBOX, Role.MENUITEMRADIO, Role.MENU})
_UNUSABLE: Final = (ActionDeadline, ActionRefused, ApplicationUnresponsive, CaptureFailed, ElementStale)


@dataclass(frozen=True, slots=True)
class View:
    """A window, or one of its menus, with its findings."""

    title: str
    seen: Observation
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class Inspection:
    """The views of one window. `notes`: parts that were not inspected, and why."""

    window: TargetInfo
    toolkit: Toolkit | None
    views: list[View] = field(default_factory=list[View])
    notes: list[str] = field(default_factory=list[str])

    @property
    def findings(self) -> list[Finding]:
        return [found for view in self.views for found in view.findings]

    @property
    def controls(self) -> int:
        return len({control.handle for view in self.views for control in view.seen.controls})

    def counts(self) -> dict[str, int]:
        """The number of findings of each rule that has some, in the order of the rules."""
        titles = [found.rule.title for found in self.findings]
        return {rule.title: titles.count(rule.title) for rule in Rule if rule.title in titles}


async def inspect(desktop: Desktop, window: TargetInfo, *, may_type: bool, may_press: bool) -> Inspection:
    """Inspect a window and the menus of its menu bar, which are opened and closed.

    `may_type`: Tab is pressed, to find controls that it does not reach. `may_press`: boxes are switched and back.
    Raises: ApplicationGone, ApplicationUnresponsive, CaptureFailed, DesktopGone.
    """
    found = Inspection(window, toolkit_of(window.pid))
    await desktop.settle(window, deadline_s=_QUIET_S)
    await desktop.settle(window, until=Until.FINAL_STATES)
    try:
        seen = await desktop.observe(window, deadline_s=_READ_S)
    except NotAccessible as error:
        return await _without_content(desktop, found, error)
    found.notes += seen.reservations
    findings = [*findings_of(seen), *await _misplaced(desktop, seen)]
    if may_press:
        findings += await unreported_states(desktop, seen)
    if may_type:
        unreached, note = await unreached_by_tab(desktop, seen)
        findings += unreached
        found.notes += [note] if note else []
    found.views.append(View(seen.window.name, seen, tuple(findings)))
    await _menus(desktop, seen, found)
    return found


async def _without_content(desktop: Desktop, found: Inspection, error: ApplicationGone) -> Inspection:
    window = found.window
    picture = await desktop.screenshot(window.rect)
    none = Finding(Rule.NOTHING_EXPOSED, window.describe, error.message, places=(window.rect,))
    found.views.append(View(window.name, Observation(window, (), picture, 0.0), (none,)))
    return found


async def _misplaced(desktop: Desktop, seen: Observation) -> list[Finding]:
    """Controls at whose place another one takes the pointer.

    A part of the frame that the hit test does not distinguish from its window is none.
    """
    found: list[Finding] = []
    for control in seen.controls:
        inside = control.rect.intersection(seen.window.rect)
        if not interactive(control) or inside.empty or control.sighting or "showing" not in control.states:
            continue
        try:
            await desktop.aim(seen.window, control.rect, control)
        except TargetCovered:
            others = _others_at(seen, control)
            if others:
                words = f"the pointer does not reach it: {others[-1].describe} is at its place"
                found.append(finding(Rule.WRONG_PLACE, control, words))
        except (ActionRefused, ApplicationUnresponsive, TargetMoving):
            continue  # it is not known
    return found


def _others_at(seen: Observation, control: TargetInfo) -> list[TargetInfo]:
    """The controls at the middle of this one that neither contain it nor are inside of it."""
    around = {each.handle for each in seen.controls if control in seen.inside_of(each)}
    inside = {each.handle for each in seen.inside_of(control)} | {control.handle}
    middle = control.rect.center
    return [each for each in seen.controls if each.rect.contains(middle) and each.handle not in around | inside]


async def _menus(desktop: Desktop, seen: Observation, found: Inspection) -> None:
    """Open each menu of the menu bar, one at a time."""
    bars = {control.handle for control in seen.controls if control.type is Role.MENUBAR}
    menus = [control for control in seen.controls if control.parent in bars and control.type in _ITEMS]
    for menu in menus:
        try:
            opened = await _opened(desktop, seen, menu)
        except _UNUSABLE as error:
            found.notes.append(f"the menu {menu.name} was not inspected: {error.message}")
            continue
        if opened is None:
            found.notes.append(f"the menu {menu.name} was not inspected: it did not open")
            continue
        inside = _below(opened, menu, seen)
        found.views.append(View(f"menu {menu.name}", opened, tuple(_of_menu(opened, inside))))
        await _close(desktop, seen.window, menu)


def _of_menu(opened: Observation, inside: Sequence[TargetInfo]) -> list[Finding]:
    places = {item.rect for item in inside}
    return [found for found in findings_of(opened) if found.places and found.places[0] in places]


async def _opened(desktop: Desktop, seen: Observation, menu: TargetInfo) -> Observation | None:
    """The window with this menu open; None if it does not open."""
    await desktop.do_action(menu)

    async def is_open() -> Observation | None:
        now = await desktop.observe(seen.window, texts=False, deadline_s=_READ_S)
        return now if _below(now, menu, seen) else None

    return await desktop.wait_until(is_open, deadline_s=_MENU_S)


def _below(now: Observation, menu: TargetInfo, before: Observation) -> list[TargetInfo]:
    """The items that an open menu shows: those inside of it, or new ones of a list that appeared elsewhere."""
    known = {control.handle for control in before.controls}
    inside = {control.handle for control in now.inside_of(menu)}
    return [
        control
        for control in now.controls
        if control.type in _ITEMS and (control.handle in inside or control.handle not in known)
    ]


async def _close(desktop: Desktop, window: TargetInfo, menu: TargetInfo) -> None:
    """Close a menu with Escape, and wait until it is."""
    before = len((await desktop.observe(window, picture=False, texts=False, deadline_s=_READ_S)).controls)
    await desktop.press([Chord("esc")])

    async def is_closed() -> bool:
        now = await desktop.observe(window, picture=False, texts=False, deadline_s=_READ_S)
        return len(now.controls) < before or not now.inside_of(menu)

    await desktop.wait_until(is_closed, deadline_s=_MENU_S)
