"""Asking a model until its reply can be used (contract 3.2)."""

from pathlib import Path

import pytest

from deskhand.core.errors import CaptureFailed, ModelUnavailable, ReplyDefect
from deskhand.core.events import ActionIntended, ModelAnswered, ReplyAccepted, StepFinished
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ModelReply, ModelRequest, TextPart
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.core.usage import Usage
from deskhand.desktop.fake import FakeControl
from deskhand.models.scripted import ScriptedModel, ScriptedReply
from deskhand.report.costs import spending
from notes import APP, Notes, prompt_of
from stage import Answer, Stage, act, assign, say, stage

DEAR = Usage(100, 20, 0.5)


def flawed(notes: Notes, content: JsonObject, log_path: Path, *, host: bool = False, attempts: int = 3) -> Stage:
    """One agent answers `content` once, then FINISH."""
    replies: dict[str, list[Answer]] = {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: [say("FINISH")]}
    replies["HostAgent" if host else APP].insert(0, lambda _: ModelReply(content, "", DEAR))
    return stage(notes.desktop, replies, log_path=log_path, settings={"json_parsing_retry": attempts})


@pytest.mark.requires("pipeline.reply-repair")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, "status: Field required"),
        ({"status": "FINISH", "mood": "good"}, "mood: there is no such field"),
        ({"status": "FINISH", "actions": "invoke"}, "actions: a list of actions"),
        ({"status": "FINISH", "args": "x"}, "args: an object"),
        (
            {"status": "FINISH", "expect": 3},
            "expect: an object of effect, rows, columns, exit_code, file, window, gone, shows",
        ),
        ({"status": "WAITING"}, "status 'WAITING' cannot be claimed here; allowed: CONTINUE, SCREENSHOT, FINISH"),
        ({"status": "ASSIGN"}, "status 'ASSIGN' cannot be claimed here"),
        ({"status": "CONFIRM"}, "status CONFIRM needs the action that is to be confirmed"),
        ({"status": "PENDING"}, "status PENDING needs at least one question"),
        ({"status": "CONTINUE", "function": "format_disk"}, "there is no tool 'format_disk'; the tools are: "),
        ({"status": "CONTINUE", "function": "launch_application"}, "there is no tool 'launch_application'"),
        ({"status": "CONTINUE", "function": "observe_window"}, "there is no tool 'observe_window'"),
        (
            {"status": "CONTINUE", "function": "invoke", "control_label": "99"},
            "there is no control with id '99' in your observation",
        ),
        (
            {"status": "CONTINUE", "function": "invoke", "control_label": "2", "control_text": "Delete"},
            "control '2' is button \"Save\" [2], not 'Delete': id and name disagree",
        ),
        ({"status": "CONTINUE", "function": "invoke"}, "invoke: id: Field required"),
        ({"status": "CONTINUE", "function": "invoke", "args": {"id": ""}}, "invoke: id: String should have at least 1"),
        ({"status": "CONTINUE", "function": "wait", "args": {"seconds": 0}}, "wait: seconds: Input should be greater"),
        ({"status": "CONTINUE", "function": "keyboard_input", "args": {"keys": "{NOPE}"}}, "there is no key 'NOPE'"),
        (
            {"status": "CONTINUE", "function": "wait", "args": {"seconds": 1, "why": "x"}},
            "wait: why: Extra inputs are not permitted",
        ),
        (
            {"status": "CONTINUE", "function": "write_table", "args": {"rows": {"from": "sales.cells"}}},
            '{"from": "sales.cells"}: nothing is saved under that name; saved: nothing',
        ),
    ],
)
async def test_a_defect_goes_back_in_one_precise_sentence_and_nothing_of_the_reply_runs(
    tmp_path: Path, content: JsonObject, said: str
) -> None:
    notes = Notes()
    it = flawed(notes, content, tmp_path)
    ending = await it.run()
    assert ending.outcome is Outcome.SUCCESS
    first, second = (r for r in it.model.requests if r.agent_name == APP)
    assert first.problem == ""
    assert said in second.problem
    assert (second.controls, second.steps_done) == (first.controls, ())
    assert second.messages[: len(first.messages)] == first.messages
    added = second.messages[len(first.messages) :]
    assert [message.role for message in added] == ["user"]
    assert second.problem in "".join(part.text for part in added[0].parts if isinstance(part, TextPart))
    assert notes.log == []
    assert [e.tool for e in it.events.of(ActionIntended)] == ["select_application_window"]
    assert it.context.session_step == 3


