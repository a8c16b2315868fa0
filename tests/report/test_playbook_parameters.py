"""Paths and values that the request names are parameters of an exported playbook, with the recorded one as default."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
import yaml

from deskhand.core.events import SessionStarted
from deskhand.core.json import JsonObject
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from deskhand.models.steps import ParameterType
from deskhand.report.playbook import playbook_of_session
from deskhand.report.playbook_parameters import Parameters
from deskhand.session.clock import SystemClock
from deskhand.store.journal import Journal
from notes import APP, Notes
from report.recorded import done_by, session
from stage import assign, say

pytestmark = pytest.mark.requires("playbook.export-parameters")


def fields(*names: str) -> list[FakeControl]:
    return [FakeControl(Role.TEXTBOX, name, states={"editable"}) for name in names]


def lifted(request: str, *steps: JsonObject, own: dict[str, str] | None = None) -> tuple[JsonObject, list[JsonObject]]:
    """The parameters of some steps, and the steps with them."""
    found = Parameters(request, own or {}, frozenset({"row"}))
    found.find(steps)
    return found.declared(), [found.put_into(step) for step in steps]


async def test_a_value_of_the_request_is_a_parameter_named_after_its_control_wherever_it_was_given(
    tmp_path: Path,
) -> None:
    recorded = Notes(fields("First name:", "Signature"))
    typed = [
        say("CONTINUE", "set_edit_text", "First name:", args={"text": "Ada Lovelace"}),
        say("CONTINUE", "set_edit_text", "Signature", args={"text": "Ada Lovelace"}),
        say("CONTINUE", "set_edit_text", "Text", args={"text": "own words"}),
        say("FINISH", "invoke", "Save"),
        say("FINISH"),
    ]
    scripts = {"HostAgent": [assign("Notes", "Sign as Ada Lovelace"), say("FINISH", result="signed")], APP: typed}
    text = playbook_of_session(await session(recorded.desktop, tmp_path, "Sign as ada lovelace.", scripts), "sign")
    book = yaml.safe_load(text)
    assert book["params"] == {"first_name": {"type": "text", "default": "Ada Lovelace"}}
    assert book["host"][0]["subtask"] == "Sign as ${first_name}"
    same, other = (
        Notes(named := fields("First name:", "Signature")),
        Notes(others := fields("First name:", "Signature")),
    )
    assert await done_by(text, same.desktop, tmp_path) is Outcome.SUCCESS
    assert [field.value for field in named] == ["Ada Lovelace"] * 2
    assert await done_by(text, other.desktop, tmp_path, first_name="Grace") is Outcome.SUCCESS
    assert [field.value for field in (*others, other.text)] == ["Grace", "Grace", "own words"]


def test_a_path_is_a_parameter_also_where_it_is_part_of_a_text() -> None:
    params, steps = lifted(
        "Save it",
        {"tool": "launch_application", "args": {"application": "calc", "file": "/in/a.csv"}},
        {"tool": "choose_file", "args": {"path": "/out/a.ods", "create": True}, "expect": {"file": "/out/a.ods"}},
        {"tool": "export_pdf", "args": {"path": "/out/a.ods.pdf"}},
        {"tool": "keyboard_input", "args": {"keys": "/out/a.ods{ENTER}"}},
        {"status": "FINISH", "result": "Saved /out/a.ods and /out/a.ods.pdf"},
    )
    assert params == {
        "file": {"type": "path", "default": "/in/a.csv"},
        "output": {"type": "path", "default": "/out/a.ods"},
        "output2": {"type": "path", "default": "/out/a.ods.pdf"},
    }
    assert steps == [
        {"tool": "launch_application", "args": {"application": "calc", "file": "${file}"}},
        {"tool": "choose_file", "args": {"path": "${output}", "create": True}, "expect": {"file": "${output}"}},
        {"tool": "export_pdf", "args": {"path": "${output2}"}},
        {"tool": "keyboard_input", "args": {"keys": "${output}{ENTER}"}},
        {"status": "FINISH", "result": "Saved ${output} and ${output2}"},
    ]


_CASES: Final[Sequence[tuple[str, JsonObject, JsonObject]]] = [
    ("Set 7 copies", {"tool": "set_value", "on": {"name": "Copies"}, "args": {"value": 7}}, {"copies": 7}),
    ("Set 17 or 7.5", {"tool": "set_value", "on": {"name": "Copies"}, "args": {"value": 7}}, {}),
    ("Check it true", {"tool": "set_value", "on": {"name": "A"}, "args": {"value": True}}, {}),
    ("Take Ulm", {"tool": "select_item", "on": {"name": "Größe"}, "args": {"item": "Ulm"}}, {"groe": "Ulm"}),
    ("Take Ulm", {"tool": "select_item", "on": {"name": "城市"}, "args": {"item": "Ulm"}}, {"text": "Ulm"}),
    ("Write Ulm", {"tool": "keyboard_input", "args": {"keys": "{TAB}Ulm{ENTER}"}}, {"text": "Ulm"}),
    ("Press s", {"tool": "keyboard_input", "args": {"keys": "{VK_CONTROL}s"}}, {}),
    ("Wait for Ulm", {"tool": "wait_for", "args": {"text": "Ulm"}}, {}),
    ("Open Ulm", {"tool": "invoke", "on": {"role": "button", "name": "Ulm"}}, {}),
    ("Type it", {"tool": "set_edit_text", "on": {"name": "A"}, "args": {"text": "${password} it"}}, {}),
    (
        "For Ada",
        {"tool": "fill", "args": {"values": [{"on": {"name": "Name"}, "value": "Ada"}, {"on": {}, "value": True}]}},
        {"name": "Ada"},
    ),
]


@pytest.mark.parametrize(("request_", "step", "params"), _CASES)
def test_only_what_the_request_names_as_words_of_its_own_and_goes_to_the_application_is_lifted(
    request_: str, step: JsonObject, params: JsonObject
) -> None:
    found, [written] = lifted(request_, step)
    assert {name: each["default"] for name, each in found.items() if isinstance(each, dict)} == params
    assert (written == step) == (not params)


def test_content_that_shows_a_value_is_looked_for_with_the_parameter_and_captions_are_left_alone() -> None:
    shows: JsonObject = {"shows": {"role": "status", "name": "/Hello Ada!/"}, "window": "Ada - Card"}
    _, steps = lifted(
        "Greet Ada",
        {"tool": "set_edit_text", "on": {"role": "textbox", "name": "Name"}, "args": {"text": "Ada"}, "expect": shows},
        {"tool": "select_item", "on": {"role": "listitem", "name": "Ada", "within": {"role": "list", "name": "Ada"}}},
        {"tool": "invoke", "on": {"role": "button", "name": "Ada"}},
    )
    assert steps[0]["expect"] == {"shows": {"role": "status", "name": "/Hello ${name}!/"}, "window": "${name} - Card"}
    assert steps[1]["on"] == {"role": "listitem", "name": "${name}", "within": {"role": "list", "name": "Ada"}}
    assert steps[2]["on"] == {"role": "button", "name": "Ada"}


def test_a_playbooks_own_parameters_keep_their_names_and_types() -> None:
    params, steps = lifted(
        "Do it",
        {"tool": "set_edit_text", "on": {"name": "Name"}, "args": {"text": "costs $${5}"}},
        {"tool": "save_document", "args": {"path": "/x/y.odt"}},
        own={"greeting": "costs ${5}", "goal": "/x/y.odt", "unused": "z"},
    )
    assert params == {
        "greeting": {"type": ParameterType.TEXT.value, "default": "costs ${5}"},
        "goal": {"type": ParameterType.PATH.value, "default": "/x/y.odt"},
    }
    assert [step["args"] for step in steps] == [{"text": "${greeting}"}, {"path": "${goal}"}]


@pytest.mark.requires("policy.typed-passwords")
async def test_a_password_that_was_a_parameter_keeps_its_name_and_has_no_default(tmp_path: Path) -> None:
    notes = Notes([FakeControl(Role.PASSWORD, "Password")])
    typed = [say("CONTINUE", "set_edit_text", "Password", args={"text": "hunter2"}), say("FINISH", "invoke", "Save")]
    scripts = {"HostAgent": [assign("Notes", "Log in"), say("FINISH", result="in")], APP: [*typed, say("FINISH")]}
    log = await session(notes.desktop, tmp_path, "Log in", scripts)
    with Journal(log, SystemClock()) as journal:
        own = {"pin": "hunter2"}
        started = SessionStarted(session_id="s", version="", request="", model="", desktop="", parameters=own)
        journal.emit(started)
    text = playbook_of_session(log, "login")
    assert yaml.safe_load(text)["params"] == {"pin": "text"}
    assert "hunter2" not in text
