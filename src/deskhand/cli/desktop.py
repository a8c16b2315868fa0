"""`deskhand desktop start|list|stop|env`; `vnc` is in a module of its own."""

import os
import re
import shlex
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from deskhand.cli.console import Failure, print_error, print_json, print_line, print_note, printable
from deskhand.cli.desktop_choice import JsonOption
from deskhand.cli.desktop_vnc import vnc
from deskhand.cli.signals import run_async
from deskhand.core.errors import DesktopGone, UsageError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.desktop.backends import (
    NamedDesktop,
    ended_named,
    forget_ended,
    holder_of,
    list_named,
    not_up,
    start_named,
    stop_all,
    stop_named,
    unusable_named,
)
from deskhand.desktop.processes import Holder

_OF_THE_SHELL: Final = ("TERM",)
_SIZE: Final = re.compile(r"(\d{2,5})x(\d{2,5})")
_LARGEST: Final = 16384
"""An X server accepts more, silently miscounts beyond 32767, and then returns no picture."""
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def add_to(app: typer.Typer) -> None:
    group = typer.Typer(
        help="Start, list and stop desktops that stay up.", rich_markup_mode=None, pretty_exceptions_enable=False
    )
    group.command("start")(start)
    group.command("list")(list_all)
    group.command("stop")(stop)
    group.command("env")(env)
    group.command("vnc")(vnc)
    app.add_typer(group, name="desktop")


def start(
    name: Annotated[str, typer.Argument(help="Name of the desktop.")],
    size: Annotated[str, typer.Option(help="WIDTHxHEIGHT in pixels.")] = "1920x1080",
    as_json: JsonOption = False,
) -> None:
    """Start a desktop that stays up until it is stopped, and return when it is ready; one that is up is reused."""
    desktop = run_async(partial(start_named, name, size=_size(size)))
    if as_json:
        print_json(_as_object(desktop))
        return
    print_line(f"{desktop.name} {desktop.display}")
    print_note(f'use it: eval "$(deskhand desktop env {desktop.name})"')


def list_all(as_json: JsonOption = False) -> None:
    """List the desktops that are up; on stderr those that ended by themselves or have an unreadable entry."""
    desktops = run_async(_with_holders)
    unusable = unusable_named()
    if as_json:
        listed: list[JsonValue] = [
            {
                "name": desktop.name,
                "display": desktop.display,
                "held_by": {"pid": holder.pid, "what": holder.what} if holder else None,
                "notice": desktop.notice or None,
            }
            for desktop, holder in desktops
        ]
        gone: list[JsonValue] = [{"name": desktop.name, "why": desktop.why} for desktop in ended_named()]
        unknown: list[JsonValue] = [{**Failure.of(error).as_json} for error in unusable]
        print_json({"desktops": listed, "ended": gone, "unusable": unknown})
        return
    for error in unusable:
        print_error(error.message, error.fix)
    for ended in ended_named():
        print_note(f"{ended.name} has ended: {printable(ended.why)}; deskhand desktop start {ended.name}")
    if not desktops:
        print_note("no desktop is up; start one: deskhand desktop start NAME")
    for desktop, holder in desktops:
        print_line(f"{desktop.name} {desktop.display}{f' held by {printable(holder.told)}' if holder else ''}")
        if desktop.notice:
            print_note(f"{desktop.name}: {printable(desktop.notice)}")


async def _with_holders() -> list[tuple[NamedDesktop, Holder | None]]:
    """Desktops that are up, each with the process that holds its pointer and keyboard."""
    found: list[tuple[NamedDesktop, Holder | None]] = []
    for desktop in await list_named():
        with suppress(DesktopGone):  # it ended meanwhile
            found.append((desktop, await holder_of(desktop.display)))
    return found


def stop(
    name: Annotated[str, typer.Argument(help="Name of the desktop.")] = "",
    all_: Annotated[bool, typer.Option("--all", help="Stop every desktop.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Stop a desktop, or all, with everything that runs there. One that had ended leaves the list."""
    if bool(name) == all_:
        raise UsageError("no desktop is named", fix="deskhand desktop stop NAME, or deskhand desktop stop --all")
    ended = [desktop for desktop in ended_named() if all_ or desktop.name == name]
    if all_:
        stopped = run_async(stop_all)
    elif run_async(partial(stop_named, name)):
        stopped = (name,)
    elif ended:
        stopped = ()
    else:
        raise not_up(name)
    for each in ended:
        forget_ended(each)
        print_note(f"{each.name} had already ended, with its programs: {printable(each.why)}")
    if as_json:
        print_json({"stopped": list(stopped)})
        return
    for each in stopped:
        print_line(f"stopped {each}")


def env(name: Annotated[str, typer.Argument(help="Name of the desktop.")], as_json: JsonOption = False) -> None:
    """Print the exports that bring a shell's programs to a desktop: eval "$(deskhand desktop env NAME)".

    PATH is extended: the desktop's own programs come first, those of the shell after them.
    """
    desktop = next((desktop for desktop in run_async(list_named) if desktop.name == name), None)
    if desktop is None:
        raise not_up(name)
    if as_json:
        print_json(_as_object(desktop))
        return
    for variable, value in sorted(desktop.environment.items()):
        if variable == "PATH":
            own = [part for part in value.split(os.pathsep) if Path(part).is_relative_to(desktop.directory)]
            print_line(f'export PATH={shlex.quote(os.pathsep.join(own))}:"$PATH"')
        elif _VARIABLE.fullmatch(variable) and variable not in _OF_THE_SHELL:
            print_line(f"export {variable}={shlex.quote(value)}")


def _as_object(desktop: NamedDesktop) -> JsonObject:
    return {"name": desktop.name, "display": desktop.display, "env": dict(desktop.environment)}


def _size(text: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a size", fix="give WIDTHxHEIGHT in pixels, such as 1920x1080")
    width, height = int(match[1]), int(match[2])
    if max(width, height) > _LARGEST:
        raise UsageError(f"{text!r} is too large for a screen", fix=f"give at most {_LARGEST} pixels in each direction")
    return width, height
