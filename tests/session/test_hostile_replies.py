"""Replies that mean harm or make no sense: nothing of them runs, and the model is told why (contract 3.2)."""

from pathlib import Path

import pytest

from deskhand.core.events import ActionFinished, CheckRun, DataSaved, ModelAnswered
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.outcomes import Outcome
from notes import APP, Notes, prompt_of
from stage import Stage, assign, say, stage

PRESS: JsonObject = {"status": "CONTINUE", "function": "invoke", "control_label": "2", "control_text": "Save"}
ACTION: JsonObject = {"function": "invoke", "control_label": "2", "control_text": "Save"}


async def played(notes: Notes, folder: Path, reply: JsonObject) -> Stage:
    host = [assign("Notes", "Save it"), say("FINISH")]
    replies = {"HostAgent": host, APP: [reply, say("FINISH")]}
    it = stage(notes.desktop, replies, log_path=folder, settings={"action_sequence": True})
    assert (await it.run()).outcome is Outcome.SUCCESS
    return it


def expecting(**expect: JsonValue) -> JsonObject:
    return {**PRESS, "expect": expect}


@pytest.mark.requires("pipeline.malformed-replies")
@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ({**PRESS, "control_label": "9" * 1000}, "there is no control"),
        ({**PRESS, "control_label": "٢"}, "there is no control"),
        ({**PRESS, "args": {"action": {"from": "nothing.saved"}}}, "nothing is saved under that name"),
        ({"status": "FINISH", "expect": {"rows": "many"}}, "a number or a comparison"),
        ({"status": "FINISH", "expect": "all is well"}, "a text must be an effect"),
    ],
)
async def test_a_reply_that_cannot_be_meant_is_sent_back_and_nothing_runs(
    tmp_path: Path, reply: JsonObject, problem: str
) -> None:
    notes = Notes()
    it = await played(notes, tmp_path, reply)
    assert problem in it.model.requests[2].problem
    assert len(it.model.requests[2].problem) < 3000
    assert notes.log == []
    assert [event.tool for event in it.events.of(ActionFinished)] == ["select_application_window"]


@pytest.mark.requires("pipeline.spared-action")
@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (expecting(rows="many"), "expect.rows: a number or a comparison"),
        (expecting(rows=">=" + "9" * 5000), "a number or a comparison"),
        (expecting(columns="=="), "a number or a comparison"),
        (expecting(effect="sure"), "one of confirmed, partial"),
        (expecting(text="Saved"), "expect.text: there is no such field; expect is an object of effect, rows"),
        (expecting(shows={"name": "/(a+)+$/"}), "expect"),
        (expecting(gone={"name": "/(/"}), "bad regular expression"),
        (expecting(window={"name": "x"}), "expect.window"),
        (expecting(shows={"nth": 10**30, "name": {}}), "expect"),
        ({**PRESS, "expect": "the note is saved"}, 'expect: a text must be an effect, such as "confirmed"'),
        ({**PRESS, "expect": ["confirmed"]}, "expect"),
        ({**PRESS, "Expect": {"window": 5}}, "window"),
        ({**PRESS, "save_as": "a.b"}, "save_as"),
        ({**PRESS, "save_as": "x" * 1000}, "save_as"),
        ({**PRESS, "save_as": "\x1b[2J"}, "save_as"),
        ({**PRESS, "comment": {"a": 1}, "plan": {"first": "save"}}, "comment"),
        ({**PRESS, "plan": {"first": "save"}}, "plan: a list of texts"),
        ({**PRESS, "save_screenshot": {"save": "perhaps"}}, "save_screenshot"),
        ({**PRESS, "control_reannotate": {"1": True}}, "control_reannotate"),
        ({"status": "CONTINUE", "actions": [{**ACTION, "expect": 7}]}, "actions.0.expect"),
        ({"status": "CONTINUE", "actions": [ACTION], "expect": {"window": "Notes"}}, "it was given beside actions"),
        ({"status": "CONTINUE", "actions": [ACTION], "save_as": "it"}, "it was given beside actions"),
    ],
)
async def test_what_a_reply_can_do_without_costs_no_action_and_the_model_is_told(
    tmp_path: Path, reply: JsonObject, problem: str
) -> None:
    notes = Notes()
    it = await played(notes, tmp_path, reply)
    asked = it.model.requests[2]
    assert notes.log == ["Save"]
    assert asked.problem == ""
    assert problem in asked.steps_done[-1].warning
    assert len(asked.steps_done[-1].warning) < 1200
    assert it.events.of(ModelAnswered)[1].error is None
    assert problem.replace("\x1b", "") in prompt_of(asked)


@pytest.mark.requires("pipeline.spared-action")
async def test_a_claim_that_rests_on_what_could_not_be_read_does_not_stand(tmp_path: Path) -> None:
    notes = Notes()
    it = await played(notes, tmp_path, {**PRESS, "status": "FINISH", "expect": {"text": "Saved"}})
    assert notes.log == ["Save"]
    assert it.events.edges()[2] == ("app", "CONTINUE", "CONTINUE", "system")
    assert "the expectation could not be read" in it.model.requests[2].steps_done[-1].problem


@pytest.mark.requires("pipeline.spared-action")
@pytest.mark.parametrize("name", ["comment", "plan", "result", "save_as", "expect", "args", "control_reannotate"])
async def test_null_is_nothing_said(tmp_path: Path, name: str) -> None:
    notes = Notes()
    it = await played(notes, tmp_path, {**PRESS, name: None})
    assert (notes.log, it.model.requests[2].steps_done[-1].warning) == (["Save"], "")


@pytest.mark.requires("pipeline.spared-action")
async def test_a_name_to_save_under_may_have_blanks_around_it(tmp_path: Path) -> None:
    it = await played(Notes(), tmp_path, {**PRESS, "save_as": " whole "})
    assert it.model.requests[2].steps_done[-1].warning == ""
    assert [saved.name for saved in it.events.of(DataSaved)] == ["whole"]


@pytest.mark.requires("effect.expected")
@pytest.mark.parametrize(("told", "meant"), [("confirmed", "effect"), (" Confirmed", "effect"), ("/a/b.ods", "file")])
async def test_an_expectation_may_be_a_text_where_it_can_mean_one_thing_alone(
    tmp_path: Path, told: str, meant: str
) -> None:
    it = await played(Notes(), tmp_path, {**PRESS, "expect": told})
    assert [(check.name, check.ok) for check in it.events.of(CheckRun)] == [(meant, meant == "effect")]


@pytest.mark.requires("pipeline.malformed-replies")
@pytest.mark.parametrize("path", ["/dev/zero", "/" + "x" * 5000, "a\0b", "/proc/self/mem", ""])
async def test_an_expected_file_that_can_be_none_does_not_hold_and_nothing_breaks(tmp_path: Path, path: str) -> None:
    notes = Notes()
    it = await played(notes, tmp_path, expecting(file=path, effect="confirmed"))
    (_, done) = it.events.of(ActionFinished)
    assert done.status == "success"
    assert notes.log == ["Save"]
