"""Additions of a caller to a session, by arguments of `deskhand.run`; on a desktop in memory."""

import logging
import threading
from collections.abc import Mapping
from typing import Literal, cast

import anyio
import pytest

import deskhand
from cli.test_modes import World, world
from deskhand import AppAgentStateManager, ComposedStrategy, ProcessingPhase, ProcessingResult
from deskhand.agents.shell import SHELL
from deskhand.config.sections import Configuration
from deskhand.core import ports
from deskhand.core.errors import PipelineError, StateError, UsageError
from deskhand.core.events import ActionFinished, Event, ProblemMet, VerdictGiven
from deskhand.core.json import JsonValue
from deskhand.core.model import ModelRequest, Passage
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import ActionFacts, ConfirmationRequest
from deskhand.desktop.fake import FakeDesktop
from deskhand.models.scripted import ScriptedReply
from deskhand.pipeline import acting
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.framework import BaseProcessingStrategy, Strategies
from deskhand.pipeline.services import PipelineAgent
from deskhand.policy import own
from deskhand.session.round import Ending
from deskhand.session.single_action import Caller, Hand, NotAllowed
from deskhand.states.app import ContinueAppAgentState
from stage import Answer, Person, assign, scripted
from stage import say as reply

__all__ = ["world"]
pytestmark = [pytest.mark.requires("python.additions"), pytest.mark.anyio]

Decided = tuple[Literal["confirm", "deny"], str] | None


@pytest.fixture(name="anyio_backend")
def real_time() -> str:
    """Threads take time that passes."""
    return "asyncio"


class Told:
    """The events of one session."""

    def __init__(self) -> None:
        self.all: list[Event] = []

    @property
    def problems(self) -> list[str]:
        return [f"{event.where}: {event.error.message}" for event in self.all if isinstance(event, ProblemMet)]

    @property
    def clicks(self) -> list[str]:
        return [event.effect for event in self.all if isinstance(event, ActionFinished) and event.tool == "click_input"]


def words(request: ModelRequest) -> str:
    """The text that the model reads."""
    return "\n".join(str(part) for message in request.messages for part in message.parts)


def opened(request: ModelRequest) -> ScriptedReply:
    made = reply("FINISH", "click_input", "Door")
    assert callable(made)
    return made(request)


async def air(world: World, *app: Answer, **options: object) -> tuple[Ending, Told]:
    told = Told()
    answers = {"HostAgent": [assign("a.odt Writer", "Open"), reply("FINISH")], "AppAgent/writer": app or (opened,)}
    given = {"opens": world.open, "out": "out", "listeners": [told.all.append], "files": ["a.odt"], **options}
    model = scripted(answers)
    return await deskhand.run("Air", model=model, **given), told  # pyright: ignore[reportArgumentType] - of many types


class Review(ContinueAppAgentState, status="REVIEW"):
    """Works like CONTINUE."""


async def test_a_state_is_offered_in_its_session_alone(world: World, caplog: pytest.LogCaptureFixture) -> None:
    offered: list[bool] = []

    def look(request: ModelRequest) -> ScriptedReply:
        offered.append("REVIEW" in request.allowed_statuses)
        claimed = reply("REVIEW" if offered[-1] else "CONTINUE", "click_input", "Door")
        assert callable(claimed)
        return claimed(request)

    review = AppAgentStateManager.for_session(Review, like="CONTINUE", when="the door is to be looked at")
    with caplog.at_level(logging.WARNING):
        ending, told = await air(world, look, reply("FINISH"), states=[review])
    assert (ending.outcome, told.clicks) == (Outcome.SUCCESS, ["confirmed"])
    ending, _ = await air(world, look, reply("FINISH"), out="more")
    assert ending.outcome is Outcome.SUCCESS
    assert offered == [True, False]
    assert "REVIEW" not in AppAgentStateManager.names()
    assert not caplog.records


def test_a_state_of_a_session_is_checked_where_it_is_made() -> None:
    class Again(ContinueAppAgentState, status="CONTINUE"):
        pass

    with pytest.raises(StateError, match="already has"):
        AppAgentStateManager.for_session(Again, like="CONTINUE")
    with pytest.raises(StateError, match="no row leads to"):
        AppAgentStateManager.for_session(Review)


class Stamp(BaseProcessingStrategy):
    """Notes the step on the agent's memory."""

    async def execute(self, agent: PipelineAgent, context: ProcessingContext) -> ProcessingResult:
        agent.services.blackboard.arrivals.append(f"step {context.session_step} of {agent.name}")
        return ProcessingResult(success=True)


def stamped(phases: Strategies) -> Strategies:
    memory = ComposedStrategy([phases[ProcessingPhase.MEMORY_UPDATE], Stamp()], fail_fast=False)
    return {**phases, ProcessingPhase.MEMORY_UPDATE: memory}


async def test_strategies_are_added_to_those_of_a_kind_of_agent(world: World) -> None:
    seen: list[str] = []

    def look(request: ModelRequest) -> ScriptedReply:
        seen.append(words(request))
        return opened(request)

    ending, _ = await air(world, reply("CONTINUE", "click_input", "Door"), look, strategies={"app": stamped})
    assert ending.outcome is Outcome.SUCCESS
    assert "step 2 of AppAgent/writer" in seen[0]
    assert "of HostAgent" not in seen[0]


