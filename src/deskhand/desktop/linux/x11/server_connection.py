"""Connections to an X server."""

from Xlib.display import Display
from Xlib.error import xerror_class


def connect(name: str) -> Display:
    """Return a connection whose errors are the ones that the server reports. Raises: DisplayError, OSError.

    python-xlib 0.33 takes the numbers of RANDR's errors, which count from where that extension's begin, for the core
    protocol's: a value that the server refuses then ends in an AttributeError instead of BadValue.
    """
    display = Display(name)
    display.display.error_classes = xerror_class.copy()
    return display
