"""`deskhand pause`."""

import getpass
from collections.abc import Awaitable, Callable
from pathlib import Path

import typer

from deskhand.cli.console import print_json, print_line, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.running_choice import RunningSessionArgument, running_session_dir
from deskhand.cli.signals import run_async
from deskhand.session.control_client import RunningSession, running_session
from deskhand.session.control_messages import State


def add_to(app: typer.Typer) -> None:
    app.command("pause")(pause)


def pause(session: RunningSessionArgument = "", as_json: JsonOption = False) -> None:
    """Take the desktop of a session over. The agent finishes its action, releases all keys, and waits."""
    folder = running_session_dir(session)
    tell_state(
        controlled(folder, lambda running: running.pause()),
        "paused",
        "to look: deskhand view; to go on: deskhand hand-back",
        as_json=as_json,
    )


def user_at(place: str) -> str:
    """The user and the place from which a session is controlled, for its journal."""
    return f"{getpass.getuser()} ({place})"


def controlled(folder: Path, ask: Callable[[RunningSession], Awaitable[State]]) -> State:
    """Ask a running session for something; return the state after it. Raises: UsageError, DesktopBusy."""

    async def connected() -> State:
        async with running_session(folder, user_at("terminal")) as running:
            return await ask(running)

    return run_async(connected)


def tell_state(state: State, what: str, then: str, *, as_json: bool) -> None:
    """Print the state of a session after `what` was done."""
    if as_json:
        print_json(state.model_dump(mode="json"))
        return
    shown = f"{what} {state.session} on {state.desktop}{f' ({state.display})' if state.display else ''}"
    print_line(printable("; ".join(filter(None, (shown, then)))))
