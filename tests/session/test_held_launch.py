"""A launch that assigns its window in the same step, and needs an approval."""

from pathlib import Path

import pytest

from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from stage import Person, rule, stage

BOOK = """\
playbook: 1
name: notes
host:
  - {app: notes, status: ASSIGN, agent: notes, subtask: Save it}
  - {status: FINISH, result: saved}
agents:
  notes:
    - {tool: invoke, on: {role: button, name: Save}, expect: {effect: confirmed}, status: FINISH}
"""


@pytest.mark.requires("model.playbook.held-launch")
@pytest.mark.parametrize("approves", [True, False])
async def test_the_window_is_assigned_when_the_launch_was_approved(tmp_path: Path, approves: bool) -> None:
    saved = FakeControl(Role.CHECKBOX, "Saved", "0")

    def open_notes(_desktop: FakeDesktop, _file: Path | None) -> FakeWindow:
        button = FakeControl(Role.BUTTON, "Save", on_click=lambda: setattr(saved, "value", str(int(saved.value) + 1)))
        return FakeWindow("Notes", [button, saved], "notes")

    desktop = FakeDesktop([FakeApplication("notes", open_notes)])
    person = Person(decides=[approves])
    model = PlaybookModel(parse_playbook(BOOK, "notes.yaml"))
    rules = rule("{tool: launch_application}", "confirm")
    ending = await stage(desktop, model, log_path=tmp_path, person=person, rules=rules).run("Do it")
    assert len(person.shown) == 1
    assert (ending.outcome, saved.value) == ((Outcome.SUCCESS, "1") if approves else (Outcome.REJECTED, "0"))
