"""`deskhand playbook certify`."""

from pathlib import Path

import pytest

from cli.driver import Console
from deskhand.certify.certificate import Certificate, FaultKind, Finding, StepResult, Verdict
from deskhand.cli.certify import lines_of

FORM = """\
playbook: 1
name: form
params: {output: path}
agents:
  form:
    - {tool: invoke, on: {role: button, name: Save}EXPECT}
    - {status: FINISH}
"""


@pytest.mark.requires("certify.verdicts", "cli.exit-codes")
@pytest.mark.parametrize(
    ("expect", "code", "verdict"), [("", 1, "silent"), (", expect: {effect: confirmed}", 0, "stops")]
)
def test_the_exit_code_is_1_for_a_playbook_that_goes_wrong_in_silence(
    console: Console, tmp_path: Path, expect: str, code: int, verdict: str
) -> None:
    file = tmp_path / "form.yaml"
    file.write_text(FORM.replace("EXPECT", expect))
    done = console("playbook", "certify", file, "--json")
    (save,) = done.items("steps")
    faults = save["faults"]
    assert isinstance(faults, dict)
    dead = faults["dead"]
    assert isinstance(dead, dict)
    assert (done.code, done.json["certified"], dead["verdict"]) == (code, code == 0, verdict)
    assert (save["line"], save["section"], done.json["error"]) == (6, "form", None)
    assert sorted(faults) == sorted(FaultKind)


@pytest.mark.requires("certify.unknown", "cli.exit-codes")
def test_what_could_not_be_tried_is_exit_code_3_and_a_bad_file_2(console: Console, tmp_path: Path) -> None:
    file = tmp_path / "form.yaml"
    file.write_text(FORM.replace("EXPECT", "").replace("invoke", "click_on_coordinates"))
    done = console("playbook", "certify", file)
    assert (done.code, "not certified: line 6: click_on_coordinates is not simulated" in done.out) == (3, True)
    file.write_text(FORM)
    assert console("playbook", "certify", file).code == 2
    assert console("playbook", "certify", tmp_path / "none.yaml", "--json").item("error", "type") == "UsageError"
    file.write_text(FORM.replace("EXPECT", ""))
    wrong = console("playbook", "certify", file, "--param", "output")
    assert (wrong.code, "is not NAME=VALUE" in wrong.err) == (2, True)


@pytest.mark.requires("certify.verdicts")
@pytest.mark.parametrize("width", [80, 120])
def test_a_certificate_fits_a_terminal_and_names_the_change_that_helps(width: int) -> None:
    dead = Finding(FaultKind.DEAD, Verdict.SILENT, "missing: pressed button", "add expect: {effect: confirmed}", row=2)
    long = 'invoke button "A button with a name that is longer than any terminal is wide, and then some more of it"'
    steps = (StepResult(1, "form", 18, long, {FaultKind.DEAD: dead}), StepResult(2, "form", 19, "x", problem="so"))
    lines = list(lines_of(Certificate("form", steps), width))
    assert max(map(len, lines)) <= width
    head, first = lines[:2]
    assert [first[head.index(kind) :].split()[0] for kind in FaultKind] == ["-", "-", "-", "-", "SILENT"]
    assert lines[3:] == [
        "line 18, row 2, dead: goes wrong in silence; missing: pressed button",
        "  fix: add expect: {effect: confirmed}",
        "line 19: not certified: so",
        "form, 1 faults: goes wrong in silence 1",
        "not certified: 1 step",
    ]
