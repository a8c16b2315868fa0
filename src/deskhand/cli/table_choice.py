"""`--table N|NAME`: which table of a document is meant, and what to say where that is not clear."""

import re
from typing import Final

from deskhand.cli.session_run import why
from deskhand.core.errors import UsageError
from deskhand.core.json import JsonObject
from deskhand.core.observation import NOT_WHOLE
from deskhand.core.patterns import literal_name
from deskhand.report.summary import ErrorSummary, SessionSummary

# How the playbook model says that the table of a step was not to be found (`models.selectors.Mismatch.message`).
_MISMATCH: Final = re.compile(r"\(read_table\): wanted table[^;]*; found (?P<found>none|\d+)(?P<rest>.*)", re.DOTALL)
_MORE: Final = re.compile(r"and \d+ more$", re.MULTILINE)
_NAMED: Final = re.compile(r'table "((?:[^"\\]|\\.)*)"')


def table_selector(chosen: str) -> JsonObject:
    """The selector of the N-th table in reading order, or of the table of that name. Raises: UsageError."""
    if not chosen.isdecimal():
        return {"role": "table", "name": literal_name(chosen)}
    if int(chosen) < 1:
        raise UsageError("tables are counted from 1", fix="give --table 1 for the first")
    return {"role": "table", "nth": int(chosen)}


def explain(chosen: str, summary: SessionSummary) -> ErrorSummary:
    """What to tell of a session that is no success, where `chosen` is what `--table` said."""
    mismatch = _MISMATCH.search(summary.reason)
    if mismatch is None or NOT_WHOLE in mismatch["rest"]:
        return why(summary)
    tables = _NAMED.findall(mismatch["rest"])
    listed = ", ".join(f'{number}. "{name}"' for number, name in enumerate(tables, start=1))
    if more := _MORE.search(mismatch["rest"]):
        listed += f", {more[0]}"
    if mismatch["found"] != "none":
        message = f"the document has {mismatch['found']} tables: {listed}; choose one with --table"
        return _not_found(message, "add --table 1, or another number, or a table's name")
    if chosen and tables:
        return _not_found(f"the document has no table {chosen!r}; it has: {listed}", "choose one of these with --table")
    return _not_found("the document has no table", "give a document that holds one")


def _not_found(message: str, fix: str) -> ErrorSummary:
    return ErrorSummary(type="TableNotFound", message=message, fix=fix)
