"""Sessions that are interrupted and continued on a desktop in memory (ADR 0119)."""

import os
import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import anyio
import pytest

from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.errors import StoreBusy, StoreError, UsageError
from deskhand.core.events import (
    ActionFinished,
    ActionIntended,
    ActionsHeld,
    ConfirmationAsked,
    ConfirmationDecided,
    DocumentOpened,
    Event,
    QuestionsAsked,
    RanOn,
    RoundFinished,
    RoundStarted,
    SessionFinished,
    SessionResumed,
    SessionStarted,
    StepRemembered,
    StepStarted,
    SubtaskArchived,
    SubtaskAssigned,
    TransitionTaken,
    VerdictGiven,
    WindowChosen,
)
from deskhand.core.outcomes import Outcome
from deskhand.core.roles import Role
from deskhand.desktop.fake import FakeApplication, FakeControl, FakeDesktop, FakeWindow
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import parse_playbook
from deskhand.report.html import render_report
from deskhand.report.markdown import render_markdown
from deskhand.report.summary import summarise
from deskhand.session.build import OpenDesktop, SessionPlan, carry_out
from deskhand.session.clock import SystemClock
from deskhand.session.resume import resume_session, to_resume
from deskhand.session.round import Ending
from deskhand.session.session_folders import find_session
from deskhand.store.journal import JOURNAL_NAME, Journal, read_events
from notes import APP, Notes, prompt_of
from stage import Answer, Person, assign, say, scripted
from two_applications import EFFECTS, Applications, effects, model

