"""Holding actions for a person, and what becomes of them (contract 2.4)."""

from pathlib import Path

import anyio
import pytest

from deskhand.cli.interactor_choice import interactor_for
from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    ActionsHeld,
    ConfirmationAsked,
    ConfirmationDecided,
    ModelAsked,
    StepStarted,
    VerdictGiven,
)
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeWindow
from deskhand.report.html import render_report
from deskhand.report.markdown import render_markdown
from deskhand.report.summary import summarise
from deskhand.store.journal import Journal
from notes import APP, CONFIRM_DELETE, Notes, prompt_of
from stage import Answer, Person, Stage, act, assign, rule, say, stage

ASK_FIRST = rule(CONFIRM_DELETE, "confirm")


def confirming(notes: Notes, person: Person, replies: list[Answer], log_path: Path, **settings: object) -> Stage:
    """One subtask in the notes under a rule that wants deleting confirmed; then the host ends."""
    host = [assign("Notes", "Delete it"), say("FINISH")]
    return stage(
        notes.desktop,
        {"HostAgent": host, APP: replies},
        log_path=log_path,
        person=person,
        rules=ASK_FIRST,
        settings=settings,
    )


DELETE = say("CONTINUE", "invoke", "Delete", comment="tidy up", thought="the person will not mind")


@pytest.mark.requires("state.confirm", "policy.facts", "confirm.held")
async def test_nothing_happens_before_the_approval_and_exactly_the_held_actions_after_it(tmp_path: Path) -> None:
    notes = Notes()
    seen_before: list[list[str]] = []
    person = Person(decides=[True], when_asked=lambda: seen_before.append(list(notes.log)))
    both = say("CONTINUE", actions=[act("invoke", "Save"), act("invoke", "Delete")], comment="tidy up")
    it = confirming(notes, person, [both, say("FINISH", result="gone")], tmp_path)
    ending = await it.run()
    assert seen_before == [[]]
    assert notes.log == ["Save", "Delete"]
    assert ending.outcome is Outcome.SUCCESS
    assert it.events.edges()[2:5] == [
        ("app", "CONTINUE", "CONFIRM", "system"),
        ("app", "CONFIRM", "CONTINUE", "user"),
        ("app", "CONTINUE", "FINISH", "llm"),
    ]
    (request,) = person.shown
    assert [(f.facts.tool, f.facts.control_name, f.facts.window) for f in request.facts] == [
        ("invoke", "Save", "Notes"),
        ("invoke", "Delete", "Notes"),
    ]
    assert request.facts[1].reason == "for the test"
    assert request.model_says == "tidy up"


@pytest.mark.requires("policy.facts")
@pytest.mark.parametrize(
    ("request_", "told"),
    [("Delete the text", "orders it"), ("Tidy up, but do not delete the text", "does not order it")],
)
async def test_journal_and_question_say_whether_the_request_orders_what_is_confirmed(
    tmp_path: Path, request_: str, told: str
) -> None:
    notes, person = Notes(), Person(decides=[True])
    replies = {"HostAgent": [assign("Notes", "Delete it"), say("FINISH")], APP: [DELETE, say("FINISH")]}
    it = stage(notes.desktop, replies, log_path=tmp_path, person=person, knows_requests=True)
    await it.run(request_)
    reason = f"its name says that it deletes something; the request {told}"
    assert person.shown[0].facts[0].reason == reason
    judged = [event for event in it.events.of(VerdictGiven) if event.tool == "invoke"]
    assert {(event.decision, event.rule, event.reason) for event in judged} == {("confirm", "delete-by-name", reason)}
    assert [(event.decision) for event in it.events.of(ConfirmationDecided)] == ["approved"]


@pytest.mark.requires("confirm.resume")
@pytest.mark.parametrize("status", ["CONTINUE", "SCREENSHOT", "CONFIRM", "FINISH"])
async def test_an_approved_action_that_was_confirmed_is_not_described_as_corrected(tmp_path: Path, status: str) -> None:
    replies = [say(status, "invoke", "Delete"), say("FINISH")]
    it = confirming(Notes(), Person(decides=[True]), replies, tmp_path)
    await it.run()
    prompt = prompt_of(next(request for request in it.model.requests if request.steps_done and request.subtask))
    assert "The user approved the action of your last step, and it was carried out." in prompt
    assert "the program changed it" not in prompt
    assert "not everything was confirmed" not in prompt


