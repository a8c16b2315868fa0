"""`deskhand hand-back`."""

from typing import Annotated

import typer

from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.pause import controlled, tell_state
from deskhand.cli.running_choice import RunningSessionArgument, running_session_dir


def add_to(app: typer.Typer) -> None:
    app.command("hand-back")(hand_back)


def hand_back(
    session: RunningSessionArgument = "",
    note: Annotated[str, typer.Option(help="Words for the agent, such as what you did.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Hand the desktop back. The agent observes it anew, and is told what differs."""
    folder = running_session_dir(session)
    tell_state(controlled(folder, lambda running: running.hand_back(note)), "handed back", "", as_json=as_json)
