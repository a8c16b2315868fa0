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
            "p.yaml:4: unknown status 'CONTNUE'; host may say FINISH, CONTINUE, ASSIGN, FAIL, CONFIRM",
            "p.yaml:5: on has an unknown key 'nam'; did you mean 'name'?",
            "p.yaml:5: unknown role 'buton'; did you mean 'button'?",
            "p.yaml:5: nth must be first, last or a number from 1, not 0",
            "p.yaml:5: host step 2 says ASSIGN and lacks 'subtask'",
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
            "p.yaml:14: 'tool' stands here a second time",
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
            "p.yaml:5: ${what}: a selector parameter stands as a whole after 'on:', and nothing else does",
            "p.yaml:5: ${out.x}: a parameter has no parts",
            "p.yaml:6: ${out}: a selector parameter stands as a whole after 'on:', and nothing else does",
            "p.yaml:7: ${data.cells} is used before line 8 saves it",
            "p.yaml:8: ${data}: a subtask is text and parameters; the data itself reaches the agent by its name",
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
    assert problems(text) == ["p.yaml:4: without a host there is exactly one agent: nobody hands out subtasks"]


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
