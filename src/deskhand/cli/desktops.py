"""Which desktop a verb means (SPEC 6), and how windows on it are named and printed."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from deskhand.cli.console import printable
from deskhand.core.errors import UsageError
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import MINIMIZED, Desktop
from deskhand.desktop.linux.named import NAME_VARIABLE, list_named
from deskhand.session.desktops import VIRTUAL, open_for_session, open_running
from deskhand.session.windows import title_of

DesktopOption: TypeAlias = Annotated[
    str, typer.Option("--desktop", help=f"Name or display; default: ${NAME_VARIABLE}, else the only one that is up.")
]
WindowOption: TypeAlias = Annotated[str, typer.Option("--window", help="Id or title; default: the active one.")]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@asynccontextmanager
async def chosen_desktop(choice: str) -> AsyncGenerator[Desktop]:
    """The desktop of `--desktop`, opened. Raises: UsageError, DesktopGone."""
    async with open_running(await _meant(choice)) as desktop:
        yield desktop


@asynccontextmanager
async def held_desktop(choice: str) -> AsyncGenerator[Desktop]:
    """The same, for this process alone as long as it acts there.

    Raises: UsageError, DesktopGone, DesktopBusy (a session or another command acts on it).
    """
    name = await _meant(choice)
    if name == VIRTUAL:
        raise UsageError(
            "a private desktop of a session's own has nothing on it yet", fix="deskhand desktop start NAME"
        )
    async with open_for_session(name, "", Path()) as desktop:
        yield desktop


async def _meant(choice: str) -> str:
    """The desktop that is named, else the environment's, else the only one that is up. Raises: UsageError."""
    return choice or os.environ.get(NAME_VARIABLE) or await _only_one()


async def _only_one() -> str:
    names = [desktop.name for desktop in await list_named()]
    if len(names) == 1:
        return names[0]
    if not names:
        raise UsageError("no desktop is up", fix="deskhand desktop start NAME")
    raise UsageError(f"several desktops are up: {', '.join(names)}", fix="say which one with --desktop NAME")


def window_line(window: TargetInfo) -> str:
    """A window in one line."""
    mark = "*" if "active" in window.states else " "
    end = " (minimized)" if MINIMIZED in window.states else ""
    return f"{mark} {window.handle:<14} {printable(window.application):<22} {title_of(window)}{end}"
