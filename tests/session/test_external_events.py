"""PENDING also waits for an announced event, whose arrival is the answer, even with asking off (contract 2.4)."""

from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
import pytest

from deskhand.agents import AppAgent, ThirdPartyAgent
from deskhand.commands import Tool, ToolContext, ToolOutcome
from deskhand.commands.call import Call
from deskhand.commands.catalogue import Arguments, action
from deskhand.core.command import Effect, EffectClass
from deskhand.core.errors import StateError
from deskhand.core.events import EventArrived, QuestionsAnswered
from deskhand.core.json import JsonObject
from deskhand.core.model import AgentKind, ModelRequest
from deskhand.core.outcomes import Outcome
from deskhand.core.outside_events import ExternalEvents
from notes import APP, Notes
from stage import Answer, Person, Stage, assign, say, stage

QUESTION = "Has report.pdf come?"


class Downloads:
    """A tool that starts a download and announces its end; `finish` ends it."""

    def __init__(self) -> None:
        self.finish: list[Callable[[str], None]] = []

    async def download(self, tools: ToolContext, call: Call, arguments: Arguments) -> ToolOutcome:
        """Starts a download."""
        self.finish.append(tools.external.announce("download of report.pdf"))
        return ToolOutcome(effect=Effect.CONFIRMED)

    def tools(self, folder: Path) -> Sequence[Tool]:
        audience = frozenset({str(AgentKind.APP), str(AgentKind.HOST)})
        return (action(Arguments, self.download, effect_class=EffectClass.NAVIGATE, audience=audience),)


HOST = (assign("Notes", "Get the report"), say("FINISH"))
WAITING = (say("CONTINUE", "download"), say("PENDING", questions=[QUESTION]), say("FINISH"))


def played(
    downloads: Downloads,
    app: Sequence[Answer],
    tmp_path: Path,
    person: Person,
    host: Sequence[Answer] = HOST,
    **settings: object,
) -> Stage:
    brings = ThirdPartyAgent("downloads", "Downloads", "", AppAgent, downloads.tools)
    replies = {"HostAgent": host, APP: app}
    return stage(Notes().desktop, replies, log_path=tmp_path, third_party=[brings], person=person, settings=settings)


@pytest.mark.requires("round.awaited-event")
@pytest.mark.parametrize("ask_question", [True, False, None])
@pytest.mark.parametrize("reachable", [True, False])
async def test_its_arrival_answers_the_question(tmp_path: Path, ask_question: bool | None, reachable: bool) -> None:
    downloads = Downloads()
    person = Person(reachable=reachable, when_asked=lambda: downloads.finish[0]("3 pages"))
    it = played(downloads, WAITING, tmp_path, person, ask_question=ask_question)
    person_is_asked = reachable and ask_question is not False
    async with anyio.create_task_group() as running:
        if not person_is_asked:
            running.start_soon(_finish_once_waiting, it, downloads)
        await it.run()
    assert it.outcomes == [Outcome.SUCCESS]
    assert ("app", "PENDING", "CONTINUE", "system") in it.events.edges()
    (answered,) = it.events.of(QuestionsAnswered)
    assert (answered.how, answered.answers) == ("event", {QUESTION: "download of report.pdf: 3 pages"})
    assert [(e.what, e.detail) for e in it.events.of(EventArrived)] == [("download of report.pdf", "3 pages")]
    assert "download of report.pdf: 3 pages" in str(it.model.requests[-2].messages)
    assert person.questions == ([QUESTION] if person_is_asked else [])


async def _finish_once_waiting(it: Stage, downloads: Downloads) -> None:
    with anyio.fail_after(10):
        while not any(event.kind == "questions_asked" for event in it.events.all):
            await anyio.lowlevel.checkpoint()
    downloads.finish[0]("3 pages")


async def test_a_person_who_answers_first_is_heard_and_the_event_is_told_later(tmp_path: Path) -> None:
    downloads = Downloads()
    person = Person({QUESTION: "not yet"})

    def later(_: ModelRequest) -> JsonObject:
        downloads.finish[0]("3 pages")
        return {"status": "CONTINUE"}

    it = played(downloads, (*WAITING[:2], later, say("FINISH")), tmp_path, person)
    await it.run()
    assert [e.how for e in it.events.of(QuestionsAnswered)] == ["person"]
    assert "not yet" in str(it.model.requests[3].messages)
    assert "3 pages" not in str(it.model.requests[3].messages)
    assert "3 pages" in str(it.model.requests[4].messages)


async def test_what_arrived_and_was_told_is_not_waited_for_again(tmp_path: Path) -> None:
    downloads = Downloads()

    def at_once(_: ModelRequest) -> JsonObject:
        downloads.finish[0]("3 pages")
        return {"status": "CONTINUE"}

    replies = (WAITING[0], at_once, say("CONTINUE"), WAITING[1], say("FINISH"))
    it = played(downloads, replies, tmp_path, Person(reachable=False))
    ending = await it.run()
    assert [e.how for e in it.events.of(QuestionsAnswered)] == ["off"]
    assert ending.outcome is Outcome.SUCCESS


async def test_an_event_that_does_not_come_in_time_fails_the_subtask(tmp_path: Path) -> None:
    host = (assign("Notes", "Get the report"), say("FAIL"))
    it = played(Downloads(), WAITING, tmp_path, Person(reachable=False), host=host, ask_timeout=0.01)
    ending = await it.run()
    assert ("app", "PENDING", "FAIL", "timeout") in it.events.edges()
    assert (it.outcomes, ending.outcome) == ([Outcome.TIMEOUT], Outcome.FAILED)


async def test_the_same_question_waits_for_the_next_event(tmp_path: Path) -> None:
    downloads = Downloads()
    person = Person(when_asked=lambda: downloads.finish[-1]("done"))
    it = played(downloads, (*WAITING[:2], *WAITING[:2], say("FINISH")), tmp_path, person)
    await it.run()
    assert [e.how for e in it.events.of(QuestionsAnswered)] == ["event", "event"]


async def test_a_watched_event_arrives_with_what_came_of_it_and_ends_with_the_session() -> None:
    ended: list[str] = []

    async def job() -> str:
        return "exit code 0"

    async def endless() -> str:
        try:
            await anyio.Event().wait()
        finally:
            ended.append("endless")
        return "never"

    async with ExternalEvents() as external:
        external.watch("job 1", job)
        external.watch("job 2", endless)
        with anyio.fail_after(10):
            assert [str(arrival) for arrival in await external.next_arrivals()] == ["job 1: exit code 0"]
        assert external.outstanding
    assert ended == ["endless"]


async def test_nothing_is_watched_outside_a_session() -> None:
    async def job() -> str:
        return ""

    with pytest.raises(StateError, match="events cannot be watched now: 'job'"):
        ExternalEvents().watch("job", job)
