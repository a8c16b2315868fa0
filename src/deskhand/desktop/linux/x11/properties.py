"""Properties of windows."""

from typing import Final

from Xlib import X, Xatom
from Xlib.protocol.request import GetProperty
from Xlib.xobject.drawable import Window

_MOST_WORDS: Final = 2**18
"""Of four bytes."""


def read_property(window: Window, atom: int) -> GetProperty | None:
    """Return the first MiB of a property of any type; None where there is none.

    Read in one step, unlike python-xlib's own `get_full_property`: between two of them a property may be deleted or get
    shorter, which ends in an AttributeError or BadValue there. Raises: BadWindow.
    """
    return window.get_property(atom, X.AnyPropertyType, 0, _MOST_WORDS)


def read_numbers(window: Window, atom: int) -> tuple[int, ...]:
    """Empty where there are none. Raises: BadWindow."""
    found = read_property(window, atom)
    return tuple(int(value) for value in found.value) if found else ()


def read_text(window: Window, atom: int) -> str:
    """Empty where there is none. Raises: BadWindow."""
    found = read_property(window, atom)
    if found is None or not isinstance(found.value, bytes):
        return ""
    return found.value.decode("latin-1" if found.property_type == Xatom.STRING else "utf-8", errors="replace")
