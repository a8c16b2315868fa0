"""The context of a run of behave, as steps and hooks of ours use it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from deskhand.sync import Desktop
from deskhand.testing.behave.stage import Stage


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """The command that ran last. `text`: its output, without the last line's end."""

    command: str
    text: str
    errors: str
    code: int


class BehaveConfig(Protocol):
    """`userdata`: of `behave.ini` and `-D NAME=VALUE`."""

    userdata: Mapping[str, str]


class Context(Protocol):
    """`desktop`: the private desktop of the run, for steps of the tester's own. `deskhand`: for ours, by scenario."""

    desktop: Desktop
    deskhand: Stage
    last_command: CommandOutput | None
    config: BehaveConfig

    def attach(self, mime_type: str, data: bytes) -> None:
        """Give data to the formatters that show it."""
        ...

    def add_cleanup(self, function: Callable[[], object]) -> None:
        """Call a function at the end of the run, feature or scenario that is under way."""
        ...


def on_desktop(context: Context, work: Callable[[], Awaitable[object]]) -> None:
    """Carry out work with `await` in the event loop of the desktop."""
    context.desktop.run(work)
