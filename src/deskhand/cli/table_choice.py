"""`--table N|NAME`: selector of a table in a document, and the error if it matches none or several."""

import re
from typing import Final

from deskhand.cli.session_run import default_error
from deskhand.core.errors import UsageError
from deskhand.core.json import JsonObject
from deskhand.core.observation import NOT_WHOLE
from deskhand.core.patterns import literal_name
from deskhand.report.summary import ErrorSummary, SessionSummary

# Message of the playbook model if it found no table (`models.selectors.Mismatch.message`).
_MISMATCH: Final = re.compile(r"\(read_table\): wanted table[^;]*; found (?P<found>none|\d+)(?P<rest>.*)", re.DOTALL)
_MORE: Final = re.compile(r"and \d+ more$", re.MULTILINE)
_NAMED: Final = re.compile(r'table "((?:[^"\\]|\\.)*)"')


def table_selector(choice: str) -> JsonObject:
    """Selector of the N-th table in reading order, or of the table with that name. Raises: UsageError."""
    if not choice.isdecimal():
        return {"role": "table", "name": literal_name(choice)}
    if int(choice) < 1:
        raise UsageError("tables are counted from 1", fix="give --table 1 for the first table")
    return {"role": "table", "nth": int(choice)}


def explain(choice: str, summary: SessionSummary) -> ErrorSummary:
    """Error of a session without success; `chosen` is the value of `--table`."""
    mismatch = _MISMATCH.search(summary.reason)
    if mismatch is None or NOT_WHOLE in mismatch["rest"]:
        return default_error(summary)
    tables = _NAMED.findall(mismatch["rest"])
    listed = ", ".join(f'{number}. "{name}"' for number, name in enumerate(tables, start=1))
    if more := _MORE.search(mismatch["rest"]):
        listed += f", {more[0]}"
    if mismatch["found"] != "none":
        message = f"the document has {mismatch['found']} tables: {listed}; choose one with --table"
        return _not_found(message, "add --table with a number or a name")
    if choice and tables:
        return _not_found(f"the document has no table {choice!r}; it has: {listed}", "choose one of these with --table")
    return _not_found("the document has no table", "give a document with a table")


def _not_found(message: str, fix: str) -> ErrorSummary:
    return ErrorSummary(type="TableNotFound", message=message, fix=fix)
