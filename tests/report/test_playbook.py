"""A session that succeeded becomes a playbook, which does the same again."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
import yaml

from deskhand.commands.tools import verify
from deskhand.core.errors import UsageError
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.desktop import Desktop
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


@pytest.mark.requires("playbook.export", "pipeline.spared-action")
async def test_a_reply_with_words_around_it_and_a_wrong_field_becomes_the_step_it_was(tmp_path: Path) -> None:
    def written(request: ModelRequest) -> str:
        reply = say("CONTINUE", "invoke", "Save", expect="it is saved", comment=None)(request)
        return f"I press Save.\n```json\n{json.dumps(reply)}\n```"

    notes = Notes()
    book = playbook_of_session(await recorded(notes, tmp_path, written, say("FINISH")), "again")
    assert notes.log == ["Save"]
    (step,) = yaml.safe_load(book)["agents"]["notes"]
    assert step == {"tool": "invoke", "on": {"role": "button", "name": "Save"}, "status": "FINISH"}


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


def form() -> tuple[Notes, dict[str, FakeControl]]:
    fields = {
        "Name": FakeControl(Role.TEXTBOX, "Name", states={"editable"}),
        "Agree": FakeControl(Role.CHECKBOX, "Agree"),
        "Password": FakeControl(Role.PASSWORD, "Password", states={"editable"}),
    }
    return Notes([*fields.values()]), fields


@pytest.mark.requires("playbook.export")
async def test_a_form_that_was_filled_in_one_call_is_filled_again_with_its_controls_by_name(tmp_path: Path) -> None:
    def filled(request: ModelRequest) -> JsonObject:
        ids = {control.name: control.id for control in request.controls}
        given: JsonObject = {"Name": "Grace", "Agree": True, "Password": "hunter2"}
        values: list[JsonValue] = [{"id": ids[name], "name": name, "value": value} for name, value in given.items()]
        return {"status": "CONTINUE", "function": "fill", "args": {"values": values}}

    notes, _ = form()
    log = await recorded(notes, tmp_path, filled, say("FINISH", "invoke", "Save"), say("FINISH"))
    text = playbook_of_session(log, "again")
    (step, save, *_) = yaml.safe_load(text)["agents"]["notes"]
    assert (step["tool"], "on" in step) == ("fill", False)
    assert [value["on"]["name"] for value in step["args"]["values"]] == ["Name", "Agree", "Password"]
    assert save["on"]["name"] == "Save"
    assert "hunter2" not in text
    again, fields = form()
    book = PlaybookModel(parse_playbook(text, "again.yaml"), {"password": "other"})
    assert (await stage(again.desktop, book, log_path=tmp_path / "again").run("Save it")).outcome is Outcome.SUCCESS
    assert (fields["Name"].value, fields["Password"].value) == ("Grace", "other")
    assert "checked" in fields["Agree"].states
    assert again.log == ["Save"]


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


@pytest.mark.requires("playbook.export", "policy.typed-passwords")
async def test_a_password_stands_nowhere_in_a_playbook_whatever_told_it(tmp_path: Path) -> None:
    field = FakeControl(Role.PASSWORD, "Password")
    notes = Notes([field])
    told = "hunter2 costs ${5}"
    replies = [
        say("CONTINUE", "set_edit_text", "Text", args={"text": "not hunter2 for ${5}"}),
        say("CONTINUE", "set_edit_text", "Password", args={"text": "hunter2"}),
        say("CONTINUE", "invoke", "Save"),
        say("FINISH", result=f"typed {told}", expect={"gone": {"role": "button", "name": "hunter2"}}),
    ]
    scripts = {"HostAgent": [assign("Notes", f"Type {told}"), say("FINISH", result=told)], APP: replies}
    it = stage(notes.desktop, scripts, log_path=tmp_path / "log")
    await it.run("Log in with\npassword hunter2")
    text = playbook_of_session(kept(it, tmp_path / "log"), "login")
    assert "hunter2" not in text
    assert "# password •••" in text
    written = yaml.safe_load(text)
    assert written["params"] == {"password": "text"}
    again = Notes([other := FakeControl(Role.PASSWORD, "Password")])
    book = PlaybookModel(parse_playbook(text, "login.yaml"), {"password": "other"})
    repeated = stage(again.desktop, book, log_path=tmp_path)
    assert (await repeated.run("Save it")).outcome is Outcome.SUCCESS
    assert (again.text.value, other.value) == ("not other for ${5}", "other")
    assert repeated.context.previous_subtasks[0].subtask == "Type ••• costs ${5}"
    assert repeated.context.previous_subtasks[0].result == "typed ••• costs ${5}"


@pytest.mark.requires("playbook.export", "policy.typed-passwords")
async def test_keys_go_to_a_password_in_a_dialog_that_the_same_reply_opened(tmp_path: Path) -> None:
    notes = Notes()
    password = FakeControl(Role.PASSWORD, "Password")
    dialog = FakeWindow("Authenticate", [password], "notes", dialog=True, focused=password)

    def ask() -> None:
        notes.desktop.open(dialog)

    notes.window.controls.append(FakeControl(Role.BUTTON, "Unlock", on_click=ask))
    both = say("CONTINUE", actions=[act("invoke", "Unlock"), act("keyboard_input", args={"keys": "hunter2"})])
    log = await recorded(notes, tmp_path, both, say("FINISH", result="typed hunter2"))
    assert password.value == "hunter2"
    told = [playbook_of_session(log, "login"), render_report(log), render_markdown(log)]
    assert not [text for text in told if "hunter2" in text]


@pytest.mark.requires("policy.typed-passwords")
async def test_keys_behind_an_action_that_opened_no_password_are_told(tmp_path: Path) -> None:
    notes = Notes()
    both = say("CONTINUE", actions=[act("click_input", "Text"), act("keyboard_input", args={"keys": "a letter"})])
    log = await recorded(notes, tmp_path, both, say("FINISH", "invoke", "Save"), say("FINISH"))
    assert notes.text.value == "a letter"
    assert "a letter" in playbook_of_session(log, "letter")


@pytest.mark.requires("playbook.export")
async def test_a_session_that_failed_makes_no_playbook(tmp_path: Path) -> None:
    it = stage(Notes().desktop, {"HostAgent": [say("FAIL")]}, log_path=tmp_path)
    await it.run()
    with pytest.raises(UsageError, match="its outcome is failed"):
        playbook_of_session(kept(it, tmp_path / "log"), "n")


async def done_again(log: Path, notes: Notes, folder: Path) -> Outcome:
    """Carries out the playbook of a session."""
    book = PlaybookModel(parse_playbook(playbook_of_session(log, "again"), "again.yaml"))
    return (await stage(notes.desktop, book, log_path=folder / "again").run("Save it")).outcome


def alike(names: Sequence[str], disabled: int) -> tuple[Notes, list[int]]:
    """Buttons at the end of the window, and the numbers of those that were pressed."""
    pressed: list[int] = []
    notes = Notes()

    def press(number: int) -> None:
        pressed.append(number)
        notes.count.value = str(len(pressed))

    buttons = [FakeControl(Role.BUTTON, name, on_click=partial(press, number)) for number, name in enumerate(names)]
    if disabled >= 0:
        buttons[disabled].states.add("disabled")
    notes.window.controls.extend(buttons)
    return notes, pressed


@pytest.mark.requires("playbook.export")
@pytest.mark.parametrize(
    ("names", "disabled"),
    [
        (["Twin", "Twin", "Twin"], 0),
        (["Twin", "Twin", "Twin"], -1),
        (["Open...", "Open…", "Open…"], -1),
        (["/a  b/", "/a b/", "/a…/"], -1),
        (["/a…/", "/a.../", "x"], -1),
    ],
)
async def test_the_number_of_one_of_several_alike_counts_as_a_playbook_does(
    names: Sequence[str], disabled: int, tmp_path: Path
) -> None:
    notes, pressed = alike(names, disabled)

    def second(request: ModelRequest) -> JsonObject:
        target = request.controls[-2]
        return {"status": "FINISH", "function": "invoke", "control_label": target.id, "control_text": target.name}

    log = await recorded(notes, tmp_path, second)
    assert pressed == [1]
    again, pressed = alike(names, disabled)
    assert await done_again(log, again, tmp_path) is Outcome.SUCCESS
    assert pressed == [1]


@pytest.mark.long
@pytest.mark.requires("playbook.export")
async def test_a_claim_that_did_not_stand_and_an_expectation_that_did_not_hold_are_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def looked_once(_: Desktop, look: Callable[[], Awaitable[object]], __: float) -> object:
        return await look()  # in five more seconds nothing would come either

    monkeypatch.setattr(verify, "wait_for_statement", looked_once)
    notes = Notes()
    log = await recorded(
        notes,
        tmp_path,
        say("CONTINUE", "invoke", "Save", expect={"window": "Never there"}),
        say("FINISH", expect={"window": "Never there"}),
        say("CONTINUE", "invoke", "Tidy", expect={"window": "Notes"}),
        say("FINISH", "invoke", "Quiet"),
        say("FINISH", expect={"window": "Notes"}),
    )
    (steps,) = yaml.safe_load(playbook_of_session(log, "n"))["agents"].values()
    assert [step.get("status") for step in steps] == [None, None, None, "FINISH"]
    assert [step.get("expect") for step in steps] == [None, {"window": "Notes"}, None, {"window": "Notes"}]
    again = Notes()
    assert await done_again(log, again, tmp_path) is Outcome.SUCCESS
    assert again.log == notes.log == ["Save", "Tidy", "Quiet"]


@pytest.mark.requires("playbook.export")
async def test_what_was_done_before_a_subtask_that_failed_is_done_again_and_the_next_one_knows_its_window(
    tmp_path: Path,
) -> None:
    def made(log: list[str]) -> FakeDesktop:
        def opened(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
            box = FakeControl(Role.CHECKBOX, "Saved")

            def save() -> None:
                log.append("Save")
                box.value = str(len(log))

            return FakeWindow("Document", [FakeControl(Role.BUTTON, "Save", on_click=save), box])

        return FakeDesktop([FakeApplication("python3", opened)])

    launch = say("ASSIGN", "launch_application", args={"application": "python3"}, current_subtask="Try")
    again = [say("ASSIGN", current_subtask=subtask) for subtask in ("Save", "Save once more", "And again")]
    pressed = say("FINISH", "invoke", "Save")
    scripts = {"HostAgent": [launch, *again, say("FINISH")], "AppAgent/python3": [say("FAIL"), *[pressed] * 3]}
    saved: list[str] = []
    it = stage(made(saved), scripts, log_path=tmp_path / "log")
    assert (await it.run("Save it")).outcome is Outcome.SUCCESS
    text = playbook_of_session(kept(it, tmp_path / "log"), "n")
    assert list(yaml.safe_load(text)["agents"]) == ["python3", "python32", "python33"]
    saved_again: list[str] = []
    book = PlaybookModel(parse_playbook(text, "n.yaml"))
    assert (await stage(made(saved_again), book, log_path=tmp_path).run("Save it")).outcome is Outcome.SUCCESS
    assert saved_again == saved == ["Save"] * 3


@pytest.mark.requires("playbook.export-short")
@pytest.mark.parametrize(("last", "steps"), [("Save", [("Tidy", None), ("Save", "FINISH")]), ("Quiet", None)])
async def test_a_subtask_ends_with_its_last_action_where_that_was_confirmed(
    last: str, steps: list[tuple[str, str | None]] | None, tmp_path: Path
) -> None:
    notes = Notes()
    ends = [say("FINISH", result="done")] * 2  # the first one is held back where the effect could not be verified
    replies = [say("CONTINUE", "invoke", "Tidy"), say("CONTINUE", "invoke", last), *ends]
    text = playbook_of_session(await recorded(notes, tmp_path, *replies), "n")
    written = yaml.safe_load(text)["agents"]["notes"]
    expected = steps or [("Tidy", None), ("Quiet", None), (None, "FINISH")]
    assert [(step.get("on", {}).get("name"), step.get("status")) for step in written] == expected
    assert written[-1]["result"] == "done"
    again = Notes()
    book = PlaybookModel(parse_playbook(text, "n.yaml"))
    assert (await stage(again.desktop, book, log_path=tmp_path / "n").run("Save it")).outcome is Outcome.SUCCESS
    assert again.log == notes.log == ["Tidy", last]


@pytest.mark.requires("playbook.export")
async def test_a_host_that_ended_without_a_model_after_its_last_subtask_ends_so_in_the_playbook(tmp_path: Path) -> None:
    notes = Notes()
    scripts = {
        "HostAgent": [assign("Notes", "Save", last=True)],
        APP: [say("FINISH", "invoke", "Save", result="saved")],
    }
    it = stage(notes.desktop, scripts, log_path=tmp_path / "log")
    assert (await it.run("Save it")).outcome is Outcome.SUCCESS
    text = playbook_of_session(kept(it, tmp_path / "log"), "n")
    again = Notes()
    book = PlaybookModel(parse_playbook(text, "n.yaml"))
    assert (await stage(again.desktop, book, log_path=tmp_path / "n").run("Save it")).outcome is Outcome.SUCCESS
    assert again.log == notes.log == ["Save"]


@pytest.mark.requires("playbook.export-short")
async def test_an_application_that_was_launched_and_then_chosen_is_assigned_with_its_launch(tmp_path: Path) -> None:
    pressed: list[str] = []

    def opened(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        box = FakeControl(Role.CHECKBOX, "Saved")

        def save() -> None:
            pressed.append("Save")
            box.value = str(len(pressed))

        return FakeWindow("Document", [FakeControl(Role.BUTTON, "Save", on_click=save), box])

    launch = say("CONTINUE", "launch_application", args={"application": "python3"})
    scripts = {
        "HostAgent": [launch, assign("Document", "Save"), say("FINISH")],
        "AppAgent/python3": [say("FINISH", "invoke", "Save")],
    }
    it = stage(FakeDesktop([FakeApplication("python3", opened)]), scripts, log_path=tmp_path / "log")
    assert (await it.run("Save it")).outcome is Outcome.SUCCESS
    text = playbook_of_session(kept(it, tmp_path / "log"), "n")
    first, _ = yaml.safe_load(text)["host"]
    assert (first["tool"], first["status"], first["subtask"]) == ("launch_application", "ASSIGN", "Save")
    again = FakeDesktop([FakeApplication("python3", opened)])
    book = PlaybookModel(parse_playbook(text, "n.yaml"))
    assert (await stage(again, book, log_path=tmp_path / "n").run("Save it")).outcome is Outcome.SUCCESS
    assert pressed == ["Save"] * 2


@pytest.mark.requires("playbook.export")
async def test_what_no_playbook_can_say_is_said_and_nothing_is_made(tmp_path: Path) -> None:
    notes = Notes()
    written = say("CONTINUE", "set_edit_text", "Text", args={"text": "x"})
    saved = say("CONTINUE", "texts", "Text", save_as="it")
    used = say("CONTINUE", "set_edit_text", "Text", args={"text": {"from": "it.text"}})
    host = [assign("Notes", "Read"), assign("Notes", "Write"), say("FINISH")]
    scripts = {"HostAgent": host, APP: [written, saved, say("FAIL"), used, say("FINISH")]}
    it = stage(notes.desktop, scripts, log_path=tmp_path / "log")
    assert (await it.run()).outcome is Outcome.SUCCESS
    with pytest.raises(UsageError, match=r"cannot be written as a playbook:\nn:\d+: "):
        playbook_of_session(kept(it, tmp_path / "log"), "n")
