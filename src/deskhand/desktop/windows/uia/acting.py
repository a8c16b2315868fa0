"""Actions on elements, without the pointer. All raise Gone, Hung, Disabled and Refused."""

from collections.abc import Callable
from typing import Final, TypeVar

from deskhand.desktop.windows.uia import com
from deskhand.desktop.windows.uia.cached import has
from deskhand.desktop.windows.uia.com import Connection, Element, Pattern
from deskhand.desktop.windows.uia.failures import translated
from deskhand.desktop.windows.win32.failures import Hung, Refused

T = TypeVar("T")
_PRESSES: Final = ("press", "activate")


def act(connection: Connection, element: Element, action: str, root: int) -> None:
    """Carry out an action of an element. `root`: the handle of its window, which is asked whether it still answers."""
    with translated(connection.error):
        _bring_into_view(connection, element)
        if action in _PRESSES:
            _deliver(connection, _press_of(connection, element, action), root)
        elif action == "toggle":
            _deliver(connection, _needed(connection, element, com.TOGGLE, "is no check box").Toggle, root)
        elif action == "select":
            _needed(connection, element, com.SELECTION_ITEM, "cannot be selected").Select()
        elif action in {"open", "expand"}:
            _deliver(connection, _needed(connection, element, com.EXPAND_COLLAPSE, "does not open").Expand, root)
        elif action == "collapse":
            _needed(connection, element, com.EXPAND_COLLAPSE, "does not close").Collapse()
        else:
            raise Refused(f"it has no action {action!r}")


def set_text(connection: Connection, element: Element, text: str) -> None:
    """Replace the text of a field."""
    with translated(connection.error):
        _needed(connection, element, com.VALUE, "takes no text").SetValue(text)


def set_value(connection: Connection, element: Element, number: float) -> None:
    """Set the number of a slider or spin button."""
    with translated(connection.error):
        _needed(connection, element, com.RANGE_VALUE, "takes no number").SetValue(number)


def focus(connection: Connection, element: Element) -> None:
    """Give an element the keyboard; its window has to be in front for that."""
    with translated(connection.error):
        element.SetFocus()


def _bring_into_view(connection: Connection, element: Element) -> None:
    """Have a list make the element of an item that it has none for, and scroll to it."""
    if has(element, com.VIRTUALIZED_ITEM) and (item := connection.pattern(element, com.VIRTUALIZED_ITEM)):
        item.Realize()
    if has(element, com.SCROLL_ITEM) and (item := connection.pattern(element, com.SCROLL_ITEM)):
        item.ScrollIntoView()


def _press_of(connection: Connection, element: Element, action: str) -> Callable[[], object]:
    """Return what presses an element: a choice is made, a box toggled, another one invoked."""
    if invoke := connection.pattern(element, com.INVOKE):
        return invoke.Invoke
    if toggle := connection.pattern(element, com.TOGGLE):
        return toggle.Toggle
    if item := connection.pattern(element, com.SELECTION_ITEM):
        return item.Select
    return _needed(connection, element, com.LEGACY, f"has no action {action!r}").DoDefaultAction


def _needed(connection: Connection, element: Element, pattern: Pattern[T], lack: str) -> T:
    """Raises: Refused for an element without the pattern."""
    found = connection.pattern(element, pattern)
    if found is None:
        raise Refused(f"it {lack}")
    return found


def _deliver(connection: Connection, press: Callable[[], object], root: int) -> None:
    """Press: a program that opens a dialog may come back late, which is no failure while it answers."""
    try:
        with translated(connection.error):
            press()
    except Hung:
        connection.automation.ElementFromHandle(root)
