"""A person at the desktop, seen from a session: it waits, says so, and ends when it is stopped."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest

from deskhand.config.sections import Configuration, SystemSection
from deskhand.core.context import Context
from deskhand.core.events import ActionFinished, Event, PauseBegan, PauseEnded, RoundFinished
from deskhand.core.model import ModelRequest
from deskhand.core.ports import EventSink
from deskhand.desktop.fake import FakeDesktop
from deskhand.desktop.user_guard import Guard, GuardRules, PauseEnd, PersonMode
from deskhand.models.scripted import ScriptedReply
from deskhand.report.html import render_report
from deskhand.report.summary import summarise
from deskhand.session.budgets import Budgets
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.interactors import AutoInteractor
from deskhand.session.round import Ending
from deskhand.session.user_guard_rules import STOP_KEY, guard_rules, pauses_told
from deskhand.store.journal import read_events
from notes import APP, Notes
from stage import Answer, Clock, Events, assign, say, scripted

QUIET_S = 0.05
PRESS: Answer = say("CONTINUE", "invoke", "Save")
DONE: Answer = say("FINISH")


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Pictures are written on a thread, which takes time that passes."""
    return "asyncio"


@dataclass
class Ran:
    notes: Notes
    ending: Ending
    events: Sequence[Event]
    folder: Path


def meanwhile(happens: Callable[[], None], reply: Answer) -> Answer:
    """Something happens while the model thinks."""

    def answer(request: ModelRequest) -> ScriptedReply:
        happens()
        return reply(request)

    return answer


@dataclass
class LetsGo:
    """A person who lets go of what they hold when the session pauses."""

    guard: Guard

    def emit(self, event: Event) -> None:
        if isinstance(event, PauseBegan):
            self.guard.person("moved the pointer")


async def run(
    folder: Path, notes: Notes, replies: Sequence[Answer], listeners: tuple[EventSink, ...] = (), **settings: object
) -> Ran:
    @asynccontextmanager
    async def opens(_choice: str, _session: str, _root: Path) -> AsyncGenerator[FakeDesktop]:
        yield notes.desktop

    given = {"person": "pause", "person_quiet_s": QUIET_S, **settings}
    plan = SessionPlan(
        session_id="s1",
        session_dir=folder,
        requests=("Save it",),
        model=scripted({"HostAgent": [assign("Notes", "Save it"), say("FINISH")], APP: replies}),
        configuration=Configuration(system=SystemSection.model_validate(given)),
        opens=opens,
        listeners=listeners,
    )
    with anyio.fail_after(20):
        ending = await run_session(plan)
    return Ran(notes, ending, list(read_events(folder)), folder)


def of(ran: Ran, kind: type[Event]) -> list[Event]:
    return [event for event in ran.events if isinstance(event, kind)]


@pytest.mark.requires("guard.pause", "guard.told")
async def test_while_a_person_acts_nothing_is_sent_and_then_it_goes_on(tmp_path: Path) -> None:
    notes = Notes()
    guard = notes.desktop.guard
    acts = meanwhile(lambda: guard.person("moved the pointer", holding=True), PRESS)
    ran = await run(tmp_path, notes, [acts, DONE], (LetsGo(guard),))
    assert (ran.ending.outcome, notes.log) == ("success", ["Save"])
    (began,), (ended,) = of(ran, PauseBegan), of(ran, PauseEnded)
    assert isinstance(began, PauseBegan)
    assert isinstance(ended, PauseEnded)
    assert (began.reason, ended.how) == ("the user moved the pointer", "quiet")
    assert ended.seconds > 0
    sent = next(event for event in ran.events if isinstance(event, ActionFinished) and event.tool == "invoke")
    assert ran.events.index(began) < ran.events.index(ended) < ran.events.index(sent)
    assert "the user moved the pointer" in render_report(tmp_path)


