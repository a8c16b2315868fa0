"""`deskhand playbook lint`, `show` and `export`."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from cli.driver import Console
from deskhand.core.events import ActionFinished, ReplyAccepted, RoundFinished
from deskhand.session.clock import SystemClock
from deskhand.store.journal import Journal
from support import ROOT

DEMO = ROOT / "src/deskhand/models/playbooks/writer-table-to-calc-chart.yaml"
BAD = (
    "playbook: 1\nname: n\nagents:\n  a:\n    - {tool: x, on: {role: buton}}\n    - {tool: y, on: {name: '/(a+)+$/'}}\n"
)


@pytest.mark.requires("model.playbook.lint", "cli.exit-codes")
def test_everything_wrong_with_several_playbooks_is_said_at_once(console: Console, tmp_path: Path) -> None:
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text(BAD)
    second.write_text("playbook: 2\n")
    done = console("playbook", "lint", first, DEMO, second)
    assert done.code == 2
    lines = done.out.splitlines()
    of = [line.partition(": ")[0] for line in lines]
    assert of == [*[f"{first}:5"] * 2, *[f"{first}:6"] * 2, *[f"{second}:1"] * 3]
    assert "an agent has no tool 'x'" in lines[1], "also where other things are wrong"
    assert "could take for ever" in lines[2]
    as_json = console("playbook", "lint", first, second, "--json")
    assert (as_json.code, as_json.json["ok"], as_json.item("error", "type")) == (2, False, "PlaybookInvalid")
    assert as_json.json["problems"] == lines


@pytest.mark.requires("model.playbook.lint")
def test_a_clean_playbook_is_said_to_be(console: Console, tmp_path: Path) -> None:
    done = console("playbook", "lint", DEMO)
    assert (done.code, done.out) == (0, "")
    assert console("playbook", "lint", DEMO, "--json").json == {"ok": True, "problems": [], "error": None}
    assert console("playbook", "lint", tmp_path / "none.yaml", "--json").item("error", "type") == "UsageError"


@pytest.mark.requires("model.playbook.lint")
def test_a_playbook_is_shown_as_phrases_with_what_it_needs(console: Console, tmp_path: Path) -> None:
    shown = console("playbook", "show", DEMO)
    assert shown.code == 0
    assert "--param output=PATH (must be given)" in shown.out
    assert '3. invoke menuitem "Chart..." within "Insert" [SCREENSHOT]' in shown.out
    assert "needs the tools choose_file, invoke," in shown.out
    looped = tmp_path / "l.yaml"
    looped.write_text(
        "playbook: 1\nname: n\nagents:\n  a:\n    - {tool: read_table, save_as: t}\n"
        "    - {for_each: 'row in ${t.cells}', tool: x, when: {value: '${row[0]}', is: '>2'}, unless: '${t}'}\n"
    )
    (section,) = console("playbook", "show", looped, "--json").items("sections")
    steps = section["steps"]
    assert isinstance(steps, list)
    assert isinstance(steps[1], dict)
    assert steps[1]["does"] == "for each row in ${t.cells}: x, when ${row[0]} is '>2', unless ${t} has a value"


@pytest.mark.requires("model.playbook.lint")
def test_tools_that_nobody_has_or_that_are_used_wrongly_are_told(console: Console, tmp_path: Path) -> None:
    book = tmp_path / "p.yaml"
    book.write_text(
        "playbook: 1\nname: n\n"
        "host:\n"
        "  - {tool: launch_application, args: {app: calc}}\n"
        "  - {on: {role: window}, status: ASSIGN, agent: a, subtask: S}\n"
        "  - {tool: invoke, on: {role: button}}\n"
        "  - {status: FINISH}\n"
        "agents:\n"
        "  a:\n"
        "    - {tool: invok, on: {role: button}}\n"
        "    - {tool: set_edit_text, args: {txt: x}}\n"
        "    - {tool: set_edit_text, on: {role: textbox}, args: {id: 3, text: x}}\n"
        "    - {tool: wait, on: {role: button}, args: {seconds: 1}}\n"
        "    - {tool: observe_window}\n"
        "    - {tool: run_command, args: {argv: [ls]}}\n"
        "    - {tool: keyboard_input, args: {keys: 5}}\n"
        "    - {tool: wait, args: {seconds: '${draft}'}}\n"
        "    - {tool: keyboard_input, args: {keys: '{NOPE}'}}\n"
    )
    done = console("playbook", "lint", book)
    assert done.code == 2
    assert [line.removeprefix(f"{book}:")[:70] for line in done.out.splitlines()] == snapshot(
        [
            "4: launch_application has no argument 'app'; known: application, file",
            "6: the host has no tool 'invoke'; known: launch_application, select_ap",
            "10: an agent has no tool 'invok'; did you mean 'invoke'?",
            "11: set_edit_text has no argument 'txt'; did you mean 'text'?",
            "11: set_edit_text needs on",
            "11: set_edit_text needs the argument 'text'",
            "12: set_edit_text gets 'id' from 'on' already",
            "13: wait takes no control; leave out 'on'",
            "14: an agent has no tool 'observe_window'; known: annotation, choose_f",
            "16: keyboard_input: keys: Input should be a valid string",
            "17: ${draft} is neither a parameter nor saved by any step",
            "18: keyboard_input: keys: there is no key 'NOPE'; known: add, alt, app",
        ]
    )
    for path in (DEMO, ROOT / "tests/models/example.yaml"):
        assert console("playbook", "lint", path).code == 0


@pytest.mark.requires("playbook.export")
def test_a_session_that_succeeded_is_exported_as_a_playbook(console: Console, tmp_path: Path) -> None:
    log, made = tmp_path / "log", tmp_path / "again.yaml"
    with Journal(log, SystemClock()) as journal:
        reply = '{"status": "FINISH", "function": "wait", "args": {"seconds": 1}}'
        journal.emit(ReplyAccepted(step=1, agent="AppAgent", status="FINISH", raw=reply))
        journal.emit(ActionFinished(step=1, agent="AppAgent", call_id="c", tool="wait", status="success"))
        journal.emit(RoundFinished(round=1, outcome="success", reason="", seconds=1.0))
    assert (console("playbook", "export", log, "-o", made).code, made.is_file()) == (0, True)
    assert console("playbook", "lint", made).code == 0
    assert console("playbook", "export", log, "-o", made).code == 2
    assert console("playbook", "export", log, "-o", made, "--force", "--name", "once-more").code == 0
    assert "name: once-more" in made.read_text()
    assert "no journal" in console("playbook", "export", tmp_path / "nowhere", "-o", tmp_path / "x.yaml").err


@pytest.mark.requires("model.playbook.lint")
def test_a_misspelled_status_is_one_mistake_and_not_many(console: Console, tmp_path: Path) -> None:
    book = tmp_path / "p.yaml"
    book.write_text(
        "playbook: 1\nname: n\nhost:\n  - {on: {role: window}, status: ASIGN, agent: a, subtask: S}\n"
        "  - {status: FINISH}\nagents:\n  a:\n    - {status: FINISH}\n"
    )
    (told,) = console("playbook", "lint", book).out.splitlines()
    assert "unknown status 'ASIGN'" in told
