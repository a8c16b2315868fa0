"""`deskhand record`: a playbook, a test or a feature of what a user does on a desktop (ADR 0137)."""

import os
import shlex
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from deskhand.cli.console import print_error, print_line, printable
from deskhand.cli.desktop_choice import DesktopOption, held_desktop, settings_here
from deskhand.cli.form_choice import FormOption, ReplaceOption, check_form
from deskhand.cli.invocation import invocation
from deskhand.cli.signals import run_and_conclude
from deskhand.cli.work import Stopped, Work
from deskhand.core.errors import StoppedByPerson, UsageError
from deskhand.core.target import TargetInfo, same_window
from deskhand.desktop.applications import in_folder
from deskhand.desktop.backends import recorded_input
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.desktop.protocols.live import RecordedEvent
from deskhand.desktop.protocols.windows import Application
from deskhand.models.playbook_file import parse_playbook
from deskhand.record.book import Book
from deskhand.record.recorder import Recorder
from deskhand.record.scene import Scene
from deskhand.report.exports import in_form
from deskhand.report.script_plan import Origin
from deskhand.store.atomic_files import write_atomic

_WHO: Final = "deskhand record"
_DISPLAY: Final = "DISPLAY"


def add_to(app: typer.Typer) -> None:
    app.command("record")(record)


def record(
    command: Annotated[
        list[str] | None, typer.Argument(help="Program to start, after --; the recording ends with it.")
    ] = None,
    *,
    output: FormOption,
    desktop: DesktopOption = "",
    until_closed: Annotated[
        bool, typer.Option("--until-closed", help="End when the program of the active window has no window left.")
    ] = False,
    force: ReplaceOption = False,
) -> int:
    """Record what you do on a desktop, until Ctrl+C, the stop key, or the end of the program."""
    check_form(output, force=force)
    recording = _Recording(invocation().path(output), tuple(command or ()))

    async def work() -> None:
        with suppress(StoppedByPerson):
            async with held_desktop(desktop, settings_here(), _WHO) as opened:
                await recording.run(opened, ends_with_window=until_closed or bool(command))

    return run_and_conclude(work, recording.conclude)


@dataclass(slots=True)
class _Recording:
    """The file, and the error of its form, if that cannot express a step.

    `steps`: how many were written; `doubts`: those in doubt, and input that was not recorded.
    """

    file: Path
    command: tuple[str, ...]
    error: UsageError | None = None
    steps: int = 0
    doubts: tuple[str, ...] = ()
    window: TargetInfo | None = None

    async def run(self, desktop: Desktop, *, ends_with_window: bool) -> None:
        """Record on a desktop. Raises: DesktopGone, MissingRequirement, LaunchFailed."""
        if self.command:
            argv = in_folder(invocation().folder, self.command)
            self.window = await desktop.launch(Application(name=Path(self.command[0]).name, argv=argv))
        else:
            windows = await desktop.windows()
            active = next((each for each in windows if "active" in each.states), None)
            self.window = active or next(iter(windows), None)
        recorder = Recorder(desktop, Book(self.file.stem, command=shlex.join(self.command)), self.write)
        display = desktop.environment.get(_DISPLAY) or os.environ.get(_DISPLAY, "")
        is_over: Callable[[Scene], bool] = self._is_closed if ends_with_window else _never
        await recorder.run(partial(_listen, display, desktop.name), is_over)

    def _is_closed(self, scene: Scene) -> bool:
        window = self.window
        return window is not None and not any(
            same_window(each, window) or (window.pid is not None and each.pid == window.pid) for each in scene.windows
        )

    def write(self, book: Book) -> None:
        """Write the file, complete up to now; a playbook beside it where its form cannot express a step."""
        text, self.steps, self.doubts = book.text(), book.count, book.doubts
        playbook = parse_playbook(text, self.file.name)
        try:
            written = in_form(playbook, self.file, Origin("a recording", self.command))
        except UsageError as error:
            self.error = error
            write_atomic(self.beside, text.encode(), doing="write the recording")
        else:
            self.error = None
            head = [f"# {each}\n" for each in self.doubts if written != text]
            write_atomic(self.file, f"{''.join(head)}{written}".encode(), doing="write the recording")

    @property
    def beside(self) -> Path:
        """The playbook that is written where the form cannot express a step."""
        return self.file.with_suffix(".yaml")

    def conclude(self, work: Work[None]) -> int:
        """Print what was written. Raises: the error of the recording, UsageError for a step that was not expressed."""
        if work.error is not None and not isinstance(work.error, Stopped):
            raise work.error
        if self.error is not None:
            raise UsageError(self.error.message, fix=f"{self.error.fix}; all steps are in {self.beside}")
        for each in self.doubts:
            print_error(printable(f"{self.file}: {each}"))
        if not self.steps:
            print_error("nothing was recorded, and no file written")
            return 1
        print_line(printable(f"{self.file}: {self.steps} step{'s' if self.steps != 1 else ''}"))
        return 0


@asynccontextmanager
async def _listen(display: str, name: str, take: Callable[[RecordedEvent], None]) -> AsyncGenerator[None]:
    """Report input, and say from when on."""
    async with recorded_input(display, take):
        print_error(f"recording on {name}; Ctrl+C ends it")
        yield


def _never(_: Scene) -> bool:
    return False
