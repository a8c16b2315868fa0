"""What becomes of a reply's actions (contract 3.2, 4.8)."""

from pathlib import Path

import pytest

from deskhand.commands import standard_catalogue
from deskhand.commands.expectations import compare
from deskhand.core.command import Command, Effect, ResultStatus, ToolType
from deskhand.core.errors import ReplyDefect
from deskhand.core.events import ActionFinished, ActionIntended, CheckRun, DataSaved
from deskhand.core.json import JsonValue
from deskhand.core.outcomes import Outcome
from deskhand.core.replies import ReplyAction
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo, TargetKind, Trait
from deskhand.desktop.fake import FakeControl, FakeTable
from deskhand.pipeline.actions import PlanningGround, look_up, plan, resolve_references
from deskhand.session.build import Listeners
from deskhand.store.journal import Journal, read_events
from notes import APP, Notes, prompt_of
from stage import Answer, Stage, act, assign, say, stage


def one_app(notes: Notes, replies: list[Answer], log_path: Path, **settings: object) -> Stage:
    host = [assign("Notes", "Write"), say("FINISH")]
    return stage(notes.desktop, {"HostAgent": host, APP: replies}, log_path=log_path, settings=settings)


def told(it: Stage, request: int = -2) -> list[tuple[str, str, bool]]:
    """What the model is told of its last step: function, status, whether it ran."""
    return [(a.function, a.status.value, a.ran) for a in it.model.requests[request].steps_done[-1].actions]


@pytest.mark.requires("pipeline.action-order")
async def test_the_first_surprise_stops_the_list_and_the_model_is_told_exactly_what_ran(tmp_path: Path) -> None:
    notes = Notes()
    notes.tidy.states.add("disabled")
    three = say("FINISH", actions=[act("invoke", "Save"), act("invoke", "Tidy"), act("invoke", "Save")])
    it = one_app(notes, [three, say("FINISH")], tmp_path)
    await it.run()
    assert notes.log == ["Save"]
    assert told(it) == [("invoke", "success", True), ("invoke", "failure", False), ("invoke", "skipped", False)]
    step = it.model.requests[-2].steps_done[0]
    assert "is disabled" in step.problem
    assert "before it did not go as expected" in step.actions[2].message


@pytest.mark.requires("pipeline.action-order")
async def test_each_target_is_found_again_right_before_its_action(tmp_path: Path) -> None:
    notes = Notes()

    def remove() -> None:
        notes.log.append("Save")
        notes.window.controls.remove(notes.tidy)

    notes.save.on_click = remove
    both = say("CONTINUE", actions=[act("invoke", "Save"), act("invoke", "Tidy")])
    it = one_app(notes, [both, say("FINISH")], tmp_path)
    await it.run()
    assert notes.log == ["Save"]
    assert told(it)[1] == ("invoke", "failure", False)


@pytest.mark.requires("pipeline.action-order")
async def test_a_control_made_anew_is_found_by_what_it_is(tmp_path: Path) -> None:
    notes = Notes()
    both = say("FINISH", actions=[act("invoke", "Save"), act("invoke", "Tidy")])
    notes.save.on_click = lambda: notes.desktop.faults.stale(notes.tidy)
    it = one_app(notes, [both, say("FINISH")], tmp_path)
    await it.run()
    assert notes.log == ["Tidy"]


@pytest.mark.requires("pipeline.status-corrected")
async def test_finish_with_an_unconfirmed_effect_looks_again_and_then_stands(tmp_path: Path) -> None:
    notes = Notes()
    notes.desktop.faults.lie("do_action")
    it = one_app(notes, [say("FINISH", "invoke", "Save"), say("FINISH", result="done")], tmp_path)
    ending = await it.run()
    assert it.events.edges()[2:4] == [("app", "CONTINUE", "CONTINUE", "system"), ("app", "CONTINUE", "FINISH", "llm")]
    assert "invoke was not confirmed (suspected_noop)" in it.model.requests[2].steps_done[0].problem
    assert (ending.outcome, notes.log) == (Outcome.SUCCESS, [])


