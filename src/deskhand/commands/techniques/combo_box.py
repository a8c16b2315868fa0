"""Choosing an item of a closed combo box: open it, click the item, read the box afterwards (contract 4.3)."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from typing import Final

from deskhand.commands.call import Call, ToolContext, ToolOutcome
from deskhand.commands.control_kinds import MENU_CHECKS
from deskhand.commands.effects.confirmation import outcome, wait_for_reading
from deskhand.commands.effects.snapshot import PATIENT_S, Before, before, require_usable
from deskhand.commands.techniques.escalation import click_once
from deskhand.commands.techniques.item_names import not_listed
from deskhand.commands.techniques.scroll_to import scroll_to_item
from deskhand.commands.window_lookup import front_window
from deskhand.core.command import Effect, Route
from deskhand.core.errors import UNREADABLE, ActionRefused
from deskhand.core.geometry import around
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name, first_named
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

OPEN: Final = "open"
"""Chromium's action that opens a box, whose items can then be selected without the pointer."""

_ITEMS: Final = MENU_CHECKS | {Role.CELL, Role.LISTITEM, Role.MENUITEM, Role.ROW, Role.TREEITEM}
_SHOWS_CHOICE: Final = frozenset({Role.BUTTON, Role.LABEL, Role.TEXTBOX})
_OPEN: Final = frozenset({"checked", "expanded", "pressed"})
"""States of a box, or of its button, while its list is open."""
_SHOWS_S: Final = 1.0
"""Timeout for a box to show the clicked item."""


async def choose_in_box(
    tools: ToolContext, call: Call, box: TargetInfo, name: str, known: Collection[str] | None = None
) -> ToolOutcome:
    """Click the named item, opening the box for it if needed.

    `known`: handles observed before the box was opened; None: it was not opened by this call. Raises:
    ElementNotFound; as `point_at`.
    """
    desktop = tools.desktop
    window = await front_window(desktop, call.need_window())
    box = await require_usable(desktop, call, box)
    closed = await desktop.observe(window, picture=False)
    texts, names = _texts(closed, box), dict[str, None]()
    item = _open_item(closed, box, name)
    if item is None:
        handles = {control.handle for control in closed.controls}
        opened = _open_list(closed, box) if known is None else handles.difference(known)
        known = handles - opened

        async def dropped() -> tuple[TargetInfo, ...] | None:
            seen = await desktop.observe(window, picture=False)
            offered = {control.handle for control in seen.inside_of(box)}
            offered |= {control.handle for control in seen.controls} - known
            items = [c for c in seen.controls if c.handle in offered and c.type in _ITEMS and not c.rect.empty]
            whole = seen.find(items[0].parent) if items else None
            return (replace(whole, rect=around([item.rect for item in items])), *items) if whole else None

        tools.delivered, opener = True, _opener(closed, box)
        if not opened:
            await _open(tools, call, box, opener)
        item = await scroll_to_item(tools, window, dropped, name, names, opens_s=PATIENT_S)
        if item is None:
            parts = [box] if opener is None else [box, opener]
            is_closed = await close_list(desktop, window, _open_now(desktop, closed, parts, dropped), opener)
            tools.restored = await is_as_before(desktop, closed, box, closed=is_closed)
            raise not_listed(box, name, names, missing_item(closed=is_closed, read=bool(names)))
    earlier, route = await _choose(tools, call, item)
    ends: list[bool] = []  # open or not, at each observation
    labelled = (
        not _exposed_texts(closed, box) and item.name in texts and "selected" not in item.states
    )  # shown by its label

    async def shown() -> str | None:
        seen = await desktop.observe(window, picture=False)
        ends.append(seen.find(item.handle) is not None)
        shows = not ends[-1] and not labelled and any(shows_item(text, item.name, texts) for text in _texts(seen, box))
        return f"{box.describe} shows {quoted(item.name)}" if shows else None

    was_so, earlier = item.name in texts, replace(earlier, target=box)
    found = await wait_for_reading(desktop, earlier, shown, deadline_s=_SHOWS_S, was_so=was_so)
    if found.effect is not None:
        return outcome(found, route, nothing=Effect.UNVERIFIABLE)
    if ends and ends[-1]:
        return ToolOutcome(
            None, Effect.SUSPECTED_NOOP, route, f"{item.describe} was clicked, and its list is still open"
        )
    message = f"its list closed; {box.describe} does not report the item"
    message = f"{item.describe} was clicked, and {message if ends else 'the window could not be read then'}"
    return ToolOutcome(None, Effect.UNVERIFIABLE, route, message, retry_safe=False)


async def close_list(
    desktop: Desktop,
    window: TargetInfo,
    dropped: Callable[[], Awaitable[object | None]],
    opener: TargetInfo | None,
) -> bool:
    """Close a list that was opened in vain, by Escape, else by the action that opened it, as in Swing; True if it is
    closed. `dropped`: it is open.

    Raises: as `activate`, `do_action`, `observe`.
    """

    async def closed() -> bool | None:
        return True if await dropped() is None else None

    if await closed():
        return True
    await desktop.activate(window)
    if await dropped() is not None:
        await desktop.press([Chord("esc")])
    if not await desktop.wait_until(closed, deadline_s=_SHOWS_S) and opener is not None:
        await desktop.do_action(opener)
    return bool(await desktop.wait_until(closed, deadline_s=_SHOWS_S))


