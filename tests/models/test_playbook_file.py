"""Playbook files: what is wrong with one is said all at once, by line."""

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from deskhand.core.errors import PlaybookInvalid, UsageError
from deskhand.models.playbook_file import load_playbook, parse_playbook

HEAD = "playbook: 1\nname: n\nparams: {out: path, what: selector}\n"


def problems(text: str) -> list[str]:
    with pytest.raises(PlaybookInvalid) as caught:
        parse_playbook(text, "p.yaml")
    assert caught.value.exit_code == 2
    return caught.value.message.splitlines()


def test_the_example_loads_with_its_lines() -> None:
    playbook = load_playbook(Path(__file__).with_name("example.yaml"))
    assert [step.line for step in playbook.host] == [6, 7, 8, 9]
    assert [step.line for step in playbook.agents["writer"]] == [12]
    assert playbook.host[0].on is not None
    assert playbook.agents["calc"][0].args == {"start": "A1", "rows": "${sales.cells}"}


@pytest.mark.requires("model.playbook.format")
def test_every_problem_is_reported_with_its_line() -> None:
    text = """\
playbook: 2
nme: x
host:
  - {tool: x, status: CONTNUE}
  - {status: ASSIGN, on: {role: buton, nth: 0, nam: x}, agent: b}
  - {tool: x, expect: {rows: many, effect: sure, window: "/(/"}}
  - {result: x}
  - {tool: y, agent: a}
  - 7
agents:
  a:
    - tool: y
      args: [1]
      tool: z
  c: []
"""
    assert problems(text) == snapshot(
        [
            "p.yaml:1: the playbook lacks 'name'",
            "p.yaml:1: playbook format 2 is unknown; this reads 1",
            "p.yaml:2: the playbook has an unknown key 'nme'; did you mean 'name'?",
            "p.yaml:4: unknown status 'CONTNUE'; host may use FINISH, CONTINUE, ASSIGN, FAIL, CONFIRM",
            "p.yaml:5: on has an unknown key 'nam'; did you mean 'name'?",
            "p.yaml:5: unknown role 'buton'; did you mean 'button'?",
            "p.yaml:5: nth must be first, last or a number from 1, not 0",
            "p.yaml:5: host step 2 has status ASSIGN and lacks 'subtask'",
            "p.yaml:5: no agent is called 'b'; known: a, c",
            "p.yaml:6: unknown effect 'sure'; known: confirmed, partial, refused, suspected_noop, unverifiable",
            'p.yaml:6: rows must be a number or a comparison such as ">=2"',
            "p.yaml:6: window: bad regular expression /(/: missing ), unterminated subpattern at position 0",
            "p.yaml:7: host step 4 has no tool; only FINISH and FAIL go without one",
            "p.yaml:7: host step 4 has 'result', which goes with FINISH and FAIL",
            "p.yaml:8: host step 5 has 'agent', which goes with status ASSIGN",
            "p.yaml:9: host step 6 must be a mapping, not a number",
            "p.yaml:11: no host step assigns anything to agent 'a'",
            "p.yaml:13: args must be a mapping, not a list",
            "p.yaml:14: 'tool' occurs a second time",
            "p.yaml:15: c has no steps",
            "p.yaml:15: no host step assigns anything to agent 'c'",
        ]
    )


def test_references_to_nothing_are_reported_with_their_line() -> None:
    text = (
        HEAD
        + """\
host:
  - {tool: x, args: {a: "${ouput}", b: "${z+1}", c: "${what}", d: "${out.x}"}}
  - {tool: x, on: "${out}"}
  - {tool: x, args: {a: "${data.cells}"}}
  - {tool: x, save_as: data, status: ASSIGN, agent: a, subtask: "do ${data}"}
  - {status: FINISH, result: "${data.range}"}
agents:
  a: [{tool: x, args: {deep: [{a: "${nowhere}"}]}, save_as: out}]
"""
    )
    assert problems(text) == snapshot(
        [
            "p.yaml:5: ${ouput} is neither a parameter nor saved by any step; did you mean 'out'?",
            "p.yaml:5: ${z+1} is not a name or a dotted path; there are no expressions",
            "p.yaml:5: ${what}: a selector parameter must be the whole value of 'on:'",
            "p.yaml:5: ${out.x}: a parameter has no parts",
            "p.yaml:6: ${out}: a selector parameter must be the whole value of 'on:'",
            "p.yaml:7: ${data.cells} is used before line 8 saves it",
            "p.yaml:8: ${data}: a subtask is text and parameters; the agent gets the data itself by its name",
            "p.yaml:11: ${nowhere} is neither a parameter nor saved by any step; known: data, out, what",
            "p.yaml:11: save_as 'out' is the name of a parameter",
        ]
    )


