"""The text of a playbook with healed steps written anew."""

from collections.abc import Sequence

import pytest

from deskhand.core.json import JsonObject
from deskhand.core.replies import Selector
from deskhand.models.healed_file import HealedStep, healed_text
from deskhand.models.playbook_file import parse_playbook

pytestmark = pytest.mark.requires("model.heal.file")
BOOK = """\
# Enters orders.  (two blanks stay)
playbook: 1
name: orders   # its name
host:
  - on: {role: window, name: Orders}   # the window
    status: ASSIGN
    agent: form
    subtask: Enter
  - {status: FINISH}
agents:
  form:
    - {tool: read_table, on: {role: table}, save_as: sales}
    - {tool: invoke, on: {role: button, name: Add}, expect: {effect: confirmed}}  # adds
    - tool: set_edit_text
      # its name was another one once
      on:
        role: textbox
        name: Region   # the field
      args: {text: "North"}
    - for_each: row in ${sales.cells}
      header: true
      steps: [{tool: invoke, on: {role: button, name: "${row.Region}"}}, {tool: invoke, on: {role: button, name: OK}}]
    - {for_each: "row in ${sales.cells}", header: true, tool: keyboard_input, args: {keys: "${row.Region}"}}

    - {status: FINISH}
"""
CLOSE: JsonObject = {
    "tool": "invoke",
    "on": {"role": "button", "name": "Close tip"},
    "when": {"shows": {"role": "button", "name": "Close tip"}},
}


def invoke(name: str, **more: str) -> JsonObject:
    on: JsonObject = {"role": "button", "name": name, **more}
    return {"tool": "invoke", "on": on}


def changed(*steps: HealedStep, text: str = BOOK) -> list[str]:
    """The lines that differ, with - and + in front; the result is a valid playbook."""
    new = healed_text(text, steps)
    parse_playbook(new, "healed.yaml")
    old, now = text.splitlines(), new.splitlines()
    return [f"-{line}" for line in old if line not in now] + [f"+{line}" for line in now if line not in old]


def test_of_a_step_with_the_same_tool_only_the_target_is_written() -> None:
    assert changed(HealedStep("form", 2, now=invoke("Store"))) == [
        "-    - {tool: invoke, on: {role: button, name: Add}, expect: {effect: confirmed}}  # adds",
        "+    - {tool: invoke, on: {role: button, name: Store}, expect: {effect: confirmed}}  # adds",
    ]


def test_a_target_over_several_lines_becomes_one_line_and_comments_around_it_stay() -> None:
    now: JsonObject = {
        "tool": "set_edit_text",
        "on": {"role": "textbox", "name": "Area: all"},
        "args": {"text": "North"},
    }
    assert changed(HealedStep("form", 3, now=now)) == [
        "-      on:",
        "-        role: textbox",
        "-        name: Region   # the field",
        '+      on: {role: textbox, name: "Area: all"}   # the field',
    ]


def test_another_tool_replaces_the_step_and_keeps_what_it_expects() -> None:
    now: JsonObject = {"tool": "keyboard_input", "args": {"keys": "{VK_CONTROL}n"}}
    assert changed(HealedStep("form", 2, now=now))[1:] == [
        '+    - {tool: keyboard_input, args: {keys: "{VK_CONTROL}n"}, expect: {effect: confirmed}}  # adds',
    ]


def test_a_step_on_the_way_is_a_line_before_the_step() -> None:
    assert changed(HealedStep("form", 2, (CLOSE,))) == [
        "+    - {tool: invoke, on: {role: button, name: Close tip}, when: {shows: {role: button, name: Close tip}}}"
    ]
    new = healed_text(BOOK, [HealedStep("form", 2, (CLOSE,))])
    assert new.index("Close tip") < new.index("name: Add")


def test_a_host_step_that_chooses_a_window_gets_its_new_title() -> None:
    now: JsonObject = {"tool": "select_application_window", "on": {"role": "window", "name": "/^Order/"}}
    assert changed(HealedStep("host", 1, now=now)) == [
        "-  - on: {role: window, name: Orders}   # the window",
        '+  - on: {role: window, name: "/^Order/"}   # the window',
    ]


def test_steps_of_a_loop_are_found_by_their_number_and_a_step_before_one_stays_in_it() -> None:
    lines = changed(HealedStep("form", 5, (CLOSE,), invoke("Done")))
    assert len(lines) == 2
    book = parse_playbook(healed_text(BOOK, [HealedStep("form", 5, (CLOSE,), invoke("Done"))]), "h.yaml")
    looped = [step.on for step in book.agents["form"] if step.loop is not None and step.tool == "invoke"]
    assert [on.name for on in looped if isinstance(on, Selector)] == ["${row.Region}", "Close tip", "Done"]


def test_a_loop_of_one_step_gets_a_list_of_steps() -> None:
    text = healed_text(BOOK, [HealedStep("form", 6, (CLOSE,))])
    book = parse_playbook(text, "h.yaml")
    loop = book.agents["form"][6].loop
    assert loop is not None
    assert [step.tool for step in book.agents["form"] if step.loop is loop] == ["invoke", "keyboard_input"]


@pytest.mark.parametrize("numbers", [(2, 3, 4), (4, 2, 3)])
def test_several_steps_are_changed_at_once(numbers: Sequence[int]) -> None:
    text = healed_text(BOOK, [HealedStep("form", number, (CLOSE,)) for number in numbers])
    assert text.count("Close tip") == 6
    parse_playbook(text, "h.yaml")


def test_line_ends_of_another_system_stay() -> None:
    old = BOOK.replace("\n", "\r\n")
    new = healed_text(old, [HealedStep("form", 2, (CLOSE,), invoke("Store"))])
    assert new.count("\r\n") == new.count("\n") == old.count("\n") + 1
    assert new.replace("\r\n", "\n") == healed_text(BOOK, [HealedStep("form", 2, (CLOSE,), invoke("Store"))])


@pytest.mark.parametrize(
    "name",
    ["no", "00123", "1e5", "true", "a: b", "#1", 'say "x"', "Größe…", "\u2028", "$${x}", "- a", "", " a "],
)
def test_a_name_is_read_back_as_it_was(name: str) -> None:
    text = healed_text(BOOK.replace("name: Add", "name: A"), [HealedStep("form", 2, now=invoke(name, value="v"))])
    step = parse_playbook(text, "h.yaml").agents["form"][1]
    assert isinstance(step.on, Selector)
    assert step.on.name == name
