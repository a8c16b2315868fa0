"""`deskhand screenshot`."""

from pathlib import Path
from typing import Annotated

import typer

from deskhand.cli.console import print_json
from deskhand.cli.desktops import DesktopOption, JsonOption, chosen_desktop, chosen_window
from deskhand.cli.stopping import run_async
from deskhand.core.errors import CaptureFailed, UsageError
from deskhand.perception.labels import Labeller
from deskhand.perception.photographer import PhotographerFacade
from deskhand.store.files import write_atomic
from deskhand.store.png import encode_png


def add_to(app: typer.Typer) -> None:
    app.command("screenshot")(screenshot)


def screenshot(
    output: Annotated[Path, typer.Option("--output", "-o", help="The PNG file to write.")],
    desktop: DesktopOption = "",
    window: Annotated[str, typer.Option("--window", help="Id or title; default: the whole desktop.")] = "",
    annotated: Annotated[bool, typer.Option("--annotated", help="Number the window's controls.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Take a picture of a desktop, or of one window; annotated, the numbers are those that `observe` lists."""
    if output.suffix.lower() != ".png":
        raise UsageError(f"{output} does not end with .png", fix="pictures are written as PNG: give a name with .png")
    write_atomic(output, run_async(lambda: _take(desktop, window, annotated=annotated)), doing="write the picture")
    if as_json:
        print_json({"path": str(output.absolute())})
    else:
        typer.echo(str(output))


async def _take(desktop: str, window: str, *, annotated: bool) -> bytes:
    async with chosen_desktop(desktop) as opened:
        if not window and not annotated:
            return encode_png(await opened.screenshot())
        target = await chosen_window(opened, window)
        seen = await opened.observe(target)
        if seen.picture is None:
            raise CaptureFailed(f'no picture of the window "{target.name}" was taken', fix="try again")
        if not annotated:
            return encode_png(seen.picture)
        return encode_png(PhotographerFacade().capture_with_target_list(seen.picture, Labeller().label(seen)))
