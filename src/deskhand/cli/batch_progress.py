"""Progress of the tasks of a batch on stderr: a live table on a terminal, else a line for each task."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from deskhand.cli.console import printable
from deskhand.core.outcomes import Outcome
from deskhand.report.formatting import seconds
from deskhand.session.plan_file import Task


@dataclass(slots=True)
class _Running:
    began: float
    step: int = 0
    told: str = "starting"


@dataclass(slots=True)
class BatchProgress:
    """The tasks that run, and those that have ended. `left`: the number of tasks to run; `quiet`: problems alone."""

    left: int
    workers: int
    console: Console = field(default_factory=lambda: Console(stderr=True, highlight=False))
    clock: Callable[[], float] = time.monotonic
    quiet: bool = False
    _running: dict[str, _Running] = field(default_factory=dict[str, _Running])
    _took: list[float] = field(default_factory=list[float])
    _failed: int = 0
    _live: Live | None = None

    def __enter__(self) -> "BatchProgress":
        if self.console.is_terminal and not self.quiet:
            self._live = Live(get_renderable=self._table, console=self.console, transient=True, refresh_per_second=4)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def began(self, task: Task) -> None:
        self._running[task.id] = _Running(self.clock())
        if self._live is None and not self.quiet:
            self._print(f"task {task.id} began: {task.task}")

    def stepped(self, task: Task, step: int, told: str) -> None:
        running = self._running[task.id]
        running.step, running.told = step, told or running.told

    def remarked(self, task: Task, told: str) -> None:
        self._print(f"task {task.id}: {told}")

    def note(self, told: str) -> None:
        """Print a line that is about no task."""
        self._print(told)

    def ended(self, task: Task, outcome: Outcome, reason: str) -> None:
        running = self._running.pop(task.id, None)
        if running is not None:
            self._took.append(self.clock() - running.began)
        self._failed += outcome is not Outcome.SUCCESS
        if self.quiet and outcome is Outcome.SUCCESS:
            return
        took = f" after {seconds(self._took[-1])}" if running else ""
        self._print(f"task {task.id}: {outcome}{took}{f', {reason}' if reason else ''}")
        if self._live is None and not self.quiet and outcome is not Outcome.CANCELLED:
            self._print(self.summary)

    def asking(self, task: Task) -> None:
        if self._live is not None:
            self._live.stop()
        self._print(f"task {task.id} asks:")

    def asked(self) -> None:
        if self._live is not None:
            self._live.start()

    @property
    def summary(self) -> str:
        """The number of tasks that have ended, and an estimate of the time for the others."""
        ended = len(self._took)
        told = f"{ended} of {self.left} ended"
        told += f", {self._failed} without success" if self._failed else ""
        if not self._took or ended == self.left:
            return told
        mean = sum(self._took) / ended
        running = sum(max(0.0, mean - (self.clock() - each.began)) for each in self._running.values())
        waiting = self.left - ended - len(self._running)
        return f"{told}, about {_about((running + waiting * mean) / self.workers)} left"

    def _table(self) -> RenderableType:
        table = Table.grid(padding=(0, 2, 0, 0), expand=True)
        table.add_column(no_wrap=True, max_width=30)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        now = self.clock()
        for name, running in self._running.items():
            step = f"step {running.step}" if running.step else ""
            table.add_row(name, seconds(now - running.began), step, Text(printable(running.told)))
        return Group(table, Text(self.summary))

    def _print(self, line: str) -> None:
        self.console.print(Text(printable(line)), soft_wrap=True)


def _about(duration: float) -> str:
    """An estimated duration, without the digits that it cannot have."""
    return f"{duration:.0f} s" if duration < 90 else f"{duration / 60:.0f} min"
