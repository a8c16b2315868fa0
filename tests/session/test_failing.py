"""What a failure makes of a step, a subtask and a round (contract 2.2, 2.3, 3.1)."""

from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from deskhand.core.errors import ActionDeadline, CaptureFailed, DesktopGone, ErrorInfo
from deskhand.core.events import ActionFinished, Event, ProblemMet, RoundFinished, StepFinished, SubtaskArchived
from deskhand.core.json import JsonValue
from deskhand.core.model import ModelReply
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import CheckResult
from deskhand.core.usage import Usage
from deskhand.models.scripted import ScriptedModel
from deskhand.store.journal import unfinished_intents
from notes import APP, Notes
from stage import Answer, Events, Stage, assign, say, stage

LOOK = say("CONTINUE")


def notes_stage(
    notes: Notes, replies: list[Answer], log_path: Path, host: list[Answer] | None = None, **settings: object
) -> Stage:
    given = host or [assign("Notes", "Write"), say("FINISH", result="ended")]
    return stage(notes.desktop, {"HostAgent": given, APP: replies}, log_path=log_path, settings=settings)


@pytest.mark.requires("pipeline.error-status", "observe.never-invented")
@pytest.mark.parametrize("error", [CaptureFailed("no picture"), ActionDeadline("too slow")])
async def test_a_recoverable_error_is_tried_again_until_the_allowance_is_spent(
    tmp_path: Path, error: Exception
) -> None:
    notes = Notes()
    for call in range(1, 5):
        notes.desktop.faults.fail("observe", error, on_call=call)
    it = notes_stage(notes, [], tmp_path, max_failed_steps=3)
    ending = await it.run()
    assert it.events.triggers()[2:] == ["corrected"] * 3 + ["spent", "archived", "reply"]
    assert (it.outcomes, ending.outcome) == ([Outcome.FAILED], Outcome.FAILED)
    assert [event.ok for event in it.events.of(StepFinished)] == [True] + [False] * 4 + [True]


async def test_a_good_step_gives_the_allowance_back(tmp_path: Path) -> None:
    notes = Notes()
    for call in (1, 2, 4, 5):
        notes.desktop.faults.fail("observe", CaptureFailed("no picture"), on_call=call)
    it = notes_stage(notes, [LOOK, say("FINISH")], tmp_path, max_failed_steps=2)
    assert (await it.run()).outcome is Outcome.SUCCESS


@pytest.mark.requires("pipeline.error-status")
async def test_a_window_that_is_gone_fails_the_subtask_at_once(tmp_path: Path) -> None:
    notes = Notes()
    notes.desktop.faults.before("settle", lambda: notes.desktop.close_window(notes.window))
    it = notes_stage(notes, [], tmp_path)
    await it.run()
    assert it.events.triggers()[2:4] == ["gone", "archived"]
    assert it.outcomes == [Outcome.FAILED]


@pytest.mark.requires("pipeline.error-status", "state.app-error")
async def test_the_desktop_gone_is_an_error_and_ends_the_round(tmp_path: Path) -> None:
    notes = Notes()

    def lose(_: object) -> ModelReply:
        notes.desktop.faults.lost_desktop = True
        return ModelReply({"status": "CONTINUE", "function": "keyboard_input", "args": {"keys": "a"}}, "")

    it = notes_stage(notes, [lose], tmp_path)
    ending = await it.run()
    assert it.events.edges()[2:] == [("app", "CONTINUE", "ERROR", "system"), ("app", "ERROR", "host:FINISH", "system")]
    assert (ending.outcome, it.outcomes) == (Outcome.ERROR, [Outcome.ERROR])
    assert "the desktop fake is gone" in ending.reason
    assert [e.where for e in it.events.of(ProblemMet)] == ["final picture", "final picture"]


async def test_the_desktop_lost_right_before_dispatch_is_an_error_too(tmp_path: Path) -> None:
    notes = Notes()
    notes.desktop.faults.fail("resolve", DesktopGone("the display died"), on_call=3)
    it = notes_stage(notes, [say("CONTINUE", "invoke", "Save")], tmp_path)
    assert (await it.run()).outcome is Outcome.ERROR
    assert notes.log == []