@pytest.mark.requires("pipeline.status-corrected")
@pytest.mark.parametrize("function", ["summary", "annotation", "texts", "wait", "find_controls"])
async def test_a_tool_without_an_effect_need_only_succeed(tmp_path: Path, function: str) -> None:
    arguments: dict[str, JsonValue] = {
        "summary": {"text": "two notes"},
        "annotation": {"control_labels": ["1"]},
        "wait": {"seconds": 1},
    }
    on = "Text" if function == "texts" else ""
    it = one_app(Notes(), [say("FINISH", function, on, args=arguments.get(function, {}))], tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert it.events.edges()[2] == ("app", "CONTINUE", "FINISH", "llm")


@pytest.mark.requires("pipeline.summary")
@pytest.mark.parametrize("of_the_reply", ["", "done"])
async def test_a_summary_is_the_result_of_a_subtask_whose_last_reply_has_none(
    tmp_path: Path, of_the_reply: str
) -> None:
    kept = say("CONTINUE", "summary", args={"text": "two notes"})
    it = one_app(Notes(), [kept, say("FINISH", result=of_the_reply)], tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    (record,) = it.context.previous_subtasks
    assert record.result == (of_the_reply or "two notes")


@pytest.mark.requires("pipeline.status-corrected")
async def test_continue_with_an_unconfirmed_effect_is_no_failed_step(tmp_path: Path) -> None:
    notes = Notes()
    notes.desktop.faults.lie("do_action")
    it = one_app(notes, [say("CONTINUE", "invoke", "Save"), say("FINISH"), say("FINISH")], tmp_path, max_failed_steps=1)
    assert (await it.run()).outcome is Outcome.SUCCESS


@pytest.mark.requires("pipeline.status-corrected")
async def test_assign_with_a_failed_action_becomes_continue(tmp_path: Path) -> None:
    notes = Notes()
    launch = say("ASSIGN", "launch_application", current_subtask="Write", args={"application": "nothing"})
    it = stage(notes.desktop, {"HostAgent": [launch, say("FAIL")]}, log_path=tmp_path, rules=ALLOW_LAUNCH)
    await it.run()
    assert it.events.edges()[0] == ("host", "CONTINUE", "CONTINUE", "system")
    assert "there is no application 'nothing'" in it.model.requests[1].steps_done[0].problem


ALLOW_LAUNCH = "policy: 1\nrules:\n  - {name: any, match: {tool: launch_application}, decision: allow, reason: test}\n"


@pytest.mark.parametrize("status", ["FAIL", "ERROR"])
async def test_the_actions_of_a_reply_that_gives_up_are_skipped(tmp_path: Path, status: str) -> None:
    notes = Notes()
    it = one_app(notes, [say(status, "invoke", "Save")], tmp_path)
    await it.run()
    skipped = it.events.of(ActionFinished)[-1]
    assert (skipped.status, skipped.evidence, notes.log) == ("skipped", f"skipped: the reply's status is {status}", [])


@pytest.mark.requires("journal.write-ahead")
async def test_the_intent_is_durable_before_the_dispatch_and_the_result_after(tmp_path: Path) -> None:
    """The button itself reads the journal's file, as another process would after a crash in this very moment."""
    notes = Notes()
    found: list[list[str]] = []

    def look() -> None:
        notes.count.value = "1"
        found.append([e.kind for e in read_events(tmp_path) if e.kind.startswith("action_")])

    notes.save.on_click = look
    it = one_app(notes, [say("CONTINUE", "invoke", "Save"), say("FINISH")], tmp_path)
    with Journal(tmp_path, it.clock) as journal:
        it.context.events = Listeners((journal, it.events), it.context.clock)
        await it.run()
    assert found == [["action_intended", "action_finished", "action_intended"]]
    kinds = [e.kind for e in it.events.all if isinstance(e, ActionIntended | ActionFinished)]
    assert kinds == ["action_intended", "action_finished"] * 2
    intended, finished = it.events.of(ActionIntended)[1], it.events.of(ActionFinished)[1]
    assert intended.call_id == finished.call_id
    assert intended.target is not None
    assert (intended.target.name, finished.effect, finished.route) == ("Save", "confirmed", "accessibility")


@pytest.mark.parametrize(
    ("expect", "ok"),
    [
        ({"effect": "confirmed"}, True),
        ({"effect": "partial"}, False),
        ({"window": "Notes"}, True),
        ({"window": "/^Other/"}, False),
        ({"shows": {"role": "button", "name": "Save"}}, True),
        ({"gone": {"name": "Save"}}, False),
        ({"gone": {"name": "Nothing"}}, True),
        ({"file": "/nowhere/at/all"}, False),
    ],
)
async def test_what_was_expected_is_looked_up_by_the_program(tmp_path: Path, expect: JsonValue, ok: bool) -> None:
    notes = Notes()
    it = one_app(notes, [say("FINISH", "invoke", "Save", expect=expect), say("FAIL")], tmp_path)
    await it.run()
    assert [check.ok for check in it.events.of(CheckRun)] == [ok]
    assert it.events.edges()[2] == ("app", "CONTINUE", *(("FINISH", "llm") if ok else ("CONTINUE", "system")))


@pytest.mark.requires("prompt.evidence")
async def test_the_model_is_told_what_shows_the_effect_of_a_confirmed_action_and_what_to_do_about_another(
    tmp_path: Path,
) -> None:
    notes = Notes()
    notes.tidy.states.add("disabled")
    replies: list[Answer] = [say("CONTINUE", "invoke", "Save"), say("CONTINUE", "invoke", "Tidy"), say("FINISH")]
    it = one_app(notes, replies, tmp_path)
    await it.run()
    _, saved, tidied = it.events.of(ActionFinished)
    prompt = prompt_of(it.model.requests[3])
    assert (saved.effect, bool(saved.evidence), tidied.error is not None) == ("confirmed", True, True)
    assert f'invoke(button "Save" [2]) confirmed: {saved.evidence}' in prompt
    assert tidied.error is not None
    refused = tidied.evidence.replace('button "Tidy" [6]', "it")
    assert f'invoke(button "Tidy" [6]) refused, not done: {refused}; to do: {tidied.error.fix}' in prompt


@pytest.mark.requires("effect.expected")
async def test_an_action_that_was_done_stays_done_where_an_expectation_fails(tmp_path: Path) -> None:
    """With no failed step allowed: a failed one would end the subtask."""
    notes = Notes()
    pressed = say("CONTINUE", "invoke", "Save", expect={"window": "Saved"})
    it = one_app(notes, [pressed, pressed, say("FINISH")], tmp_path, max_failed_steps=0)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert notes.log == ["Save", "Save"]
    assert it.events.edges()[2] == ("app", "CONTINUE", "CONTINUE", "llm")
    step = it.model.requests[2].steps_done[-1]
    assert (step.problem, step.actions[0].status, step.actions[0].message) == ("", "success", "")
    prompt = prompt_of(it.model.requests[2])
    assert 'invoke(button "Save" [2]) done; your expectation did not hold: window: ' in prompt
    assert "Your last step was done, but your expectation did not hold" in prompt
    assert "last step failed" not in prompt


@pytest.mark.requires("effect.expected", "pipeline.status-corrected")
async def test_a_finish_does_not_stand_on_an_expectation_that_fails(tmp_path: Path) -> None:
    notes = Notes()
    it = one_app(notes, [say("FINISH", "invoke", "Save", expect={"window": "Saved"}), say("FAIL")], tmp_path)
    await it.run()
    assert it.events.edges()[2] == ("app", "CONTINUE", "CONTINUE", "system")
    prompt = prompt_of(it.model.requests[2])
    assert prompt.count(it.events.of(CheckRun)[0].detail) == 1, "each fact once"
    assert "You claimed FINISH in the last step; the program changed it to CONTINUE for that reason." in prompt
    assert "last step failed" not in prompt


@pytest.mark.requires("effect.expected")
@pytest.mark.parametrize("met", [False, True])
async def test_the_host_is_told_that_an_expectation_did_not_hold_unless_one_held_since(
    tmp_path: Path, met: bool
) -> None:
    after = say("CONTINUE", "invoke", "Save", expect={"effect": "confirmed"}) if met else say("CONTINUE")
    replies: list[Answer] = [say("FINISH", "invoke", "Save", expect={"window": "Saved"}), after]
    it = one_app(Notes(), [*replies, say("FINISH", result="saved")], tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    (record,) = it.context.previous_subtasks
    assert ("an expectation did not hold: window: no window" in record.note) is not met
    host = prompt_of(it.model.requests[-1])
    assert host.count("→ confirmed; expectation did not hold: ") == 1
    assert ("an expectation did not hold: window" in host) is not met


@pytest.mark.requires("effect.expected", "pipeline.action-order")
async def test_an_expectation_that_fails_is_a_surprise_that_stops_the_list_and_no_failure(tmp_path: Path) -> None:
    notes = Notes()
    both = say("CONTINUE", actions=[act("invoke", "Save", expect={"window": "Saved"}), act("invoke", "Tidy")])
    it = one_app(notes, [both, say("FINISH")], tmp_path, max_failed_steps=0)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert notes.log == ["Save"]
    assert told(it) == [("invoke", "success", True), ("invoke", "skipped", False)]
    assert "last step failed" not in prompt_of(it.model.requests[2])


@pytest.mark.requires("effect.expected")
@pytest.mark.parametrize(
    ("expect", "ran"), [({"effect": "partial"}, ["Tidy"]), ({"effect": "confirmed"}, []), ({}, [])]
)
async def test_a_partial_effect_that_was_expected_is_no_failure(
    expect: dict[str, JsonValue], ran: list[str], tmp_path: Path
) -> None:
    notes = Notes([FakeControl(Role.SLIDER, "Volume", "5", limits=(0, 10))])
    louder = act("set_value", "Volume", args={"value": 99}, expect=expect)
    both = say("CONTINUE", actions=[louder, act("invoke", "Tidy")])
    it = one_app(notes, [both, say("FINISH")], tmp_path)
    await it.run()
    assert notes.log == ran
    record = it.model.requests[2].steps_done[-1].actions[0]
    assert (record.effect, record.status) == (Effect.PARTIAL, ResultStatus.NONE if ran else ResultStatus.FAILURE)


@pytest.mark.requires("effect.expected")
async def test_a_finish_does_not_stand_on_a_partial_effect_that_was_expected(tmp_path: Path) -> None:
    notes = Notes([FakeControl(Role.SLIDER, "Volume", "5", limits=(0, 10))])
    done = say("FINISH", "set_value", "Volume", args={"value": 99}, expect={"effect": "partial"})
    it = one_app(notes, [done, say("FAIL")], tmp_path)
    await it.run()
    assert it.events.edges()[2] == ("app", "CONTINUE", "CONTINUE", "system")


async def test_an_expectation_of_a_finish_without_action_is_checked_too(tmp_path: Path) -> None:
    it = one_app(Notes(), [say("FINISH", expect={"window": "Other"}), say("FAIL")], tmp_path)
    await it.run()
    assert it.events.edges()[2] == ("app", "CONTINUE", "CONTINUE", "system")


@pytest.mark.parametrize(
    ("count", "wanted", "ok"), [(2, ">=2", True), (1, ">=2", False), (3, "<3", False), (5, "5", True), (5, "= 5", True)]
)
def test_counts_are_compared(count: int, wanted: str, ok: bool) -> None:
    assert compare(count, wanted) is ok


@pytest.mark.requires("pipeline.data-handed-on")
async def test_an_actions_data_is_saved_with_where_it_came_from(tmp_path: Path) -> None:
    notes = Notes([FakeControl(Role.TABLE, "Sales", table=FakeTable.of([["a", "b"], ["c", "d"]]))])
    read = say("CONTINUE", "read_table", "Sales", save_as="sales", expect={"rows": ">=2", "columns": "2"})
    write = say("FINISH", "set_edit_text", "Text", args={"text": {"from": "sales.cells.1.0"}})
    it = one_app(notes, [read, write], tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert notes.text.value == "c"
    (saved,) = it.events.of(DataSaved)
    assert (saved.name, saved.data) == (
        "sales",
        {"rows": 2, "columns": 2, "range": "A1:B2", "cells": [["a", "b"], ["c", "d"]]},
    )
    assert it.services.blackboard.data["sales"].application == "notes"


async def test_data_of_an_action_that_was_not_as_expected_is_not_saved(tmp_path: Path) -> None:
    notes = Notes([FakeControl(Role.TABLE, "Sales", table=FakeTable.of([["a"]]))])
    read = say("CONTINUE", "read_table", "Sales", save_as="sales", expect={"rows": ">=2"})
    it = one_app(notes, [read, say("FAIL")], tmp_path)
    await it.run()
    assert it.services.blackboard.data == {}


@pytest.mark.requires("pipeline.data-handed-on")
def test_references_are_resolved_at_any_depth() -> None:
    data: dict[str, JsonValue] = {"sales": {"cells": [["a"]], "rows": 1}}
    value: JsonValue = {"rows": {"from": "sales.cells"}, "list": [{"from": "sales.rows"}], "from": "as it is"}
    assert resolve_references(value, data) == {"rows": [["a"]], "list": [1], "from": "as it is"}


@pytest.mark.parametrize("source", ["sales.nothing", "sales.cells.7", "sales.rows.x", "other", ""])
def test_a_reference_to_nothing_names_what_was_saved(source: str) -> None:
    with pytest.raises(ReplyDefect, match="saved: sales"):
        look_up(source, {"sales": {"cells": [["a"]], "rows": 1}})


async def test_found_controls_go_by_the_labels_the_model_was_shown(tmp_path: Path) -> None:
    it = one_app(Notes(), [say("CONTINUE", "find_controls", args={"name": "Save"}), say("FINISH")], tmp_path)
    await it.run()
    found = it.events.of(ActionFinished)[-1]
    assert found.result == [{"id": "2", "role": "button", "name": "Save", "value": ""}]


async def test_the_files_of_every_step_and_the_final_pictures_have_their_names(tmp_path: Path) -> None:
    it = one_app(Notes(), [say("FINISH", "invoke", "Save")], tmp_path, save_full_screen=True)
    await it.run()
    assert set(it.pictures.kept) == {
        "desktop_step1.png",
        "action_step2.png",
        "action_step2_annotated.png",
        "action_step2_selected_controls.png",
        "desktop_step2.png",
        "ui_tree_step2.json",
        "desktop_step3.png",
        "action_round_1_sub_round_1_final.png",
        "action_round_1_final.png",
    }
    for make in it.pictures.kept.values():
        make()


def test_a_command_is_an_action_unless_said_otherwise() -> None:
    assert Command("invoke").tool_type is ToolType.ACTION


@pytest.mark.requires("prompt.exact")
async def test_what_a_tool_found_stands_in_the_next_prompt(tmp_path: Path) -> None:
    it = one_app(Notes(), [say("CONTINUE", "find_controls", args={"name": "Save"}), say("FINISH")], tmp_path)
    await it.run()
    labels = {control.name: control.id for control in it.model.requests[2].controls}
    found = f'find_controls(name="Save") done → {labels["Save"]} button "Save"'
    assert found in prompt_of(it.model.requests[2])
    assert found not in prompt_of(it.model.requests[1])


@pytest.mark.requires("identity.ids-stay")
async def test_a_model_names_a_cell_of_a_spreadsheet_by_its_address_also_an_empty_one(tmp_path: Path) -> None:
    of_sheet = frozenset({Trait.OF_SHEET})
    clicked: list[str] = []
    filled = FakeControl(Role.CELL, "A1", "Region", traits=of_sheet, on_click=lambda: clicked.append("A1"))
    empty = FakeControl(Role.CELL, "A2", states={"empty"}, traits=of_sheet, on_click=lambda: clicked.append("A2"))
    table = FakeControl(Role.TABLE, "Sheet1", children=[filled, empty], traits=of_sheet)
    clicks = [say("CONTINUE", function="click_input", control_label=cell) for cell in ("A2", "A1")]
    it = one_app(Notes([table]), [*clicks, say("FINISH")], tmp_path)
    await it.run()
    assert clicked == ["A2", "A1"]
    prompt = prompt_of(next(request for request in it.model.requests if request.agent_name == APP))
    assert '\n A1 "Region"' in prompt
    assert "(1 empty cells, not listed; the id of each is its address)" in prompt


@pytest.mark.requires("pipeline.reply-repair")
@pytest.mark.parametrize(
    ("label", "way"),
    [
        ("B200", '; select_item with item=B200 on table "Sheet1" [7] brings that cell into view'),
        ("99", ""),
        ("Total", ""),
    ],
)
def test_for_a_cell_that_is_out_of_view_the_refusal_names_the_way_to_it(label: str, way: str) -> None:
    catalogue = standard_catalogue()
    sheet = TargetInfo(TargetKind.CONTROL, "Sheet1", Role.TABLE, id="7", traits=frozenset({Trait.OF_SHEET}))
    ground = PlanningGround(catalogue.specs("app"), catalogue.validate, {"7": sheet}, {})
    with pytest.raises(ReplyDefect) as raised:
        plan([ReplyAction(function="invoke", control_label=label)], ground)
    assert str(raised.value) == f"there is no control with id {label!r} in your observation{way}"


@pytest.mark.requires("pipeline.reply-repair")
@pytest.mark.parametrize(("said", "is_it"), [("B3", True), ("Total", True), ("", True), ("Region", False)])
def test_a_cell_is_named_by_its_address_or_its_text(said: str, is_it: bool) -> None:
    catalogue = standard_catalogue()
    cell = TargetInfo(TargetKind.CONTROL, "B3", Role.CELL, id="B3", value="Total")
    ground = PlanningGround(catalogue.specs("app"), catalogue.validate, {"B3": cell}, {})
    action = ReplyAction(function="invoke", control_label="B3", control_text=said)
    if not is_it:
        with pytest.raises(ReplyDefect, match="id and name disagree"):
            plan([action], ground)
        return
    (planned,) = plan([action], ground)
    assert planned.command.parameters["name"] == ("B3" if said else "")


@pytest.mark.requires("tool.fill")
def test_the_last_part_of_a_form_alone_is_read_once_more() -> None:
    catalogue = standard_catalogue()
    fields = {label: TargetInfo(TargetKind.CONTROL, label, Role.TEXTBOX, id=label) for label in "123"}
    ground = PlanningGround(catalogue.specs("app"), catalogue.validate, fields, {}, parts=catalogue.parts)
    values: list[JsonValue] = [{"id": label, "value": "x"} for label in fields]
    parts = plan([ReplyAction(function="fill", args={"values": values})], ground)
    assert [part.command.is_last for part in parts] == [False, False, True]
