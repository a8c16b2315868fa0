"""A playbook as a pytest file and as a behave feature."""

import subprocess
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from deskhand.core.errors import UsageError
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.steps import Playbook
from deskhand.report.exports import in_form
from deskhand.report.script_plan import Origin
from support import ROOT

HEAD = """
playbook: 1
name: order form
params:
  city: {type: text, default: Oslo}
  output: {type: path, default: /tmp/out/letter.odt}
host:
  - {app: notes, status: ASSIGN, agent: form, subtask: Fill the form}
  - {status: FINISH, result: Done}
agents:
  form:
"""
FORM = f"""{HEAD}
    - {{tool: set_edit_text, on: {{role: textbox, name: City}}, args: {{text: "${{city}}"}}}}
    - {{tool: set_value, on: {{role: checkbox, name: Agree}}, args: {{value: true}}}}
    - {{tool: select_item, on: {{role: combobox, name: Paper}}, args: {{item: A5}}}}
    - {{tool: invoke, on: {{role: button, name: Options}}}}
    - tool: set_edit_text
      on: {{role: textbox, name: Title, within: {{role: dialog, name: "/^Options/"}}}}
      args: {{text: "Say {{\\"hello\\"}}"}}
    - tool: invoke
      on: {{role: button, name: OK, within: {{role: dialog, name: "/^Options/"}}}}
      expect: {{gone: {{role: dialog}}}}
    - {{tool: keyboard_input, args: {{keys: "{{VK_CONTROL}}s"}}, expect: {{file: "${{output}}"}}}}
    - {{status: FINISH, expect: {{shows: {{role: status, name: Saved}}}}}}
"""


def playbook(text: str) -> Playbook:
    return parse_playbook(text, "order.yaml")


def as_test(text: str, *command: str) -> str:
    return in_form(playbook(text), Path("test_order.py"), Origin("order.yaml", command))


def as_feature(text: str, *command: str) -> str:
    return in_form(playbook(text), Path("order.feature"), Origin("order.yaml", command))


@pytest.mark.requires("playbook.export-tests")
def test_a_playbook_is_written_as_a_test_with_locators_and_expectations() -> None:
    assert as_test(FORM) == snapshot('''\
"""Made from order.yaml."""

import re
from pathlib import Path

import pytest
from deskhand.sync import Desktop
from deskhand.testing import expect
from deskhand.testing.plugin import Launch

CITY = "Oslo"


@pytest.fixture
def output(tmp_path: Path) -> str:
    """A file in the test's own folder."""
    return str(tmp_path / "letter.odt")


def test_order_form(launch: Launch, desktop: Desktop, output: str) -> None:
    window = launch("notes")
    window.textbox("City").fill(CITY)
    window.checkbox("Agree").set(True)
    window.combobox("Paper").select("A5")
    window.button("Options").press()
    options = desktop.window(re.compile("^Options"))
    options.textbox("Title").fill('Say {"hello"}')
    options.button("OK").press()
    expect(options).to_be_closed()
    window.press_keys("{VK_CONTROL}s", check=False)
    assert Path(output).stat().st_size > 0
    expect(window.locator("status", "Saved")).to_be_visible()
''')


@pytest.mark.requires("playbook.export-tests")
def test_a_playbook_is_written_as_a_scenario_in_known_phrases() -> None:
    assert as_feature(FORM) == snapshot("""\
# Made from order.yaml.
Feature: order form

  Scenario: order form
    * Start application "notes" via "command"
    * Left click "City" "textbox"
    * Key combo: "<Ctrl><A>"
    * Type text: "Oslo"
    * Left click "Agree" "checkbox"
    * Wait until "Agree" "checkbox" is "checked"
    * Left click "Paper" "combobox"
    * Left click "A5" "None"
    * Left click "Options" "button"
    * Left click "Title" "textbox"
    * Key combo: "<Ctrl><A>"
    * Type text: "Say {"hello"}"
    * Left click "OK" "button"
    * Wait until "r:.*(?:^Options).*" "dialog" disappears
    * Key combo: "<Ctrl><S>"
    * Run and save command output: "test -s /tmp/out/letter.odt"
    * Return code of last command output "is" "0"
    * Item "Saved" "status" found
""")


@pytest.mark.requires("playbook.export-tests")
@pytest.mark.parametrize("letters", range(4, 90, 6))
def test_lines_are_broken_as_a_formatter_breaks_them(letters: int, tmp_path: Path) -> None:
    name, text = "n" * letters, "t" * (letters + 3)
    steps = (
        f"    - {{tool: set_edit_text, on: {{role: textbox, name: {name}}}, args: {{text: {text}}}}}\n"
        f"    - {{tool: click_input, on: {{role: listitem, name: {name}, within: {{role: list, name: {text}}}}}, "
        "args: {button: right, hold: ctrl}}\n"
        "    - {tool: drag_on_coordinates, "
        f"args: {{start_x: 0.1, start_y: 0.2, end_x: 0.33, end_y: 0.5, hold: {name}}}}}\n"
    )
    file = tmp_path / "test_it.py"
    launched = HEAD.replace("{app: notes, ", "{on: {role: window, name: Notes}, ")
    file.write_text(as_test(launched + steps, "./notes", f"--name={name}", text), encoding="utf-8")
    ruff = ROOT / ".venv/bin/ruff"
    done = subprocess.run([ruff, "format", "--isolated", "--diff", file], capture_output=True, text=True, check=False)
    assert done.stdout == ""


