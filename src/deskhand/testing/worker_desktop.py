"""The private desktop of one test process."""

from contextlib import AbstractContextManager, ExitStack

import deskhand.sync
from deskhand.core.errors import DeskhandError
from deskhand.testing.opening import open_for_tests


class WorkerDesktop:
    """A private desktop that is opened for the first test that asks for it, and cleaned for each later one.

    `size`: physical pixels. `timeout_s`: how long actions and expectations wait. `update_references`: references are
    written anew.
    """

    def __init__(self, size: tuple[int, int], timeout_s: float, *, update_references: bool = False) -> None:
        self._update_references = update_references
        self._size = size
        self._timeout_s = timeout_s
        self._open: deskhand.sync.Desktop | None = None
        self._stack = ExitStack()

    def clean(self) -> deskhand.sync.Desktop:
        """Return the desktop with no program on it: a new one where the last one cannot be cleaned.

        Raises: MissingRequirement, DesktopStartFailed.
        """
        if self._open is not None:
            try:
                self._open.reset()
            except DeskhandError:  # it is gone, or a program cannot be ended
                self.close()
        if self._open is None:
            self._open = self._stack.enter_context(self.fresh())
        return self._open

    def fresh(self) -> AbstractContextManager[deskhand.sync.Desktop]:
        """Return a desktop that is opened and closed by `with`."""
        return open_for_tests(size=self._size, timeout_s=self._timeout_s, update_references=self._update_references)

    def close(self) -> None:
        """End the desktop with its programs."""
        self._open = None
        self._stack.close()
