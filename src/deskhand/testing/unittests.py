"""Tests of applications with unittest."""

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import ClassVar
from unittest import SkipTest, TestCase

from deskhand.store.journal import is_journal
from deskhand.sync import Desktop, Window
from deskhand.testing.opening import open_for_tests
from deskhand.testing.recorded_test import RecordedTest
from deskhand.testing.tracebacks import shorten

__unittest = True
"""Name by which unittest leaves the frames of this module out."""


class DesktopTestCase(TestCase):
    """A test case with a private desktop, which its tests share; after each, programs are ended and files are gone.

    A test that fails leaves its record in a folder of its name in `failures`, which the failure names: the report of
    all actions, a picture, the list of controls, the output of programs. `timeout_s`: how long actions and expectations
    wait. An action that was sent raises nothing where its effect is in doubt: expectations judge.
    """

    desktop: ClassVar[Desktop]
    failures: ClassVar[Path] = Path("deskhand-failures")
    timeout_s: ClassVar[float] = 10.0

    def __init__(self, methodName: str = "runTest") -> None:  # noqa: N803 - unittest's name
        super().__init__(methodName)
        self.addCleanup(self._reset)
        test: Callable[[], object] | None = getattr(self, methodName, None)
        if test is not None:
            setattr(self, methodName, self._recorded(test))

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.desktop = cls.enterClassContext(open_for_tests(timeout_s=cls.timeout_s))

    def launch(
        self,
        application: str = "",
        file: Path | str | None = None,
        *,
        argv: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Window:
        """Launch an application of the machine, or a program of your own by `argv`, as `Desktop.launch` does."""
        return self.desktop.launch(application, file, argv=argv, environment=environment)

    def _reset(self) -> None:
        self.desktop.reset()

    def _recorded(self, test: Callable[[], object]) -> Callable[[], object]:
        @wraps(test)
        def run() -> object:
            folder = self.failures.absolute() / re.sub(r"[^\w.]+", "-", self.id())
            if is_journal(folder):  # of an earlier run
                shutil.rmtree(folder)
            record = RecordedTest(self.desktop, folder, self.id())
            try:
                return test()
            except Exception as error:
                if not isinstance(error, SkipTest):
                    record.finish(error)
                    error.add_note(record.describe())
                    shorten(error)
                raise
            finally:
                record.close()
                with suppress(OSError):  # others are in there
                    folder.parent.rmdir()

        return run
