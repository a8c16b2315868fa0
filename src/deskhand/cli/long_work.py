"""Work that may take longer than two seconds: then a terminal shows its part done and its seconds."""

import sys
import threading
import time
from collections.abc import Callable
from typing import Final, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from deskhand.cli.console import printable

AFTER_S: Final = 2.0
"""Time without anything on the terminal."""
_PER_SECOND: Final = 4
_BAR: Final = 20


class LongWork:
    """A row on stderr that goes when the work ends, as `with`. Where no terminal is there is none.

    `what` is done, as in `learning`. `seen` may be given to the work as the receiver of the part that is done.
    """

    def __init__(
        self,
        what: str,
        console: Console | None = None,
        *,
        after_s: float = AFTER_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what = what
        self._console = console or Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
        self._after_s = after_s
        self._clock = clock
        self._began = clock()
        self._done, self._all = 0, 0
        self._live: Live | None = None
        self._timer: threading.Timer | None = None
        self._guard = threading.Lock()

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._timer = threading.Timer(self._after_s, self._start)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._guard:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._live is not None:
                self._live.stop()
                self._live = None

    def seen(self, done: int, every: int) -> None:
        """So many parts of all are done."""
        self._done, self._all = done, every

    def _start(self) -> None:
        with self._guard:
            if self._timer is None:
                return  # the work has ended meanwhile
            self._live = Live(
                get_renderable=self.row,
                console=self._console,
                transient=True,
                refresh_per_second=_PER_SECOND,
                redirect_stdout=False,
            )
            self._live.start(refresh=True)

    def row(self) -> Text:
        """The row as it is now."""
        took = f"{self._clock() - self._began:.0f} s"
        if not self._all:
            return Text(f"{printable(self._what)} … {took}", no_wrap=True, overflow="ellipsis")
        full = round(min(1.0, self._done / self._all) * _BAR)
        parts = (("█" * full, "green"), ("░" * (_BAR - full), "dim"), f" {self._done} of {self._all}, {took}")
        return Text.assemble(f"{printable(self._what)} ", *parts, no_wrap=True, overflow="ellipsis")