async def is_as_before(desktop: Desktop, seen: Observation | None, box: TargetInfo, *, closed: bool = True) -> bool:
    """True for a box that is known to be closed and to show what it showed in `seen`; `closed`: its list is."""
    if not closed or seen is None:
        return False
    try:
        later = await desktop.observe(seen.window, picture=False)
    except UNREADABLE:
        return False
    then, now = seen.find(box.handle), later.find(box.handle)
    if then is None or now is None or (now.states - then.states) & _OPEN:
        return False
    return _texts(later, box) == _texts(seen, box)


def _open_now(
    desktop: Desktop, closed: Observation, parts: Sequence[TargetInfo], dropped: Callable[[], Awaitable[object | None]]
) -> Callable[[], Awaitable[object | None]]:
    """A look that returns nothing once a list is closed. Its items may not be exposed: a box, or its button, reports
    that it is open as well.
    """

    async def look() -> object | None:
        seen = await desktop.observe(closed.window, picture=False)
        for then, now in ((closed.find(part.handle), seen.find(part.handle)) for part in parts):
            if then is not None and now is not None and (now.states - then.states) & _OPEN:
                return now
        return await dropped()

    return look


def missing_item(*, closed: bool, read: bool = True) -> str:
    """The fix for an item that an opened list lacks; `read`: it exposes its items."""
    if not closed:
        return "its list is open: choose another item, or close it with {ESC}"
    if not read:
        return "its list, which is closed again, exposes no items: open it, then use {DOWN} and {ENTER}, or its picture"
    return "its list was opened, and is closed again: choose another item"


async def _open(tools: ToolContext, call: Call, box: TargetInfo, opener: TargetInfo | None) -> None:
    """Raises: as `point_at`, `do_action`."""
    if opener is None:
        await click_once(tools, call, box)
    else:
        await tools.desktop.do_action(opener)


async def _choose(tools: ToolContext, call: Call, item: TargetInfo) -> tuple[Before, Route]:
    """Press a menu item by its action, since a scroll arrow that GTK 3 does not expose may cover it; click any other.
    Raises: as `point_at`.
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


def is_item(control: TargetInfo) -> bool:
    """True for a control that may be an item of a list, a table, a tree or a row of tabs."""
    return control.type in _ITEMS or "selectable" in control.states


def shows_item(text: str, name: str, before: Collection[str]) -> bool:
    """True if a box's text shows the named item; the text before may be another item with an equal comparable name."""
    return text == name or (text not in before and comparable_name(text) == comparable_name(name))


def _texts(seen: Observation, box: TargetInfo) -> set[str]:
    """The texts of a box: its value, else those of a field or button inside it, else its name, which may be a label."""
    now = seen.find(box.handle)
    return _exposed_texts(seen, box) or ({now.name} if now else set[str]())


def _exposed_texts(seen: Observation, box: TargetInfo) -> set[str]:
    """The texts of a box apart from its name; empty if only the name may show the item."""
    now = seen.find(box.handle)
    parts = [part for part in seen.inside_of(box) if part.type in _SHOWS_CHOICE]
    shown = {part.value if part.type is Role.TEXTBOX else part.value or part.name for part in parts} - {""}
    return {now.value} if now and now.value else shown


def _open_item(seen: Observation, box: TargetInfo, name: str) -> TargetInfo | None:
    """The item of an open box, inside it or in a nameless window of its own, as in GTK 3.

    A page may have it anywhere: there only a unique name counts.
    """
    popups = [control for control in seen.controls if control.type is Role.WINDOW and not control.name]
    offered = [control for top in (box, *popups) for control in seen.inside_of(top)]
    item = _item(seen, {control.handle for control in offered}, name)
    now = seen.find(box.handle)
    if item is not None or now is None or "expanded" not in now.states:
        return item
    same_named = [c for c in seen.controls if c.type in _ITEMS and comparable_name(c.name) == comparable_name(name)]
    return same_named[0] if len(same_named) == 1 else None


def _open_list(seen: Observation, box: TargetInfo) -> set[str]:
    """Handles in the open list of a page's box: the only visible parent of selectable items."""
    now = seen.find(box.handle)
    offered = (c for c in seen.controls if c.type in _ITEMS and "selectable" in c.states)
    lists = {item.parent for item in offered} if now is not None and "expanded" in now.states else set[str]()
    return {control.handle for control in seen.controls if lists == {control.parent}}


def _item(seen: Observation, among: set[str], name: str) -> TargetInfo | None:
    return first_named((c for c in seen.controls if c.handle in among and c.type in _ITEMS), name)


def _opener(seen: Observation, box: TargetInfo) -> TargetInfo | None:
    """The control that opens a box by an action: itself, else the button inside it, as in GTK 4; None: a click may."""
    if box.actions:
        return box
    return next((part for part in seen.inside_of(box) if part.type is Role.BUTTON and part.actions), None)
