"""The actions of OpenAI's computer tool, as neutral ones."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from deskhand.operator.actions import (
    Action,
    Button,
    Click,
    Drag,
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


class _Strict(BaseModel):
    """An action. Everything in it is known and of its very type: a coordinate is an integer."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Point(_Strict):
    x: int
    y: int

    @property
    def spot(self) -> Spot:
        return Spot(self.x, self.y)


class _Held(_Strict):
    keys: list[str] | None = None

    @property
    def held(self) -> tuple[str, ...]:
        return tuple(self.keys or ())


class _At(_Point, _Held):
    pass


class _Click(_At):
    type: Literal["click"]
    button: Literal["left", "right", "wheel", "back", "forward"]

    @property
    def meant(self) -> Action:
        button: Button = "middle" if self.button == "wheel" else self.button
        return Click(self.spot, button, holding=self.held)


class _DoubleClick(_At):
    type: Literal["double_click"]

    @property
    def meant(self) -> Action:
        return Click(self.spot, count=2, holding=self.held)


class _Move(_At):
    type: Literal["move"]

    @property
    def meant(self) -> Action:
        return Move(self.spot, self.held)


class _Drag(_Held):
    type: Literal["drag"]
    path: list[_Point] = Field(min_length=2)

    @property
    def meant(self) -> Action:
        return Drag(tuple(point.spot for point in self.path), self.held)


class _Scroll(_At):
    type: Literal["scroll"]
    scroll_x: int
    scroll_y: int

    @property
    def meant(self) -> Action:
        return Scroll(self.spot, self.scroll_x, self.scroll_y, ScrollUnit.PIXELS, self.held)


class _Keypress(_Strict):
    type: Literal["keypress"]
    keys: list[Annotated[str, Field(min_length=1)]] = Field(min_length=1)

    @property
    def meant(self) -> Action:
        return PressKeys(tuple(self.keys))


class _Type(_Strict):
    type: Literal["type"]
    text: str

    @property
    def meant(self) -> Action:
        return TypeText(self.text)


class _Wait(_Strict):
    type: Literal["wait"]

    @property
    def meant(self) -> Action:
        return Wait()


class _Screenshot(_Strict):
    type: Literal["screenshot"]

    @property
    def meant(self) -> Action:
        return Screenshot()


_Known = _Click | _DoubleClick | _Move | _Drag | _Scroll | _Keypress | _Type | _Wait | _Screenshot
_ACTION: Final = TypeAdapter[_Known](Annotated[_Known, Field(discriminator="type")])


def action_of(item: JsonValue) -> Action:
    """The action of an item; `Unusable` for an unknown one, or wrong fields."""
    try:
        return _ACTION.validate_python(item).meant
    except ValidationError as error:
        return Unusable(problem_of(error))
