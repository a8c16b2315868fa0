"""Messages of the page to the server, as JSON."""

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from deskhand.core.geometry import Point
from deskhand.core.json import JsonObject
from deskhand.desktop.protocols.input import Chord, MouseButton
from deskhand.desktop.protocols.live import ButtonChanged, KeysPressed, LiveEvent, PointerMoved, WheelTurned

MOST_BYTES: Final = 64 * 1024
"""Longest message."""

_Held: TypeAlias = tuple[Literal["ctrl", "alt", "shift", "super"], ...]
_Coordinate: TypeAlias = Annotated[int, Field(ge=0, lt=2**15)]


class _Message(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Shown(_Message):
    """A frame was drawn."""

    kind: Literal["shown"]
    sequence: int


class Take(_Message):
    """The viewer wants pointer and keyboard."""

    kind: Literal["take"]


class HandBack(_Message):
    kind: Literal["hand_back"]
    note: Annotated[str, Field(max_length=2000)] = ""


class Release(_Message):
    """The page lost the focus: nothing is held down any more."""

    kind: Literal["release"]


class Move(_Message):
    kind: Literal["move"]
    x: _Coordinate
    y: _Coordinate
    held: _Held = ()

    @property
    def event(self) -> LiveEvent:
        return PointerMoved(Point(self.x, self.y), self.held)


class Button(_Message):
    kind: Literal["button"]
    x: _Coordinate
    y: _Coordinate
    button: MouseButton
    down: bool
    held: _Held = ()

    @property
    def event(self) -> LiveEvent:
        return ButtonChanged(Point(self.x, self.y), self.button, self.down, self.held)


class Wheel(_Message):
    kind: Literal["wheel"]
    x: _Coordinate
    y: _Coordinate
    across: int = 0
    down: int = 0
    held: _Held = ()

    @property
    def event(self) -> LiveEvent:
        return WheelTurned(Point(self.x, self.y), self.across, self.down, self.held)


class Key(_Message):
    """A chord; a character is as it is with Shift already."""

    kind: Literal["key"]
    key: Annotated[str, Field(min_length=1, max_length=20)]
    held: _Held = ()

    @property
    def event(self) -> LiveEvent:
        held = tuple(name for name in self.held if name != "shift" or len(self.key) > 1)
        return KeysPressed((Chord(self.key, held),))


class Text(_Message):
    """Text that was typed, composed or pasted."""

    kind: Literal["text"]
    text: Annotated[str, Field(min_length=1)]

    @property
    def event(self) -> LiveEvent:
        return KeysPressed(tuple(Chord(character) for character in self.text.replace("\r\n", "\n")))


class Command(_Message):
    """For the session on the desktop."""

    kind: Literal["command"]
    name: str
    fields: JsonObject = {}


Event: TypeAlias = Move | Button | Wheel | Key | Text
Message: TypeAlias = Shown | Take | HandBack | Release | Event | Command

_MESSAGES: Final = TypeAdapter[Message](Annotated[Message, Field(discriminator="kind")])


def parse_message(text: str) -> Message | None:
    """Return a message; None for any other text."""
    try:
        return _MESSAGES.validate_json(text)
    except ValidationError:
        return None
