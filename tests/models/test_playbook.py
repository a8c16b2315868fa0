"""The playbook model: positions, replies and stops."""

from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from deskhand.core.command import Effect, ResultStatus
from deskhand.core.errors import PlaybookInvalid, UsageError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ActionRecord, AgentKind, ModelRequest, StepRecord, SubtaskRecord
from deskhand.core.outcomes import Outcome
from deskhand.core.replies import AppAgentResponse, Expectation, HostAgentResponse
from deskhand.core.roles import Role
from deskhand.core.target import TargetInfo
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import load_playbook, parse_playbook
from deskhand.models.section_position import progress, unroll
from deskhand.models.steps import Playbook
from models.requests import ask, control, ran, refused, window

EXAMPLE = Path(__file__).with_name("example.yaml")
READ, CHART = "Read the sales table", "Enter the table and chart it"
PARAMETERS = {"document": "/in/report.odt", "output": "/out/sales.ods"}

WRITER = window("report.odt - LibreOffice Writer")
CALC = window("Untitled 1 - LibreOffice Calc")
WIZARD = window("Chart Type", role=Role.DIALOG)
SALES: JsonValue = {"rows": 2, "columns": 2, "cells": [["Region", "Sales"], ["North", "3"]]}
TABLE = control(Role.TABLE, "Sales")
NAME_BOX = control(Role.TEXTBOX, "Name Box", value="A1")
INSERT = control(Role.MENU, "Insert", parent="menubar")
CHART_ITEM = control(Role.MENUITEM, "_Chart…", parent=INSERT.handle)
BAR = control(Role.LISTITEM, "Bar")
FINISH = control(Role.BUTTON, "Finish")

SHORT = """\
playbook: 1
name: short
params: {folder: path}
agents:
  files:
    - {tool: invoke, on: {role: button, name: Save}, expect: {gone: {role: dialog}}}
    - tool: select_item
      on: {role: listitem, name: "${folder}"}
      expect: {file: "${folder}list.txt"}
      status: FINISH
      result: All in ${folder}
"""


def example() -> PlaybookModel:
    return PlaybookModel(load_playbook(EXAMPLE), PARAMETERS)


def short(text: str = SHORT, **parameters: object) -> PlaybookModel:
    return PlaybookModel(
        parse_playbook(text, "short.yaml"), parameters or ({"folder": "/data/"} if text == SHORT else {})
    )


async def answer(model: PlaybookModel, request: ModelRequest) -> JsonObject:
    return (await model.respond(request)).content


async def comment(model: PlaybookModel, request: ModelRequest) -> str:
    """The comment of a FAIL."""
    content = await answer(model, request)
    assert content["status"] == "FAIL"
    return str(content["comment"])


class Desk:
    """A run of the example by hand: what the pipeline would show, and what it would write down."""

    def __init__(self) -> None:
        self.blackboard: dict[str, JsonValue] = {}
        self.host: list[StepRecord] = []
        self.app: list[StepRecord] = []
        self.ended: list[SubtaskRecord] = []
        self.subtask = ""
        self.windows = [WRITER]
        self.wizard = False

    def request(self) -> ModelRequest:
        if not self.subtask:
            return ask(
                AgentKind.HOST,
                done=self.host,
                before=self.ended,
                controls=self.windows,
                blackboard=dict(self.blackboard),
            )
        seen: tuple[TargetInfo, list[TargetInfo]] = (WRITER, [TABLE])
        if self.subtask == CHART:
            seen = (WIZARD, [BAR, FINISH]) if self.wizard else (CALC, [NAME_BOX, INSERT, CHART_ITEM])
        return ask(
            subtask=self.subtask,
            done=self.app,
            before=self.ended,
            window=seen[0],
            controls=seen[1],
            blackboard=dict(self.blackboard),
        )

    def carry_out(self, content: JsonObject) -> bool:
        """Does what a reply says; True when the round is over."""
        records = self.app if self.subtask else self.host
        function, status = str(content.get("function", "")), str(content["status"])
        if function == "launch_application":
            self.windows = [CALC, WRITER]
        if function == "invoke":
            self.wizard = not self.wizard
        if name := str(content.get("save_as", "")):
            self.blackboard[name] = SALES if name == "sales" else {"range": "A1:B2"}
        if function:
            records.append(ran(function, reply_status=status))
        if status == "ASSIGN":
            self.subtask, self.app = str(content["current_subtask"]), []
        elif status == "FINISH":
            if not self.subtask:
                return True
            self.ended.append(SubtaskRecord(self.subtask, status, Outcome.SUCCESS))
            self.subtask = ""
        return False