@pytest.mark.requires("viewer.pause")
@pytest.mark.parametrize("has_viewer", [True, False])
async def test_on_a_private_desktop_it_waits_for_the_user_of_a_viewer_alone(tmp_path: Path, has_viewer: bool) -> None:
    notes = Notes()
    guard = notes.desktop.guard

    def acts() -> None:
        guard.viewer(is_open=has_viewer)
        guard.person("moved the pointer", holding=True)

    ran = await run(tmp_path, notes, [meanwhile(acts, PRESS), DONE], (LetsGo(guard),), person=None)
    assert (ran.ending.outcome, notes.log) == ("success", ["Save"])
    assert len(of(ran, PauseBegan)) == has_viewer


@pytest.mark.requires("guard.pause")
def test_waiting_for_a_person_is_not_time_of_the_session(tmp_path: Path) -> None:
    clock, guard = Clock(), Guard()
    context = Context("s1", tmp_path, Events(), clock, AutoInteractor())
    budgets = Budgets(SystemSection(max_seconds=10.0), clock.monotonic())
    with pauses_told(guard, context):
        clock.time_s += 300
        guard.on_resume(PauseEnd.QUIET, 295.0)
    assert budgets.left_s(context) == 5
    assert context.presence is guard


@pytest.mark.requires("guard.patience")
async def test_somebody_who_stays_ends_it_as_nobody_answering_does(tmp_path: Path) -> None:
    notes = Notes()
    acts = meanwhile(lambda: notes.desktop.guard.person("pressed a key", holding=True), PRESS)
    ran = await run(tmp_path, notes, [acts], person_timeout=0.1)
    assert (ran.ending.outcome, ran.ending.exit_code, notes.log) == ("timeout", 6, [])
    assert [event.outcome for event in ran.events if isinstance(event, RoundFinished)] == ["timeout"]
    assert len(of(ran, PauseBegan)) == 1


@pytest.mark.requires("guard.stop-key")
async def test_a_person_stops_it_and_that_is_cancelled(tmp_path: Path) -> None:
    notes = Notes()
    stops = meanwhile(lambda: notes.desktop.guard.stop("the user pressed ctrl+alt+shift+escape"), PRESS)
    ran = await run(tmp_path, notes, [stops, DONE])
    assert (ran.ending.outcome, ran.ending.exit_code, notes.log) == ("cancelled", 6, [])
    assert ran.ending.reason == "the user pressed ctrl+alt+shift+escape"
    assert summarise(tmp_path).outcome == "cancelled"


@pytest.mark.requires("guard.person")
async def test_where_a_person_means_the_end_the_first_thing_they_do_is_it(tmp_path: Path) -> None:
    notes = Notes()
    acts = meanwhile(lambda: notes.desktop.guard.person("moved the pointer"), PRESS)
    ran = await run(tmp_path, notes, [acts, DONE], person="stop")
    assert (ran.ending.outcome, notes.log) == ("cancelled", [])


@pytest.mark.requires("guard.person")
@pytest.mark.parametrize(
    ("shared", "settings", "person", "stop_key"),
    [
        (True, {}, PersonMode.PAUSE, STOP_KEY),
        (False, {}, PersonMode.IGNORE, ""),
        (False, {"person": "pause", "stop_key": "ctrl+f12"}, PersonMode.PAUSE, "ctrl+f12"),
        (True, {"person": "ignore", "stop_key": ""}, PersonMode.IGNORE, ""),
    ],
)
def test_a_desktop_that_people_share_is_guarded_unless_the_settings_say_otherwise(
    shared: bool,
    settings: dict[str, object],
    person: PersonMode,
    stop_key: str,
) -> None:
    rules = guard_rules(SystemSection.model_validate(settings), shared=shared)
    assert (rules.person, rules.stop_key) == (person, stop_key)
    assert rules.watches is (rules != GuardRules(quiet_s=rules.quiet_s, patience_s=rules.patience_s))
