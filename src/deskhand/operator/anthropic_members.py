"""The members of Anthropic's computer tools, read from their inputs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from deskhand.core.json import JsonValue
from deskhand.operator.actions import (
    Action,
    Button,
    Click,
    CursorPosition,
    Drag,
    HoldKeys,
    Keys,
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

_MOST_REPEATS: Final = 100
_LONGEST_S: Final = 300.0


class _Wrong(ValueError):
    """An input of a member is wrong; the text is the reason."""


def read_action(name: str, given: JsonValue) -> Action:
    """The action of a member and its input; an unusable one with the reason if they make no sense."""
    read = _MEMBERS.get(name)
    if read is None:
        return Unusable(f"the computer has no action {name!r}; it has {', '.join(_MEMBERS)}")
    if not isinstance(given, dict):
        return Unusable(f"the input of {name} is no object")
    fields = _Fields(given)
    try:
        action = read(fields)
        fields.require_read()
    except _Wrong as error:
        return Unusable(f"{name}: {error}")
    return action


class _Fields:
    """The fields of an input, each of which has to be read."""

    def __init__(self, given: Mapping[str, JsonValue]) -> None:
        self._left = {name: value for name, value in given.items() if value is not None}

    def require_read(self) -> None:
        if self._left:
            raise _Wrong(f"there is no field {', '.join(map(repr, self._left))}")

    def take(self, name: str) -> JsonValue:
        return self._left.pop(name, None)

    def need(self, name: str) -> JsonValue:
        value = self.take(name)
        if value is None:
            raise _Wrong(f"{name} is missing")
        return value

    def spot(self, name: str) -> Spot | None:
        value = self.take(name)
        return None if value is None else Spot(*_integers(name, value, 2))

    def need_spot(self, name: str) -> Spot:
        return Spot(*_integers(name, self.need(name), 2))

    def text(self, name: str = "text") -> str:
        value = self.need(name)
        if not isinstance(value, str) or not value:
            raise _Wrong(f"{name} is {value!r}, not a text")
        return value

    def keys(self) -> Keys:
        return _keys(self.text())

    def held(self) -> Keys:
        value = self.take("text")
        if value is None or value == "":
            return ()
        if not isinstance(value, str):
            raise _Wrong(f"text is {value!r}, not a text")
        return _keys(value)

    def whole(self, name: str, least: int, most: int, *, default: int | None = None) -> int:
        value = self.take(name) if default is not None else self.need(name)
        if value is None and default is not None:
            return default
        (number,) = _integers(name, [value], 1)
        if not least <= number <= most:
            raise _Wrong(f"{name} is {number}, not from {least} to {most}")
        return number

    def seconds(self) -> float:
        value = self.need("duration")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LONGEST_S:
            raise _Wrong(f"duration is {value!r}, not seconds from 0 to {_LONGEST_S:g}")
        return float(value)


def _integers(name: str, value: JsonValue, count: int) -> list[int]:
    """Numbers without a fraction; a model may write 12.0. Raises: _Wrong."""
    parts: Sequence[JsonValue] = value if isinstance(value, list) else ()
    whole = [number for part in parts if (number := _whole(part)) is not None]
    if len(parts) != count or len(whole) < count:
        raise _Wrong(f"{name} is {value!r}, not {count} integer{'s' if count > 1 else ''}")
    return whole


def _whole(value: JsonValue) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value)


def _keys(text: str) -> Keys:
    """`ctrl+s` divided at each plus; a plus at the end, or alone, is the key itself."""
    head, plus = (text[:-1], ("+",)) if text == "+" or text.endswith("++") else (text, ())
    parts = tuple(part for part in head.split("+") if part)
    if not parts and not plus:
        raise _Wrong(f"text is {text!r}, which names no key")
    return (*parts, *plus)


def _click(button: Button, count: int = 1) -> Callable[[_Fields], Action]:
    return lambda fields: Click(fields.spot("coordinate"), button, count, fields.held())


def _scroll(fields: _Fields) -> Action:
    direction = fields.text("scroll_direction")
    amount = fields.whole("scroll_amount", 0, 1000)
    signs = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
    if direction not in signs:
        raise _Wrong(f"scroll_direction is {direction!r}, not one of {', '.join(signs)}")
    right, down = signs[direction]
    return Scroll(fields.spot("coordinate"), right * amount, down * amount, holding=fields.held())


def _zoom(fields: _Fields) -> Action:
    left, top, right, bottom = _integers("region", fields.need("region"), 4)
    return Zoom(Spot(left, top), Spot(right, bottom))


def _drag(fields: _Fields) -> Action:
    return Drag((fields.need_spot("start_coordinate"), fields.need_spot("coordinate")), fields.held())


def _key(fields: _Fields) -> Action:
    return PressKeys(fields.keys(), fields.whole("repeat", 1, _MOST_REPEATS, default=1))


_MEMBERS: Final[Mapping[str, Callable[[_Fields], Action]]] = {
    "screenshot": lambda _: Screenshot(),
    "cursor_position": lambda _: CursorPosition(),
    "left_mouse_down": lambda _: MouseDown(),
    "left_mouse_up": lambda _: MouseUp(),
    "zoom": _zoom,
    "left_click": _click("left"),
    "right_click": _click("right"),
    "middle_click": _click("middle"),
    "double_click": _click("left", 2),
    "triple_click": _click("left", 3),
    "left_click_drag": _drag,
    "mouse_move": lambda fields: Move(fields.need_spot("coordinate")),
    "scroll": _scroll,
    "type": lambda fields: TypeText(fields.text()),
    "key": _key,
    "hold_key": lambda fields: HoldKeys(fields.keys(), fields.seconds()),
    "wait": lambda fields: Wait(fields.seconds()),
}
