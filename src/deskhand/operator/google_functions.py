"""The functions of Gemini's `computer_use` tool for desktops, as neutral actions."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from deskhand.core.json import JsonObject
from deskhand.operator.actions import (
    Action,
    Button,
    Click,
    Drag,
    KeyDown,
    KeyUp,
    MouseDown,
    MouseUp,
    Move,
    PressKeys,
    Screenshot,
    Scroll,
    ScrollUnit,
    Spot,
    TypeText,
    Unusable,
    Wait,
)
from deskhand.operator.vendor_json import problem_of


def action_of(name: str, arguments: JsonObject) -> Action:
    """The action of a call; `Unusable` for an unknown function or wrong arguments."""
    form = _FUNCTIONS.get(name)
    if form is None:
        return Unusable(f"there is no function {name!r}; there are: {', '.join(sorted(_FUNCTIONS))}")
    try:
        return form.model_validate({**arguments, "function": name}).meant
    except ValidationError as error:
        return Unusable(f"{name}: {problem_of(error)}")


class _Function(BaseModel):
    """Arguments of a function, all of which are known; numbers are those of JSON, which knows no integers."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    function: str

    @property
    def meant(self) -> Action:
        raise NotImplementedError


class _At(_Function):
    y: float = Field(allow_inf_nan=False)
    x: float = Field(allow_inf_nan=False)

    @property
    def spot(self) -> Spot:
        return Spot(round(self.x), round(self.y))


_CLICKS: Final[Mapping[str, tuple[Button, int]]] = {
    "click": ("left", 1),
    "double_click": ("left", 2),
    "triple_click": ("left", 3),
    "middle_click": ("middle", 1),
    "right_click": ("right", 1),
}


class _Click(_At):
    @property
    def meant(self) -> Action:
        button, count = _CLICKS[self.function]
        return Click(self.spot, button, count)


class _Pointer(_At):
    @property
    def meant(self) -> Action:
        match self.function:
            case "mouse_down":
                return MouseDown(self.spot)
            case "mouse_up":
                return MouseUp(self.spot)
            case _:
                return Move(self.spot)


class _Type(_Function):
    text: str
    press_enter: bool = False

    @property
    def meant(self) -> Action:
        return TypeText(self.text, self.press_enter)


class _Drag(_Function):
    """Google's page and its reference implementation spell the points differently."""

    start: tuple[float, float]
    end: tuple[float, float]

    @model_validator(mode="before")
    @classmethod
    def _one_spelling(cls, given: JsonObject) -> dict[str, object]:
        for names in (("start_x", "start_y", "end_x", "end_y"), ("x", "y", "destination_x", "destination_y")):
            if {*names} == {*given} - {"function"}:
                from_x, from_y, to_x, to_y = (given[name] for name in names)
                return {"function": given["function"], "start": (from_x, from_y), "end": (to_x, to_y)}
        raise ValueError("give start_x, start_y, end_x, end_y, and nothing else")

    @property
    def meant(self) -> Action:
        return Drag(tuple(Spot(round(x), round(y)) for x, y in (self.start, self.end)))


class _Scroll(_At):
    """Likewise: pixels of the page, thousandths of the screen of the reference implementation."""

    direction: Literal["up", "down", "left", "right"]
    magnitude_in_pixels: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    magnitude: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.magnitude is not None and self.magnitude_in_pixels is not None:
            raise ValueError("give magnitude_in_pixels or magnitude, not both")
        return self

    @property
    def meant(self) -> Action:
        unit = ScrollUnit.PIXELS if self.magnitude is None else ScrollUnit.THOUSANDTHS
        far = self.magnitude if self.magnitude is not None else self.magnitude_in_pixels
        signed = (300 if far is None else far) * (-1 if self.direction in {"up", "left"} else 1)
        sideways = self.direction in {"left", "right"}
        return Scroll(self.spot, signed if sideways else 0, 0 if sideways else signed, unit)


class _Key(_Function):
    key: str = Field(min_length=1)

    @property
    def meant(self) -> Action:
        match self.function:
            case "key_down":
                return KeyDown((self.key,))
            case "key_up":
                return KeyUp((self.key,))
            case _:
                return PressKeys((self.key,))


class _Hotkey(_Function):
    keys: list[Annotated[str, Field(min_length=1)]] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _is_list(cls, given: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """The reference implementation has one text, `control+c`."""
        keys = given.get("keys")
        return {**given, "keys": [*keys.split("+")]} if isinstance(keys, str) else given

    @property
    def meant(self) -> Action:
        return PressKeys(tuple(self.keys))


class _Wait(_Function):
    seconds: float = Field(default=1, ge=0, allow_inf_nan=False)

    @property
    def meant(self) -> Action:
        return Wait(self.seconds)


class _Screenshot(_Function):
    @property
    def meant(self) -> Action:
        return Screenshot()


_FUNCTIONS: Final[Mapping[str, type[_Function]]] = {
    **dict.fromkeys(_CLICKS, _Click),
    **dict.fromkeys(("mouse_down", "mouse_up", "move"), _Pointer),
    **dict.fromkeys(("press_key", "key_down", "key_up"), _Key),
    "type": _Type,
    "drag_and_drop": _Drag,
    "scroll": _Scroll,
    "hotkey": _Hotkey,
    "wait": _Wait,
    "take_screenshot": _Screenshot,
}
