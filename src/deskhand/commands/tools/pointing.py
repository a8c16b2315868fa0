"""Pressing, choosing and pointing (SPEC 4.2)."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, field_validator

from deskhand.commands.catalogue import Arguments, Call, TargetArguments, ToolContext, ToolOutcome, action
from deskhand.commands.tools.about import TOGGLE, chosen_state
from deskhand.commands.tools.before import Before, before, is_office, read_back, require_usable, with_final_states
from deskhand.commands.tools.evidence import PATIENT_S, QUICK_S, Finding, outcome, wait_for_difference, wait_for_reading
from deskhand.commands.tools.ladder import Spot, click_once, control_spot, point_at, point_spot, take_keyboard
from deskhand.commands.tools.look import front_window
from deskhand.commands.tools.tables import is_sheet, select_range
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import ActionRefused, ElementNotFound, ElementStale, NotOffered
from deskhand.core.geometry import Rect, WindowPoint
from deskhand.core.observation import Observation
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.desktop.base import Aim, Chord, Desktop, MouseButton

Button = Literal["left", "middle", "right"]

_CONTAINERS: Final = frozenset(
    {Role.LIST, Role.MENUBAR, Role.TABLE, Role.TABLIST, Role.TABPANEL, Role.TOOLBAR, Role.TREE}
)
_NO_ITEMS: Final = {
    **dict.fromkeys((Role.BUTTON, Role.LINK), "press it with invoke"),
    **dict.fromkeys((Role.CHECKBOX, Role.SWITCH, Role.MENUITEMCHECKBOX), "check it with set_value"),
    **dict.fromkeys((Role.SLIDER, Role.SPINBUTTON, Role.SCROLLBAR), "give it a number with set_value"),
    **dict.fromkeys((Role.TEXTBOX, Role.PASSWORD), "give it a text with set_edit_text"),
}
"""What is no item, unless it says that it can be selected, and what to do with it instead."""

_ONE_OF_SEVERAL: Final = frozenset({Role.RADIO, Role.MENUITEMRADIO})
_CHECKS: Final = frozenset({Role.CHECKBOX, Role.SWITCH, Role.MENUITEMCHECKBOX}) | _ONE_OF_SEVERAL

_DRAWN_ITEM: Final = "list item"
"""The backend's own word for an item that LibreOffice draws itself; those of GTK's lists are cells of a table."""

_CLOSES_S: Final = 1.0
"""So long what was dropped down may take to close."""

_OPEN: Final = "open"
"""What Chromium calls the action that shows the items of a combo box."""


Pressed = Annotated[Button, Field(description="which mouse button")]
Twice = Annotated[bool, Field(description="a double click")]
Across = Annotated[float, Field(ge=0, le=1, description="0 is the left edge of the window, 1 the right one")]
Down = Annotated[float, Field(ge=0, le=1, description="0 is the top edge of the window, 1 the bottom one")]


class Click(TargetArguments):
    button: Pressed = "left"
    double: Twice = False


class ClickAt(Arguments):
    """`x` and `y` are 0..1 of the window."""

    x: Across
    y: Down
    button: Pressed = "left"
    double: Twice = False


class DragOn(Arguments):
    """From one point to another, each as 0..1 of the window."""

    start_x: Across
    start_y: Down
    end_x: Across
    end_y: Down
    button: Pressed = "left"


class Wheel(Arguments):
    wheel_dist: int = Field(description="notches of the wheel; positive scrolls up, negative down")
    id: str = Field(default="", description="label of a control to turn it over; empty: the middle of the window")
    name: str = Field(default="", description="its name; a control of another name is refused")

    @field_validator("wheel_dist")
    @classmethod
    def _turns(cls, notches: int) -> int:
        if not notches:
            raise ValueError("0 turns nothing: positive scrolls up, negative down")
        return notches


class Invoke(TargetArguments):
    """`action` names one of the control's own actions; empty: its default one."""

    action: str = Field(default="", description="one of the actions the control lists; empty: its default one")


class Select(TargetArguments):
    """`item` names a child of the control; empty: the control is itself the item."""

    item: str = Field(default="", description="name of the item, or a range of cells; empty: the control itself")


class SetValue(TargetArguments):
    """A number for sliders and the like, true or false for check boxes, radio buttons and switches."""

    value: bool | float = Field(description="the number, or whether it is to be checked")

    @field_validator("value", mode="wrap")
    @classmethod
    def _in_plain_words(cls, value: object, validate: ValidatorFunctionWrapHandler) -> bool | float:
        try:
            return validate(value)
        except ValidationError as error:
            raise ValueError(f"wanted is a number, or true or false to check or uncheck; not {value!r}") from error


