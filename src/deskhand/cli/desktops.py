"""Which desktop a verb means (SPEC 6), and how windows on it are named and printed."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from deskhand.cli.console import printable
from deskhand.core.errors import AmbiguousTarget, UsageError
from deskhand.core.json import JsonObject
from deskhand.core.patterns import matches_name
from deskhand.core.target import TargetInfo
from deskhand.desktop.base import MINIMIZED, Desktop
from deskhand.desktop.linux.named import NAME_VARIABLE, list_named
from deskhand.perception.arranging import quoted
from deskhand.session.desktops import VIRTUAL, open_for_session, open_running

_LONGEST_TITLE: Final = 300

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


async def chosen_window(desktop: Desktop, choice: str) -> TargetInfo:
    """The window of that id, title, title pattern or part of a title; empty: the active one, else the front one.

    Raises: UsageError (none), AmbiguousTarget.
    """
    windows = await desktop.windows()
    if not choice:
        active = [window for window in windows if "active" in window.states]
        found = (active or list(windows))[:1]
    else:
        found = _called(choice, windows)
    titles = tuple(f"{window.handle} {_title(window)}" for window in windows)
    if not found:
        what = f"no window {choice!r} is open" if choice else "no window is open"
        raise UsageError(
            what, fix=f"open are: {'; '.join(titles)}" if titles else "open one: deskhand launch -- COMMAND"
        )
    if len(found) > 1:
        called = tuple(title for title, window in zip(titles, windows, strict=True) if window in found)
        raise AmbiguousTarget(
            f"{len(found)} windows are called {choice!r}", called, fix=f"give its id: {'; '.join(called)}"
        )
    return found[0]


def _called(choice: str, windows: tuple[TargetInfo, ...]) -> list[TargetInfo]:
    """Those of that id; else of that title or pattern; else with that in their title."""
    try:
        by_title = [window for window in windows if matches_name(choice, window.name)]
    except ValueError as error:
        raise UsageError(f"--window: {error}", fix="correct the regular expression, or give a title") from error
    by_id = [window for window in windows if window.handle == choice]
    return by_id or by_title or [window for window in windows if choice in window.name]


def window_json(window: TargetInfo) -> JsonObject:
    """A window as SPEC 6 prints it; `rect` in physical screen pixels."""
    return {
        "id": window.handle,
        "title": window.name,
        "application": window.application,
        "pid": window.pid,
        "rect": [*window.rect.to_list()],
        "active": "active" in window.states,
    }


def window_line(window: TargetInfo) -> str:
    """A window in one line."""
    mark = "*" if "active" in window.states else " "
    end = " (minimized)" if MINIMIZED in window.states else ""
    return f"{mark} {window.handle:<14} {printable(window.application):<22} {_title(window)}{end}"


def _title(window: TargetInfo) -> str:
    return quoted(window.name, _LONGEST_TITLE)
