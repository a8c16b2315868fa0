"""The composition root: wires a session's objects from its plan and the configuration."""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import anyio

from deskhand.agents import AgentFactory, BringsAgent, HostAgent, ThirdPartyAgent
from deskhand.agents.builtin_kinds import THIRD_PARTY
from deskhand.agents.evaluation import EvaluationAgent
from deskhand.commands import Catalogue, CommandDispatcher, Tool, ToolContext, standard_catalogue
from deskhand.commands.mcp_client import ForeignServers, ToolServer
from deskhand.config.sections import Configuration
from deskhand.core.context import Context, RunMode
from deskhand.core.errors import ConfigurationError, DeskhandError, ErrorInfo, PluginBroken, StoppedByPerson, UsageError
from deskhand.core.events import (
    ErrorData,
    Event,
    OutputWritten,
    ProblemMet,
    SessionFinished,
    SessionOptions,
    SessionStarted,
    TraceStarted,
)
from deskhand.core.model import AgentKind
from deskhand.core.outcomes import Outcome
from deskhand.core.outside_events import ExternalEvents
from deskhand.core.plugins import Report
from deskhand.core.ports import (
    Checker,
    Clock,
    ConnectedModel,
    EventSink,
    Interactor,
    Model,
    OwnPolicy,
    Retriever,
)
from deskhand.core.target import TargetInfo
from deskhand.desktop.applications import Applications
from deskhand.desktop.backends import VIRTUAL, Virtual, open_desktop, warn_of
from deskhand.desktop.observation_settings import observe_by
from deskhand.desktop.protocols.desktop import Desktop
from deskhand.knowledge import KnowledgeStore, knowledge_file
from deskhand.knowledge.learning import learn_session
from deskhand.memory import Blackboard, Documents
from deskhand.models.healing import HealingModel
from deskhand.models.language import LanguageModel
from deskhand.models.language.embedding import ProviderEmbedder
from deskhand.models.plan import PlanModel
from deskhand.models.playbook import PlaybookModel
from deskhand.notify import Notifications, notified
from deskhand.perception.grounding import Grounding, OmniparserGrounding
from deskhand.pipeline.framework import ChangeStrategies
from deskhand.pipeline.middleware import TolerantMiddleware
from deskhand.pipeline.services import FinalExpectation, ProcessorMiddleware, Services
from deskhand.policy.engine import RulePolicy
from deskhand.policy.facts import Surroundings
from deskhand.session.applications import Opening, applications
from deskhand.session.clock import SystemClock
from deskhand.session.continuing import Resuming
from deskhand.session.control import controlled
from deskhand.session.healed_playbook import heal_playbook
from deskhand.session.interactors import AutoInteractor
from deskhand.session.interrupted import Interrupted
from deskhand.session.opened_files import DocumentOpener, documents_reported, working_folder
from deskhand.session.plugins import load_agents, load_retrievers, load_tools
from deskhand.session.ran_on import ran_on
from deskhand.session.reopening import Reopened, Reopener
from deskhand.session.retrievers import Sources, tell_of_server
from deskhand.session.round import Ending
from deskhand.session.session import NextRequest, Session
from deskhand.session.shared_questions import SharedQuestions
from deskhand.session.user_guard_rules import pauses_told, stoppable, watch_user
from deskhand.states.base import SessionState
from deskhand.store.atomic_files import store_error
from deskhand.store.image_writer import ImageWriter
from deskhand.store.journal import Journal, read_events
from deskhand.telemetry.recording import check_telemetry, recorded
from deskhand.telemetry.session import RecordedSession

OpenDesktop: TypeAlias = Callable[[str, str, Path], AbstractAsyncContextManager[Desktop]]
"""Opens a session's desktop from its choice, the session's id, and a folder for it."""


