"""Playbooks as tests: `test_*.yaml` is collected, and passes if its session succeeds."""

import shutil
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

import anyio
import pytest
from anyio import to_thread

import deskhand
from deskhand.core.errors import DeskhandError
from deskhand.core.outcomes import Outcome
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import load_session_playbook
from deskhand.models.steps import Playbook
from deskhand.report.html import write_report
from deskhand.session.build import open_for_session
from deskhand.session.round import Ending
from deskhand.testing import options
from deskhand.testing.recorded_test import REPORT_NAME, VIDEO_NAME, files_of
from deskhand.testing.repeats import PROPERTY, repeat_ids, repeated_name
from deskhand.testing.video import Video

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
            book = load_session_playbook(self.path)
        except DeskhandError as error:
            raise self.CollectError(str(error)) from error
        times = options.repetitions(self.config)
        names = [f"{self.path.stem}[{each}]" for each in repeat_ids(times)] if times > 1 else [self.path.stem]
        for name in names:
            test: PlaybookTest = PlaybookTest.from_parent(self, name=name, book=book)  # pyright: ignore[reportUnknownMemberType]
            yield test


class PlaybookTest(pytest.Item):
    """One session of a playbook, on a private desktop of its own."""

    def __init__(self, name: str, parent: PlaybookFile, book: Playbook) -> None:
        super().__init__(name, parent)  # pyright: ignore[reportUnknownMemberType] - pytest's
        self._book = book
        self._problems: list[str] = []

    def runtest(self) -> None:
        """Raises: PlaybookFailed, UsageError and others as `deskhand.run`."""
        if name := repeated_name(self.nodeid):
            self.user_properties.append((PROPERTY, name))
        folder = options.record_folder(self.config, self.name)
        film = options.filmed(self.config)
        ending: Ending = anyio.run(partial(self._run, folder, film=bool(film)))
        passed = ending.outcome == Outcome.SUCCESS
        if passed and film != "all":
            shutil.rmtree(folder, ignore_errors=True)
            return
        write_report(folder, folder / REPORT_NAME)
        if not passed:
            self.user_properties.append(("deskhand_folder", str(folder)))
            self.add_report_section("call", "Deskhand", "\n".join([*files_of(folder), *self._problems]))
            raise PlaybookFailed(f"{ending.outcome}: {ending.reason}")

    async def _run(self, folder: Path, *, film: bool) -> Ending:
        opens = partial(self._opened, folder / VIDEO_NAME) if film else open_for_session
        return await deskhand.run(_request(self._book), model=PlaybookModel(self._book), out=folder, opens=opens)

    @asynccontextmanager
    async def _opened(self, video: Path, choice: str, session_id: str, root: Path) -> AsyncGenerator[Desktop]:
        """Open the desktop of a session, with a video of it."""
        async with open_for_session(choice, session_id, root) as desktop:
            film = await to_thread.run_sync(Video, desktop.environment["DISPLAY"], video)
            try:
                yield desktop
            finally:
                with anyio.CancelScope(shield=True):
                    self._problems += filter(None, [await to_thread.run_sync(film.stop)])

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