E = TypeVar("E", bound=Event)
FAST = Configuration(system=SystemSection(save_ui_tree=False, effect_hold_s=0.0))


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Pictures are written on a thread, which takes time that passes."""
    return "asyncio"


class Cut(BaseException):
    """The end of a process, for one that goes on."""


@dataclass
class CutAt(Journal):
    """A journal that takes nothing more after the given event, as the process is gone."""

    folder: Path
    last: type[Event]
    number: int = 1
    is_cut: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        super().__init__(self.folder, SystemClock())

    def emit(self, event: Event) -> None:
        if self.is_cut:
            return
        super().emit(event)
        if isinstance(event, self.last):
            self.number -= 1
        if not self.number:
            self.is_cut = True
            raise Cut


def planned(desktop: FakeDesktop, folder: Path, model: object, **more: object) -> SessionPlan:
    usual = {"configuration": FAST, "requests": ("Write it",), "opens": desktop.opened}
    return SessionPlan(
        session_id="s1",
        session_dir=folder,
        model=model,  # pyright: ignore[reportArgumentType] - a model of a test
        **{**usual, **more},  # pyright: ignore[reportArgumentType] - fields of the plan
    )


async def cut_off(plan: SessionPlan, last: type[Event], number: int = 1) -> None:
    """Run a session until it is cut off after the n-th event of a kind."""
    with CutAt(plan.session_dir, last, number) as journal, suppress(BaseExceptionGroup, Cut), anyio.fail_after(30):
        await carry_out(plan, journal, SystemClock())
    assert not any(isinstance(event, SessionFinished) for event in read_events(plan.session_dir))


async def resumed(plan: SessionPlan) -> Ending:
    with anyio.fail_after(30):
        return await resume_session(plan)


def of(folder: Path, kind: type[E]) -> list[E]:
    return [event for event in read_events(folder) if isinstance(event, kind)]


HOST: list[Answer] = [assign("Notes", "Write"), say("FINISH", result="all of it")]
WRITES = say("CONTINUE", "set_edit_text", "Text", args={"text": "Ada"})
SAVES = say("CONTINUE", "invoke", "Save")


@pytest.mark.requires("resume.told", "resume.once")
async def test_a_model_is_told_of_the_action_that_was_cut_off_and_decides(tmp_path: Path) -> None:
    notes = Notes()
    await cut_off(
        planned(notes.desktop, tmp_path, scripted({"HostAgent": HOST, APP: [WRITES, SAVES]})), ActionIntended, 3
    )
    assert notes.log == []
    then = scripted({"HostAgent": HOST[1:], APP: [SAVES, say("FINISH", result="saved")]})
    ending = await resumed(planned(notes.desktop, tmp_path, then))
    assert (ending.outcome, notes.log) == (Outcome.SUCCESS, ["Save"])
    told = prompt_of(then.requests[0])
    assert 'The session was interrupted while invoke on button "Save" was sent in step 3' in told
    assert "Whether it happened is unknown" in told
    [unknown] = [e for e in of(tmp_path, ActionFinished) if e.error]
    assert unknown.error is not None
    assert (unknown.error.type, unknown.effect, unknown.retry_safe) == ("ActionInterrupted", "unverifiable", False)


@pytest.mark.requires("resume.told", "journal.only-source")
async def test_report_and_summary_show_one_session_with_its_break(tmp_path: Path) -> None:
    notes = Notes()
    await cut_off(
        planned(notes.desktop, tmp_path, scripted({"HostAgent": HOST, APP: [WRITES, SAVES]})), ActionIntended, 3
    )
    then = scripted({"HostAgent": HOST[1:], APP: [say("FINISH", result="saved")]})
    await resumed(planned(notes.desktop, tmp_path, then))
    summary = summarise(tmp_path)
    assert (summary.outcome, summary.steps, len(summary.subtasks), summary.rounds) == ("success", 5, 1, [])
    [resumption] = summary.resumptions
    assert "invoke on button" in resumption.unknown[0]
    assert "resumptions" in summary.to_json()
    assert "The session was interrupted here, and resumed" in render_report(tmp_path)
    assert "## Interruptions" in render_markdown(tmp_path)


@pytest.mark.requires("resume.rebuilt")
async def test_the_steps_before_count_for_the_budget(tmp_path: Path) -> None:
    notes = Notes()
    await cut_off(planned(notes.desktop, tmp_path, scripted({"HostAgent": HOST, APP: [WRITES, SAVES]})), StepStarted, 3)
    three = FAST.model_copy(update={"system": FAST.system.model_copy(update={"max_step": 3})})
    ending = await resumed(planned(notes.desktop, tmp_path, scripted({}), configuration=three))
    assert ending.outcome is Outcome.STEP_LIMIT
    [archived] = of(tmp_path, SubtaskArchived)
    assert archived.outcome == "step_limit"


@pytest.mark.requires("resume.rebuilt")
async def test_the_second_request_goes_on_and_the_third_begins(tmp_path: Path) -> None:
    notes = Notes()
    done = say("FINISH", "invoke", "Save", result="saved")
    requests = {"requests": ("One", "Two", "Three")}
    await cut_off(
        planned(notes.desktop, tmp_path, scripted({"HostAgent": HOST * 2, APP: [done] * 2}), **requests),
        SubtaskAssigned,
        2,
    )
    then = scripted({"HostAgent": [HOST[1], *HOST], APP: [done] * 2})
    ending = await resumed(planned(notes.desktop, tmp_path, then, **requests))
    assert (ending.outcome, notes.log) == (Outcome.SUCCESS, ["Save"] * 3)
    assert [event.request for event in of(tmp_path, RoundStarted)] == [
        "One",
        "Two",
        "Three",
    ]


@pytest.mark.requires("resume.rebuilt", "confirm.rejected")
async def test_an_action_that_the_user_rejected_stays_rejected(tmp_path: Path) -> None:
    notes = Notes([FakeControl(Role.BUTTON, "Send", on_click=lambda: notes.log.append("Send"))])
    sends = say("CONTINUE", "invoke", "Send")
    person = Person(decides=[False])
    await cut_off(
        planned(notes.desktop, tmp_path, scripted({"HostAgent": HOST, APP: [sends]}), interactor=person),
        ConfirmationDecided,
    )
    then = scripted({"HostAgent": [say("FINISH", result="no")], APP: []})
    ending = await resumed(planned(notes.desktop, tmp_path, then, interactor=Person(decides=[])))
    assert (ending.outcome, notes.log) == (Outcome.REJECTED, [])


@pytest.mark.requires("resume.once", "resume.rebuilt")
@pytest.mark.parametrize(
    ("last", "number"),
    [
        (RoundStarted, 1),
        (ActionFinished, 1),  # the host has selected a window, which is not known yet
        (WindowChosen, 1),  # and now it is
        (StepRemembered, 1),
        (TransitionTaken, 1),
        (SubtaskAssigned, 1),
        (ActionFinished, 3),  # a text was read, and is not saved yet
        (StepRemembered, 5),
        (SubtaskArchived, 1),
        (ActionsHeld, 1),
        (ConfirmationAsked, 1),
        (ConfirmationDecided, 1),
        (ActionFinished, 8),  # the held action was carried out
        (SubtaskArchived, 2),
        (RoundFinished, 1),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else str(value),
)
async def test_wherever_a_playbook_is_cut_off_each_effect_is_there_once(
    tmp_path: Path, last: type[Event], number: int
) -> None:
    def plan() -> SessionPlan:
        """Its applications live on in the file of effects."""
        apps = Applications(tmp_path / "effects.log")
        person = Person(decides=[True])
        return planned(apps.desktop, tmp_path / "log", model(tmp_path), interactor=person)

    await cut_off(plan(), last, number)
    ending = await resumed(plan())
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "The note is written and sent")
    assert effects(tmp_path / "effects.log") == EFFECTS
    assert len(of(tmp_path / "log", RanOn)) == 1, "the machine is the same"


BOOK = """\
playbook: 1
name: letter
host:
  - {on: {role: window, name: "/letter/"}, status: ASSIGN, agent: writer, subtask: Write it}
  - {status: FINISH}
