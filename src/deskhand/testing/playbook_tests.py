"""Playbooks as tests: `test_*.yaml` is collected, and passes if its session succeeds."""

import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import pytest

import deskhand
from deskhand.core.errors import DeskhandError
from deskhand.core.outcomes import Outcome
from deskhand.models.playbook_file import load_playbook
from deskhand.models.steps import Playbook
from deskhand.report.html import write_report
from deskhand.session.round import Ending
from deskhand.testing import options
from deskhand.testing.recorded_test import REPORT_NAME
from deskhand.testing.repeats import PROPERTY, repeat_ids, repeated_name

_LAUNCH: Final = "launch_application"


class PlaybookFailed(Exception):
    """The session of a playbook did not succeed. The message has its outcome and reason."""


class PlaybookFile(pytest.File):
    """A playbook: one test, or as many as it is to be repeated."""

    @classmethod
    def of(cls, path: Path, parent: pytest.Collector) -> "PlaybookFile":
        made: PlaybookFile = cls.from_parent(parent, path=path)  # pyright: ignore[reportUnknownMemberType] - pytest's
        return made

    def collect(self) -> "Iterator[PlaybookTest]":
        """Raises: CollectError with the mistakes of the file."""
        try:
            load_playbook(self.path)
        except DeskhandError as error:
            raise self.CollectError(str(error)) from error
        times = options.repetitions(self.config)
        names = [f"{self.path.stem}[{each}]" for each in repeat_ids(times)] if times > 1 else [self.path.stem]
        for name in names:
            test: PlaybookTest = PlaybookTest.from_parent(self, name=name)  # pyright: ignore[reportUnknownMemberType]
            yield test


class PlaybookTest(pytest.Item):
    """One session of a playbook, on a private desktop of its own."""

    def runtest(self) -> None:
        """Raises: PlaybookFailed, UsageError and others as `deskhand.run`."""
        if name := repeated_name(self.nodeid):
            self.user_properties.append((PROPERTY, name))
        folder = options.record_folder(self.config, self.name)
        ending: Ending = anyio.run(partial(self._run, folder))
        if ending.outcome == Outcome.SUCCESS:
            if options.filmed(self.config) != "all":
                shutil.rmtree(folder, ignore_errors=True)
            return
        report = write_report(folder, folder / REPORT_NAME)
        self.user_properties.append(("deskhand_folder", str(folder)))
        self.add_report_section("call", "Deskhand", f"report of all actions: {report}")
        raise PlaybookFailed(f"{ending.outcome}: {ending.reason}")

    async def _run(self, folder: Path) -> Ending:
        return await deskhand.run(_request(load_playbook(self.path)), playbook=self.path, out=folder)

    def repr_failure(  # pyright: ignore[reportIncompatibleMethodOverride] - as pytest's own items
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str:
        """Return the reason alone where the playbook is at fault, or its session."""
        if isinstance(excinfo.value, PlaybookFailed | DeskhandError):
            return f"{self.path.name}: {excinfo.value}"
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, 0, self.name


def _request(book: Playbook) -> str:
    """Return a request that names the applications which the playbook launches, as the rules demand."""
    launched = [str((step.args or {}).get("application", "")) for step in book.host if step.tool == _LAUNCH]
    return ", ".join([book.name, *filter(None, launched)])
