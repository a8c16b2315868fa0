"""`deskhand stop`."""

from typing import Annotated, Final

import typer

from deskhand.cli.console import print_error, print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.running_choice import choose_running, running_line
from deskhand.cli.signals import run_async
from deskhand.core.errors import EXIT_FAILED, UsageError
from deskhand.session.running_sessions import running, stop

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
    chosen = running() if all_ else (choose_running(session),)
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
            f"{running_line(entry)} has not ended within {_DEADLINE_S:g} s",
            f"end it by force, which may leave keys pressed: kill -9 {entry.process.pid}",
        )
    return EXIT_FAILED if left else 0
