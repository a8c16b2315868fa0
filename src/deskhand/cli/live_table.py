"""The state of a session as a table on a terminal, below the lines of its progress."""

import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from rich.console import Console, Group
from rich.control import Control
from rich.live import Live
from rich.segment import ControlType
from rich.text import Text

from deskhand.cli.console import at_terminal, printable
from deskhand.cli.progress import Detail, Progress, progress_on_stderr
from deskhand.core.events import (
    ConfirmationAsked,
    ConfirmationDecided,
    Event,
    QuestionsAnswered,
    QuestionsAsked,
    RoundFinished,
    RoundStarted,
    SessionFinished,
    SessionStarted,
    StepStarted,
)
from deskhand.report.formatting import priced, spoken, tone
from deskhand.report.live import Budget, LiveState, Phase

LEAST_COLUMNS: Final = 60
LEAST_LINES: Final = 16
"""Size of a terminal below which there are lines alone."""
_REFRESH_S: Final = 0.1
"""Least time between two pictures of the table."""
_TICK_S: Final = 1.0
"""Time after which its seconds are shown anew."""
_BAR: Final = 20
_NAME: Final = 9
_COLOURS: Final = {"good": "green", "bad": "red", "wary": "yellow", "plain": ""}


class LiveTable:
    """Implements `core.ports.EventSink`. Lines of progress are printed above the table.

    `asks_here`: the user is asked at this terminal, which the table leaves meanwhile. Where the terminal is small there
    are lines alone. `close` is harmless after the end.
    """

    def __init__(
        self,
        console: Console,
        *,
        rounds: bool = False,
        detail: Detail = Detail.NORMAL,
        colour: bool = False,
        asks_here: bool = True,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.state = LiveState()
        self._console = console
        self._asks_here = asks_here
        self._now = now
        self._live: Live | None = None
        self._width = console.width
        self._drawn = Group()
        self._lock = threading.Lock()
        self._drawing = threading.RLock()
        self._changed = threading.Event()
        self._ended = threading.Event()
        self._lines = Progress(AboveTable(self), colour=colour, width=self._width, rounds=rounds, detail=detail)

    def emit(self, event: Event) -> None:
        stamped = event if event.at else event.model_copy(update={"at": self._now()})
        with self._lock:
            self.state.take(stamped)
        if self._leaves_terminal(event):
            self._stop()
        self._lines.emit(event)
        match event:
            case SessionStarted() | StepStarted() | RoundStarted() | QuestionsAnswered() | ConfirmationDecided():
                self._start()
            case _:
                pass
        self._changed.set()

    def close(self) -> None:
        """Remove the table, and leave the terminal as it was."""
        self._ended.set()
        self._stop()

    def _leaves_terminal(self, event: Event) -> bool:
        match event:
            case QuestionsAsked() | ConfirmationAsked():
                return self._asks_here
            case RoundFinished():  # the next request may be typed
                return True
            case SessionFinished():
                return True
            case _:
                return False

    def _start(self) -> None:
        if self._live is not None or self._ended.is_set():
            return
        live = Live(
            get_renderable=lambda: self._drawn,
            console=self._console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
        )
        with self._drawing:
            self._drawn = Group()
            live.start()
            self._live = live
            self.draw()
        threading.Thread(target=self._draw_while, args=(live,), name="live table", daemon=True).start()

    def _stop(self) -> None:
        with self._drawing:
            live, self._live = self._live, None
            if live is not None:
                self._fit()
                live.stop()
        self._changed.set()

    def _draw_while(self, live: Live) -> None:
        """Draw the table when something has changed, and each second, as long as it is there."""
        while self._live is live:
            self._changed.wait(_TICK_S)
            self._changed.clear()
            self.draw()
            self._ended.wait(_REFRESH_S)

    def draw(self) -> None:
        """Draw the table, if it is there and differs from its last picture."""
        rows = self._rows()
        with self._drawing:
            if self._live is not None and (self._fit() or rows != self._drawn.renderables):
                self._drawn = Group(*rows)
                self._live.refresh()

    def print(self, line: str) -> None:
        """Print a line above the table."""
        with self._drawing:
            self._fit()
            self._console.print(Text.from_ansi(line), soft_wrap=True)

    def _fit(self) -> bool:
        """Return whether the terminal has another width now; rows that it has wrapped are erased."""
        width, before = self._console.width, self._width
        if width == before:
            return False
        self._width = width
        self._lines.fit(width)
        rows = [row.cell_len for row in self._drawn.renderables if isinstance(row, Text)]
        wrapped = sum((max(1, cells) - 1) // width for cells in rows)
        if self._live is not None and wrapped:
            up = [(ControlType.CURSOR_UP, 1), (ControlType.ERASE_IN_LINE, 2)] * wrapped
            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2), *up))
        return True

    def _rows(self) -> list[Text]:
        """The rows of the table; none where the terminal is small."""
        width, height = self._console.size
        if width < LEAST_COLUMNS or height < LEAST_LINES:
            return []
        with self._lock:
            rows = table_rows(self.state, self._now())
        for row in rows:
            row.no_wrap = True
            row.truncate(width - 1, overflow="ellipsis")
        return [Text("─" * (width - 1), style="dim"), *rows]


