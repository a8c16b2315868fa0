"""Names of a list's items: completion of an unambiguous beginning, and the error for a missing item (contract 4.2)."""

from collections.abc import Collection, Iterable
from typing import Final

from deskhand.core.errors import AmbiguousTarget, ElementNotFound
from deskhand.core.target import TargetInfo, comparable_name
from deskhand.core.text import quoted

_NAMED: Final = 8
"""Items that are named in an error."""


def completed_name(names: Iterable[str], beginning: str) -> str | None:
    """Return the only name that starts with `beginning`, ignoring case; None if there is none or more than one."""
    begun = _begun(names, beginning)
    return begun[0] if len(begun) == 1 else None


def not_listed(container: TargetInfo, name: str, names: Collection[str], fix: str) -> ElementNotFound | AmbiguousTarget:
    """The error for a missing item, with the names of the items that were found; or for several that begin so."""
    begun = _begun(names, name)
    if len(begun) > 1:
        message = f"{container.describe}: {len(begun)} items begin with {quoted(name)}: {_some(begun)}"
        return AmbiguousTarget(message, tuple(begun), fix=f"give the whole name of one; {fix}")
    found = f"; it lists {_some(list(dict.fromkeys(names)))}" if names else " showing"
    return ElementNotFound(f"{container.describe} has no item {name!r}{found}", fix=fix)


def _some(names: list[str]) -> str:
    return ", ".join(map(quoted, names[:_NAMED])) + (f" and {len(names) - _NAMED} more" if names[_NAMED:] else "")


def _begun(names: Iterable[str], beginning: str) -> list[str]:
    wanted = comparable_name(beginning).casefold()
    return [name for name in dict.fromkeys(names) if wanted and comparable_name(name).casefold().startswith(wanted)]
