"""Events of Windows as AT-SPI events."""

from dataclasses import dataclass
from typing import Final

from deskhand.desktop.linux.wine.window_tree import Json


@dataclass(frozen=True, slots=True)
class Told:
    """An AT-SPI event, `member` with its interface. `sets_windows`: a window may have come or gone."""

    member: str
    detail: str = ""
    value: int = 0
    sets_windows: bool = False


_EVENTS: Final = {
    "create": Told("Object.ChildrenChanged", "add", sets_windows=True),
    "destroy": Told("Object.ChildrenChanged", "remove", sets_windows=True),
    "focus": Told("Object.StateChanged", "focused", 1),
    "foreground": Told("Window.Activate"),
    "hide": Told("Object.StateChanged", "showing", 0, sets_windows=True),
    "location": Told("Object.BoundsChanged"),
    "menu-end": Told("Object.VisibleDataChanged"),
    "menu-start": Told("Object.VisibleDataChanged"),
    "name": Told("Object.PropertyChange", "accessible-name"),
    "selection": Told("Object.SelectionChanged"),
    "show": Told("Object.StateChanged", "showing", 1, sets_windows=True),
    "state": Told("Object.VisibleDataChanged"),
    "value": Told("Object.PropertyChange", "accessible-value"),
}


def event_of(told: Json) -> Told | None:
    """Return the event that the helper reports; None for one without a meaning here."""
    return _EVENTS.get(str(told["event"]))
