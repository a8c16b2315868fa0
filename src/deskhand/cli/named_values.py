"""Values of `--param NAME=VALUE`."""

from collections.abc import Iterable

from deskhand.core.errors import UsageError


def named_values(given: Iterable[str]) -> dict[str, str]:
    """The values by their names; of one that is given twice the last. Raises: UsageError."""
    values: dict[str, str] = {}
    for entry in given:
        name, separator, value = entry.partition("=")
        if not separator or not name:
            raise UsageError(f"--param {entry!r} is not NAME=VALUE", fix="write it as --param output=sales.ods")
        values[name] = value
    return values
