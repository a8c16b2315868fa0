"""A session that succeeded becomes a playbook, which does the same again."""

import re
from functools import partial
from pathlib import Path

import pytest
import yaml

from deskhand.core.errors import UsageError
from deskhand.core.json import JsonObject
from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.report.html import render_report
from deskhand.report.markdown import render_markdown
from deskhand.report.playbook import playbook_of_session
from deskhand.session.clock import SystemClock
from deskhand.store.journal import Journal
from notes import APP, Notes
from stage import Answer, Stage, act, assign, say, stage


def kept(it: Stage, folder: Path) -> Path:
    """The session's journal, as the program writes it."""
    with Journal(folder, SystemClock()) as journal:
        for event in it.events.all:
            journal.emit(event)
    return folder


async def recorded(notes: Notes, folder: Path, *replies: Answer) -> Path:
    scripts = {"HostAgent": [assign("Notes", "Save ${it}"), say("FINISH", result="saved")], APP: list(replies)}
    it = stage(notes.desktop, scripts, log_path=folder / "log")
    await it.run("Save it")
    return kept(it, folder / "log")


@pytest.mark.requires("playbook.export")
async def test_what_a_session_did_is_done_again_by_its_playbook(tmp_path: Path) -> None:
    notes = Notes()
    log = await recorded(
        notes,
        tmp_path,
        say("CONTINUE", "find_controls", args={"role": "button"}),
        say("CONTINUE", "set_edit_text", "Text", args={"text": "it costs ${5}"}),
        say("CONTINUE", "invoke", "Save"),
        say("CONTINUE", actions=[act("invoke", "Tidy"), act("invoke", "Save")]),
        say("FINISH", result="all ${done}"),
    )
    text = playbook_of_session(log, "again")
    book = parse_playbook(text, "again.yaml")
    again = Notes()
    it = stage(again.desktop, PlaybookModel(book), log_path=tmp_path)
    assert (await it.run("Save it")).outcome is Outcome.SUCCESS
    assert again.log == notes.log == ["Save", "Tidy", "Save"]
    assert again.text.value == notes.text.value == "it costs ${5}"
    assert it.context.previous_subtasks[0].result == "all ${done}"


@pytest.mark.long
@pytest.mark.requires("playbook.export")
async def test_what_did_not_work_and_what_only_looked_is_left_out(tmp_path: Path) -> None:
    notes = Notes()
    log = await recorded(
        notes,
        tmp_path,
        say("CONTINUE"),
        say("CONTINUE", "invoke", "Quiet"),
        say("CONTINUE", "select_item", "Save", args={"item": "none"}),
        say("FINISH", "invoke", "Save"),
    )
    (steps,) = yaml.safe_load(playbook_of_session(log, "n"))["agents"].values()
    assert [step["on"]["name"] for step in steps] == ["Quiet", "Save"]
    assert [step.get("status") for step in steps] == [None, "FINISH"]


@pytest.mark.long
@pytest.mark.requires("playbook.export")
async def test_one_of_several_alike_is_told_by_its_number(tmp_path: Path) -> None:
    pressed: list[str] = []
    twins = [FakeControl(Role.BUTTON, "Twin", on_click=partial(pressed.append, name)) for name in ("a", "b")]
    notes = Notes(twins)

    def second(request: ModelRequest) -> JsonObject:
        found = [control for control in request.controls if control.name == "Twin"]
        return {"status": "FINISH", "function": "invoke", "control_label": found[1].id, "control_text": "Twin"}

    log = await recorded(notes, tmp_path, second, say("FINISH"))
    assert pressed == ["b"]
    (steps,) = yaml.safe_load(playbook_of_session(log, "n"))["agents"].values()
    assert steps[0]["on"] == {"role": "button", "name": "Twin", "nth": 2}


@pytest.mark.requires("playbook.export", "policy.typed-passwords")
async def test_a_password_that_was_typed_becomes_a_parameter(tmp_path: Path) -> None:
    field = FakeControl(Role.PASSWORD, "Password")
    notes = Notes([field])
    typed = say("CONTINUE", "set_edit_text", "Password", args={"text": "hunter2"})
    log = await recorded(notes, tmp_path, typed, say("FINISH", "invoke", "Save"), say("FINISH"))
    text = playbook_of_session(log, "login")
    assert "hunter2" not in text
    again = FakeControl(Role.PASSWORD, "Password")
    book = PlaybookModel(parse_playbook(text, "login.yaml"), {"password": "other"})
    assert (await stage(Notes([again]).desktop, book, log_path=tmp_path).run("Save it")).outcome is Outcome.SUCCESS
    assert (field.value, again.value) == ("hunter2", "other")


@pytest.mark.requires("playbook.export", "policy.typed-passwords")
@pytest.mark.parametrize(
    ("keys", "on", "written"),
    [
        ("hunter2{TAB}", "", "${password}{TAB}"),
        ("ada{TAB}hunter2{ENTER}", "Text", "${password}{TAB}${password2}{ENTER}"),
        ("ctrl+a{DELETE}hunter2{ENTER}", "", ""),
        ("{VK_CONTROL}a{DELETE}hun{{}ter2\n", "", "{VK_CONTROL}a{DELETE}${password}{ENTER}"),
        ("{TAB}y{VK_CONTROL}s", "", "{TAB}y{VK_CONTROL}s"),
    ],
)
async def test_keys_in_a_window_with_a_password_are_told_to_nobody_but_for_those_that_type_nothing(
    keys: str, on: str, written: str, tmp_path: Path
) -> None:
    field = FakeControl(Role.PASSWORD, "Password")
    notes = Notes([field])
    typed = say("CONTINUE", "keyboard_input", on, args={"keys": keys})
    steps = [say("CONTINUE", "click_input", "Password"), typed, say("FINISH", "invoke", "Save"), say("FINISH")]
    log = await recorded(notes, tmp_path, *steps)
    text, told = playbook_of_session(log, "login"), render_report(log) + render_markdown(log)
    assert "hun" not in text.replace("hunting", "")
    assert written in text
    assert not re.search("hunter2|hun{ter2|hun{{}ter2", told)


@pytest.mark.requires("playbook.export")
async def test_a_session_that_failed_makes_no_playbook(tmp_path: Path) -> None:
    it = stage(Notes().desktop, {"HostAgent": [say("FAIL")]}, log_path=tmp_path)
    await it.run()
    with pytest.raises(UsageError, match="its outcome is failed"):
        playbook_of_session(kept(it, tmp_path / "log"), "n")
