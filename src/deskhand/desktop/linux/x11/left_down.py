"""Keys and buttons that an action leaves down for later ones. Pure: times are given, never read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from deskhand.core.errors import ActionRefused
from deskhand.desktop.protocols.input import LeftDown

Press = tuple[int, int]
"""A key or button that is down, as the event that releases it, and its code."""

BUTTON: Final = "button"
KEYS: Final = "keys"
_LET_GO: Final = "Release it with let_go first."


@dataclass(frozen=True, slots=True)
class Group:
    """A button, or the keys of a chord, in the order they were pressed; `name` is used in messages."""

    name: str
    presses: tuple[Press, ...]
    until_s: float


@dataclass(slots=True)
class Groups:
    """At most one button, and the keys of one chord."""

    _groups: dict[str, Group] = field(default_factory=dict[str, Group])

    def __bool__(self) -> bool:
        return bool(self._groups)

    def __contains__(self, press: Press) -> bool:
        return any(press in group.presses for group in self._groups.values())

    @property
    def names(self) -> LeftDown:
        return LeftDown(*(self._groups[kind].name if kind in self._groups else "" for kind in (BUTTON, KEYS)))

    def has(self, kind: str) -> bool:
        return kind in self._groups

    def note(self, kind: str, group: Group) -> None:
        """Before it is pressed."""
        self._groups[kind] = group

    def require_none(self, kind: str) -> None:
        """Raises: ActionRefused where one of this kind is down."""
        if kind in self._groups:
            message = f"{self._groups[kind].name} was pressed before and is still down, so nothing was pressed."
            raise ActionRefused(message, fix=_LET_GO)

    def take(self, kinds: Sequence[str] = (BUTTON, KEYS)) -> tuple[Group, ...]:
        """Forget those of these kinds; they are to be released in this order: the button before the keys."""
        return tuple(self._groups.pop(kind) for kind in kinds if kind in self._groups)

    def due(self, now_s: float) -> Iterator[str]:
        """Yield the kinds whose time is over."""
        yield from [kind for kind, group in self._groups.items() if group.until_s <= now_s]

    def left_s(self, now_s: float) -> float | None:
        """Return the seconds until the first is due; None without any."""
        return min((max(0.0, group.until_s - now_s) for group in self._groups.values()), default=None)
