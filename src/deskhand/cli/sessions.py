"""`deskhand sessions list|show|prune`."""

from typing import Annotated

import typer

from deskhand.cli.console import print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.prune_sessions import prune
from deskhand.cli.session_argument import SessionArgument
from deskhand.core.text import one_line
from deskhand.report.formatting import moment, priced, seconds
from deskhand.report.overview import SessionEntry, State, entry_of, outline, size_in_words
from deskhand.session.session_folders import find_session, session_folders

_REQUEST_SHOWN = 60


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="List, show and remove the recorded sessions.", rich_markup_mode=None)
    group.command("list")(list_all)
    group.command("show")(show)
    group.command("prune")(prune)
    app.add_typer(group, name="sessions")


def list_all(
    most: Annotated[int | None, typer.Option("--most", help="Largest number to list.", min=1)] = None,
    as_json: JsonOption = False,
) -> None:
    """List the sessions of this user, the newest first. Those of --out are in their own folders and not listed."""
    entries = [entry_of(folder) for folder in session_folders()[:most]]
    if as_json:
        print_json({"sessions": [entry.model_dump(mode="json") for entry in entries], "error": None})
        return
    if not entries:
        print_note("no session was recorded yet")
    for entry in entries:
        print_line(printable(_line(entry)))


def _line(entry: SessionEntry) -> str:
    size = size_in_words(entry.size)
    if entry.state is State.DAMAGED:
        return f"{entry.id}  damaged, {size}: {entry.problem}"
    done = f"{entry.steps:>3} {'step ' if entry.steps == 1 else 'steps'} {seconds(entry.seconds):>10}"
    when = moment(entry.began) if entry.began else "never began"
    end = f"{entry.outcome or entry.state.value:<11}"
    request = one_line(entry.request, _REQUEST_SHOWN)
    return f"{entry.id}  {when}  {end} {done} {priced(entry.cost_usd):>9} {size:>9}  {request}"


def show(session: SessionArgument, as_json: JsonOption = False) -> None:
    """Show a session: its rounds and steps, its actions with their effects, its outcome and its folder."""
    shown, lines = outline(find_session(session))
    if as_json:
        print_json(shown)
        return
    for line in lines:
        print_line(printable(line))
