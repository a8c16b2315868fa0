"""Sessions on the in-memory desktop, recorded as the program records them, and carried out again by their playbook."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from deskhand.core.model import ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.desktop.fake import FakeDesktop
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.models.scripted import ScriptedReply
from deskhand.session.clock import SystemClock
from deskhand.store.journal import Journal
from stage import Answer, Stage, stage


def kept(it: Stage, folder: Path) -> Path:
    """The session's journal, as the program writes it."""
    with Journal(folder, SystemClock()) as journal:
        for event in it.events.all:
            journal.emit(event)
    return folder


async def session(
    desktop: FakeDesktop, folder: Path, request: str, replies: Mapping[str, Sequence[Answer | ScriptedReply]]
) -> Path:
    """The folder of a session that carried out a request."""
    (folder / "log").mkdir(parents=True)
    it = stage(desktop, replies, log_path=folder / "log")
    assert (await it.run(request)).outcome is Outcome.SUCCESS
    return kept(it, folder / "log")


async def done_by(text: str, desktop: FakeDesktop, folder: Path, **parameters: object) -> Outcome:
    """Carries out a playbook."""
    book = PlaybookModel(parse_playbook(text, "again.yaml"), parameters)
    return (await stage(desktop, book, log_path=folder / "again").run("Again")).outcome


def button_in(group: str) -> Answer:
    """Presses the button `Add` in a group."""

    def answer(request: ModelRequest) -> ScriptedReply:
        around = {control.handle: control.name for control in request.controls}
        found = next(each for each in request.controls if each.name == "Add" and around.get(each.parent) == group)
        return {"status": "CONTINUE", "function": "invoke", "control_label": found.id, "control_text": "Add"}

    return answer
