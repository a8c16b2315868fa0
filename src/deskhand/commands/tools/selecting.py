"""Choosing an item of a list, a drop-down, a set of tabs (contract 4.2)."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

from pydantic import Field

from deskhand.commands.call import Call, ExpectedEffect, Expects, Request, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import TargetArguments, action
from deskhand.commands.control_kinds import LABELS, MENU_CHECKS, OTHER_TOOL, chosen_states
from deskhand.commands.effects.confirmation import or_unverifiable, outcome, wait_for_reading
from deskhand.commands.effects.same_record import with_same_record
from deskhand.commands.effects.snapshot import (
    PATIENT_S,
    QUICK_S,
    Before,
    before,
    read_back,
    require_usable,
    with_final_states,
)
from deskhand.commands.effects.verdict import Finding, wait_for_difference
from deskhand.commands.techniques.cell_ranges import select_range
from deskhand.commands.techniques.checking import set_checked
from deskhand.commands.techniques.combo_box import (
    OPEN,
    choose_in_box,
    close_list,
    is_as_before,
    is_item,
    missing_item,
    shows_item,
)
from deskhand.commands.techniques.escalation import click_once
from deskhand.commands.techniques.item_names import completed_name, not_listed
from deskhand.commands.techniques.meant_controls import beside_label
from deskhand.commands.techniques.scroll_to import SCROLLS_S, Shown, scroll_to_item
from deskhand.commands.techniques.sheets import is_of_sheet
from deskhand.commands.techniques.titled_page import go_to_titled
from deskhand.commands.waiting import wait_for_program
from deskhand.commands.window_lookup import front_window, observe_front
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import UNREADABLE, ActionRefused, ElementNotFound, ElementStale
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait, comparable_name, first_named
from deskhand.core.text import quoted
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import Chord

_CONTAINERS: Final = frozenset(
    {Role.LIST, Role.MENUBAR, Role.TABLE, Role.TABLIST, Role.TABPANEL, Role.TOOLBAR, Role.TREE}
)

_LISTS: Final = frozenset({Role.COMBOBOX, Role.LIST, Role.TABLE, Role.TREE})
_SELECT: Final = "select"
"""Chromium's action that chooses an item of a box, visible or not."""

_CLOSES_S: Final = 1.0
"""Timeout for a popup list to close."""


def _selected_states(request: Request) -> ExpectedEffect:
    return ExpectedEffect(chosen_states(request.target) if request.target else frozenset())


_SELECTION = Expects(
    (
        Rule(
            "item",
            "its own `selected` or `checked`, also where choosing it made it anew, as LibreOffice does with two rows "
            "of tabs; of a cell also that it got the cursor; of a combo box's item, that the box shows it; items of "
            "Qt's lists, trees and tables are clicked, since accessibility does not make them the current one; where "
            "it is so already, alone or added to others, nothing is sent",
            "a control that is no item, such as a button that opens a menu, is refused",
            expect=_selected_states,
        ),
        Rule(
            "item of a combo box of GTK, Qt or Swing, which is opened for it",
            "the item is clicked; its list has closed, and the box shows it: as its value, else in a control inside "
            "it, else as its name, which may be a label: if it was named so before, the item had to report that it was "
            "selected",
            "an item that the list lacks: `suspected_noop`, once the list is closed again and the box shows the same",
        ),
        Rule(
            "item of a list that LibreOffice dropped down",
            "the text of the field beside its button; where there is none: the item, read by its handle when its list "
            "has closed, is `selected`",
            "an item that can no longer be read then is `unverifiable`",
        ),
        Rule("page of a document by its title, for which all are gone through", "the page with that title is in view"),
        Rule("cells of a spreadsheet", "of those in view just these are selected, or have the cursor"),
    )
)


class Select(TargetArguments):
    item: str = Field(default="", description="name of the item, or a range of cells; empty: the control itself")
    add: bool = Field(default=False, description="leave what else is selected in the list selected")


