"""Calling a model until its reply can be used (contract 3.2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, Protocol, TypeVar

import anyio

from deskhand.commands.secret_texts import Hiding
from deskhand.core.context import Context
from deskhand.core.errors import (
    BudgetSpent,
    ModelSilent,
    ModelUnavailable,
    ReplyDefect,
    ReplyInvalid,
    RequestTooLong,
)
from deskhand.core.events import ErrorData, ModelAnswered, ModelAsked
from deskhand.core.model import Healing, ImagePart, Message, ModelReply, ModelRequest
from deskhand.core.ports import Model, PersonAsModel
from deskhand.core.target import TargetInfo
from deskhand.core.usage import Usage
from deskhand.pipeline.actions import PlanningGround
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.events import tell_arrivals
from deskhand.pipeline.pictures import PromptPictures
from deskhand.pipeline.references import references
from deskhand.pipeline.services import PipelineAgent, Services
from deskhand.prompts import MessageConstructor, Redaction, outputs_told, repair_messages, steps_told

_BYTES: Final = 6000
_TIGHT_BYTES: Final = 1500
_TOLD_APART: Final = frozenset({"Answers", "Ended subtasks"})
"""Sections of the blackboard that a prompt has in places of their own."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A usable reply, the messages it answers, its text, and the cost of all calls it took (None: unknown)."""

    reply: T
    messages: tuple[Message, ...]
    text: str
    cost_usd: float | None
    position: int | None = None
    healing: Healing | None = None

    def fields(self) -> dict[str, object]:
        """Return the fields of the processing context that every agent's model call fills."""
        return {
            "prompt_message": self.messages,
            "response_text": self.text,
            "reply_position": self.position,
            "reply_healing": self.healing,
            "llm_cost": self.cost_usd,
        }


class Asks(Protocol):
    """The interface that a caller of a model provides."""

    services: Services
    is_visual: bool

    @property
    def name(self) -> str: ...
    @property
    def models(self) -> Sequence[Model]: ...
    @property
    def message_constructor(self) -> MessageConstructor: ...
    async def get_response(self, model: Model, request: ModelRequest) -> ModelReply: ...


def model_request(
    agent: PipelineAgent,
    local: ProcessingContext,
    ground: PlanningGround,
    *,
    window: TargetInfo | None = None,
    controls: Sequence[TargetInfo] = (),
    seen_text: str = "",
) -> ModelRequest:
    """Return this step's request to the model, before its messages are rendered."""
    tools, statuses = tuple(ground.tools.values()), agent.claimable(local.state)
    return ModelRequest(
        agent=agent.kind,
        agent_name=agent.name,
        messages=(),
        request=local.request,
        subtask=local.subtask,
        host_message=local.host_message,
        steps_done=tuple(agent.steps),
        previous_subtasks=local.previous_subtasks,
        window=window,
        controls=tuple(controls),
        blackboard=ground.data,
        tools=tools,
        allowed_statuses=statuses,
        seen_text=seen_text,
        plan=local.plan,
        numbering=agent.labeller.numbering,
        applications=agent.services.applications,
        documents=agent.services.documents.shown,
        folder=agent.services.documents.folder,
        more_applications=agent.services.more_applications,
        answers=dict(agent.services.blackboard.questions),
        status_meanings=agent.status_meanings(local.state),
    )


async def ask(
    agent: PipelineAgent,
    context: Context,
    request: ModelRequest,
    parse: Callable[[ModelReply], T],
    pictures: PromptPictures | None = None,
) -> Answer[T]:
    """Ask an agent's models, with the arrived events and the retrieved passages. Raises: as `ask_models`."""
    tell_arrivals(agent, context, agent.services.external.take_arrivals())
    known = await references(agent, context, request)
    warnings = (*request.warnings, *context.user_told, *context.allowance.warnings())
    was_taken_over = bool(context.user_told)
    request = replace(request, warnings=warnings, references=known, was_taken_over=was_taken_over)
    return await ask_models(agent, context, request, parse, pictures)


async def ask_models(
    agent: Asks,
    context: Context,
    request: ModelRequest,
    parse: Callable[[ModelReply], T],
    pictures: PromptPictures | None = None,
) -> Answer[T]:
    """Ask the model until its reply can be used; then its backup likewise (contract 3.2).

    Each gets its own messages, with pictures where it accepts them, scaled to its limits. A defect is sent back to the
    model that wrote it, `json_parsing_retry` replies in all; to the user without a limit. A model that is busy or fails
    is asked again after a delay; a request that is too long is shortened once. Raises: ReplyInvalid, ModelUnavailable
    (the last model's), BudgetSpent.
    """
    last: ReplyDefect | ModelUnavailable | None = None
    for model in agent.models:
        shown = await pictures.for_model(model.pictures) if pictures and agent.is_visual else ()
        try:
            return await _Asking(agent, context, request, model, parse, shown).answer()
        except (ReplyDefect, ModelUnavailable) as error:
            last = error
    _check_budget(context)  # a spent budget is the reason that is reported first
    if isinstance(last, ModelUnavailable):
        raise last
    raise ReplyInvalid(f"no usable reply: {last.message if last else 'no model is configured'}")