def test_assignments_that_cannot_be_told_apart_are_refused() -> None:
    text = (
        HEAD
        + """\
host:
  - {tool: x, status: ASSIGN, agent: a, subtask: do it}
  - {tool: x, status: ASSIGN, agent: b, subtask: do it}
  - {tool: x, status: ASSIGN, agent: d, subtask: do that}
agents:
  a: [{tool: x}]
  b: [{tool: x}]
  c: [{tool: x}]
"""
    )
    assert problems(text) == snapshot(
        [
            "p.yaml:6: subtask 'do it' goes to 'b' here and to 'a' in line 5",
            "p.yaml:7: no agent is called 'd'; known: a, b, c",
            "p.yaml:11: no host step assigns anything to agent 'c'",
        ]
    )


def test_a_step_after_the_end_is_refused() -> None:
    text = HEAD + "agents:\n  a:\n    - {tool: x, status: done}\n    - {tool: y}\n"
    assert problems(text) == ["p.yaml:6: no step of a after this FINISH is ever reached"]


def test_several_agents_need_a_host() -> None:
    text = HEAD + "agents:\n  a: [{tool: x}]\n  b: [{tool: x}]\n"
    assert problems(text) == ["p.yaml:4: without a host there is exactly one agent: nothing assigns subtasks"]


@pytest.mark.parametrize("text", ["", "# nothing\n"])
def test_an_empty_file_is_no_playbook(text: str) -> None:
    assert problems(text) == ["p.yaml:1: the playbook is empty"]


def test_wrong_parameter_declarations_are_reported() -> None:
    text = "playbook: 1\nname: n\nparams:\n  a: pth\n  b-c: path\n  d: {typ: text}\n  e: 3\nagents: {a: [{tool: x}]}\n"
    assert problems(text) == snapshot(
        [
            "p.yaml:4: unknown parameter type 'pth'; did you mean 'path'?",
            "p.yaml:5: parameter 'b-c' is not a plain word",
            "p.yaml:6: parameter 'd' lacks 'type'",
            "p.yaml:6: parameter 'd' has an unknown key 'typ'; did you mean 'type'?",
            "p.yaml:7: the type of 'e' must be text, not a number",
        ]
    )


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the playbook .*none\.yaml: No such file"):
        load_playbook(tmp_path / "none.yaml")