agents:
  writer:
    - {tool: set_edit_text, on: {role: textbox, name: Text}, args: {text: Dear Ada}}
    - {tool: invoke, on: {role: button, name: Save}}
    - {tool: set_edit_text, on: {role: textbox, name: Subject}, args: {text: Greetings}}
    - {status: FINISH}
"""


def editor(opened: list[Path]) -> FakeDesktop:
    """A desktop with an editor: each opening shows the file as it is saved."""

    def show(desktop: FakeDesktop, file: Path | None) -> FakeWindow:
        assert file is not None
        opened.append(file)
        saved = FakeControl(Role.CHECKBOX, "Saved", "")
        text = FakeControl(Role.TEXTBOX, "Text", file.read_text())

        def save() -> None:
            file.write_text(text.value)
            saved.value = text.value

        return FakeWindow(
            f"{file.name} - editor",
            [text, FakeControl(Role.TEXTBOX, "Subject"), FakeControl(Role.BUTTON, "Save", on_click=save), saved],
            "editor",
        )

    return FakeDesktop([FakeApplication("editor", show)])


def letter(folder: Path, opened: list[Path], book: str = BOOK) -> SessionPlan:
    """A session on a new desktop with a copy of a letter."""
    file = folder / "letter.txt"
    if not file.exists():
        file.write_text("nothing yet")
    model = PlaybookModel(parse_playbook(book, "letter.yaml"))
    own = Configuration.model_validate(
        {**FAST.model_dump(), "applications": {"editor": {"argv": ["editor"], "argv_with_file": ["editor", "{file}"]}}}
    )
    return planned(editor(opened), folder / "log", model, files=(file,), opens_with="editor", configuration=own)


@pytest.mark.requires("resume.reopened")
async def test_on_another_desktop_an_unsaved_subtask_begins_again_in_the_copy(tmp_path: Path) -> None:
    opened: list[Path] = []
    await cut_off(letter(tmp_path, opened), StepStarted, 3)  # the text is set, nothing is saved
    ending = await resumed(letter(tmp_path, opened))
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "")
    copy = tmp_path / "log" / "documents" / "letter.txt"
    assert opened == [copy, copy]
    assert copy.read_text() == "Dear Ada"
    [told] = of(tmp_path / "log", SessionResumed)
    assert told.windows[-1] == "Nothing of the subtask was saved, so that it begins again."
    assert len(of(tmp_path / "log", DocumentOpened)) == 1


@pytest.mark.requires("resume.reopened")
@pytest.mark.parametrize("last", [SessionStarted, DocumentOpened, RoundStarted])
async def test_a_session_that_was_cut_off_before_its_agents_began_begins_with_its_copy(
    tmp_path: Path, last: type[Event]
) -> None:
    await cut_off(letter(tmp_path, []), last)
    ending = await resumed(letter(tmp_path, []))
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "")
    assert [file.name for file in (tmp_path / "log" / "documents").iterdir()] == ["letter.txt"]
    assert len(of(tmp_path / "log", DocumentOpened)) == 1


@pytest.mark.requires("resume.reopened")
async def test_a_lock_that_its_dead_desktop_left_is_removed_from_the_copy_alone(tmp_path: Path) -> None:
    await cut_off(letter(tmp_path, []), StepStarted, 3)
    lock = tmp_path / "log" / "documents" / ".~lock.letter.txt#"
    own = tmp_path / ".~lock.letter.txt#"
    for file in (lock, own):
        file.write_text(",ada,vm,29.11.2026 04:25,file:///gone;")
    ending = await resumed(letter(tmp_path, []))
    assert ending.outcome is Outcome.SUCCESS
    assert (lock.exists(), own.exists()) == (False, True)


@pytest.mark.requires("resume.reopened", "resume.refused")
async def test_a_locked_file_that_is_no_copy_is_not_opened_again(tmp_path: Path) -> None:
    await cut_off(replace(letter(tmp_path, []), in_place=True), StepStarted, 3)
    (tmp_path / ".~lock.letter.txt#").write_text(",ada,vm,29.11.2026 04:25,file:///elsewhere;")
    opened: list[Path] = []
    ending = await resumed(replace(letter(tmp_path, opened), in_place=True))
    assert (ending.outcome, opened) == (Outcome.ERROR, [])
    assert "letter.txt is locked: ada on vm" in ending.reason


@pytest.mark.requires("resume.told", "resume.reopened")
async def test_a_model_is_told_of_the_unsaved_work_that_was_lost(tmp_path: Path) -> None:
    """Its own button saved the file, which the program cannot tell from any other."""
    texts = ("set_edit_text", "Text"), ("set_edit_text", "Subject")
    write, subject = (say("CONTINUE", tool, on, args={"text": "Ada"}) for tool, on in texts)
    host = [assign("letter.txt - editor", "Write it"), say("FINISH", result="all")]
    agent = "AppAgent/editor"
    first = scripted({"HostAgent": host, agent: [write, say("CONTINUE", "invoke", "Save"), subject]})
    await cut_off(replace(letter(tmp_path, []), model=first), StepStarted, 4)
    then = scripted({"HostAgent": host[1:], agent: [say("FINISH", result="done")]})
    ending = await resumed(replace(letter(tmp_path, []), model=then))
    assert ending.outcome is Outcome.SUCCESS
    assert 'lost, and with it unsaved work in "letter.txt - editor": set_edit_text' in prompt_of(then.requests[0])


@pytest.mark.requires("resume.reopened", "resume.stopped")
@pytest.mark.parametrize(
    ("at", "number"),
    [(StepStarted, 1), (StepStarted, 3), (VerdictGiven, 2), (ActionIntended, 2)],
    ids=["the host looks", "an agent looks", "it is about to act", "it acts"],
)
async def test_a_session_that_ended_as_its_desktop_was_lost_is_resumed_on_another(
    tmp_path: Path, at: type[Event], number: int
) -> None:
    opened: list[Path] = []
    plan = letter(tmp_path, opened)
    lost = Losing(plan.opens, at, number)
    with Journal(plan.session_dir, SystemClock()) as journal:
        ending = await carry_out(replace(plan, opens=lost.opened, listeners=(lost,)), journal, SystemClock())
    assert (ending.outcome, "is gone" in ending.reason) == (Outcome.ERROR, True)
    assert of(tmp_path / "log", SessionFinished)
    ending = await resumed(letter(tmp_path, opened))
    copy = tmp_path / "log" / "documents" / "letter.txt"
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "")
    assert (opened, copy.read_text()) == ([copy, copy], "Dear Ada")
    with pytest.raises(UsageError, match="has ended"):
        await resumed(letter(tmp_path, opened))


@dataclass
class Losing:
    """The desktop of a session is lost at the n-th event of a kind."""

    opens: OpenDesktop
    at: type[Event]
    left: int
    desktop: FakeDesktop | None = None

    @asynccontextmanager
    async def opened(self, choice: str, session_id: str, root: Path) -> AsyncGenerator[Desktop]:
        async with self.opens(choice, session_id, root) as desktop:
            assert isinstance(desktop, FakeDesktop)
            self.desktop = desktop
            yield desktop

    def emit(self, event: Event) -> None:
        self.left -= isinstance(event, self.at)
        if self.desktop is not None and not self.left:
            self.desktop.faults.lost_desktop = True


@pytest.mark.requires("resume.reopened", "resume.once")
async def test_a_session_survives_the_loss_of_two_desktops(tmp_path: Path) -> None:
    opened: list[Path] = []
    await cut_off(letter(tmp_path, opened), StepStarted, 3)
    known, _ = to_resume(tmp_path / "log", FAST.system.history_keys)
    await cut_off(replace(letter(tmp_path, opened), resumes=known), ActionFinished)
    ending = await resumed(letter(tmp_path, opened))
    copy = tmp_path / "log" / "documents" / "letter.txt"
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "")
    assert (opened, copy.read_text()) == ([copy] * 3, "Dear Ada")
    assert len(of(tmp_path / "log", SessionResumed)) == 2


@pytest.mark.requires("resume.once")
async def test_on_the_same_desktop_a_written_file_shows_that_a_save_was_done(tmp_path: Path) -> None:
    saves = 'keyboard_input, args: {keys: "{VK_CONTROL}s"}'
    plan = letter(tmp_path, [], BOOK.replace("invoke, on: {role: button, name: Save}", saves))
    await cut_off(plan, ActionIntended, 3)
    (tmp_path / "log" / "documents" / "letter.txt").write_text("Dear Ada")
    ending = await resumed(plan)
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "")
    [saved] = [event for event in of(tmp_path / "log", ActionFinished) if event.tool == "keyboard_input"]
    assert "the document was written after it was sent" in saved.evidence


@pytest.mark.requires("resume.reopened")
@pytest.mark.parametrize(("last", "number"), [(ActionFinished, 4), (StepRemembered, 4)])
async def test_unsaved_work_after_a_save_is_not_passed_over(tmp_path: Path, last: type[Event], number: int) -> None:
    """Also that of a step whose record was never written."""
    saves = 'keyboard_input, args: {keys: "{VK_CONTROL}s"}'
    book = BOOK.replace("invoke, on: {role: button, name: Save}", saves)
    await cut_off(letter(tmp_path, [], book), last, number)
    assert [event.tool for event in of(tmp_path / "log", ActionFinished)][-2:] == ["keyboard_input", "set_edit_text"]
    change(  # the editor does not take the keys
        tmp_path / "log",
        """UPDATE events SET body = json_set(body, '$.item.action[0].effect', 'confirmed')
        WHERE kind = 'step_remembered' AND json_extract(body, '$.step') = 3""",
    )
    (tmp_path / "log" / "documents" / "letter.txt").write_text("Dear Ada")
    ending = await resumed(letter(tmp_path, [], book))
    assert ending.outcome is Outcome.FAILED
    assert 'lost, and with it unsaved work in "letter.txt - editor": set_edit_text' in ending.reason


@pytest.mark.requires("resume.reopened")
@pytest.mark.parametrize("jumped_back", [False, True], ids=["", "the clock jumped back before it was written"])
async def test_unsaved_work_that_no_playbook_repeats_ends_the_session_by_name(
    tmp_path: Path, *, jumped_back: bool
) -> None:
    opened: list[Path] = []
    await cut_off(letter(tmp_path, opened), StepStarted, 4)  # the button wrote the file, which the program cannot tell
    if jumped_back:
        os.utime(tmp_path / "log" / "documents" / "letter.txt", (1, 1))
    ending = await resumed(letter(tmp_path, opened))
    assert ending.outcome is Outcome.FAILED
    assert 'lost, and with it unsaved work in "letter.txt - editor": set_edit_text' in ending.reason


@pytest.mark.requires("resume.reopened", "resume.once")
@pytest.mark.parametrize("was_written", [True, False])
async def test_of_a_save_that_was_cut_off_with_its_desktop_the_file_shows_if_it_was_done(
    tmp_path: Path, was_written: bool
) -> None:
    book = """\
