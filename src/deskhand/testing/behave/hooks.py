"""Hooks of a run, for `features/environment.py`: `from deskhand.testing.behave.hooks import *`.

One private desktop serves the whole run; after each scenario its programs are ended and their files are gone. Of a step
that fails, a picture and the list of controls go to the formatters and into a folder, which the output names. Settings,
in `[behave.userdata]` of `behave.ini`: `deskhand.timeout` (seconds that steps wait), `deskhand.failures` (the folder),
`deskhand.application.NAME` (a command) and `deskhand.shortcut.NAME` (keys that quit it).
"""

import re
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Protocol

from deskhand.core.errors import UsageError
from deskhand.testing.behave.context import Context
from deskhand.testing.behave.failures import DEFAULT_FOLDER, save_desktop
from deskhand.testing.behave.phrases import failing
from deskhand.testing.behave.stage import Stage
from deskhand.testing.opening import open_for_tests

__all__ = ["after_scenario", "after_step", "before_all", "before_scenario"]

_COMMANDS: Final = "deskhand.application."


class Place(Protocol):
    """A scenario or step in its file."""

    name: str
    filename: str
    line: int


class Status(Protocol):
    def has_failed(self) -> bool: ...


class Step(Place, Protocol):
    status: Status


@failing
def before_all(context: Context) -> None:
    """Open the desktop."""
    opened = ExitStack()
    context.desktop = opened.enter_context(open_for_tests(timeout_s=_timeout_s(context)))
    context.add_cleanup(opened.close)


def before_scenario(context: Context, scenario: Place) -> None:
    """Begin a scenario in which no application was started and no command has run."""
    del scenario
    settings = context.config.userdata
    commands = {name.removeprefix(_COMMANDS): settings[name] for name in settings if name.startswith(_COMMANDS)}
    context.deskhand = Stage(context.desktop.asynchronous, commands)
    context.last_command = None


def after_step(context: Context, step: Step) -> None:
    """Save the desktop as it is after a step that failed."""
    if not step.status.has_failed():
        return
    name = f"{Path(step.filename).stem}-{step.line}-{re.sub(r'[^a-z0-9]+', '-', step.name.casefold())[:60].strip('-')}"
    folder = Path(context.config.userdata.get("deskhand.failures", DEFAULT_FOLDER)) / name
    sentence, failure = save_desktop(context.desktop, folder)
    print(sentence)  # noqa: T201 - behave shows the output of hooks
    if failure is not None:
        context.attach("image/png", failure.picture)
        context.attach("text/plain", failure.controls.encode())


@failing
def after_scenario(context: Context, scenario: Place) -> None:
    """End the programs of the scenario, and remove their files."""
    del scenario
    context.desktop.remove_core_files()
    context.desktop.reset()


def _timeout_s(context: Context) -> float:
    text = context.config.userdata.get("deskhand.timeout", "10")
    try:
        return float(text)
    except ValueError as error:
        raise UsageError(f'deskhand.timeout is "{text}"', fix="give seconds, such as 10") from error
