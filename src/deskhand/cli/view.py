"""`deskhand view`."""

from typing import Annotated

import typer

from deskhand.cli.console import print_json, print_line, print_note
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, desktop_name
from deskhand.cli.signals import run_async
from deskhand.desktop.backends import open_live


def add_to(app: typer.Typer) -> None:
    app.command("view")(view)


def view(
    desktop: DesktopOption = "",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port of the page; 0: any free one.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Show a desktop in a browser of this machine, and let a person take over its pointer and keyboard there."""
    run_async(lambda: _serve(desktop, port, as_json=as_json))


async def _serve(choice: str, port: int, *, as_json: bool) -> None:
    from deskhand.serve.view.app import serve_view  # noqa: PLC0415 - as above
    from deskhand.serve.view.hands import DesktopHands  # noqa: PLC0415 - as above
    from deskhand.serve.view.view import View  # noqa: PLC0415 - as above
    from deskhand.serve.web_server import new_token  # noqa: PLC0415 - brings a web server

    async with open_live(await desktop_name(choice)) as desktop:

        def ready(address: str) -> None:
            if as_json:
                print_json({"desktop": desktop.name, "url": address})
            else:
                print_line(address)

        await serve_view(View(desktop, DesktopHands(desktop)), port, new_token(), ready=ready)
        print_note(f"deskhand: the desktop {desktop.name} has ended")