playbook: 1
name: letter
host:
  - {on: {role: window, name: "/letter/"}, status: ASSIGN, agent: writer, subtask: Write it}
  - {status: FINISH}
agents:
  writer:
    - {tool: set_edit_text, on: {role: textbox, name: Text}, args: {text: Dear Ada}}
    - {tool: invoke, on: {role: button, name: Save}}
    - {tool: set_edit_text, on: {role: textbox, name: Text}, args: {text: Dear Bob}}
    - {tool: keyboard_input, args: {keys: "{VK_CONTROL}s"}}
    - {status: FINISH}
"""
    await cut_off(letter(tmp_path, [], book), ActionIntended, 5)
    assert of(tmp_path / "log", ActionIntended)[-1].tool == "keyboard_input"
    copy = tmp_path / "log" / "documents" / "letter.txt"
    if was_written:
        copy.write_text("Dear Bob")
        os.utime(copy, (1, 1))  # the clock jumped back before it
    ending = await resumed(letter(tmp_path, [], book))
    assert (ending.outcome is Outcome.SUCCESS) is was_written, ending.reason
    assert ("lost, and with it unsaved work" in ending.reason) is not was_written
    assert copy.read_text() == ("Dear Bob" if was_written else "Dear Ada")


def as_if_saved_as(log: Path, path: Path) -> None:
    """The editor has no dialog for that: the button of step 3 counts as such a save."""
    statement = """UPDATE events SET body = json_set(body, '$.item.action[0].effect', 'confirmed',
        '$.item.action[0].function', 'choose_file',
        '$.item.action[0].arguments', json('{"path": "PATH", "create": true}'))
        WHERE kind = 'step_remembered' AND json_extract(body, '$.step') = 3"""
    change(log, statement.replace("PATH", str(path)))


@pytest.mark.requires("resume.reopened")
async def test_a_document_saved_as_another_file_is_gone_on_with_in_that_file(tmp_path: Path) -> None:
    again = """\
    - {tool: set_edit_text, on: {role: textbox, name: Text}, args: {text: Dear Bob}}
    - {tool: invoke, on: {role: button, name: Save}}
    - {status: FINISH}
