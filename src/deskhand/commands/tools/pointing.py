"""Pressing, choosing and pointing (contract 4.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final, Self

from pydantic import Field, field_validator, model_validator

from deskhand.commands.call import Call, ExpectedEffect, Expects, Request, Rule, ToolContext, ToolOutcome
from deskhand.commands.catalogue import Arguments, TargetArguments, action
from deskhand.commands.control_kinds import (
    CHECKS,
    ITEMS,
    NUMBERS,
    VALUE,
)
from deskhand.commands.effects.confirmation import check_or_unverifiable, outcome
from deskhand.commands.effects.evidence import Finding
from deskhand.commands.effects.press_rules import PRESS
from deskhand.commands.effects.repaint import painted_beside
from deskhand.commands.effects.same_record import with_same_record
from deskhand.commands.effects.snapshot import (
    QUICK_S,
    before,
    require_usable,
)
from deskhand.commands.effects.verdict import wait_for_difference
from deskhand.commands.key_syntax import modifiers_of
from deskhand.commands.techniques.escalation import (
    Spot,
    aims_at,
    control_spot,
    owner_of,
    point_at,
    point_spot,
    pointed_spot,
)
from deskhand.commands.techniques.left_down import require_up
from deskhand.commands.techniques.meant_controls import beside_label
from deskhand.commands.techniques.sheets import is_of_sheet, require_uncovered
from deskhand.commands.tools.pointer_arguments import Click, ClickAt, DragOn, Held, Place
from deskhand.core.command import Effect, EffectClass, Needed, Route
from deskhand.core.errors import ActionRefused, NotOffered, TargetCovered
from deskhand.core.geometry import Point, Rect, WindowPoint
from deskhand.core.json import JsonValue
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, Trait
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.input import MouseButton
from deskhand.desktop.protocols.screen import Aim, point_of
from deskhand.desktop.protocols.windows import Until

_MOST_NOTCHES: Final = 1000
"""Of the wheel at once: they are sent together."""

_NAMED: Final = 6
"""Controls inside a box that a refusal names."""
_TIP_S: Final = 0.5
"""Timeout for a tooltip after the wait for a change: toolkits show one up to 0.7 s after the pointer's arrival."""
_TIP_PIXELS: Final = 48
"""Distance of a tooltip from its control or from the pointer, also where they are scaled by two."""
_BOXES: Final = frozenset({Role.GROUP, Role.GENERIC})
_PRESSED: Final = CHECKS | {Role.BUTTON, Role.COMBOBOX, Role.LINK, Role.SLIDER, Role.SPINBUTTON, Role.TEXTBOX}
"""Roles that react to a click, and are no part of the control around them."""


class Hover(Place):
    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if not self.id and self.point is None:
            raise ValueError("give the id of a control, or x and y")
        return self


class _Turned(Arguments):
    wheel_dist: int = Field(
        ge=-_MOST_NOTCHES, le=_MOST_NOTCHES, description="notches of the wheel; positive scrolls up, negative down"
    )

    @field_validator("wheel_dist")
    @classmethod
    def _turns(cls, notches: int) -> int:
        if not notches:
            raise ValueError("0 turns nothing: positive scrolls up, negative down")
        return notches


class Wheel(Place, _Turned):
    rare: ClassVar = frozenset({"hold"})

    sideways: bool = Field(default=False, description="positive scrolls right then, negative left")
    hold: Held = ""


class Invoke(TargetArguments):
    decided: ClassVar = frozenset({"action"})

    action: str = Field(default="", description="one of the actions the control lists; empty: its default one")


async def invoke(tools: ToolContext, call: Call, arguments: Invoke) -> ToolOutcome:
    """Presses, opens or chooses a control, or does another `action` that it offers."""
    target = call.need_target()
    target = await require_usable(tools.desktop, call, target)
    if Trait.IN_POPUP_LIST in target.traits:
        message = f"{target.describe} is in a popup list, where its actions have no effect"
        raise ActionRefused(message, fix="choose it with select_item")
    if Trait.TOGGLE_BY_KEY in target.traits and arguments.action.lower() in {"", "toggle"}:
        message = f"{target.describe} has actions to check or uncheck it that have no effect"
        raise ActionRefused(message, fix="use set_value with true or false")
    if _activates_another(target) and arguments.action.lower() in {"", "activate"}:
        return await _click(tools, call, control_spot(tools.desktop, call, target), MouseButton.LEFT, count=2)
    call, target = await _selected_first(tools, call, target, arguments.action)
    earlier = await before(tools, call)
    target = await with_same_record(tools.desktop, target)
    earlier = replace(earlier, pressed=target)
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
    found = check_or_unverifiable(target, found)
    if target.type in ITEMS:  # opening it may take longer than the timeout
        found = replace(found, retry_safe=False)
    return outcome(found, Route.ACCESSIBILITY, nothing=Effect.SUSPECTED_NOOP)