def read_again() -> Playbook:
    return load_playbook(EXAMPLE)


async def test_the_example_runs_from_the_first_assignment_to_the_hosts_finish() -> None:
    desk, replies = Desk(), list[JsonObject]()
    model = example()
    while True:
        replies.append(await answer(model, desk.request()))
        if desk.carry_out(replies[-1]):
            break
    told = [(str(reply.get("function", "")), reply.get("control_label"), reply["status"]) for reply in replies]
    assert told == snapshot(
        [
            ("select_application_window", "1", "ASSIGN"),
            ("read_table", "1", "FINISH"),
            ("launch_application", None, "CONTINUE"),
            ("select_application_window", "1", "ASSIGN"),
            ("write_table", None, "CONTINUE"),
            ("set_edit_text", "1", "CONTINUE"),
            ("keyboard_input", None, "CONTINUE"),
            ("invoke", "3", "SCREENSHOT"),
            ("select_item", "1", "CONTINUE"),
            ("invoke", "2", "CONTINUE"),
            ("keyboard_input", None, "CONTINUE"),
            ("keyboard_input", None, "SCREENSHOT"),
            ("choose_file", None, "CONTINUE"),
            ("", None, "FINISH"),
            ("", None, "FINISH"),
        ]
    )
    assert replies[2]["args"] == {"application": "calc"}
    assert replies[4]["args"] == {"start": "A1", "rows": {"from": "sales.cells"}}
    assert replies[-1]["expect"] == {"file": "/out/sales.ods"}
    assert replies[-1]["result"] == "Saved /out/sales.ods"


async def test_a_fresh_model_for_every_call_gives_the_same_replies() -> None:
    kept, desk = example(), Desk()
    over = False
    while not over:
        request = desk.request()
        fresh = await answer(PlaybookModel(read_again(), PARAMETERS), request)
        assert fresh == await answer(kept, request)
        assert fresh == await answer(kept, request), "asking twice changes nothing"
        over = desk.carry_out(fresh)


async def test_every_reply_of_the_example_is_a_valid_reply_of_its_agent() -> None:
    desk, model = Desk(), example()
    over = False
    while not over:
        request = desk.request()
        content = await answer(model, request)
        kind = HostAgentResponse if request.agent is AgentKind.HOST else AppAgentResponse
        assert kind.model_validate(content).status == content["status"]
        over = desk.carry_out(content)


async def test_the_thought_of_a_step_says_which_one_and_what_it_does() -> None:
    done = [ran("write_table"), ran("set_edit_text"), ran("keyboard_input")]
    board: dict[str, JsonValue] = {"sales": SALES, "block": {"range": "A1:B2"}}
    request = ask(subtask=CHART, done=done, window=CALC, controls=[INSERT, CHART_ITEM], blackboard=board)
    content = await answer(example(), request)
    assert content["thought"] == 'Step 4 of 10: invoke menuitem "Chart..." within "Insert".'
    assert (content["control_label"], content["control_text"]) == ("2", "_Chart…")
    assert content["status"] == "SCREENSHOT"


async def test_a_step_refused_before_anything_happened_is_tried_again() -> None:
    request = ask(done=[refused("invoke"), refused("invoke")], controls=[control(Role.BUTTON, "Save")])
    assert (await answer(short(), request))["function"] == "invoke"


async def test_a_step_that_ran_and_failed_stops_with_its_line() -> None:
    done = [ran("invoke", status=ResultStatus.FAILURE, effect=Effect.PARTIAL, message="half of it is there")]
    said = await comment(short(), ask(done=done))
    assert said == snapshot("short.yaml:6: files step 1 (invoke): half of it is there")


