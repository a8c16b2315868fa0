"""Tests of applications with unittest."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import ClassVar
from unittest import SkipTest, TestCase

from deskhand.sync import Desktop, Window
from deskhand.testing.failures import DEFAULT_FOLDER, save_desktop
from deskhand.testing.opening import open_for_tests
from deskhand.testing.tracebacks import shorten

__unittest = True
"""Name by which unittest leaves the frames of this module out."""


class DesktopTestCase(TestCase):
    """A test case with a private desktop, which its tests share; after each, programs are ended and files are gone.

    A test that fails leaves a picture and the list of controls in a folder of its name in `failures`, which the failure
    names. `timeout_s`: how long actions and expectations wait. An action that was sent raises nothing where its effect
    is in doubt: expectations judge.
    """

    desktop: ClassVar[Desktop]
    failures: ClassVar[Path] = Path(DEFAULT_FOLDER)
    timeout_s: ClassVar[float] = 10.0

    def __init__(self, methodName: str = "runTest") -> None:  # noqa: N803 - unittest's name
        super().__init__(methodName)
        self.addCleanup(self._reset)
        test: Callable[[], object] | None = getattr(self, methodName, None)
        if test is not None:
            setattr(self, methodName, self._saving(test))

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

    def _saving(self, test: Callable[[], object]) -> Callable[[], object]:
        @wraps(test)
        def run() -> object:
            with _Saved(self.desktop, self.failures / re.sub(r"[^\w.]+", "-", self.id())):
                return test()

        return run


class _Saved:
    """Saves the desktop where the block fails, and names the folder in the error."""

    def __init__(self, desktop: Desktop, folder: Path) -> None:
        self._desktop = desktop
        self._folder = folder

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not isinstance(error, SkipTest):
            sentence, _ = save_desktop(self._desktop, self._folder)
            error.add_note(sentence)
            shorten(error)
