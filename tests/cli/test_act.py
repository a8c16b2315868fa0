"""`deskhand act`, on a desktop in memory: ids of the latest observation, the policy, values by the tool's schema."""

import json
import os
import re
import signal
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from cli.driver import Console
from deskhand.core.errors import ApplicationGone
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.session.interactors import read_script
from notes import Notes
from paged import Paged, letter
from support import ROOT

KEYS = {"status", "effect", "route", "evidence", "error", "delivered", "retry_safe", "result"}


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Notes:
    """What `--desktop memory` opens, for every verb."""
    made = Notes([FakeControl(Role.SLIDER, "Volume", value="1")])

    @asynccontextmanager
    async def opened(choice: str, *_: object, **__: object) -> AsyncGenerator[FakeDesktop]:
        assert choice == "memory"
        yield made.desktop
        await made.desktop.faults.strike("close")

    monkeypatch.setattr("deskhand.cli.desktop_choice.open_desktop", opened)
    monkeypatch.setattr("deskhand.session.held_desktop.open_desktop", opened)
    monkeypatch.setenv("DESKHAND_DESKTOP", "memory")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return made


def label(console: Console, name: str) -> str:
    found = console("observe", "--name", name, "--json").items("controls")
    return str(found[0]["id"])


@pytest.mark.requires("cli.act")
def test_an_action_is_carried_out_and_told_with_its_evidence(console: Console, notes: Notes) -> None:
    done = console("act", "invoke", f"id={label(console, 'Save')}", "name=Save", "--json")
    assert (done.code, notes.log) == (0, ["Save"]), done.err
    assert set(done.json) == KEYS
    told = (done.item("status"), done.item("effect"), done.item("route"), done.item("error"))
    assert told == ("success", "confirmed", "accessibility", None)
    assert done.item("delivered") is True
    assert done.item("evidence")


@pytest.mark.requires("cli.act", "tool.fill")
def test_a_form_is_filled_with_one_command(console: Console, notes: Notes) -> None:
    values = json.dumps(
        [{"id": label(console, "Text"), "value": "Ada"}, {"id": label(console, "Counter"), "value": True}]
    )
    done = console("act", "fill", f"values={values}", "--json")
    assert (done.code, done.item("effect"), notes.text.value) == (0, "confirmed", "Ada"), done.err
    assert "checked" in notes.count.states
    rows = done.item("result")
    assert isinstance(rows, list)
    assert [row["name"] for row in rows if isinstance(row, dict)] == ["Text", "Counter"]


@pytest.mark.requires("cli.watch", "cli.ids-stay")
def test_the_ids_that_watching_prints_are_those_that_act_takes(console: Console, notes: Notes) -> None:
    later = FakeControl(Role.BUTTON, "Later", on_click=lambda: notes.log.append("Later"))

    def comes() -> None:
        notes.window.controls.insert(0, later)

    before = label(console, "Save")
    notes.window.controls.insert(0, FakeControl(Role.BUTTON, "Sooner"))
    faults = notes.desktop.faults
    faults.before("observe", notes.desktop.touch, on_call=1)
    faults.before("observe", comes, on_call=2)
    faults.before("observe", notes.desktop.touch, on_call=2)
    faults.fail("observe", ApplicationGone("it is closed"), on_call=3)
    first, second = (json.loads(line) for line in console("observe", "--watch", "--json").out.splitlines())
    ids = {control["name"]: control["id"] for control in (*first["controls"], *second["added"])}
    assert ids["Save"] == before
    for name in ("Save", "Later"):
        console("act", "invoke", f"id={ids[name]}", f"name={name}")
    assert notes.log == ["Save", "Later"]


@pytest.mark.requires("python.ids", "cli.observe")
def test_the_ids_that_developers_gave_controls_are_listed_when_asked_for(console: Console, notes: Notes) -> None:
    without = console("observe", "--accessible-ids")
    assert without.out.endswith("accessible ids:\n")
    assert "(no control has one)" in without.err
    notes.save.accessible_id = "store"
    assert console("observe", "--accessible-ids").out.endswith(f"accessible ids:\n{label(console, 'Save')} store\n")
    (save,) = console("observe", "--accessible-ids", "--name", "Save", "--json").items("controls")
    assert save["accessible_id"] == "store"
    notes.save.accessible_id = None
    assert "(the program exposes none)" in console("observe", "--accessible-ids", "--name", "Save").err