@pytest.mark.requires("pipeline.error-status", "state.app-error")
async def test_an_unhandled_exception_in_a_strategy_is_an_error(tmp_path: Path) -> None:
    def explode(_: object) -> ModelReply:
        raise ZeroDivisionError("division by zero")

    it = notes_stage(Notes(), [explode], tmp_path)
    ending = await it.run()
    assert (ending.outcome, it.outcomes) == (Outcome.ERROR, [Outcome.ERROR])
    assert "ZeroDivisionError" in it.context.previous_subtasks[0].error


@pytest.mark.requires("journal.write-ahead")
async def test_a_mistake_in_a_tool_leaves_no_action_without_a_result(tmp_path: Path) -> None:
    notes = Notes()
    notes.desktop.faults.fail("do_action", ZeroDivisionError("division by zero"))
    it = notes_stage(notes, [say("CONTINUE", "invoke", "Save")], tmp_path)
    assert (await it.run()).outcome is Outcome.ERROR
    done = [e for e in it.events.of(ActionFinished) if e.tool == "invoke"]
    assert [(e.status, e.effect, e.retry_safe) for e in done] == [("failure", "unverifiable", False)]
    assert unfinished_intents(it.events.all) == []


@pytest.mark.requires("round.finalised-once")
async def test_a_mistake_while_the_last_picture_is_taken_changes_no_outcome(tmp_path: Path) -> None:
    notes = Notes()
    notes.desktop.faults.fail("screenshot", ZeroDivisionError("division by zero"), on_call=4)
    it = notes_stage(notes, [say("FINISH")], tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert [e.error.type for e in it.events.of(ProblemMet)] == ["ZeroDivisionError"]


@pytest.mark.requires("state.fail-budget")
async def test_a_failed_subtask_goes_back_to_the_host_until_its_allowance_is_spent(tmp_path: Path) -> None:
    host: list[Answer] = [assign("Notes", "Write")] * 3
    it = notes_stage(Notes(), [say("FAIL", comment="cannot")] * 3, tmp_path, host, max_fail_per_subtask=2)
    ending = await it.run()
    assert [edge for edge in it.events.edges() if edge[0] == "app" and edge[1] == "FAIL"] == [
        ("app", "FAIL", "host:CONTINUE", "system"),
        ("app", "FAIL", "host:CONTINUE", "system"),
        ("app", "FAIL", "host:FAIL", "system"),
    ]
    assert it.events.edges()[-1] == ("host", "FAIL", "FINISH", "system")
    assert (ending.outcome, ending.reason) == (Outcome.FAILED, "cannot")


@pytest.mark.requires("state.fail-budget")
async def test_a_success_between_gives_the_subtasks_allowance_back(tmp_path: Path) -> None:
    host: list[Answer] = [*[assign("Notes", "Write")] * 5, say("FINISH")]
    replies = [say("FAIL"), say("FAIL"), say("FINISH"), say("FAIL"), say("FINISH")]
    it = notes_stage(Notes(), replies, tmp_path, host, max_fail_per_subtask=2, max_fail_per_round=4)
    assert (await it.run()).outcome is Outcome.SUCCESS


@pytest.mark.requires("state.fail-budget")
async def test_the_rounds_allowance_counts_over_successes(tmp_path: Path) -> None:
    host: list[Answer] = [assign("Notes", "Write")] * 3
    replies = [say("FAIL"), say("FINISH"), say("FAIL")]
    it = notes_stage(Notes(), replies, tmp_path, host, max_fail_per_subtask=2, max_fail_per_round=1)
    ending = await it.run()
    assert (it.events.edges()[-2], ending.outcome) == (("app", "FAIL", "host:FAIL", "system"), Outcome.FAILED)


@pytest.mark.requires("state.assign-window-gone")
async def test_a_window_that_vanished_before_the_hand_over_goes_back_to_the_host(tmp_path: Path) -> None:
    notes = Notes()

    def vanish(request: object) -> ModelReply:
        notes.desktop.close_window(notes.window)
        return ModelReply({"status": "ASSIGN", "current_subtask": "Write"}, "")

    select = say("CONTINUE", "select_application_window", "Notes")
    it = notes_stage(notes, [], tmp_path, [select, vanish, say("FAIL")])
    ending = await it.run()
    assert it.events.edges()[2] == ("host", "ASSIGN", "CONTINUE", "system")
    assert it.context.fails_of_round == 1
    assert "was gone before the hand-over" in it.model.requests[2].steps_done[-1].problem
    assert (it.outcomes, ending.outcome) == ([], Outcome.FAILED)


@pytest.mark.requires("state.assign-window-gone", "round.outcome")
async def test_vanished_windows_that_spend_the_round_fail_it_whatever_ended_the_subtask_before(tmp_path: Path) -> None:
    notes = Notes()

    def vanish(request: object) -> ModelReply:
        notes.desktop.close_window(notes.window)
        return ModelReply({"status": "ASSIGN", "current_subtask": "Write"}, "")

    ask = say("PENDING", questions=["Which?"])
    host = [assign("Notes", "Write"), vanish]
    it = notes_stage(notes, [ask], tmp_path, host, max_fail_per_round=1, ask_question=True)
    ending = await it.run()
    assert it.outcomes == [Outcome.TIMEOUT]
    assert it.events.edges()[-2] == ("host", "ASSIGN", "FAIL", "system")
    assert (ending.outcome, ending.reason) == (
        Outcome.FAILED,
        "the window vanished and the round's failures are spent",
    )


@pytest.mark.requires("state.assign-window-gone")
async def test_a_vanished_window_counts_among_the_rounds_failures(tmp_path: Path) -> None:
    notes = Notes()

    def vanish(request: object) -> ModelReply:
        notes.desktop.close_window(notes.window)
        return ModelReply({"status": "ASSIGN", "current_subtask": "Write"}, "")

    select = say("CONTINUE", "select_application_window", "Notes")
    it = notes_stage(notes, [], tmp_path, [select, vanish], max_fail_per_round=0)
    await it.run()
    assert it.events.edges()[2:] == [("host", "ASSIGN", "FAIL", "system"), ("host", "FAIL", "FINISH", "system")]


@pytest.mark.requires("round.state-raises")
async def test_a_terminal_state_that_raises_is_recorded_and_ends_the_round_with_an_error(tmp_path: Path) -> None:
    class FullAtTheEnd(Events):
        def emit(self, event: Event) -> None:
            if isinstance(event, SubtaskArchived):
                raise OSError("no room")
            super().emit(event)

    it = notes_stage(Notes(), [say("FINISH")], tmp_path)
    it.context.events = events = FullAtTheEnd()
    ending = await it.run()
    assert [event.where for event in events.of(ProblemMet)] == ["state FINISH of AppAgent/notes"]
    assert (ending.outcome, ending.reason) == (Outcome.ERROR, "OSError: no room")


@pytest.mark.requires("round.finalised-once", "round.cancelled")
async def test_a_cancelled_round_archives_the_open_subtask_and_says_so_once(tmp_path: Path) -> None:
    notes, scope = Notes(), anyio.CancelScope()

    def cancel(_: object) -> ModelReply:
        scope.cancel()
        return ModelReply({"status": "CONTINUE", "function": "invoke", "control_label": "2"}, "")

    it = notes_stage(notes, [cancel], tmp_path)
    with scope:
        await it.run()
    assert scope.cancelled_caught
    assert (it.outcomes, notes.log) == ([Outcome.CANCELLED], [])
    assert [e.outcome for e in it.events.of(RoundFinished)] == ["cancelled"]
    assert [e.outcome for e in it.events.of(SubtaskArchived)] == ["cancelled"]


@pytest.mark.requires("round.finalised-once")
async def test_what_fails_beside_a_round_is_not_said_to_be_the_user(tmp_path: Path) -> None:
    failing = anyio.Event()

    async def beside() -> None:
        await failing.wait()
        raise OSError("no room")

    def fail(_: object) -> ModelReply:
        failing.set()
        return ModelReply({"status": "CONTINUE"}, "")

    it = notes_stage(Notes(), [fail] * 9, tmp_path)
    with pytest.RaisesGroup(pytest.RaisesExc(OSError, match="no room")):
        async with anyio.create_task_group() as group:
            group.start_soon(beside)
            await it.run()
    assert [event.reason for event in it.events.of(RoundFinished)] == ["stopped from outside"]
    assert [event.error for event in it.events.of(SubtaskArchived)] == ["stopped from outside"]


@pytest.mark.requires("round.finalised-once", "round.subtask-outcome")
async def test_a_round_that_a_budget_stops_archives_the_open_subtask_with_it(tmp_path: Path) -> None:
    it = notes_stage(Notes(), [LOOK] * 3, tmp_path, max_step=3)
    ending = await it.run()
    assert (ending.outcome, it.outcomes) == (Outcome.STEP_LIMIT, [Outcome.STEP_LIMIT])
    assert [e.outcome for e in it.events.of(RoundFinished)] == ["step_limit"]
    assert it.context.session_step == 3


@pytest.mark.requires("round.budgets")
async def test_a_spent_budget_does_not_keep_an_ended_subtask_from_being_archived(tmp_path: Path) -> None:
    it = notes_stage(Notes(), [say("FINISH")], tmp_path, max_step=2)
    ending = await it.run()
    assert (ending.outcome, it.outcomes) == (Outcome.STEP_LIMIT, [Outcome.SUCCESS])


@pytest.mark.requires("round.budgets")
@pytest.mark.parametrize(
    ("settings", "outcome"),
    [
        ({"max_seconds": 100.0}, Outcome.TIMEOUT),
        ({"max_tokens": 150}, Outcome.BUDGET),
        ({"max_usd": 0.5}, Outcome.BUDGET),
    ],
)
async def test_a_spent_budget_stops_before_the_next_step(
    tmp_path: Path, settings: Mapping[str, object], outcome: Outcome
) -> None:
    it: list[Stage] = []

    def slow_and_dear(_: object) -> ModelReply:
        it[0].clock.time_s += 60
        return ModelReply({"status": "CONTINUE"}, "", Usage(100, 50, 0.25))

    model = ScriptedModel(slow_and_dear)
    it.append(stage(Notes().desktop, model, log_path=tmp_path, settings=settings))
    ending = await it[0].run()
    spent_after = {Outcome.TIMEOUT: 2, Outcome.BUDGET: 1 if "max_tokens" in settings else 2}[outcome]
    assert (ending.outcome, it[0].context.session_step) == (outcome, spent_after)
    assert (it[0].context.tokens, it[0].context.cost_usd) == (150 * spent_after, 0.25 * spent_after)


@pytest.mark.requires("round.budgets", "round.session-outcome")
async def test_requests_beyond_max_round_are_not_begun(tmp_path: Path) -> None:
    it = stage(Notes().desktop, {"HostAgent": [say("FINISH")] * 2}, log_path=tmp_path, settings={"max_round": 2})
    ending = await it.run("one", "two", "three")
    assert (ending.outcome, ending.reason) == (Outcome.STEP_LIMIT, "1 requests are left (max_round)")
    assert [e.outcome for e in it.events.of(RoundFinished)] == ["success", "success"]


@pytest.mark.requires("round.budgets")
async def test_no_further_round_begins_once_the_seconds_are_spent(tmp_path: Path) -> None:
    it: list[Stage] = []

    def slow(_: object) -> ModelReply:
        it[0].clock.time_s += 60
        return ModelReply({"status": "CONTINUE"}, "")

    settings = {"max_seconds": 50.0, "max_round": 3}
    it.append(stage(Notes().desktop, ScriptedModel(slow), log_path=tmp_path, settings=settings))
    ending = await it[0].run("one", "two", "three")
    assert [e.outcome for e in it[0].events.of(RoundFinished)] == ["timeout"]
    assert ending.outcome is Outcome.TIMEOUT


@pytest.mark.requires("round.budgets")
async def test_steps_and_seconds_are_those_of_the_whole_session(tmp_path: Path) -> None:
    it = stage(
        Notes().desktop,
        {"HostAgent": [say("CONTINUE"), say("FINISH"), say("CONTINUE")]},
        log_path=tmp_path,
        settings={"max_round": 3, "max_step": 3},
    )
    ending = await it.run("one", "two", "three")
    assert (ending.outcome, it.context.session_step) == (Outcome.STEP_LIMIT, 3)
    assert [e.outcome for e in it.events.of(RoundFinished)] == ["success", "step_limit"]


@pytest.mark.requires("round.on-error")
@pytest.mark.parametrize(("on_error", "rounds"), [("stop", ["error"]), ("next_round", ["error", "success"])])
async def test_on_error_decides_whether_the_next_request_is_taken(
    tmp_path: Path, on_error: str, rounds: list[str]
) -> None:
    it = stage(
        Notes().desktop,
        {"HostAgent": [say("ERROR"), say("FINISH")]},
        log_path=tmp_path,
        settings={"on_error": on_error, "max_round": 2},
    )
    ending = await it.run("one", "two")
    assert [e.outcome for e in it.events.of(RoundFinished)] == rounds
    assert ending.outcome is Outcome.ERROR


@pytest.mark.requires("round.session-outcome")
async def test_a_sessions_outcome_is_its_first_rounds_that_was_no_success(tmp_path: Path) -> None:
    replies = [say("FINISH"), say("FAIL", comment="no"), say("ERROR", comment="worse")]
    it = stage(Notes().desktop, {"HostAgent": replies}, log_path=tmp_path, settings={"max_round": 3})
    ending = await it.run("one", "two", "three")
    assert (ending.outcome, ending.reason) == (Outcome.FAILED, "no")


@pytest.mark.requires("round.outcome", "round.subtask-outcome")
@pytest.mark.parametrize(
    ("claims", "outcome"),
    [
        (["FINISH"], Outcome.SUCCESS),
        (["FAIL"], Outcome.FAILED),
        (["FAIL", "FINISH"], Outcome.SUCCESS),
        (["FINISH", "FAIL"], Outcome.FAILED),
        (["ERROR"], Outcome.ERROR),
    ],
)
async def test_a_round_ends_as_its_last_subtask_did(tmp_path: Path, claims: list[str], outcome: Outcome) -> None:
    host = [*[assign("Notes", "Write")] * len(claims), say("FINISH")]
    it = notes_stage(Notes(), [say(claim) for claim in claims], tmp_path, host)
    assert (await it.run()).outcome is outcome


async def test_the_hosts_own_failure_is_a_failure_whatever_its_subtasks_did(tmp_path: Path) -> None:
    it = notes_stage(Notes(), [say("FINISH")], tmp_path, [assign("Notes", "Write"), say("FAIL", comment="wrong")])
    ending = await it.run()
    assert (ending.outcome, ending.reason) == (Outcome.FAILED, "wrong")


class FileThere:
    """The caller's check: holds from the given call on."""

    name = "file"

    def __init__(self, holds_at: int) -> None:
        self._left = holds_at

    async def check(self, data: Mapping[str, JsonValue]) -> tuple[CheckResult, ...]:
        self._left -= 1
        return (CheckResult("file", self._left <= 0, "sales.ods is missing"),)


@pytest.mark.requires("round.claim-checked")
async def test_a_claim_stands_only_if_the_callers_checks_hold(tmp_path: Path) -> None:
    it = stage(
        Notes().desktop,
        {"HostAgent": [say("FINISH"), say("FINISH", result="now it is there")]},
        log_path=tmp_path,
        checkers=[FileThere(2)],
    )
    ending = await it.run()
    assert it.events.edges() == [("host", "CONTINUE", "CONTINUE", "system"), ("host", "CONTINUE", "FINISH", "llm")]
    assert "sales.ods is missing" in it.model.requests[1].steps_done[0].problem
    assert ending.outcome is Outcome.SUCCESS


@pytest.mark.requires("round.claim-checked")
async def test_a_check_that_never_holds_is_never_a_success(tmp_path: Path) -> None:
    it = stage(
        Notes().desktop,
        {"HostAgent": [say("FINISH")] * 4},
        log_path=tmp_path,
        checkers=[FileThere(99)],
        settings={"max_failed_steps": 3},
    )
    ending = await it.run()
    assert ending.outcome is Outcome.FAILED
    assert "sales.ods is missing" in ending.reason


@pytest.mark.requires("round.without-host", "round.claim-checked")
@pytest.mark.parametrize(
    ("status", "outcome"), [("FINISH", Outcome.SUCCESS), ("FAIL", Outcome.FAILED), ("ERROR", Outcome.ERROR)]
)
async def test_an_agent_without_a_host_takes_the_request_as_its_subtask(
    tmp_path: Path, status: str, outcome: Outcome
) -> None:
    notes = Notes()
    (window,) = await notes.desktop.windows()
    checker = FileThere(1)
    it = stage(
        notes.desktop, {"AppAgent": [say(status, result="r")]}, log_path=tmp_path, hostless=window, checkers=[checker]
    )
    ending = await it.run("Write a note")
    assert (ending.outcome, it.context.previous_subtasks[0].subtask) == (outcome, "Write a note")
    assert it.events.edges() == [("app", "CONTINUE", status, "llm")]
    assert it.model.requests[0].subtask == "Write a note"


async def test_in_follower_mode_the_subtasks_outcome_is_the_rounds(tmp_path: Path) -> None:
    it = notes_stage(Notes(), [say("FAIL", comment="no")], tmp_path, [assign("Notes", "Write")], mode="follower")
    ending = await it.run()
    assert it.events.edges()[-2:] == [("app", "FAIL", "host:FAIL", "system"), ("host", "FAIL", "FINISH", "system")]
    assert (ending.outcome, ending.reason) == (Outcome.FAILED, "no")


async def test_in_follower_mode_a_step_of_the_plan_ends_the_round_and_max_round_does_not_cut_it(tmp_path: Path) -> None:
    host = [assign("Notes", "Write"), assign("Notes", "Save")]
    it = notes_stage(Notes(), [say("FINISH")] * 2, tmp_path, host, mode="follower", max_round=1)
    ending = await it.run("step one", "step two")
    assert it.events.edges()[3:4] == [("app", "FINISH", "host:FINISH", "system")]
    assert (ending.outcome, it.outcomes) == (Outcome.SUCCESS, [Outcome.SUCCESS] * 2)


def test_an_error_that_is_not_ours_is_not_recoverable() -> None:
    assert ErrorInfo.of(ValueError("x")).recoverable is False


@pytest.mark.parametrize("status", ["FAIL", "ERROR"])
async def test_giving_up_without_a_word_is_told_as_such(tmp_path: Path, status: str) -> None:
    it = stage(Notes().desktop, {"HostAgent": [say(status)]}, log_path=tmp_path)
    assert (await it.run()).reason == f"the model claimed {status} without a reason"


@pytest.mark.requires("command.one-result-each")
@pytest.mark.parametrize("on_call", [1, 2, 3, 4])
async def test_a_target_that_is_never_found_again_costs_a_step_and_no_more(tmp_path: Path, on_call: int) -> None:
    """Each target is looked for before its clearance and before its dispatch: first the window, then the button."""
    notes = Notes()
    select = assign("Notes", "Save")
    host = [select, select, say("FINISH")] if on_call <= 2 else [select, say("FINISH")]
    app = [say("CONTINUE", "invoke", "Save"), say("CONTINUE", "invoke", "Save"), say("FINISH")]
    notes.desktop.faults.hang("resolve", on_call=on_call)
    it = stage(notes.desktop, {"HostAgent": host, APP: app}, log_path=tmp_path)
    with anyio.fail_after(300):
        ending = await it.run()
    assert ending.outcome is Outcome.SUCCESS
    assert it.events.triggers().count("corrected") == 1
    assert notes.log == ["Save"] * (2 if on_call <= 2 else 1)