async def invoke(tools: ToolContext, call: Call, arguments: Invoke) -> ToolOutcome:
    """Performs a control's action (presses a button, opens a menu, chooses a menu item) without the pointer. Prefer it
    to click_input; a control without an action is clicked."""
    target = call.need_target()
    target = await require_usable(tools.desktop, call, target)
    earlier = await before(tools, call)
    tools.delivered = True
    try:
        await tools.desktop.do_action(target, arguments.action)
    except NotOffered:
        tools.delivered = False
        if arguments.action:
            raise
        return await _click(tools, call, control_spot(tools.desktop, call, target), MouseButton.LEFT)
    told = await wait_for_difference(tools.desktop, earlier)
    return outcome(told, Route.ACCESSIBILITY, nothing=Effect.SUSPECTED_NOOP)


async def click_input(tools: ToolContext, call: Call, arguments: Click) -> ToolOutcome:
    """Clicks a control with the pointer: for right and double clicks, and what has no action of its own."""
    target = await require_usable(tools.desktop, call, call.need_target())
    spot = control_spot(tools.desktop, call, target)
    return await _click(tools, call, spot, MouseButton(arguments.button), double=arguments.double)


async def click_on_coordinates(tools: ToolContext, call: Call, arguments: ClickAt) -> ToolOutcome:
    """Clicks a point of the window, given as 0..1 of its width and height: for what only the picture shows."""
    spot = point_spot(call, WindowPoint(arguments.x, arguments.y))
    return await _click(tools, call, spot, MouseButton(arguments.button), double=arguments.double)


