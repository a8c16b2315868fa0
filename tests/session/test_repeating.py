"""The same again and again: warned of once, then failed (setting `max_repeats`)."""

from pathlib import Path

import pytest

from deskhand.core.errors import ActionRefused
from deskhand.core.model import AgentKind, ModelReply, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeTable, FakeWindow
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.scripted import ScriptedModel, ScriptedReply
from notes import APP, CONFIRM_DELETE, Notes, prompt_of
from stage import Answer, Person, Stage, act, assign, rule, say, stage

QUIET = say("CONTINUE", "invoke", "Quiet")
"""Nothing of it can be seen: its effect is `suspected_noop`, which is no failure."""

WARNING = "You repeated the same step 3 times"


def repeating(notes: Notes, replies: list[Answer], log_path: Path, **settings: object) -> Stage:
    host = [assign("Notes", "Press it"), say("FAIL", comment="no other way")]
    notes.window.focused = notes.quiet  # else the first press gives it the focus, which can be seen
    return stage(notes.desktop, {"HostAgent": host, APP: replies}, log_path=log_path, settings=settings)


def requests_of(it: Stage, agent: str = APP) -> list[ModelRequest]:
    return [request for request in it.model.requests if request.agent_name == agent]


@pytest.mark.requires("pipeline.loop-detector")
async def test_the_same_again_and_again_is_warned_of_once_and_then_fails_the_subtask(tmp_path: Path) -> None:
    notes = Notes()
    it = repeating(notes, [QUIET] * 4, tmp_path)
    await it.run()
    told = [WARNING in prompt_of(request) for request in requests_of(it)]
    assert told == [False, False, False, True]
    assert notes.log == ["Quiet"] * 3
    assert it.events.edges()[-3:-2] == [("app", "FAIL", "host:CONTINUE", "system")]
    assert it.events.triggers()[-4] == "spent"
    (record,) = it.context.previous_subtasks
    assert (record.outcome, record.status) == (Outcome.FAILED, "FAIL")
    assert "it repeated the same step 3 times and nothing changed" in record.error
    assert record.error in prompt_of(requests_of(it, "HostAgent")[-1])


async def test_the_warning_is_the_programs_own_word_and_not_fenced_as_untrusted(tmp_path: Path) -> None:
    it = repeating(Notes(), [QUIET] * 4, tmp_path)
    await it.run()
    trusted = [part for part in requests_of(it)[3].messages[1].parts if not getattr(part, "untrusted", True)]
    assert any(WARNING in getattr(part, "text", "") for part in trusted)


@pytest.mark.requires("pipeline.loop-detector")
@pytest.mark.parametrize("between", ["another action", "another argument", "another target", "the screen", "an answer"])
async def test_whatever_differs_begins_another_row(tmp_path: Path, between: str) -> None:
    notes = Notes()

    def change(request: ModelRequest) -> ScriptedReply:
        notes.text.value += "x"
        return QUIET(request)

    different: dict[str, Answer] = {
        "another action": say("CONTINUE", "click_input", "Quiet"),
        "another argument": say("CONTINUE", "invoke", "Quiet", args={"action": "click"}),
        "another target": say("CONTINUE", "invoke", "Text", args={"action": ""}),
        "the screen": change,
        "an answer": say("PENDING", questions=["Really?"]),
    }
    replies = [QUIET, different[between], QUIET, QUIET, say("FINISH"), say("FINISH")]
    it = repeating(notes, replies, tmp_path, ask_question=False, max_failed_steps=9)
    await it.run()
    assert it.outcomes == [Outcome.SUCCESS]
    assert not any(WARNING in prompt_of(request) for request in requests_of(it))


async def test_another_label_is_not_another_target(tmp_path: Path) -> None:
    """A fresh look numbers anew; what is pressed and what is seen stay the same."""
    notes = Notes([FakeControl(Role.BUTTON, "More")])

    def by_label(request: ModelRequest) -> ScriptedReply:
        label = next(control.id for control in request.controls if control.name == "Quiet")
        return {"status": "CONTINUE", "function": "invoke", "control_label": label}

    it = repeating(notes, [QUIET, by_label, say("SCREENSHOT"), by_label, QUIET], tmp_path)
    await it.run()
    assert it.outcomes == [Outcome.FAILED]
    assert notes.log == ["Quiet"] * 3