@pytest.mark.requires("desktop.states-final", "cli.observe")
def test_states_that_may_still_change_are_told_or_waited_for(console: Console, notes: Notes) -> None:
    notes.save.states.add("disabled")
    notes.desktop.faults.late_states = lambda: notes.save.states.discard("disabled")
    early = console("observe", "--name", "Save")
    assert "(disabled)" in early.out
    assert (
        "(states, values in toolbars and the status bar may still change by themselves)\n(--final waits for that)"
        in early.err
    )
    final = console("observe", "--name", "Save", "--final")
    assert "(disabled)" not in final.out
    assert "may still change" not in final.err


@pytest.mark.requires("desktop.states-final", "cli.watch")
def test_watching_too_waits_for_final_states_where_asked_to(console: Console, notes: Notes) -> None:
    notes.save.states.add("disabled")
    notes.desktop.faults.late_states = lambda: notes.save.states.discard("disabled")
    notes.desktop.faults.before("observe", notes.desktop.touch, on_call=1)
    notes.desktop.faults.fail("observe", ApplicationGone("it is closed"), on_call=2)
    seen = console("observe", "--name", "Save", "--watch", "--final")
    assert (seen.code, "Save" in seen.out, "(disabled)" in seen.out) == (0, True, False)


@pytest.mark.requires("cli.watch")
@pytest.mark.parametrize("wrong", ["--tree", "--timing", "--accessible-ids"])
def test_what_watching_cannot_do_is_a_usage_error(console: Console, notes: Notes, wrong: str) -> None:
    notes.desktop.faults.fail("observe", ApplicationGone("it is closed"))
    done = console("observe", "--watch", wrong)
    assert (done.code, done.out) == (2, "")
    assert "leave out --tree, --timing and --accessible-ids" in done.err


@pytest.mark.requires("cli.act")
def test_what_is_found_in_a_window_that_was_never_observed_has_an_id_to_act_by(console: Console, notes: Notes) -> None:
    found = console("act", "find_controls", "name=Save", "--json").items("result")
    assert console("act", "invoke", f"id={found[0]['id']}", "name=Save").code == 0
    assert (notes.log, label(console, "Save")) == (["Save"], found[0]["id"])


@pytest.mark.requires("cli.act")
def test_what_is_found_in_a_dialog_in_front_has_no_id_in_the_window_that_was_named(
    console: Console, notes: Notes
) -> None:
    main = notes.desktop.shown_windows[0]
    dialog = FakeWindow("Ask", [FakeControl(Role.BUTTON, "Yes")], main.application, dialog=True)
    notes.desktop.open(dialog)
    done = console("act", "find_controls", "name=Yes", "--window", main.title, "--json")
    assert [found["id"] for found in done.items("result")] == [""]
    assert done.item("evidence") == f'these are in dialog "Ask" in front: look in it, {dialog.handle}, for their ids'
    assert console("act", "find_controls", "name=Yes", "--window", dialog.handle, "--json").items("result")[0]["id"]


@pytest.mark.requires("find.whole-document")
def test_a_text_is_searched_on_all_pages_and_scrolled_to(console: Console, notes: Notes) -> None:
    paged = Paged(letter(), desktop=notes.desktop)
    found = console("act", "find_controls", "text=heron", "--window", "Letter", "--json")
    assert found.item("evidence") == "3 hits in the 200 paragraphs of the document; show=2 scrolls to hit 2"
    assert [(row["hit"], row["place"], bool(row["id"])) for row in found.items("result")] == [
        (1, "paragraph 3", True),
        (2, "paragraph 161, out of view", False),
        (3, "paragraph 165, out of view", False),
    ]
    shown = console("act", "find_controls", "text=heron", "show=3", "--window", "Letter", "--json").items("result")[2]
    assert (shown["place"], bool(shown["id"])) == ("paragraph 165", True)
    assert "heron and kestrel" in paged.in_view
    assert console("act", "find_controls", "show=3", "--window", "Letter").code == 2
    seen = console("observe", "--text", "line 3", "--window", "Letter")
    assert "(other pages were not searched: deskhand act find_controls role=paragraph text=… does)" in seen.err
    assert "other pages" not in console("observe", "--window", "Letter").err


@pytest.mark.requires("cli.act")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("id=1", "id=2"), "id is given more than once"),
        (("id=1", "id=1"), "id is given more than once"),
        (("idd=1",), "invoke has no argument 'idd'"),
        (("id=1", "=2"), "'=2' is not NAME=VALUE"),
    ],
)
def test_an_argument_given_twice_or_not_known_is_named_and_nothing_is_done(
    console: Console, notes: Notes, arguments: tuple[str, ...], said: str
) -> None:
    label(console, "Save")
    done = console("act", "invoke", *arguments, "--json")
    assert (done.code, done.item("error", "message"), notes.log) == (2, said, [])
    assert "invoke takes id, name, action" in str(done.item("error", "fix"))


