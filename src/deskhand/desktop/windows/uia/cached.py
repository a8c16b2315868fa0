"""Properties of an element as they were when its window was read: no call of its program."""

from typing import cast

from deskhand.desktop.windows.uia.com import Element, Pattern
from deskhand.desktop.windows.uia.numbers import Property
from deskhand.desktop.windows.win32.nodes import NOWHERE, Rect


def has(element: Element, pattern: Pattern[object]) -> bool:
    """True if an element has a pattern."""
    return flag(element, pattern.available)


def flag(element: Element, property_: Property) -> bool:
    """Return a property that is true or false."""
    return bool(element.GetCachedPropertyValue(property_))


def text(element: Element, property_: Property) -> str:
    """Return a property that is a text, empty where the element has none."""
    found = element.GetCachedPropertyValue(property_)
    return found if isinstance(found, str) else ""


def number(element: Element, property_: Property) -> float:
    """Return a property that is a number, 0 where the element has none."""
    found = element.GetCachedPropertyValue(property_)
    return found if isinstance(found, int | float) else 0


def runtime_id(element: Element) -> str:
    """Return the identity of an element in its session of Windows, empty where it has none."""
    found = element.GetCachedPropertyValue(Property.RuntimeId)
    if not isinstance(found, tuple | list):
        return ""
    return ".".join(str(part) for part in cast("tuple[object, ...]", found))


def rect(element: Element) -> Rect:
    """Return the place of an element, NOWHERE where it has none."""
    box = element.CachedBoundingRectangle
    return (box.left, box.top, box.right, box.bottom) if box.left < box.right and box.top < box.bottom else NOWHERE


def handle(element: Element) -> int:
    """Return the handle of an element that is a window of Win32, else 0."""
    return element.CachedNativeWindowHandle or 0