def test_a_file_that_is_not_text_is_no_playbook(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(PlaybookInvalid, match=r"p\.yaml:1: not UTF-8 text"):
        load_playbook(path)


@pytest.mark.requires("model.playbook.format", "model.playbook.loop", "model.playbook.condition")
def test_every_problem_of_conditions_and_loops_is_reported_with_its_line() -> None:
    text = """\
playbook: 1
name: n
params: {out: path}
host:
  - {for_each: "row in ${sales.cells}", on: {role: window}, status: ASSIGN, agent: a, subtask: S}
  - {for_each: "row in ${late.cells}", tool: t, save_as: late}
  - {status: FINISH}
agents:
  a:
    - {tool: t, when: {}, unless: 3}
    - {tool: t, when: {is: x}, unless: {shows: {role: buton}}}
    - {tool: t, when: {value: out}, unless: "${nobody}"}
    - {tool: t, when: {value: "${out}", is: ">many"}}
    - {for_each: row of table, tool: t}
    - {for_each: "out in ${out}", tool: t}
    - {tool: t, save_as: sales}
    - for_each: row in ${sales.cells}
      header: maybe
      steps:
        - {tool: t, args: {x: "${row.A}", y: "${row + 1}"}, save_as: sales}
        - {status: FINISH}
    - {for_each: "row in ${sales.cells}", steps: [], tool: t}
    - {for_each: "row in ${sales.cells}", header: true, tool: t, args: {x: "${row}"}}
    - {tool: t, args: {x: "${row[0]}"}}
"""
    assert problems(text) == snapshot(
        [
            "p.yaml:5: a loop assigns no subtask; let the agent's own steps run over the rows",
            "p.yaml:5: ${sales.cells} is used before line 20 saves it",
            "p.yaml:6: save_as 'late' replaces the rows that the loop in line 6 runs over",
            "p.yaml:6: ${late.cells} is used before line 6 saves it",
            "p.yaml:10: when needs 'shows' or 'value'",
            "p.yaml:10: unless must be a mapping, not a number",
            "p.yaml:11: when needs 'shows' or 'value'",
            "p.yaml:11: when: 'is' compares a value; add 'value'",
            "p.yaml:11: unknown role 'buton'; did you mean 'button'?",
            "p.yaml:12: when: value must be ${x}, of a parameter or of saved data",
            "p.yaml:12: ${nobody} is neither a parameter nor saved by any step; known: late, out, sales",
            "p.yaml:13: when: '>many' is not a comparison with a number; write it like >=2",
            "p.yaml:14: a step 5: for_each is written as: row in ${sales.cells}",
            "p.yaml:15: for_each: 'out' is the name of a parameter or of saved data",
            "p.yaml:15: ${out}: a parameter has no rows",
            "p.yaml:16: save_as 'sales' replaces the rows that the loop in line 5 runs over",
            "p.yaml:18: a step 8: header must be true or false",
            "p.yaml:20: save_as 'sales' replaces the rows that the loop in line 5 runs over",
            "p.yaml:20: save_as 'sales' replaces the rows that the loop in line 17 runs over",
            "p.yaml:20: ${row + 1} is not a name or a dotted path; there are no expressions",
            "p.yaml:21: FINISH ends the loop at its first row; give it a when or an unless",
            "p.yaml:22: a step 9 has an unknown key 'tool'; known: for_each, header, steps",
            "p.yaml:22: a step 9 has no steps",
            "p.yaml:23: ${row}: name a cell, as ${row[0]} or ${row.Name}",
            "p.yaml:24: ${row[0]} is neither a parameter nor saved by any step; known: late, out, sales",
        ]
    )


@pytest.mark.requires("model.playbook.loop")
def test_what_an_agent_saves_does_not_replace_the_rows_that_its_host_runs_over() -> None:
    text = """\
playbook: 1
name: n
host:
  - {on: {role: window}, status: ASSIGN, agent: a, subtask: One}
  - {for_each: "row in ${t.cells}", tool: wait, args: {seconds: "${row[0]}"}}
  - {on: {role: window}, status: ASSIGN, agent: a, subtask: Two}
  - {status: FINISH}
agents:
  a:
    - {tool: read_table, save_as: t, status: FINISH}
"""
    assert problems(text) == ["p.yaml:10: save_as 't' replaces the rows that the loop in line 5 runs over"]


@pytest.mark.requires("applications.names")
def test_an_application_is_launched_by_its_name_in_a_host_step_alone() -> None:
    steps = (
        "  - {app: Text Editor, args: {file: a.txt}}\n"
        "  - {app: gedit, status: ASSIGN, agent: a, subtask: S}\n"
        "  - {status: FINISH}\n"
    )
    book = "playbook: 1\nname: n\nhost:\n" + steps + "agents:\n  a:\n    - {status: FINISH}\n"
    first, second, _ = parse_playbook(book, "b.yaml").host
    assert (first.tool, first.args) == ("launch_application", {"file": "a.txt", "application": "Text Editor"})
    assert (second.tool, second.args, second.status) == ("launch_application", {"application": "gedit"}, "ASSIGN")
    wrong = book.replace("{app: gedit,", "{app: gedit, tool: wait,").replace("- {status: FINISH}\n", "- {app: x}\n")
    with pytest.raises(PlaybookInvalid) as refused:
        parse_playbook(wrong, "b.yaml")
    assert "b.yaml:5: host step 2 has 'app'" in str(refused.value)
    assert "b.yaml:9: a step 1 has 'app'" in str(refused.value)