def open_for_session(
    choice: str, session_id: str, root: Path, *, report: Report = warn_of
) -> AbstractAsyncContextManager[Desktop]:
    """Open the desktop of `--desktop`, its pointer and keyboard held for this session. Raises: as `open_desktop`."""
    chosen = Virtual(session_id, root) if choice == VIRTUAL else choice
    return open_desktop(chosen, holder=f"session {session_id}", report=report)


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """The parameters of one session.

    `files` (and folders) are opened before the agents begin, as copies in the session's folder unless `in_place`: in
    the application named by `opens_with`, otherwise in the one of `applications` that opens such files, otherwise in
    the machine's default. The `applications` that opened no file are launched then too. `outputs` are listed in the
    report where they exist at the end. `third_party`: the agents offered to the host beside the windows; `servers`: the
    servers whose tools are added, beside the `tools` given.

    `object` is the document of the task: opened like `files`, after all else, so that it is in front. In follower mode
    the requests are the steps of a plan, which replaces the host's decisions where there is no `host_model`. They are
    carried out in the window of `object`, otherwise in the opened windows; `expects` is the expectation at the end.
    `task` is the session's title in the report, where it is not the first request. `next_request` asks for more
    requests after those given. `evaluation` judges finished rounds. `close_object`: at the end the window of `object`
    is asked to close. `embedder`: finds passages by meaning too. `states` are added to the machines of their agents,
    `retrievers` to the others, `middleware` to each agent's, `policies` to the rules; `strategies` change those of a
    kind of agent. `options`: those of the command, of which the journal takes note for `resume`. `resumes`: the session
    that is continued, as its journal tells of it. `notifications`: messages to the user, and their ways.
    """

    session_id: str
    session_dir: Path
    requests: tuple[str, ...]
    model: Model
    configuration: Configuration = field(default_factory=Configuration)
    files: tuple[Path, ...] = ()
    in_place: bool = False
    applications: tuple[str, ...] = ()
    opens_with: str = ""
    desktop: str = VIRTUAL
    opens: OpenDesktop = open_for_session
    checkers: tuple[Checker, ...] = ()
    interactor: Interactor = field(default_factory=AutoInteractor)
    listeners: tuple[EventSink, ...] = ()
    outputs: tuple[Path, ...] = ()
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    version: str = ""
    third_party: tuple[ThirdPartyAgent, ...] = THIRD_PARTY
    tools: tuple[Tool, ...] = ()
    servers: tuple[ToolServer, ...] = ()
    host_model: Model | None = None
    backup: Model | None = None
    evaluation: Model | None = None
    embedder: ProviderEmbedder | None = None
    object: Path | None = None
    close_object: bool = False
    task: str = ""
    expects: FinalExpectation | None = None
    next_request: NextRequest | None = None
    states: tuple[SessionState, ...] = ()
    strategies: Mapping[str, ChangeStrategies] = field(default_factory=dict[str, ChangeStrategies])
    middleware: tuple[ProcessorMiddleware, ...] = ()
    retrievers: tuple[Retriever, ...] = ()
    policies: tuple[OwnPolicy, ...] = ()
    options: SessionOptions = field(default_factory=SessionOptions)
    resumes: Interrupted | None = None
    notifications: Notifications = field(default_factory=Notifications)

    @property
    def all_files(self) -> tuple[Path, ...]:
        """The files to open, in this order."""
        return self.files if self.object is None else (*self.files, self.object)

    @property
    def connected_models(self) -> tuple[ConnectedModel, ...]:
        models = dict.fromkeys((self.model, self.host_model, self.backup, self.evaluation))
        return tuple(model for model in models if isinstance(model, ConnectedModel))

    @property
    def healer(self) -> ConnectedModel | None:
        """The model that is asked only if a step of the playbook does not fit."""
        healer = self.model.healer if isinstance(self.model, HealingModel) else None
        return healer if isinstance(healer, ConnectedModel) else None


@dataclass(frozen=True, slots=True)
class Helpers:
    """The optional services beside the models: knowledge, grounding, further tools."""

    retriever: Retriever | None = None
    grounding: Grounding | None = None
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True)
class Listeners:
    """Sends events to the journal first, then to the listeners, all with the time at which they came."""

    sinks: Sequence[EventSink]
    clock: Clock

    def emit(self, event: Event) -> None:
        stamped = event if event.at else event.model_copy(update={"at": self.clock.now()})
        for sink in self.sinks:
            sink.emit(stamped)