@pytest.mark.requires("confirm.resume")
async def test_resuming_is_no_new_step_and_asks_no_model(tmp_path: Path) -> None:
    notes = Notes()
    it = confirming(notes, Person(decides=[True]), [DELETE, say("FINISH")], tmp_path)
    await it.run()
    assert len(it.events.of(StepStarted)) == len(it.events.of(ModelAsked)) == 4
    after = it.model.requests[2].steps_done
    assert [(a.function, a.ran) for a in after[0].actions] == [("invoke", True)]


@pytest.mark.requires("confirm.resume")
async def test_the_held_steps_memory_is_completed(tmp_path: Path) -> None:
    notes = Notes()
    it = confirming(notes, Person(decides=[True]), [DELETE, say("FINISH")], tmp_path)
    await it.run()
    (agent,) = it.host.appagent_dict.values()
    held = agent.memory.items[0].to_dict()
    assert held["function_call"] == ["invoke"]
    assert held["action_representation"] == ['invoke(button "Delete" [3]) → confirmed']
    assert len(str(held["action_success"])) > 10
    assert held["results"] != []


@pytest.mark.requires("state.confirm", "round.outcome", "round.subtask-outcome")
async def test_a_rejection_ends_the_subtask_as_rejected_and_the_round_with_it(tmp_path: Path) -> None:
    notes = Notes()
    it = confirming(notes, Person(decides=[False]), [DELETE], tmp_path)
    ending = await it.run()
    assert (notes.log, it.outcomes, ending.outcome) == ([], [Outcome.REJECTED], Outcome.REJECTED)
    assert ("app", "CONFIRM", "FINISH", "user") in it.events.edges()


@pytest.mark.requires("round.outcome")
@pytest.mark.parametrize(
    ("second", "outcome"),
    [("Notes", Outcome.SUCCESS), ("Other", Outcome.REJECTED), ("More notes", Outcome.REJECTED)],
)
async def test_a_rejection_is_made_good_by_a_later_success_of_the_same_agent_only(
    tmp_path: Path, second: str, outcome: Outcome
) -> None:
    notes = Notes()
    notes.desktop.open(FakeWindow("Other", [FakeControl(Role.BUTTON, "Go")], "other"))
    notes.desktop.open(FakeWindow("More notes", [FakeControl(Role.BUTTON, "Go")], "notes"))
    host = [assign("Notes", "Delete it"), assign(second, "Something else"), say("FINISH")]
    it = stage(
        notes.desktop,
        {"HostAgent": host, APP: [DELETE, say("FINISH")], "AppAgent/other": [say("FINISH")]},
        log_path=tmp_path,
        person=Person(decides=[False]),
        rules=ASK_FIRST,
    )
    assert (await it.run()).outcome is outcome
    assert it.outcomes == [Outcome.REJECTED, Outcome.SUCCESS]


@pytest.mark.requires("state.confirm", "confirm.rejected")
@pytest.mark.parametrize("status", ["CONTINUE", "CONFIRM"])
async def test_a_rejected_action_is_refused_without_asking_until_the_next_round(tmp_path: Path, status: str) -> None:
    notes = Notes()
    person = Person(decides=[False, True])
    again = say("CONTINUE", "invoke", "Delete")
    host = [assign("Notes", "Delete it"), assign("Notes", "Delete it all the same"), say("FINISH")]
    replies = [DELETE, say(status, "invoke", "Delete"), say("FINISH"), say("FINISH"), again, say("FINISH")]
    it = stage(
        notes.desktop,
        {"HostAgent": [*host, assign("Notes", "Now"), say("FINISH")], APP: replies},
        log_path=tmp_path,
        person=person,
        rules=ASK_FIRST,
        settings={"max_round": 2},
    )
    await it.run("first", "second")
    assert len(person.shown) == 2
    refused = [e for e in it.events.of(ActionFinished) if e.effect == "refused"]
    assert [(e.tool, e.delivered) for e in refused] == [("invoke", False)]
    assert notes.log == ["Delete"]


