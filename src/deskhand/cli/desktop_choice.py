"""Choice of the desktop a verb works on, and how its windows are named and printed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from deskhand.cli.console import print_error, printable
from deskhand.cli.invocation import invocation
from deskhand.config.load import Sources, load
from deskhand.config.sections import Configuration
from deskhand.core.errors import PluginBroken, UsageError
from deskhand.core.ports import Interactor
from deskhand.core.target import MINIMIZED, TargetInfo
from deskhand.desktop.backends import (
    NAME_VARIABLE,
    VIRTUAL,
    ended_named,
    list_named,
    open_desktop,
    own_desktop,
    unusable_named,
)
from deskhand.desktop.observation_settings import observe_by
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.session.held_desktop import held_desktop as open_held
from deskhand.session.held_desktop import waiting
from deskhand.session.window_names import title_of

DesktopOption: TypeAlias = Annotated[
    str,
    typer.Option("--desktop", help=f"Name or display; default: ${NAME_VARIABLE}, else the only desktop that is up."),
]
WindowOption: TypeAlias = Annotated[
    str, typer.Option("--window", help="Id or part of the title; default: that of the id, else the active window.")
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def settings_here(config: Path | None = None) -> Configuration:
    """Return the settings of this folder and user, and of one more file. Raises: ConfigurationError."""
    by = invocation()
    return load(Sources(by.environment, by.folder, by.path(config) if config else None))


@asynccontextmanager
async def chosen_desktop(choice: str) -> AsyncGenerator[Desktop]:
    """Open the desktop of `--desktop`, which is a server's own where that runs the command.

    Raises: UsageError, DesktopGone.
    """
    if server := invocation().server:
        yield server.desktop
        return
    async with open_desktop(await desktop_name(choice), report=_print_fault) as desktop:
        yield desktop


@asynccontextmanager
async def observed_desktop(choice: str, settings: Configuration | None = None) -> AsyncGenerator[Desktop]:
    """As `chosen_desktop`, with the settings of observations, by default those of this folder and user.

    Raises: as `chosen_desktop`, ConfigurationError.
    """
    settings = settings or settings_here()
    async with chosen_desktop(choice) as desktop:
        observe_by(desktop, settings)
        yield desktop


@asynccontextmanager
async def held_desktop(
    choice: str, settings: Configuration, who: str, *, brief: bool = False
) -> AsyncGenerator[Desktop]:
    """Open the desktop of `--desktop` with pointer and keyboard for `who` alone, and watch for input of the user.

    `brief`: for one action only. Raises: UsageError, DesktopGone, DesktopBusy (a session or another program holds it),
    StoppedByPerson.
    """
    if server := invocation().server:
        async with server.held_desktop(who) as desktop:
            before = desktop.guard.on_pause
            desktop.guard.on_pause = lambda what: print_error(waiting(what))
            try:
                yield desktop
            finally:
                desktop.guard.on_pause = before
        return
    name = await desktop_name(choice)
    if name == VIRTUAL:
        raise UsageError(
            "a private desktop of a session is empty and cannot be named here", fix="deskhand desktop start NAME"
        )
    held = open_held(name, settings, who, brief=brief, report=print_error, faults=_print_fault)
    async with held as desktop:
        yield desktop


def asked_in_turn(interactor: Interactor) -> Interactor:
    """Return an interactor that, in a server, lets other clients act while it waits for the user."""
    server = invocation().server
    return server.asked(interactor) if server else interactor


def _print_fault(fault: PluginBroken) -> None:
    print_error(fault.message, fault.fix)


async def desktop_name(choice: str) -> str:
    """Name of the desktop: the given one, else the environment's, else the only one that is up.

    Raises: UsageError, RegistryUnusable (an unreadable entry may be that desktop).
    """
    return choice or invocation().environment.get(NAME_VARIABLE) or await _only_one()


async def _only_one() -> str:
    if own := own_desktop():
        return own
    names = [desktop.name for desktop in await list_named()]
    if len(names) == 1:
        return names[0]
    if not names and (unusable := unusable_named()):
        raise unusable[0]
    if not names:
        ended = ended_named()
        ended_list = "".join(f"; {desktop.name} has ended: {desktop.why}" for desktop in ended)
        name = ended[0].name if ended else "NAME"
        raise UsageError(f"no desktop is up{ended_list}", fix=f"deskhand desktop start {name}")
    raise UsageError(f"several desktops are up: {', '.join(names)}", fix="name one with --desktop NAME")


def window_line(window: TargetInfo) -> str:
    """One line that describes a window."""
    mark = "*" if "active" in window.states else " "
    marks = ["minimized"] if MINIMIZED in window.states else []
    marks += ["unsaved changes"] if window.unsaved else []
    end = f" ({', '.join(marks)})" if marks else ""
    return f"{mark} {window.handle:<14} {printable(window.application):<22} {title_of(window)}{end}"
