"""Asking a model until it answers something usable (SPEC 3.2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import ValidationError

from deskhand.core.context import Context
from deskhand.core.errors import ErrorInfo, ModelUnavailable, ReplyDefect, ReplyInvalid
from deskhand.core.events import ModelAnswered, ModelAsked
from deskhand.core.model import Message, ModelReply, ModelRequest
from deskhand.core.ports import Model
from deskhand.core.replies import AgentReply
from deskhand.core.target import TargetInfo
from deskhand.pipeline.actions import PlanningGround, plan
from deskhand.pipeline.context import ProcessingContext
from deskhand.pipeline.execution import error_data
from deskhand.pipeline.services import PipelineAgent
from deskhand.pipeline.telling import tell_arrivals

ReplyT = TypeVar("ReplyT", bound=AgentReply)


@dataclass(frozen=True, slots=True)
class Answer(Generic[ReplyT]):
    """A usable reply, what was asked, the reply's text, and the money of every call it took (None: unknown)."""

    reply: ReplyT
    messages: tuple[Message, ...]
    text: str
    cost_usd: float | None
    position: int | None = None

    def fields(self) -> dict[str, object]:
        """The fields of the processing context that every agent's reply fills."""
        reply = self.reply
        return {
            "prompt_message": self.messages,
            "response_text": self.text,
            "reply_position": self.position,
            "parsed_response": reply,
            "llm_cost": self.cost_usd,
            "thought": reply.thought,
            "observation_text": reply.observation,
            "plan": tuple(reply.plan),
            "comment": reply.comment,
            "questions": tuple(reply.questions),
            "result": reply.result,
        }


def model_request(
    agent: PipelineAgent,
    local: ProcessingContext,
    ground: PlanningGround,
    *,
    window: TargetInfo | None = None,
    controls: Sequence[TargetInfo] = (),
    seen_text: str = "",
) -> ModelRequest:
    """What this step asks its model, before the messages are rendered."""
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
        tools=tuple(ground.tools.values()),
        allowed_statuses=agent.claimable(local.state),
        seen_text=seen_text,
        plan=local.plan,
    )


async def ask(
    agent: PipelineAgent, context: Context, request: ModelRequest, parse: Callable[[ModelReply], ReplyT]
) -> Answer[ReplyT]:
    """Asks the model, sending each defect back, `json_parsing_retry` attempts in all; then its backup likewise.

    The messages are rendered here, from the request and the blackboard.
    Raises: ReplyInvalid, ModelUnavailable (the last model's).
    """
    tell_arrivals(agent, context, agent.services.external.take_arrivals())
    messages = agent.message_constructor.messages(request, agent.services.blackboard.blackboard_to_prompt())
    request = replace(request, messages=messages)
    last: ReplyDefect | ModelUnavailable | None = None
    for model in agent.models:
        problem = ""
        for attempt in range(1, agent.services.settings.json_parsing_retry + 1):
            context.events.emit(
                ModelAsked(step=context.session_step, agent=agent.name, model=model.name, attempt=attempt)
            )
            started = context.clock.monotonic()
            reply: ModelReply | None = None
            try:
                reply = await agent.get_response(model, replace(request, problem=problem))
                parsed = parse(reply)
            except (ReplyDefect, ModelUnavailable) as error:
                last, problem = error, error.message
                _tell(agent, context, model, attempt, context.clock.monotonic() - started, reply, error)
                if isinstance(error, ModelUnavailable):
                    break
            else:
                _tell(agent, context, model, attempt, context.clock.monotonic() - started, reply, None)
                return Answer(parsed, messages, reply.text, context.step_cost_usd, reply.position)
    if isinstance(last, ModelUnavailable):
        raise last
    raise ReplyInvalid(f"no usable reply: {last.message if last else 'no model is configured'}")


def _cost(reply: ModelReply | None, error: ReplyDefect | ModelUnavailable | None) -> float | None:
    """What a call cost; None: unknown. What could not be asked costs nothing, an answer that cannot be read did."""
    if reply is not None:
        return reply.usage.cost_usd
    return None if isinstance(error, ReplyDefect) else 0.0


def _tell(  # noqa: PLR0913, PLR0917 - one event's facts
    agent: PipelineAgent,
    context: Context,
    model: Model,
    attempt: int,
    seconds: float,
    reply: ModelReply | None,
    error: ReplyDefect | ModelUnavailable | None,
) -> None:
    usage, cost = reply.usage if reply else None, _cost(reply, error)
    if usage is not None:
        context.tokens += usage.input_tokens + usage.output_tokens
    context.cost_usd += cost or 0.0
    known = context.step_cost_usd
    context.step_cost_usd = None if known is None or cost is None else known + cost
    context.events.emit(
        ModelAnswered(
            step=context.session_step,
            agent=agent.name,
            model=reply.model if reply and reply.model else model.name,
            attempt=attempt,
            seconds=seconds,
            input_tokens=usage.input_tokens if usage else 0,
            output_tokens=usage.output_tokens if usage else 0,
            cost_usd=cost,
            error=error_data(ErrorInfo.of(error)) if error else None,
        )
    )


def usable(
    reply_type: type[ReplyT],
    request: ModelRequest,
    ground: PlanningGround,
    check: Callable[[ReplyT], None] | None = None,
) -> Callable[[ModelReply], ReplyT]:
    """What `ask` parses by: the reply as its type, with a status and actions that are possible here.

    `check` raises ReplyDefect for what the kind of agent demands besides.
    """

    def parse(reply: ModelReply) -> ReplyT:
        parsed = parse_reply(reply_type, reply, request.allowed_statuses)
        plan(parsed.ordered_actions(), ground)
        if check is not None:
            check(parsed)
        return parsed

    return parse


def parse_reply(reply_type: type[ReplyT], reply: ModelReply, allowed: tuple[str, ...]) -> ReplyT:
    """The reply as its type, with a status that may be claimed here. Raises: ReplyDefect."""
    try:
        parsed = reply_type.model_validate(reply.content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "reply"
        raise ReplyDefect(f"{where}: {first['msg']}") from error
    if parsed.status not in allowed:
        raise ReplyDefect(f"status {parsed.status!r} cannot be claimed here; allowed: {', '.join(allowed)}")
    if parsed.status == "CONFIRM" and not parsed.ordered_actions():
        raise ReplyDefect("status CONFIRM needs the action that is to be confirmed")
    if parsed.status == "PENDING" and not parsed.questions:
        raise ReplyDefect("status PENDING needs at least one question")
    return parsed
