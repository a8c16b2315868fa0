"""Kinds of controls: each reads itself into a tree, and carries out actions."""

from collections.abc import Callable
from dataclasses import dataclass

from .failures import Refused
from .reading import Control, Reading


@dataclass(frozen=True, slots=True)
class Part:
    """A control, or one thing in it: `item` is "" or for example "i3" or "i3/c1"."""

    handle: int
    item: str = ""

    @property
    def index(self) -> int:
        """The number in "i3" or "n0x1f".

        Raises:
            Refused: it names no item.
        """
        first = self.item.split("/")[0]
        try:
            return int(first[1:], 0)
        except ValueError:
            raise Refused(f"{self.item!r} names no item of control {self.handle}") from None


def read_nothing(_: Control, __: Reading) -> None:
    """A control that is not worth a node."""


def act_never(part: Part, action: str) -> None:
    """No action. Raises Refused."""
    raise Refused(f"the control {part.handle} has no action {action!r}; read its actions again")


def text_never(part: Part, _: range, __: range) -> list[list[str]]:
    """No table. Raises Refused."""
    raise Refused(f"the control {part.handle} is no table")


def show_never(part: Part, name: str) -> bool:
    """No items. Raises Refused."""
    raise Refused(f"the control {part.handle} does not find {name!r}: it has no items")


def write_never(part: Part, _: str) -> None:
    """No text. Raises Refused."""
    raise Refused(f"the control {part.handle} has no text that can be replaced")


def set_never(part: Part, _: int) -> None:
    """No value. Raises Refused."""
    raise Refused(f"the control {part.handle} has no value that can be set")


@dataclass(frozen=True, slots=True)
class Field:
    """Functions of a kind of text field, by its handle. Offsets are in characters, with `\\n` as the line end.

    They raise Refused, Gone and Hung.
    """

    whole_text: Callable[[int], str]
    insert: Callable[[int, int, str], None]
    """Puts a text before a character."""
    delete: Callable[[int, int, int], None]
    """Deletes the characters from the first offset up to the second."""
    select: Callable[[int, int, int], None]
    """Selects them; the caret is at the second offset."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Reader and actions of one kind of control."""

    read: Callable[[Control, Reading], None]
    act: Callable[[Part, str], None] = act_never
    set_value: Callable[[Part, int], None] = set_never
    set_text: Callable[[Part, str], None] = write_never
    field: Field | None = None
    show: Callable[[Part], None] | None = None
    texts: Callable[[Part, range, range], list[list[str]]] = text_never
    """The texts of rows and columns, also of those out of view."""
    show_named: Callable[[Part, str], bool] = show_never
    """Scrolls to the item of a name; False: none has it."""