async def _selected_first(tools: ToolContext, call: Call, target: TargetInfo, action: str) -> tuple[Call, TargetInfo]:
    """Select an item whose activation may apply to the selected ones; that is no effect of the action.

    Raises: as `select`, `resolve`.
    """
    if Trait.SELECT_TO_ACTIVATE not in target.traits or action.lower() not in {"", "activate"}:
        return call, target
    tools.delivered = True
    await tools.desktop.select(target)
    now = await tools.desktop.resolve(target)
    return replace(call, target=now), now


def _activates_another(item: TargetInfo) -> bool:
    """True if its activation would go to the selected item instead; a double click selects it first."""
    return Trait.ACTIVATES_SELECTED in item.traits and "selected" not in item.states


async def click_input(tools: ToolContext, call: Call, arguments: Click) -> ToolOutcome:
    """Clicks with the pointer: for right and double clicks; `hold`: `ctrl+shift`."""
    target = await require_usable(tools.desktop, call, call.need_target())
    if target.type is Role.CELL and await is_of_sheet(tools.desktop, call, target):
        await require_uncovered(tools.desktop, call, target)
    _require_own_middle(call, target)
    spot = control_spot(tools.desktop, call, target)
    done = await _click(tools, call, spot, MouseButton(arguments.button), _clicks(arguments), arguments.hold)
    return _or_beside(call, target, done)


def _or_beside(call: Call, target: TargetInfo, done: ToolOutcome) -> ToolOutcome:
    """Name the control beside a label whose click changed nothing: a label alone does nothing."""
    meant = beside_label(call.command.seen, target, _PRESSED)
    if meant is None or done.effect is not Effect.UNVERIFIABLE:
        return done
    evidence = f"{done.evidence}; it is a text, and beside it is {meant.describe}"
    return replace(done, effect=Effect.SUSPECTED_NOOP, evidence=evidence, retry_safe=True)


def _require_own_middle(call: Call, target: TargetInfo) -> None:
    """Raises: TargetCovered for a box around several controls, one of which is in its middle and would be pressed."""
    seen = call.command.seen
    if seen is None or target.type not in _BOXES:
        return
    inside = [control for control in seen.inside_of(target) if control.type in _PRESSED]
    met = next((control for control in inside if control.rect.contains(target.rect.center)), None)
    if met is not None and len(inside) > 1:
        message = f"in the middle of {target.describe} is {met.describe}, which a click would press"
        named = ", ".join(control.describe for control in inside[:_NAMED])
        raise TargetCovered(message, fix=f"click the one that is meant: {named}")


async def click_on_coordinates(tools: ToolContext, call: Call, arguments: ClickAt) -> ToolOutcome:
    """Clicks a point of the picture; x and y are from 0 to 1."""
    spot = pointed_spot(tools.desktop, call, WindowPoint(arguments.x, arguments.y))
    return await _click(tools, call, spot, MouseButton(arguments.button), _clicks(arguments), arguments.hold)


def _clicks(arguments: Click | ClickAt) -> int:
    return max(arguments.count, 2 if arguments.double else 1)


