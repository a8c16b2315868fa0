"""The table of a running session on a terminal."""

import fcntl
import io
import os
import re
import signal
import struct
import sys
import termios
from collections.abc import Callable
from functools import partial

import pytest
from rich.console import Console as Rich

from cli.driver import Console
from cli.screen import screen
from cli.test_modes import World, run, world
from deskhand.cli.live_table import LiveTable, live_progress, table_rows
from deskhand.cli.progress import Detail, Progress
from deskhand.core.events import (
    ActionFinished,
    ConfirmationAsked,
    ConfirmationDecided,
    Event,
    ModelAnswered,
    PhaseFinished,
    RoundStarted,
    SessionFinished,
    SessionOptions,
    SessionStarted,
    StepStarted,
    TakenOver,
    TargetData,
    TransitionTaken,
)
from deskhand.report.live import LiveState
from support import wait_for

__all__ = ["world"]
pytestmark = pytest.mark.requires("cli.live-table")

STARTED = SessionStarted(
    at=100.0,
    session_id="s",
    version="1",
    request="Add it",
    model="m",
    desktop="virtual",
    options=SessionOptions(system={"max_step": 4, "max_seconds": 60.0, "max_tokens": None, "max_usd": 0.5}),
)
HOST = StepStarted(at=101.0, step=1, agent="HostAgent", round=1, state="CONTINUE")
TO_APP = TransitionTaken(agent="HostAgent", machine="host", source="CONTINUE", to="ASSIGN", cause="llm", trigger="t")
APP = StepStarted(at=102.0, step=2, agent="AppAgent/calc", round=1, state="CONTINUE")
CLICK = ActionFinished(
    step=2,
    agent="AppAgent/calc",
    call_id="1",
    tool="click_input",
    target=TargetData(role="button", name="OK\x1b[2J"),
    status="success",
    effect="confirmed",
)
ASKED = ModelAnswered(
    step=2, agent="AppAgent/calc", model="m", attempt=1, seconds=1, input_tokens=900, output_tokens=100, cost_usd=0.41
)
ENDED = SessionFinished(at=130.0, outcome="success", reason="", seconds=30)
SHOWN, HIDDEN = "\x1b[?25h", "\x1b[?25l"


def rows(*events: Event, now: float = 110.0) -> list[str]:
    state = LiveState()
    for event in events:
        state.take(event)
    return [row.plain.rstrip() for row in table_rows(state, now)]


def rich(stream: io.StringIO, width: int = 100, height: int = 40) -> Rich:
    return Rich(file=stream, width=width, height=height, force_terminal=True, color_system=None, highlight=False)


def table(width: int = 100, height: int = 40, *, asks_here: bool = True) -> tuple[LiveTable, io.StringIO]:
    stream = io.StringIO()
    return LiveTable(rich(stream, width, height), now=lambda: 110.0, asks_here=asks_here), stream


def test_it_has_machines_step_phase_action_limits_and_costs() -> None:
    phase = PhaseFinished(step=2, agent="AppAgent/calc", phase="data_collection", seconds=0.25, ok=True)
    assert rows(STARTED, HOST, TO_APP, APP, phase, ASKED, CLICK) == [
        "  HostAgent  ASSIGN",
        "▸ AppAgent/calc  CONTINUE",
        "phase    data collection 0.25 s  llm interaction …",
        'action   click_input button "OK�[2J"  confirmed',
        "steps    ██████████░░░░░░░░░░ 2 of 4, 2 left",
        "seconds  ███░░░░░░░░░░░░░░░░░ 10 of 60, 50 left",
        "dollars  ████████████████░░░░ $0.4100 of $0.5000, $0.0900 left",
        "spent    1000 tokens, $0.4100",
    ]


def test_only_the_host_and_the_active_agent_are_there() -> None:
    other = APP.model_copy(update={"agent": "AppAgent/writer", "step": 3})
    assert [row for row in rows(STARTED, HOST, APP, other) if "Agent" in row] == [
        "  HostAgent  CONTINUE",
        "▸ AppAgent/writer  CONTINUE",
    ]


def test_a_wait_has_its_reason_and_seconds() -> None:
    asked = ConfirmationAsked(at=103.0, step=2, agent="AppAgent/calc", facts=["x"], model_says="")
    assert rows(STARTED, APP, asked)[-1] == "waiting  AppAgent/calc waits for an approval, 7 s"
    assert rows(STARTED, APP, TakenOver(at=105.0, by="Ada"))[-1] == "waiting  Ada has the desktop, 5 s"


def test_finished_actions_scroll_above_it_and_at_the_end_it_is_gone() -> None:
    shown, stream = table()
    for event in (STARTED, HOST, APP, CLICK):
        shown.emit(event)
    assert wait_for(lambda: "▸ AppAgent/calc" in stream.getvalue())
    shown.emit(ENDED)
    text = stream.getvalue()
    assert text.index("click_input button") < text.rindex("▸ AppAgent/calc") < text.index("session ended")
    assert "▸" not in text[text.index("session ended") :]
    assert text.rindex(SHOWN) > text.rindex(HIDDEN)


