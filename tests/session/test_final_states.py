"""States that a program refreshes late are final in a prompt; a playbook does not wait for them."""

from pathlib import Path

import pytest

from deskhand.core.outcomes import Outcome
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from notes import APP, Notes
from stage import assign, say, stage

BOOK = """\
playbook: 1
name: notes
host:
  - {on: {role: window, name: Notes}, status: ASSIGN, agent: notes, subtask: Look}
  - {status: FINISH, result: looked}
agents:
  notes:
    - {tool: texts, on: {role: button, name: Save}, status: FINISH}
"""


def late_notes() -> Notes:
    """Notes whose button is reported as disabled until its states are waited for."""
    notes = Notes()
    notes.save.states.add("disabled")
    notes.desktop.faults.late_states = lambda: notes.save.states.discard("disabled")
    return notes


@pytest.mark.requires("desktop.states-final")
async def test_a_prompt_has_final_states(tmp_path: Path) -> None:
    host = [assign("Notes", "Look"), say("FINISH")]
    it = stage(late_notes().desktop, {"HostAgent": host, APP: [say("FINISH")]}, log_path=tmp_path)
    assert (await it.run()).outcome is Outcome.SUCCESS
    (asked,) = [request for request in it.model.requests if request.agent_name == APP]
    save = next(control for control in asked.controls if control.name == "Save")
    assert "enabled" in save.states
    assert asked.reservations == ()


@pytest.mark.requires("desktop.states-final")
async def test_a_playbook_does_not_wait_for_final_states(tmp_path: Path) -> None:
    notes = late_notes()
    await stage(notes.desktop, PlaybookModel(parse_playbook(BOOK, "notes.yaml")), log_path=tmp_path).run()
    assert notes.desktop.faults.late_states is not None
