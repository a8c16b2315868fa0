"""Arguments of the tools that point."""

from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from deskhand.commands.catalogue import Arguments, TargetArguments
from deskhand.commands.key_syntax import modifiers_of
from deskhand.core.errors import ReplyDefect
from deskhand.core.geometry import WindowPoint

_CORNERS: Final = 100
"""Most points that a drag passes."""
_ACROSS: Final = "0 is the left edge of the window, 1 the right one"
_DOWN: Final = "0 is the top edge of the window, 1 the bottom one"

Button = Literal["left", "middle", "right", "back", "forward"]


def _in_order(modifiers: str) -> str:
    """Return held modifiers in the canonical order. Raises: ValueError."""
    try:
        return "+".join(modifiers_of(modifiers))
    except ReplyDefect as defect:
        raise ValueError(defect.message) from defect


Pressed = Annotated[Button, Field(description="which mouse button")]
Twice = Annotated[bool, Field(description="a double click")]
Clicks = Annotated[int, Field(ge=1, le=3, description="clicks in quick succession")]
Held = Annotated[str, AfterValidator(_in_order), Field(description="modifiers held meanwhile, as `ctrl+shift`")]
Share = Annotated[float, Field(ge=0, le=1)]
Across = Annotated[float, Field(ge=0, le=1, description=_ACROSS)]
Down = Annotated[float, Field(ge=0, le=1, description=_DOWN)]


class Click(TargetArguments):
    rare: ClassVar = frozenset({"count"})
    decided: ClassVar = frozenset({"hold"})

    button: Pressed = "left"
    double: Twice = False
    count: Clicks = 1
    hold: Held = ""


class ClickAt(Arguments):
    rare: ClassVar = frozenset({"count"})
    decided: ClassVar = frozenset({"hold"})

    x: Across
    y: Down
    button: Pressed = "left"
    double: Twice = False
    count: Clicks = 1
    hold: Held = ""


class Corner(Arguments):
    x: Across
    y: Down

    @property
    def point(self) -> WindowPoint:
        return WindowPoint(self.x, self.y)


class DragOn(Arguments):
    rare: ClassVar = frozenset({"via", "hold"})

    start_x: Across
    start_y: Down
    end_x: Across
    end_y: Down
    button: Pressed = "left"
    via: tuple[Corner, ...] = Field(default=(), max_length=_CORNERS, description="points to pass on the way")
    hold: Held = ""


class AnyPoint(Arguments):
    """A point, or none."""

    x: Share | None = Field(default=None, description=_ACROSS)
    y: Share | None = Field(default=None, description=_DOWN)

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if (self.x is None) is not (self.y is None):
            raise ValueError("a point has both x and y")
        return self

    @property
    def point(self) -> WindowPoint | None:
        return WindowPoint(self.x, self.y) if self.x is not None and self.y is not None else None


class Place(AnyPoint):
    """A control, a point, or neither."""

    id: str = Field(default="", description="label of a control to point at")
    name: str = Field(default="", description="its name; a control of another name is refused")

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if self.id and self.x is not None:
            raise ValueError("give a control or a point, not both")
        return self
