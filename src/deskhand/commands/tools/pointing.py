"""Pressing, choosing and pointing (contract 4.2)."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import isfinite
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, field_validator

from deskhand.commands.catalogue import Arguments, Call, TargetArguments, ToolContext, ToolOutcome, action
from deskhand.commands.effects.findings import Finding
from deskhand.commands.effects.numbers import decimal_mark, is_number, numbers_in
from deskhand.commands.effects.press_rules import PRESS
from deskhand.commands.effects.repaint import painted_beside
from deskhand.commands.effects.snapshot import (
    UNREADABLE,
    Before,
    before,
    read_back,
    read_if_there,
    require_usable,
    with_final_states,
)
from deskhand.commands.effects.verdict import (
    PATIENT_S,
    QUICK_S,
    or_unverifiable,
    outcome,
    wait_for_difference,
    wait_for_reading,
)
from deskhand.commands.expectation import (
    CHECK_UNKNOWN,
    CHECKED,
    ITEMS,
    NUMBERS,
    VALUE,
    About,
    Asked,
    Expects,
    Rule,
    hides_check,
)
from deskhand.commands.techniques.escalation import Spot, click_once, control_spot, point_at, point_spot, take_keyboard
from deskhand.commands.techniques.key_input import press_in_order
from deskhand.commands.techniques.scroll_to import SCROLLS_S
from deskhand.commands.techniques.sheets import is_of_sheet, require_uncovered
from deskhand.commands.tools.selecting import INSTEAD, SELECTION, Select, select_item
from deskhand.commands.window_lookup import front_window
from deskhand.core.command import Effect, EffectClass, Route
from deskhand.core.errors import ActionRefused, NotOffered, TargetCovered
from deskhand.core.geometry import WindowPoint
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.core.text import number_text, quoted
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.screen import Aim
from deskhand.desktop.protocols.windows import Until

_SELECTED_S: Final = SCROLLS_S + 30.0
_MOST_NOTCHES: Final = 1000
"""Of the wheel at once: they are sent together."""

Button = Literal["left", "middle", "right"]

_ONE_OF_SEVERAL: Final = frozenset({Role.RADIO, Role.MENUITEMRADIO})
_CHECKS: Final = frozenset({Role.CHECKBOX, Role.SWITCH, Role.MENUITEMCHECKBOX}) | _ONE_OF_SEVERAL

_BOXES: Final = frozenset({Role.GROUP, Role.GENERIC})
_PRESSED: Final = _CHECKS | {Role.BUTTON, Role.COMBOBOX, Role.LINK, Role.SLIDER, Role.SPINBUTTON, Role.TEXTBOX}
"""Roles that react to a click, and are no part of the control around them."""

_MARKS: Final = frozenset({"checked", "indeterminate"})
_WORDS: Final = {True: "checked", False: "not checked"}

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
    wheel_dist: int = Field(
        ge=-_MOST_NOTCHES, le=_MOST_NOTCHES, description="notches of the wheel; positive scrolls up, negative down"
    )
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


class SetValue(TargetArguments):
    """A number for sliders and the like, true or false for check boxes, radio buttons and switches."""

    value: bool | float = Field(description="the number, or whether it is to be checked")

    @field_validator("value", mode="wrap")
    @classmethod
    def _in_plain_words(cls, value: object, validate: ValidatorFunctionWrapHandler) -> bool | float:
        try:
            given: bool | float = validate(value)
        except ValidationError as error:
            raise ValueError(f"wanted is a number, or true or false to check or uncheck; not {value!r}") from error
        if not isfinite(given):
            raise ValueError(f"wanted is a finite number; not {given}")
        return given


async def invoke(tools: ToolContext, call: Call, arguments: Invoke) -> ToolOutcome:
    """Performs a control's action (presses a button, opens a menu, chooses a menu item) without the pointer. Prefer it
    to click_input; a control without an action is clicked.
    """
    target = call.need_target()
    target = await require_usable(tools.desktop, call, target)
    if Trait.IN_POPUP_LIST in target.traits:
        message = f"{target.describe} is in a popup list, where its actions have no effect"
        raise ActionRefused(message, fix="choose it with select_item")
    if Trait.TOGGLE_BY_KEY in target.traits and arguments.action.lower() in {"", "toggle"}:
        message = f"{target.describe} has actions to check or uncheck it that have no effect"
        raise ActionRefused(message, fix="use set_value with true or false")
    if _activates_another(target) and arguments.action.lower() in {"", "activate"}:
        return await _click(tools, call, control_spot(tools.desktop, call, target), MouseButton.LEFT, double=True)
    earlier = await before(tools, call)
    tools.delivered = True
    try:
        await tools.desktop.do_action(target, arguments.action)
    except NotOffered:
        tools.delivered = False
        if arguments.action:
            raise
        return await _click(tools, call, control_spot(tools.desktop, call, target), MouseButton.LEFT)
    found = await wait_for_difference(tools.desktop, earlier)
    if found.effect is None and (painted := await painted_beside(tools.desktop, earlier)):
        found = Finding(Effect.UNVERIFIABLE, painted, retry_safe=False)
    found = _or_unverifiable(target, found)
    if target.type in ITEMS:  # opening it may take longer than the timeout
        found = replace(found, retry_safe=False)
    return outcome(found, Route.ACCESSIBILITY, nothing=Effect.SUSPECTED_NOOP)


def _activates_another(item: TargetInfo) -> bool:
    """True if its activation would go to the selected item instead; a double click selects it first."""
    return Trait.ACTIVATES_SELECTED in item.traits and "selected" not in item.states


async def click_input(tools: ToolContext, call: Call, arguments: Click) -> ToolOutcome:
    """Clicks a control with the pointer: for right and double clicks, and controls without an action."""
    target = await require_usable(tools.desktop, call, call.need_target())
    if target.type is Role.CELL and await is_of_sheet(tools.desktop, call, target):
        await require_uncovered(tools.desktop, call, target)
    _require_own_middle(call, target)
    spot = control_spot(tools.desktop, call, target)
    return await _click(tools, call, spot, MouseButton(arguments.button), double=arguments.double)


def _require_own_middle(call: Call, target: TargetInfo) -> None:
    """Raises: TargetCovered for a box around several controls, one of which is in its middle and would be pressed."""
    seen = call.command.seen
    if seen is None or target.type not in _BOXES:
        return
    inside = [control for control in seen.inside_of(target) if control.type in _PRESSED]
    met = next((control for control in inside if control.rect.contains(target.rect.center)), None)
    if met is not None and len(inside) > 1:
        message = f"in the middle of {target.describe} is {met.describe}, which a click would press"
        raise TargetCovered(message, fix="click the intended control in it")


async def click_on_coordinates(tools: ToolContext, call: Call, arguments: ClickAt) -> ToolOutcome:
    """Clicks a point of the window, given as 0..1 of its width and height: for parts only visible in the picture."""
    spot = point_spot(call, WindowPoint(arguments.x, arguments.y))
    return await _click(tools, call, spot, MouseButton(arguments.button), double=arguments.double)


async def drag_on_coordinates(tools: ToolContext, call: Call, arguments: DragOn) -> ToolOutcome:
    """Presses at one point of the window, moves to another and releases there; points are 0..1 of width and height."""
    desktop, button = tools.desktop, MouseButton(arguments.button)
    ends = WindowPoint(arguments.start_x, arguments.start_y), WindowPoint(arguments.end_x, arguments.end_y)

    pressed: float | None = None

    async def act(aims: Sequence[Aim]) -> None:
        nonlocal pressed
        pressed = await desktop.drag(aims[0], aims[1], button=button)

    earlier = await point_at(tools, call, [point_spot(call, end) for end in ends], act, button=button)
    earlier = replace(earlier, mark=pressed)  # earlier repaints are those of the press alone
    message = await wait_for_difference(desktop, earlier, patient_s=QUICK_S)
    return outcome(message, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def _click(
    tools: ToolContext, call: Call, spot: Spot, button: MouseButton, *, double: bool = False
) -> ToolOutcome:
    """Click the visible middle of a place. Raises: as `point_at`."""

    async def act(aims: Sequence[Aim]) -> None:
        await tools.desktop.click(aims[0], button=button, count=2 if double else 1)

    earlier = await point_at(tools, call, [spot], act, button=button)
    message = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    return outcome(message, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def wheel_mouse_input(tools: ToolContext, call: Call, arguments: Wheel) -> ToolOutcome:
    """Turns the mouse wheel by notches over a control, or over the middle of the window; positive is up."""
    middle = point_spot(call, WindowPoint(0.5, 0.5))
    spot = control_spot(tools.desktop, call, call.target) if call.target else middle

    async def act(aims: Sequence[Aim]) -> None:
        await tools.desktop.scroll(aims[0], arguments.wheel_dist)
        await tools.desktop.settle(aims[0].window, until=Until.REPORTED)  # scrolling continues for a while

    earlier = await point_at(tools, call, [spot], act)
    message = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    return outcome(message, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def set_value(tools: ToolContext, call: Call, arguments: SetValue) -> ToolOutcome:
    """Sets a number, or checks and unchecks a box; leaves it alone where it is so already."""
    target = call.need_target()
    target = await require_usable(tools.desktop, call, target)
    if isinstance(arguments.value, bool):
        return await _set_checked(tools, call, target, wanted=arguments.value)
    if target.type in _CHECKS:
        message = f"{target.describe} is checked or not, and takes no number"
        raise ActionRefused(message, fix="give true as value to check it, false to uncheck it")
    wanted, reads, mark = float(arguments.value), [target.value], decimal_mark([target.value])

    async def right() -> str | None:
        reads.append((await read_back(tools.desktop, target)).value)
        return _read(wanted, reads[-1]) if is_number(reads[-1], wanted, mark) else None

    earlier = await before(tools, call, target)
    tools.delivered, route = True, Route.ACCESSIBILITY
    try:
        await tools.desktop.set_value(target, wanted)
    except NotOffered:
        tools.delivered, route = False, Route.SYNTHETIC_INPUT
        if target.type is not Role.SPINBUTTON:
            raise
        mark = mark or ("" if wanted.is_integer() else await _mark_of_others(tools, call))
        earlier = await _type_number(tools, call, target, wanted, mark)
    was_so = is_number(target.value, wanted, mark)
    found = await wait_for_reading(tools.desktop, earlier, right, deadline_s=QUICK_S, was_so=was_so)
    is_empty = target.type is Role.SPINBUTTON and not target.value and not reads[-1]
    if (
        found.effect is None and is_empty and route is Route.ACCESSIBILITY
    ):  # such as in a page: it has no number to change
        route, earlier = Route.SYNTHETIC_INPUT, await _type_number(tools, call, target, wanted, mark)
        found = await wait_for_reading(tools.desktop, earlier, right, deadline_s=QUICK_S)
    goes_on = found.effect is Effect.SUSPECTED_NOOP and reads[-1] != reads[0]
    if found.effect is not None and not goes_on:
        return outcome(found, route, nothing=Effect.UNVERIFIABLE)
    unchanged = Effect.SUSPECTED_NOOP if reads[-1] == reads[0] else Effect.PARTIAL
    effect = unchanged if numbers_in(reads[-1]) else Effect.UNVERIFIABLE
    return ToolOutcome(None, effect, route, _read(wanted, reads[-1]))


def _read(wanted: float, read: str) -> str:
    return f"wanted {number_text(wanted)}, reads {quoted(read)}"


async def _mark_of_others(tools: ToolContext, call: Call) -> str:
    """The decimal mark in the number fields of the window; empty if none shows any."""
    seen = await tools.desktop.observe(await front_window(tools.desktop, call.need_window()), picture=False)
    return decimal_mark(control.value for control in seen.controls if control.type is Role.SPINBUTTON)


async def _type_number(tools: ToolContext, call: Call, target: TargetInfo, number: float, mark: str) -> Before:
    """Type a number into a field and leave it, since only then it counts. Raises: as `take_keyboard`.

    `mark`: the decimal mark there; if no field shows it, the number pad's key for it is pressed. The field is clicked
    only if a focus request fails: in its middle may be the button that decreases it.
    """
    await take_keyboard(tools, call, target, sure=True)
    earlier = await before(tools, call, target)
    digits = (Chord((mark or "decimal") if sign == "." else sign) for sign in f"{number:.12g}")
    chords = [Chord("a", ("ctrl",)), *digits, Chord("tab")]
    await press_in_order(tools.desktop, call, chords)
    return earlier


async def _set_checked(tools: ToolContext, call: Call, target: TargetInfo, *, wanted: bool) -> ToolOutcome:
    in_list = Trait.TOGGLE_BY_KEY in target.traits
    if target.type not in _CHECKS and not in_list:
        fix = INSTEAD.get(target.type, "give a number as value where it takes one, else press it with invoke")
        if target.type in ITEMS and not target.actions:
            fix = "select_item it, press space with keyboard_input, and look at a picture of it"
        raise ActionRefused(f"{target.describe} cannot be checked or unchecked", fix=fix)
    target = await with_final_states(tools.desktop, call, target)
    if CHECK_UNKNOWN in target.states:
        message = f"{target.describe} does not report whether it is checked"
        raise ActionRefused(message, fix="look at a picture of it, and press it with invoke to turn it over")
    if _check_of(target) == _WORDS[wanted]:
        message = f"{target.describe} already is {_WORDS[wanted]}"
        return ToolOutcome(None, Effect.CONFIRMED, Route.ACCESSIBILITY, message)
    if not wanted and target.type in _ONE_OF_SEVERAL:
        message = f"{target.describe} is unchecked by nothing but another of its group"
        raise ActionRefused(message, fix="check the one that is to be chosen instead, with true as value")
    toggled = await _toggle_once(tools, call, target, by_key=in_list)
    if toggled.stopped_between(target, wanted=wanted):  # one of three states
        toggled = await _toggle_once(tools, call, toggled.box, by_key=in_list)
    found = toggled.found
    if found.effect is Effect.CONFIRMED and _check_of(toggled.box) != _WORDS[wanted]:
        if await read_if_there(tools.desktop, target, None) is None:
            message = f"{found.message}; {target.describe} itself is gone, with its menu or made anew, and was not read"
            found = Finding(Effect.UNVERIFIABLE, message, retry_safe=False)
        else:
            found = replace(found, effect=Effect.PARTIAL, message=f"{found.message}, not {_WORDS[wanted]}")
    if found.effect is Effect.SUSPECTED_NOOP:
        found = replace(found, retry_safe=True)  # it reads the state first
    return outcome(_or_unverifiable(target, found), toggled.route, nothing=Effect.SUSPECTED_NOOP)


@dataclass(frozen=True, slots=True)
class _Toggled:
    """The result of pressing a check box once; `box` is its state then."""

    box: TargetInfo
    route: Route
    found: Finding

    def stopped_between(self, was: TargetInfo, *, wanted: bool) -> bool:
        """True if its state is neither the old nor the wanted one."""
        return self.found.effect is Effect.CONFIRMED and _check_of(self.box) not in {_check_of(was), _WORDS[wanted]}


async def _toggle_once(tools: ToolContext, call: Call, box: TargetInfo, *, by_key: bool) -> _Toggled:
    was, now = box.states & _MARKS, box
    route, earlier = await _toggle(tools, call, box, by_key=by_key)

    async def look() -> str | None:
        nonlocal now
        now = await read_back(tools.desktop, box)
        return f"{box.describe} is {_check_of(now)}" if now.states & _MARKS != was else None

    found = await wait_for_reading(tools.desktop, earlier, look, deadline_s=PATIENT_S)
    if found.effect is None:
        found = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
        with suppress(*UNREADABLE):
            now = await read_if_there(tools.desktop, box, earlier.window) or now  # it may have reported late
    return _Toggled(now, route, found)


def _check_of(box: TargetInfo) -> str:
    """One of its three states."""
    return "indeterminate" if "indeterminate" in box.states else _WORDS["checked" in box.states]


async def _toggle(tools: ToolContext, call: Call, target: TargetInfo, *, by_key: bool) -> tuple[Route, Before]:
    """Check or uncheck; return the route and the snapshot before. A check box in a list is toggled by the space bar."""
    if by_key:
        await take_keyboard(tools, call, target, sure=True)
        earlier = await before(tools, call, target)
        await press_in_order(tools.desktop, call, [Chord("space")])
        return Route.SYNTHETIC_INPUT, earlier
    earlier = await before(tools, call, target)
    delivered, tools.delivered = tools.delivered, True
    try:
        await tools.desktop.do_action(target)
    except NotOffered:
        tools.delivered = delivered
        return Route.SYNTHETIC_INPUT, await click_once(tools, call, target)
    return Route.ACCESSIBILITY, earlier


def _or_unverifiable(target: TargetInfo, found: Finding) -> Finding:
    """Weaken the finding on a control that reports its state later: a retry may undo the action."""
    if not hides_check(target):
        return found
    return or_unverifiable(found, "open its menu again to see whether it is checked", retry_safe=False)


def _dragged(asked: Asked) -> About:
    return About(dragged=(_end(asked.arguments, "start"), _end(asked.arguments, "end")))


def _end(arguments: Mapping[str, JsonValue], which: str) -> WindowPoint:
    return WindowPoint(*(float(str(arguments[f"{which}_{axis}"])) for axis in "xy"))


_DRAG = Expects(
    (
        Rule(
            "anything",
            "as of a button, except what the press alone does: that the control where it began is selected, that the "
            "one selected before no longer is, what a status bar then reports, the states of controls that were not "
            "dragged over, and whatever is painted before the way begins",
            expect=_dragged,
        ),
    )
)
_WHEEL = Expects(
    (
        Rule(
            "slider, number, scroll bar",
            "its own value",
            applies=lambda asked: asked.is_on(NUMBERS),
            expect=lambda _: About(frozenset({VALUE})),
        ),
        Rule("anything else", "as of a button"),
    )
)
_VALUE = Expects(
    (
        Rule(
            "number",
            "it reads the number that was wanted, whatever unit follows it (`37%`, `1,27 cm`); another than before: "
            "`partial`",
            applies=lambda asked: not isinstance(asked.arguments.get("value"), bool),
            expect=lambda _: About(CHECKED),
        ),
        Rule("checkbox and the like", "its own `checked`", expect=lambda _: About(CHECKED)),
    )
)

TOOLS = (
    action(Invoke, invoke, effect_class=EffectClass.EDIT, expects=PRESS),
    action(Click, click_input, effect_class=EffectClass.EDIT, expects=PRESS),
    action(ClickAt, click_on_coordinates, effect_class=EffectClass.EDIT, expects=PRESS),
    action(DragOn, drag_on_coordinates, effect_class=EffectClass.EDIT, expects=_DRAG),
    action(Wheel, wheel_mouse_input, effect_class=EffectClass.NAVIGATE, expects=_WHEEL),
    action(Select, select_item, effect_class=EffectClass.EDIT, expects=SELECTION, deadline_s=_SELECTED_S),
    action(SetValue, set_value, effect_class=EffectClass.EDIT, expects=_VALUE),
)
