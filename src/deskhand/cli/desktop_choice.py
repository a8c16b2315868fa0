"""Which desktop a verb means (SPEC 6), and how windows on it are named and printed."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated, TypeAlias

import typer

from deskhand.cli.console import complain, printable
from deskhand.config.sections import SystemSection
from deskhand.core.errors import UsageError
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.backends import (
    NAME_VARIABLE,
    VIRTUAL,
    ended_named,
    list_named,
    open_desktop,
    unusable_named,
)
from deskhand.desktop.base import Desktop
from deskhand.session.running_sessions import announced
from deskhand.session.user_guard_rules import guard_rules, stoppable
from deskhand.session.window_names import title_of

DesktopOption: TypeAlias = Annotated[
    str, typer.Option("--desktop", help=f"Name or display; default: ${NAME_VARIABLE}, else the only one that is up.")
]
WindowOption: TypeAlias = Annotated[
    str, typer.Option("--window", help="Id, or a part of the title; default: the active one.")
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@asynccontextmanager
async def chosen_desktop(choice: str) -> AsyncGenerator[Desktop]:
    """The desktop of `--desktop`, opened. Raises: UsageError, DesktopGone."""
    async with open_desktop(await _meant(choice)) as desktop:
        yield desktop


@asynccontextmanager
async def held_desktop(
    choice: str, settings: SystemSection, who: str, *, brief: bool = False
) -> AsyncGenerator[Desktop]:
    """The same, its pointer and keyboard for `who` alone, and a person who uses it is noticed.

    `brief`: for one action only. Raises: UsageError, DesktopGone, DesktopBusy (a session or another program has it),
    StoppedByPerson.
    """
    name = await _meant(choice)
    if name == VIRTUAL:
        raise UsageError(
            "a private desktop of a session's own has nothing on it yet", fix="deskhand desktop start NAME"
        )
    with announced(who, str(os.getpid()), name):
        async with open_desktop(name, holder=who, brief=brief) as desktop:
            for problem in await desktop.watch(guard_rules(settings, shared=desktop.shared)):
                complain(problem)
            desktop.guard.on_pause = _tell_pause
            with stoppable(desktop.guard):
                yield desktop


def _tell_pause(what: str) -> None:
    complain(f"waiting: a person {what}")


async def _meant(choice: str) -> str:
    """The desktop that is named, else the environment's, else the only one that is up.

    Raises: UsageError, RegistryUnusable (there may be one).
    """
    return choice or os.environ.get(NAME_VARIABLE) or await _only_one()


async def _only_one() -> str:
    names = [desktop.name for desktop in await list_named()]
    if len(names) == 1:
        return names[0]
    if not names and (unusable := unusable_named()):
        raise unusable[0]
    if not names:
        ended = ended_named()
        told = "".join(f"; {desktop.name} has ended: {desktop.why}" for desktop in ended)
        name = ended[0].name if ended else "NAME"
        raise UsageError(f"no desktop is up{told}", fix=f"deskhand desktop start {name}")
    raise UsageError(f"several desktops are up: {', '.join(names)}", fix="say which one with --desktop NAME")


def window_line(window: TargetInfo) -> str:
    """A window in one line."""
    mark = "*" if "active" in window.states else " "
    marks = ["minimized"] if MINIMIZED in window.states else []
    marks += ["unsaved changes"] if window.unsaved else []
    end = f" ({', '.join(marks)})" if marks else ""
    return f"{mark} {window.handle:<14} {printable(window.application):<22} {title_of(window)}{end}"
