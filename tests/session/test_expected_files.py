"""An expected file has to be written by the action that expects it (contract 2.3)."""

from pathlib import Path

import pytest

from deskhand.core.events import CheckRun
from deskhand.core.json import JsonObject
from deskhand.core.outcomes import Outcome
from notes import APP, Notes
from stage import assign, say, stage


@pytest.mark.requires("pipeline.expected-file")
async def test_a_file_that_was_there_before_meets_no_expectation_until_an_action_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "sales.ods"
    file.write_text("old")
    notes = Notes()
    press = notes.save.on_click

    def save() -> None:
        file.write_text("new")
        if press:
            press()

    notes.save.on_click = save
    tidy: JsonObject = {"status": "CONTINUE", "function": "invoke", "control_label": "6", "control_text": "Tidy"}
    saves: JsonObject = {**tidy, "control_label": "2", "control_text": "Save"}
    expect: JsonObject = {"expect": {"file": str(file)}}
    told = [{**tidy, **expect}, {**saves, **expect}, {"status": "FINISH", **expect}]
    it = stage(notes.desktop, {"HostAgent": [assign("Notes", "Save it"), say("FINISH")], APP: told}, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    checks = [(check.ok, check.detail) for check in it.events.of(CheckRun)]
    assert checks == [
        (False, "sales.ods is there, and was not written since the action began"),
        (True, "sales.ods: 3 bytes"),
        (True, "sales.ods: 3 bytes"),
    ]