async def drag_on_coordinates(tools: ToolContext, call: Call, arguments: DragOn) -> ToolOutcome:
    """Drags from a point to another, likewise."""
    desktop, button = tools.desktop, MouseButton(arguments.button)
    ends = WindowPoint(arguments.start_x, arguments.start_y), WindowPoint(arguments.end_x, arguments.end_y)

    held = modifiers_of(arguments.hold)
    await require_up(desktop, button=True)
    pressed: float | None = None

    async def act(aims: Sequence[Aim]) -> None:
        nonlocal pressed
        via = [corner.point.on(aims[0].window.rect) for corner in arguments.via]
        pressed = await desktop.drag(aims[0], aims[1], via=via, button=button, held=held)

    spots = [pointed_spot(desktop, call, ends[0]), point_spot(call, ends[1])]
    earlier = await point_at(tools, call, spots, act, button=button)
    earlier = replace(earlier, mark=pressed)  # earlier repaints are those of the press alone
    message = await wait_for_difference(desktop, earlier, patient_s=QUICK_S)
    return outcome(message, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def _click(
    tools: ToolContext, call: Call, spot: Spot, button: MouseButton, count: int = 1, hold: str = ""
) -> ToolOutcome:
    """Click the visible middle of a place. Raises: as `point_at`."""
    held = modifiers_of(hold)
    await require_up(tools.desktop, button=True)

    async def act(aims: Sequence[Aim]) -> None:
        await tools.desktop.click(aims[0], button=button, count=count, held=held)

    earlier = await point_at(tools, call, [spot], act, button=button)
    found = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    if found.effect is None and call.target and call.target.sighting:
        painted = await painted_beside(tools.desktop, earlier)
        found = Finding(Effect.UNVERIFIABLE, painted, retry_safe=False) if painted else found
    return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def wheel_mouse_input(tools: ToolContext, call: Call, arguments: Wheel) -> ToolOutcome:
    """Turns the mouse wheel; positive is up, sideways right."""
    held = modifiers_of(arguments.hold)

    async def act(aims: Sequence[Aim]) -> None:
        await tools.desktop.scroll(aims[0], arguments.wheel_dist, sideways=arguments.sideways, held=held)
        await tools.desktop.settle(aims[0].window, until=Until.REPORTED)  # scrolling continues for a while

    earlier = await point_at(tools, call, [_spot(tools, call, arguments)], act)
    message = await wait_for_difference(tools.desktop, earlier, patient_s=QUICK_S)
    return outcome(message, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def hover(tools: ToolContext, call: Call, arguments: Hover) -> ToolOutcome:
    """Moves the pointer over a control or a point."""
    desktop = tools.desktop
    if arguments.point is not None and (await desktop.left_down()).names:  # what is dragged may be under the pointer
        window = await owner_of(desktop, call)
        at: Aim | Point = arguments.point.on(window.rect)
    else:
        (at,) = await aims_at(desktop, call, [_spot(tools, call, arguments)])
        window = at.window
    earlier, popups = await before(tools, call, window=window), await desktop.popups(window)
    tools.delivered = True
    await desktop.hover(at)
    found = await wait_for_difference(desktop, earlier)
    point = point_of(at)
    near = call.target.rect if call.target is not None else Rect(point.x, point.y, point.x + 1, point.y + 1)
    if found.effect is None and (popup := await _new_popup(desktop, window, popups, near)):
        found = Finding(Effect.CONFIRMED, popup, retry_safe=True)
    return outcome(found, Route.SYNTHETIC_INPUT, nothing=Effect.UNVERIFIABLE)


async def _new_popup(desktop: Desktop, window: TargetInfo, known: Sequence[Rect], near: Rect) -> str:
    """A sentence on a popup that appeared near a place, and is no control, as tooltips of most toolkits; empty without
    one.
    """

    async def look() -> Rect | None:
        new = (place for place in await desktop.popups(window) if place not in known)
        return next((place for place in new if not place.intersection(near.grown(_TIP_PIXELS)).empty), None)

    place = await desktop.wait_until(look, deadline_s=_TIP_S)
    if place is None:
        return ""
    return f"a popup of {place.width} x {place.height} pixels appeared, such as a tooltip; only a picture shows it"


def _spot(tools: ToolContext, call: Call, place: Place) -> Spot:
    """The place of the arguments; without any, the middle of the window."""
    if call.target is not None and place.point is None:
        return control_spot(tools.desktop, call, call.target)
    return pointed_spot(tools.desktop, call, place.point or WindowPoint(0.5, 0.5))


def _hovered(_: Request) -> ExpectedEffect:
    return ExpectedEffect(hovers=True)


def _dragged(request: Request) -> ExpectedEffect:
    return ExpectedEffect(dragged=(_end(request.arguments, "start"), _end(request.arguments, "end")), caret=True)


def _end(arguments: Mapping[str, JsonValue], which: str) -> WindowPoint:
    return WindowPoint(*(float(str(arguments[f"{which}_{axis}"])) for axis in "xy"))


_DRAG = Expects(
    (
        Rule(
            "anything",
            "as of a button, except what the press alone does: that the control where it began is selected, that the "
            "one selected before no longer is, what a status bar then reports, the states of controls that were not "
            "dragged over, and whatever is painted before the way begins",
            "that another part of the text where it began is selected",
            expect=_dragged,
        ),
    )
)
_HOVER = Expects(
    (
        Rule(
            "anything",
            "controls of its window that came or changed, tooltips, menus and hints in a status bar included; a window "
            "that opened; a popup of its program that is no control, as most tooltips",
            expect=_hovered,
        ),
    )
)
_WHEEL = Expects(
    (
        Rule(
            "slider, number, scroll bar",
            "its own value",
            applies=lambda request: request.is_on(NUMBERS),
            expect=lambda _: ExpectedEffect(frozenset({VALUE})),
        ),
        Rule("anything else", "as of a button"),
    )
)

TOOLS = (
    action(Invoke, invoke, effect_class=EffectClass.EDIT, expects=PRESS),
    action(Click, click_input, effect_class=EffectClass.EDIT, expects=PRESS),
    action(ClickAt, click_on_coordinates, effect_class=EffectClass.EDIT, expects=PRESS, needs=Needed.PICTURE),
    action(DragOn, drag_on_coordinates, effect_class=EffectClass.EDIT, expects=_DRAG, needs=Needed.PICTURE),
    action(Wheel, wheel_mouse_input, effect_class=EffectClass.NAVIGATE, expects=_WHEEL),
    action(Hover, hover, effect_class=EffectClass.NAVIGATE, expects=_HOVER, needs=Needed.PICTURE),
)
