"""A vendor's computer-use loop in neutral words: actions, their outcomes, the conversation, and the codec of a vendor.

A codec is pure: it writes the body of a request from a conversation, and reads a turn from the body of a reply. The
vendor's SDK only carries both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal, Protocol

from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.usage import Usage


class Space(StrEnum):
    """Coordinate space of a vendor's points."""

    PIXELS = "pixels"
    """Of the screenshots, at the size they are sent (`Conversation.screen`)."""
    THOUSANDTHS = "thousandths"
    """0 to 999 of their width and height."""


@dataclass(frozen=True, slots=True)
class Size:
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Spot:
    """A point in the codec's own space, as the vendor wrote it; it may lie outside of the screenshot."""

    x: int
    y: int


Button = Literal["left", "right", "middle", "back", "forward"]
Keys = tuple[str, ...]
"""Keys pressed together, in the vendor's spelling, in the order given, such as `("ctrl", "s")`."""


@dataclass(frozen=True, slots=True)
class Click:
    """`at` None: where the pointer is. `count` 2: a double click."""

    at: Spot | None
    button: Button = "left"
    count: int = 1
    holding: Keys = ()


@dataclass(frozen=True, slots=True)
class Move:
    at: Spot
    holding: Keys = ()


@dataclass(frozen=True, slots=True)
class MouseDown:
    """Press the left button and hold it down. `at` None: where the pointer is."""

    at: Spot | None = None


@dataclass(frozen=True, slots=True)
class MouseUp:
    at: Spot | None = None


@dataclass(frozen=True, slots=True)
class Drag:
    """Drag with the left button along a path of two points or more."""

    path: tuple[Spot, ...]
    holding: Keys = ()


class ScrollUnit(StrEnum):
    NOTCHES = "notches"
    PIXELS = "pixels"
    """Of the screenshot, as it is sent."""
    THOUSANDTHS = "thousandths"
    """Of its width or height."""


@dataclass(frozen=True, slots=True)
class Scroll:
    """Turn the wheel; negative amounts go left and up. `at` None: where the pointer is."""

    at: Spot | None
    right: float = 0
    down: float = 0
    unit: ScrollUnit = ScrollUnit.NOTCHES
    holding: Keys = ()


@dataclass(frozen=True, slots=True)
class TypeText:
    """Type at the focus. `enter`: press Enter after it."""

    text: str
    enter: bool = False


@dataclass(frozen=True, slots=True)
class PressKeys:
    keys: Keys
    repeat: int = 1


@dataclass(frozen=True, slots=True)
class HoldKeys:
    keys: Keys
    seconds: float


@dataclass(frozen=True, slots=True)
class KeyDown:
    """Press keys and keep them down."""

    keys: Keys


@dataclass(frozen=True, slots=True)
class KeyUp:
    keys: Keys


@dataclass(frozen=True, slots=True)
class Wait:
    """`seconds` None: the vendor leaves the length to the program."""

    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A picture of the screen at this moment, also within a batch."""


@dataclass(frozen=True, slots=True)
class Zoom:
    """A picture of a part of the screen, and its controls. Corners as written; they may be in either order."""

    corner: Spot
    opposite: Spot


@dataclass(frozen=True, slots=True)
class CursorPosition:
    pass


@dataclass(frozen=True, slots=True)
class Unusable:
    """A call that cannot be carried out: an unknown name, or arguments that are wrong. `problem` is the reason.

    A codec raises no error for one call: the others of its turn are answered as well.
    """

    problem: str


Action = (
    Click
    | Move
    | MouseDown
    | MouseUp
    | Drag
    | Scroll
    | TypeText
    | PressKeys
    | HoldKeys
    | KeyDown
    | KeyUp
    | Wait
    | Screenshot
    | Zoom
    | CursorPosition
    | Unusable
)


@dataclass(frozen=True, slots=True)
class SafetyCheck:
    """A concern of the vendor about a call. Only a person acknowledges it, never the program."""

    message: str
    id: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the vendor's tool, answered by one item: `actions` in order, usually one.

    `id` and `name` are the vendor's, for the answer. `checks` have to be acknowledged before any of it is done.
    """

    id: str
    name: str
    actions: tuple[Action, ...]
    checks: tuple[SafetyCheck, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of a vendor: words, then calls in order. No calls: the model regards its task as done, or gave up.

    `items` are the vendor's own, sent back unchanged in the next request. `stopped` is the vendor's reason where the
    turn ended early, such as at its limit of tokens or by a refusal; empty otherwise. `usage` has no price yet.
    """

    text: str
    calls: tuple[Call, ...]
    items: tuple[JsonObject, ...]
    usage: Usage = field(default_factory=lambda: Usage(cost_usd=None))
    model: str = ""
    stopped: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """An encoded picture and its size; a JPEG only where a PNG is far larger. `data` empty: an old picture that was
    removed, of which only the place is left.
    """

    data: bytes
    size: Size
    media_type: str = "image/png"

    @property
    def removed(self) -> bool:
        return not self.data

    def __repr__(self) -> str:
        return f"Picture({len(self.data)} bytes, {self.size.width}x{self.size.height})"


REMOVED: Final = "(an older picture was removed)"
"""Takes the place of a removed picture."""


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """Outcome of one action: one line of text, for a screenshot or zoom also the picture.

    `failed`: the text is the error. `skipped`: not carried out, because an earlier action of its turn failed; the codec
    writes the vendor's own words for that.
    """

    text: str
    picture: Picture | None = None
    failed: bool = False
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply to one call: one outcome for each of its actions. `acknowledged`: by a person."""

    outcomes: tuple[ActionOutcome, ...]
    acknowledged: tuple[SafetyCheck, ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn, and the reply to it: one answer for each of its calls, the screen after the last of them, a note.

    `note`: further words of the program, after the answers; the only reply to a turn without calls.
    """

    turn: Turn
    answers: tuple[Answer, ...]
    screenshot: Picture | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The content of a request. `screen`: size of the screenshots as they are sent."""

    instructions: str
    task: str
    screenshot: Picture
    exchanges: tuple[Exchange, ...]
    screen: Size
    max_output_tokens: int


class Codec(Protocol):
    """The format of one vendor's loop, for one model. Pure: it sends and stores nothing."""

    @property
    def model(self) -> str:
        """The vendor's name of the model."""
        ...

    @property
    def space(self) -> Space: ...

    def fit(self, size: Size, *, enlarge: bool = False) -> Size:
        """The size at which a picture is sent: the largest of about the same shape that the vendor does not scale.

        `enlarge`: also larger than it is, for a region of the screen.
        """
        ...

    def request(self, conversation: Conversation) -> JsonObject:
        """Body of the next request: the keyword arguments of the SDK's method, which are the JSON that is sent."""
        ...

    def reply(self, body: Mapping[str, JsonValue]) -> Turn:
        """The turn of a reply. Raises: ReplyDefect if it is no reply of this vendor at all."""
        ...


def pictures_of(conversation: Conversation) -> Sequence[Picture]:
    """Every picture that is sent, in order."""
    found = [conversation.screenshot]
    for exchange in conversation.exchanges:
        found += [
            outcome.picture for answer in exchange.answers for outcome in answer.outcomes if outcome.picture is not None
        ]
        found += [exchange.screenshot] if exchange.screenshot is not None else []
    return [picture for picture in found if not picture.removed]
