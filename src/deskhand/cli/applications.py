"""`deskhand applications`."""

import os
from pathlib import Path
from typing import Final

import typer

from deskhand.cli.console import print_json, print_line, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.config.load import Sources, load
from deskhand.core.json import JsonObject
from deskhand.desktop.applications import KnownApplication
from deskhand.session.applications import applications

_SHOWN: Final = 4
"""Number of file types printed per application; `--json` has all."""


def add_to(app: typer.Typer) -> None:
    app.command("applications")(list_applications)


def list_applications(as_json: JsonOption = False) -> None:
    """List the applications of this machine: a name for --app and --with, and the file types each opens."""
    known = applications(load(Sources(os.environ, Path.cwd())).applications)
    if as_json:
        print_json({"applications": [_as_json(each) for each in known], "error": None})
        return
    listed = [each for each in known if each.is_listed]
    for each in listed:
        print_line(printable(f"{each.described}: {_opens(each)}"))
    left = sum(1 for _ in known) - len(listed)
    if left:
        print_line(f"{left} more are hidden from menus; list them with --json, and use their names in the same way")


def _opens(known: KnownApplication) -> str:
    if known.problem:
        return f"cannot be opened: {known.problem}"
    types = ", ".join(known.types[:_SHOWN])
    more = len(known.types) - _SHOWN
    return f"opens {types}{f' and {more} more' if more > 0 else ''}" if types else "declares no file types"


def _as_json(known: KnownApplication) -> JsonObject:
    return {
        "id": known.id,
        "title": known.title,
        "answers_to": [*dict.fromkeys(name for names in known.answers_to for name in names)],
        "opens": [*known.types],
        "command": [*(known.application.argv_with_file or known.application.argv)],
        "listed": known.is_listed,
        "problem": known.problem,
        "source": known.source,
    }
