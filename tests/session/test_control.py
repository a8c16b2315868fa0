"""A running session, looked at, answered, taken over and stopped over its socket."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import anyio
import pytest

from deskhand.config.sections import Configuration, PolicySection, SystemSection
from deskhand.core.errors import DesktopBusy, UsageError
from deskhand.core.events import (
    ActionFinished,
    AnsweredFrom,
    ConfirmationDecided,
    Event,
    HandedBack,
    PauseBegan,
    PauseEnded,
    QuestionsAnswered,
    StepFinished,
    TakenOver,
)
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Interactor
from deskhand.models.playbook import PlaybookModel
from deskhand.models.playbook_file import load_playbook
from deskhand.models.scripted import ScriptedModel
from deskhand.report.html import render_report
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.control_client import RunningSession, running_session
from deskhand.session.control_messages import socket_name
from deskhand.session.interactors import AutoInteractor, NeverInteractor
from deskhand.session.round import Ending
from deskhand.session.running_sessions import announced
from deskhand.store.journal import read_events
from notes import APP, CONFIRM_DELETE, Notes
from stage import Answer, assign, rule, say, scripted

PLAYBOOK = """\
playbook: 1
name: save
host:
  - {on: {role: window, name: Notes}, status: ASSIGN, agent: notes, subtask: Save it}
  - {status: FINISH}
agents:
  notes:
    - {tool: invoke, on: {role: button, name: Save}}
    - {tool: invoke, on: {role: button, name: Tidy}}
    - {status: FINISH}
