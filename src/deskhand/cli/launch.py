"""`deskhand launch`."""

from pathlib import Path
from typing import Annotated

import typer

from deskhand.cli.console import print_json, print_line
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, chosen_desktop, window_line
from deskhand.cli.invocation import invocation
from deskhand.cli.signals import run_async
from deskhand.core.errors import UsageError
from deskhand.core.target import TargetInfo
from deskhand.desktop.applications import in_folder
from deskhand.desktop.protocols.windows import Application
from deskhand.session.window_names import window_json


def add_to(app: typer.Typer) -> None:
    app.command("launch")(launch)


def launch(
    command: Annotated[list[str], typer.Argument(help="Program and arguments, after --.")],
    desktop: DesktopOption = "",
    timeout: Annotated[float, typer.Option(help="Longest wait for its window, in seconds.", min=0.0)] = 30.0,
    as_json: JsonOption = False,
) -> None:
    """Start a program on a desktop, wait for its window and print it. The program runs on after this command ends."""
    if not command[0]:
        raise UsageError("no program is named", fix="deskhand launch -- PROGRAM ARGUMENT…")

    async def start() -> TargetInfo:
        async with chosen_desktop(desktop) as opened:
            return await opened.launch(application_of(command), deadline_s=timeout)

    window = run_async(start)
    if as_json:
        print_json(window_json(window))
    else:
        print_line(window_line(window))


def application_of(command: list[str]) -> Application:
    """Run the command in the current folder, so that its relative paths are valid."""
    return Application(name=Path(command[0]).name, argv=in_folder(invocation().folder, command))
