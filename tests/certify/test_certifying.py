"""A playbook is tried under faults: what becomes of each step is judged by what was done to the simulation."""

import re
from pathlib import Path

import pytest

import deskhand.models
from deskhand.certify.certificate import Certificate, FaultKind, Finding, StepResult, Verdict
from deskhand.certify.certifying import certify
from deskhand.certify.simulated_tools import ACTING, READING
from deskhand.core.errors import UsageError
from deskhand.models.playbook_file import load_playbook, parse_playbook
from support import FULL, ROOT

DIALOG, RENAME, AMBIGUITY, DELAY, DEAD = FaultKind
SHIPPED = sorted((Path(deskhand.models.__file__).parent / "playbooks").glob("*.yaml"))
HEAD = """\
playbook: 1
name: form
params: {output: {type: path, default: out.txt}, kind: {type: text, default: plain}}
host:
  - {on: {role: window, name: "/Form$/"}, status: ASSIGN, agent: form, subtask: Fill it in}
  - {status: FINISH}
agents:
  form:
"""


def tried(*steps: str, faults: tuple[FaultKind, ...] = tuple(FaultKind), **given: str) -> Certificate:
    """The certificate of an agent's steps, which end with FINISH."""
    lines = [*steps, "{status: FINISH}"]
    return certify(parse_playbook(HEAD + "".join(f"    - {line}\n" for line in lines), "form.yaml"), given, faults)


def step(found: Certificate, tool: str) -> StepResult:
    return next(step for step in found.steps if step.does.startswith(tool))


def finding(found: Certificate, tool: str, fault: FaultKind) -> Finding:
    return step(found, tool).findings[fault]


PRESS = "{tool: invoke, on: {role: button, name: Save}}"
SURE = "{tool: invoke, on: {role: button, name: Save}, expect: {effect: confirmed}}"


@pytest.mark.requires("certify.verdicts")
def test_a_dead_button_that_the_playbook_runs_past_goes_wrong_in_silence() -> None:
    found = tried(PRESS, faults=(DEAD,))
    dead = finding(found, "invoke", DEAD)
    assert (dead.verdict, dead.reason) == (Verdict.SILENT, 'missing: pressed button "Save" ("Form")')
    assert "expect: {effect: confirmed}" in dead.advice
    assert found.goes_wrong_in_silence


@pytest.mark.requires("certify.passwords")
def test_a_password_is_nowhere_in_a_certificate() -> None:
    found = tried(
        "{tool: keyboard_input, args: {keys: 'hunter2xyz{ENTER}'}}",
        "{tool: keyboard_input, on: {role: password, name: Password}, args: {keys: '${kind}{ENTER}'}}",
        PRESS,
        faults=(DIALOG, DEAD),
        kind="hunter2xyz",
    )
    dead = finding(found, "keyboard_input", DEAD)
    assert (dead.verdict, dead.reason) == (Verdict.SILENT, 'missing: pressed keys in "Form" •••')
    assert "hunter2" not in repr(found)


@pytest.mark.requires("certify.verdicts")
def test_saving_by_its_keys_can_be_confirmed_and_a_dead_one_stops() -> None:
    found = tried("{tool: keyboard_input, args: {keys: '{VK_CONTROL}s'}, expect: {effect: confirmed}}", faults=(DEAD,))
    assert finding(found, "keyboard_input", DEAD).verdict is Verdict.STOPS
    assert found.is_complete


@pytest.mark.requires("certify.verdicts")
def test_an_expected_effect_stops_at_a_dead_button() -> None:
    found = tried(SURE, faults=(DEAD,))
    assert finding(found, "invoke", DEAD).verdict is Verdict.STOPS
    assert "suspected_noop" in finding(found, "invoke", DEAD).reason
    assert found.is_complete
    assert not found.goes_wrong_in_silence


@pytest.mark.requires("certify.verdicts")
def test_what_is_found_by_its_role_heals_when_it_is_renamed() -> None:
    found = tried("{tool: invoke, on: {role: button}}", PRESS.replace("button", "link"), faults=(RENAME,))
    assert finding(found, "invoke button", RENAME).verdict is Verdict.HEALS
    renamed = finding(found, "invoke link", RENAME)
    assert (renamed.verdict, 'nearest: link "Renamed"' in renamed.reason) == (Verdict.STOPS, True)


