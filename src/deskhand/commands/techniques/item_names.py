"""Names of a list's items: completion of an unambiguous beginning, and the error for a missing item (contract 4.2)."""

from collections.abc import Collection, Iterable
from typing import Final

from deskhand.core.errors import ElementNotFound
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.core.text import quoted

_NAMED: Final = 8
"""Items that are named in an error."""


def completed_name(names: Iterable[str], beginning: str) -> str | None:
    """Return the only name that starts with `beginning`, ignoring case; None if there is none or more than one."""
    begun = _begun(names, beginning)
    return begun[0] if len(begun) == 1 else None


def not_listed(container: TargetInfo, name: str, names: Collection[str], fix: str) -> ElementNotFound:
    """The error for a missing item, with the names of the items that were found, or of those that start like it."""
    begun = _begun(names, name)
    named = begun or list(dict.fromkeys(names))
    listed = ", ".join(map(quoted, named[:_NAMED])) + (f" and {len(named) - _NAMED} more" if named[_NAMED:] else "")
    found = f"; {len(begun)} begin so: {listed}" if begun else f"; it lists {listed}" if named else " showing"
    return ElementNotFound(f"{container.describe} has no item {name!r}{found}", fix=fix)


def _begun(names: Iterable[str], beginning: str) -> list[str]:
    wanted = comparable_name(beginning).casefold()
    return [name for name in dict.fromkeys(names) if wanted and comparable_name(name).casefold().startswith(wanted)]