@pytest.mark.requires("cli.exit-codes")
@pytest.mark.parametrize("window", ["Same", "None"])
@pytest.mark.parametrize(
    "line", [("observe",), ("act", "wait", "seconds=0"), ("verify", "--name", "OK"), ("screenshot", "-o", "a.png")]
)
def test_a_window_that_is_not_there_or_one_of_several_is_wrong_usage(
    console: Console, notes: Notes, window: str, line: tuple[str, ...]
) -> None:
    for _ in range(2):
        notes.desktop.open(FakeWindow("Same", []))
    done = console(*line, "--window", window, "--json")
    assert (done.code, done.item("error", "type")) == (2, "UsageError")
    assert "Same" in str(done.item("error", "fix"))


@pytest.mark.requires("cli.act")
def test_without_json_a_line_says_what_came_of_it(console: Console, notes: Notes) -> None:
    done = console("act", "set_edit_text", f"id={label(console, 'Text')}", "text=two words = one")
    assert (done.code, notes.text.value) == (0, "two words = one")
    assert done.out.startswith("confirmed by accessibility: ")


@pytest.mark.requires("cli.act", "act.every-move")
@pytest.mark.parametrize("given", ["hold_button x=0.5 y=0.5", "hold_keys keys={SHIFT}"])
def test_nothing_is_left_down_by_a_command_that_ends(console: Console, notes: Notes, given: str) -> None:
    done = console("act", *given.split())
    assert (done.code, notes.desktop.calls_of("hold_button"), notes.desktop.calls_of("hold_keys")) == (2, [], [])
    assert "released when this command ends" in done.err


@pytest.mark.requires("cli.act")
def test_nothing_is_put_on_a_clipboard_that_ends_with_the_command(console: Console, notes: Notes) -> None:
    done = console("act", "clipboard", "text=two words")
    assert (done.code, notes.desktop.calls_of("offer_clipboard")) == (2, [])
    assert "lost when this command ends" in done.err
    assert "set_edit_text" in done.err
    assert console("act", "clipboard", "--json").item("result") == {"text": ""}


@pytest.mark.requires("cli.act")
@pytest.mark.usefixtures("notes")
def test_also_what_has_no_effect_says_what_came_of_it(console: Console) -> None:
    assert console("act", "wait", "seconds=0.1").out.startswith("success: quiet")


@pytest.mark.requires("cli.act")
@pytest.mark.usefixtures("notes")
@pytest.mark.parametrize("given", [("summary", "text=12 rows"), ("annotation", 'control_labels=["1"]')])
def test_what_is_for_the_next_step_of_an_agent_is_no_tool_here(console: Console, given: tuple[str, str]) -> None:
    done = console("act", *given)
    assert done.code == 2
    assert f"there is no tool {given[0]!r}" in done.err


@pytest.mark.requires("cli.act")
def test_values_are_what_the_tools_schema_says(console: Console, notes: Notes, tmp_path: Path) -> None:
    text = label(console, "Text")
    assert console("act", "set_edit_text", f"id={text}", "text=007", "clear=false").code == 0
    assert notes.text.value == "007"
    (tmp_path / "long.txt").write_text("from a file")
    (tmp_path / "deep.txt").write_text("[" * 100_000)
    assert console("act", "set_edit_text", f"id={text}", "text=@long.txt").code == 0
    assert notes.text.value == "from a file"
    for wrong, said in (
        ("seconds=soon", "wait: seconds: Input should be"),
        ("seconds", "'seconds' is not NAME=VALUE"),
        ("hours=1", "wait has no argument 'hours'"),
        ("seconds=@none.txt", "cannot read none.txt"),
        ("seconds=@deep.txt", "seconds: it is nested too deeply"),
        (f"seconds={'[' * 900}{']' * 900}", "seconds: it is nested too deeply"),
    ):
        done = console("act", "wait", wrong, "--json")
        assert (done.code, said in done.err) == (2, True), done.err
        assert set(done.json) == {"error"}


@pytest.mark.requires("cli.act")
@pytest.mark.parametrize("wrong", ["label=12", "double=perhaps", "double"])
def test_a_wrong_argument_is_answered_with_those_that_the_tool_takes(
    console: Console, notes: Notes, wrong: str
) -> None:
    done = console("act", "click_input", f"id={label(console, 'Save')}", wrong)
    assert (done.code, "fix: click_input takes id, name, button, double" in done.err) == (2, True), done.err
    assert notes.log == []