def new_session_id() -> str:
    """Return an id that sorts by time, is unique, and is a valid desktop name."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{uuid.uuid4().hex[:6]}"


async def run_session(plan: SessionPlan) -> Ending:
    """Run one session from an empty folder to its last event; on return everything it started has ended.

    Errors end the session with outcome error and are in the journal. Errors before the journal exists are raised:
    UsageError, StoreError.
    """
    clock = SystemClock()
    check_prices(plan)
    check_telemetry(plan.configuration)
    with Journal(plan.session_dir, clock) as journal:
        return await carry_out(plan, journal, clock)


async def carry_out(plan: SessionPlan, journal: Journal, clock: Clock) -> Ending:
    """Run or continue a session, to the last event of its journal. Raises: as `run_session`."""
    check_prices(plan)
    events = Listeners((journal, *plan.listeners), clock)
    async with notified(plan.notifications, plan.session_id, events) as messages:
        events = Listeners((*events.sinks, *messages), clock)
        async with recorded(plan.configuration, _recorded_session(plan, clock), events) as recorder:
            if recorder is None:
                return await _carry_out_recorded(plan, events, clock)
            events = Listeners((*events.sinks, recorder), clock)
            return await _carry_out_recorded(plan, events, clock, recorder.trace)


async def _carry_out_recorded(
    plan: SessionPlan, events: EventSink, clock: Clock, trace: TraceStarted | None = None
) -> Ending:
    started = clock.monotonic()
    if plan.resumes is None:
        events.emit(_started(plan))
    else:
        started -= plan.resumes.spending.seconds
    if trace is not None:
        events.emit(trace)
    ending, error = Ending(Outcome.ERROR, "the session stopped without an ending"), None
    try:
        ending, error = await _run(plan, events, clock)
    except anyio.get_cancelled_exc_class():
        ending = Ending(Outcome.CANCELLED, "cancelled by the user")
        raise
    except Exception as failure:
        ending, error = _ending_by(failure)
        raise
    finally:
        for output in plan.outputs:
            _tell_output(output, events)
        if isinstance(plan.model, HealingModel):
            _heal(plan.model, plan.session_dir, events, ending.outcome)
        events.emit(
            SessionFinished(
                outcome=ending.outcome.value,
                reason=ending.reason,
                seconds=clock.monotonic() - started,
                error=error,
            )
        )
    if ending.outcome is Outcome.SUCCESS and plan.configuration.knowledge.learn_from_success:
        _learn(plan, events, clock)
    return ending


def check_prices(plan: SessionPlan) -> None:
    """Raises: UsageError where `max_usd` cannot be enforced, as the price of a model is unknown."""
    if plan.configuration.system.max_usd is None:
        return
    for model in (*plan.connected_models, *([plan.healer] if plan.healer else [])):
        if not model.has_price():
            name = model.name.partition(":")[2]
            raise UsageError(
                f"max_usd cannot be enforced: the price of {model.name} is unknown",
                fix=f"set models.prices in your own configuration, as {{{name}: {{input_per_mtok: 0.5, "
                "output_per_mtok: 1.5}} (0 where it costs nothing), or leave max_usd out and set max_tokens",
            )


def _recorded_session(plan: SessionPlan, clock: Clock) -> RecordedSession:
    return RecordedSession(
        plan.session_id,
        plan.version,
        clock.now(),
        content=plan.configuration.telemetry.content,
        secrets=plan.resumes.secrets if plan.resumes else (),
        before=plan.resumes.traces if plan.resumes else (),
    )


def _tell_output(output: Path, events: EventSink) -> None:
    """Announce the session to other processes; a failure is reported and does not stop the session."""
    try:
        if output.exists():
            events.emit(OutputWritten(path=str(output)))
    except OSError as error:
        events.emit(ProblemMet(where="the output", error=ErrorData.of(store_error("look for", output, error))))


def _heal(model: HealingModel, session_dir: Path, events: EventSink, outcome: Outcome) -> None:
    """Write the healed playbook. A failure is reported and changes no outcome."""
    try:
        healed = heal_playbook(model, read_events(session_dir), outcome)
    except DeskhandError as error:
        events.emit(ProblemMet(where="healing the playbook", error=ErrorData.of(error)))
        return
    if healed is not None:
        events.emit(healed)


def _learn(plan: SessionPlan, events: EventSink, clock: Clock) -> None:
    """Learn from the session's journal. A failure is reported and changes no outcome."""
    try:
        with KnowledgeStore(knowledge_file()) as store:
            learn_session(store, plan.session_dir, at=clock.now())
    except DeskhandError as error:
        events.emit(ProblemMet(where="learning from the session", error=ErrorData.of(error)))