def no_strategies(phases: Strategies) -> Strategies:
    raise KeyError("mine")


def no_model(phases: Strategies) -> Strategies:
    return {phase: each for phase, each in phases.items() if phase is not ProcessingPhase.LLM_INTERACTION}


def texts(phases: Strategies) -> Mapping[str, str]:
    return {"data_collection": "mine"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [(no_strategies, "no_strategies.*KeyError"), (no_model, "nothing before it provides"), (texts, "texts returned")],
)
async def test_strategies_that_do_not_fit_are_refused_before_anything_starts(
    world: World, change: object, problem: str
) -> None:
    with pytest.raises(PipelineError, match=problem):
        await air(world, strategies={"app": change})
    assert not world.desktops


class Counts(deskhand.ProcessorMiddleware):
    def __init__(self) -> None:
        self.steps: list[str] = []

    def before_process(self, agent: PipelineAgent, local: ProcessingContext) -> None:
        self.steps.append(agent.name)


class Breaks(deskhand.ProcessorMiddleware):
    calls = 0

    def after_process(self, agent: PipelineAgent, local: ProcessingContext, result: ProcessingResult) -> None:
        Breaks.calls += 1
        raise KeyError("mine")


async def test_middleware_is_called_around_each_step_and_one_that_breaks_is_named_and_left_out(world: World) -> None:
    counts = Counts()
    ending, told = await air(world, middleware=[Breaks(), counts])
    assert ending.outcome is Outcome.SUCCESS
    assert counts.steps == ["HostAgent", "AppAgent/writer", "HostAgent"]
    assert told.problems == ["the middleware Breaks: Breaks raised KeyError: 'mine'"]
    assert Breaks.calls == 1


class Shelf:
    name = "shelf"

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        return (Passage("document", "Doors", f"Doors of {application} open inwards.", "doors.md"),)


class Torn(Shelf):
    name = "torn"

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        raise KeyError("mine")


class Odd(Shelf):
    name = "odd"

    async def retrieve(self, query: str, application: str, limit: int) -> tuple[Passage, ...]:
        return ("a text",)  # pyright: ignore[reportReturnType] - what a caller without types returns


async def test_passages_of_retrievers_are_in_the_prompt_and_one_that_breaks_is_named(world: World) -> None:
    seen: list[str] = []

    def look(request: ModelRequest) -> ScriptedReply:
        seen.append(words(request))
        return opened(request)

    ending, told = await air(world, look, retrievers=[Torn(), Odd(), Shelf()])
    assert ending.outcome is Outcome.SUCCESS
    assert "Doors of writer open inwards." in seen[0]
    assert "a retriever: the retriever torn raised KeyError: 'mine'" in told.problems
    assert "a retriever: the retriever odd returned ('a text',)" in told.problems


def asks(facts: ActionFacts) -> Decided:
    return ("confirm", "doors are mine") if facts.control_name == "Door" else None


def denies(facts: ActionFacts) -> Decided:
    return ("deny", "doors stay closed") if facts.control_name == "Door" else None


def fails(facts: ActionFacts) -> Decided:
    return None if facts.control_name != "Door" else {"mine": None}["yours"]


def allows(facts: ActionFacts) -> Decided:
    return ("allow", "whatever") if facts.control_name == "Door" else None  # pyright: ignore[reportReturnType] - what a caller without types returns


async def test_a_policy_demands_an_approval(world: World) -> None:
    person = Person(decides=[True])
    ending, told = await air(world, opened, reply("FINISH"), policies=[asks], interactor=person)
    assert (ending.outcome, told.clicks) == (Outcome.SUCCESS, ["confirmed"])
    ((verdict,),) = [request.facts for request in person.shown]
    assert (verdict.rule, verdict.reason) == ("asks", "doors are mine")


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (denies, "doors stay closed"),
        (fails, "the policy fails raised KeyError"),
        (allows, "the policy allows returned ("),
    ],
)
async def test_a_policy_denies_what_it_is_against_and_what_it_could_not_judge(
    world: World, policy: deskhand.OwnPolicy, reason: str
) -> None:
    seen: list[str] = []

    def look(request: ModelRequest) -> ScriptedReply:
        seen.append(words(request))
        return {"status": "FAIL"}

    ending, told = await air(world, opened, look, policies=[asks, policy], interactor=Person(decides=[True]))
    assert ending.outcome is not Outcome.SUCCESS
    assert told.clicks == ["refused"]
    assert reason in "".join(seen) or reason in ending.reason


class Checks:
    """A checker that does not return, or raises."""

    name = "two pages"

    def __init__(self, *, hangs: bool) -> None:
        self._hangs = hangs

    async def check(self, data: Mapping[str, JsonValue]) -> tuple[ports.CheckResult, ...]:
        if self._hangs:
            await anyio.sleep_forever()
        return (ports.CheckResult("pages", ok=bool(data["pages"])),)