def test_it_leaves_the_terminal_while_the_user_is_asked_and_comes_back() -> None:
    shown, stream = table()
    for event in (STARTED, APP):
        shown.emit(event)
    shown.emit(ConfirmationAsked(step=2, agent="AppAgent/calc", facts=["x"], model_says=""))
    asked = stream.getvalue()
    assert asked.endswith("\x1b[1A\x1b[2K")  # its last row is erased, and the cursor is where it began
    assert asked.rindex(SHOWN) > asked.rindex(HIDDEN)
    shown.emit(ConfirmationDecided(step=2, agent="AppAgent/calc", decision="approved", seconds=1.0))
    assert "▸ AppAgent/calc" in stream.getvalue().removeprefix(asked)
    shown.close()


def test_it_stays_where_the_user_is_asked_elsewhere() -> None:
    shown, stream = table(asks_here=False)
    for event in (STARTED, APP, ConfirmationAsked(step=2, agent="AppAgent/calc", facts=["x"], model_says="")):
        shown.emit(event)
    assert wait_for(lambda: "waits for an approval" in stream.getvalue())
    assert SHOWN not in stream.getvalue()
    shown.close()


@pytest.mark.parametrize(("width", "height"), [(40, 40), (100, 12)])
def test_on_a_small_terminal_there_are_lines_alone(width: int, height: int) -> None:
    shown, stream = table(width, height)
    plain = io.StringIO()
    lines = Progress(plain, colour=False, width=width)
    for event in (STARTED, HOST, APP, CLICK, ENDED):
        shown.emit(event)
        lines.emit(event)
    written = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]|\r", "", stream.getvalue())
    timeless = partial(re.sub, r"(?m)^ +\d+\.\d\d|[ ]+$|^\n", "")
    assert timeless(written) == timeless(plain.getvalue())


def test_on_a_narrower_terminal_the_rows_it_has_wrapped_are_erased() -> None:
    stream = io.StringIO()
    console = rich(stream)
    shown = LiveTable(console, now=lambda: 110.0)
    shown.emit(STARTED)
    before = stream.getvalue()
    console.width = 70
    shown.emit(CLICK)
    added = stream.getvalue().removeprefix(before)
    up = "\x1b[1A\x1b[2K"
    wrapped = 1  # the line above the table, of 99 cells; the other four rows are shorter
    assert added.startswith(f"\r\x1b[2K{up * wrapped}\r\x1b[2K{up * 4}")
    assert not added.startswith(f"\r\x1b[2K{up * wrapped}\r\x1b[2K{up * 5}")
    shown.close()


def test_nothing_is_drawn_when_nothing_has_changed() -> None:
    shown, stream = table()
    shown.emit(STARTED)
    shown.emit(HOST)
    shown.draw()
    drawn = stream.getvalue()
    for _ in range(3):
        shown.draw()
    assert stream.getvalue() == drawn
    shown.close()


def test_an_end_without_a_last_event_leaves_the_terminal() -> None:
    shown, stream = table()
    shown.emit(STARTED)
    shown.close()
    assert stream.getvalue().rindex(SHOWN) > stream.getvalue().rindex(HIDDEN)
    before = stream.getvalue()
    shown.emit(RoundStarted(round=1, request="late"))
    assert stream.getvalue() == before


def sized(columns: int, lines: int) -> None:
    fcntl.ioctl(sys.stderr.fileno(), termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))


@pytest.mark.parametrize(
    ("term", "columns", "kind"),
    [("xterm", 120, LiveTable), ("dumb", 120, Progress), ("", 120, Progress), ("xterm", 0, Progress)],
)
def test_only_a_terminal_with_a_size_that_can_move_its_cursor_has_one(term: str, columns: int, kind: type) -> None:
    with screen():
        sized(columns, 40)
        assert type(live_progress({"TERM": term}, rounds=False, detail=Detail.NORMAL)) is kind
        assert type(live_progress({"TERM": term}, rounds=False, detail=Detail.QUIET)) is Progress
    assert type(live_progress({"TERM": term}, rounds=False, detail=Detail.NORMAL)) is Progress


def _interrupted(at: Callable[[], None], *_: object) -> None:
    at()


@pytest.mark.requires("cli.live-table")
def test_ctrl_c_leaves_a_clean_terminal(console: Console, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    world.prepare = partial(_interrupted, lambda: os.kill(os.getpid(), signal.SIGINT))
    with screen() as terminal:
        sized(100, 40)
        done = run(console, "Add it", "--file", "a.odt")
        sys.stderr.flush()
        os.set_blocking(terminal.end, False)
        text = b"".join(iter(partial(_read, terminal.end), b"")).decode()
    assert done.item("outcome") == "cancelled"
    assert "starting …" in text
    assert text.rindex(SHOWN) > text.rindex(HIDDEN)
    assert text.index("session ended") > text.rindex("starting …")


def _read(end: int) -> bytes:
    try:
        return os.read(end, 65536)
    except BlockingIOError:
        return b""