@pytest.mark.requires("model.playbook.set")
async def test_a_value_that_reads_as_before_stops_a_step_that_expects_nothing() -> None:
    text = (
        "playbook: 1\nname: n\nagents:\n  a:\n"
        "    - {tool: set_edit_text, on: {role: textbox}, args: {text: x}}\n    - {tool: invoke, on: {role: button}}\n"
    )
    unset = ran("set_edit_text", status=ResultStatus.NONE, effect=Effect.SUSPECTED_NOOP)
    shown = [control(Role.TEXTBOX, "Name"), control(Role.BUTTON, "Save")]
    said = await comment(short(text), ask(done=[unset], controls=shown))
    assert said == snapshot(
        "short.yaml:5: a step 1 (set_edit_text): nothing was set; "
        "expect: {effect: suspected_noop} lets the playbook go on"
    )
    wanted = text.replace("{text: x}", "{text: x}, expect: {effect: suspected_noop}")
    assert (await answer(short(wanted), ask(done=[unset], controls=shown)))["function"] == "invoke"
    pressed = ran("invoke", status=ResultStatus.NONE, effect=Effect.SUSPECTED_NOOP)
    twice = "playbook: 1\nname: n\nagents:\n  a: [{tool: invoke}, {tool: select_item, on: {role: textbox}}]\n"
    going_on = await answer(short(twice), ask(done=[pressed], controls=shown))
    assert going_on["function"] == "select_item", "a press may do what nobody sees"


async def test_a_failed_expectation_stops_even_if_a_later_step_ran_nothing() -> None:
    done = [ran("invoke", unmet="gone: the dialog still shows"), refused("select_item", "capture failed")]
    said = await comment(short(), ask(done=done))
    assert said == snapshot("short.yaml:6: files step 1 (invoke): gone: the dialog still shows")


@pytest.mark.requires("model.playbook.end")
async def test_a_finish_whose_effect_could_not_be_read_back_is_said_again_without_an_action() -> None:
    done = [
        ran("invoke"),
        ran("select_item", status=ResultStatus.NONE, effect=Effect.UNVERIFIABLE, problem="not confirmed"),
    ]
    content = await answer(short(), ask(done=done))
    assert (content["status"], content.get("function"), content["result"]) == ("FINISH", None, "All in /data/")
    assert content["expect"] == {"file": "/data/list.txt"}


async def test_a_finish_refused_by_its_checks_is_not_said_again() -> None:
    claim = StepRecord(3, "CONTINUE", (), "expected file /data/list.txt: it does not exist", "FINISH")
    said = await comment(short(), ask(done=[ran("invoke"), ran("select_item"), claim]))
    assert said == snapshot("short.yaml:7: files step 2 (select_item): expected file /data/list.txt: it does not exist")


async def test_a_parameter_that_looks_like_a_pattern_is_taken_literally() -> None:
    listed = [control(Role.LISTITEM, "x/data/y"), control(Role.LISTITEM, "/data/")]
    content = await answer(short(), ask(done=[ran("invoke")], controls=listed))
    assert content["control_label"] == "2"


@pytest.mark.requires("model.playbook.end")
async def test_past_the_last_step_without_finish_the_playbook_has_ended() -> None:
    text = "playbook: 1\nname: n\nagents:\n  a:\n    - {tool: invoke}\n"
    said = await comment(short(text), ask(done=[ran("invoke")]))
    assert said == snapshot(
        "short.yaml:5: playbook ended: a has no step after step 1 (invoke) and none of its steps says FINISH"
    )


@pytest.mark.requires("model.playbook.selector")
async def test_no_control_for_a_step_says_what_was_wanted_and_what_is_near() -> None:
    shown = [control(Role.BUTTON, "Save As..."), control(Role.BUTTON, "Cancel"), control(Role.LABEL, "Name:")]
    said = await comment(short(), ask(window=window("Files"), controls=shown))
    assert said == snapshot(
        "short.yaml:6: files step 1 (invoke): "
        'wanted button "Save"; '
        "found none; "
        'nearest: button "Save As..." [1] in window "Files"; '
        'button "Cancel" [2] in window "Files"'
    )


@pytest.mark.requires("observe.reservations")
async def test_no_control_in_a_look_that_was_not_whole_is_said_with_the_reason() -> None:
    cut_short = replace(ask(window=window("Files")), reservations=("not everything could be read: it is gone",))
    assert await comment(short(), cut_short) == snapshot(
        "short.yaml:6: files step 1 (invoke): "
        'wanted button "Save"; found none among 0 shown; not everything could be read: it is gone'
    )


