"""Replies that mean harm or make no sense: nothing of them runs, and the model is told why (SPEC 3.2)."""

from pathlib import Path

import pytest

from deskhand.core.events import ActionFinished
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.outcomes import Outcome
from notes import APP, Notes
from stage import Stage, assign, say, stage

PRESS: JsonObject = {"status": "CONTINUE", "function": "invoke", "control_label": "2", "control_text": "Save"}


async def played(notes: Notes, folder: Path, reply: JsonObject) -> Stage:
    host = [assign("Notes", "Save it"), say("FINISH")]
    it = stage(notes.desktop, {"HostAgent": host, APP: [reply, say("FINISH")]}, log_path=folder)
    assert (await it.run()).outcome is Outcome.SUCCESS
    return it


def expecting(**expect: JsonValue) -> JsonObject:
    return {**PRESS, "expect": expect}


@pytest.mark.requires("pipeline.malformed-replies")
@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (expecting(rows="many"), "a number or a comparison"),
        (expecting(rows=">=" + "9" * 5000), "a number or a comparison"),
        (expecting(columns="=="), "a number or a comparison"),
        (expecting(shows={"name": "/(a+)+$/"}), "expect"),
        (expecting(gone={"name": "/(/"}), "bad regular expression"),
        (expecting(window={"name": "x"}), "expect.window"),
        (expecting(shows={"nth": 10**30, "name": {}}), "expect"),
        ({**PRESS, "save_as": "a.b"}, "save_as"),
        ({**PRESS, "save_as": "x" * 1000}, "save_as"),
        ({**PRESS, "save_as": "\x1b[2J"}, "save_as"),
        ({**PRESS, "control_label": "9" * 1000}, "there is no control"),
        ({**PRESS, "control_label": "٢"}, "there is no control"),
        ({**PRESS, "args": {"action": {"from": "nothing.saved"}}}, "names nothing that was saved"),
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


@pytest.mark.requires("pipeline.malformed-replies")
@pytest.mark.parametrize("path", ["/dev/zero", "/" + "x" * 5000, "a\0b", "/proc/self/mem", ""])
async def test_an_expected_file_that_can_be_none_does_not_hold_and_nothing_breaks(tmp_path: Path, path: str) -> None:
    notes = Notes()
    it = await played(notes, tmp_path, expecting(file=path, effect="confirmed"))
    (_, done) = it.events.of(ActionFinished)
    assert done.status == "success"
    assert notes.log == ["Save"]