def _started(plan: SessionPlan) -> SessionStarted:
    return SessionStarted(
        session_id=plan.session_id,
        version=plan.version,
        request=plan.task or plan.requests[0],
        model=plan.model.name,
        desktop=plan.desktop,
        mode=plan.configuration.system.mode,
        parameters=dict(plan.parameters),
        options=plan.options.model_copy(
            update={
                "system": plan.configuration.system.model_dump(mode="json"),
                "requests": list(plan.requests),
                "files": [str(file.absolute()) for file in plan.files],
                "in_place": plan.in_place,
                "applications": list(plan.applications),
                "opens_with": plan.opens_with,
                "object": str(plan.object.absolute()) if plan.object else "",
                "close_object": plan.close_object,
                "task": plan.task,
                "outputs": [str(path) for path in plan.outputs],
                "interactive": plan.next_request is not None,
            }
        ),
    )


async def _run(plan: SessionPlan, events: EventSink, clock: Clock) -> tuple[Ending, ErrorData | None]:
    """Return the ending, and the error where one prevented the agents from ending the session."""
    plan = _with_plugins(plan, events)
    try:
        async with AsyncExitStack() as stack:
            images = await stack.enter_async_context(ImageWriter(events, folder=plan.session_dir))
            await _connect(plan, stack)
            again = f"-{plan.resumes.resumptions + 2}" if plan.resumes else ""
            root = plan.session_dir / f"desktop{again}"
            ours = plan.opens is open_for_session
            opens = partial(open_for_session, report=partial(_report, events)) if ours else plan.opens
            desktop = await stack.enter_async_context(opens(plan.desktop, f"{plan.session_id}{again}", root))
            observe_by(desktop, plan.configuration)
            await _guard(desktop, plan, events)
            await _record_machine(desktop, plan, events)
            servers = await stack.enter_async_context(ForeignServers(plan.servers, partial(tell_of_server, events)))
            looks_up = plan.configuration.knowledge.enabled and _reads(plan)
            own = (*plan.retrievers, *load_retrievers(partial(_report, events))) if looks_up else ()
            sources = Sources(plan.embedder, plan.servers, own)
            retriever = await sources.open(servers, stack, events) if looks_up else None
            helpers = Helpers(retriever, await _grounding(plan, stack), servers.tools)
            with stoppable(desktop.guard):
                return await run_on(plan, desktop, events, clock, images, helpers), None
    except StoppedByPerson as error:
        return Ending(Outcome.CANCELLED, error.message), None
    except DeskhandError as error:
        return _ending_by(error)
    except OSError as error:
        return _ending_by(store_error("use", Path(error.filename or plan.session_dir), error))
    finally:
        _remove_left_folders(plan)


async def _record_machine(desktop: Desktop, plan: SessionPlan, events: EventSink) -> None:
    """Record the facts that the session runs on, in a resumed one if they have changed."""
    found = await ran_on(desktop, plan.all_files)
    if plan.resumes is None or found.facts != plan.resumes.ran_on:
        events.emit(found)


def _remove_left_folders(plan: SessionPlan) -> None:
    """Remove the folders of desktops of earlier processes, which their guardians have emptied."""
    for left in plan.session_dir.glob("desktop*") if plan.resumes else ():
        with suppress(OSError):  # it is not empty, or a picture
            left.rmdir()


async def _connect(plan: SessionPlan, stack: AsyncExitStack) -> None:
    """Begin to connect the session's models; they are closed with the stack."""
    for model in plan.connected_models:
        await stack.enter_async_context(model)
    if isinstance(plan.healer, LanguageModel):
        stack.push_async_exit(plan.healer)  # it connects when it is first asked
    elif plan.healer is not None:
        await stack.enter_async_context(plan.healer)


