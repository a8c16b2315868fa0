"""A model on a local server that holds its replies to the request's schema works in an application of the machine."""

from pathlib import Path

import pytest

from cli.driver import deskhand, environment
from wire.held import held
from wire.server import wire

TEXT = "name = new\nport\t8080  \n\u00a0end\n"
REPLIES = (
    {
        "status": "ASSIGN",
        "action": {"function": "select_application_window", "control_label": '/window "notes.ini/'},
        "current_subtask": "Set the name and save",
    },
    {
        "status": "CONTINUE",
        "action": {"function": "set_edit_text", "control_label": "/textbox/", "args": {"text": TEXT}},
    },
    {
        "status": "CONTINUE",
        "action": {"function": "keyboard_input", "args": {"keys": "{VK_CONTROL}s"}},
        "expect": {"effect": "confirmed"},
    },
    {"status": "FINISH", "result": "saved"},
    {"status": "FINISH", "result": "the name is set"},
)


@pytest.mark.full("test_readme edits in gedit; test_language_model has a model over the wire")
@pytest.mark.desktop
@pytest.mark.requires("model.held", "applications.own")
def test_what_a_held_model_types_into_an_installed_editor_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "notes.ini"
    file.write_text("name = old\n")
    with wire(script=held(REPLIES)) as server:
        env = environment() | {"OPENAI_BASE_URL": server.openai, "OPENAI_API_KEY": "none"}
        arguments = ("--model", "openai:local", "--app", "gedit", "--file", file, "--out", tmp_path / "out", "--json")
        done = deskhand("run", "Set the name in the text editor", *arguments, env=env)
    assert (done.code, done.item("reason")) == (0, "the name is set"), done.err
    saved = tmp_path / "out/log/documents/notes.ini"
    assert saved.read_text(encoding="utf-8").removesuffix("\n") == TEXT, "gedit adds one line end"
    assert file.read_text() == "name = old\n"
    [document] = done.items("documents")
    assert (document["path"], document["copy"], document["changed"]) == (str(file), str(saved), True)
    assert str(document["window"]).startswith("notes.ini (")
