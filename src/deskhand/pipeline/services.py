"""The shared parts of a session's strategies, and the interface of their agents."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import ClassVar, Protocol, TypeAlias

from deskhand.commands import CommandDispatcher
from deskhand.config.sections import KnowledgeSection, SystemSection
from deskhand.core.context import Context
from deskhand.core.json import JsonValue
from deskhand.core.model import ModelReply, ModelRequest, Passage, StepRecord
from deskhand.core.observation import Observation
from deskhand.core.outside_events import ExternalEvents
from deskhand.core.ports import Checker, Model, Policy, Retriever
from deskhand.core.replies import Expectation, HostAgentResponse
from deskhand.core.target import TargetInfo
from deskhand.memory import Blackboard, Documents, Memory
from deskhand.perception.grounding import Grounding
from deskhand.perception.labels import Labeller
from deskhand.pipeline.actions import ActionInfo, HeldAction
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.framework import ChangeStrategies, ProcessingPhase, ProcessingResult
from deskhand.pipeline.repetition import Repetition
from deskhand.pipeline.retry_policy import RETRIES, RetryPolicy
from deskhand.pipeline.step_picture import Shelf, StepPicture
from deskhand.prompts import MessageConstructor
from deskhand.store.image_writer import MakeFile


class ImageSink(Protocol):
    """The sink for the files of a step; encoding and writing never block it."""

    async def submit(self, path: Path, make: MakeFile) -> None:
        """Write the data that `make` returns to `path`, a picture as a PNG, in the background."""
        ...


FinalExpectation: TypeAlias = Callable[[Mapping[str, JsonValue]], Expectation | None]


@dataclass(slots=True)
class ClosedWindows:
    """Windows that the last actions of subtasks closed, whose programs may crash afterwards.

    `reported`: handles of those whose crash was reported to the host; another finished subtask settles them.
    """

    windows: dict[str, TargetInfo] = field(default_factory=dict[str, TargetInfo])
    reported: set[str] = field(default_factory=set[str])

    def note(self, window: TargetInfo) -> None:
        self.windows[window.handle] = window

    def settle(self) -> None:
        """Drop the crashes that were reported."""
        for handle in self.reported:
            self.windows.pop(handle, None)
        self.reported.clear()


@dataclass(frozen=True, slots=True)
class Services:
    """One session's parts, wired once and shared by its agents.

    `at_the_end` returns the expectation after a plan was carried out, given the saved data. `applications` are the
    names of applications that can be launched, for the host's prompt, and `more_applications` the number of those not
    named. `retriever` finds passages; None: no model would read them, or the store is empty. `grounding` finds controls
    in pictures; None: only the accessibility tree is used. `documents` are the user's files. `middleware` is called
    after an agent's own, `strategies` change those of the kinds of agents they are given for.
    """

    dispatcher: CommandDispatcher
    policy: Policy
    images: ImageSink
    settings: SystemSection
    blackboard: Blackboard
    checkers: Sequence[Checker] = ()
    external: ExternalEvents = field(default_factory=ExternalEvents)
    at_the_end: FinalExpectation | None = None
    retries: RetryPolicy = RETRIES
    random: Random = field(default_factory=Random)
    applications: tuple[str, ...] = ()
    more_applications: int = 0
    retriever: Retriever | None = None
    shelf: Shelf = field(default_factory=Shelf)
    grounding: Grounding | None = None
    knowledge: KnowledgeSection = field(default_factory=KnowledgeSection)
    documents: Documents = field(default_factory=Documents)
    closed: ClosedWindows = field(default_factory=ClosedWindows)
    middleware: Sequence["ProcessorMiddleware"] = ()
    strategies: Mapping[str, ChangeStrategies] = field(default_factory=dict[str, ChangeStrategies])


class PipelineAgent(Protocol):
    """The interface of an agent for its strategies; `agents` implements it."""

    kind: ClassVar[str]
    services: Services
    memory: Memory
    labeller: Labeller
    plan: tuple[str, ...]
    result: str
    summary: str
    """The text of the subtask's last `summary`."""
    only_annotated: frozenset[str]
    """The handles of the controls that the next picture labels alone; empty: it labels all."""
    questions: tuple[str, ...]
    held: tuple[HeldAction, ...]
    steps: list[StepRecord]
    failed_steps: int
    repetition: Repetition
    is_visual: bool
    references: tuple[Passage, ...] | None
    last_selected_picture: str | None
    last_selected: StepPicture | None
    last_shown: Observation | None
    step: int
    known_windows: frozenset[str]
    """The handles of the windows that were open when the agent got its own."""
    window_note: str
    """The closing of the agent's window, for the host."""
    unmet: str
    """The parts of the subtask's last expectation that do not hold; empty where all do."""

    @property
    def name(self) -> str: ...
    @property
    def root(self) -> TargetInfo | None:
        """The window this agent works in; None for the host."""
        ...

    def follow(self, window: TargetInfo, known: frozenset[str], note: str) -> None:
        """Continue in another window."""
        ...

    @property
    def state_name(self) -> str: ...
    @property
    def application(self) -> str: ...
    @property
    def answers_request(self) -> bool:
        """True if its FINISH answers the request itself: the host, or an agent without one."""
        ...

    @property
    def message_constructor(self) -> MessageConstructor: ...
    @property
    def models(self) -> Sequence[Model]:
        """The model, then its backup if there is one."""
        ...

    async def get_response(self, model: Model, request: ModelRequest) -> ModelReply: ...

    def claimable(self, state: str) -> tuple[str, ...]:
        """Return the statuses that a model may claim in a state."""
        ...

    def status_meanings(self, state: str) -> Mapping[str, str]:
        """Return the meaning of each of them, in a few words."""
        ...

    def blackboard_data(self) -> Mapping[str, JsonValue]: ...


class ProcessorMiddleware(Protocol):
    """Hooks around one step; a class derived from it defines those that it needs."""

    def before_process(self, agent: PipelineAgent, local: ProcessingContext) -> None:
        """Called before the first phase."""
        del agent, local

    def after_process(self, agent: PipelineAgent, local: ProcessingContext, result: ProcessingResult) -> None:
        """Called after the last phase, with the result of the step."""
        del agent, local, result

    def on_error(
        self, agent: PipelineAgent, local: ProcessingContext, phase: ProcessingPhase, error: Exception
    ) -> None:
        """Called for each phase that failed."""
        del agent, local, phase, error


class HostPipelineAgent(PipelineAgent, Protocol):
    """The further interface of the host for its strategies."""

    @property
    def has_target(self) -> bool:
        """True if a window or an agent is selected for the next ASSIGN."""
        ...

    @property
    def on_offer(self) -> tuple[TargetInfo, ...]:
        """The agents without a window, listed beside the windows."""
        ...

    def after_actions(self, context: Context, done: ActionInfo) -> None:
        """Select the window that was chosen or launched for the next ASSIGN."""
        ...

    def assign(self, subtask: str, message: tuple[str, ...], *, is_last: bool = False) -> None:
        """Store the subtask and message of the next ASSIGN."""
        ...

    def finish_claimed_ahead(self, context: Context) -> HostAgentResponse | None:
        """Return the FINISH that the last ASSIGN claimed for the case of its success; None otherwise."""
        ...
