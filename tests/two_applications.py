"""Two small applications and the playbook that works in both; their effects stay in a file of the test's.

Each effect is appended to `effects.log`, and the applications open with the state in that file: as programs that live
on when the process that worked in them dies.
"""

from pathlib import Path
from typing import Final

from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeControl, FakeDesktop, FakeWindow
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import load_playbook

PLAYBOOK: Final = """\
playbook: 1
name: two-applications
host:
  - {on: {role: window, name: Notes}, status: ASSIGN, agent: notes, subtask: Write the note}
  - {on: {role: window, name: Mail}, status: ASSIGN, agent: mail, subtask: Send it}
  - {status: FINISH, result: The note is written and sent}
agents:
  notes:
    - {tool: set_edit_text, on: {role: textbox, name: Text}, args: {text: Dear Ada}}
    - {tool: texts, on: {role: textbox, name: Text}, save_as: note}
    - {tool: invoke, on: {role: button, name: Save}, expect: {shows: {role: checkbox, name: Saved, value: "1"}}}
    - {status: FINISH, result: written}
  mail:
    - {tool: set_edit_text, on: {role: textbox, name: Body}, args: {text: "${note.text}"}}
    - {tool: invoke, on: {role: checkbox, name: Urgent}}
    - {tool: invoke, on: {role: button, name: Send}, expect: {shows: {role: checkbox, name: Sent, value: "1"}}}
    - {status: FINISH, result: sent}
"""


class Applications:
    """Both windows on a desktop in memory, with the state that the file has."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.desktop = FakeDesktop()
        done = effects(log)
        values = dict(line.split("=", 1) for line in done if "=" in line)
        text = FakeControl(Role.TEXTBOX, "Text", values.get("Text", ""), on_text=lambda new: self._note("Text", new))
        notes = [text, *self._button("Save", "Saved")]
        body = FakeControl(Role.TEXTBOX, "Body", values.get("Body", ""), on_text=lambda new: self._note("Body", new))
        urgent = FakeControl(Role.CHECKBOX, "Urgent", states={"checked"} if "Urgent" in done else set())
        urgent.on_click = urgent.on_activate = lambda: self._write("Urgent")
        self.desktop.open(FakeWindow("Notes", notes, "notes"))
        self.desktop.open(FakeWindow("Mail", [body, urgent, *self._button("Send", "Sent")], "mail"))

    def _button(self, name: str, counter: str) -> tuple[FakeControl, FakeControl]:
        shown = FakeControl(Role.CHECKBOX, counter, str(effects(self.log).count(name)))

        def press() -> None:
            self._write(name)
            shown.value = str(effects(self.log).count(name))

        return FakeControl(Role.BUTTON, name, on_click=press), shown

    def _note(self, field: str, text: str) -> None:
        self._write(f"{field}={text}")

    def _write(self, line: str) -> None:
        with self.log.open("a") as file:
            file.write(f"{line}\n")


def effects(log: Path) -> list[str]:
    """All that happened in the applications, in order."""
    return log.read_text().splitlines() if log.exists() else []


EFFECTS: Final = ["Text=Dear Ada", "Save", "Body=Dear Ada", "Urgent", "Send"]
"""The effects of the whole playbook."""


def model(folder: Path) -> PlaybookModel:
    """The playbook's model; its file is written into the folder."""
    path = folder / "two.yaml"
    path.write_text(PLAYBOOK)
    return PlaybookModel(load_playbook(path))
