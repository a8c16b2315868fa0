"""What a session says on stderr while it works."""

import io

import pytest

from deskhand.cli.progress import Detail, Progress
from deskhand.core.events import (
    ActionFinished,
    CheckRun,
    ErrorData,
    Event,
    ModelAnswered,
    ObservationTaken,
    PhaseFinished,
    ProblemMet,
    ReplyAccepted,
    SessionFinished,
    StepFinished,
    StepStarted,
    TargetData,
    TransitionTaken,
    WindowFollowed,
)

STEP = StepStarted(step=3, agent="Calc", round=1, state="CONTINUE")
CLICK = ActionFinished(
    step=3,
    agent="Calc",
    call_id="1",
    tool="click_input",
    target=TargetData(role="button", name="OK"),
    status="success",
    effect="confirmed",
    seconds=0.25,
)


def shown(*events: Event, colour: bool = False, width: int = 120, detail: Detail = Detail.NORMAL) -> list[str]:
    stream = io.StringIO()
    progress = Progress(stream, colour=colour, width=width, detail=detail)
    for event in events:
        progress.emit(event)
    return stream.getvalue().splitlines()


@pytest.mark.requires("demo.progress")
def test_an_action_is_one_line_with_agent_state_step_action_effect_and_time() -> None:
    (line,) = shown(STEP, CLICK, StepFinished(step=3, agent="Calc", status="CONTINUE", ok=True, seconds=1.0))
    assert line.split()[1:] == ["3", "Calc", "CONTINUE", "click_input", "button", '"OK"', "confirmed", "0.25", "s"]


def test_a_command_is_shown_as_one_would_type_it() -> None:
    command = CLICK.model_copy(
        update={"tool": "run_command", "target": None, "arguments": {"argv": ["grep", "a b", "*"], "timeout_s": 60.0}}
    )
    assert "run_command argv=grep 'a b' '*' " in shown(STEP, command)[0]


def test_a_step_without_an_action_says_what_it_claimed() -> None:
    (line,) = shown(STEP, StepFinished(step=3, agent="Calc", status="FINISH", ok=True, seconds=1.0))
    assert "status FINISH" in line


@pytest.mark.parametrize("width", [60, 80, 99, 100, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    long = CLICK.model_copy(update={"agent": "AppAgent/libreoffice-writer", "effect": "suspected_noop", "seconds": 3.5})
    lines = shown(STEP, long.model_copy(update={"target": TargetData(role="textbox", name="A" * 200)}), width=width)
    assert max(len(line) for line in lines) == width


def test_on_a_narrow_terminal_the_agent_stands_above_its_lines() -> None:
    check = CheckRun(step=3, name="cells", ok=True)
    lines = shown(STEP, CLICK, check, CLICK, CLICK.model_copy(update={"agent": "Writer"}), width=80)
    assert [line for line in lines if not line.startswith(" ")] == ["Calc", "Writer"]
    assert lines.index("Writer") == len(lines) - 2


def test_a_change_of_state_is_told_and_staying_is_not() -> None:
    def edge(to: str) -> Event:
        return TransitionTaken(agent="Calc", machine="app", source="CONTINUE", to=to, cause="llm", trigger="status")

    (line,) = shown(edge("CONTINUE"), edge("FINISH"))
    assert "CONTINUE → FINISH" in line


def test_columns_stand_below_each_other() -> None:
    other = CLICK.model_copy(update={"tool": "set_value", "target": TargetData(role="textbox", name="A" * 200)})
    first, second = shown(STEP, CLICK, other)
    assert first.index("confirmed") == second.index("confirmed")


def test_what_went_wrong_is_told() -> None:
    failed = CLICK.model_copy(update={"error": ErrorData(type="ElementStale", message="it is gone")})
    lines = shown(STEP, failed, ReplyAccepted(step=3, agent="Calc", status="FAIL", comment="no such control"))
    assert [line for line in lines if "! it is gone" in line]
    assert [line for line in lines if "! no such control" in line]


def test_checks_and_the_end_are_told() -> None:
    lines = shown(
        CheckRun(step=3, name="cells", ok=False, detail="B2 is 7"),
        SessionFinished(outcome="failed", reason="", seconds=1.0),
    )
    assert "cells: B2 is 7" in lines[0]
    assert "failed" in lines[0]
    assert "failed" in lines[1]


def test_colour_only_where_it_is_wanted() -> None:
    assert "\x1b" not in shown(STEP, CLICK)[0]
    assert "\x1b[32m" in shown(STEP, CLICK, colour=True)[0]


def test_a_stream_that_broke_does_not_stop_the_session() -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    progress = Progress(Broken(), colour=False)
    progress.emit(STEP)
    progress.emit(CLICK)
    progress.emit(CLICK)


MODEL = ModelAnswered(
    step=3, agent="Calc", model="m", attempt=1, seconds=1.5, input_tokens=900, output_tokens=10, cost_usd=0.25
)
PROBLEM = ProblemMet(where="the output", error=ErrorData(type="StoreError", message="the disk is full"))


@pytest.mark.requires("cli.detail")
def test_quiet_prints_problems_alone() -> None:
    followed = WindowFollowed(step=3, agent="Calc", closed="a", window="b", handle="1")
    end = SessionFinished(outcome="success", reason="", seconds=1)
    (line,) = shown(STEP, CLICK, MODEL, followed, PROBLEM, end, detail=Detail.QUIET)
    assert line.endswith("! the output: the disk is full")


@pytest.mark.requires("cli.detail")
def test_verbose_adds_phases_observations_and_model_calls() -> None:
    phase = PhaseFinished(step=3, agent="Calc", phase="data_collection", seconds=0.25, ok=True)
    observed = ObservationTaken(step=3, agent="Calc", window="Sheet", controls=120, seconds=0.1)
    details = (phase, observed, MODEL)
    assert len(shown(STEP, CLICK, *details)) == 1
    lines = shown(STEP, CLICK, *details, detail=Detail.VERBOSE)
    assert [" ".join(line.split()[1:]) for line in lines[1:]] == [
        "Calc phase data collection 0.25 s",
        'Calc observed 120 controls of "Sheet" 0.10 s',
        "Calc m: 900 tokens in, 10 out, $0.2500 1.50 s",
    ]