"""
    book = BOOK.replace("    - {status: FINISH}\n", again)
    await cut_off(letter(tmp_path, [], book), StepStarted, 4)
    copy, other = tmp_path / "log" / "documents" / "letter.txt", tmp_path / "other letter.txt"
    copy.rename(other)
    copy.write_text("nothing yet")
    as_if_saved_as(tmp_path / "log", other)
    opened: list[Path] = []
    ending = await resumed(letter(tmp_path, opened, book))
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "")
    assert (opened, other.read_text(), copy.read_text()) == ([copy, other], "Dear Bob", "nothing yet")
    [told] = of(tmp_path / "log", SessionResumed)
    assert told.windows == ['The desktop was lost; "letter.txt - editor" was opened again.']


@pytest.mark.requires("resume.reopened")
@pytest.mark.parametrize("is_locked", [False, True])
async def test_a_file_that_a_document_was_saved_as_and_that_cannot_be_opened_is_named(
    tmp_path: Path, *, is_locked: bool
) -> None:
    await cut_off(letter(tmp_path, []), StepStarted, 4)
    other = tmp_path / "other.txt"
    if is_locked:
        other.write_text("Dear Ada")
        (tmp_path / ".~lock.other.txt#").write_text(",ada,vm,29.11.2026 04:25,file:///elsewhere;")
    as_if_saved_as(tmp_path / "log", other)
    ending = await resumed(letter(tmp_path, []))
    assert ending.outcome is Outcome.FAILED
    assert f'"letter.txt - editor" was saved as {other}, which is not opened again: ' in ending.reason
    assert ("is locked: ada on vm" if is_locked else "is gone") in ending.reason


@pytest.mark.requires("resume.refused")
async def test_a_document_that_is_gone_is_named(tmp_path: Path) -> None:
    await cut_off(letter(tmp_path, []), StepStarted, 3)
    (tmp_path / "log" / "documents" / "letter.txt").unlink()
    ending = await resumed(letter(tmp_path, []))
    assert ending.outcome is Outcome.ERROR
    assert "letter.txt is gone" in ending.reason


async def finished(folder: Path) -> SessionPlan:
    notes = Notes()
    plan = planned(notes.desktop, folder, scripted({"HostAgent": [say("FINISH")]}))
    with Journal(folder, SystemClock()) as journal:
        await carry_out(plan, journal, SystemClock())
    return plan


@pytest.mark.requires("resume.refused")
async def test_a_session_that_has_ended_is_not_resumed(tmp_path: Path) -> None:
    plan = await finished(tmp_path)
    with pytest.raises(UsageError, match="s1 has ended: there is nothing to resume"):
        await resumed(plan)


@pytest.mark.requires("resume.refused")
async def test_a_session_that_another_process_continues_is_refused(tmp_path: Path) -> None:
    notes = Notes()
    plan = planned(notes.desktop, tmp_path, scripted({"HostAgent": HOST, APP: [WRITES]}))
    await cut_off(plan, StepStarted, 2)
    with Journal(tmp_path, SystemClock()), pytest.raises(StoreBusy, match=r"Process \d+ already holds"):
        await resumed(plan)


def change(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / JOURNAL_NAME, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


OLDER = """UPDATE events SET v = 1, body = json_set(json_remove(body, '$.options', '$.message', '$.last', '$.position',
'$.fingerprint', '$.before', '$.expect', '$.save_as', '$.part_of', '$.verdict', '$.handle', '$.pid', '$.is_agent',
'$.digest', '$.stamp', '$.healing'), '$.v', 1) WHERE v > 1"""


@pytest.mark.requires("resume.refused", "journal.versioned")
async def test_a_journal_of_the_version_before_is_reported_and_not_resumed(tmp_path: Path) -> None:
    notes = Notes()
    plan = planned(notes.desktop, tmp_path, scripted({"HostAgent": HOST, APP: [WRITES, SAVES]}))
    await cut_off(plan, ActionIntended, 3)
    change(
        tmp_path,
        OLDER,
        "UPDATE events SET body = json_remove(body, '$.step') WHERE kind = 'subtask_assigned'",
        "DELETE FROM events WHERE kind = 'window_chosen'",
    )
    assert {event.v for event in read_events(tmp_path)} == {1}
    assert "Whether its last action happened is unknown: invoke" in summarise(tmp_path).reason
    assert "Notes" in render_report(tmp_path)
    with pytest.raises(UsageError, match="did not note all that a continuation needs"):
        await resumed(plan)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (["PRAGMA user_version = 9"], "has format 9"),
        (["UPDATE events SET v = 3 WHERE kind = 'session_started'"], "'session_started' in version 3"),
        (["UPDATE events SET body = '{' WHERE seq = 4"], "is damaged"),
        (["PRAGMA application_id = 7"], "is a database, but not a journal"),
    ],
    ids=["newer", "newer event", "damaged", "foreign"],
)
@pytest.mark.requires("resume.refused")
async def test_a_journal_that_cannot_be_read_is_refused(tmp_path: Path, damage: Sequence[str], message: str) -> None:
    plan = await finished(tmp_path)
    change(tmp_path, *damage)
    with pytest.raises(StoreError, match=message):
        await resumed(plan)


@pytest.mark.requires("resume.refused")
async def test_a_torn_page_is_refused(tmp_path: Path) -> None:
    plan = await finished(tmp_path)
    file = tmp_path / JOURNAL_NAME
    torn = bytearray(file.read_bytes())
    torn[4096:8192] = bytes(4096)
    file.write_bytes(torn)
    with pytest.raises(StoreError, match="database disk image is malformed"):
        await resumed(plan)


@pytest.mark.requires("resume.refused")
def test_a_folder_without_a_journal_is_no_session(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no journal"):
        find_session(str(tmp_path))
    with pytest.raises(StoreError, match="There is no journal"):
        to_resume(tmp_path)


@pytest.mark.requires("resume.rebuilt")
async def test_a_clock_that_jumped_back_gives_no_time_back(tmp_path: Path) -> None:
    notes = Notes()
    plan = planned(notes.desktop, tmp_path, scripted({"HostAgent": HOST, APP: [WRITES, SAVES]}))
    await cut_off(plan, StepStarted, 3)
    before, _ = to_resume(tmp_path)
    change(tmp_path, "UPDATE events SET body = json_set(body, '$.at', 1.0) WHERE seq > 30")
    after, _ = to_resume(tmp_path)
    assert 0 < after.spending.seconds <= before.spending.seconds
    assert replace(before.spending, seconds=0) == replace(after.spending, seconds=0)


@pytest.mark.requires("resume.rebuilt")
async def test_an_open_question_is_asked_again_and_its_answer_is_kept(tmp_path: Path) -> None:
    notes = Notes()
    asks = say("PENDING", questions=["Which one?"])
    asked = Configuration(system=FAST.system.model_copy(update={"ask_question": True}))
    first = Person(says={"Which one?": ""}, when_asked=lambda: None)
    plan = planned(
        notes.desktop, tmp_path, scripted({"HostAgent": HOST, APP: [asks]}), interactor=first, configuration=asked
    )
    await cut_off(plan, QuestionsAsked)
    then = scripted({"HostAgent": HOST[1:], APP: [say("FINISH", "invoke", "Save", result="saved")]})
    second = Person(says={"Which one?": "this"})
    ending = await resumed(planned(notes.desktop, tmp_path, then, interactor=second, configuration=asked))
    assert (ending.outcome, second.questions, notes.log) == (Outcome.SUCCESS, ["Which one?"], ["Save"])
    assert "Which one? → this" in prompt_of(then.requests[0])


@pytest.mark.requires("resume.rebuilt")
@pytest.mark.parametrize(("last", "number"), [(SubtaskAssigned, 2), (StepRemembered, 4), (SubtaskArchived, 1)])
async def test_a_plan_goes_on_with_the_step_that_was_cut_off(tmp_path: Path, last: type[Event], number: int) -> None:
    notes = Notes()
    follower = Configuration(system=FAST.system.model_copy(update={"mode": "follower"}))

    def plan(replies: list[Answer]) -> SessionPlan:
        return planned(
            notes.desktop,
            tmp_path,
            scripted({APP: replies}),
            requests=("Save", "Save again"),
            task="Save twice",
            configuration=follower,
        )

    done = say("FINISH", "invoke", "Save", result="saved")
    await cut_off(plan([done, done]), last, number)
    ending = await resumed(plan([done] * (2 - len(notes.log))))
    assert (ending.outcome, notes.log) == (Outcome.SUCCESS, ["Save", "Save"])
    assert [event.request for event in of(tmp_path, RoundStarted)] == ["Save", "Save again"]


@pytest.mark.requires("resume.rebuilt")
async def test_an_agent_without_a_window_goes_on(tmp_path: Path) -> None:
    notes = Notes()
    host = [assign("ShellAgent", "Count"), say("FINISH", result="two")]

    def plan(host: list[Answer], replies: list[Answer]) -> SessionPlan:
        model = scripted({"HostAgent": host, "ShellAgent": replies})
        return planned(notes.desktop, tmp_path, model)

    await cut_off(plan(host, [say("CONTINUE"), say("CONTINUE")]), StepRemembered, 3)
    ending = await resumed(plan(host[1:], [say("FINISH", result="two")]))
    assert (ending.outcome, ending.reason) == (Outcome.SUCCESS, "two")
    [told] = of(tmp_path, SubtaskArchived)
    assert (told.agent, told.result) == ("ShellAgent", "two")