@pytest.mark.requires("cli.act")
def test_the_form_of_a_list_of_objects_is_shown(console: Console, notes: Notes) -> None:
    done = console("act", "replace_text", 'pairs=[["a", "b"]]')
    assert (done.code, 'takes pairs=[{"find": …, "replace": …}], id, name' in done.err) == (2, True), done.err
    assert notes.log == []


@pytest.mark.requires("cli.act")
@pytest.mark.parametrize("line", [("act", "--help"), ("act", "click_input", "--help"), ("act", "press", "--help")])
def test_the_help_lists_the_tools_with_their_arguments_one_a_line(console: Console, line: tuple[str, ...]) -> None:
    done = console(*line)
    assert done.code == 0
    lines = [" ".join(told.split()) for told in done.out.splitlines()]
    assert "click_input id [name] [button] [double] [count] [hold]" in lines
    assert "set_edit_text id [name] text [clear]" in lines
    assert not any(told.startswith(("verify ", "get_ui_tree")) for told in lines)
    assert all(len(told) <= 120 for told in lines)


@pytest.mark.requires("cli.act")
def test_ids_are_those_of_the_latest_observation_and_of_no_other_control(console: Console, notes: Notes) -> None:
    save = label(console, "Save")
    done = console("act", "invoke", f"id={save}", "name=Delete", "--json")
    assert (done.code, done.item("effect"), notes.log) == (1, "refused", [])
    done = console("act", "invoke", "id=999", "--json")
    assert (done.code, done.item("error", "type")) == (1, "ElementNotFound")
    notes.window.controls.remove(notes.save)
    done = console("act", "invoke", f"id={save}", "--json")
    assert (done.code, done.item("error", "type"), notes.log) == (1, "ElementStale", [])
    assert done.item("delivered") is False
    assert done.item("retry_safe") is True