@pytest.mark.parametrize(
    ("hangs", "problem"),
    [(True, "the checker two pages did not finish within"), (False, "the checker two pages raised KeyError: 'pages'")],
)
async def test_a_checker_that_hangs_or_raises_ends_the_session_which_names_it(
    world: World, monkeypatch: pytest.MonkeyPatch, hangs: bool, problem: str
) -> None:
    monkeypatch.setattr(acting, "CHECKER_S", 0.05)
    claims = [reply("FINISH") for _ in range(8)]
    answers = {"HostAgent": [assign("a.odt Writer", "Open"), *claims], "AppAgent/writer": [opened]}
    given = {"opens": world.open, "out": "out", "files": ["a.odt"], "checkers": [Checks(hangs=hangs)]}
    ending = await deskhand.run("Air", model=scripted(answers), **given)  # pyright: ignore[reportArgumentType] - of many types
    assert ending.outcome is not Outcome.SUCCESS
    assert problem in ending.reason


async def test_a_policy_that_does_not_return_denies_and_holds_nothing_up(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own, "_ANSWERS_S", 0.05)
    released, asked = threading.Event(), list[str]()

    def waits(facts: ActionFacts) -> Decided:
        asked.append(facts.tool)
        released.wait(60)

    _, told = await air(world, opened, reply("FAIL"), policies=[waits])
    released.set()
    assert (told.clicks, len(asked)) == ([], 1)
    refusals = [event.reason for event in told.all if isinstance(event, VerdictGiven)]
    assert refusals[0] == "the policy waits did not return within 0.05 s"


@pytest.mark.requires("policy.only-true")
@pytest.mark.parametrize("answer", ["no", 1, ports.Decided.REJECTED, ports.Decided.TIMEOUT])
async def test_nothing_but_true_approves(world: World, answer: object) -> None:
    class Unsure(Person):
        async def confirm(self, request: ConfirmationRequest) -> bool:
            return cast("bool", answer)

    ending, told = await air(world, opened, policies=[asks], interactor=Unsure())
    assert (ending.outcome, told.clicks) == (Outcome.REJECTED, [])
    hand = Hand(FakeDesktop(), Configuration(), Unsure(), Caller("a test", policies=(lambda _: ("confirm", "mine"),)))
    with pytest.raises(NotAllowed):
        await hand.act("launch_application", {"application": "gedit"})


@pytest.mark.parametrize(
    ("request_", "model", "problem"),
    [
        (5, scripted({}), "request is 5: give a text, or a list of texts"),
        (["a", 5], scripted({}), "request is ['a', 5]: give a text"),
        (None, scripted({}), "request is None: give a text"),
        ("a", object(), "respond"),
        ("a", str, "model is <class 'str'>: give \"provider:name\""),
        ("a", None, "model is None: give"),
    ],
)
async def test_a_request_or_model_of_the_wrong_kind_is_refused(request_: object, model: object, problem: str) -> None:
    with pytest.raises(UsageError) as raised:
        await deskhand.run(request_, model=model)  # pyright: ignore[reportArgumentType] - mistakes
    assert problem in f"{raised.value.message}: {raised.value.fix}"


async def ruled(facts: ActionFacts) -> Decided:
    return None


class Late(deskhand.ProcessorMiddleware):
    async def before_process(self, agent: PipelineAgent, local: ProcessingContext) -> None: ...  # pyright: ignore[reportIncompatibleMethodOverride] - a mistake


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"states": [Review]}, "no state of a session"),
        ({"agents": [Review]}, "no agent for subtasks"),
        ({"agents": [SHELL]}, "an agent of the kind 'shell' already"),
        ({"middleware": [Counts]}, "no middleware"),
        ({"middleware": [Late()]}, "no middleware"),
        ({"middleware": [object()]}, "no middleware"),
        ({"retrievers": [Shelf]}, "no retriever"),
        ({"retrievers": [len]}, "no retriever"),
        ({"policies": [ruled]}, "no policy"),
        ({"checkers": [len]}, "no checker"),
        ({"interactor": object()}, "no interactor"),
        ({"policies": ["deny"]}, "no policy"),
        ({"tools": opened}, "give a list, also of one"),
        ({"tools": [opened]}, "write @deskhand.tool above the function"),
        ({"listeners": print}, "give a list, also of one"),
        ({"listeners": [5]}, "5"),
        ({"middleware": Late()}, "give a list, also of one"),
        ({"files": "a.odt"}, "give a list, also of one"),
        ({"configuration": "x"}, "give a deskhand.Configuration"),
        ({"opens": None}, "give a function that opens a desktop"),
        ({"strategies": [1]}, "give a dict"),
        ({"parameters": "page=1"}, "give a dict"),
        ({"strategies": {"writer": stamped}}, "give functions, for: host, app, shell"),
        ({"strategies": {"app": Stamp()}}, "'app'"),
    ],
)
async def test_what_is_of_the_wrong_kind_is_refused_before_anything_starts(
    world: World, options: dict[str, object], problem: str
) -> None:
    with pytest.raises(UsageError) as raised:
        await air(world, **options)
    assert problem in f"{raised.value.message} {raised.value.fix}"
    assert not world.desktops
