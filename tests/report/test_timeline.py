"""Events become steps, actions and a path of states."""

from collections.abc import Mapping
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.events import ActionFinished, ActionIntended, Event, StepFinished, StepStarted, TransitionTaken
from deskhand.core.json import JsonValue
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import CheckResult
from deskhand.report.time_lanes import draw_lanes
from deskhand.report.timeline import Visit, build_timeline, visits
from notes import APP, Notes
from report.demo_session import CALC, HOST, WRITER, write_demo_session
from stage import assign, say, stage

STEP = StepStarted(step=1, agent=HOST, round=1, state="CONTINUE", at=10.0)


def edge(agent: str, source: str, to: str, cause: str = "llm") -> TransitionTaken:
    return TransitionTaken(agent=agent, machine="m", source=source, to=to, cause=cause, trigger="reply")


def test_the_demo_is_told_step_by_step_in_order(tmp_path: Path) -> None:
    timeline = build_timeline(write_demo_session(tmp_path))
    assert [step.number for step in timeline.steps] == list(range(1, 15))
    assert timeline.agents == [HOST, WRITER, CALC]
    assert all(step.finished and step.reply and step.observation for step in timeline.steps)
    assert [(v.agent, v.state, v.times) for v in visits(timeline)] == [
        (HOST, "CONTINUE", 1),
        (HOST, "ASSIGN", 1),
        (WRITER, "CONTINUE", 1),
        (WRITER, "FINISH", 1),
        (HOST, "CONTINUE", 2),
        (HOST, "ASSIGN", 1),
        (CALC, "CONTINUE", 4),
        (CALC, "SCREENSHOT", 1),
        (CALC, "CONTINUE", 2),
        (CALC, "CONFIRM", 1),
        (CALC, "CONTINUE", 1),
        (CALC, "PENDING", 1),
        (CALC, "CONTINUE", 1),
        (CALC, "FINISH", 1),
        (HOST, "CONTINUE", 1),
        (HOST, "FINISH", 1),
    ]


class Chart:
    """The caller's check: it holds when it is asked again."""

    name = "chart"

    def __init__(self) -> None:
        self._holds = False

    async def check(self, data: Mapping[str, JsonValue]) -> tuple[CheckResult, ...]:
        holds, self._holds = self._holds, True
        return (CheckResult("chart", holds, "no bars"),)


async def test_the_checks_are_those_that_the_last_claim_had_to_stand(tmp_path: Path) -> None:
    shown = say("CONTINUE", "invoke", "Save", expect={"window": "Notes"})
    host = [assign("Notes", "Save"), say("FINISH"), say("FINISH")]
    replies = {"HostAgent": host, APP: [shown, say("FINISH")]}
    it = stage(Notes().desktop, replies, log_path=tmp_path, checkers=[Chart()])
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert [(check.name, check.ok) for check in build_timeline(it.events.all).checks] == [("chart", True)]
    before = it.events.all[: it.events.all.index(it.events.of(StepFinished)[-2])]
    assert [(check.name, check.ok) for check in build_timeline(before).checks] == [("chart", False)]
    assert build_timeline(before[: before.index(it.events.of(StepFinished)[1])]).checks == []


def test_an_intent_without_a_result_is_unknown_and_a_refusal_without_an_intent_is_not() -> None:
    intent = ActionIntended(step=1, agent=HOST, call_id="1", tool="invoke", arguments={"id": "4"})
    refusal = ActionFinished(step=1, agent=HOST, call_id="2", tool="invoke", status="failure", arguments={"id": "5"})
    (step,) = build_timeline([STEP, intent, refusal]).steps
    unknown, refused = step.actions.values()
    assert (unknown.unknown, unknown.arguments) == (True, {"id": "4"})
    assert (refused.unknown, refused.arguments) == (False, {"id": "5"})


def test_a_path_that_was_cut_off_ends_with_the_agent_it_was_handed_to() -> None:
    assigned = [STEP, edge(HOST, "CONTINUE", "ASSIGN"), edge(HOST, "ASSIGN", "app:CONTINUE", "system")]
    with_step: list[Event] = [*assigned, StepStarted(step=2, agent=CALC, round=1, state="CONTINUE")]
    assert visits(build_timeline(with_step))[-1] == Visit(CALC, "CONTINUE", 1, "system")


def test_events_of_a_step_that_never_began_do_no_harm() -> None:
    stray = ActionFinished(step=9, agent=HOST, call_id="2", tool="invoke", status="failure")
    assert build_timeline([stray]).entries == []


@given(st.floats(0, 40), st.floats(0, 20), st.floats(0, 20))
def test_bars_lie_within_their_lane(whole: float, begins: float, lasts: float) -> None:
    finished = ActionFinished(step=1, agent=HOST, call_id="2", tool="invoke", status="failure")
    timeline = build_timeline([STEP.model_copy(update={"at": 10 + begins}), finished])
    lanes = draw_lanes(timeline, 10.0, 10.0 + whole)
    (bar,) = lanes.lanes[0].bars
    assert 0 <= bar.left <= 100
    assert 0 <= bar.left + bar.width <= 100
    assert all(0 <= tick.left <= 100.001 for tick in lanes.ticks)
    assert len(lanes.ticks) <= 9
