"""`deskhand report`."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from deskhand.cli.console import print_json, print_line
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.session_argument import SessionArgument
from deskhand.report.html import write_report
from deskhand.report.markdown import render_markdown
from deskhand.report.summary import summarise
from deskhand.session.session_folders import find_session
from deskhand.store.atomic_files import write_atomic


class Format(StrEnum):
    HTML = "html"
    MARKDOWN = "markdown"


def add_to(app: typer.Typer) -> None:
    app.command("report")(report)


def report(
    session: SessionArgument,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write.", show_default="report.html or .md in its folder"),
    ] = None,
    format: Annotated[Format, typer.Option(help="Format of the report.")] = Format.HTML,  # noqa: A002 - the option
    as_json: JsonOption = False,
) -> None:
    """Write the report of a session again from its journal and pictures."""
    session_dir = find_session(session)
    path = output or session_dir / ("report.html" if format is Format.HTML else "report.md")
    if format is Format.HTML:
        write_report(session_dir, path)
    else:
        write_atomic(path, render_markdown(session_dir).encode("utf-8", "replace"), doing="write the report")
    if as_json:
        print_json(summarise(session_dir, report=path).to_json())
    else:
        print_line(str(path))