async def select_item(tools: ToolContext, call: Call, arguments: Select) -> ToolOutcome:
    """Selects `item` of a list, tree, table, combo box or sheet (a range such as A1:C5), or the control itself."""
    target = call.need_target()
    cells = arguments.item or (target.name if target.type is Role.CELL else "")
    if cells and await is_of_sheet(tools.desktop, call, target):
        return await select_range(tools, call, cells)
    if not arguments.item:
        return await _select_in(tools, call, target, _box_of(call, target), add=arguments.add)
    return await _select_named(tools, call, target, arguments)


async def _select_named(tools: ToolContext, call: Call, target: TargetInfo, arguments: Select) -> ToolOutcome:
    """Select the named item in the target. Raises: as `select_item`."""
    if target.type in LABELS:
        box = beside_label(call.command.seen, target, _LISTS)
        fix = f"choose it in {box.describe} beside it" if box else "choose it in the list that is meant"
        raise ActionRefused(f"{target.describe} is a text without items", fix=fix)
    if Trait.STATE_IS_LATE in target.traits:
        target = await with_final_states(tools.desktop, call, target)
    if _is_closed(target) and target.value == arguments.item:
        return _shown_already(target, target.value)
    if Trait.OPENS_BY_CLICK in target.traits:
        return await choose_in_box(tools, call, target, arguments.item)
    try:
        item = await (_item_of_box if _opens_by_action(target) else _item)(tools, call, target, arguments.item)
    except ElementNotFound as error:
        return await _titled(tools, call, target, arguments.item, error)
    if isinstance(item, frozenset):
        return await choose_in_box(tools, call, target, arguments.item, item or None)
    return await _select_in(tools, call, item, target, add=arguments.add)


async def _titled(
    tools: ToolContext, call: Call, container: TargetInfo, title: str, missing: ElementNotFound
) -> ToolOutcome:
    """Go to the page of that title, if the container lists pages. Raises: ElementNotFound; as `point_at`."""
    if container.type is not Role.DOCUMENT or Trait.PARTIAL_LIST not in container.traits:
        raise missing
    page = await go_to_titled(tools, call, container, title)
    if not page:
        raise ElementNotFound(missing.message, fix="no page has that name or title: choose another") from missing
    return ToolOutcome(None, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, f"{page} is in view, the first of that title")


def _box_of(call: Call, item: TargetInfo) -> TargetInfo | None:
    """The open box of a page that a menu item belongs to; None for other items."""
    seen, above = call.command.seen, item
    while seen and above.type in {Role.MENUITEM, Role.MENU, Role.GROUP} and (found := seen.find(above.parent)):
        above = found
    return above if item.type is Role.MENUITEM and _opens_by_action(above) else None


async def _select_in(
    tools: ToolContext, call: Call, item: TargetInfo, container: TargetInfo | None, *, add: bool
) -> ToolOutcome:
    """Select an item, and close its box if it has one.

    The item that a box of a page shows is left alone: selecting it again would deselect it.
    """
    if item.type is Role.MENUITEM and "checked" in item.states and not (container and _opens_by_action(container)):
        return ToolOutcome(None, Effect.CONFIRMED, Route.ACCESSIBILITY, f"{item.describe} is checked already")
    if item.type in MENU_CHECKS:  # selected, it would only be highlighted, and pressed turned back
        return await set_checked(tools, call, item, partial(wait_for_difference, patient_s=0), wanted=True)
    if container is None or not _opens_by_action(container):
        return await _select(tools, call, item, container, add=add)
    shows = (await read_back(tools.desktop, container)).value == item.name
    done = _shown_already(container, item.name) if shows else await _select(tools, call, item, container, add=add)
    await _close(tools.desktop, container)
    return done


def _shown_already(box: TargetInfo, item: str) -> ToolOutcome:
    message = f"{box.describe} shows {quoted(item)} already"
    return ToolOutcome(None, Effect.CONFIRMED, Route.ACCESSIBILITY, message)


