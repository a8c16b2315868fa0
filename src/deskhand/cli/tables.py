"""`--table N|NAME`: which table of a document is meant."""

from deskhand.core.errors import UsageError
from deskhand.core.json import JsonObject


def table_selector(chosen: str) -> JsonObject:
    """The selector of the N-th table in reading order, or of the table of that name. Raises: UsageError."""
    if not chosen.isdecimal():
        return {"role": "table", "name": chosen}
    if int(chosen) < 1:
        raise UsageError("tables are counted from 1", fix="give --table 1 for the first")
    return {"role": "table", "nth": int(chosen)}
