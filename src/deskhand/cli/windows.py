"""`deskhand windows`."""

import typer

from deskhand.cli.console import print_json, print_line, print_note
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, chosen_desktop, window_line
from deskhand.cli.signals import run_async
from deskhand.core.target import TargetInfo
from deskhand.session.window_names import window_json


def add_to(app: typer.Typer) -> None:
    app.command("windows")(windows)


def windows(desktop: DesktopOption = "", as_json: JsonOption = False) -> None:
    """List the windows of a desktop, front first; * marks the active one."""

    async def look() -> tuple[TargetInfo, ...]:
        async with chosen_desktop(desktop) as opened:
            return await opened.windows()

    found = run_async(look)
    if as_json:
        print_json([window_json(window) for window in found])
        return
    if not found:
        print_note("no window is open; open one: deskhand launch -- COMMAND")
    for window in found:
        print_line(window_line(window))