async def _close(desktop: Desktop, box: TargetInfo) -> None:
    """Close a box of a web page, which stays open if an item was chosen by its action."""

    async def closed() -> bool | None:
        return True if "expanded" not in (await read_back(desktop, box)).states else None

    with suppress(*UNREADABLE):  # the choice may have left the page, or disabled the box
        if not await closed():
            await desktop.do_action(box, OPEN)
            await desktop.wait_until(closed, deadline_s=_CLOSES_S)


async def _select(
    tools: ToolContext, call: Call, target: TargetInfo, container: TargetInfo | None, *, add: bool
) -> ToolOutcome:
    """Select an item; `container`: the control that was named, or its box. Raises: ActionRefused, ElementStale."""
    if target.type is Role.MENUITEM and container is None:  # a selected menu item is only highlighted
        raise ActionRefused(f"{target.describe} is chosen by being pressed", fix="press it with invoke")
    _require_item(target)
    target = await require_usable(tools.desktop, call, target)
    if Trait.IN_POPUP_LIST in target.traits:
        return await _choose_in_popup(tools, call, target, container)
    if not _is_selected(target, container):
        return await _select_by_some_way(tools, call, target, container, add=add)
    if add or target.type is Role.RADIO or not await _others_now(tools, call, target):
        return ToolOutcome(None, Effect.CONFIRMED, Route.ACCESSIBILITY, f"{target.describe} is selected already")
    earlier = await before(tools, call, target)
    tools.delivered = True
    found = await _alone(tools, call, earlier, target)
    return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.SUSPECTED_NOOP)


def _is_selected(item: TargetInfo, container: TargetInfo | None) -> bool:
    """True for an item that reports to be chosen. What a combo box shows decides, not its items."""
    in_box = container is not None and container.type is Role.COMBOBOX
    return not in_box and bool((chosen_states(item) - {"focused"}) & item.states)


def _others_before(call: Call, earlier: Before, item: TargetInfo) -> dict[str, TargetInfo]:
    """The other items that were selected, as they were last seen: the list may have been scrolled to the item since."""
    seen = [each for each in (call.command.seen, earlier.seen) if each is not None]
    return {handle: other for each in seen for handle, other in _others_selected(each, item).items()}


async def _is_still_selected(desktop: Desktop, item: TargetInfo) -> bool:
    """True for an item that may be out of view."""
    try:
        return "selected" in (await read_back(desktop, item)).states
    except UNREADABLE:
        return False


async def _others_now(tools: ToolContext, call: Call, item: TargetInfo) -> dict[str, TargetInfo]:
    return _others_selected(await observe_front(tools.desktop, call.need_window()), item)


async def _select_by_some_way(
    tools: ToolContext, call: Call, target: TargetInfo, container: TargetInfo | None, *, add: bool
) -> ToolOutcome:
    """Raises: ActionRefused, ElementStale."""
    earlier = await before(tools, call, target)
    sent, refused, was_opened = False, list[ActionRefused](), tools.delivered
    for route, attempt in _ways_to_select(tools, call, target, add=add):
        gone: ElementStale | None = None
        tools.delivered = True
        try:
            target = await _as_now(tools.desktop, target) if sent else await with_same_record(tools.desktop, target)
            earlier = replace(earlier, pressed=target)
            await attempt(target)
        except ActionRefused as error:
            refused.append(error)
            tools.delivered = sent or was_opened
            continue
        except ElementStale as error:
            gone = error
        sent = True
        found = await _selected(tools.desktop, earlier, target, container)
        if found.effect is not None:
            found = await _with_others(tools, call, earlier, target, found, add=add)
            found = _unnoticed(target, found, add=add)
            return outcome(found, route, nothing=Effect.SUSPECTED_NOOP)
        if gone is not None:
            raise gone
    if not sent:
        raise refused[-1]
    found = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    return outcome(_or_unverifiable(target, container, found), Route.SYNTHETIC_INPUT, nothing=Effect.SUSPECTED_NOOP)


def _unnoticed(item: TargetInfo, found: Finding, *, add: bool) -> Finding:
    """Weaken the finding on an item that was added through accessibility, where only a click is applied."""
    if not add or Trait.SELECT_BY_CLICK not in item.traits:
        return found
    return Finding(Effect.UNVERIFIABLE, f"{found.message}; its application may not be notified of it", retry_safe=True)


