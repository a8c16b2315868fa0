"""The choice of a running session, action or server, by its id, a part of it, or its process."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from deskhand.cli.console import printable
from deskhand.cli.invocation import invocation
from deskhand.core.errors import UsageError
from deskhand.session.running_sessions import Running, running
from deskhand.session.session_folders import find_session

RunningSessionArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="[SESSION]",
        help="Id, process or folder of a running session; default: the only one.",
        show_default=False,
    ),
]


def choose_running(wanted: str) -> Running:
    """Running entry of this id, part of an id, or process. Raises: UsageError."""
    return _one_of(running(), wanted, "use --all")


def sessions_running() -> list[Running]:
    """The running sessions, without single actions and servers."""
    return [entry for entry in running() if entry.folder]


def running_session_dir(wanted: str) -> Path:
    """The folder of a running session: by id, part of an id, process, or folder. Raises: UsageError, StoreError."""
    known = sessions_running()
    path = invocation().path(Path(wanted))
    if wanted and path.is_dir():
        return find_session(str(path))
    if wanted and not any(wanted in entry.id or wanted == str(entry.process.pid) for entry in known):
        return find_session(wanted)  # one that a program of the user's runs
    return Path(_one_of(known, wanted, "").folder)


def _one_of(entries: Sequence[Running], wanted: str, otherwise: str) -> Running:
    exact = [entry for entry in entries if wanted in {entry.id, str(entry.process.pid)}]
    found = exact or [entry for entry in entries if wanted in entry.id]
    if len(found) == 1:
        return found[0]
    lines = "; ".join(running_line(entry) for entry in entries)
    if not entries:
        raise UsageError("nothing is running", fix="processes of another user or state folder are not listed: use kill")
    many = "several are running" if not wanted else f"{len(found)} running entries match {wanted!r}"
    named = ", or ".join(filter(None, ("name one", otherwise)))
    raise UsageError(many if found else f"no running entry matches {wanted!r}", fix=f"{named}; running: {lines}")


def running_line(entry: Running) -> str:
    """An entry in one line, safe to print."""
    return printable(f"{entry.id}: {entry.what} on {entry.desktop} (process {entry.process.pid})")