@pytest.mark.requires("state.confirm")
async def test_what_only_the_model_wanted_confirmed_stays_rejected_too(tmp_path: Path) -> None:
    """The policy allows it, so that nothing but the person's word stands against it."""
    notes = Notes()
    host = [assign("Notes", "Save"), assign("Notes", "Save all the same"), say("FINISH")]
    replies = [say("CONFIRM", "invoke", "Save"), say("CONTINUE", "invoke", "Save"), say("FAIL")]
    it = stage(notes.desktop, {"HostAgent": host, APP: replies}, log_path=tmp_path, person=Person(decides=[False]))
    await it.run()
    assert notes.log == []


@pytest.mark.requires("state.confirm", "confirm.rejected")
async def test_another_label_does_not_make_it_another_action(tmp_path: Path) -> None:
    notes = Notes()

    def renumber() -> None:
        notes.window.controls.insert(0, FakeControl(Role.BUTTON, "New"))

    host = [assign("Notes", "Delete it"), assign("Notes", "Delete it"), say("FINISH")]
    replies = [DELETE, say("SCREENSHOT"), say("CONTINUE", "invoke", "Delete"), say("FAIL")]
    person = Person(decides=[False], when_asked=renumber)
    it = stage(notes.desktop, {"HostAgent": host, APP: replies}, log_path=tmp_path, person=person, rules=ASK_FIRST)
    await it.run()
    labels = [next(c.id for c in r.controls if c.name == "Delete") for r in it.model.requests if r.agent_name == APP]
    assert len(set(labels)) == 2
    assert (len(person.shown), notes.log) == (1, [])


@pytest.mark.requires("round.unattended", "state.confirm", "asking.timeout")
async def test_no_decision_in_time_is_a_timeout_and_never_an_approval(tmp_path: Path) -> None:
    class Silent(Person):
        async def confirm(self, request: object) -> bool:
            await anyio.sleep_forever()
            return True

    notes = Notes()
    it = confirming(notes, Silent(), [DELETE], tmp_path, ask_timeout=300.0, max_fail_per_subtask=0)
    ending = await it.run()
    assert (notes.log, it.outcomes, ending.outcome) == ([], [Outcome.TIMEOUT], Outcome.TIMEOUT)
    assert ("app", "CONFIRM", "FAIL", "timeout") in it.events.edges()


@pytest.mark.requires("round.unattended")
async def test_where_nobody_can_be_asked_the_time_has_passed_at_once(tmp_path: Path) -> None:
    notes = Notes()
    person = Person(reachable=False)
    it = confirming(notes, person, [DELETE], tmp_path)
    await it.run()
    assert (notes.log, person.shown, it.outcomes) == ([], [], [Outcome.TIMEOUT])
    assert [e.decision for e in it.events.of(ConfirmationDecided)] == ["timeout"]
    error = it.context.previous_subtasks[0].error
    assert ("invoke Delete was not approved: no user can be asked" in error) is True, error


@pytest.mark.requires("round.unattended")
async def test_where_nothing_is_approved_an_action_is_rejected_by_its_name(tmp_path: Path) -> None:
    """As with `--confirm never`."""
    notes = Notes()
    it = confirming(notes, Person(), [DELETE], tmp_path, max_fail_per_subtask=0)
    it.context.interactor = interactor_for("off", "never").interactor
    ending = await it.run()
    assert (notes.log, ending.outcome) == ([], Outcome.REJECTED)
    assert "the user rejected " in ending.reason
    assert "invoke Delete" in ending.reason