"""
HOST: list[Answer] = [assign("Notes", "Tidy up"), say("FINISH")]
E = TypeVar("E", bound=Event)
Person = Callable[[RunningSession], Awaitable[None]]


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """A socket takes time that passes."""
    return "asyncio"


class Slow(ScriptedModel):
    """While an application's agent is asked for the step of this number, a person does something."""

    def __init__(self, script: ScriptedModel, step: int, person: Callable[[], Awaitable[None]]) -> None:
        super().__init__(())
        self._inner, self._step, self._person = script, step, person

    async def respond(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        if request.agent_name == APP and len([each for each in self.requests if each.agent_name == APP]) == self._step:
            await self._person()
        return await self._inner.respond(request)


@dataclass
class Ran:
    notes: Notes
    model: Slow
    folder: Path
    ending: Ending = field(default_factory=lambda: Ending(Outcome.ERROR, ""))

    @property
    def events(self) -> list[Event]:
        return list(read_events(self.folder))


async def session(
    folder: Path,
    steps: Sequence[Answer],
    person: Person,
    *,
    during: int = 1,
    interactor: Interactor | None = None,
    rules: str = "",
    notes: Notes | None = None,
) -> Ran:
    """Run a session; while its model thinks about a step, `person` is at the other end of its socket."""
    notes = notes or Notes()

    stack = AsyncExitStack()

    async def connected() -> None:
        await person(await stack.enter_async_context(running_session(folder / "log", "Ada")))

    model = Slow(scripted({"HostAgent": HOST, APP: steps}), during, connected)
    ran = Ran(notes, model, folder / "log")
    (folder / "rules.yaml").write_text(rules or "policy: 1\nrules: []\n")
    plan = SessionPlan(
        "s1", folder / "log", ("Tidy up",), model,
        opens=notes.desktop.opened, interactor=interactor or AutoInteractor(),
        configuration=Configuration(
            system=SystemSection(ask_timeout=10.0), policy=PolicySection(files=(folder / "rules.yaml",))
        ),
    )  # fmt: skip
    with anyio.fail_after(20):
        async with stack:
            ran.ending = await run_session(plan)
    return ran


def of(ran: Ran, kind: type[E]) -> list[E]:
    return [event for event in ran.events if isinstance(event, kind)]


@pytest.mark.requires("control.take-over")
async def test_what_a_person_did_meanwhile_is_seen_before_anything_is_sent(tmp_path: Path) -> None:
    async def person(running: RunningSession) -> None:
        state = await running.pause()
        assert (state.held_by, state.session) == ("Ada", "s1")
        ran_on.text.value = "written by Ada"
        ran_on.save.name = "Save as"
        assert (await running.hand_back("I wrote the text")).held_by == ""

    ran_on = Notes()
    again = say("FINISH", "invoke", "Save as", result="saved")
    ran = await session(tmp_path, [say("CONTINUE", "invoke", "Save"), again], person, notes=ran_on)
    assert (ran.ending.outcome, ran_on.log) == (Outcome.SUCCESS, ["Save"])
    skipped, pressed = of(ran, ActionFinished)[-2:]
    assert (skipped.status, skipped.delivered, "had the desktop" in skipped.evidence) == ("skipped", False, True)
    assert pressed.effect == "confirmed"
    (taken,), (back,) = of(ran, TakenOver), of(ran, HandedBack)
    assert (taken.by, back.by, back.note) == ("Ada", "Ada", "I wrote the text")
    assert any("written by Ada" in line for line in back.changes)
    assert any("Save as" in line for line in back.changes)
    first, second = (request.warnings for request in ran.model.requests if request.agent_name == APP)
    assert first == ()
    assert "The user says: I wrote the text" in second[0]
    assert all(event.problem == "" for event in of(ran, StepFinished))
    page = render_report(ran.folder)
    assert "Handed back by" in page
    assert "I wrote the text" in page


@pytest.mark.requires("control.take-over")
async def test_the_agent_waits_as_long_as_the_person_has_the_desktop(tmp_path: Path) -> None:
    notes, held = Notes(), anyio.Event()

    async def person(running: RunningSession) -> None:
        await running.pause()
        held.set()

    async def later() -> None:
        await held.wait()
        async with running_session(tmp_path / "log", "Grace") as running:
            with pytest.raises(DesktopBusy, match="Ada has the desktop"):
                await running.pause()
            assert notes.log == []
            while not of(ran, PauseBegan):
                await anyio.lowlevel.checkpoint()
            await running.hand_back()

    ran = Ran(notes, Slow(scripted({}), 0, held.wait), tmp_path / "log")
    done: list[Ran] = []
    async with anyio.create_task_group() as group:
        group.start_soon(later)
        steps = [say("CONTINUE", "invoke", "Save"), say("FINISH", "invoke", "Save")]
        done.append(await session(tmp_path, steps, person, notes=notes))
    assert (done[0].ending.outcome, notes.log) == (Outcome.SUCCESS, ["Save"])
    (ended,) = of(done[0], PauseEnded)
    assert ended.how == "handed_back"


@pytest.mark.requires("control.take-over")
async def test_a_step_of_a_playbook_is_made_anew_after_the_hand_back(tmp_path: Path) -> None:
    (tmp_path / "save.yaml").write_text(PLAYBOOK)
    notes = Notes()

    async def person() -> None:
        async with running_session(tmp_path / "log", "Ada") as running:
            await running.pause()
            await running.hand_back()

    class SlowPlaybook(PlaybookModel):
        async def respond(self, request: ModelRequest) -> ModelReply:
            if request.agent_name == APP and not request.was_taken_over:
                await person()
            return await super().respond(request)

    model = SlowPlaybook(load_playbook(tmp_path / "save.yaml"))
    plan = SessionPlan("s1", tmp_path / "log", ("Save it",), model, opens=notes.desktop.opened)
    ending = await run_session(plan)
    assert (ending.outcome, notes.log) == (Outcome.SUCCESS, ["Save", "Tidy"])


@pytest.mark.requires("control.answers")
async def test_the_first_answer_counts_wherever_it_comes_from(tmp_path: Path) -> None:
    async def person(running: RunningSession) -> None:
        await running.attend()
        background.append(asyncio.ensure_future(answer(running)))

    async def answer(running: RunningSession) -> None:
        state = await running.state()
        while not state.waits:
            state = await running.state()
        with pytest.raises(UsageError, match="answers an open question"):
            await running.answer(state.waits, {"Which?": " "})
        with pytest.raises(UsageError, match="question is open"):
            await running.decide(state.waits, approve=True)
        await running.answer(state.waits, {"Which?": "this"})
        with pytest.raises(UsageError, match="has been answered"):
            await running.answer(state.waits, {"Which?": "that"})

    background: list[asyncio.Future[None]] = []
    asks = say("PENDING", questions=["Which?"])
    ran = await session(tmp_path, [asks, say("FINISH", "invoke", "Save")], person)
    await asyncio.gather(*background)
    (answered,), (by,) = of(ran, QuestionsAnswered), of(ran, AnsweredFrom)
    assert (answered.answers, answered.how) == ({"Which?": "this"}, "person")
    assert (by.what, by.by) == ("question", "Ada")
    assert ran.ending.outcome is Outcome.SUCCESS


@pytest.mark.requires("control.answers")
@pytest.mark.parametrize("approve", [True, False])
async def test_a_confirmation_is_given_at_the_other_end(tmp_path: Path, *, approve: bool) -> None:
    async def person(running: RunningSession) -> None:
        await running.attend()
        background.append(asyncio.ensure_future(decide(running)))

    async def decide(running: RunningSession) -> None:
        state = await running.state()
        while not state.waits:
            state = await running.state()
        await running.decide(state.waits, approve=approve)

    background: list[asyncio.Future[None]] = []
    deletes = [say("CONTINUE", "invoke", "Delete"), say("FINISH")]
    ran = await session(tmp_path, deletes, person, rules=rule(CONFIRM_DELETE, "confirm"))
    await asyncio.gather(*background)
    (decided,) = of(ran, ConfirmationDecided)
    assert decided.decision == ("approved" if approve else "rejected")
    assert ran.notes.log == (["Delete"] if approve else [])


@pytest.mark.requires("control.answers")
async def test_a_decision_that_was_made_beforehand_is_not_overruled(tmp_path: Path) -> None:
    async def person(running: RunningSession) -> None:
        await running.attend()

    deletes = [say("CONTINUE", "invoke", "Delete")]
    ran = await session(tmp_path, deletes, person, rules=rule(CONFIRM_DELETE, "confirm"), interactor=NeverInteractor())
    assert (ran.ending.outcome, ran.notes.log) == (Outcome.REJECTED, [])


@pytest.mark.requires("control.stop")
async def test_a_session_is_stopped_at_the_other_end(tmp_path: Path) -> None:
    async def person(running: RunningSession) -> None:
        await running.stop()

    ran = await session(tmp_path, [say("FINISH", "invoke", "Save")], person)
    assert (ran.ending.outcome, ran.ending.reason, ran.notes.log) == (Outcome.CANCELLED, "Ada stopped it", [])


@pytest.mark.requires("control.take-over")
async def test_nothing_is_handed_back_that_nobody_took(tmp_path: Path) -> None:
    async def person(running: RunningSession) -> None:
        with pytest.raises(UsageError, match="nobody has taken"):
            await running.hand_back()

    assert (await session(tmp_path, [say("FINISH", "invoke", "Save")], person)).ending.outcome is Outcome.SUCCESS


@pytest.mark.requires("control.socket")
async def test_nonsense_on_the_socket_gets_an_error_and_the_session_goes_on(tmp_path: Path) -> None:
    async def person(running: RunningSession) -> None:
        reader, writer = await asyncio.open_unix_connection(socket_name(tmp_path / "log"))
        for line in (b"{}\n", b"hello\n", b'{"do": "take"}\n'):
            writer.write(line)
            assert json.loads(await reader.readline())["error"]["type"] == "UsageError"
        writer.write(b"x" * 2_000_000)
        with suppress(ConnectionError):
            assert await reader.read() == b""
        writer.close()
        assert (await running.state()).held_by == ""

    assert (await session(tmp_path, [say("FINISH", "invoke", "Save")], person)).ending.outcome is Outcome.SUCCESS
    with pytest.raises(UsageError, match="does not run here"):
        async with running_session(tmp_path / "log", "Ada"):
            pass


@pytest.mark.requires("control.socket")
async def test_a_session_that_has_begun_and_not_opened_its_desktop_is_waited_for(tmp_path: Path) -> None:
    seen: list[str] = []

    async def early() -> None:
        async with running_session(tmp_path / "log", "Grace") as running:
            seen.append((await running.state()).session)
        connected.set()

    async def person(_: RunningSession) -> None:
        await connected.wait()

    connected = anyio.Event()
    with announced("session", "s1", "virtual", folder=tmp_path / "log"):
        async with anyio.create_task_group() as group:
            group.start_soon(early)
            await anyio.wait_all_tasks_blocked()
            await session(tmp_path, [say("FINISH", "invoke", "Save")], person)
    assert seen == ["s1"]
