"""Cancelling a session, wherever it is: it ends, says so, and archives what was open once (contract 2.3)."""

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from deskhand.core.events import (
    Event,
    RoundFinished,
    SessionFinished,
    SubtaskArchived,
    SubtaskAssigned,
)
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Answers, ConfirmationRequest
from deskhand.desktop.fake import FakeDesktop
from deskhand.report.summary import summarise
from deskhand.session.build import SessionPlan, run_session
from deskhand.store.journal import read_events
from notes import APP, CONFIRM_DELETE, Notes
from stage import Answer, Person, Stage, assign, rule, say, scripted, stage
from support import FULL


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Pictures are written on a thread, which takes time that passes."""
    return "asyncio"


WHICH = "Which name?"
HOST: Sequence[Answer] = (assign("Notes", "Tidy up"), assign("Notes", "Save"), say("FINISH", result="done"))
AGENT: Sequence[Answer] = (
    say("CONTINUE", "set_edit_text", "Text", args={"text": "Ada"}),
    say("PENDING", questions=[WHICH]),
    say("CONTINUE", "invoke", "Delete"),
    say("SCREENSHOT", "invoke", "Tidy"),
    say("FINISH"),
    say("FINISH", "invoke", "Save"),
)


class Slow(Person):
    """Takes a moment, so that a session can be cancelled while it waits for a person."""

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        await anyio.lowlevel.checkpoint()
        return await super().ask(agent, questions)

    async def confirm(self, request: ConfirmationRequest) -> bool:
        await anyio.lowlevel.checkpoint()
        return await super().confirm(request)


def staged(notes: Notes, log_path: Path) -> Stage:
    person = Slow(says={WHICH: "Ada"}, decides=[True])
    replies: Mapping[str, Sequence[Answer]] = {"HostAgent": HOST, APP: AGENT}
    return stage(notes.desktop, replies, log_path=log_path, person=person, rules=rule(CONFIRM_DELETE, "confirm"))


@pytest.mark.requires("round.cancelled", "round.finalised-once", "state.archive")
async def test_cancelled_at_any_await_a_session_ends_and_archives_what_was_open_once(tmp_path: Path) -> None:
    """Cancelled after so many turns of the event loop, up to the number in which it is done before that."""
    ended: Counter[str] = Counter()
    steps = 0
    while True:
        notes = Notes()
        it = staged(notes, tmp_path)
        done: list[Outcome] = []

        async def run(it: Stage = it, done: list[Outcome] = done) -> None:
            done.append((await it.run()).outcome)

        with anyio.fail_after(10), anyio.CancelScope() as scope:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(run)
                for _ in range(steps):
                    await anyio.lowlevel.checkpoint()
                scope.cancel()
        if done:
            break
        told = [event.outcome for event in it.events.of(RoundFinished)]
        assert told == ["cancelled"]
        given, archived = it.events.of(SubtaskAssigned), it.events.of(SubtaskArchived)
        assert [event.subtask for event in given] == [event.subtask for event in archived]
        assert [event.outcome for event in archived[:-1]] == ["success"] * len(archived[:-1])
        assert it.context.subtask == ""
        ended[str(archived[-1].outcome) if archived else "none"] += 1
        steps += 1 if FULL else 7
    assert done == [Outcome.SUCCESS]
    assert ended["cancelled"] > 5
    assert {"none", "success"} < set(ended)


@asynccontextmanager
async def on_notes(choice: str, session_id: str, root: Path) -> AsyncGenerator[FakeDesktop]:
    desktop = Notes().desktop
    try:
        yield desktop
    finally:
        await desktop.close()


@dataclass
class CancelAt:
    """Cancels a scope when the n-th event of a kind is told."""

    scope: anyio.CancelScope
    kind: str = ""
    number: int = 1
    seen: Counter[str] = field(default_factory=Counter[str])

    def emit(self, event: Event) -> None:
        self.seen[event.kind] += 1
        if (event.kind, self.seen[event.kind]) == (self.kind, self.number):
            self.scope.cancel()


async def session(folder: Path, kind: str = "", number: int = 1) -> Counter[str]:
    """Runs the whole of a session, cancelled at an event; how many events of each kind there were."""
    scope = anyio.CancelScope()
    listener = CancelAt(scope, kind, number)
    plan = SessionPlan(
        session_id="s1",
        session_dir=folder,
        requests=("Tidy up",),
        model=scripted({"HostAgent": HOST, APP: AGENT}),
        interactor=Slow(says={WHICH: "Ada"}, decides=[True]),
        listeners=(listener,),
        opens=on_notes,
    )
    with anyio.fail_after(20), scope:
        await run_session(plan)
    return listener.seen


@pytest.mark.long
@pytest.mark.requires("round.cancelled", "round.session-outcome")
async def test_cancelled_at_any_event_the_journal_is_whole_and_says_cancelled(tmp_path: Path) -> None:
    full = await session(tmp_path / "full")
    assert summarise(tmp_path / "full").outcome == "success"
    assert len(full) > 15
    for kind in sorted(full.keys() - {"session_finished"})[:: 1 if FULL else 4]:
        for number in {1, full[kind]} if FULL else {full[kind]}:
            folder = tmp_path / f"{kind}-{number}"
            await session(folder, kind, number)
            events = list(read_events(folder))
            last = events[-1]
            assert isinstance(last, SessionFinished), kind
            rounds = [event.outcome for event in events if isinstance(event, RoundFinished)]
            assert last.outcome == summarise(folder).outcome == rounds[0], kind
            # Cancelled after the last thing there was to wait for, a session has ended as it would have.
            late = (kind, number) in {("picture_saved", full["picture_saved"]), ("round_finished", 1)}
            assert rounds == ["success" if late else "cancelled"], kind
            archived = [event.subtask for event in events if isinstance(event, SubtaskArchived)]
            assert archived == [event.subtask for event in events if isinstance(event, SubtaskAssigned)], kind


@pytest.mark.requires("round.cancelled", "desktop.reopened")
@pytest.mark.parametrize("method", ["windows", "settle", "observe", "resolve", "do_action", "screenshot"])
async def test_cancelled_while_the_desktop_hangs_a_session_ends_and_another_can_use_the_desktop(
    tmp_path: Path, method: str
) -> None:
    notes = Notes()
    notes.desktop.faults.hang(method)
    host, agent = [assign("Notes", "Save"), say("FINISH")], [say("FINISH", "invoke", "Save")]
    it = stage(notes.desktop, {"HostAgent": host, APP: agent}, log_path=tmp_path)
    with anyio.fail_after(10), anyio.CancelScope() as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(it.run)
            for _ in range(200):
                await anyio.lowlevel.checkpoint()
            scope.cancel()
    assert [event.outcome for event in it.events.of(RoundFinished)] == ["cancelled"]
    again = stage(notes.desktop, {"HostAgent": host, APP: agent}, log_path=tmp_path)
    assert (await again.run()).outcome is Outcome.SUCCESS
    assert notes.log == ["Save"]
