"""Record of one test on a desktop: a session's folder, which stays where the test failed."""

import re
import shutil
from collections import Counter
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Final

import deskhand.sync
from deskhand.core.errors import DeskhandError
from deskhand.core.events import ActionFinished
from deskhand.report.html import write_report
from deskhand.store.journal import read_events
from deskhand.testing.video import Video

REPORT_NAME: Final = "report.html"
VIDEO_NAME: Final = "video.webm"
OUTPUT_NAME: Final = "output"
_FILES: Final = {"report of all actions": REPORT_NAME, "output of programs": OUTPUT_NAME, "video": VIDEO_NAME}
_ACTIONS: Final = frozenset({"action_finished"})


class RecordedTest:
    """The record of one test, written while it runs. `folder`: its own, which nothing else is in.

    `keep_all`: the folder stays for a test that passed, too. `film`: with a video.
    """

    def __init__(
        self, desktop: deskhand.sync.Desktop, folder: Path, name: str, *, film: bool = False, keep_all: bool = False
    ) -> None:
        """Raises: StoreError, MissingRequirement (a video without ffmpeg)."""
        self.folder = folder
        self._desktop = desktop
        self._keep_all = keep_all
        self._stack = ExitStack()
        self._is_open = True
        self._failed = False
        self._problems: list[str] = []
        self._stack.enter_context(desktop.recorded(folder, name))
        self._video = Video(desktop.environment["DISPLAY"], folder / VIDEO_NAME) if film else None

    def finish(self, error: BaseException | None = None) -> None:
        """Write the end of the record, with the state of the desktop if there is an error; later calls do nothing.

        A record that cannot be written is a sentence in `describe`: the test's own outcome stands.
        """
        if not self._is_open:
            return
        self._is_open = False
        self._failed = error is not None
        if self._video is not None:
            self._problems += filter(None, [self._video.stop()])
        for write in (self._write_outputs, partial(self._end, error), self._write_report):
            try:
                write()
            except (DeskhandError, OSError) as problem:
                self._problems.append(f"the record is incomplete: {problem}")
        with suppress(DeskhandError):  # the desktop may be gone
            self._desktop.remove_core_files()

    def _end(self, error: BaseException | None) -> None:
        self._stack.__exit__(type(error) if error else None, error, error.__traceback__ if error else None)

    def _write_report(self) -> None:
        if self._failed or self._keep_all:
            write_report(self.folder, self.folder / REPORT_NAME)

    def _write_outputs(self) -> None:
        """Write the output of each program, and the backtraces of those that died, if the test failed."""
        if not self._failed:
            return
        outputs = {name: text for name, text in self._desktop.outputs().items() if text.strip()}
        with suppress(DeskhandError):  # the desktop may be gone
            outputs |= {f"{name}-backtrace": text for name, text in self._desktop.backtraces().items()}
        if outputs:
            folder = self.folder / OUTPUT_NAME
            folder.mkdir()
            for name, text in outputs.items():
                file = re.sub(r"[^\w.-]+", "-", name)
                (folder / f"{file}.txt").write_text(text, encoding="utf-8")

    def close(self) -> None:
        """Finish it, and remove the folder of a test that passed."""
        self.finish()
        if not self._failed and not self._keep_all:
            shutil.rmtree(self.folder, ignore_errors=True)

    def describe(self) -> str:
        """Return the places of the files that were written, a line each."""
        return "\n".join([*files_of(self.folder), *self._problems])

    def counts(self) -> dict[str, str]:
        """Return the numbers of actions and of their effects, as properties of a test."""
        finished = (event for event in read_events(self.folder, kinds=_ACTIONS) if isinstance(event, ActionFinished))
        effects = Counter(event.effect or "failed" for event in finished)
        return {"deskhand_actions": str(effects.total())} | {
            f"deskhand_{effect}": str(number) for effect, number in sorted(effects.items())
        }


def files_of(folder: Path) -> list[str]:
    """Return the places of the files that are in the folder of a test, a line each."""
    return [f"{name}: {folder / file}" for name, file in _FILES.items() if (folder / file).exists()]