async def _with_others(
    tools: ToolContext, call: Call, earlier: Before, item: TargetInfo, found: Finding, *, add: bool
) -> Finding:
    """Compare the selection of the other items with the wanted one; partial where it differs. Raises: as `point_at`.

    Where selecting added the item to others, it is clicked: a plain click selects it alone.
    """
    desktop, window = tools.desktop, earlier.window
    before = _others_before(call, earlier, item)
    if window is None or not before or found.effect is not Effect.CONFIRMED:
        return found
    after = _others_selected(await desktop.observe(window, picture=False), item)
    lost = [other for handle, other in before.items() if handle not in after]
    away = [other for other in lost if await _is_still_selected(desktop, other)]
    if add:
        names = ", ".join(quoted(other.name) for other in lost if other not in away)
        return Finding(Effect.PARTIAL, f"{found.message}, and {names} no longer", retry_safe=True) if names else found
    after |= {other.handle: other for other in away}
    if not after:
        return found
    return await _alone(tools, call, earlier, item)


async def _alone(tools: ToolContext, call: Call, earlier: Before, item: TargetInfo) -> Finding:
    """Click a selected item, which selects it alone; where each click adds or removes, it is clicked once more."""
    desktop, window = tools.desktop, earlier.window

    async def others() -> dict[str, TargetInfo]:
        return _others_selected(await desktop.observe(window, picture=False), item) if window else {}

    async def alone() -> bool | None:
        return None if await others() else True

    await click_once(tools, call, item)
    if await desktop.wait_until(alone, deadline_s=QUICK_S):
        found = await _selected(desktop, earlier, item, None)
        if found.effect is not None:
            return found
    if not chosen_states(item) & (await _as_now(desktop, item)).states:
        await click_once(tools, call, item)
    beside = ", ".join(quoted(other.name) for other in (await others()).values())
    return Finding(Effect.PARTIAL, f"{item.describe} is selected, and so is {beside}", retry_safe=True)


def _others_selected(seen: Observation, item: TargetInfo) -> dict[str, TargetInfo]:
    """The selected items of the same list, by their handles; parts of the same row are no other items."""
    now = seen.find(item.handle) or item
    whole = seen.find(now.parent)
    own = range(0) if whole and whole.type is Role.LIST else range(now.rect.top, now.rect.bottom)
    beside = (control for control in seen.controls if control.parent == now.parent and control.handle != now.handle)
    chosen = (control for control in beside if "selected" in control.states and control.rect.center.y not in own)
    return {control.handle: control for control in chosen}


def _or_unverifiable(item: TargetInfo, container: TargetInfo | None, found: Finding) -> Finding:
    """Weaken the finding on an item whose selection neither it nor its box exposes, as in GTK 3's flow boxes."""
    in_box = container is not None and container.type is Role.COMBOBOX
    if item.type is not Role.LISTITEM or in_box or {"selectable", "selected"} & item.states:
        return found
    return or_unverifiable(found, "it does not report whether it is selected", retry_safe=True)


def _require_item(target: TargetInfo) -> None:
    """Raises: ActionRefused."""
    if target.type in _CONTAINERS:
        raise ActionRefused(f"{target.describe} is no item", fix="name one of its items as item")
    fix = OTHER_TOOL.get(target.type, "")
    if fix and "selectable" not in target.states:
        raise ActionRefused(f"{target.describe} is no item that can be selected", fix=fix)