@pytest.mark.requires("policy.typed-passwords", "policy.facts")
async def test_the_journal_says_what_was_to_be_confirmed_and_no_password(tmp_path: Path) -> None:
    notes = Notes([FakeControl(Role.PASSWORD, "Password")])
    typed = act("set_edit_text", "Password", args={"text": "hunter2"})
    both = say("CONFIRM", actions=[typed, act("set_edit_text", "Text", args={"text": "the name"})])
    it = confirming(notes, Person(decides=[True]), [both, say("FINISH")], tmp_path)
    await it.run()
    (asked,) = it.events.of(ConfirmationAsked)
    assert asked.facts == [
        "no rule: set_edit_text Password (clear=True, text=•••)",
        "no rule: set_edit_text Text (clear=True, text=the name)",
    ]


@pytest.mark.requires("policy.typed-passwords")
@pytest.mark.parametrize("person", [Person(decides=[False]), Person(reachable=False)], ids=["rejected", "timeout"])
async def test_a_password_that_was_never_typed_is_in_no_report_either(tmp_path: Path, person: Person) -> None:
    notes = Notes([FakeControl(Role.PASSWORD, "Password")])
    typed = say("CONFIRM", "set_edit_text", "Password", args={"text": "hunter2"}, comment="I type hunter2")
    it = confirming(notes, person, [typed], tmp_path, max_fail_per_subtask=0)
    await it.run()
    log = tmp_path / "log"
    with Journal(log, it.clock) as journal:
        for event in it.events.all:
            journal.emit(event)
    assert it.events.of(ActionFinished)[1:] == []
    assert "I type •••" in render_report(log)
    assert "hunter2" not in render_report(log) + render_markdown(log) + str(summarise(log))


@pytest.mark.requires("policy.typed-passwords")
async def test_keys_that_may_go_to_a_password_are_not_told_where_they_are_held(tmp_path: Path) -> None:
    notes = Notes([FakeControl(Role.PASSWORD, "Password")])
    phrase = "correct horse battery staple " * 3
    held = say("CONFIRM", "keyboard_input", args={"keys": f"{phrase}{{ENTER}}"})
    it = confirming(notes, Person(decides=[False]), [held], tmp_path)
    await it.run()
    (asked,) = it.events.of(ConfirmationAsked)
    assert asked.facts == ["no rule: keyboard_input (keys=•••{ENTER})"]


@pytest.mark.requires("policy.deny-holds", "confirm.safe-guard-off")
async def test_with_the_safe_guard_off_nobody_is_asked_and_the_held_actions_run_at_once(tmp_path: Path) -> None:
    notes = Notes()
    person = Person()
    it = confirming(notes, person, [DELETE, say("FINISH")], tmp_path, safe_guard=False)
    await it.run()
    assert (notes.log, person.shown) == (["Delete"], [])
    assert ("app", "CONFIRM", "CONTINUE", "system") in it.events.edges()


@pytest.mark.requires("policy.deny-holds", "pipeline.gate-before-dispatch")
@pytest.mark.parametrize("safe_guard", [True, False])
async def test_one_deny_refuses_the_whole_list_whatever_the_safe_guard_says(tmp_path: Path, safe_guard: bool) -> None:
    notes = Notes()
    both = say("CONTINUE", actions=[act("invoke", "Save"), act("invoke", "Delete")])
    it = stage(
        notes.desktop,
        {"HostAgent": [assign("Notes", "Tidy"), say("FAIL")], APP: [both, say("FAIL")]},
        log_path=tmp_path,
        person=Person(),
        rules=rule(CONFIRM_DELETE, "deny"),
        settings={"safe_guard": safe_guard},
    )
    await it.run()
    assert notes.log == []
    finished = [(e.status, e.effect) for e in it.events.of(ActionFinished) if e.tool == "invoke"]
    assert finished == [("skipped", ""), ("failure", "refused")]
    assert ("app", "CONTINUE", "CONTINUE", "system") in it.events.edges()
    told = it.model.requests[2].steps_done[0]
    assert "denied by rule test" in told.problem
    assert [e.tool for e in it.events.of(ActionIntended)] == ["select_application_window"]


