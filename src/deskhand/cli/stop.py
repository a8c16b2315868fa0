"""`deskhand stop`."""

from typing import Annotated, Final

import typer

from deskhand.cli.console import complain, print_json, printable, say
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.signals import run_async
from deskhand.core.errors import EXIT_FAILED, UsageError
from deskhand.session.running_sessions import Running, running, stop

_DEADLINE_S: Final = 10.0


def add_to(app: typer.Typer) -> None:
    app.command("stop")(stop_running)


def stop_running(
    session: Annotated[
        str, typer.Argument(metavar="[SESSION|PID]", help="Which one; default: the only one.", show_default=False)
    ] = "",
    all_: Annotated[bool, typer.Option("--all", help="Everything that runs.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Stop what works on a desktop: sessions, single actions, servers. Nothing stays pressed; outcome `cancelled`."""
    if session and all_:
        raise UsageError("a session and --all are two things", fix="deskhand stop SESSION, or deskhand stop --all")
    chosen = running() if all_ else (_chosen(session),)
    ended = [run_async(lambda entry=entry: stop(entry, deadline_s=_DEADLINE_S)) for entry in chosen]
    stopped = [entry.id for entry, gone in zip(chosen, ended, strict=True) if gone]
    left = [entry for entry, gone in zip(chosen, ended, strict=True) if not gone]
    if as_json:
        print_json({"stopped": stopped, "left": [entry.id for entry in left]})
    elif not chosen:
        typer.echo("nothing runs", err=True)
    else:
        for name in stopped:
            say(f"stopped {printable(name)}")
    for entry in left:
        complain(
            f"{_line(entry)} has not ended within {_DEADLINE_S:g} s",
            f"end it by force, which may leave keys pressed: kill -9 {entry.process.pid}",
        )
    return EXIT_FAILED if left else 0


def _chosen(wanted: str) -> Running:
    """The one that is meant: by its id, a part of that, or its process. Raises: UsageError."""
    entries = running()
    exact = [entry for entry in entries if wanted in {entry.id, str(entry.process.pid)}]
    found = exact or [entry for entry in entries if wanted in entry.id]
    if len(found) == 1:
        return found[0]
    lines = "; ".join(_line(entry) for entry in entries)
    if not entries:
        raise UsageError("nothing runs", fix="what another user or another state folder runs is not found: use kill")
    many = "several are running" if not wanted else f"{len(found)} that run are called {wanted!r}"
    raise UsageError(
        many if found else f"nothing that runs is called {wanted!r}", fix=f"say which one, or --all; running: {lines}"
    )


def _line(entry: Running) -> str:
    return printable(f"{entry.id}: {entry.what} on {entry.desktop} (process {entry.process.pid})")
