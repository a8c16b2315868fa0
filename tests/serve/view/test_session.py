"""A session on its page: watched, answered, taken over and handed back there, on desktops in memory."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from deskhand.config.sections import Configuration, PolicySection, SystemSection
from deskhand.core.errors import UsageError
from deskhand.core.events import AnsweredFrom, HandedBack, TakenOver
from deskhand.core.json import JsonObject
from deskhand.core.model import ModelReply, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.models.scripted import ScriptedModel
from deskhand.serve.view.session import SessionPanel
from deskhand.session.build import SessionPlan, run_session
from deskhand.session.control_client import running_session
from deskhand.session.round import Ending
from deskhand.store.journal import read_events
from notes import APP, CONFIRM_DELETE, Notes
from serve.view.in_memory import Page, Served, serving
from stage import Answer, assign, rule, say, scripted

NOTE = "I wrote the text"


@pytest.fixture(scope="module", name="anyio_backend")
def real_time() -> str:
    """Pages take time that passes."""
    return "asyncio"


class Gated(ScriptedModel):
    """The first reply of the application's agent waits until it may be given."""

    def __init__(self, script: ScriptedModel) -> None:
        super().__init__(())
        self._inner = script
        self.may_answer = anyio.Event()

    async def respond(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        if request.agent_name == APP:
            await self.may_answer.wait()
        return await self._inner.respond(request)


@dataclass
class Watched:
    """A session that waits for the first reply of its model, and one page of it."""

    notes: Notes
    model: Gated
    folder: Path
    page: Page
    served: Served
    endings: list[Ending] = field(default_factory=list[Ending])
    ended: anyio.Event = field(default_factory=anyio.Event)

    async def session(self, **fields: object) -> JsonObject:
        """The session's state once it has these fields."""
        await self.page.until(lambda page: _has(page.latest.get("session", {}), fields))
        return self.page.latest["session"]

    async def outcome(self) -> Outcome:
        with anyio.fail_after(20):
            await self.ended.wait()
        return self.endings[0].outcome


def _has(state: JsonObject, fields: dict[str, object]) -> bool:
    return bool(state) and all(bool(state.get(name)) == value for name, value in fields.items())


@asynccontextmanager
async def watched(folder: Path, steps: Sequence[Answer]) -> AsyncGenerator[Watched]:
    notes = Notes()
    model = Gated(scripted({"HostAgent": [assign("Notes", "Tidy up"), say("FINISH")], APP: steps}))
    (folder / "rules.yaml").write_text(rule(CONFIRM_DELETE, "confirm"))
    configuration = Configuration(
        system=SystemSection(ask_timeout=15.0), policy=PolicySection(files=(folder / "rules.yaml",))
    )
    plan = SessionPlan(
        "s1", folder / "log", ("Tidy up",), model, opens=notes.desktop.opened, configuration=configuration
    )
    endings: list[Ending] = []
    ended = anyio.Event()

    async def carry_out() -> None:
        endings.append(await run_session(plan))
        ended.set()

    async with anyio.create_task_group() as group:
        group.start_soon(carry_out)
        await _begun(folder / "log")
        async with running_session(folder / "log", "Ada (page)") as running:
            panel = SessionPanel(running)
            async with serving(panel=panel) as served, served.page() as page:
                yield Watched(notes, model, folder / "log", page, served, endings, ended)
            panel.close()
        group.cancel_scope.cancel()


async def _begun(folder: Path) -> None:
    with anyio.fail_after(10):
        while True:
            with suppress(UsageError):
                async with running_session(folder, "Ada"):
                    return
            await anyio.lowlevel.checkpoint()


@pytest.mark.requires("view.session", "control.take-over")
async def test_who_takes_the_hands_pauses_the_agent_and_hands_back_with_a_note(tmp_path: Path) -> None:
    async with watched(tmp_path, [say("CONTINUE", "invoke", "Save"), say("FINISH", "invoke", "Save")]) as it:
        state = await it.session(step=True, hold=False)
        assert (state["request"], state["outcome"]) == ("Tidy up", "")
        await it.page.send("take")
        await it.page.hands("mine")
        it.model.may_answer.set()
        assert "Ada (page)" in str((await it.session(hold=True))["hold"])
        assert it.notes.log == []
        await it.page.send("command", name="hand_back", fields={"note": NOTE})
        await it.page.hands("free")
        assert await it.outcome() is Outcome.SUCCESS
        state = await it.session(outcome=True)
        assert state["outcome"] == "success"
    events = list(read_events(it.folder))
    assert [event.by for event in events if isinstance(event, TakenOver)] == ["Ada (page)"]
    assert [event.note for event in events if isinstance(event, HandedBack)] == [NOTE]
    assert it.notes.log == ["Save"]


@pytest.mark.requires("view.session")
async def test_a_page_that_is_closed_while_it_has_the_hands_leaves_the_session_paused(tmp_path: Path) -> None:
    async with watched(tmp_path, [say("FINISH", "invoke", "Save")]) as it:
        async with it.served.page("Chrome/150") as other:
            await other.send("take")
            await other.hands("mine")
        await it.page.hands("free")
        await it.session(hold=True)
        it.model.may_answer.set()
        async with running_session(it.folder, "Ada") as running:
            assert (await running.state()).held_by == "Ada (page)"
        await it.page.send("take")
        await it.page.hands("mine")
        async with running_session(it.folder, "Grace (terminal)") as running:
            await running.hand_back()
        assert "handed back elsewhere" in await it.page.notice()
        await it.page.hands("free")


@pytest.mark.requires("view.session", "control.answers")
async def test_a_question_and_a_confirmation_are_answered_on_the_page(tmp_path: Path) -> None:
    steps = [
        say("PENDING", questions=["Which?"]),
        say("CONTINUE", "invoke", "Delete", comment="as you said"),
        say("FINISH", "invoke", "Save"),
    ]
    async with watched(tmp_path, steps) as it:
        async with running_session(it.folder, "Grace") as running:
            while not (await running.state()).attended:  # the page was opened a moment ago
                pass
        it.model.may_answer.set()
        state = await it.session(waiting=True)
        assert "['Which?']" in str(state["waiting"])
        await it.page.send("command", name="answer", fields={"number": 99, "answers": {"Which?": "this"}})
        assert "has been answered" in await it.page.notice()
        await it.page.send("command", name="answer", fields={"number": state["number"], "answers": {"Which?": "this"}})
        await it.page.until(lambda page: "Delete" in str(page.latest["session"]["waiting"]))
        state = it.page.latest["session"]
        await it.page.send("command", name="decide", fields={"number": state["number"], "approve": True})
        assert await it.outcome() is Outcome.SUCCESS
    assert it.notes.log == ["Delete", "Save"]
    answered = [event.by for event in read_events(it.folder) if isinstance(event, AnsweredFrom)]
    assert all("viewer 1" in by for by in answered)
    assert len(answered) == 2


@pytest.mark.requires("view.session", "control.stop")
async def test_a_session_is_stopped_on_its_page(tmp_path: Path) -> None:
    async with watched(tmp_path, [say("FINISH", "invoke", "Save")]) as it:
        await it.page.send("command", name="fly")
        assert "cannot fly" in await it.page.notice()
        await it.page.send("command", name="stop")
        assert await it.outcome() is Outcome.CANCELLED
        state = await it.session(outcome=True)
        assert "viewer 1" in str(state["reason"])
        it.served.desktop.ended.set()
        await it.page.until(lambda page: "ended" in page.latest)
        assert str(it.page.latest["ended"]["text"]).startswith("The session has ended: cancelled")