async def test_pixels_are_not_compared(tmp_path: Path) -> None:
    notes = Notes()

    def paint(request: ModelRequest) -> ScriptedReply:
        notes.window.rect = notes.window.rect.moved(1, 0)
        return QUIET(request)

    it = repeating(notes, [paint] * 4, tmp_path)
    await it.run()
    assert it.outcomes == [Outcome.FAILED]


@pytest.mark.requires("pipeline.loop-detector")
async def test_a_step_without_an_action_neither_counts_nor_ends_the_row(tmp_path: Path) -> None:
    notes = Notes()
    it = repeating(notes, [QUIET, say("CONTINUE"), QUIET, say("SCREENSHOT"), QUIET, say("CONTINUE"), QUIET], tmp_path)
    await it.run()
    assert (it.outcomes, notes.log) == ([Outcome.FAILED], ["Quiet"] * 3)


async def test_a_list_of_actions_is_compared_as_a_whole(tmp_path: Path) -> None:
    notes = Notes()
    both = say("CONTINUE", actions=[act("invoke", "Quiet"), act("wait", args={"seconds": 0.1})])
    it = repeating(notes, [both, both, both, QUIET, QUIET, say("FINISH"), say("FINISH")], tmp_path)
    await it.run()
    assert it.outcomes == [Outcome.SUCCESS]
    it = repeating(Notes(), [both] * 4, tmp_path)
    await it.run()
    assert it.outcomes == [Outcome.FAILED]


@pytest.mark.requires("pipeline.loop-detector")
async def test_looking_again_at_what_changes_is_no_repetition(tmp_path: Path) -> None:
    """What changes is out of view: only the tool's own data tells."""
    lines = FakeTable(1000, 10, visible=(1, 1))
    notes = Notes([FakeControl(Role.TABLE, "Log", table=lines)])
    row = 0

    def read(request: ModelRequest) -> ScriptedReply:
        nonlocal row
        row += 1
        lines.write(row, 0, [["one more line"]])
        return say("CONTINUE", "read_table", "Log")(request)

    it = repeating(notes, [*[read] * 6, say("FINISH")], tmp_path)
    await it.run()
    assert it.outcomes == [Outcome.SUCCESS]


@pytest.mark.requires("pipeline.loop-detector")
async def test_failed_steps_have_an_allowance_of_their_own(tmp_path: Path) -> None:
    """The same action fails on the same screen: nothing is warned of, and `max_failed_steps` ends it."""
    notes = Notes()
    for call in range(1, 6):
        notes.desktop.faults.fail("do_action", ActionRefused("not now"), on_call=call)
    it = repeating(notes, [QUIET] * 5, tmp_path, max_failed_steps=4)
    await it.run()
    assert not any(WARNING in prompt_of(request) for request in requests_of(it))
    assert "5 steps failed in a row" in it.context.previous_subtasks[0].error


async def test_a_failure_between_does_not_end_the_row(tmp_path: Path) -> None:
    notes = Notes()
    notes.desktop.faults.fail("do_action", ActionRefused("not now"), on_call=2)
    it = repeating(notes, [QUIET] * 5, tmp_path)
    await it.run()
    assert (it.outcomes, notes.log) == ([Outcome.FAILED], ["Quiet"] * 3)
    assert "it repeated the same step 3 times" in it.context.previous_subtasks[0].error


@pytest.mark.requires("pipeline.loop-detector", "state.confirm")
async def test_an_approved_action_counts_too_and_a_person_is_not_asked_once_more_for_nothing(tmp_path: Path) -> None:
    notes = Notes()
    notes.delete.on_click = lambda: notes.log.append("Delete")
    notes.window.focused = notes.delete
    person = Person(decides=[True] * 3)
    delete = say("CONTINUE", "invoke", "Delete")
    it = stage(
        notes.desktop,
        {"HostAgent": [assign("Notes", "Delete it"), say("FAIL")], APP: [delete] * 4},
        log_path=tmp_path,
        person=person,
        rules=rule(CONFIRM_DELETE, "confirm"),
    )
    await it.run()
    assert (len(person.shown), notes.log, it.outcomes) == (3, ["Delete"] * 3, [Outcome.FAILED])
    assert [WARNING in prompt_of(request) for request in requests_of(it)] == [False, False, False, True]


