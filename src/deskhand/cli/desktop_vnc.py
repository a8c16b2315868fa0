"""`deskhand desktop vnc`."""

from functools import partial
from typing import Annotated, Final

import typer

from deskhand.cli.console import print_json, print_line, print_note
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.signals import run_async
from deskhand.core.errors import UsageError
from deskhand.desktop.backends import open_viewer

_PORTS: Final = range(1024, 65536)


def vnc(
    name: Annotated[str, typer.Argument(help="Name of the desktop.")],
    port: Annotated[int, typer.Option(help="Port of 127.0.0.1; default: the first free one from 5900 on.")] = 0,
    web: Annotated[bool, typer.Option("--web", help="Serve a page for browsers too, by noVNC.")] = False,
    view_only: Annotated[bool, typer.Option("--view-only", help="Ignore the viewers' pointer and keys.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Serve a desktop to VNC viewers on 127.0.0.1 until Ctrl+C or its end; agents pause while a viewer's user acts."""
    if port and port not in _PORTS:
        raise UsageError(f"{port} is no port for this", fix=f"give one from {_PORTS[0]} to {_PORTS[-1]}")
    run_async(partial(_serve, name, port, web=web, view_only=view_only, as_json=as_json))


async def _serve(name: str, port: int, *, web: bool, view_only: bool, as_json: bool) -> None:
    """Raises: as `open_viewer`, and at the desktop's end."""
    async with open_viewer(name, port=port, web=web, view_only=view_only) as viewer:
        served = viewer.served
        if as_json:
            url = {"url": served.url} if web else {}
            print_json({"name": name, "address": served.address, "password": served.password, **url})
        else:
            print_line(f"address {served.address}")
            print_line(f"password {served.password}")
            if web:
                print_line(f"page {served.url}")
            print_note("viewers can only watch" if view_only else "agents pause while a viewer's user acts")
            print_note("Ctrl+C ends it")
        await viewer.until_end()
