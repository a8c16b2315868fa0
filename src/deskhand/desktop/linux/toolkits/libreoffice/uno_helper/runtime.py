"""UNO's module and types, which only the system's Python has: without types here."""

from importlib import import_module
from typing import Any

uno: Any = import_module("uno")
PropertyValue: Any = uno.getClass("com.sun.star.beans.PropertyValue")
NoConnectException: Any = uno.getClass("com.sun.star.connection.NoConnectException")
MalformedFormat: Any = uno.getClass("com.sun.star.util.MalformedNumberFormatException")
UnoException: Any = uno.getClass("com.sun.star.uno.Exception")


def properties(**values: object) -> tuple[Any, ...]:
    """Named values, as UNO takes them."""
    return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())
