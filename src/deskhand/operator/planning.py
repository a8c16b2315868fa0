"""Actions of a vendor's loop as commands of our tools, with words for what each does."""

from collections.abc import Sequence
from dataclasses import dataclass

from deskhand.core.errors import ReplyDefect
from deskhand.core.geometry import Point
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.observation import Observation
from deskhand.core.target import TargetInfo
from deskhand.operator.actions import (
    Action,
    Click,
    CursorPosition,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    PressKeys,
    Screenshot,
    Scroll,
    Spot,
    TypeText,
    Unusable,
    Wait,
    Zoom,
)
from deskhand.operator.coordinates import ShownScreen
from deskhand.operator.hit import window_at
from deskhand.operator.keys import chord_text, literal, modifiers_text
from deskhand.operator.places import NotDone, Place, Places

_WAIT_S = 1.0
"""For a wait without a length."""
_TIMES = {1: "clicked", 2: "double-clicked", 3: "triple-clicked"}


@dataclass(frozen=True, slots=True)
class Plan:
    """A call of a tool on a control, in a window, or in none, and words for what it does. `seen` has the control."""

    tool: str
    arguments: JsonObject
    words: str
    window: TargetInfo | None = None
    control: TargetInfo | None = None
    seen: Observation | None = None


class Planner:
    """Plans actions. Its methods raise ReplyDefect for one that makes no sense, NotDone for one that would meet another
    window; and as `Places`.
    """

    def __init__(self, places: Places, shown: ShownScreen) -> None:
        self._places = places
        self._shown = shown

    async def plan(self, action: Action) -> Plan:
        """The command of an action; a command that only reads for one that only reads."""
        match action:
            case Unusable(problem):
                raise ReplyDefect(problem)
            case Wait(seconds):
                for_s = _WAIT_S if seconds is None else seconds
                return Plan("let_time_pass", {"seconds": for_s}, f"Waited {for_s:g} s")
            case Screenshot() | Zoom() | CursorPosition():
                return Plan("get_pointer_position", {}, "Looked")
            case Click() | Move() | Scroll() | Drag():
                return await self._pointed(action)
            case MouseDown() | MouseUp():
                return await self._held(action)
            case _:
                return await self._pressed(action)

    async def _pressed(self, action: TypeText | PressKeys | HoldKeys | KeyDown | KeyUp) -> Plan:
        tool, arguments, words = _keys(action)
        seen = await self._places.with_keyboard()
        return Plan(tool, arguments, words, seen.window, seen=seen)

    async def _held(self, action: MouseDown | MouseUp) -> Plan:
        if isinstance(action, MouseUp) and action.at is None:
            return Plan("let_go", {"what": "button"}, "Released the button")
        place = await self._places.at(action.at)
        if isinstance(action, MouseUp):
            return _at(place, "let_go", {"what": "button"}, "Released the button on")
        return _at(place, "hold_button", {}, "Pressed the button on")

    async def _pointed(self, action: Click | Move | Scroll | Drag) -> Plan:
        match action:
            case Click(at, button, count, holding):
                place = await self._places.at(at)
                how: JsonObject = {"button": button, "count": count, "hold": modifiers_text(holding)}
                tool = "click_on_coordinates" if place.is_in_window else "click_input"
                kind = "" if button == "left" else f"{button}-"
                words = f"{kind}{_TIMES.get(count, f'clicked {count} times')}".capitalize()
                return _at(place, tool, how, words)
            case Move(at, holding):
                if holding:
                    raise ReplyDefect("keys cannot be held while the pointer moves; press them down before")
                place = await self._places.at(at)
                return _at(place, "hover", {}, "Moved to")
            case Scroll():
                return await self._scrolled(action)
            case Drag(path, holding):
                return await self._dragged(path, modifiers_text(holding))

    async def _scrolled(self, action: Scroll) -> Plan:
        sideways = bool(action.right)
        if sideways and action.down:
            raise ReplyDefect("scroll in one direction at a time")
        notches = self._shown.notches(action.right if sideways else action.down, action.unit, sideways=sideways)
        if not notches:
            raise ReplyDefect("a scroll by 0 does nothing")
        place = await self._places.at(action.at)
        turned: JsonObject = {"wheel_dist": notches if sideways else -notches, "sideways": sideways}
        to = ("right" if notches > 0 else "left") if sideways else ("down" if notches > 0 else "up")
        arguments: JsonObject = {**turned, "hold": modifiers_text(action.holding)}
        return _at(place, "wheel_mouse_input", arguments, f"Scrolled {to} by {abs(notches)} on")

    async def _dragged(self, path: Sequence[Spot], hold: str) -> Plan:
        if len(path) < 2:
            raise ReplyDefect("a drag needs two points")
        start = await self._places.at(path[0])
        end = await self._places.at(path[-1])
        if start.window.handle != end.window.handle or not (start.is_in_window and end.is_in_window):
            raise NotDone(f'Not done: the drag ends outside of "{start.window.name}", where it begins')
        corners: list[JsonValue] = [self._places.beside(start, spot).share for spot in path[1:-1]]
        ends = {
            f"{which}_{axis}": place.share[axis] for which, place in (("start", start), ("end", end)) for axis in "xy"
        }
        arguments: JsonObject = {**ends, "via": corners, "hold": hold}
        words = f"{start.says('Dragged')} to {end.control.describe if end.control else 'a place'}"
        return Plan("drag_on_coordinates", arguments, words, start.window, start.control, start.seen)


def require_seen(plan: Plan, shown: ShownScreen) -> None:
    """Raises: NotDone for a point at which the model's last picture showed another window, or none."""
    x, y = (plan.arguments.get(axis, plan.arguments.get(f"start_{axis}")) for axis in "xy")
    window = plan.window
    if not isinstance(x, float) or not isinstance(y, float) or window is None or not shown.windows:
        return
    at = Point(window.rect.left + int(x * window.rect.width), window.rect.top + int(y * window.rect.height))
    before = window_at(at, shown.windows)
    if before is None or before.handle != window.handle:
        known = f'was "{before.name}"' if before else "was no window"
        raise NotDone(f'Not done: at that point is "{window.name}" now, and in your last picture {known}')


def _at(place: Place, tool: str, arguments: JsonObject, verb: str) -> Plan:
    """A call at a point; at a control outside of its window by the control, which is clicked in its middle."""
    control, where = place.control, place.share
    if not place.is_in_window and control is not None:
        where = {"id": control.id or control.handle}
    return Plan(tool, {**where, **arguments}, place.says(verb), place.window, control, place.seen)


def _keys(action: TypeText | PressKeys | HoldKeys | KeyDown | KeyUp) -> tuple[str, JsonObject, str]:
    """The tool for an action of the keyboard, its arguments, and words for it."""
    match action:
        case TypeText(text, enter):
            return "keyboard_input", {"keys": literal(text) + ("{enter}" if enter else "")}, "Typed"
        case PressKeys(keys, repeat):
            times = f" {repeat} times" if repeat > 1 else ""
            return "keyboard_input", {"keys": chord_text(keys) * repeat}, f"Pressed {'+'.join(keys)}{times}"
        case HoldKeys(keys, seconds):
            arguments: JsonObject = {"keys": chord_text(keys), "seconds": seconds}
            return "hold_keys", arguments, f"Held {'+'.join(keys)} for {seconds:g} s"
        case KeyDown(keys):
            return "hold_keys", {"keys": chord_text(keys)}, f"Holding {'+'.join(keys)}"
        case KeyUp(keys):
            return "let_go", {"what": "keys"}, f"Released {'+'.join(keys)}"