@pytest.mark.requires("certify.verdicts")
def test_the_first_of_several_is_another_one_in_silence() -> None:
    found = tried(PRESS.replace("name: Save", "name: Save, nth: first"), faults=(AMBIGUITY,))
    twin = finding(found, "invoke", AMBIGUITY)
    assert (twin.verdict, twin.reason) == (
        Verdict.SILENT,
        'pressed another button "Save" ("Form"), which no step means',
    )
    assert "nth" in twin.advice
    assert finding(tried(PRESS, faults=(AMBIGUITY,)), "invoke", AMBIGUITY).verdict is Verdict.STOPS


@pytest.mark.requires("certify.verdicts")
def test_keys_into_a_dialog_that_nobody_knows_go_wrong_in_silence_and_those_for_a_control_stop() -> None:
    keys = "{tool: keyboard_input, args: {keys: '{F5}'}}"
    found = tried(keys, faults=(DIALOG,))
    assert finding(found, "keyboard_input", DIALOG).verdict is Verdict.SILENT
    assert '"Unexpected" {F5}' in finding(found, "keyboard_input", DIALOG).reason
    aimed = tried(keys.replace("args", "on: {role: textbox, name: Text}, args"), faults=(DIALOG,))
    assert finding(aimed, "keyboard_input", DIALOG).verdict is Verdict.STOPS


@pytest.mark.requires("certify.verdicts")
def test_a_foreign_effect_before_the_playbook_stops_is_told_from_stopping_at_once() -> None:
    any_button = "{tool: invoke, on: {role: button, name: /^(OK|Apply)$/}}"
    named = "{tool: set_edit_text, on: {role: textbox, name: Text}, args: {text: North}}"
    found = tried(any_button, named, faults=(DIALOG,))
    assert finding(found, "invoke", DIALOG).verdict is Verdict.SILENT
    strange = tried("{tool: keyboard_input, args: {keys: '{F5}'}, expect: {gone: {role: dialog}}}", faults=(DIALOG,))
    assert finding(strange, "keyboard_input", DIALOG).verdict is Verdict.WRONG


@pytest.mark.requires("certify.verdicts")
def test_an_application_that_is_late_is_waited_for() -> None:
    late = finding(tried(SURE, faults=(DELAY,)), "invoke", DELAY)
    assert late.verdict is Verdict.STOPS, "a control that is not there yet"
    typed = "{tool: keyboard_input, args: {keys: '{F5}'}}"
    assert finding(tried(typed, faults=(DELAY,)), "keyboard_input", DELAY).verdict is Verdict.HEALS


@pytest.mark.requires("certify.verdicts")
def test_a_step_for_what_is_shown_is_skipped_where_it_is_not_and_that_is_said() -> None:
    tip = SURE.replace("Save}", "Tip}, when: {shows: {role: button, name: Tip}}")
    found = tried(tip, SURE, faults=(RENAME, DEAD))
    assert finding(found, 'invoke button "Tip"', RENAME).verdict is Verdict.SKIPS
    assert finding(found, 'invoke button "Tip"', DEAD).verdict is Verdict.STOPS
    assert not found.goes_wrong_in_silence


@pytest.mark.requires("certify.verdicts")
def test_every_tool_that_is_simulated_is_carried_out() -> None:
    found = certify(load_playbook(Path(__file__).with_name("every_tool.yaml")), {}, ())
    assert (found.problem, [step.problem for step in found.steps if step.problem]) == ("", [])
    elsewhere = {"find_controls", "summary", "write_table"}  # the last one in the shipped playbook
    assert {step.does.split()[0] for step in found.steps} == (READING | ACTING) - elsewhere


@pytest.mark.requires("certify.verdicts")
def test_a_window_may_be_assigned_by_its_launch() -> None:
    launch = '{app: editor, expect: {window: "/Form$/"}, status: ASSIGN, agent: form, subtask: Fill it in}'
    assign = HEAD.split("\n")[4].strip().removeprefix("- ")
    text = f"{HEAD.replace(assign, launch)}    - {SURE}\n    - {{status: FINISH}}\n"
    found = certify(parse_playbook(text, "form.yaml"), {}, (DEAD,))
    assert [(step.problem, step.findings[DEAD].verdict) for step in found.steps] == [("", Verdict.STOPS)] * 2


