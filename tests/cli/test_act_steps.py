"""`deskhand act --batch`, on a desktop in memory."""

import io
import json
import os
import sys
from pathlib import Path

import anyio
import pytest

from cli.driver import Console
from cli.test_act import interrupt, label, notes, person_stops
from deskhand.cli.app import report_lost
from deskhand.cli.invocation import Invocation, invoked
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from notes import Notes

__all__ = ["notes"]

STEPS = """
- {tool: set_edit_text, on: {role: textbox, name: Text}, args: {text: 007}}
- {tool: invoke, on: {role: button, name: Save}, expect: {shows: {name: Counter, value: "1"}}}
"""
KEYS = {"status", "stopped_at", "steps", "observation", "error"}

pytestmark = pytest.mark.requires("cli.act-batch")


def written(folder: Path, text: str) -> Path:
    file = folder / "steps.yaml"
    file.write_text(text)
    return file


def test_the_steps_of_a_file_are_done_and_what_changed_since_the_last_observation_is_printed(
    console: Console, notes: Notes, tmp_path: Path
) -> None:
    counter = label(console, "Counter")
    done = console("act", "--batch", written(tmp_path, STEPS), "--json")
    assert (done.code, set(done.json), notes.text.value, notes.log) == (0, KEYS, "007", ["Save"]), done.err
    assert (done.item("status"), done.item("stopped_at"), done.item("error")) == ("success", None, None)
    first, second = done.items("steps")
    assert (first["step"], first["tool"], first["effect"], first["expect"]) == (1, "set_edit_text", "confirmed", None)
    assert isinstance(second["expect"], dict)
    assert second["expect"]["verdict"] == "satisfied"
    changed = done.item("observation", "changed")
    assert isinstance(changed, list)
    assert [(each["id"], each["value"]) for each in changed if isinstance(each, dict)][-1] == (counter, "1")
    assert done.item("observation", "added") == []


def test_without_an_earlier_observation_all_controls_are_listed_with_ids_to_act_by(
    console: Console, notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(STEPS))
    done = console("act", "--batch", "-", "--window", "Notes", "--json")
    controls = done.item("observation", "controls")
    assert isinstance(controls, list)
    assert done.code == 0
    ids = {each["name"]: each["id"] for each in controls if isinstance(each, dict)}
    again = f"- {{tool: invoke, args: {{id: {ids['Save']}, name: Save}}}}"
    monkeypatch.setattr("sys.stdin", io.StringIO(again))
    done = console("act", "--batch", "-")
    assert (done.code, notes.log) == (0, ["Save", "Save"]), done.err
    assert done.out.startswith("1 invoke: confirmed by accessibility: ")
    assert '~ 5 checkbox "Counter" = "2"' in done.out


def test_a_surprise_ends_it_with_the_exit_code_of_a_single_action(
    console: Console, notes: Notes, tmp_path: Path
) -> None:
    rejected = console("act", "--batch", written(tmp_path, f"{STEPS}- {{tool: invoke, on: {{name: Delete}}}}"))
    assert (rejected.code, notes.log) == (3, ["Save"])
    assert "3 invoke: refused: not approved" in rejected.out
    assert "confirmations: [approve]" in rejected.err
    unmet = "- {tool: invoke, on: {name: Save}, expect: {effect: partial}}\n- {tool: invoke, on: {name: Tidy}}"
    done = console("act", "--batch", written(tmp_path, unmet), "--json")
    assert (done.code, done.item("stopped_at"), notes.log) == (1, 1, ["Save", "Save"])
    assert [step["status"] for step in done.items("steps")] == ["success", "skipped"]
    assert done.item("error", "type") == "StepFailed"
    assert "effect is unsatisfied: wanted partial, got confirmed" in str(done.item("error", "message"))
    quiet = console("act", "--batch", written(tmp_path, "- {tool: invoke, on: {name: Quiet}}"), "--json")
    assert (quiet.code, quiet.item("status"), quiet.item("error")) == (1, "none", None)


