"""The state of a session after each of its events."""

from pathlib import Path

from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    ConfirmationAsked,
    ConfirmationDecided,
    Event,
    HandedBack,
    PauseBegan,
    PauseEnded,
    PhaseFinished,
    QuestionsAnswered,
    QuestionsAsked,
    SessionFinished,
    SessionOptions,
    SessionStarted,
    StepStarted,
    TakenOver,
    TargetData,
)
from deskhand.report.live import LiveState
from report.demo_session import CALC, HOST, WRITER, write_demo_session

START = SessionStarted(
    session_id="s", version="1", request="Do it", model="m", desktop="d", at=100.0,
    options=SessionOptions(system={"max_step": 5, "max_seconds": 60.0}),
)  # fmt: skip
STEP = StepStarted(step=1, agent=WRITER, round=1, state="CONTINUE", at=101.0)


def after(*events: Event) -> LiveState:
    state = LiveState()
    for event in events:
        state.take(event)
    return state


def test_the_demo_ends_with_its_machines_actions_and_outcome(tmp_path: Path) -> None:
    events = write_demo_session(tmp_path)
    state = after(*events)
    assert (state.outcome, state.step, state.waiting, state.hold) == ("success", 14, None, None)
    assert set(state.machines) == {HOST, WRITER, CALC}
    assert all(action.effect and not action.is_running for action in state.actions)
    shown = state.to_json(0.0)
    assert not [name for name in shown if name.startswith("_")]
    ended = events[-1]
    assert isinstance(ended, SessionFinished)
    assert shown["ended"] == ended.at


def test_the_phase_after_a_finished_one_is_under_way() -> None:
    state = after(START, STEP, PhaseFinished(step=1, agent=WRITER, phase="data_collection", seconds=0.2, ok=True))
    assert [(phase.name, phase.seconds) for phase in state.phases] == [
        ("data_collection", 0.2),
        ("llm_interaction", None),
    ]
    assert [machine.agent for machine in state.machines.values() if machine.active] == [WRITER]


def test_an_action_runs_until_its_result() -> None:
    target = TargetData(role="button", name="Save")
    intent = ActionIntended(step=1, agent=WRITER, call_id="c", tool="invoke", target=target)
    state = after(START, STEP, intent)
    assert [(action.words, action.is_running) for action in state.actions] == [('invoke button "Save"', True)]
    state.take(ActionFinished(step=1, agent=WRITER, call_id="c", tool="invoke", status="success", effect="confirmed"))
    assert [(action.effect, action.is_running) for action in state.actions] == [("confirmed", False)]


def test_time_that_waits_for_the_user_is_not_used_up() -> None:
    asked = QuestionsAsked(step=1, agent=WRITER, questions=["Which?"], at=110.0)
    state = after(START, STEP, asked)
    assert state.waiting is not None
    assert state.waiting.questions == ("Which?",)
    assert state.seconds(150.0) == 10.0
    state.take(QuestionsAnswered(step=1, agent=WRITER, answers={"Which?": "this"}, how="person", at=130.0))
    assert state.waiting is None
    state.take(TakenOver(by="Ada", at=131.0))
    state.take(PauseBegan(reason="Ada has the desktop", at=132.0))
    assert state.hold is not None
    assert (state.hold.by, state.seconds(140.0)) == ("Ada", 12.0)
    state.take(PauseEnded(how="handed_back", seconds=10.0, at=142.0))
    state.take(HandedBack(by="Ada", seconds=11.0, at=142.0))
    assert (state.hold, state.seconds(143.0)) == (None, 13.0)
    budgets = {budget.name: (budget.used, budget.limit) for budget in state.budgets(143.0)}
    assert budgets["seconds"] == (13.0, 60.0)
    assert budgets["steps"] == (1.0, 5.0)
    assert budgets["tokens"][1] is None


def test_a_confirmation_waits_with_its_facts_until_it_is_decided() -> None:
    state = after(START, STEP, ConfirmationAsked(step=1, agent=WRITER, facts=["press Delete"], model_says="as asked"))
    assert state.waiting is not None
    assert (state.waiting.facts, state.waiting.model_says) == (("press Delete",), "as asked")
    state.take(ConfirmationDecided(step=1, agent=WRITER, decision="approved", seconds=1.0))
    assert state.waiting is None


def test_a_password_is_not_shown_wherever_it_occurs() -> None:
    field = TargetData(role="password", name="Password")
    typed = ActionIntended(
        step=1, agent=WRITER, call_id="c", tool="set_edit_text", target=field, arguments={"text": "hunter22"}
    )
    state = after(START, STEP, typed, QuestionsAsked(step=1, agent=WRITER, questions=["Is hunter22 right?"]))
    assert "hunter22" not in str(state.to_json(0.0))