async def drag_on_coordinates(tools: ToolContext, call: Call, arguments: DragOn) -> ToolOutcome:
    """Presses at one point of the window, moves to another and releases there; points are 0..1 of width and height."""
    desktop, button = tools.desktop, MouseButton(arguments.button)
    ends = WindowPoint(arguments.start_x, arguments.start_y), WindowPoint(arguments.end_x, arguments.end_y)

    async def act(aims: Sequence[Aim]) -> None:
        await desktop.drag(aims[0], aims[1], button=button)

    earlier = await point_at(tools, call, [point_spot(call, end) for end in ends], act, button=button)
    told = await wait_for_difference(desktop, earlier, patient_s=QUICK_S)
    return outcome(told, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def _click(
    tools: ToolContext, call: Call, spot: Spot, button: MouseButton, *, double: bool = False
) -> ToolOutcome:
    """Clicks the middle of a place, or what can be seen of it. Raises: as `point_at`."""

    async def act(aims: Sequence[Aim]) -> None:
        await tools.desktop.click(aims[0], button=button, count=2 if double else 1)

    earlier = await point_at(tools, call, [spot], act, button=button)
    told = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    return outcome(told, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def wheel_mouse_input(tools: ToolContext, call: Call, arguments: Wheel) -> ToolOutcome:
    """Turns the mouse wheel by notches over a control, or over the middle of the window; positive is up."""
    middle = point_spot(call, WindowPoint(0.5, 0.5))
    spot = control_spot(tools.desktop, call, call.target) if call.target else middle

    async def act(aims: Sequence[Aim]) -> None:
        await tools.desktop.scroll(aims[0], arguments.wheel_dist)

    earlier = await point_at(tools, call, [spot], act)
    told = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    return outcome(told, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def select_item(tools: ToolContext, call: Call, arguments: Select) -> ToolOutcome:
    """Selects an item of a list, tree, table or combo box; of a spreadsheet's cells, a range such as A1:C5."""
    target = call.need_target()
    if arguments.item and await is_sheet(tools.desktop, target):
        return await select_range(tools, call, arguments.item)
    if arguments.item:
        if _is_closed(target) and comparable_name(target.value) == comparable_name(arguments.item):
            told = f"{target.describe} shows {target.value!r} already"
            return ToolOutcome(None, Effect.CONFIRMED, Route.ACCESSIBILITY, told)
        target = await _item(tools, call, target, arguments.item)
    return await _select(tools, call, target, call.target if arguments.item else None)


async def _select(tools: ToolContext, call: Call, target: TargetInfo, container: TargetInfo | None) -> ToolOutcome:
    """Selects an item; `container` is what it was named in. Raises: ActionRefused, ElementStale."""
    _require_item(target)
    target = await require_usable(tools.desktop, call, target)
    if _drops_down(call, target):
        return await _choose_in_popup(tools, call, target, container)
    earlier = await before(tools, call, target)
    sent, refused, was_opened = False, list[ActionRefused](), tools.delivered
    for route, attempt in _ways_to_select(tools, call, target):
        gone: ElementStale | None = None
        tools.delivered = True
        try:
            target = await _as_now(tools.desktop, target) if sent else target
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
            return outcome(found, route, nothing=Effect.SUSPECTED_NOOP)
        if gone is not None:
            raise gone
    if not sent:
        raise refused[-1]
    found = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.SUSPECTED_NOOP)


def _require_item(target: TargetInfo) -> None:
    """Raises: ActionRefused."""
    if target.type in _CONTAINERS:
        raise ActionRefused(f"{target.describe} is no item", fix="name one of its items as item")
    fix = _NO_ITEMS.get(target.type, "")
    if fix and "selectable" not in target.states:
        raise ActionRefused(f"{target.describe} is no item that can be selected", fix=fix)


def _ways_to_select(
    tools: ToolContext, call: Call, item: TargetInfo
) -> tuple[tuple[Route, Callable[[TargetInfo], Awaitable[object]]], ...]:
    """From the least to the most intrusive. Selecting is the same whether it is done once or twice.

    What LibreOffice draws as a set of pictures says that it is selected then, and applies it by a click alone.
    """

    async def click(target: TargetInfo) -> None:
        await click_once(tools, call, target)

    if is_office(call) and item.raw_role == _DRAWN_ITEM and "transient" in item.states:
        return ((Route.SYNTHETIC_INPUT, click),)
    return (
        (Route.ACCESSIBILITY, tools.desktop.select),
        (Route.ACCESSIBILITY, tools.desktop.focus),
        (Route.SYNTHETIC_INPUT, click),
    )


def _drops_down(call: Call, item: TargetInfo) -> bool:
    """Whether an item stands in what LibreOffice drops down, where selecting it chooses nothing."""
    above = item.fingerprint.path[:-1] if item.fingerprint else ()
    inside = any(re.split("[:#]", step)[0] == Role.DIALOG for step in above)
    return inside and item.type is Role.LISTITEM and is_office(call)


async def _choose_in_popup(
    tools: ToolContext, call: Call, item: TargetInfo, container: TargetInfo | None
) -> ToolOutcome:
    """Clicks an item. What is chosen then is told by a field inside the container alone, where there is one.

    Raises: as `point_at`.
    """
    desktop = tools.desktop
    window = await front_window(desktop, call.need_window())
    await click_once(tools, call, item)

    async def closed() -> Observation | None:
        seen = await desktop.observe(window, picture=False)
        return seen if seen.find(item.handle) is None else None

    seen = await desktop.wait_until(closed, deadline_s=_CLOSES_S)
    if seen is None:
        told = f"{item.describe} was clicked, and its list is still open"
        return ToolOutcome(None, Effect.SUSPECTED_NOOP, Route.SYNTHETIC_INPUT, told)
    field = next((c for c in _inside(seen, container) if c.type is Role.TEXTBOX), None) if container else None
    if container and field and comparable_name(field.value) == comparable_name(item.name):
        told = f"{container.describe} shows {field.value!r}"
        return ToolOutcome(None, Effect.CONFIRMED, Route.SYNTHETIC_INPUT, told, retry_safe=False)
    told = f"{item.describe} was clicked and its list closed; what is chosen now only the picture tells"
    return ToolOutcome(None, Effect.UNVERIFIABLE, Route.SYNTHETIC_INPUT, told, retry_safe=False)


async def _as_now(desktop: Desktop, item: TargetInfo) -> TargetInfo:
    """An item as it is now, also where choosing it made all of them anew, as LibreOffice does with two rows of tabs.

    Raises: as `resolve`.
    """
    try:
        return await read_back(desktop, item)
    except ElementStale:
        return await desktop.resolve(item)


async def _selected(desktop: Desktop, earlier: Before, target: TargetInfo, container: TargetInfo | None) -> Finding:
    """Whether an item comes to say that it is selected, or the combo box that it stands in shows it."""
    state = chosen_state(target)
    box = container if container and container.type is Role.COMBOBOX else None

    async def look() -> str | None:
        if box is not None:
            shown = (await read_back(desktop, box)).value
            return f"{box.describe} shows {shown!r}" if comparable_name(shown) == comparable_name(target.name) else None
        now = await _as_now(desktop, target)
        return f"{target.describe} is {state}" if state in now.states else None

    was_so = box.value == target.name if box else state in target.states
    edged = replace(target, rect=_with_edge(target.rect)) if target.type is Role.TAB else target
    earlier = replace(earlier, target=box or edged)
    return await wait_for_reading(desktop, earlier, look, deadline_s=QUICK_S, was_so=was_so)


def _with_edge(tab: Rect) -> Rect:
    """A tab's place is that of its label to GTK 3, which paints a line below it where it is selected."""
    edge = tab.height // 2
    return tab if tab.empty else Rect(tab.left - edge, tab.top - edge, tab.right + edge, tab.bottom + edge)


def _is_closed(container: TargetInfo) -> bool:
    """Whether it is a combo box that shows its items once it is opened, and says how."""
    return container.type is Role.COMBOBOX and _OPEN in container.actions and "expanded" not in container.states


async def _item(tools: ToolContext, call: Call, container: TargetInfo, name: str) -> TargetInfo:
    """An item that shows; where need be what it stands in is opened for it. Raises: ElementNotFound; as `do_action`."""
    desktop = tools.desktop
    found = await _child(desktop, call, container, name)
    opener = await _opener(desktop, call, container) if found is None else None
    if found is None and _is_closed(container):
        container = await require_usable(desktop, call, container)
        tools.delivered = True
        await desktop.do_action(container, _OPEN)
        found = await desktop.wait_until(lambda: _child(desktop, call, container, name), deadline_s=PATIENT_S)
    elif opener is not None and is_office(call) and opener.raw_role == TOGGLE:
        opener = await require_usable(desktop, call, opener)
        if "checked" not in opener.states:
            tools.delivered = True
            await desktop.do_action(opener)
        found = await desktop.wait_until(lambda: _dropped(desktop, call, name), deadline_s=PATIENT_S)
    if found is not None:
        return found
    closed = container.type is Role.COMBOBOX and "expanded" not in container.states
    fix = "scroll to it, or choose another"
    if tools.delivered and opener is not None:
        fix = "it was opened: observe the window, scroll its list or choose another item, or close it with {ESC}"
    elif tools.delivered:
        fix = "it was opened: observe the window, choose one of its items or close it"
    elif closed:
        fix = "open it first (invoke, or click it), then observe the window"
    elif opener is not None:
        fix = f"open it first (invoke {opener.describe}), then observe the window"
    raise ElementNotFound(f"{container.describe} has no item {name!r} showing", fix=fix)


async def _child(desktop: Desktop, call: Call, container: TargetInfo, name: str) -> TargetInfo | None:
    """What stands in the container under that name, as far as it shows."""
    seen = await desktop.observe(await front_window(desktop, call.need_window()), picture=False)
    named = (c for c in _inside(seen, container) if comparable_name(c.name) == comparable_name(name))
    return next(named, None)


async def _dropped(desktop: Desktop, call: Call, name: str) -> TargetInfo | None:
    """What LibreOffice shows under that name in what it dropped down; it stands elsewhere than what dropped it."""
    seen = await desktop.observe(await front_window(desktop, call.need_window()), picture=False)
    named = (c for c in seen.controls if comparable_name(c.name) == comparable_name(name) and _drops_down(call, c))
    return next(named, None)


async def _opener(desktop: Desktop, call: Call, container: TargetInfo) -> TargetInfo | None:
    """The button in a group that is nothing but a button, and maybe a field: LibreOffice's drop-downs are such."""
    if container.type not in {Role.GROUP, Role.GENERIC}:
        return None
    seen = await desktop.observe(await front_window(desktop, call.need_window()), picture=False)
    parts = _inside(seen, container)
    buttons = [part for part in parts if part.type is Role.BUTTON and not part.name and part.actions]
    if len(buttons) != 1 or any(part.type not in {Role.BUTTON, Role.TEXTBOX} for part in parts) or len(parts) > 2:
        return None
    known = call.command.seen.find(buttons[0].handle) if call.command.seen else None
    return replace(buttons[0], id=known.id if known else "")


def _inside(seen: Observation, container: TargetInfo) -> list[TargetInfo]:
    """All controls below a container, in their order."""
    above, below = {container.handle}, list[TargetInfo]()
    for control in seen.controls:
        if control.parent in above:
            above.add(control.handle)
            below.append(control)
    return below


async def set_value(tools: ToolContext, call: Call, arguments: SetValue) -> ToolOutcome:
    """Sets a number, or checks and unchecks a box; leaves it alone where it is so already."""
    target = call.need_target()
    target = await require_usable(tools.desktop, call, target)
    if isinstance(arguments.value, bool):
        return await _set_checked(tools, call, target, wanted=arguments.value)
    if target.type in _CHECKS:
        told = f"{target.describe} is checked or not, and takes no number"
        raise ActionRefused(told, fix="give true as value to check it, false to uncheck it")
    wanted, reads = arguments.value, [target.value]

    async def right() -> str | None:
        reads.append((await read_back(tools.desktop, target)).value)
        return f"wanted {wanted:g}, reads {reads[-1]!r}" if _is_number(reads[-1], wanted) else None

    earlier = await before(tools, call, target)
    tools.delivered, route = True, Route.ACCESSIBILITY
    try:
        await tools.desktop.set_value(target, wanted)
    except NotOffered:
        tools.delivered, route = False, Route.SYNTHETIC_INPUT
        if target.type is not Role.SPINBUTTON:
            raise
        earlier = await _type_number(tools, call, target, wanted)
    was_so = _is_number(target.value, wanted)
    found = await wait_for_reading(tools.desktop, earlier, right, deadline_s=QUICK_S, was_so=was_so)
    if found.effect is not None:
        return outcome(found, route, nothing=Effect.UNVERIFIABLE)
    unchanged = Effect.SUSPECTED_NOOP if reads[-1] == reads[0] else Effect.PARTIAL
    effect = Effect.UNVERIFIABLE if _number(reads[-1]) is None else unchanged
    return ToolOutcome(None, effect, route, f"wanted {wanted:g}, reads {reads[-1]!r}")


async def _type_number(tools: ToolContext, call: Call, target: TargetInfo, number: float) -> Before:
    """Types a number into a field and leaves it, which is when it counts. Raises: as `take_keyboard`."""
    await take_keyboard(tools, call, target, sure=True)
    earlier = await before(tools, call, target)
    await tools.desktop.press([Chord("a", ("ctrl",)), *(Chord(digit) for digit in f"{number:.12g}"), Chord("tab")])
    return earlier


def _is_number(text: str, wanted: float) -> bool:
    read = _number(text)
    return read is not None and abs(read - wanted) <= 1e-9 * max(1.0, abs(wanted))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


async def _set_checked(tools: ToolContext, call: Call, target: TargetInfo, *, wanted: bool) -> ToolOutcome:
    if target.type not in _CHECKS:
        fix = _NO_ITEMS.get(target.type, "give a number as value where it takes one, else press it with invoke")
        raise ActionRefused(f"{target.describe} cannot be checked or unchecked", fix=fix)
    target = await with_final_states(tools.desktop, call, target)
    word = "checked" if wanted else "not checked"
    if ("checked" in target.states) is wanted:
        return ToolOutcome(None, Effect.CONFIRMED, Route.ACCESSIBILITY, f"{target.describe} already is {word}")
    if not wanted and target.type in _ONE_OF_SEVERAL:
        told = f"{target.describe} is unchecked by nothing but another of its group"
        raise ActionRefused(told, fix="check the one that is to be chosen instead, with true as value")
    earlier = await before(tools, call, target)
    tools.delivered = True
    route = Route.ACCESSIBILITY
    try:
        await tools.desktop.do_action(target)
    except NotOffered:
        tools.delivered = False
        route = Route.SYNTHETIC_INPUT
        earlier = await click_once(tools, call, target)

    async def look() -> str | None:
        now = await read_back(tools.desktop, target)
        return f"{target.describe} is {word}" if ("checked" in now.states) is wanted else None

    found = await wait_for_reading(tools.desktop, earlier, look, deadline_s=PATIENT_S)
    if found.effect is None:
        found = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    return outcome(found, route, nothing=Effect.SUSPECTED_NOOP)


TOOLS = (
    action(Invoke, invoke, effect_class=EffectClass.EDIT),
    action(Click, click_input, effect_class=EffectClass.EDIT),
    action(ClickAt, click_on_coordinates, effect_class=EffectClass.EDIT),
    action(DragOn, drag_on_coordinates, effect_class=EffectClass.EDIT),
    action(Wheel, wheel_mouse_input, effect_class=EffectClass.NAVIGATE),
    action(Select, select_item, effect_class=EffectClass.EDIT),
    action(SetValue, set_value, effect_class=EffectClass.EDIT),
)