def _with_plugins(plan: SessionPlan, events: EventSink) -> SessionPlan:
    """Add the tools and agents of installed plug-ins; one that is broken is reported and left out."""
    report = partial(_report, events)
    tools = load_tools((tool.spec.name for tool in (*standard_catalogue(), *plan.tools)), report)
    agents = load_agents((*AgentKind, *(agent.kind for agent in plan.third_party)), report)
    return replace(plan, tools=(*plan.tools, *tools), third_party=(*plan.third_party, *agents))


def _report(events: EventSink, fault: PluginBroken) -> None:
    events.emit(ProblemMet(where="a plug-in", error=ErrorData.of(fault)))


async def _guard(desktop: Desktop, plan: SessionPlan, events: EventSink) -> None:
    """Watch for the user's input; a failure is reported and changes nothing else."""
    for problem in await watch_user(desktop, plan.configuration.system):
        events.emit(ProblemMet(where="noticing a person", error=ErrorData(type="NotGuarded", message=problem)))


async def _grounding(plan: SessionPlan, stack: AsyncExitStack) -> Grounding | None:
    """Return the grounding server; it is closed with the stack. Raises: ConfigurationError."""
    if "omniparser" not in plan.configuration.system.control_backend:
        return None
    section = plan.configuration.grounding
    if not section.address:
        raise ConfigurationError(
            "system.control_backend has omniparser, and grounding.address is empty",
            fix="set grounding.address to the server's http://HOST:PORT, or take omniparser out",
        )
    return await stack.enter_async_context(OmniparserGrounding(section.address, deadline_s=section.deadline_s))


def _reads(plan: SessionPlan) -> bool:
    """Return whether any of its models reads prompts."""
    return not all(isinstance(model, PlaybookModel) for model in (plan.model, plan.host_model or plan.model))


def _ending_by(error: Exception) -> tuple[Ending, ErrorData]:
    """Return the ending for an error outside the agents."""
    info = ErrorInfo.of(error)
    data = ErrorData.of(info)
    if info.recoverable:
        return Ending(Outcome.FAILED, info.message), data
    code = error.exit_code if isinstance(error, DeskhandError) else None
    return Ending(Outcome.ERROR, info.message, code), data


async def run_on(
    plan: SessionPlan,
    desktop: Desktop,
    events: EventSink,
    clock: Clock,
    images: ImageWriter,
    helpers: Helpers | None = None,
) -> Ending:
    """Run a plan's rounds on an open desktop. Raises: the errors of opening the files and applications."""
    known = applications(plan.configuration.applications)
    to_open = Opening.of(plan.all_files, plan.applications, plan.opens_with, known)
    external = ExternalEvents()
    system = plan.configuration.system
    tools = ToolContext(
        desktop,
        known,
        effect_hold_s=system.effect_hold_s,
        application_interface=system.application_interface,
        external=external,
    )
    services = wire_services(plan, tools, to_open, images, clock, helpers)
    questions = SharedQuestions(plan.interactor, events)
    context = Context(
        session_id=plan.session_id,
        log_path=plan.session_dir,
        events=events,
        clock=clock,
        interactor=questions,
        mode=RunMode(plan.configuration.system.mode),
    )
    opener = DocumentOpener(desktop, events, services.documents, in_place=plan.in_place)
    with documents_reported(services.documents, events):
        async with controlled(desktop, context, questions):
            if plan.resumes is None:
                opened = _Opened(await opener.open_all(to_open, object_last=plan.object is not None))
            else:
                opened = _Opened.again(
                    await Reopener(plan.resumes, opener, known, to_open).reopen(), services.documents
                )
            ending = await _carry_out(plan, desktop, services, context, opened, external)
    if plan.object and plan.close_object and opened.windows:
        await opener.close(opened.windows[-1])
    return ending


@dataclass(frozen=True, slots=True)
class _Opened:
    """The windows that the session opened. `reopened`: all of them, in a session that is resumed."""

    windows: tuple[TargetInfo, ...]
    reopened: Reopened | None = None

    @classmethod
    def again(cls, reopened: Reopened, documents: Documents) -> "_Opened":
        windows = tuple(document.window for document in documents.shown if document.window)
        return cls(windows or reopened.shown, reopened)