@pytest.mark.requires("pipeline.gate-before-dispatch")
async def test_one_confirm_holds_the_whole_list(tmp_path: Path) -> None:
    notes = Notes()
    both = say("FINISH", actions=[act("invoke", "Save"), act("invoke", "Delete")])
    it = confirming(notes, Person(decides=[False]), [both], tmp_path)
    await it.run()
    (held,) = it.events.of(ActionsHeld)
    assert (len(held.call_ids), notes.log) == (2, [])


@pytest.mark.requires("pipeline.judged-again", "state.confirm", "confirm.resume")
@pytest.mark.parametrize("status", ["CONTINUE", "CONFIRM"])
async def test_a_target_that_changed_since_the_approval_is_refused(tmp_path: Path, status: str) -> None:
    notes = Notes()
    name = "Delete" if status == "CONTINUE" else "Save"
    button = notes.window.find(name)

    def change() -> None:
        button.name = f"{name} all"

    replies = [say(status, "invoke", name), say("FINISH")]
    it = confirming(notes, Person(decides=[True], when_asked=change), replies, tmp_path)
    await it.run()
    assert notes.log == []
    assert ("app", "CONFIRM", "CONTINUE", "user") in it.events.edges()
    assert it.model.requests[2].steps_done[0].problem != ""


@pytest.mark.requires("pipeline.judged-again", "state.confirm")
async def test_a_change_is_noticed_also_where_the_model_gave_no_name_and_no_rule_asks(tmp_path: Path) -> None:
    notes = Notes()

    def change() -> None:
        notes.window.title = "Another"

    replies = [say("CONFIRM", "invoke", control_label="2"), say("FINISH")]
    it = confirming(notes, Person(decides=[True], when_asked=change), replies, tmp_path)
    await it.run()
    assert notes.log == []
    assert "it changed since it was approved" in it.model.requests[2].steps_done[0].problem


@pytest.mark.requires("pipeline.judged-again")
async def test_a_target_that_comes_under_a_rule_right_before_dispatch_is_refused(tmp_path: Path) -> None:
    notes = Notes()

    def rename() -> None:
        notes.save.name = "Delete"

    notes.desktop.faults.before("resolve", rename, on_call=3)
    replies = [say("CONTINUE", "invoke", "Save"), say("FAIL")]
    it = confirming(notes, Person(), replies, tmp_path)
    await it.run()
    assert notes.log == []


async def test_a_target_that_changes_between_clearance_and_dispatch_is_refused(tmp_path: Path) -> None:
    notes = Notes()

    def rename() -> None:
        notes.save.name = "Save all"

    notes.desktop.faults.before("resolve", rename, on_call=4)
    replies = [say("CONTINUE", "invoke", "Save"), say("FINISH"), say("FINISH")]
    it = confirming(notes, Person(), replies, tmp_path)
    ending = await it.run()
    assert (notes.log, ending.outcome) == ([], Outcome.SUCCESS)
    assert [(e.tool, e.effect) for e in it.events.of(ActionFinished)][1] == ("invoke", "refused")


@pytest.mark.requires("policy.model-only-raises")
async def test_the_model_can_ask_for_a_confirmation_that_no_rule_wants(tmp_path: Path) -> None:
    notes = Notes()
    person = Person(decides=[True])
    it = confirming(notes, person, [say("CONFIRM", "invoke", "Save"), say("FINISH")], tmp_path)
    await it.run()
    assert ("app", "CONTINUE", "CONFIRM", "llm") in it.events.edges()
    assert (len(person.shown), notes.log) == (1, ["Save"])


@pytest.mark.requires("policy.model-only-raises")
@pytest.mark.parametrize("status", ["CONTINUE", "SCREENSHOT", "FINISH"])
async def test_whatever_the_model_claims_a_rule_holds(tmp_path: Path, status: str) -> None:
    notes = Notes()
    person = Person(decides=[False])
    it = confirming(notes, person, [say(status, "invoke", "Delete", comment="no need to ask")], tmp_path)
    await it.run()
    assert (len(person.shown), notes.log) == (1, [])


