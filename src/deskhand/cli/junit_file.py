"""The file of `--junit`."""

import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from deskhand.cli.console import Failure
from deskhand.cli.invocation import invocation
from deskhand.core.errors import DeskhandError
from deskhand.report.junit import junit_xml
from deskhand.report.suite_results import (
    Case,
    Suite,
    Verdict,
    environment,
    suite_of_session,
    unfinished,
    verdict_of,
)
from deskhand.report.summary import SessionSummary
from deskhand.session.batch import TaskEnding
from deskhand.store.atomic_files import write_atomic

JunitOption: TypeAlias = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write the result as JUnit XML.", show_default=False)
]


class JunitFile:
    """Results of one command. Without a path nothing is written."""

    def __init__(self, path: Path | None, name: str) -> None:
        self._path = path
        self._name = name
        self.started_at = time.time()
        self.suites: list[Suite] = []

    def add_session(self, name: str, summary: SessionSummary) -> None:
        self.suites.append(suite_of_session(name, summary, self.started_at))

    def add_tasks(self, endings: Iterable[TaskEnding], ran: Mapping[str, SessionSummary]) -> None:
        """Add the tasks of a batch, each as a suite of one case; `ran`: the summaries of those that ran, by id."""
        for ending in endings:
            if summary := ran.get(ending.id):
                self.add_session(ending.id, summary)
            else:
                self.suites.append(Suite(ending.id, [_not_run(ending)], self.started_at, environment()))

    def give_up(self, message: str, kind: str = "Unfinished") -> None:
        """Replace the results by an error of the whole command."""
        self.suites = [Suite(self._name, [unfinished(self._name, message, kind)], self.started_at, environment())]

    def write(self) -> None:
        """Raises: StoreError."""
        if self._path is not None:
            write_atomic(self._path, junit_xml(self.suites), doing="write the results to")


def _not_run(ending: TaskEnding) -> Case:
    """The case of a task that succeeded before, did not begin, or could not."""
    if ending.skipped:
        return Case(ending.id, Verdict.SKIPPED, "it succeeded in an earlier run, and was not repeated")
    return Case(ending.id, verdict_of(ending.outcome), ending.reason, ending.outcome.value)


@contextmanager
def junit_file(path: Path | None, name: str) -> Generator[JunitFile]:
    """Results that are in the file at the end of the block. An error or interruption is a result as well.

    Until then the file has an error, so that a process that is killed leaves no results of an earlier run.
    Raises: StoreError.
    """
    file = JunitFile(path and invocation().path(path), name)
    file.give_up("the command did not end: it was killed, or still runs")
    file.write()
    file.suites = []
    try:
        yield file
    except DeskhandError as error:
        failure = Failure.of(error)
        file.give_up(f"{failure.message}; {failure.fix}" if failure.fix else failure.message, failure.type)
        raise
    except KeyboardInterrupt:
        file.give_up("cancelled by the user", "Cancelled")
        raise
    finally:
        if not file.suites:
            file.give_up("the command ended without a result")
        file.write()