@pytest.mark.requires("pipeline.loop-detector")
async def test_a_host_goes_in_circles_likewise(tmp_path: Path) -> None:
    select = say("CONTINUE", "select_application_window", "Notes")
    it = stage(Notes().desktop, {"HostAgent": [select] * 4}, log_path=tmp_path)
    ending = await it.run()
    assert it.events.edges()[-2:] == [("host", "CONTINUE", "FAIL", "system"), ("host", "FAIL", "FINISH", "system")]
    assert ending.outcome is Outcome.FAILED
    assert "it repeated the same step 3 times" in ending.reason


async def test_what_a_host_sees_is_its_windows(tmp_path: Path) -> None:
    notes = Notes()

    def with_another_window(request: ModelRequest) -> ScriptedReply:
        notes.desktop.open(FakeWindow(f"New {len(notes.desktop.shown_windows)}", [], "other"))
        return say("CONTINUE", "select_application_window", "Notes")(request)

    it = stage(notes.desktop, {"HostAgent": [*[with_another_window] * 5, say("FINISH")]}, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS


@pytest.mark.requires("pipeline.loop-detector")
async def test_a_new_subtask_begins_with_an_empty_row(tmp_path: Path) -> None:
    host = [assign("Notes", "First"), assign("Notes", "Second"), say("FINISH")]
    replies = [QUIET, QUIET, QUIET, say("FINISH"), say("FINISH")] * 2
    it = stage(Notes().desktop, {"HostAgent": host, APP: replies}, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS


@pytest.mark.requires("pipeline.loop-detector")
async def test_zero_switches_it_off_and_only_the_steps_end_it(tmp_path: Path) -> None:
    it = repeating(Notes(), [QUIET] * 11, tmp_path, max_repeats=0, max_step=12)
    assert (await it.run()).outcome is Outcome.STEP_LIMIT
    assert not any("in a row" in prompt_of(request) for request in it.model.requests)


@pytest.mark.parametrize("allowed", [1, 2, 5])
async def test_the_allowance_is_the_setting(tmp_path: Path, allowed: int) -> None:
    notes = Notes()
    it = repeating(notes, [QUIET] * (allowed + 1), tmp_path, max_repeats=allowed)
    await it.run()
    assert (notes.log, it.outcomes) == (["Quiet"] * allowed, [Outcome.FAILED])


@pytest.mark.requires("pipeline.loop-detector", "model.playbook.same-path")
async def test_a_playbook_may_do_the_same_as_often_as_it_says(tmp_path: Path) -> None:
    """Every step is another position of its script; it has an end, and a warning is no problem to it."""
    presses = "    - {tool: invoke, on: {role: button, name: Quiet}}\n" * 6
    book = parse_playbook(
        "playbook: 1\nname: patient\nhost:\n"
        "  - {on: {role: window, name: Notes}, status: ASSIGN, agent: notes, subtask: Press}\n"
        "  - {status: FINISH}\n"
        f"agents:\n  notes:\n{presses}    - {{status: FINISH}}\n",
        "patient.yaml",
    )
    notes = Notes()
    it = stage(notes.desktop, PlaybookModel(book), log_path=tmp_path)
    ending = await it.run()
    assert (ending.outcome, notes.log) == (Outcome.SUCCESS, ["Quiet"] * 6)


@pytest.mark.long
async def test_a_model_that_only_ever_says_continue_is_stopped(tmp_path: Path) -> None:
    """With the same action by the warning and FAIL, without one or with ever different ones by the steps."""
    presses = 0

    def answer(request: ModelRequest, action: str) -> ScriptedReply:
        nonlocal presses
        presses += 1
        if request.agent == AgentKind.HOST:
            return assign("Notes", "Press it")(request)
        keys = {"none": "", "same": "a", "different": str(presses)}[action]
        if not keys:
            return ModelReply({"status": "CONTINUE"}, "")
        return say("CONTINUE", "keyboard_input", args={"keys": keys})(request)

    for action, outcome in (("none", Outcome.STEP_LIMIT), ("same", Outcome.FAILED), ("different", Outcome.STEP_LIMIT)):
        notes = Notes()
        notes.window.focused = notes.save  # keys do nothing there
        it = stage(notes.desktop, ScriptedModel(lambda request, a=action: answer(request, a)), log_path=tmp_path)
        assert (await it.run()).outcome is outcome
