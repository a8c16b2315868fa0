"""Traits of windows, from the name that their program gives as its class."""

from functools import lru_cache
from typing import Final

from deskhand.core.target import Trait

_OFFICE: Final = ("libreoffice", "soffice")
_DATABASE: Final = "libreoffice-base"
_MARKING: Final = frozenset({"gedit", "mousepad"})
"""Programs whose title marks unsaved changes."""


@lru_cache(maxsize=64)
def window_traits(application: str) -> frozenset[Trait]:
    """The traits of an application's windows."""
    traits = set[Trait]()
    if application.lower().startswith(_OFFICE):
        traits |= {Trait.OVERTAKES_KEYS, Trait.LOSES_SHORT_PRESSES, Trait.SAVES_FIRST, Trait.HAS_OWN_INTERFACE}
    if application == _DATABASE:  # the fields of its grids
        traits.add(Trait.SLOW_FIELDS)
    if application.casefold() in _MARKING:
        traits.add(Trait.MARKS_UNSAVED)
    return frozenset(traits)
