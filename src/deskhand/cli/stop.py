"""`deskhand stop`."""

from typing import Annotated, Final

import typer

from deskhand.cli.console import print_error, print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.signals import run_async
from deskhand.core.errors import EXIT_FAILED, UsageError
from deskhand.session.running_sessions import Running, running, stop

_DEADLINE_S: Final = 10.0


def add_to(app: typer.Typer) -> None:
    app.command("stop")(stop_running)


def stop_running(
    session: Annotated[
        str, typer.Argument(metavar="[SESSION|PID]", help="Id or process; default: the only one.", show_default=False)
    ] = "",
    all_: Annotated[bool, typer.Option("--all", help="Stop everything that runs.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Stop sessions, single actions or servers. Keys and buttons are released; the outcome is `cancelled`."""
    if session and all_:
        raise UsageError("SESSION and --all exclude each other", fix="deskhand stop SESSION, or deskhand stop --all")
    chosen = running() if all_ else (_chosen(session),)
    ended = [run_async(lambda entry=entry: stop(entry, deadline_s=_DEADLINE_S)) for entry in chosen]
    stopped = [entry.id for entry, gone in zip(chosen, ended, strict=True) if gone]
    left = [entry for entry, gone in zip(chosen, ended, strict=True) if not gone]
    if as_json:
        print_json({"stopped": stopped, "left": [entry.id for entry in left]})
    elif not chosen:
        print_note("nothing is running")
    else:
        for name in stopped:
            print_line(f"stopped {printable(name)}")
    for entry in left:
        print_error(
            f"{_line(entry)} has not ended within {_DEADLINE_S:g} s",
            f"end it by force, which may leave keys pressed: kill -9 {entry.process.pid}",
        )
    return EXIT_FAILED if left else 0


def _chosen(wanted: str) -> Running:
    """Running entry of this id, part of an id, or process. Raises: UsageError."""
    entries = running()
    exact = [entry for entry in entries if wanted in {entry.id, str(entry.process.pid)}]
    found = exact or [entry for entry in entries if wanted in entry.id]
    if len(found) == 1:
        return found[0]
    lines = "; ".join(_line(entry) for entry in entries)
    if not entries:
        raise UsageError("nothing is running", fix="processes of another user or state folder are not listed: use kill")
    many = "several are running" if not wanted else f"{len(found)} running entries match {wanted!r}"
    raise UsageError(
        many if found else f"no running entry matches {wanted!r}", fix=f"name one, or use --all; running: {lines}"
    )


def _line(entry: Running) -> str:
    return printable(f"{entry.id}: {entry.what} on {entry.desktop} (process {entry.process.pid})")