@pytest.mark.requires("model.playbook.selector")
async def test_several_controls_for_a_step_are_listed() -> None:
    bar = control(Role.TOOLBAR, "Standard")
    shown = [bar, control(Role.BUTTON, "Save", parent=bar.handle), control(Role.BUTTON, "Save")]
    said = await comment(short(), ask(window=window("Files"), controls=shown))
    assert said == snapshot(
        "short.yaml:6: files step 1 (invoke): "
        'wanted button "Save"; '
        'found 2: button "Save" [2] in toolbar "Standard"; '
        'button "Save" [3] in window "Files"'
    )


@pytest.mark.requires("model.playbook.other-pages")
async def test_before_one_table_of_a_long_document_is_meant_all_of_them_are_looked_for() -> None:
    model = short("playbook: 1\nname: s\nagents:\n  a:\n    - {tool: read_table, on: {role: table}, status: FINISH}\n")
    document = replace(control(Role.DOCUMENT, "report.odt"), states=frozenset({"other_pages_unlisted"}))
    looks = await answer(model, ask(window=WRITER, controls=[document, TABLE]))
    assert (looks["function"], looks["args"], looks["status"]) == ("find_controls", {"role": "table"}, "CONTINUE")
    done = [ran("find_controls", effect=None)]
    other = control(Role.TABLE, "Costs")
    for states in (frozenset[str](), document.states):
        listed = [replace(document, states=states), TABLE, other]
        assert "found 2" in await comment(model, ask(window=WRITER, controls=listed, done=done))
        reads = await answer(model, ask(window=WRITER, controls=listed[:2], done=done))
        assert (reads["function"], reads["control_text"]) == ("read_table", "Sales")


async def test_data_that_is_not_there_yet_stops_and_is_named() -> None:
    said = await comment(example(), ask(subtask=CHART, window=CALC))
    assert said.endswith(
        "example.yaml:18: calc step 1 (write_table): ${sales.cells}: nothing is saved under 'sales' yet"
    )
    board: dict[str, JsonValue] = {"sales": {"rows": 2}}
    said = await comment(example(), ask(subtask=CHART, window=CALC, blackboard=board))
    assert said.endswith("${sales.cells}: there is no 'cells' (it has: rows)")


async def test_a_failed_subtask_ends_the_host_with_its_reason() -> None:
    ended = SubtaskRecord(READ, "FAIL", Outcome.FAILED, error="no table here")
    request = ask(AgentKind.HOST, done=[ran("select_application_window")], before=[ended], controls=[WRITER])
    said = await comment(example(), request)
    assert said.endswith(
        "example.yaml:6: host step 1 (select_application_window): subtask 'Read the sales table' failed: no table here"
    )


@pytest.mark.requires("model.playbook.held-launch")
async def test_a_subtask_that_nobody_carried_out_is_assigned_once_more_and_then_ends_the_host() -> None:
    done = [ran("select_application_window")]
    again = await example().respond(ask(AgentKind.HOST, done=done, controls=[WRITER]))
    assert (again.content["status"], "function" in again.content) == ("ASSIGN", False)
    claim = StepRecord(2, "CONTINUE", (), "", "ASSIGN")
    request = ask(AgentKind.HOST, done=[*done, claim], controls=[WRITER])
    assert (await comment(example(), request)).endswith("was assigned and never carried out")


async def test_a_subtask_the_playbook_does_not_know_is_refused() -> None:
    assert "no ASSIGN step has the subtask 'Dance'" in await comment(example(), ask(subtask="Dance"))


async def test_a_reply_that_the_program_refused_is_not_repeated() -> None:
    said = await comment(short(), ask(problem="unknown id 7"))
    assert said == snapshot("short.yaml:6: files step 1 (invoke): the reply made from it was refused: unknown id 7")


async def test_a_tool_that_the_agent_is_not_offered_stops() -> None:
    text = "playbook: 1\nname: n\nagents:\n  a:\n    - {tool: teleport}\n"
    assert "a step 1 (teleport): app is offered no such tool" in await comment(short(text), ask())