def _ways_to_select(
    tools: ToolContext, call: Call, item: TargetInfo, *, add: bool
) -> tuple[tuple[Route, Callable[[TargetInfo], Awaitable[object]]], ...]:
    """Ways to select, the least intrusive first; selecting twice does the same as once.

    An item in the open list of a web page has an action for it, which works also while it is scrolled out of view.
    """

    async def click(target: TargetInfo) -> None:
        await click_once(tools, call, target)

    async def press(target: TargetInfo) -> None:
        await tools.desktop.do_action(target, _SELECT)

    if item.type is Role.MENUITEM and _SELECT in item.actions:
        return ((Route.ACCESSIBILITY, press),)
    if add:  # the others would lose their selection by a click
        return ((Route.ACCESSIBILITY, tools.desktop.select),)
    if Trait.SELECT_BY_CLICK in item.traits:
        return ((Route.SYNTHETIC_INPUT, click),)
    return (
        (Route.ACCESSIBILITY, tools.desktop.select),
        (Route.ACCESSIBILITY, tools.desktop.focus),
        (Route.SYNTHETIC_INPUT, click),
    )


async def _choose_in_popup(
    tools: ToolContext, call: Call, item: TargetInfo, container: TargetInfo | None
) -> ToolOutcome:
    """Click an item of a popup list. The choice shows in a field of the container, the cell at the cursor, or itself.

    Raises: as `point_at`.
    """
    desktop = tools.desktop
    window = await front_window(desktop, call.need_window())
    earlier = await click_once(tools, call, item)
    still_open = False

    async def closed() -> Observation | None:
        nonlocal still_open
        seen = await desktop.observe(window, picture=False)
        still_open = seen.find(item.handle) is not None
        return None if still_open else seen

    seen = await desktop.wait_until(closed, deadline_s=_CLOSES_S)
    if seen is None:
        message = f"{item.describe} was clicked, and its list is still open"
        if not still_open:
            message = f"{item.describe} was clicked, and the window could not be read then"
        effect = Effect.SUSPECTED_NOOP if still_open else Effect.UNVERIFIABLE
        return ToolOutcome(None, effect, Route.SYNTHETIC_INPUT, message, retry_safe=still_open)
    field = next((c for c in seen.inside_of(container) if c.type is Role.TEXTBOX), None) if container else None
    if container and field and comparable_name(field.value) == comparable_name(item.name):
        message = f"{container.describe} shows {quoted(field.value)}"
        return ToolOutcome(None, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, message, retry_safe=False)
    if field is None:
        found = await _in_cell(desktop, window, item) or await _stays_chosen(desktop, earlier, item)
        if found is not None:
            return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)
    message = f"{item.describe} was clicked and its list closed; only the picture shows the choice"
    return ToolOutcome(None, Effect.UNVERIFIABLE, Route.SYNTHETIC_INPUT, message, retry_safe=False)


async def _in_cell(desktop: Desktop, window: TargetInfo, item: TargetInfo) -> Finding | None:
    """The finding if the cell at the cursor, whose list it was, shows the item; else None."""

    async def look() -> TargetInfo | None:
        seen = await desktop.observe(window, picture=False)
        cells = (control for control in seen.controls if control.type is Role.CELL and "focused" in control.states)
        return next((cell for cell in cells if comparable_name(cell.value) == comparable_name(item.name)), None)

    cell = await desktop.wait_until(look, deadline_s=QUICK_S)
    return Finding(Effect.CONFIRMED, f"{cell.describe} shows {quoted(item.name)}", retry_safe=False) if cell else None


async def _stays_chosen(desktop: Desktop, earlier: Before, item: TargetInfo) -> Finding | None:
    """The finding if an item of a closed list reports to be selected; else None.

    An item that was only highlighted loses that state as the list closes.
    """

    async def look() -> str | None:
        now = await read_back(desktop, item)
        return f"{item.describe} is selected, and its list closed" if "selected" in now.states else None

    try:
        found = await wait_for_reading(desktop, earlier, look, deadline_s=QUICK_S)
    except ElementStale:
        return None
    return found if found.effect is not None else None


async def _as_now(desktop: Desktop, item: TargetInfo) -> TargetInfo:
    """Resolve an item again, also if choosing it recreated all of them, as LibreOffice does with two rows of tabs.

    Raises: as `resolve`.
    """
    try:
        return await read_back(desktop, item)
    except ElementStale:
        return await desktop.resolve(item)