@pytest.mark.requires("certify.verdicts")
def test_an_action_that_needs_an_approval_is_tried_as_if_it_were_given() -> None:
    replaces = PRESS.replace("Save}", "Replace}, when: {shows: {role: dialog, name: /exists/}}")
    dead = finding(tried(SURE, replaces, faults=(DEAD,)), 'invoke button "Replace"', DEAD)
    assert (dead.verdict, dead.reason) == (Verdict.SILENT, 'missing: pressed button "Replace" ("exists")')


@pytest.mark.requires("certify.unknown")
def test_what_has_no_simulation_is_not_certified() -> None:
    found = tried(SURE, "{tool: wheel_mouse_input, on: {role: list, name: Rows}, args: {wheel_dist: 1}}")
    assert "wheel_mouse_input is not simulated" in found.problem
    assert not found.is_complete
    assert not any(step.findings for step in found.steps)


@pytest.mark.requires("certify.unknown")
def test_a_step_that_no_run_carries_out_is_named() -> None:
    prints = SURE.replace("Save}", "Print}, when: {value: '${kind}', is: paper}")
    other = SURE.replace("Save}", "Show}, unless: {value: '${kind}', is: paper}")
    found = tried(prints, other, faults=(DEAD,), kind="screen")
    assert "its condition was false" in step(found, 'invoke button "Print"').problem
    assert not found.is_complete
    both = tried(prints, other, faults=(DEAD,))
    assert [(each.problem, each.findings[DEAD].verdict) for each in both.steps[1:]] == [("", Verdict.STOPS)] * 2
    assert both.is_complete, "a value that is not given is changed for the steps that are left"


@pytest.mark.requires("certify.unknown")
def test_a_playbook_that_does_not_succeed_without_a_fault_gets_no_certificate() -> None:
    found = tried("{status: FAIL, result: never, when: {value: '${kind}', is: plain}}", SURE)
    assert found.problem.startswith("the run without a fault did not succeed: ")
    with pytest.raises(UsageError, match="'size' is not one of its parameters"):
        tried(SURE, size="3")


@pytest.mark.requires("certify.harmless")
def test_no_file_is_written_but_in_a_folder_that_is_removed(tmp_path: Path) -> None:
    save = "{tool: choose_file, args: {path: '${output}', create: true}, expect: {file: '${output}'}}"
    opened = "{tool: invoke, on: {role: button, name: Save As}, expect: {shows: {role: dialog}}}"
    found = tried(opened, save, faults=(DEAD,), output=str(tmp_path / "out.odt"))
    assert (found.problem, finding(found, "choose_file", DEAD).verdict) == ("", Verdict.STOPS)
    assert list(tmp_path.iterdir()) == []
    fixed = tried(save.replace("${output}", str(tmp_path / "out.odt")))
    assert "must be a parameter of type path" in fixed.problem


EXAMPLE = next(
    block
    for block in re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/playbooks.md").read_text(encoding="utf-8"), re.DOTALL)
    if "playbook: 1" in block
)
TRIED = tuple(FaultKind) if FULL else (DEAD,)
"""CI tries the fault that a playbook passes over most easily; all 68 and 38 take 17 s of CPU."""


@pytest.mark.requires("certify.shipped")
@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.stem)
def test_a_playbook_that_is_shipped_never_goes_wrong_in_silence(file: Path) -> None:
    found = certify(load_playbook(file), {}, TRIED)
    assert (found.problem, found.goes_wrong_in_silence, found.is_complete) == ("", False, True)
    assert found.totals[Verdict.WRONG] == 0


@pytest.mark.requires("certify.shipped", "model.playbook.documented")
def test_the_example_of_the_page_never_goes_wrong_in_silence() -> None:
    found = certify(parse_playbook(EXAMPLE, "playbooks.md"), {}, TRIED)
    assert (found.problem, found.goes_wrong_in_silence, found.is_complete) == ("", False, True)
    assert found.totals[Verdict.WRONG] == 0
