"""A password that was typed is in no later prompt, except where the user wrote it."""

from pathlib import Path

import pytest

from deskhand.core.json import JsonObject
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl
from notes import APP, Notes, prompt_of
from stage import assign, say, stage

TYPED = 'hunter2 {"x"}'
KEYS = 'hunter2 {{}"x"{}}'


@pytest.mark.requires("prompt.passwords")
@pytest.mark.parametrize(
    ("function", "on", "args"),
    [
        ("keyboard_input", "Password", {"keys": f"{KEYS}{{ENTER}}"}),
        ("set_edit_text", "Password", {"text": TYPED}),
        ("keyboard_input", "Text", {"keys": f"{{TAB}}{KEYS}"}),
    ],
    ids=["keys", "text", "keys that leave their field"],
)
async def test_a_typed_password_is_in_no_later_prompt(function: str, on: str, args: JsonObject, tmp_path: Path) -> None:
    notes = Notes([FakeControl(Role.PASSWORD, "Password")])
    app = [
        say("CONTINUE", function, on, args=args, thought=f"It is {TYPED}", plan=[f"{TYPED} is in"]),
        say("CONTINUE", "invoke", "Save", thought=f"typed {TYPED}"),
        say("FINISH", result=f"logged in with {TYPED}"),
    ]
    host = [assign("Notes", f"Log in with {TYPED}"), say("FINISH", result=f"done with {TYPED}")]
    it = stage(notes.desktop, {"HostAgent": host, APP: app}, log_path=tmp_path)
    await it.run("Log in")
    prompts = [prompt_of(request) for request in it.model.requests]
    assert len(prompts) == 5
    assert "hunter2" in prompts[1], "the agent needs it until it was typed"
    assert [prompt for prompt in prompts[2:] if "hunter2" in prompt] == []
    assert "•••" in prompts[2]