async def _selected(desktop: Desktop, earlier: Before, target: TargetInfo, container: TargetInfo | None) -> Finding:
    """Wait until an item reports to be selected, or its combo box shows it."""
    states = chosen_states(target)
    box = container if container and container.type is Role.COMBOBOX else None

    async def look() -> str | None:
        if box is not None:
            shown = (await read_back(desktop, box)).value
            return f"{box.describe} shows {quoted(shown)}" if shows_item(shown, target.name, {box.value}) else None
        now = await _as_now(desktop, target)
        state = max(states & now.states, default="")
        return f"{target.describe} is {state}" if state else None

    was_so = box.value == target.name if box else bool(states & target.states)
    earlier = replace(earlier, target=box or target)
    return await wait_for_reading(desktop, earlier, look, deadline_s=QUICK_S, was_so=was_so)


def _opens_by_action(container: TargetInfo) -> bool:
    return container.type is Role.COMBOBOX and OPEN in container.actions


def _is_closed(container: TargetInfo) -> bool:
    """True for a combo box that shows its items only once opened, and has an action for that."""
    return _opens_by_action(container) and "expanded" not in container.states


async def _item_of_box(tools: ToolContext, call: Call, box: TargetInfo, name: str) -> TargetInfo | frozenset[str]:
    """An item inside a box of a page, which is opened for it if needed.

    If its list is elsewhere in the page: the handles observed before it was opened here. Raises: ElementNotFound; as
    `do_action`.
    """
    desktop, known = tools.desktop, frozenset[str]()
    window = await front_window(desktop, call.need_window())
    seen = await desktop.observe(window, picture=False)
    if (found := first_named(seen.inside_of(box), name)) is not None:
        return found
    if _is_closed(box):
        known = frozenset(control.handle for control in seen.controls)
        box = await require_usable(desktop, call, box)
        tools.delivered = True
        await desktop.do_action(box, OPEN)
    inside, elsewhere = list[TargetInfo](), False

    async def dropped() -> bool | None:
        nonlocal inside, elsewhere
        seen = await desktop.observe(window, picture=False)
        inside = [control for control in seen.inside_of(box) if is_item(control)]
        elsewhere = not inside and (not known or any(is_item(c) and c.handle not in known for c in seen.controls))
        return True if elsewhere or first_named(inside, name) else None

    await wait_for_program(desktop, window, dropped, deadline_s=PATIENT_S)
    if elsewhere:
        return known
    names = dict.fromkeys(item.name for item in inside if item.name)
    if (found := first_named(inside, completed_name(names, name) or name)) is None:
        await _close(desktop, box)
        tools.restored = await is_as_before(desktop, seen, box)
        raise not_listed(box, name, names, missing_item(closed=tools.restored))
    return found


async def _item(tools: ToolContext, call: Call, container: TargetInfo, name: str) -> TargetInfo:
    """A visible item; a drop-down of LibreOffice is opened for it. Raises: ElementNotFound; as `do_action`."""
    desktop, names = tools.desktop, dict[str, None]()
    scrolls, fix = Trait.PARTIAL_LIST in container.traits, ""
    find = (_scroll_to if scrolls else _child)(tools, call, container, name, names)
    if (found := await find) is not None:
        return found
    if Trait.FINDS_ITEMS in container.traits:
        return await _item_out_of_view(tools, call, container, name, names)
    opener = await _opener(desktop, call, container)
    if opener is not None and Trait.OPENS_LIST in opener.traits:
        opener = await require_usable(desktop, call, opener)
        if "checked" not in opener.states:
            tools.delivered = True
            await desktop.do_action(opener)
        found = await _scroll_to(tools, call, None, name, names)
        if found is None:
            window = await front_window(desktop, call.need_window())
            is_closed = await close_list(desktop, window, _shown_in(desktop, window, None), opener)
            if is_closed:
                await _leave_field(desktop, call, window, container)
                tools.restored = await is_as_before(desktop, call.command.seen, container)
            fix = missing_item(closed=is_closed)
    if found is not None:
        return found
    raise not_listed(container, name, names, fix or _advice(opener, scrolls=scrolls))


