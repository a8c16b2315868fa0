"""A session's parts on the in-memory desktop, so that whole flows are tested in milliseconds."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar

from deskhand.agents import AgentFactory, AppAgent, BasicAgent, HostAgent, ThirdPartyAgent
from deskhand.agents.evaluation import EvaluationAgent
from deskhand.agents.factory import MakeAgent
from deskhand.commands import Catalogue, CommandDispatcher, ToolContext, standard_catalogue
from deskhand.config.sections import SystemSection
from deskhand.core.context import Context, RunMode
from deskhand.core.events import Event, TransitionTaken
from deskhand.core.json import JsonObject, JsonValue
from deskhand.core.model import ModelRequest, PictureLimits
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Answers, Checker, ConfirmationRequest, Interactor, Model
from deskhand.core.target import TargetInfo
from deskhand.desktop.applications import Applications
from deskhand.desktop.fake import FakeDesktop
from deskhand.desktop.protocols.windows import Application
from deskhand.memory import Blackboard
from deskhand.models.scripted import ScriptedModel, ScriptedReply
from deskhand.perception.grounding import Grounding
from deskhand.pipeline.retry_policy import RETRIES, RetryPolicy
from deskhand.pipeline.services import Services
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.policy.rules import Rule, default_rules, parse_rules
from deskhand.session import NextRequest, Session
from deskhand.session.interactors import AutoInteractor
from deskhand.session.round import Ending
from deskhand.store.atomic_files import write_atomic
from deskhand.store.image_writer import MakeFile

E = TypeVar("E", bound=Event)
Answer = Callable[[ModelRequest], ScriptedReply]
Step = tuple[str, str, str, str]
"""One edge: machine, from, to, cause."""


class Clock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.time_s = 1000.0

    def monotonic(self) -> float:
        return self.time_s

    def now(self) -> float:
        return self.time_s


class Events:
    """Keeps what is emitted, in order, up to what no test needs: a machine that never stops ends there."""

    most = 50_000

    def __init__(self) -> None:
        self.all: list[Event] = []

    def emit(self, event: Event) -> None:
        self.all.append(event)
        assert len(self.all) < self.most, "the session does not end"

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.all if isinstance(event, kind)]

    def edges(self) -> list[Step]:
        return [(e.machine, e.source, e.to, e.cause) for e in self.of(TransitionTaken)]

    def triggers(self) -> list[str]:
        return [event.trigger for event in self.of(TransitionTaken)]


@dataclass
class Pictures:
    """Where pictures would be written; `make` draws them on demand. Of a long session the latest ones are kept.

    Trees are written, where they have a folder.
    """

    most = 500

    kept: dict[str, MakeFile] = field(default_factory=dict[str, MakeFile])

    async def submit(self, path: Path, make: MakeFile) -> None:
        self.kept[path.name] = make
        if path.suffix == ".json" and path.parent.parent.is_dir():
            made = make()
            assert isinstance(made, bytes)
            write_atomic(path, made)
        if len(self.kept) > self.most:
            del self.kept[next(iter(self.kept))]


@dataclass
class Person:
    """Somebody at the other end: `says` answers questions, `decides` confirmations; an exception in it is raised."""

    says: Mapping[str, str] = field(default_factory=dict[str, str])
    decides: Sequence[bool | Exception] = ()
    when_asked: Callable[[], None] = lambda: None
    reachable: bool = True
    questions: list[str] = field(default_factory=list[str])
    shown: list[ConfirmationRequest] = field(default_factory=list[ConfirmationRequest])

    @property
    def reaches_person(self) -> bool:
        return self.reachable

    async def ask(self, agent: str, questions: Sequence[str]) -> Answers:
        self.questions += questions
        self.when_asked()
        return Answers({question: self.says.get(question, "") for question in questions})

    async def confirm(self, request: ConfirmationRequest) -> bool:
        self.shown.append(request)
        self.when_asked()
        decision = self.decides[len(self.shown) - 1]
        if isinstance(decision, Exception):
            raise decision
        return decision


def act(function: str, on: str = "", **fields: JsonValue) -> JsonObject:
    """One action of a list; `on` names the control by its name in what the model is shown."""
    return {"function": function, "on": on, **fields}


def say(status: str, function: str = "", on: str = "", **fields: JsonValue) -> Answer:
    """A reply, with the labels looked up in what the model is shown."""

    def answer(request: ModelRequest) -> JsonObject:
        content = _labelled(request, {"status": status, "function": function, "on": on, **fields})
        if isinstance(actions := content.get("actions"), list):
            content["actions"] = [_labelled(request, item) for item in actions if isinstance(item, dict)]
        return content

    return answer


def _labelled(request: ModelRequest, content: JsonObject) -> JsonObject:
    content = dict(content)
    name = content.pop("on", "")
    if name:
        target = next(c for c in request.controls if c.name == name)
        content = {"control_label": target.id, "control_text": target.name, **content}
    return content


def assign(window: str, subtask: str, **fields: JsonValue) -> Answer:
    """The host hands a subtask to the agent of a window."""
    return say("ASSIGN", "", window, current_subtask=subtask, **fields)


def scripted(
    replies: Mapping[str, Sequence[Answer | ScriptedReply]],
    name: str = "scripted",
    *,
    pictures: PictureLimits | None = None,
) -> ScriptedModel:
    """A model that answers each agent from its own list."""
    given: dict[str, int] = {}

    def answer(request: ModelRequest) -> ScriptedReply:
        number = given.get(request.agent_name, 0)
        given[request.agent_name] = number + 1
        mine = replies.get(request.agent_name, ())
        assert number < len(mine), f"{request.agent_name} was asked {number + 1} times, {len(mine)} replies are written"
        reply = mine[number]
        return reply(request) if callable(reply) else reply

    return ScriptedModel(answer, name=name, pictures=pictures)


@dataclass
class Stage:
    """Everything a test looks at. `host` and `agent` are the same object where there is a host."""

    desktop: FakeDesktop
    events: Events
    clock: Clock
    pictures: Pictures
    services: Services
    context: Context
    models: tuple[Model, ...]
    agent: BasicAgent
    evaluator: EvaluationAgent | None = None

    @property
    def host(self) -> HostAgent:
        assert isinstance(self.agent, HostAgent)
        return self.agent

    @property
    def model(self) -> ScriptedModel:
        model = self.models[0]
        assert isinstance(model, ScriptedModel)
        return model

    async def run(self, *requests: str, next_request: NextRequest | None = None) -> Ending:
        settings = self.services.settings
        wanted = requests or ("Do it",)
        session = Session(
            wanted, self.agent, self.context, settings, next_request=next_request, evaluator=self.evaluator
        )
        async with self.services.external:
            return await session.run()

    @property
    def outcomes(self) -> list[Outcome]:
        return [record.outcome for record in self.context.previous_subtasks]

    def acts(self) -> list[str]:
        """The methods that changed something on the desktop, in order."""
        changing = {"do_action", "set_text", "set_value", "select", "click", "press", "launch", "offer_clipboard"}
        return [call.method for call in self.desktop.calls if call.method in changing]


def stage(
    desktop: FakeDesktop,
    replies: Mapping[str, Sequence[Answer | ScriptedReply]] | Model,
    *,
    log_path: Path,
    person: Interactor | None = None,
    rules: str = "",
    checkers: Sequence[Checker] = (),
    backup: Model | None = None,
    hostless: TargetInfo | None = None,
    kinds: Mapping[str, MakeAgent] | None = None,
    third_party: Sequence[ThirdPartyAgent] = (),
    settings: Mapping[str, object] | None = None,
    retries: RetryPolicy = RETRIES,
    evaluation: Model | None = None,
    grounding: Grounding | None = None,
    knows_requests: bool = False,
) -> Stage:
    """Wires a session as the program does, lists of actions allowed.

    `hostless`: the window of an AppAgent that runs without a host. `knows_requests`: the policy compares the requests.
    """
    system = SystemSection.model_validate({"action_sequence": True, **(settings or {})})
    mode = RunMode(system.mode)
    events, clock, pictures = Events(), Clock(), Pictures()
    catalogue = Catalogue((*standard_catalogue(), *(t for agent in third_party for t in agent.tools(log_path))))

    board = Blackboard(history_keys=tuple(system.history_keys))
    surroundings = Surroundings(
        tool=catalogue.spec,
        named_applications=frozenset(desktop.applications),
        requests=(lambda: "\n".join(board.requests)) if knows_requests else str,
    )
    own = _parsed(rules) if rules else ()
    policy = RulePolicy([*own, *default_rules()], surroundings)
    registry = Applications.of(Application(name, (name,)) for name in desktop.applications)
    tools = ToolContext(desktop, registry, effect_hold_s=0.0)
    services = Services(
        dispatcher=CommandDispatcher(catalogue, tools, policy, clock),
        policy=policy,
        images=pictures,
        settings=system,
        blackboard=board,
        checkers=checkers,
        external=tools.external,
        retries=retries,
        grounding=grounding,
    )
    context = Context("s1", log_path, events, clock, person or AutoInteractor(), mode=mode)
    first = scripted(replies) if isinstance(replies, Mapping) else replies
    models = (first, backup) if backup else (first,)
    if hostless is not None:
        agent: BasicAgent = AppAgent(
            "AppAgent", services, models, mode=mode, target=hostless, process_name=hostless.application
        )
    else:
        factory = AgentFactory(services, models, mode=mode, kinds=kinds, third_party=third_party)
        agent = HostAgent("HostAgent", services, models, mode=mode, factory=factory, desktop=desktop.name)
    evaluator = EvaluationAgent(services, (evaluation,)) if evaluation else None
    return Stage(desktop, events, clock, pictures, services, context, models, agent, evaluator)


@cache
def _parsed(rules: str) -> tuple[Rule, ...]:
    """Read once: reading rules takes longer than many a session on the fake desktop."""
    return parse_rules(rules, "test.yaml")


def rule(match: str, decision: str, name: str = "test") -> str:
    """A policy of one rule: `match` as YAML's flow style."""
    return (
        f"policy: 1\nrules:\n  - name: {name}\n    match: {match}\n    decision: {decision}\n    reason: for the test\n"
    )
