"""Choosing an item of a combo box that is closed: opened, its item clicked, what it shows then read (contract 4.3)."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from deskhand.commands.catalogue import Call, ToolContext, ToolOutcome
from deskhand.commands.effects.snapshot import Before, before, require_usable
from deskhand.commands.effects.verdict import PATIENT_S, outcome, wait_for_reading
from deskhand.commands.expectation import MENU_CHECKS
from deskhand.commands.techniques.escalation import click_once
from deskhand.commands.techniques.scroll_to import scrolled_to
from deskhand.commands.window_lookup import front_window
from deskhand.core.command import Effect, Route
from deskhand.core.errors import ActionRefused, ElementNotFound
from deskhand.core.geometry import around
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name, first_named
from deskhand.core.text import quoted

OPEN: Final = "open"
"""What Chromium calls the way to open a box, whose items can then be selected without the pointer."""

_ITEMS: Final = MENU_CHECKS | {Role.CELL, Role.LISTITEM, Role.MENUITEM, Role.ROW, Role.TREEITEM}
_SAYS_CHOICE: Final = frozenset({Role.BUTTON, Role.LABEL, Role.TEXTBOX})
_SHOWS_S: Final = 1.0
"""So long a box may take to show what was clicked."""


async def choose_in_box(tools: ToolContext, call: Call, box: TargetInfo, name: str) -> ToolOutcome:
    """Clicks the item of that name, the box opened for it where it is not. Raises: ElementNotFound; as `point_at`."""
    desktop = tools.desktop
    window = await front_window(desktop, call.need_window())
    box = await require_usable(desktop, call, box)
    closed = await desktop.observe(window, picture=False)
    texts = _texts(closed, box)
    item = _open_item(closed, box, name)
    if item is None:
        opened = _open_list(closed, box)
        known = {control.handle for control in closed.controls} - opened

        async def dropped() -> tuple[TargetInfo, ...] | None:
            seen = await desktop.observe(window, picture=False)
            offered = {control.handle for control in seen.inside_of(box)}
            offered |= {control.handle for control in seen.controls} - known
            items = [c for c in seen.controls if c.handle in offered and c.type in _ITEMS and not c.rect.empty]
            whole = seen.find(items[0].parent) if items else None
            return (replace(whole, rect=around([item.rect for item in items])), *items) if whole else None

        tools.delivered = True
        if not opened:
            await _open(tools, call, box, _opener(closed, box))
        item = await scrolled_to(tools, window, dropped, name, opens_s=PATIENT_S)
    if item is None:
        raise ElementNotFound(
            f"{box.describe} has no item {name!r} showing",
            fix="its list was opened and scrolled through in vain: observe the window, choose another item, or close "
            "it with {ESC}",
        )
    earlier, route = await _choose(tools, call, item)
    ends: list[bool] = []  # whether its list was open, at each look
    labelled = not _told(closed, box) and item.name in texts and "selected" not in item.states  # as its label says

    async def shown() -> str | None:
        seen = await desktop.observe(window, picture=False)
        ends.append(seen.find(item.handle) is not None)
        shows = (
            not ends[-1] and not labelled and any(comes_to_show(text, item.name, texts) for text in _texts(seen, box))
        )
        return f"{box.describe} shows {quoted(name)}" if shows else None

    was_so, earlier = item.name in texts, replace(earlier, target=box)
    found = await wait_for_reading(desktop, earlier, shown, deadline_s=_SHOWS_S, was_so=was_so)
    if found.effect is not None:
        return outcome(found, route, nothing=Effect.UNVERIFIABLE)
    if ends and ends[-1]:
        return ToolOutcome(
            None, Effect.SUSPECTED_NOOP, route, f"{item.describe} was clicked, and its list is still open"
        )
    told = f"its list closed; {box.describe} does not say that it shows it"
    told = f"{item.describe} was clicked, and {told if ends else 'the window could not be read then'}"
    return ToolOutcome(None, Effect.UNVERIFIABLE, route, told, retry_safe=False)


async def _open(tools: ToolContext, call: Call, box: TargetInfo, opener: TargetInfo | None) -> None:
    """Raises: as `point_at`, `do_action`."""
    if opener is None:
        await click_once(tools, call, box)
    else:
        await tools.desktop.do_action(opener)


async def _choose(tools: ToolContext, call: Call, item: TargetInfo) -> tuple[Before, Route]:
    """Presses an item of a menu by its action, since an arrow may lie over it of which GTK 3 does not tell; clicks any
    other. Raises: as `point_at`.
    """
    if item.type is Role.MENUITEM and item.actions:
        earlier = await before(tools, call, item)
        delivered, tools.delivered = tools.delivered, True
        try:
            await tools.desktop.do_action(item)
        except ActionRefused:
            tools.delivered = delivered
        else:
            return earlier, Route.ACCESSIBILITY
    return await click_once(tools, call, item), Route.SYNTHETIC_INPUT


def comes_to_show(text: str, name: str, before: Collection[str]) -> bool:
    """Whether a box shows the item of a name by a text; what it showed before may be another item that reads alike."""
    return text == name or (text not in before and comparable_name(text) == comparable_name(name))


def _texts(seen: Observation, box: TargetInfo) -> set[str]:
    """What a box shows: as its value, else in a field or on a button in it, else as its name, maybe that of a label."""
    now = seen.find(box.handle)
    return _told(seen, box) or ({now.name} if now else set[str]())


def _told(seen: Observation, box: TargetInfo) -> set[str]:
    """What a box shows otherwise than as its name; nothing where that alone may say it."""
    now = seen.find(box.handle)
    parts = [part for part in seen.inside_of(box) if part.type in _SAYS_CHOICE]
    shown = {part.value if part.type is Role.TEXTBOX else part.value or part.name for part in parts} - {""}
    return {now.value} if now and now.value else shown


def _open_item(seen: Observation, box: TargetInfo, name: str) -> TargetInfo | None:
    """The item, where the box is open: it stands in it, or in a nameless window of its own, as in GTK 3.

    A page may have it anywhere: there it is the only one of that name.
    """
    popups = [control for control in seen.controls if control.type is Role.WINDOW and not control.name]
    offered = [control for top in (box, *popups) for control in seen.inside_of(top)]
    item = _item(seen, {control.handle for control in offered}, name)
    now = seen.find(box.handle)
    if item is not None or now is None or "expanded" not in now.states:
        return item
    called = [c for c in seen.controls if c.type in _ITEMS and comparable_name(c.name) == comparable_name(name)]
    return called[0] if len(called) == 1 else None


def _open_list(seen: Observation, box: TargetInfo) -> set[str]:
    """What stands in the list of a box of a page that is open: the only one that shows with items to be selected."""
    now = seen.find(box.handle)
    offered = (c for c in seen.controls if c.type in _ITEMS and "selectable" in c.states)
    lists = {item.parent for item in offered} if now is not None and "expanded" in now.states else set[str]()
    return {control.handle for control in seen.controls if lists == {control.parent}}


def _item(seen: Observation, among: set[str], name: str) -> TargetInfo | None:
    return first_named((c for c in seen.controls if c.handle in among and c.type in _ITEMS), name)


def _opener(seen: Observation, box: TargetInfo) -> TargetInfo | None:
    """What opens a box by an action: itself, else the button in it, as in GTK 4; None: a click on it may."""
    if box.actions:
        return box
    return next((part for part in seen.inside_of(box) if part.type is Role.BUTTON and part.actions), None)
