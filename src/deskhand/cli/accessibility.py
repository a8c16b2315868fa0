"""`deskhand accessibility`."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Final

import typer

from deskhand.accessibility.inspection import Inspection, inspect
from deskhand.accessibility.page import as_object, write_accessibility_page
from deskhand.cli.console import print_json, print_line, printable
from deskhand.cli.desktop_choice import DesktopOption, JsonOption, WindowOption, observed_desktop, settings_here
from deskhand.cli.invocation import invocation
from deskhand.cli.launch import application_of
from deskhand.cli.signals import run_async
from deskhand.core.errors import EXIT_FAILED, UsageError
from deskhand.core.target import TargetInfo
from deskhand.desktop.backends import Virtual, open_desktop
from deskhand.desktop.observation_settings import observe_by
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.session.window_names import chosen_window

_PAGE: Final = Path("accessibility.html")


@dataclass(frozen=True, slots=True)
class _Job:
    command: list[str]
    desktop: str
    window: str
    may_press: bool


def add_to(app: typer.Typer) -> None:
    app.command("accessibility")(accessibility)


def accessibility(
    command: Annotated[
        list[str] | None, typer.Argument(help="Program to start, and its arguments, after --.", show_default=False)
    ] = None,
    desktop: DesktopOption = "",
    window: WindowOption = "",
    press: Annotated[
        bool, typer.Option("--press", help="Switch its boxes and back, and press Tab, also in a window that was open.")
    ] = False,
    out: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The page with the findings.")] = _PAGE,
    as_json: JsonOption = False,
) -> int:
    """Report controls of an application that assistive programs and tests cannot name or use: none (exit 0), or
    some (1). A program is started on a private desktop of its own, unless --desktop names one.
    """
    if command and window:
        raise UsageError("--window names an open window, and a program is to be started", fix="leave one of them out")
    path = invocation().path(out)
    found = run_async(lambda: _inspected(_Job(command or [], desktop, window, press)))
    write_accessibility_page(found, path)
    if as_json:
        print_json({**as_object(found), "page": str(path), "error": None})
    else:
        _print(found, path)
    return EXIT_FAILED if found.findings else 0


def _print(found: Inspection, path: Path) -> None:
    findings = _counted(len(found.findings), "finding")
    print_line(printable(f"{found.window.name}: {findings} in {_counted(found.controls, 'control')}"))
    for title, number in found.counts().items():
        print_line(f"  {number:>4}  {title}")
    for note in found.notes:
        print_line(f"  {printable(note)}")
    print_line(f"page: {printable(str(path))}")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


async def _inspected(job: _Job) -> Inspection:
    """Raises: UsageError, LaunchFailed, ApplicationGone, ApplicationUnresponsive, CaptureFailed, DesktopGone."""
    async with _desktop(job) as opened:
        window = await _window(opened, job)
        may_type = job.may_press or bool(job.command)
        return await inspect(opened, window, may_type=may_type, may_press=job.may_press)


async def _window(desktop: Desktop, job: _Job) -> TargetInfo:
    if not job.command:
        return await chosen_window(desktop, job.window)
    return await desktop.launch(application_of(job.command))


@asynccontextmanager
async def _desktop(job: _Job) -> AsyncGenerator[Desktop]:
    """The named desktop, or a private one for a program to start."""
    if job.desktop or not job.command:
        async with observed_desktop(job.desktop) as desktop:
            yield desktop
        return
    with TemporaryDirectory(prefix="deskhand-", ignore_cleanup_errors=True) as folder:
        async with open_desktop(Virtual("accessibility", Path(folder), (1280, 900))) as desktop:
            observe_by(desktop, settings_here())
            yield desktop
