"""Misspelt methods of locators, windows, desktops and expectations."""

from difflib import get_close_matches
from typing import TYPE_CHECKING

from deskhand.core.errors import UsageError


class NoSuchMember(UsageError, AttributeError):
    """An object has no method or property of this name; `fix` has the nearest."""


class Members:
    """An object that answers for a misspelt method with the nearest that it has."""

    if not TYPE_CHECKING:  # for a type checker a misspelt method does not exist

        def __getattr__(self, name: str) -> object:
            """Raises: NoSuchMember."""
            own = [each for each in dir(type(self)) if not each.startswith("_")]
            near = get_close_matches(name, own, n=1)
            fix = f"write {near[0]}" if near else f"it has {', '.join(own)}"
            raise NoSuchMember(f"{type(self).__name__} has no {name}", fix=fix)