def test_what_a_step_leaves_down_is_down_for_the_next_ones_and_released_at_the_end(
    console: Console, notes: Notes, tmp_path: Path
) -> None:
    steps = "- {tool: hold_keys, args: {keys: '{SHIFT}'}}\n- {tool: invoke, on: {name: Save}}\n"
    console("act", "--batch", written(tmp_path, steps), "--json")
    acted = [call.method for call in notes.desktop.calls if call.method in {"hold_keys", "do_action", "let_go"}]
    assert (acted, notes.log) == (["hold_keys", "do_action", "let_go"], ["Save"])
    assert anyio.run(notes.desktop.left_down).names == ()


def test_files_are_those_of_the_folder_of_the_command_which_a_server_may_carry_out(
    console: Console, notes: Notes, tmp_path: Path
) -> None:
    folder = tmp_path / "sub"
    folder.mkdir()

    def write() -> None:
        (folder / "out.txt").write_text("a text")

    notes.quiet.on_click = write
    written(folder, "- {tool: invoke, on: {name: Quiet}, expect: {file: out.txt}}")
    with invoked(Invocation(os.environ, folder, sys.stdin, sys.stdout, sys.stderr)):
        done = console("act", "--batch", "steps.yaml")
    assert (done.code, "expect file: satisfied" in done.out) == (0, True), done.out


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- {tool: invoke, on: {name: Save}}\n- {tool: press}\n- tool: wait\n", "step 2: there is no tool 'press'"),
        ("- {tool: invoke\n", "steps.yaml:2: not YAML"),
        ("", "a list with at least one step"),
        ("playbook: 1", "a list with at least one step"),
    ],
)
def test_faulty_steps_are_wrong_usage_and_nothing_is_done(
    console: Console, notes: Notes, tmp_path: Path, text: str, problem: str
) -> None:
    done = console("act", "--batch", written(tmp_path, text), "--json")
    assert (done.code, done.item("error", "type"), notes.log) == (2, "StepsInvalid", [])
    assert problem in str(done.item("error", "message"))


def test_a_tool_and_steps_together_neither_and_a_file_that_is_not_there_are_wrong_usage(
    console: Console, notes: Notes, tmp_path: Path
) -> None:
    for arguments in ((), ("invoke", "--batch", "-"), ("--batch", tmp_path / "nothing.yaml")):
        assert console("act", *arguments).code == 2


@pytest.mark.requires("cli.act-cancelled")
def test_what_a_person_stops_has_their_words_and_the_steps_until_then(
    console: Console, notes: Notes, tmp_path: Path
) -> None:
    notes.tidy.on_click = person_stops(notes)
    steps = "".join(f"- {{tool: invoke, on: {{name: {name}}}}}\n" for name in ("Save", "Tidy", "Save"))
    done = console("act", "--batch", written(tmp_path, steps), "--json")
    assert (done.code, done.item("error", "type"), notes.log) == (6, "StoppedByPerson", ["Save"]), done.out
    assert "the user pressed ctrl+f12" in str(done.item("error", "message"))
    assert [step["status"] for step in done.items("steps")] == ["success", "failure", "skipped"]


@pytest.mark.requires("cli.act-cancelled")
def test_what_a_signal_interrupts_prints_the_steps_until_then(console: Console, notes: Notes, tmp_path: Path) -> None:
    notes.window.controls.append(FakeControl(Role.BUTTON, "Last", on_click=lambda: notes.log.append("Last")))
    notes.quiet.on_click = interrupt
    steps = "".join(f"- {{tool: invoke, on: {{name: {name}}}}}\n" for name in ("Save", "Quiet", "Last"))
    done = console("act", "--batch", written(tmp_path, steps), "--json")
    assert (done.code, done.item("error", "type"), notes.log) == (6, "Cancelled", ["Save"])
    assert [step["effect"] for step in done.items("steps")] == ["confirmed", "unverifiable", None]
    assert json.loads(done.out)["steps"][1]["delivered"] is True


def test_a_server_that_ended_meanwhile_is_reported_in_the_same_form(capsys: pytest.CaptureFixture[str]) -> None:
    code = report_lost(["act", "--batch", "steps.yaml", "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert (code, set(printed)) == (4, KEYS)
    assert (printed["steps"], printed["error"]["type"]) == ([], "ServerLost")