def test_unrelated_actions_between_the_steps_do_not_move_the_position() -> None:
    steps = parse_playbook(SHORT, "short.yaml").agents["files"]
    other = StepRecord(2, "CONTINUE", (ActionRecord("wait", {}, "", ResultStatus.SUCCESS, None, ran=True),))
    histories: tuple[list[StepRecord], ...] = ([], [other], [ran("invoke"), other], [ran("invoke"), ran("select_item")])
    places = unroll(steps, {}).places
    assert [progress(places, done).position for done in histories] == [0, 0, 1, 2]


async def test_a_selector_parameter_stands_for_a_whole_selector() -> None:
    text = "playbook: 1\nname: n\nparams: {what: selector}\nagents:\n  a:\n    - {tool: invoke, on: '${what}'}\n"
    shown = [control(Role.BUTTON, "Yes"), control(Role.BUTTON, "No")]
    content = await answer(short(text, what="{role: button, name: No}"), ask(controls=shown))
    assert content["control_label"] == "2"


def test_missing_unknown_and_wrong_parameters_are_reported_together() -> None:
    text = (
        "playbook: 1\nname: n\nparams: {a: path, b: number, c: {type: text, default: x}}\nagents:\n  a: [{tool: t}]\n"
    )
    with pytest.raises(UsageError) as caught:
        short(text, b="many", d=1)
    assert caught.value.message == snapshot(
        "the playbook 'n' cannot start: 'd' is not one of its parameters; "
        "known: a, b, c; "
        "'a' (path) is missing; "
        "'b': needs a number, not 'many'"
    )
    assert caught.value.exit_code == 2


ENDS = """
playbook: 1
name: ends
params: {output: path, what: {type: text, default: it}}
host:
  - {on: {role: window}, status: ASSIGN, agent: a, subtask: "Make ${what}"}
  - {on: {role: window}, status: ASSIGN, agent: a, subtask: "Save ${what}"}
  - {on: {role: window}, status: ASSIGN, agent: a, subtask: "Make ${what}"}
  - {status: FINISH, expect: {file: "${output}", window: "${made.name}"}}
agents: {a: [{tool: read_table, save_as: made, status: FINISH}]}
"""


def test_what_it_hands_out_is_told_once_each_in_order() -> None:
    assert short(ENDS, output="/x").subtasks == ("Make it", "Save it")


@pytest.mark.requires("round.follower-checks")
def test_what_it_expects_at_its_end_is_told_with_what_was_saved() -> None:
    model = short(ENDS, output="/x")
    assert model.final_expectation({"made": {"name": "W"}}) == Expectation(file="/x", window="W")
    with pytest.raises(PlaybookInvalid, match=r"nothing is saved under 'made'"):
        model.final_expectation({})


def test_a_host_that_expects_nothing_expects_nothing() -> None:
    text = ENDS.replace(', expect: {file: "${output}", window: "${made.name}"}', "")
    assert short(text, output="/x").final_expectation({}) is None


SECOND = """\
playbook: 1
name: second
agents:
  files:
    - {tool: invoke, on: {role: button, name: Save}, or: {role: button, nth: 1}, status: FINISH}
"""


@pytest.mark.requires("model.playbook.second")
async def test_a_control_that_was_renamed_is_found_by_the_second_selector_and_the_thought_says_so() -> None:
    reply = await short(SECOND).respond(ask(controls=[control(Role.BUTTON, "Store", id="1")]))
    assert isinstance(reply.content, dict)
    assert (reply.content["function"], reply.content["control_label"]) == ("invoke", "1")
    assert "matches nothing; it was found by its second one: button (number 1)" in str(reply.content["thought"])


@pytest.mark.requires("model.playbook.second")
async def test_the_second_selector_is_not_used_where_the_first_matches_several() -> None:
    twins = [control(Role.BUTTON, "Save", id="1"), control(Role.BUTTON, "Save", id="2")]
    reply = await short(SECOND).respond(ask(controls=twins))
    assert isinstance(reply.content, dict)
    assert reply.content["status"] == "FAIL"
    with pytest.raises(PlaybookInvalid, match="'or', which goes with 'on'"):
        parse_playbook(SECOND.replace("on: {role: button, name: Save}, ", ""), "second.yaml")