@pytest.mark.requires("pipeline.reply-repair", "pipeline.host-step")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"status": "SCREENSHOT"}, "status 'SCREENSHOT' cannot be claimed here"),
        ({"status": "ASSIGN", "control_label": "1"}, "status ASSIGN needs the sub-task"),
        ({"status": "ASSIGN", "current_subtask": "Save"}, "status ASSIGN needs the label of a window"),
        ({"status": "CONTINUE", "function": "invoke", "control_label": "1"}, "there is no tool 'invoke'"),
    ],
)
async def test_a_hosts_reply_is_repaired_likewise(tmp_path: Path, content: JsonObject, said: str) -> None:
    it = flawed(Notes(), content, tmp_path, host=True)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert said in it.model.requests[1].problem


@pytest.mark.requires("pipeline.stale-ids")
async def test_an_id_from_before_they_were_numbered_anew_is_not_taken_without_its_name(tmp_path: Path) -> None:
    notes = Notes()

    def one_more() -> None:
        notes.window.controls.insert(0, FakeControl(Role.BUTTON, "New"))

    notes.tidy.on_click = one_more
    shown: list[ModelRequest] = []

    def as_before(request: ModelRequest) -> JsonObject:
        """Presses what was Save in the prompt before."""
        shown.append(request)
        named = {"control_text": "Save"} if request.problem else {}
        label = next(c.id for c in request.controls if c.name == "Save") if request.problem else "2"
        return {"status": "FINISH", "function": "invoke", "control_label": label, **named}

    app = [say("SCREENSHOT", "invoke", "Tidy"), as_before, as_before, say("FINISH")]
    it = stage(notes.desktop, {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: app}, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert "ids changed since your last step: '2' is now textbox \"Text\" [2]" in shown[1].problem
    assert notes.log == ["Save"]


@pytest.mark.requires("pipeline.reply-repair")
async def test_the_name_of_a_nameless_control_is_its_value_or_role(tmp_path: Path) -> None:
    notes = Notes()
    notes.text.name = ""
    notes.text.value = "old"
    for word in ("old", "textbox"):
        content: JsonObject = {
            "status": "FINISH",
            "function": "set_edit_text",
            "control_label": 1,
            "control_text": word,
            "args": {"text": "old"},
        }
        it = flawed(notes, content, tmp_path)
        assert (await it.run()).outcome is Outcome.SUCCESS
        assert it.model.requests[-2].problem == ""


@pytest.mark.requires("pipeline.reply-repair")
async def test_every_attempt_costs_and_the_last_defect_is_the_reason(tmp_path: Path) -> None:
    bad = ModelReply({"status": "CONTINUE", "function": "nothing"}, "", DEAR)
    it = stage(Notes().desktop, ScriptedModel([bad] * 3), log_path=tmp_path)
    ending = await it.run()
    assert (ending.outcome, len(it.model.requests)) == (Outcome.ERROR, 3)
    assert "no usable reply: there is no tool 'nothing'" in ending.reason
    assert (it.context.tokens, it.context.cost_usd) == (360, 1.5)
    assert [e.attempt for e in it.events.of(ModelAnswered)] == [1, 2, 3]


async def test_the_money_of_repaired_replies_is_the_steps(tmp_path: Path) -> None:
    replies = [ModelReply({}, "", DEAR), ModelReply({"status": "FINISH"}, "{}", DEAR)]
    it = stage(Notes().desktop, ScriptedModel(replies), log_path=tmp_path)
    await it.run()
    assert [e.cost_usd for e in it.events.of(StepFinished)] == [1.0]


async def test_an_unknown_price_is_never_a_free_step(tmp_path: Path) -> None:
    unknown = ModelReply({"status": "FINISH"}, "", Usage(10, 10, None))
    it = stage(Notes().desktop, ScriptedModel([unknown]), log_path=tmp_path)
    await it.run()
    assert [e.cost_usd for e in it.events.of(StepFinished)] == [None]


@pytest.mark.requires("pipeline.step-counts", "model.cost-known")
@pytest.mark.parametrize(
    ("calls", "cost"),
    [
        ([ModelReply({}, "", DEAR)] * 3, 1.5),
        ([ModelReply({}, "", DEAR), ModelReply({}, "", Usage(10, 10, None)), ModelReply({}, "", DEAR)], None),
        ([ModelReply({}, "", DEAR), ReplyDefect("no JSON"), ModelReply({}, "", DEAR)], None),
        ([ModelReply({}, "", DEAR), ModelUnavailable("no network")], 0.5),
        ([ModelUnavailable("no network")], 0.0),
    ],
)
async def test_a_step_without_a_usable_reply_cost_what_its_calls_cost(
    tmp_path: Path, calls: list[ScriptedReply], cost: float | None
) -> None:
    it = stage(Notes().desktop, ScriptedModel(calls), log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.ERROR
    assert [e.cost_usd for e in it.events.of(StepFinished)] == [cost]
    assert spending(it.events.all).session.cost_usd == cost
    assert it.host.memory.items[0].get("cost") == cost


@pytest.mark.requires("model.cost-known")
async def test_a_step_in_which_no_model_was_asked_cost_nothing(tmp_path: Path) -> None:
    notes = Notes()
    notes.desktop.faults.fail("windows", CaptureFailed("no list"))
    it = stage(notes.desktop, ScriptedModel([ModelReply({"status": "FINISH"}, "", DEAR)]), log_path=tmp_path)
    await it.run()
    assert [e.cost_usd for e in it.events.of(StepFinished)] == [0.0, 0.5]


@pytest.mark.requires("pipeline.reply-repair")
async def test_the_backup_model_has_as_many_attempts_and_starts_clean(tmp_path: Path) -> None:
    first = ScriptedModel([ModelReply({}, "", DEAR)] * 2, name="first")
    backup = ScriptedModel([ModelReply({}, "", DEAR), ModelReply({"status": "FINISH"}, "", DEAR)], name="backup")
    it = stage(Notes().desktop, first, log_path=tmp_path, backup=backup, settings={"json_parsing_retry": 2})
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert [r.problem for r in backup.requests] == ["", "status: Field required"]
    assert [(e.model, e.attempt) for e in it.events.of(ModelAnswered)] == [
        ("first", 1),
        ("first", 2),
        ("backup", 1),
        ("backup", 2),
    ]
    assert it.context.cost_usd == 2.0


@pytest.mark.requires("pipeline.reply-repair")
async def test_a_model_that_cannot_be_asked_is_not_asked_again_and_the_backup_is(tmp_path: Path) -> None:
    first = ScriptedModel([ModelUnavailable("no network")] * 3)
    it = stage(Notes().desktop, first, log_path=tmp_path, backup=ScriptedModel([{"status": "FINISH"}]))
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert len(first.requests) == 1


async def test_where_no_model_can_be_asked_the_round_is_an_error_that_says_so(tmp_path: Path) -> None:
    it = stage(Notes().desktop, ScriptedModel([ModelUnavailable("no network")]), log_path=tmp_path)
    ending = await it.run()
    assert (ending.outcome, ending.reason) == (Outcome.ERROR, "no network")


async def test_a_defect_that_the_model_itself_found_is_repaired_too(tmp_path: Path) -> None:
    it = stage(Notes().desktop, ScriptedModel([ReplyDefect("no JSON"), {"status": "FINISH"}]), log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert it.model.requests[1].problem == "no JSON"


@pytest.mark.requires("round.status-normalised")
@pytest.mark.parametrize("word", ["finish", " Finish ", "DONE", "complete", "Completed"])
async def test_the_listed_spellings_of_a_status_mean_it(tmp_path: Path, word: str) -> None:
    it = stage(Notes().desktop, ScriptedModel([{"Status": word}]), log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS


@pytest.mark.requires("round.status-normalised")
@pytest.mark.parametrize("word", ["OK", "FINISHED", "", "SUCCESS", "END"])
async def test_no_other_word_means_a_status(tmp_path: Path, word: str) -> None:
    it = stage(Notes().desktop, ScriptedModel([{"status": word}, {"status": "FINISH"}]), log_path=tmp_path)
    await it.run()
    assert "cannot be claimed here" in it.model.requests[1].problem


async def test_the_reference_designs_names_are_understood(tmp_path: Path) -> None:
    notes = Notes()

    def camel(_: ModelRequest) -> JsonObject:
        return {
            "Observation": "a button",
            "Thought": "press it",
            "ControlLabel": 2,
            "ControlText": "Save",
            "Function": "invoke",
            "Args": {},
            "Status": "FINISH",
            "Plan": "nothing more",
            "SaveScreenshot": {"save": True, "reason": "proof"},
            "Questions": [],
            "ControlReannotate": [],
            "Result": "saved",
        }

    def host(_: ModelRequest) -> JsonObject:
        return {"Current Sub-Task": "Save", "ControlLabel": "1", "Status": "DELEGATE", "Message": "take care"}

    it = stage(notes.desktop, {"HostAgent": [host, say("FINISH")], APP: [camel]}, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert notes.log == ["Save"]
    assert it.model.requests[1].host_message == ("take care",)
    assert it.services.blackboard.screenshots[0].metadata["reason"] == "proof"
    assert it.events.of(ReplyAccepted)[1].thought == "press it"


@pytest.mark.requires("pipeline.action-sequence")
@pytest.mark.parametrize("sequence", [True, False])
@pytest.mark.parametrize(
    ("name", "value"),
    [("function", "invoke"), ("args", {"text": "x"})],
)
async def test_a_call_beside_a_list_of_actions_is_not_dropped(
    tmp_path: Path, sequence: bool, name: str, value: JsonValue
) -> None:
    notes = Notes()
    beside: Answer = say("FINISH", **{"actions": [act("invoke", "Save")], name: value})  # pyright: ignore[reportArgumentType]
    replies = {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: [beside, say("FINISH")]}
    it = stage(notes.desktop, replies, log_path=tmp_path, settings={"action_sequence": sequence})
    assert (await it.run()).outcome is Outcome.SUCCESS
    _, second = (request for request in it.model.requests if request.agent_name == APP)
    assert f"{name} beside actions: put it into the action it belongs to" in second.problem
    assert notes.log == []


@pytest.mark.requires("pipeline.action-sequence")
async def test_a_list_of_actions_is_refused_and_not_offered_where_the_settings_want_one(tmp_path: Path) -> None:
    notes = Notes()
    two: Answer = say("FINISH", actions=[act("invoke", "Save"), act("invoke", "Tidy")])
    replies = {"HostAgent": [assign("Notes", "Save"), say("FINISH")], APP: [two, say("FINISH", "invoke", "Save")]}
    it = stage(notes.desktop, replies, log_path=tmp_path, settings={"action_sequence": False})
    assert (await it.run()).outcome is Outcome.SUCCESS
    first, second = (r for r in it.model.requests if r.agent_name == APP)
    assert "2 actions in one reply; give the first alone" in second.problem
    assert '"actions": [' not in prompt_of(first)
    assert notes.log == ["Save"]

    notes = Notes()
    it = stage(notes.desktop, replies, log_path=tmp_path, settings={"action_sequence": True})
    assert (await it.run()).outcome is Outcome.SUCCESS
    assert '"actions": [' in prompt_of(next(r for r in it.model.requests if r.agent_name == APP))
    assert notes.log == ["Save", "Tidy"]