@pytest.mark.requires("confirm.picture")
async def test_the_person_is_shown_the_present_window_with_the_target_marked(tmp_path: Path) -> None:
    notes = Notes()
    person = Person(decides=[True])
    it = confirming(notes, person, [DELETE, say("FINISH")], tmp_path)
    await it.run()
    assert person.shown[0].picture == str(tmp_path / "action_step2_confirm.png")
    names = [name for name in it.pictures.kept if name.startswith("action_step2")]
    assert names == ["action_step2.png", "action_step2_annotated.png", "action_step2_confirm.png"]
    confirm, clean = (it.pictures.kept[name]() for name in ("action_step2_confirm.png", "action_step2.png"))
    assert confirm != clean


async def test_asking_that_raises_is_an_error(tmp_path: Path) -> None:
    notes = Notes()
    it = confirming(notes, Person(decides=[ValueError("no paper")]), [DELETE], tmp_path)
    ending = await it.run()
    assert (notes.log, ending.outcome, ending.reason) == ([], Outcome.ERROR, "ValueError: no paper")
    assert ("app", "CONFIRM", "ERROR", "system") in it.events.edges()


@pytest.mark.requires("confirm.picture")
async def test_a_window_that_is_gone_is_not_asked_about(tmp_path: Path) -> None:
    notes = Notes()
    person = Person(decides=[True])
    it = confirming(notes, person, [DELETE], tmp_path)
    notes.desktop.faults.before("settle", lambda: notes.desktop.close_window(notes.window), on_call=3)
    await it.run()
    assert person.shown == []
    assert ("app", "CONFIRM", "ERROR", "system") in it.events.edges()


@pytest.mark.requires("state.confirm", "round.outcome")
@pytest.mark.parametrize("mode", ["normal", "follower"])
async def test_the_host_ends_as_rejected_where_its_own_action_was(tmp_path: Path, mode: str) -> None:
    notes = Notes()
    it = stage(
        notes.desktop,
        {"HostAgent": [assign("Notes", "Open it")]},
        log_path=tmp_path,
        person=Person(decides=[False]),
        rules=rule("{tool: select_application_window}", "confirm"),
        settings={"mode": mode},
    )
    ending = await it.run()
    assert ending.outcome is Outcome.REJECTED
    assert it.events.edges() == [
        ("host", "CONTINUE", "CONFIRM", "system"),
        ("host", "CONFIRM", "FAIL", "user"),
        ("host", "FAIL", "FINISH", "system"),
    ]


async def test_a_window_chosen_after_an_approval_is_the_one_handed_over(tmp_path: Path) -> None:
    notes = Notes()
    select = say("CONTINUE", "select_application_window", "Notes")
    it = stage(
        notes.desktop,
        {
            "HostAgent": [select, say("ASSIGN", current_subtask="Save"), say("FINISH")],
            APP: [say("FINISH", "invoke", "Save")],
        },
        log_path=tmp_path,
        person=Person(decides=[True]),
        rules=rule("{tool: select_application_window}", "confirm"),
    )
    ending = await it.run()
    assert (ending.outcome, notes.log) == (Outcome.SUCCESS, ["Save"])


@pytest.mark.requires("state.no-data")
async def test_two_sessions_side_by_side_never_see_each_other(tmp_path: Path) -> None:
    """One is rejected while the other waits for its approval; both have the same windows, names and labels."""
    first, second = Notes(), Notes()
    rejected = anyio.Event()

    class Slow(Person):
        async def confirm(self, request: object) -> bool:
            await rejected.wait()
            return True

    mine = confirming(first, Person(decides=[False], when_asked=rejected.set), [DELETE], tmp_path / "1")
    other = confirming(second, Slow(), [DELETE, say("FINISH", result="done")], tmp_path / "2")
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(other.run)
            tasks.start_soon(mine.run)
    assert (first.log, second.log) == ([], ["Delete"])
    assert (mine.outcomes, other.outcomes) == ([Outcome.REJECTED], [Outcome.SUCCESS])
    assert mine.agent.state is not other.agent.state
    assert (len(mine.services.blackboard.subtasks), other.context.rejected_actions) == (1, set())
