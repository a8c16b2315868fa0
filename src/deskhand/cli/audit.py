"""`deskhand audit verify`."""

import re
from typing import Annotated, Final

import typer

from deskhand.cli.console import print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.session_argument import SessionArgument
from deskhand.core.errors import EXIT_FAILED, UsageError
from deskhand.core.json import JsonObject
from deskhand.session.session_folders import find_session
from deskhand.store.audit import Audit, Verdict
from deskhand.store.audit import audit as run_audit

_EXIT_UNKNOWN: Final = 3
_CODES: Final = {Verdict.INTACT: 0, Verdict.CHANGED: EXIT_FAILED, Verdict.UNKNOWN: _EXIT_UNKNOWN}
_HASH: Final = re.compile(r"[0-9a-fA-F]{64}")


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Check that the record of a session is as it was written.", rich_markup_mode=None)
    group.command("verify")(verify)
    app.add_typer(group, name="audit")


def verify(
    session: SessionArgument,
    expect: Annotated[
        str, typer.Option(metavar="HASH", help="The hash that its last record must have.", show_default=False)
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Verify the journal and the files of a session, also while it runs: intact (exit 0), changed (1) or unknown (3).

    It is unknown if the session was stopped before it recorded its end, or was written by a version without hashes. The
    last hash, kept elsewhere and given with --expect, also finds a journal that was written anew as a whole.
    """
    if expect and not _HASH.fullmatch(expect):
        raise UsageError(f"{expect!r} is not a hash of a record", fix="give the 64 digits that audit verify printed")
    folder = find_session(session)
    found = run_audit(folder, expect=expect)
    if as_json:
        print_json({**_object(found), "session_dir": str(folder), "error": None})
    else:
        _print(found)
    return _CODES[found.verdict]


def _object(found: Audit) -> JsonObject:
    fault = found.fault
    return {
        "verdict": found.verdict.value,
        "findings": list(found.findings),
        "records": found.records,
        "last_hash": found.last_hash or None,
        "ended": found.ended,
        "running": found.running,
        "without_hashes": found.without_hashes,
        "expected_at": found.expected_at or None,
        "damage": fault
        and {
            "what": fault.damage.value,
            "record": fault.seq,
            "kind": fault.kind,
            "at": fault.at,
            "detail": fault.detail,
        },
        "files": {
            "verified": found.files - len(found.file_faults),
            "changed": [file.path for file in found.file_faults if not file.missing],
            "missing": [file.path for file in found.file_faults if file.missing],
        },
    }


def _print(found: Audit) -> None:
    files = f", {found.files} files" if found.files else ""
    print_line(f"{found.verdict.value}: {found.records} records{files}{', running' if found.running else ''}")
    for sentence in found.findings:
        print_line(f"  {printable(sentence)}")
    if found.last_hash:
        print_line(f"last hash {found.last_hash}")
    if found.verdict is Verdict.INTACT and not found.running:
        print_note("keep the last hash elsewhere: with --expect it also finds a journal that was written anew")