async def _item_out_of_view(
    tools: ToolContext, call: Call, container: TargetInfo, name: str, names: dict[str, None]
) -> TargetInfo:
    """Raises: ElementNotFound; as `show_named`."""
    if await tools.desktop.show_named(container, name):
        tools.delivered = True
        found = await _child(tools, call, container, name, names)
        if found is not None:
            return found
    raise not_listed(container, name, names, "no item has this name, also out of view: choose another")


async def _leave_field(desktop: Desktop, call: Call, window: TargetInfo, container: TargetInfo) -> None:
    """Give the keyboard back to the document, by Escape: closing a list leaves it in the field beside the button."""
    seen = call.command.seen
    if seen is None or _has_keyboard(seen, container):
        return
    if _has_keyboard(await desktop.observe(window, picture=False), container):
        await desktop.press([Chord("esc")])


def _has_keyboard(seen: Observation, container: TargetInfo) -> bool:
    return any(part.type is Role.TEXTBOX and "focused" in part.states for part in seen.inside_of(container))


def _advice(opener: TargetInfo | None, *, scrolls: bool) -> str:
    """The fix for a missing item of a list that was not opened."""
    if scrolls:
        return "its list was scrolled through without finding it: choose another item"
    if opener is not None:
        return f"open it first (invoke {opener.describe}), then observe the window"
    return "scroll to it, or choose another"


async def _scroll_to(
    tools: ToolContext, call: Call, container: TargetInfo | None, name: str, names: dict[str, None]
) -> TargetInfo | None:
    """An item of a list of LibreOffice, see `scroll_to_item`. `container`: None for the popup list."""
    window = await front_window(tools.desktop, call.need_window())
    shown = _shown_in(tools.desktop, window, container)
    return await scroll_to_item(tools, window, shown, name, names, opens_s=PATIENT_S if container is None else 0.0)


def _shown_in(desktop: Desktop, window: TargetInfo, container: TargetInfo | None) -> Shown:
    """A look at a list and its items; `container`: None for the popup list."""

    async def shown() -> tuple[TargetInfo, ...] | None:
        seen = await desktop.observe(window, picture=False)
        dropped = (control for control in seen.controls if Trait.POPUP_LIST in control.traits)
        whole = seen.find(container.handle) if container is not None else next(dropped, None)
        return (whole, *seen.inside_of(whole)) if whole is not None else None

    return shown


async def _child(
    tools: ToolContext, call: Call, container: TargetInfo, name: str, names: dict[str, None]
) -> TargetInfo | None:
    """The visible control of that name inside the container, else the only item whose name starts so."""
    desktop = tools.desktop
    seen = await observe_front(desktop, call.need_window())
    inside = seen.inside_of(container)
    names.update(dict.fromkeys(control.name for control in inside if control.name and is_item(control)))
    return first_named(inside, name) or first_named(inside, completed_name(names, name) or name)


async def _opener(desktop: Desktop, call: Call, container: TargetInfo) -> TargetInfo | None:
    """The button of a drop-down of LibreOffice: itself, or that of a group of only a button, and maybe a field."""
    if Trait.OPENS_LIST in container.traits:
        return container
    if container.type not in {Role.GROUP, Role.GENERIC}:
        return None
    seen = await observe_front(desktop, call.need_window())
    parts = seen.inside_of(container)
    if len(parts) > 2 or not {part.type for part in parts} <= {Role.BUTTON, Role.TEXTBOX}:
        return None
    openers = [part for part in parts if Trait.OPENS_LIST in part.traits or not part.name]
    buttons = [part for part in openers if part.type is Role.BUTTON and part.actions]
    return _as_observed(buttons[0], call) if len(buttons) == 1 else None


def _as_observed(control: TargetInfo, call: Call) -> TargetInfo:
    """The control with its id in the caller's observation."""
    known = call.command.seen.find(control.handle) if call.command.seen else None
    return replace(control, id=known.id if known else "")


TOOLS = (action(Select, select_item, effect_class=EffectClass.EDIT, expects=_SELECTION, deadline_s=SCROLLS_S + 30.0),)