class AboveTable:
    """The place above a table, as the output of `Progress`."""

    def __init__(self, table: LiveTable) -> None:
        self._table = table

    def write(self, text: str) -> None:
        self._table.print(text.removesuffix("\n"))

    def flush(self) -> None:
        return


def table_rows(state: LiveState, now: float) -> list[Text]:
    """The state in a few rows: the host's machine, the active one, step, action, limits, costs, and a wait."""
    shown = [machine for number, machine in enumerate(state.machines.values()) if machine.active or number == 0]
    rows = [_machine(machine.agent, machine.state, active=machine.active) for machine in shown]
    rows.append(_row("phase", *(_phases(state.phases) if state.step else ["starting …"])))
    if state.actions:
        action = state.actions[-1]
        effect = (f"  {action.effect}", _COLOURS[tone(action.effect)]) if action.effect else ("  …", "dim")
        rows.append(_row("action", printable(action.words), effect))
    rows += [_budget(budget) for budget in state.budgets(now) if budget.limit]
    of = state.spent
    if of.input + of.output or of.cost_usd:
        rows.append(_row("spent", f"{of.input + of.output} tokens, {priced(of.cost_usd)}"))
    if waits := _wait(state, now):
        rows.append(_row("waiting", (waits, "bold yellow")))
    return rows


def _row(name: str, *parts: str | tuple[str, str]) -> Text:
    return Text.assemble((f"{name:<{_NAME}}", "dim"), *parts)


def _machine(agent: str, state: str, *, active: bool) -> Text:
    style = "bold" if active else "dim"
    return Text.assemble((f"{'▸' if active else ' '} ", "green"), (f"{printable(agent)}  ", style), (state, style))


def _phases(phases: Sequence[Phase]) -> list[tuple[str, str]]:
    """Each finished phase with its seconds, and the one under way."""
    shown: list[tuple[str, str]] = []
    for phase in phases:
        if phase.seconds is None:
            shown.append((f"{spoken(phase.name)} …  ", ""))
        else:
            shown.append((f"{spoken(phase.name)} {phase.seconds:.2f} s  ", "dim" if phase.ok else "red"))
    return shown


def _budget(budget: Budget) -> Text:
    limit = budget.limit or 1.0
    part = min(1.0, budget.used / limit)
    full = round(part * _BAR)
    style = "red" if part >= 0.9 else "yellow" if part >= 0.8 else "green"
    left = _amount(budget.name, max(0.0, limit - budget.used))
    whole = f" {_amount(budget.name, budget.used)} of {_amount(budget.name, limit)}, {left} left"
    return _row(budget.name, ("█" * full, style), ("░" * (_BAR - full), "dim"), whole)


def _amount(name: str, value: float) -> str:
    return f"${value:.4f}" if name == "dollars" else f"{value:.0f}"


def _wait(state: LiveState, now: float) -> str:
    if state.waiting is not None:
        what = "an answer" if state.waiting.questions else "an approval"
        return f"{printable(state.waiting.agent)} waits for {what}, {now - state.waiting.since:.0f} s"
    if state.hold is not None:
        whose = f"{state.hold.by} has the desktop" if state.hold.by else state.hold.reason
        return f"{printable(whose)}, {now - state.hold.since:.0f} s"
    return f"{state.asked_model} is asked" if state.asked_model else ""


def live_progress(environment: Mapping[str, str], *, rounds: bool, detail: Detail) -> "LiveTable | Progress":
    """Progress of one session on stderr: with a table on a terminal, else its lines alone."""
    if detail is Detail.QUIET or not _has_table(environment):
        return progress_on_stderr(environment, rounds=rounds, detail=detail)
    colour = not environment.get("NO_COLOR")
    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    return LiveTable(console, rounds=rounds, detail=detail, colour=colour, asks_here=at_terminal())


def _has_table(environment: Mapping[str, str]) -> bool:
    """False for a dumb terminal, for none, and for one without a size."""
    if environment.get("TERM", "dumb") in {"", "dumb", "unknown"} or not sys.stderr.isatty():
        return False
    try:
        return all(os.get_terminal_size(sys.stderr.fileno()))
    except (OSError, ValueError):
        return False