@dataclass(slots=True)
class _Asking(Generic[T]):
    """One model, asked until it gives one usable reply."""

    agent: Asks
    context: Context
    request: ModelRequest
    model: Model
    parse: Callable[[ModelReply], T]
    pictures: tuple[ImagePart, ...] = ()
    calls: int = 0

    async def answer(self) -> Answer[T]:
        """Raises: ReplyDefect (the last one), ModelUnavailable, BudgetSpent."""
        services = self.agent.services
        request, tight, defects, failed = self._rendered(tight=False), False, 0, 0
        while True:
            call = self._begin()
            try:
                call.reply = await self._respond(request)
                parsed = self.parse(call.reply)
            except ReplyDefect as defect:
                self._tell(call, defect)
                defects, failed = defects + 1, 0
                if defects >= services.settings.json_parsing_retry and not isinstance(self.model, PersonAsModel):
                    raise
                said = call.reply.text if call.reply else defect.text
                repair = repair_messages(self._redaction().past(said), defect.message)
                request = replace(request, problem=defect.message, messages=(*request.messages, *repair))
            except ModelUnavailable as error:
                failed += 1
                is_shortened = isinstance(error, RequestTooLong) and not tight
                wait_s = 0.0 if is_shortened else self._wait_s(error, failed)
                self._tell(call, error, wait_s)
                if wait_s is None:
                    raise
                if is_shortened:
                    request, tight = self._rendered(tight=True), True
                await anyio.sleep(wait_s)
            else:
                self._tell(call, None)
                cost = self.context.step_cost_usd
                said = call.reply
                return Answer(parsed, request.messages, said.text, cost, said.position, said.healing)

    def _rendered(self, *, tight: bool) -> ModelRequest:
        """Return the request with its messages and the schema of the reply. `tight`: as short as possible.

        Messages that the agent has given are sent as they are.
        """
        if self.request.messages:
            return self.request
        blackboard = self.agent.services.blackboard
        request = replace(self.request, references=()) if tight else self.request
        steps = steps_told(request, tight=tight)
        told = blackboard.blackboard_to_prompt(
            _TIGHT_BYTES if tight else _BYTES,
            leave_out=_TOLD_APART,
            steps_told={step.step for step in steps},
            outputs_told=outputs_told(steps),
            request=request.request,
        )
        redaction = self._redaction()
        constructor = self.agent.message_constructor
        messages = constructor.messages(request, told, self.pictures, redaction, tight=tight)
        schema = constructor.reply_schema(constructor.listed(request, self.pictures), request.allowed_statuses)
        return replace(request, messages=messages, reply_schema=schema)

    def _redaction(self) -> Redaction:
        typed = self.context.secret_actions
        return Redaction(Hiding(typed).hide, Hiding(event for event in typed if event.is_on_password).hide)

    def _begin(self) -> "_Call":
        """Raises: BudgetSpent where nothing is left for another call."""
        _check_budget(self.context)
        self.calls += 1
        step, agent = self.context.session_step, self.agent.name
        self.context.events.emit(ModelAsked(step=step, agent=agent, model=self.model.name, attempt=self.calls))
        return _Call(self.context.clock.monotonic())

    async def _respond(self, request: ModelRequest) -> ModelReply:
        """Raises: ModelUnavailable, ReplyDefect."""
        if isinstance(self.model, PersonAsModel):
            return await self._heard_from_person(request)
        try:
            with anyio.fail_after(self.context.allowance.left_s()):
                return await self.agent.get_response(self.model, request)
        except TimeoutError as error:
            unknown = Usage(cost_usd=None)
            raise ModelSilent(f"{self.model.name} was still thinking when time was up", usage=unknown) from error

    async def _heard_from_person(self, request: ModelRequest) -> ModelReply:
        """Raises: ModelUnavailable, ReplyDefect."""
        context, started = self.context, self.context.clock.monotonic()
        try:
            return await self.agent.get_response(self.model, request)
        finally:
            context.waited_for_person_s += context.clock.monotonic() - started

    def _wait_s(self, error: ModelUnavailable, failed: int) -> float | None:
        """Return the seconds to wait before the next call; None where a retry is useless or the time is too short."""
        services, left_s = self.agent.services, self.context.allowance.left_s()
        wait_s = services.retries.wait_s(error, failed, services.random)
        return None if wait_s is None or (left_s is not None and wait_s >= left_s) else wait_s

    def _tell(self, call: "_Call", error: ReplyDefect | ModelUnavailable | None, wait_s: float | None = None) -> None:
        """Add the usage of the call to the budgets and write it to the journal."""
        context, reply = self.context, call.reply
        usage = reply.usage if reply else _usage_of(error)
        context.tokens += usage.input_tokens + usage.output_tokens
        context.cost_usd += usage.cost_usd or 0.0
        answered = reply is not None or isinstance(error, ReplyDefect)
        context.has_unpriced_answer |= answered and usage.cost_usd is None
        known = context.step_cost_usd
        context.step_cost_usd = None if known is None or usage.cost_usd is None else known + usage.cost_usd
        context.events.emit(
            ModelAnswered(
                step=context.session_step,
                agent=self.agent.name,
                model=reply.model if reply and reply.model else self.model.name,
                attempt=self.calls,
                seconds=context.clock.monotonic() - call.started_s,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                cached_tokens=usage.cached_tokens,
                cost_usd=usage.cost_usd,
                error=ErrorData.of(error) if error else None,
                retry_in_s=wait_s,
                note=reply.note if reply else "",
            )
        )


def _check_budget(context: Context) -> None:
    if spent := context.allowance.spent():
        raise BudgetSpent(spent, fix="raise the budget, or ask for less")


def _usage_of(error: ReplyDefect | ModelUnavailable | None) -> Usage:
    """Return the usage of a failed call: free where no answer came, of unknown cost where the answer was unreadable."""
    if error is not None and error.usage is not None:
        return error.usage
    return Usage(cost_usd=None) if isinstance(error, ReplyDefect) else Usage()


@dataclass(slots=True)
class _Call:
    """One call, running or finished."""

    started_s: float
    reply: ModelReply | None = None