@pytest.mark.requires("playbook.export-tests")
def test_a_password_is_read_from_the_environment_and_is_in_no_feature() -> None:
    text = FORM.replace("params:\n", "params:\n  password: text\n") + (
        '    - {tool: keyboard_input, on: {role: password, name: Password}, args: {keys: "${password}{ENTER}"}}\n'
    )
    text = text.replace("    - {status: FINISH, expect: {shows: {role: status, name: Saved}}}\n", "")
    written = as_test(text)
    assert 'return os.environ["TEST_PASSWORD"]' in written
    assert 'f"{password}{{ENTER}}", check=False' in written
    with pytest.raises(UsageError, match=r"order\.yaml:\d+: keyboard_input .* a feature may not contain a password"):
        as_feature(text)


@pytest.mark.requires("playbook.export-tests")
@pytest.mark.parametrize(
    ("step", "why"),
    [
        (
            "{tool: texts, on: {role: textbox}, save_as: t}\n    - {for_each: 'r in ${t.x}', tool: wait}",
            "loop over the rows",
        ),
        ("{status: FAIL, result: no}", "it ends with FAIL"),
        ("{tool: invoke, on: {role: button}, when: '${city}'}", "it depends on a value"),
        ("{tool: invoke, on: {role: '/button/'}}", "its role is a pattern"),
        ("{tool: run_command, args: {argv: [ls]}, expect: {exit_code: '0'}}", "the exit code of a command"),
    ],
)
def test_a_step_that_a_test_cannot_express_is_named_and_not_dropped(step: str, why: str) -> None:
    with pytest.raises(UsageError, match=rf"order\.yaml:1[23]: .*{why}"):
        as_test(f"{HEAD}    - {step}\n")


@pytest.mark.requires("playbook.export-tests")
@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("{tool: invoke, on: {role: button, nth: 2}}", "by its number"),
        ("{tool: invoke, on: {role: button, within: {role: group, name: g}}}", "cannot name the container"),
        ("{tool: set_value, on: {role: slider, name: s}, args: {value: 3}}", "no phrase sets the number of a slider"),
        ("{tool: read_table, on: {role: table}, save_as: t}", "saves no data"),
        ("{tool: write_table, args: {rows: []}}", "no phrase does write_table"),
    ],
)
def test_a_step_that_a_feature_cannot_express_is_named_and_not_dropped(step: str, why: str) -> None:
    with pytest.raises(UsageError, match=rf"order\.yaml:1[23]: .*{why}"):
        as_feature(f"{HEAD}    - {step}\n")


@pytest.mark.requires("playbook.export-tests")
def test_a_window_that_no_step_launches_needs_a_program() -> None:
    text = FORM.replace("{app: notes, ", '{on: {role: window, name: "/Notes$/"}, ')
    with pytest.raises(UsageError, match="no step launches the program of its window") as caught:
        as_test(text)
    assert "after --" in caught.value.fix
    assert 'window = launch(argv=["./notes", "--plain"])' in as_test(text, "./notes", "--plain")
    assert '* Start application "notes" via command "./notes --plain"' in as_feature(text, "./notes", "--plain")


@pytest.mark.requires("playbook.export-tests")
def test_data_that_a_step_read_is_used_by_later_ones() -> None:
    steps = (
        "    - {tool: read_table, on: {role: table, name: Sales}, save_as: sales, expect: {rows: 5}}\n"
        "    - {tool: texts, on: {role: textbox, name: Tip}, save_as: tip}\n"
        '    - {tool: write_table, args: {start: A1, rows: "${sales.cells}"}}\n'
        "    - {tool: set_edit_text, on: {role: textbox, name: T}, "
        'args: {text: "${tip.text}: {${sales.cells[0][1]}}"}}\n'
    )
    written = as_test(HEAD + steps)
    assert 'sales = window.locator("table", "Sales").act("read_table")' in written
    assert 'assert sales.part("rows") == 5' in written
    assert 'window.act("write_table", start="A1", rows=sales.part("cells"))' in written
    assert """fill(f"{tip}: {{{sales.part('cells', 0, 1)}}}")""" in written
    compile(written, "test_order.py", "exec")


def test_the_suffix_of_the_file_names_its_form() -> None:
    with pytest.raises(UsageError, match="its suffix names no form") as caught:
        in_form(playbook(FORM), Path("order.txt"), Origin("order.yaml"))
    assert ".feature a behave feature" in caught.value.fix
    assert in_form(playbook(FORM), Path("order.yml"), Origin("order.yaml")) == FORM