async def _carry_out(
    plan: SessionPlan,
    desktop: Desktop,
    services: Services,
    context: Context,
    opened: _Opened,
    external: ExternalEvents,
) -> Ending:
    """Run the rounds in the opened windows, or those that an interrupted session has left."""
    backup = () if plan.backup is None else (plan.backup,)
    follows = None
    if context.mode is RunMode.FOLLOWER:
        follows = PlanModel(plan.task, opened.windows[-1:] if plan.object else opened.windows)
    decides = plan.host_model or follows or plan.model
    factory = AgentFactory(
        services,
        (plan.model, *backup),
        mode=context.mode,
        third_party=plan.third_party,
        kinds={AgentKind.APP: plan.model.agent} if isinstance(plan.model, BringsAgent) else None,
        prompts=plan.configuration.prompts,
        states=plan.states,
    )
    host = HostAgent(
        "HostAgent", services, (decides, *backup), mode=context.mode, factory=factory, desktop=desktop.name
    )
    for state in plan.states:
        state.add_to(host.state_manager)
    system = plan.configuration.system
    async with external:
        evaluator = None if plan.evaluation is None else EvaluationAgent(services, (plan.evaluation,))
        earlier, requests = None, plan.requests
        if plan.resumes is not None and opened.reopened is not None:
            requests = requests[len(plan.resumes.blackboard.requests) :]
            resuming = Resuming(
                plan.resumes, host, context, services.dispatcher, plan.version, decides.name, not _reads(plan)
            )
            earlier = await resuming.take_up(opened.reopened)
        session = Session(
            requests, host, context, system, next_request=plan.next_request, evaluator=evaluator, earlier=earlier
        )
        with pauses_told(desktop.guard, context):
            return await session.run()


def wire_services(
    plan: SessionPlan,
    tools: ToolContext,
    to_open: Opening,
    images: ImageWriter,
    clock: Clock,
    helpers: Helpers | None = None,
) -> Services:
    """Return the shared parts of the session's agents."""
    helpers = helpers or Helpers()
    brought = [tool for agent in plan.third_party for tool in agent.tools(plan.session_dir)]
    catalogue = Catalogue((*standard_catalogue(), *brought, *plan.tools, *helpers.tools))
    fresh = Blackboard(history_keys=tuple(plan.configuration.system.history_keys))
    blackboard = plan.resumes.blackboard if plan.resumes else fresh

    def requests() -> str:
        return "\n".join(dict.fromkeys((plan.task, *blackboard.requests)))

    surroundings = Surroundings(
        tool=catalogue.spec,
        launched=tools.applications.launched,
        named_applications=_named(plan, tools.applications, to_open),
        named_in_requests=lambda: tools.applications.named_in(requests()),
        requests=requests,
        file_of=lambda window: tools.desktop.file_of(window).if_certain,
    )
    policy = RulePolicy.configured(plan.configuration.policy, surroundings, plan.policies)
    system = plan.configuration.system
    offered, more = tools.applications.offered(plan.all_files)
    return Services(
        dispatcher=CommandDispatcher(catalogue, tools, policy, clock),
        policy=policy,
        images=images,
        settings=system,
        blackboard=blackboard,
        checkers=plan.checkers,
        external=tools.external,
        at_the_end=plan.expects,
        applications=offered,
        more_applications=more,
        retriever=helpers.retriever,
        grounding=helpers.grounding,
        knowledge=plan.configuration.knowledge,
        documents=Documents(
            str(working_folder(plan.session_dir, plan.all_files, in_place=plan.in_place)), surroundings.file_of
        ),
        middleware=tuple(map(TolerantMiddleware, plan.middleware)),
        strategies=plan.strategies,
    )


def _named(plan: SessionPlan, known: Applications, to_open: Opening) -> frozenset[str]:
    """Return the identities of the applications that configuration and command line name, or choose by their files."""
    configured = filter(None, map(known.launched, plan.configuration.applications))
    return frozenset(each.id for each in (*configured, *to_open.all))