@pytest.mark.requires("cli.act")
def test_ids_of_a_desktop_that_was_there_before_mean_nothing(
    console: Console, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = label(console, "Save")
    monkeypatch.setattr(FakeDesktop, "environment", {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/another/one"})
    done = console("act", "invoke", f"id={save}", "--json")
    assert (done.code, done.item("error", "type"), notes.log) == (1, "ElementNotFound", [])


@pytest.mark.requires("cli.act")
def test_what_a_rule_wants_approved_is_not_done_without_and_done_with_it(
    console: Console, notes: Notes, tmp_path: Path
) -> None:
    delete = label(console, "Delete")
    done = console("act", "invoke", f"id={delete}", "--json")
    assert (done.code, done.item("error", "type"), notes.log) == (3, "NotAllowed", [])
    assert set(done.json) == KEYS
    answers = tmp_path / "answers.yaml"
    answers.write_text("confirmations: [approve]\n")
    done = console("act", "invoke", f"id={delete}", "--confirm", answers, "--json")
    assert (done.code, notes.log) == (0, ["Delete"]), done.err


@pytest.mark.requires("cli.act")
def test_an_action_that_a_rule_denies_is_not_said_to_need_an_approval(
    console: Console, notes: Notes, tmp_path: Path
) -> None:
    rules, config = tmp_path / "rules.yaml", tmp_path / "own.yaml"
    rules.write_text("policy: 1\nrules:\n  - {name: no, match: {name: Delete}, decision: deny, reason: never}\n")
    config.write_text(f"policy: {{files: [{rules}]}}\n")
    delete = label(console, "Delete")
    done = console("act", "invoke", f"id={delete}", "--config", config, "--json")
    assert (done.code, notes.log) == (3, [])
    assert done.item("error", "message") == "denied by rule no: never"
    assert "--confirm" not in str(done.item("error", "fix"))


@pytest.mark.requires("cli.act")
def test_the_file_of_decisions_that_the_readme_shows_decides_and_help_and_refusal_tell_its_form(
    console: Console, notes: Notes, tmp_path: Path
) -> None:
    (shown,) = re.findall(r"```yaml\n(confirmations: .*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    (tmp_path / "answers.yaml").write_text(shown)
    delete = label(console, "Delete")
    refused = console("act", "invoke", f"id={delete}", "--json").item("error", "fix")
    assert "confirmations: [approve]" in str(refused)
    done = console("act", "invoke", f"id={delete}", "--confirm", "answers.yaml", "--json")
    assert (done.code, notes.log) == (0, ["Delete"]), done.err
    script = read_script(tmp_path / "answers.yaml")
    assert anyio.run(script.ask, "Writer", ["Which file?"]).answers == {"Which file?": "the newer one"}
    for verb in ("act", "run"):
        assert "confirmations: [approve, reject, …]" in " ".join(console(verb, "--help").out.split())


@pytest.mark.requires("cli.act")
def test_an_unknown_tool_and_one_of_the_program_itself_are_named(console: Console, notes: Notes) -> None:
    for tool in ("press", "get_ui_tree", "verify"):
        done = console("act", tool)
        assert done.code == 2
        assert "there is no tool" in done.err
        assert "fix: deskhand act --help lists the tools" in done.err
        assert "click_input" in done.err


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def person_stops(notes: Notes) -> Callable[[], None]:
    return lambda: notes.desktop.guard.stop("the user pressed ctrl+f12")


@pytest.mark.requires("cli.act-cancelled")
@pytest.mark.parametrize("method", ["windows", "resolve"])
def test_what_is_cancelled_before_it_is_sent_says_that_nothing_was(console: Console, notes: Notes, method: str) -> None:
    save = label(console, "Save")
    notes.desktop.faults.before(method, interrupt)
    notes.desktop.faults.hang(method)
    done = console("act", "invoke", f"id={save}", "--json")
    assert (done.code, set(done.json), done.item("error", "type")) == (6, KEYS, "Cancelled")
    assert (done.item("status"), done.item("effect"), done.item("delivered")) == ("failure", "refused", False)
    assert done.item("retry_safe") is True
    assert notes.log == []


@pytest.mark.requires("cli.act-cancelled")
def test_what_is_cancelled_after_it_was_sent_says_that_it_was(console: Console, notes: Notes) -> None:
    quiet = label(console, "Quiet")
    notes.desktop.faults.before("wait_until", interrupt)
    notes.desktop.faults.hang("wait_until")
    done = console("act", "invoke", f"id={quiet}", "--json")
    assert (done.code, set(done.json), done.item("error", "type")) == (6, KEYS, "Cancelled"), done.out
    assert (done.item("status"), done.item("effect"), done.item("delivered")) == ("failure", "unverifiable", True)
    assert done.item("retry_safe") is False
    assert "had been sent" in str(done.item("evidence"))
    assert notes.log == ["Quiet"]


@pytest.mark.requires("cli.act-cancelled")
def test_what_a_person_stops_is_told_with_what_they_did(console: Console, notes: Notes) -> None:
    quiet = label(console, "Quiet")
    notes.desktop.faults.before("wait_until", person_stops(notes))
    notes.desktop.faults.hang("wait_until")
    done = console("act", "invoke", f"id={quiet}", "--json")
    assert (done.code, set(done.json), done.item("delivered")) == (6, KEYS, True), done.out
    assert (done.item("error", "type"), done.item("error", "message")) == (
        "StoppedByPerson",
        "the user pressed ctrl+f12",
    )


@pytest.mark.requires("cli.act-cancelled")
def test_what_was_done_when_the_signal_came_is_told_as_done(console: Console, notes: Notes) -> None:
    save = label(console, "Save")
    notes.desktop.faults.before("close", interrupt)
    notes.desktop.faults.hang("close")
    done = console("act", "invoke", f"id={save}", "--json")
    assert (done.code, done.item("effect"), done.item("error"), notes.log) == (0, "confirmed", None, ["Save"])


@pytest.mark.requires("cli.act-cancelled")
def test_what_is_cancelled_before_there_is_a_desktop_is_told_in_the_same_words(
    console: Console, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("deskhand.cli.desktop_choice.load", load)
    done = console("act", "invoke", "id=1", "--json")
    assert (done.code, set(done.json), done.item("error", "type")) == (6, KEYS, "Cancelled")
    assert (done.item("effect"), done.item("delivered"), notes.log) == ("refused", False, [])


@pytest.mark.requires("cli.act-cancelled")
def test_without_json_a_line_says_whether_it_was_sent(console: Console, notes: Notes) -> None:
    quiet = label(console, "Quiet")
    notes.desktop.faults.before("wait_until", interrupt)
    notes.desktop.faults.hang("wait_until")
    done = console("act", "invoke", f"id={quiet}")
    assert (done.code, done.out.startswith("unverifiable: invoke was cancelled: something of it had been sent")) == (
        6,
        True,
    )
    assert "fix: Look at the desktop" in done.err
