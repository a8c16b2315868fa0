"""The base class of every agent (contract 3.4)."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import anyio

from deskhand.agents.waiting import fact_line, first_of, says_something
from deskhand.core.context import Context, RunMode
from deskhand.core.errors import StateError
from deskhand.core.events import ConfirmationAsked, ConfirmationDecided, QuestionsAnswered, QuestionsAsked
from deskhand.core.json import JsonValue
from deskhand.core.model import ModelReply, ModelRequest, Passage, StepRecord, SubtaskRecord
from deskhand.core.observation import Observation
from deskhand.core.outcomes import Outcome
from deskhand.core.ports import Answers, ConfirmationRequest, Decided, Model
from deskhand.core.replies import AgentReply
from deskhand.core.statuses import StepVerdict
from deskhand.core.target import TargetInfo
from deskhand.memory import Blackboard, Memory, MemoryItem
from deskhand.models.language.extract import reply_object
from deskhand.perception.labels import Labeller
from deskhand.pipeline.actions import ActionInfo, HeldAction
from deskhand.pipeline.dispatching import ActionExecutor
from deskhand.pipeline.events import tell_arrivals
from deskhand.pipeline.framework import ProcessingPhase
from deskhand.pipeline.processor import ProcessorTemplate
from deskhand.pipeline.recording import action_fields, keep, resumed_record
from deskhand.pipeline.repetition import Repetition
from deskhand.pipeline.services import Services
from deskhand.pipeline.step_picture import StepPicture
from deskhand.prompts import MessageConstructor, PromptFiles
from deskhand.states.base import AgentState, AgentStateManager
from deskhand.states.moves import Asked, Assigned, Move

T = TypeVar("T")
NOTE_WHEN_NOT_ASKING = "proceed on your best judgement and do not ask this again"


class BasicAgent:
    """An agent governed by a state machine.

    `status` is the machine's current value: that of the last `redirect`, otherwise the state's own name. `steps` are
    the steps since the last assignment (host: since the round began); `memory` has all of them.
    """

    kind: ClassVar[str]
    reply_type: ClassVar[type[AgentReply]] = AgentReply
    manager_class: ClassVar[type[AgentStateManager]]
    processor_class: ClassVar[type[ProcessorTemplate[Any]]]  # Any: each agent's own processing context
    templates: ClassVar[str] = "agent"
    """The packaged templates of its prompts: `agent`, which begin with its `instructions`, or those of another kind."""
    instructions: ClassVar[str] = ""
    prompt_files: ClassVar[PromptFiles] = PromptFiles()
    """Files in place of the packaged templates."""

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Raises: PipelineError where the strategies of its processor do not fit together."""
        super().__init_subclass__(**kwargs)
        if "manager_class" in cls.__dict__:
            cls.manager_class.bind_agent(cls)
        if "processor_class" in cls.__dict__:
            cls.processor_class.require_usable()

    @classmethod
    def require_usable(cls, kind: str) -> None:  # noqa: ARG003 - for classes that derive from it
        """Raises: StateError for a class that would fail in a session as this kind of agent."""
        missing = [name for name in ("kind", "manager_class") if not hasattr(cls, name)]
        if not hasattr(cls, "processor_class") and cls.build_processor is BasicAgent.build_processor:
            missing.append("processor_class")
        if missing:
            raise StateError(f"{cls.__name__} has no {' and no '.join(missing)}", fix="set them in the class")
        cls.manager_class.require_complete()

    def __init__(
        self, name: str, services: Services, models: Sequence[Model], *, mode: RunMode, application: str = ""
    ) -> None:
        """`application`: the one it works in; empty for the host."""
        self.name = name
        self.application = application
        self.services = services
        self.models = tuple(models)
        self.mode = mode
        self.state_manager = self.manager_class()
        self.use_prompts(PromptFiles())
        self.memory = Memory()
        self.labeller = Labeller(cells_by_address=True)
        self.host: BasicAgent | None = None
        self.state: AgentState = self.state_manager.get_state("CONTINUE")
        self.redirection: Move | None = None
        self.arrival: Move | None = None
        self.step = 0
        self.root: TargetInfo | None = None
        self.known_windows = frozenset[str]()
        self.fails = 0
        self.fails_of_round = 0
        self.decided: Decided | None = None
        """The user's decision in an earlier process, on actions that were held there."""
        self._processor: ProcessorTemplate[Any] | None = None  # Any: each agent's own processing context
        self.forget_subtask()

    def use_prompts(self, files: PromptFiles, *, is_visual: bool = True) -> None:
        """Set the templates of its messages, by default its own, and whether its models may be sent pictures.

        Raises: ConfigurationError, naming file and line, where a file is wrong.
        """
        self.is_visual = is_visual
        own = self.prompt_files
        self.message_constructor = MessageConstructor(
            self.templates,
            self.reply_type,
            files=PromptFiles(files.main or own.main, files.examples or own.examples),
            several=self.services.settings.action_sequence,
            instructions=self.instructions,
        )

    def forget_subtask(self) -> None:
        """Clear the data of the last subtask; the memory stays (contract 2.2)."""
        self.plan: tuple[str, ...] = ()
        self.result = ""
        self.summary = ""
        self.only_annotated = frozenset[str]()
        self.questions: tuple[str, ...] = ()
        self.held: tuple[HeldAction, ...] = ()
        self.steps: list[StepRecord] = []
        self.failed_steps = 0
        self.repetition = Repetition()
        self.last_selected_picture: str | None = None
        self.last_selected: StepPicture | None = None
        self.last_shown: Observation | None = None
        self.references: tuple[Passage, ...] | None = None
        self.window_note = ""
        self.unmet = ""

    @property
    def status(self) -> str:
        return self.redirection.status if self.redirection else self.state.name()

    @status.setter
    def status(self, status: str) -> None:
        """Raises: StateError: only a redirection has a cause, and so a row."""
        raise StateError(
            f"{self.name}.status cannot be assigned", fix=f"write redirect(agent, {status!r}, cause, reason)"
        )

    @property
    def state_name(self) -> str:
        return self.state.name()

    @property
    def blackboard(self) -> Blackboard:
        """The session's: all its agents have the same one."""
        return self.services.blackboard

    @blackboard.setter
    def blackboard(self, blackboard: Blackboard) -> None:
        """Raises: StateError for another one."""
        if blackboard is not self.blackboard:
            raise StateError(f"{self.name} has the blackboard of its session", fix="write into agent.blackboard")

    @property
    def answers_request(self) -> bool:
        return self.host is None

    @property
    def processor(self) -> ProcessorTemplate[Any]:  # Any: as above
        """Raises: StateError before the first step."""
        if self._processor is None:
            raise StateError(f"{self.name} has not made a step yet")
        return self._processor

    def build_processor(self, context: Context) -> ProcessorTemplate[Any]:  # Any: as above
        """Return the processor of this kind of agent."""
        return self.processor_class(self, context)

    def accept_redirection(self, redirection: Move) -> None:
        """Set the redirection; only `states.redirect` calls this."""
        self.redirection = redirection

    def set_state(self, state: AgentState, arrival: Move | None = None) -> None:
        """Enter a state: the status becomes its name. `arrival`: the edge that led here."""
        self.state, self.arrival, self.redirection = state, arrival, None

    def follow(self, window: TargetInfo, known: frozenset[str], note: str) -> None:
        """Continue in the window that replaced its own; the files shown in it follow."""
        if self.root is not None:
            self.services.documents.follow(self.root, window)
        self.root, self.known_windows, self.window_note = window, known, note

    def claimable(self, state: str) -> tuple[str, ...]:
        return self.state_manager.table.claimable(self.state_manager.machine, state)

    def status_meanings(self, state: str) -> Mapping[str, str]:
        return self.state_manager.table.meanings(self.state_manager.machine, state)

    def blackboard_data(self) -> Mapping[str, JsonValue]:
        return self.blackboard.values()

    def get_active_appagent(self) -> "BasicAgent | None":
        return None

    def fails_spent(self) -> bool:
        """Return whether the FAILs exceed the limit of the subtask or of the round (contract 2.2)."""
        settings = self.services.settings
        return self.fails > settings.max_fail_per_subtask or self.fails_of_round > settings.max_fail_per_round

    def record_result(self, context: Context) -> None:
        context.round_reason = self.result or self.summary

    def record_failure(self, context: Context, reason: str) -> None:
        context.round_reason = reason

    def note_problem(self, problem: str) -> None:
        """Add the problem after the last step to its record, for the next prompt."""
        if self.steps:
            self.steps[-1] = replace(self.steps[-1], problem=problem)

    def add_memory(self, item: MemoryItem | Mapping[str, JsonValue]) -> None:
        """Add an item to the memory; or values to the latest item, which is made if there is none."""
        if isinstance(item, MemoryItem):
            self.memory.add(item)
        elif (latest := self.memory.latest()) is not None:
            latest.add_values_from_dict(item)
        else:
            self.memory.add(MemoryItem(dict(item)))

    @staticmethod
    def response_to_dict(reply: ModelReply | str) -> dict[str, JsonValue]:
        """Return the JSON object a model wrote, as a reply or as text. Raises: ReplyDefect where the text has none."""
        return dict(reply_object(reply) if isinstance(reply, str) else reply.content)

    async def get_response(self, model: Model, request: ModelRequest) -> ModelReply:
        """Ask one model once. Raises: ModelUnavailable, ReplyDefect."""
        return await model.respond(request)

    def count_step(self, context: Context) -> None:
        """Count a step that begins, in the session, the round and this agent."""
        context.session_step += 1
        context.current_round_step += 1
        context.hand_backs_before_step = context.hand_backs
        self.step += 1

    async def process(self, context: Context, *, fresh: bool = False) -> StepVerdict:
        """Run one step of four phases; it counts from its start, even where it fails."""
        self.count_step(context)
        if self._processor is None:
            self._processor = self.build_processor(context)
        await self._processor.process(fresh=fresh)
        verdict = self._processor.processing_context.verdict
        if verdict is None:
            raise StateError(f"step {context.session_step} of {self.name} ended without a verdict")
        return verdict

    async def process_asker(self, context: Context) -> Asked:
        """Ask the reply's questions that were not answered yet; answers go to the blackboard.

        An announced event is awaited at the same time, or alone where the user is not asked (contract 2.4).
        """
        questions = [q for q in self.questions if q not in self.blackboard.questions]
        waits_for_event = bool(self.services.external.outstanding)
        asking = self.services.settings.ask_question
        if asking is None:
            asking = context.interactor.reaches_person
        if not questions and not waits_for_event:
            return Asked.ANSWERED if asking else Asked.OFF
        context.events.emit(QuestionsAsked(step=context.session_step, agent=self.name, questions=questions))
        if not asking and not waits_for_event:
            return self._answered(context, Answers(dict.fromkeys(questions, NOTE_WHEN_NOT_ASKING)), Asked.OFF)
        reachable = asking and context.interactor.reaches_person and bool(questions)
        if not reachable and not waits_for_event:
            return self._answered(context, Answers(timed_out=True), Asked.TIMEOUT)
        return await self._ask_and_wait(context, questions, asks_user=reachable)

    async def _ask_and_wait(self, context: Context, questions: Sequence[str], *, asks_user: bool) -> Asked:
        """Wait for the user's answers, an announced event or the timeout, and record the first of them."""
        asking = context.interactor.ask(self.name, questions) if asks_user else None
        came = await self._wait(context, first_of(asking, self.services.external), for_person=asks_user)
        if isinstance(came, tuple):
            tell_arrivals(self, context, came)
            answers = Answers(dict.fromkeys(questions, "; ".join(str(arrival) for arrival in came)))
            return self._answered(context, answers, Asked.EVENT)
        if came is None or not says_something(came):
            return self._answered(context, Answers(timed_out=True), Asked.TIMEOUT)
        return self._answered(context, came, Asked.ANSWERED)

    def _answered(self, context: Context, answers: Answers, how: Asked) -> Asked:
        if how is not Asked.EVENT:  # an event answers this once: asked again, the question waits for the next one
            self.blackboard.add_answers(answers.answers)
        told = {Asked.ANSWERED: "person", Asked.OFF: "off", Asked.TIMEOUT: "timeout", Asked.EVENT: "event"}[how]
        context.events.emit(
            QuestionsAnswered.model_validate(
                {"step": context.session_step, "agent": self.name, "answers": dict(answers.answers), "how": told}
            )
        )
        return how

    @property
    def asks_before_held(self) -> bool:
        """True if held actions wait for the user's approval."""
        return self.services.settings.safe_guard

    async def process_confirmation(self, context: Context) -> Decided | None:
        """Show the held actions' facts to the user; None where the safe guard is off and the user is not asked.

        A decision of an earlier process stands.
        """
        if (decided := self.decided) is not None:
            self.decided = None
            return decided
        if not self.asks_before_held:
            self._decided(context, "off", 0.0)
            return None
        facts = tuple(item.verdict for item in self.held)
        request = ConfirmationRequest(self.name, facts, self._own_words(), await self._picture_for_person())
        shown = [fact_line(item) for item in self.held]
        context.events.emit(
            ConfirmationAsked(step=context.session_step, agent=self.name, facts=shown, model_says=request.model_says)
        )
        context.asked = "; ".join(shown)
        started = context.clock.monotonic()
        interactor = context.interactor
        approved = await self._wait(context, interactor.confirm(request)) if interactor.reaches_person else None
        decided = Decided.TIMEOUT if approved is None else Decided.APPROVED if approved is True else Decided.REJECTED
        if decided is Decided.REJECTED:
            context.rejected_actions.update(verdict.facts.fingerprint for verdict in facts)
        self._decided(context, decided.value, context.clock.monotonic() - started)
        return decided

    def _own_words(self) -> str:
        """Return the model's words about the held step."""
        latest = self.memory.latest()
        said = [latest.get(name) for name in ("comment", "thought")] if latest else []
        return next((words for words in said if isinstance(words, str) and words), "")

    async def _picture_for_person(self) -> str:
        """Observe again and save the picture with the held targets marked. Raises: the error of the observation."""
        local = self.processor.processing_context
        targets = [item.planned.command.target for item in self.held]
        local.confirming = tuple(target for target in targets if target is not None)
        looked = await self.processor.execute_phase(ProcessingPhase.DATA_COLLECTION)
        local.confirming = None
        if looked.error is not None:
            raise looked.error
        return local.confirm_screenshot_path or ""

    def _decided(self, context: Context, decision: str, seconds: float) -> None:
        context.events.emit(
            ConfirmationDecided.model_validate(
                {"step": context.session_step, "agent": self.name, "decision": decision, "seconds": seconds}
            )
        )

    async def process_resume(self, context: Context) -> None:
        """Run exactly the held actions and complete the held step's memory; no model call, no step (contract 2.4)."""
        held, self.held = self.held, ()
        approved = {item.planned.command.call_id: item.verdict.facts for item in held}
        executor = ActionExecutor(self, context, context.session_step)
        done = await executor.run([item.planned for item in held], approved)
        self.add_memory(action_fields(done))
        if self.steps and (held_step := self.memory.latest()) is not None:
            self.steps[-1] = resumed_record(self.steps[-1], done)
            keep(self, context, self.steps[-1].step, held_step, self.steps[-1])
        self.after_actions(context, done)

    def after_actions(self, context: Context, done: ActionInfo) -> None:
        """Use the results of actions that ran; most kinds of agents ignore them."""

    async def create_subagent(self, context: Context) -> Assigned:  # noqa: ARG002 - only a host has sub-agents
        raise StateError(f"{self.name} cannot hand over to another agent")

    def close_subtask(self, context: Context, status: str, outcome: Outcome, error: str) -> SubtaskRecord:
        """Return the record of the subtask that ends now, and put it on the blackboard. Counts FAILs for the limits."""
        unmet = f"an expectation did not hold: {self.unmet}" if self.unmet and self.unmet not in error else ""
        record = SubtaskRecord(
            subtask=context.subtask,
            status=status,
            outcome=outcome,
            application=self.application,
            agent=self.name,
            result=self.result or self.summary,
            actions=tuple(action.function for step in self.steps for action in step.actions if action.ran),
            error=error,
            window=self.root.handle if self.root else "",
            note="; ".join(filter(None, (self.window_note, unmet))),
        )
        if outcome is Outcome.SUCCESS:
            self.fails = 0
        elif status == "FAIL":
            self.fails += 1
            context.fails_of_round += 1
        self.fails_of_round = context.fails_of_round
        self.blackboard.subtasks.append(record)
        context.subtask = ""
        return record

    async def _wait(self, context: Context, waiting: Awaitable[T], *, for_person: bool = True) -> T | None:
        """Return the awaited value, or None after `ask_timeout`; waiting for the user is not in `max_seconds`."""
        started = context.clock.monotonic()
        timeout = self.services.settings.ask_timeout
        came: T | None = None
        try:
            with anyio.move_on_after(timeout if timeout > 0 else None) as scope:
                came = await waiting
        finally:
            if for_person:
                context.waited_for_person_s += context.clock.monotonic() - started
        return None if scope.cancel_called else came  # an answer after the timeout is ignored
